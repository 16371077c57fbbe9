"""Functions of rows over dask arrays, computed when they are asked for."""

from collections.abc import Callable
from typing import Any

import numpy as np

from paperlib._common.chunks import check_dask_array
from paperlib._common.typing import Floats


def map_rows(function: Callable[[Any], Floats], X: Any) -> Any:
    """Return the dask array of ``function(chunk)``, a number for each row; nothing is computed yet.

    Chunks along the columns of the dask array `X` are joined, and chunks without a row are left alone.
    """
    check_dask_array(X)

    def of_chunk(chunk):
        return function(chunk) if len(chunk) else np.empty(0)

    return X.rechunk({1: -1}).map_blocks(of_chunk, dtype=np.float64, drop_axis=1, meta=np.empty(0))

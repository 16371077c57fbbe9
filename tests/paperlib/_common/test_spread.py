"""Variance of all entries: the same in every form of data, zero for equal ones, not finite for infinite."""

import dask.array as da
import numpy as np
import pytest

from paperlib._common import chunks
from paperlib._common.spread import spread


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_variance_is_that_of_all_entries(rows, forms, dtype, monkeypatch):
    monkeypatch.setattr(chunks, "ROWS", 77)
    X = (1000 * rows).astype(dtype)
    for name, form in forms(X).items():
        assert spread(form) == pytest.approx(X.astype(float).var(), rel=1e-12), name


@pytest.mark.parametrize("shift", [0.0, 1e8, 1e200])
def test_variance_of_equal_entries_is_zero(shift):
    X = da.full((1000, 3), shift + 0.1, chunks=(37, 2))
    assert spread(X) == 0.0
    assert chunks.pooled_variance([]) == spread(np.zeros((0, 2))) == 0.0


def test_variance_of_what_is_not_finite_is_not():
    assert not np.isfinite(spread(np.array([[1.0], [np.nan]])))
    assert not np.isfinite(spread(np.array([[1e200], [-1e200]])))

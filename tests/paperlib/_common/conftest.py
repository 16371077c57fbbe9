"""The same rows in every form that `_common` reads."""

import dask.array as da
import numpy as np
import pytest


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return rng.integers(0, 4, size=(1000, 3)).astype(float)


@pytest.fixture
def forms(tmp_path):
    """A function that gives 1,000 rows in each form, by name."""

    def of(X):
        mapped = np.memmap(tmp_path / "rows.dat", dtype=X.dtype, mode="w+", shape=X.shape)
        mapped[:] = X
        return {
            "array": X,
            "memmap": mapped,
            "one chunk": da.from_array(X, chunks=(len(X), -1)),
            "even": da.from_array(X, chunks=(100, -1)),
            "uneven, and cut along its columns": da.from_array(X, chunks=((1, 499, 0, 500), (2, 1))),
            "of unknown lengths": da.from_array(X, chunks=(300, -1))[
                da.from_array(np.ones(len(X), bool), chunks=300)
            ],
        }

    return of

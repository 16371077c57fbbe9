"""How much memory a fit takes: the most that a process had at a time, beyond what it had before.

    python -m tests.memory CoresetSVC

Each is measured in a process of its own, after a fit of the same rows has compiled what it needs.
"""

import ctypes
import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.base import clone
from sklearn.datasets import make_blobs

from tests.programs import printed

ROWS, COLUMNS = (5_000, 10_000), 100


def data(n, d=COLUMNS):
    """Two classes that a hyperplane separates, and of whose rows kernels leave few on the margin."""
    return make_blobs(n, d, centers=np.array([-np.ones(d), np.ones(d)]) * 2, cluster_std=0.7, random_state=0)


def taken(call, *arguments):
    """Return how many bytes `call` took at most beyond what the process held before."""
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = _status("VmRSS")
    call(*arguments)
    return _status("VmHWM") - before


def _status(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


def of_estimator(estimator):
    """Return what `fit` takes of each number of rows, and `predict` of the last, in multiples of the rows."""
    warnings.simplefilter("ignore")
    X, y = data(ROWS[0])
    clone(estimator).fit(X, y).predict(X)
    sizes = []
    for n in ROWS:
        (X, y), fresh = data(n), clone(estimator)
        sizes.append(taken(fresh.fit, X, y) / X.nbytes)
    return [*sizes, taken(fresh.predict, X) / X.nbytes]


def measured(name):
    """Do as `of_estimator` in a process of its own, for an estimator of docs/estimators.md."""
    return [float(size) for size in printed("-m", "tests.memory", name).split()]


if __name__ == "__main__":
    from tests.docs.test_estimators_page import ESTIMATORS, LESS_NARROW

    print(*of_estimator((ESTIMATORS | LESS_NARROW)[sys.argv[1]]))

"""How long it takes until the library answers, each time in a process of its own."""

import subprocess
import sys

from benchmarks.side_by_side import Comparison, alternate

_FIT = """
import numpy as np
from paperlib.kernel_mean import KernelMeanClassifier, sparsify
X = np.random.default_rng(0).normal(size=(100, 3))
clf = KernelMeanClassifier().fit(X, np.arange(100) % 2)
clf.decision_function(X), sparsify(X, clf.dual_coef_, 5, random_state=0)
"""


def _python(code):
    return lambda: subprocess.run([sys.executable, "-c", code], check=True)


def run():
    seconds = alternate(_python("import paperlib"), _python("import sklearn.svm"))
    note = "the project wants under 1.0 s"
    yield Comparison("import paperlib, warm", *seconds, "import sklearn.svm", None, note)
    seconds = alternate(_python(_FIT), _python("import sklearn.svm"), repeats=5)
    note = "kernels come from numba's cache on disk"
    yield Comparison("import, fit and sparsify in a new process", *seconds, "import sklearn.svm", None, note)

"""How long it takes until the library answers, each time in a process of its own.

First uses begin with an empty cache of numba's, and are counted in seconds of the processor: compilation
takes one of them, and does not depend on what else the machine does.
"""

import json
import os
import subprocess
import sys
import tempfile

from benchmarks.side_by_side import Comparison, alternate
from paperlib.compile import SAMPLE, USES, imports

_FIT = """
import numpy as np
from paperlib.kernel_mean import KernelMeanClassifier, sparsify
X = np.random.default_rng(0).normal(size=(100, 3))
clf = KernelMeanClassifier().fit(X, np.arange(100) % 2)
clf.decision_function(X), sparsify(X, clf.dual_coef_, 5, random_state=0)
"""

# Prints the processor's seconds of the import, of the first use and of the second one.
_FIRST_USE = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
times, n, dimensions = [time.process_time()], int(sys.argv[3]), int(sys.argv[4])
exec(compile(sys.argv[1], "import", "exec"))
times.append(time.process_time())
exec(sys.argv[5])
use = compile(sys.argv[2], "use", "exec")
for _ in range(2):
    start = time.process_time()
    exec(use)
    times.append(time.process_time() - start)
print(json.dumps([times[1] - times[0], *times[2:]]))
"""
SMALL, ORDINARY = 5.0, 10.0  # seconds that a first use may take, with up to 200 points and with more


def first_use(paper, name, use, n, dimensions):
    """Return the seconds of the import, of the first use and of the second one, with an empty cache."""
    code = imports(paper, name), name + use, str(n), str(dimensions), SAMPLE
    with tempfile.TemporaryDirectory(prefix="benchmarks-start-up-") as folder:
        done = subprocess.run(
            [sys.executable, "-c", _FIRST_USE, *code],
            env=os.environ | {"NUMBA_CACHE_DIR": folder, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            check=True,
            capture_output=True,
            text=True,
        )
    return json.loads(done.stdout.splitlines()[-1])


def _python(code):
    return lambda: subprocess.run([sys.executable, "-c", code], check=True)


def run():
    seconds = alternate(_python("import paperlib"), _python("import sklearn.svm"))
    note = "the project wants under 1.0 s"
    yield Comparison("import paperlib, warm", *seconds, "import sklearn.svm", None, note)
    seconds = alternate(_python(_FIT), _python("import sklearn.svm"), repeats=5)
    note = "kernels come from numba's cache on disk"
    yield Comparison("import, fit and sparsify in a new process", *seconds, "import sklearn.svm", None, note)
    for paper, uses in USES.items():
        for name, use, n, dimensions in uses:
            imported, cold, warm = first_use(paper, name, use, n, dimensions)
            allowed = SMALL if n <= 200 else ORDINARY
            note = f"processor's seconds; import {imported:.1f} s, the second time {1e3 * warm:.2g} ms"
            yield Comparison(f"first {name}{use}, n = {n:,}", cold, allowed, "allowed", 1.0, note)

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
times = [time.process_time()]
exec(compile(sys.argv[1], "import", "exec"))
times.append(time.process_time())
import numpy as np
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
rng = np.random.default_rng(0)
n = int(sys.argv[3])
X = rng.normal(size=(n, int(sys.argv[4])))
y = np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0, 1, -1)
apart, three = X + np.outer(3 * y, np.arange(X.shape[1]) == 0), rng.integers(0, 3, n)
spread = np.column_stack([X, 5 * np.eye(3)[three]])
stump, bayes = ("stump", DecisionTreeClassifier(max_depth=1)), ("bayes", GaussianNB())
linear = LogisticRegression().fit(X, y)
use = compile(sys.argv[2], "use", "exec")
for _ in range(2):
    start = time.process_time()
    exec(use)
    times.append(time.process_time() - start)
print(json.dumps([times[1] - times[0], *times[2:]]))
"""
SMALL, ORDINARY = 5.0, 10.0  # seconds that a first use may take, with up to 200 points and with more
# What is used, in which way, with how many points, in how many dimensions; the modules `theory`, `losses` and
# `noise` compile nothing.
USES = {
    "boosting2d": [
        ("optimal_separator", "(X, y)", 50, 2),
        ("optimal_separator", "(X, y)", 2_000, 2),
        ("leave_one_out", "(X, y)", 50, 2),
        ("leave_one_out", "(X, y)", 2_000, 2),
        ("max_margin_line", "(apart[y > 0], apart[y < 0])", 200, 2),
        ("optimal_plane", "(X, y)", 50, 3),
        ("optimal_hyperplane", "(X, y)", 1_000, 3),
        ("PairBoostingClassifier", "([stump, bayes]).fit(X, y).predict(X)", 300, 8),
        ("GreedyPairBoosting", "([stump, bayes]).fit(X, y).predict(X)", 300, 8),
        ("HierarchicalPairBoosting", "([stump, bayes]).fit(X, y).predict(X)", 300, 8),
        ("likelihood_weights", "(np.full(n, 0.8))", 300, 2),
    ],
    "coresets": [
        ("CoresetSVC", "().fit(apart, y).predict(X)", 50, 8),
        ("CoresetSVC", "().fit(apart, y).predict(X)", 300, 8),
        ("CoresetSVC", "(C=1.0).fit(X, y).predict(X)", 300, 8),
        ("CoresetSVC", "(kernel='rbf', gamma=0.5).fit(X, y).predict(X)", 300, 8),
        ("MulticlassCoresetSVC", "().fit(spread, three).predict(spread)", 300, 8),
        ("CoresetSVC", "().fit(csr_array(apart), y).predict(X)", 300, 8),
        ("OutlierCoresetSVC", "().fit(apart, y).predict(X)", 60, 8),
        ("ActiveCoresetSVC", "().fit(apart, lambda i: y[i]).predict(X)", 300, 8),
        ("StructuredCoresetSVM", "(MulticlassDecoder(3)).fit(spread, three).predict(spread)", 300, 8),
        ("MulticlassDecoder", "(3).decode(np.arange(24.0), X[0])", 60, 8),
        ("ChainDecoder", "(3).decode(np.arange(33.0), X)", 60, 8),
        ("StructuredCoresetSVM", "(ChainDecoder(3)).fit(spread[:, None], three[:, None])", 300, 8),
    ],
    "feature_deletion": [
        ("FeatureDeletionLP", "().fit(X, y).predict(X)", 200, 8),
        ("FeatureDeletionPerceptron", "(random_state=0).fit(X, y).predict(X)", 200, 8),
        ("FeatureDeletionPerceptron", "(random_state=0).fit(csr_array(X), y).predict(X)", 200, 8),
        ("FeatureDeletionPerceptron", "(feature_values=1.0 + np.arange(8)).fit(X, y).predict(X)", 200, 8),
        ("worst_case_deletion", "(linear.coef_[0], 0.0, X, y, 2)", 200, 8),
        ("worst_case_deletion", "(linear.coef_[0], 0.0, X, y, 2, 1.0 + np.arange(8))", 200, 8),
        ("robust_score", "(linear, X, y, 2)", 200, 8),
        ("robustness_curve", "(linear, X, y, [0, 1, 2])", 200, 8),
        ("mutual_information_values", "(X, y)", 200, 8),
    ],
    "max_loss": [
        ("FOLClassifier", "(random_state=0).fit(X, y).predict(X)", 300, 8),
        ("focused_online_learning", "(Perceptron(X, y), n, 1000, random_state=0)", 300, 8),
        ("LogisticSGD", "(X, y).step(0)", 300, 8),
        ("PassiveAggressive", "(X, y, 1.0).step(0)", 300, 8),
        ("PartialFitLearner", "(bayes[1], X, y).step(0)", 300, 8),
        ("TorchLearner", "(torch.nn.Linear(8, 2), X.astype('f4'), (y > 0) * 1).step(0)", 300, 8),
        ("Reservoir", "(5, rng).offer(1, list)", 300, 8),
        ("average", "([X[0], X[1]])", 300, 8),
        ("majority", "([y, y, -y])", 300, 8),
        ("SumTree", "(n).update(2, 9.0)", 300, 8),
        ("FocusedSampler", "(n, random_state=0).__iter__().__next__()", 300, 8),
    ],
    "kernel_mean": [
        ("KernelMeanClassifier", "(gamma=0.5).fit(X, y).predict(X)", 300, 8),
        ("KernelMeanClassifier", "('linear').fit(X, y).predict(X)", 300, 8),
        ("TLogisticRegression", "().fit(X, y).predict(X)", 300, 8),
        ("flip_labels", "(y, 0.2, random_state=0)", 300, 8),
        ("select_kernel", "(X, y, [{'gamma': 0.1}, {'gamma': 1.0}])", 300, 8),
        ("sparsify", "(X, np.full(n, 1.0 / n), 10, random_state=0).error", 300, 8),
        ("sparsify_classifier", "(KernelMeanClassifier().fit(X, y), 10, random_state=0).predict(X)", 300, 8),
    ],
}
ALSO = {  # what the uses of some names need besides
    "StructuredCoresetSVM": ", ChainDecoder, MulticlassDecoder",
    "TorchLearner": "; import torch",
    "focused_online_learning": ", Perceptron",
    "sparsify_classifier": ", KernelMeanClassifier",
}


def first_use(paper, name, use, n, dimensions):
    """Return the seconds of the import, of the first use and of the second one, with an empty cache."""
    imports = f"from paperlib.{paper} import {name}{ALSO.get(name, '')}"
    with tempfile.TemporaryDirectory(prefix="benchmarks-start-up-") as folder:
        done = subprocess.run(
            [sys.executable, "-c", _FIRST_USE, imports, name + use, str(n), str(dimensions)],
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

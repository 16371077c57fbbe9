"""Compile kernels before they are needed: ``python -m paperlib.compile [SUBPACKAGE ...]``.

A kernel is compiled when it is first called, and kept on disk, so that a first fit takes seconds and the next
process none. For an image, or the cache of a CI, this calls what the subpackages offer on small samples of
floats of 64 bits, dense and CSR; for other types kernels are compiled when they first meet them.
``NUMBA_CACHE_DIR`` names the folder, where it is not to be the one beside the sources.
"""

import argparse
import time
import warnings

import paperlib

# What the uses below are made of: `n` points in `dimensions` dimensions.
SAMPLE = """
import numpy as np
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
rng = np.random.default_rng(0)
X = rng.normal(size=(n, dimensions))
y = np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0, 1, -1)
apart, three = X + np.outer(3 * y, np.arange(X.shape[1]) == 0), rng.integers(0, 3, n)
spread = np.column_stack([X, 5 * np.eye(3)[three]])
stump, bayes = ("stump", DecisionTreeClassifier(max_depth=1)), ("bayes", GaussianNB())
linear = LogisticRegression().fit(X, y)
"""
# What is used, in which way, with how many points, in how many dimensions; the modules `theory`, `losses` and
# `noise` compile nothing. `benchmarks/start_up.py` measures each.
USES = {
    "boosting2d": [
        ("optimal_separator", "(X, y)", 50, 2),
        ("optimal_separator", "(X, y)", 2_000, 2),
        ("optimal_separator", "(X.round(), y)", 2_000, 2),
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
        ("MulticlassCoresetSVC", "(solver='steps').fit(spread, three).predict(spread)", 300, 8),
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
        ("FeatureDeletionLP", "().fit(csr_array(X), y).predict(X)", 200, 8),
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
        ("FOLClassifier", "(random_state=0).fit(csr_array(X), y).predict(X)", 300, 8),
        ("focused_online_learning", "(Perceptron(X, y), n, 1000, random_state=0)", 300, 8),
        ("LogisticSGD", "(X, y).step(0)", 300, 8),
        ("PassiveAggressive", "(X, y, 1.0).step(0)", 300, 8),
        ("PartialFitLearner", "(bayes[1], X, y).step(0)", 300, 8),
        ("TorchLearner", "(torch.nn.Linear(8, 2), X.astype('f4'), (y > 0) * 1).step(0)", 300, 8),
        ("Reservoir", "(5, rng).offer(1, list)", 300, 8),
        ("average", "([X[0], X[1]])", 300, 8),
        ("majority", "([y, y, -y])", 300, 8),
        ("SumTree", "(n).update(2, 9.0)", 300, 8),
        (
            "FocusedSampler",
            ".update(s := FocusedSampler(n, batch_size=8), next(it := iter(s)), np.ones(8)); next(it)",
            300,
            8,
        ),
    ],
    "kernel_mean": [
        ("KernelMeanClassifier", "(gamma=0.5).fit(X, y).predict(X)", 300, 8),
        ("KernelMeanClassifier", "('linear').fit(X, y).predict(X)", 300, 8),
        ("KernelMeanClassifier", "(gamma=0.5).fit(csr_array(X), y).predict(csr_array(X))", 300, 8),
        ("TLogisticRegression", "().fit(X, y).predict(X)", 300, 8),
        ("TLogisticRegression", "().fit(csr_array(X), y).predict(X)", 300, 8),
        ("flip_labels", "(y, 0.2, random_state=0)", 300, 8),
        ("gaussian_sums", "(X, X, y, 5.0, tol=1e-9)", 3_000, 1),
        ("gaussian_sums", "(X, X, y, 5e3, tol=1e-9)", 3_000, 2),
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


def imports(part, name):
    """Return the line of code that imports what the uses of a name need."""
    return f"from paperlib.{part} import {name}{ALSO.get(name, '')}"


def main():
    parser = argparse.ArgumentParser(prog="python -m paperlib.compile", description=__doc__.splitlines()[0])
    parser.add_argument(
        "parts", nargs="*", metavar="SUBPACKAGE", help=f"of: {', '.join(USES)} (default: all)"
    )
    parts = parser.parse_args().parts or list(USES)
    for part in set(parts) - set(USES):
        parser.error(f"unknown subpackage {part!r} (known: {', '.join(USES)})")
    warnings.simplefilter("ignore")
    for part in parts:
        start, missing = time.perf_counter(), []
        for name, use, n, dimensions in USES[part]:
            names = {"n": n, "dimensions": dimensions}
            try:
                exec(f"{imports(part, name)}\n{SAMPLE}\n{name}{use}", names)
            except ImportError as error:  # of an extra that is not installed
                missing.append(f"{name} ({error.name})")
        left = f"; without {', '.join(missing)}" if missing else ""
        print(
            f"paperlib {paperlib.__version__}: {part} in {time.perf_counter() - start:.0f} s{left}",
            flush=True,
        )


if __name__ == "__main__":
    main()

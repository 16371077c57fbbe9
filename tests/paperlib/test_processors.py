"""What the library decides, as it was written down once: the same on every x86-64 processor.

`python -m reproduce processors` compares whole notebooks under emulated processors, in half an hour. This
compares a few decisions with ties and near ties in seconds, on whatever machine the tests run.
"""

import hashlib

import numpy as np
import pytest

from paperlib.boosting2d import leave_one_out, optimal_separator
from paperlib.coresets import CoresetSVC, OutlierCoresetSVC
from paperlib.experiments.coresets import samples
from paperlib.feature_deletion import FeatureDeletionLP, FeatureDeletionPerceptron, worst_case_deletion
from paperlib.kernel_mean import KernelMeanClassifier, sparsify
from paperlib.max_loss import FOLClassifier, SumTree

pytestmark = pytest.mark.x86_64


def grid(n=400, seed=0):
    """Points on a coarse grid, so that many are equal, collinear or equally far; a third is mislabelled."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, size=(n, 2)).astype(float)
    y = np.where((X.sum(axis=1) > 0) ^ (rng.random(n) < 0.3), 1, -1)
    return X, y


def coresets():
    for selection, d in (("worst", 300), ("first", 300), ("batch", 90)):  # from 100 on by steps
        X, y = samples.star(d, 2.0)
        yield CoresetSVC(0.2, selection=selection, random_state=0).fit(X, y).coreset_indices_
    rng = np.random.default_rng(1)
    X = rng.integers(-6, 7, size=(3000, 3)).astype(float)
    X = X[np.abs(X.sum(axis=1)) >= 2]
    y = np.where(X.sum(axis=1) > 0, 1, -1)
    for selection in ("worst", "first"):
        fit = CoresetSVC(0.05, selection=selection).fit(X, y)
        yield fit.coreset_indices_
        yield fit.margin_
    few, labels = X[:30, :2], y[:30]
    labels[:2] *= -1
    yield OutlierCoresetSVC(3, 0.1, on_nonseparable="warn").fit(few, labels).outlier_indices_


def boosting2d():
    X, y = grid()
    weights = np.random.default_rng(2).integers(1, 4, len(y)).astype(float)
    for each in (None, weights):
        found = optimal_separator(X, y, sample_weight=each)
        yield found.normal
        yield found.weight
        yield found.misclassified
    held_out = leave_one_out(X[:60], y[:60])
    yield held_out.kind
    yield held_out.contribution


def kernel_mean():
    X, y = grid()
    for method in ("farthest_first", "herding", "random"):
        found = sparsify(X, y / len(y), 16, gamma=0.5, method=method, random_state=0)
        yield found.support
        yield found.weights
    yield KernelMeanClassifier(gamma=0.5).fit(X, y).decision_function(X[:50])


def max_loss():
    X, _ = grid()
    clf = FOLClassifier(random_state=0, max_iter=5000, output="last")
    yield clf.fit(X, np.where(X[:, 0] > 0, 1, -1)).coef_
    tree, rng = SumTree(1000), np.random.default_rng(3)
    for row in rng.integers(0, 1000, 2000):
        tree.update_log(int(row), 0.25)
    yield from tree.sample(rng, size=500)
    yield tree.total


def feature_deletion():
    rng = np.random.default_rng(4)
    X = rng.integers(-1, 2, size=(200, 12)).astype(float)
    y = np.where(X[:, :4].sum(axis=1) + 0.1 > 0, 1, -1)
    fit = FeatureDeletionPerceptron(2, random_state=0).fit(X, y)
    yield fit.coef_
    yield from worst_case_deletion(fit.coef_[0], fit.intercept_[0], X, y, 2)
    # What the programme's solver leaves open, 1e-6 of the objective, is not the same everywhere.
    fit = FeatureDeletionLP(2).fit(X, y)
    yield worst_case_deletion(fit.coef_[0].round(4), fit.intercept_[0].round(4), X, y, 2)[1]


def digest(parts):
    """Hash of the numbers with nine digits, and of whole numbers as they are."""
    found = hashlib.sha256()
    for part in parts:
        for number in np.ravel(np.asarray(part, dtype=float)).tolist():
            found.update(f"{number + 0.0:.9g} ".encode())
    return found.hexdigest()[:16]


@pytest.mark.parametrize(
    "decide, written",
    [
        (coresets, "6c2fe43a3cdefb52"),
        (boosting2d, "370e811a34d8bb3a"),
        (kernel_mean, "330b5f4c6980f12f"),
        (max_loss, "bf98297c4bac3d30"),
        (feature_deletion, "ffc8408ed0f1a649"),
    ],
    ids=lambda each: getattr(each, "__name__", "digest"),
)
def test_what_is_decided_is_the_same_everywhere(decide, written):
    assert digest(decide()) == written

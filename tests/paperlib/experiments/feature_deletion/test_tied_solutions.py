"""Rules that break the ties of Equation (4)."""

import numpy as np
import pytest

from paperlib.experiments.feature_deletion.losses import relaxed_losses
from paperlib.experiments.feature_deletion.samples import redundant_sample
from paperlib.experiments.feature_deletion.tied_solutions import LeastNormLP, VertexLP
from paperlib.feature_deletion import FeatureDeletionLP

N = 2


def few(seed=0):
    """Six examples of thirty features: many classifiers leave no loss."""
    return redundant_sample(6, 30, np.random.default_rng(seed), flips=0.0)


def square(clf):
    return np.square(clf.coef_).sum() + clf.intercept_[0] ** 2


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", [LeastNormLP, VertexLP])
def test_a_rule_takes_one_of_the_solutions(kind, seed):
    X, y = few(seed)
    clf = kind(N, C=0.3).fit(X, y)
    losses = relaxed_losses(clf.coef_[0], clf.intercept_[0], X, y, N)
    assert clf.tied_ and losses.max() < 1e-6 and np.abs(clf.coef_).max() <= 0.3
    assert clf.objective_ == pytest.approx(losses.mean(), abs=1e-9)


def test_no_solution_has_a_smaller_norm():
    X, y = few()
    least = LeastNormLP(N, C=0.3).fit(X, y)
    others = [
        kind(N, C=C, solver=s).fit(X, y)
        for kind, C, s in (
            (FeatureDeletionLP, 0.3, "auto"),
            (FeatureDeletionLP, 0.3, "first_order"),
            (VertexLP, 0.3, "auto"),
        )
    ]
    assert all(square(least) < 0.99 * square(other) for other in others)
    # Any other solution is farther off in the direction of every solution: the set of them is convex.
    point = np.append(least.coef_, least.intercept_)
    for other in others:
        assert (np.append(other.coef_, other.intercept_) - point) @ point >= -1e-6


def test_the_cube_binds_the_least_norm():
    X, y = few()
    wide, narrow = (LeastNormLP(N, C=C).fit(X, y) for C in (0.3, 0.15))
    assert narrow.tied_ and np.abs(narrow.coef_).max() <= 0.15 < np.abs(wide.coef_).max()
    assert square(narrow) > square(wide)


def test_values_of_features_are_heeded():
    X, y = few()
    values = np.where(np.arange(30) < 15, 0.5, 1.5)
    clf = LeastNormLP(N, C=0.3, feature_values=values).fit(X, y)
    assert clf.tied_ and relaxed_losses(clf.coef_[0], clf.intercept_[0], X, y, N, values=values).max() < 1e-6


@pytest.mark.parametrize("kind", [LeastNormLP, VertexLP])
def test_where_some_loss_is_left_nothing_is_chosen(kind):
    X, y = redundant_sample(60, 6, np.random.default_rng(0), flips=0.2)
    clf, plain = kind(1, C=0.5).fit(X, y), FeatureDeletionLP(1, C=0.5).fit(X, y)
    assert not clf.tied_ and plain.objective_ > 0.1
    assert np.array_equal(clf.coef_, plain.coef_) and clf.objective_ == plain.objective_

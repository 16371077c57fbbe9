"""Weights of examples and classes: as many copies of a row, in every solver, for dense and sparse data."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.utils.class_weight import compute_sample_weight

from paperlib.experiments.feature_deletion.losses import relaxed_losses
from paperlib.feature_deletion import FeatureDeletionLP, FeatureDeletionPerceptron
from paperlib.feature_deletion._solver.certificate import lower_bound, objective
from paperlib.feature_deletion._solver.pairs import make_pairs
from tests.paperlib.feature_deletion.helpers import slow_perceptron
from tests.paperlib.weighting import (
    bad_class_weights,
    bad_weights,
    check_many_classes,
    check_refused,
    check_routing,
)

LEARNERS = [
    FeatureDeletionLP(1.5),
    FeatureDeletionLP(1.5, solver="highs"),
    FeatureDeletionLP(1.5, solver="first_order"),
    FeatureDeletionPerceptron(1.5, n_passes=3, random_state=0),
    FeatureDeletionPerceptron(1.5, n_passes=2, shuffle=False),
]
learners = pytest.mark.parametrize("learner", LEARNERS, ids=repr)


def sample(m, n, seed=0, kind="plain"):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, n)) * (rng.random((m, n)) < 0.7)
    if kind == "ties":
        X = np.sign(np.round(X))
    y = np.where(X @ rng.normal(size=n) + rng.normal(size=m) > 0, 1, -1)
    y[:2] = [1, -1]
    return X, y


def test_weights_of_zero_may_leave_one_class():
    X, y = sample(20, 3)
    for learner in LEARNERS:
        for weights in (y > 0, np.where(y > 0, 0.0, 2.5)):
            with pytest.raises(ValueError, match="two classes of positive weight, got one class only"):
                clone(learner).fit(X, y, sample_weight=weights)


@learners
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_a_whole_number_is_as_many_copies(learner, seed, is_sparse):
    rng = np.random.default_rng(seed)
    X, y = sample(rng.integers(2, 40), rng.integers(2, 7), seed, "plain" if seed % 3 else "ties")
    counts = rng.integers(0, 4, len(y))
    counts[:2] += 1
    is_sparse = is_sparse and getattr(learner, "solver", "") != "highs"
    data = sp.csr_array(X) if is_sparse else X
    form = sp.csr_array if is_sparse else np.asarray
    weighted = clone(learner).fit(data, y, sample_weight=counts)
    repeated = clone(learner).fit(form(np.repeat(X, counts, axis=0)), np.repeat(y, counts))
    if isinstance(learner, FeatureDeletionPerceptron):
        assert np.array_equal(weighted.coef_, repeated.coef_)
        assert weighted.intercept_ == repeated.intercept_ and weighted.tau_ == repeated.tau_
        assert weighted.mean_loss_ == repeated.mean_loss_
        assert weighted.n_seen_ == learner.n_passes * counts.sum()
        return
    assert type(weighted.objective_) is type(weighted.gap_) is float
    size = max(repeated.objective_, 1e-3)
    assert abs(weighted.objective_ - repeated.objective_) <= weighted.gap_ + repeated.gap_ + 1e-12 * size
    losses = relaxed_losses(weighted.coef_[0], weighted.intercept_[0], X, y, 1.5)
    assert np.isclose(np.average(losses, weights=counts), weighted.objective_, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("solver", ["auto", "highs", "first_order"])
@pytest.mark.parametrize("seed", range(6))
def test_the_programme_of_copies_has_the_same_weights(solver, seed):
    """Where one classifier is the best one, as in most samples of real numbers with noise."""
    X, y = sample(60, 8, seed)
    counts = np.random.default_rng(seed).integers(0, 4, 60)
    weighted = FeatureDeletionLP(1.5, solver=solver).fit(X, y, sample_weight=counts)
    repeated = FeatureDeletionLP(1.5, solver=solver).fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    assert np.isclose(weighted.objective_, repeated.objective_, rtol=1e-10)
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(weighted.intercept_, repeated.intercept_, rtol=1e-8, atol=1e-8)
    assert weighted.n_iter_ == repeated.n_iter_ or solver == "highs"


@pytest.mark.parametrize("solver", ["auto", "first_order"])
def test_any_weights_give_the_programmes_least_value(solver):
    for seed, power in ((0, 1.0), (1, 3.0), (2, 12.0)):
        X, y = sample(60, 8, seed)
        weights = 10.0 ** np.random.default_rng(seed).uniform(-power, power, 60)
        least = FeatureDeletionLP(1.5, solver="highs").fit(X, y, sample_weight=weights)
        for scale in (1.0, 1e-200, 1e200):
            clf = FeatureDeletionLP(1.5, solver=solver).fit(X, y, sample_weight=scale * weights)
            losses = relaxed_losses(clf.coef_[0], clf.intercept_[0], X, y, 1.5)
            assert np.isclose(np.average(losses, weights=weights), clf.objective_, rtol=1e-9)
            assert clf.objective_ - clf.gap_ <= least.objective_ + 1e-9
            assert least.objective_ - least.gap_ <= clf.objective_ + 1e-9
            assert clf.gap_ <= {"auto": 1e-6, "first_order": 1e-3}[solver] * max(clf.objective_, 1e-3)


def exact_value(clf, X, y, weights):
    losses = relaxed_losses(clf.coef_[0], clf.intercept_[0], X, y, 1.5)
    return float(
        sum(Fraction(w) * Fraction(loss) for w, loss in zip(weights, losses)) / sum(map(Fraction, weights))
    )


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("solver", ["auto", "highs", "first_order"])
@pytest.mark.parametrize("kind", ["one row", "one class"])
def test_rows_that_outweigh_the_other_class(solver, kind):
    """A row that is heavier than the other class has no loss; beyond that no weight changes the best."""
    X, y = sample(60, 5, 3)
    heavy = np.arange(60) == 0 if kind == "one row" else y < 0
    few = np.where(heavy, 1e3, 1.0)
    least = FeatureDeletionLP(1.5, solver="highs").fit(X, y, sample_weight=few).objective_ * few.sum()
    tol = 1e-3 if solver == "first_order" else 1e-6
    for weight in (1e8, 1e10, 1e20, 1e100, 1e300):
        weights = np.where(heavy, weight, 1.0)
        clf = FeatureDeletionLP(1.5, solver=solver).fit(X, y, sample_weight=weights)
        assert clf.gap_ <= tol * max(clf.objective_, 1e-3 * 5 / 3.5)
        assert np.isclose(exact_value(clf, X, y, weights), clf.objective_, rtol=1e-9, atol=0)
        assert np.isclose(clf.objective_, least / weights.sum(), rtol=2 * tol, atol=0)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("solver", ["auto", "highs", "first_order"])
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([20, 100, 200, 300]))
def test_weights_of_all_sizes_that_doubles_have(solver, seed, power):
    rng = np.random.default_rng(seed)
    X, y = sample(rng.integers(3, 30), 4, seed)
    weights = 10.0 ** rng.uniform(-power, power, len(y))
    clf = FeatureDeletionLP(1.5, solver=solver).fit(X, y, sample_weight=weights)
    value = exact_value(clf, X, y, weights)
    assert np.isclose(value, clf.objective_, rtol=1e-9, atol=1e-15)
    other = FeatureDeletionLP(1.5, solver="first_order", tol=1e-2).fit(X, y, sample_weight=weights)
    assert clf.objective_ - clf.gap_ <= exact_value(other, X, y, weights) + 1e-15
    if solver == "auto":
        assert clf.gap_ <= 1e-6 * max(value, 1e-3 * 4 / 2.5)


def test_any_point_gives_a_bound_from_below_with_weights():
    rng = np.random.default_rng(5)
    X, y = sample(30, 5, 5)
    weights = rng.uniform(0.1, 5.0, 30)
    pairs = make_pairs(X, y.astype(float), np.ones(5), 1.5, 1 / 3.5, weights)
    best = FeatureDeletionLP(1.5, C=0.7, solver="highs").fit(X, y, sample_weight=weights)
    least = best.objective_ * weights.sum()
    assert np.isclose(objective(pairs, best.coef_[0], best.intercept_[0]), least)
    for _ in range(200):
        alpha, e = rng.uniform(-0.1, 1.1, 30), rng.uniform(-0.1, 1.1, pairs.g.size)
        assert lower_bound(pairs, np.full(5, 0.7), alpha, e) <= least + 1e-6


@learners
def test_a_zero_leaves_the_row_out(learner):
    X, y = sample(60, 5)
    weights = np.arange(60) % 3 > 0
    weights[:2] = True
    weighted = clone(learner).fit(X, y, sample_weight=weights)
    left = clone(learner).fit(X[weights], y[weights])
    assert np.array_equal(weighted.coef_, left.coef_) and weighted.intercept_ == left.intercept_
    ones = clone(learner).fit(X, y, sample_weight=np.ones(60))
    assert np.array_equal(ones.coef_, clone(learner).fit(X, y).coef_)


@learners
@pytest.mark.parametrize("class_weight", ["balanced", {-1: 2.0, 1: 5.0}, {1: 3}])
def test_weights_of_classes_are_those_of_their_examples(learner, class_weight):
    X, y = sample(60, 5)
    by_class = clone(learner).set_params(class_weight=class_weight).fit(X, y)
    by_example = clone(learner).fit(X, y, sample_weight=compute_sample_weight(class_weight, y))
    np.testing.assert_allclose(by_class.coef_, by_example.coef_, rtol=1e-9, atol=1e-12)
    both = clone(learner).set_params(class_weight={-1: 1, 1: 3}).fit(X, y, sample_weight=np.full(60, 2))
    product = clone(learner).fit(X, y, sample_weight=np.where(y > 0, 6, 2))
    assert np.array_equal(both.coef_, product.coef_)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_what_is_left_of_a_weight_is_a_meeting_in_part(seed):
    rng = np.random.default_rng(seed)
    X, y = sample(20, 4, seed)
    weights = rng.choice([0.0, 0.25, 1.0, 2.5, 3.0, 1e-3], 20)
    weights[:2] = 0.5
    expected, loss = slow_perceptron(X, y, 1, weights=weights, tau=0.1)
    for data in (X, sp.csr_array(X)):
        clf = FeatureDeletionPerceptron(1, tau=0.1, shuffle=False).fit(data, y, sample_weight=weights)
        np.testing.assert_allclose(np.append(clf.coef_, clf.intercept_), expected, atol=1e-12)
        assert np.isclose(clf.mean_loss_, loss) and np.isclose(clf.n_seen_, weights.sum())
    parts = FeatureDeletionPerceptron(1, tau=0.1, shuffle=False)
    for at in (slice(0, 7), slice(7, 20)):
        if weights[at].any():
            parts.partial_fit(X[at], y[at], classes=[-1, 1], sample_weight=weights[at])
    np.testing.assert_allclose(np.append(parts.coef_, parts.intercept_), expected, atol=1e-12)


@learners
@bad_weights
def test_weights_that_are_none(learner, weights, words):
    check_refused(learner, words, weights)


@learners
@bad_class_weights
def test_class_weights_that_are_none(learner, class_weight, words):
    check_refused(learner, words, class_weight=class_weight)


def test_products_that_are_zero_leave_a_class_out():
    X, y = sample(20, 3)
    clf = FeatureDeletionLP(class_weight={1: 1e-200, -1: 1.0})
    with pytest.raises(ValueError, match="one class only"):
        clf.fit(X, y, sample_weight=np.where(y > 0, 1e-200, 1.0))


def test_meetings_without_end_are_refused():
    X, y = sample(20, 3)
    with pytest.raises(
        ValueError, match=r"says how often each example is met .* 2e\+10: divide it by its mean"
    ):
        FeatureDeletionPerceptron().fit(X, y, sample_weight=np.full(20, 1e9))


def test_parts_cannot_be_balanced():
    X, y = sample(20, 3)
    clf = FeatureDeletionPerceptron(class_weight="balanced")
    with pytest.raises(ValueError, match="class_weight='balanced' needs all examples at once"):
        clf.partial_fit(X, y)
    named = FeatureDeletionPerceptron(class_weight={1: 2}, tau=0.1, shuffle=False).partial_fit(X, y)
    whole = FeatureDeletionPerceptron(class_weight={1: 2}, tau=0.1, shuffle=False).fit(X, y)
    assert np.array_equal(named.coef_, whole.coef_)


# Their place in scikit-learn


@pytest.mark.routes_weights
@learners
def test_weights_are_routed_through_a_search_over_a_pipeline(learner):
    X, y = sample(90, 5)
    check_routing(learner, X, y, np.random.default_rng(0).integers(1, 4, 90), n_deleted=[0, 1])


@learners
def test_several_classes_are_one_against_the_rest(learner):
    check_many_classes(clone(learner).set_params(n_deleted=0.3), 0.9)


@learners
def test_probabilities_come_from_a_calibration(learner):
    X, y = sample(200, 5)
    calibrated = CalibratedClassifierCV(clone(learner), cv=3).fit(X, y)
    shares = calibrated.predict_proba(X)
    assert shares.shape == (200, 2) and np.allclose(shares.sum(axis=1), 1.0)
    assert (shares >= 0.0).all() and calibrated.score(X, y) > 0.7
    clf = clone(learner).fit(X, y)
    assert np.array_equal(clf.predict(X), np.where(clf.decision_function(X) > 0, 1, -1))
    weighted = CalibratedClassifierCV(clone(learner), cv=3).fit(X, y, sample_weight=np.where(y > 0, 9.0, 1.0))
    assert weighted.predict_proba(X)[:, 1].mean() > shares[:, 1].mean()

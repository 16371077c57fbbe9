"""Equation (4) through a modelling language, through HiGHS and by the interior point; and Equation (3)."""

import pickle
import re
from functools import partial

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from paperlib._common import progress
from paperlib.experiments.feature_deletion.losses import relaxed_losses
from paperlib.feature_deletion import FeatureDeletionLP
from paperlib.feature_deletion._solver.certificate import lower_bound, objective
from paperlib.feature_deletion._solver.pairs import make_pairs
from tests.paperlib.feature_deletion import helpers
from tests.paperlib.feature_deletion.helpers import kept_sets

sample = partial(helpers.sample, noise=0.5)


def expected_failures(estimator):
    if estimator.solver != "highs":
        return {}
    reason = "several classifiers have the least value, and HiGHS ends at one or another of them"
    checks = (
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
    )
    return dict.fromkeys(checks, reason)


@parametrize_with_checks(
    [
        FeatureDeletionLP(),
        FeatureDeletionLP(n_deleted=0),
        FeatureDeletionLP(solver="highs"),
        FeatureDeletionLP(solver="first_order"),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def by_cvxpy(X, y, n_deleted, margin=1.0, C=1.0, feature_values=None):
    """Equation (4) as it is printed."""
    m, n = X.shape
    v = np.ones(n) if feature_values is None else np.asarray(feature_values)
    P = v.sum() - n_deleted
    w, b, xi = cp.Variable(n), cp.Variable(), cp.Variable(m, nonneg=True)
    lam, a = cp.Variable(m, nonneg=True), cp.Variable((m, n), nonneg=True)
    constraints = [
        P * lam - cp.sum(a, axis=1) + cp.multiply(y, b) >= -xi,
        cp.multiply(y[:, None] * X, cp.reshape(w, (1, n), order="C")) - margin * v[None] / P
        >= cp.reshape(lam, (m, 1), order="C") @ v[None] - a,
        cp.norm_inf(w) <= C,
    ]
    problem = cp.Problem(cp.Minimize(cp.sum(xi) / m), constraints)
    problem.solve(cp.SCIPY, scipy_options={"method": "highs-ds"})  # at a corner, so exact but for rounding
    return problem.value


def by_equation_3(X, y, n_deleted):
    """Equation (3): a row for every set J of features that the adversary may leave."""
    (m, n), sets = X.shape, kept_sets(np.ones(X.shape[1]), n_deleted)
    rows = [np.column_stack([-y[:, None] * X * kept, -y, -np.eye(m)]) for kept in sets]
    limits = np.repeat([-kept.sum() / (n - n_deleted) for kept in sets], m)
    cost = np.concatenate([np.zeros(n + 1), np.full(m, 1 / m)])
    bounds = [(-1.0, 1.0)] * n + [(None, None)] + [(0, None)] * m
    return linprog(cost, np.vstack(rows), limits, bounds=bounds).fun


def check_certificate(clf, X, y, expected, tol=1e-6):
    """The value is that of the formula, and within the gap of the reference's."""
    n = X.shape[1]
    v = np.ones(n) if clf.feature_values is None else np.asarray(clf.feature_values, dtype=float)
    price = clf.margin / (v.sum() - clf.n_deleted)
    losses = relaxed_losses(clf.coef_[0], clf.intercept_[0], X, y, clf.n_deleted, clf.margin, v)
    assert np.isclose(losses.mean(), clf.objective_, rtol=1e-10, atol=1e-12)
    assert np.abs(clf.coef_).max() <= clf.C
    size = max(clf.objective_, 1e-3 * price * v.sum())
    assert clf.dual_gap_ <= tol * size
    reference = 1e-6 * size + 1e-7 * price * v.sum()  # the other solver's own error
    assert clf.objective_ - clf.dual_gap_ <= expected + reference
    assert clf.objective_ >= expected - reference


CASES = [
    (60, 8, {"n_deleted": 2}),
    (60, 8, {"n_deleted": 2.5, "margin": 0.3, "C": 2.0}),
    (40, 6, {"n_deleted": 1.7, "feature_values": [0.3, 1.0, 2.0, 0.7, 0.0, 1.1]}),
    (40, 6, {"n_deleted": 0}),
    (40, 6, {"n_deleted": 0, "feature_values": [0.0, 1, 1, 0.0, 1, 1]}),
    (10, 40, {"n_deleted": 5}),
    (10, 40, {"n_deleted": 0, "C": 0.1}),
    (12, 5, {"n_deleted": 4.9}),
    (30, 5, {"n_deleted": 1e-6}),
    (30, 5, {"n_deleted": 1, "C": 1e-3}),
    (30, 5, {"n_deleted": 1, "C": 1e4}),
    (2, 3, {"n_deleted": 1}),
    (50, 1, {"n_deleted": 0.5}),
]


@pytest.mark.parametrize("m, n, parameters", CASES)
def test_solvers_agree_with_the_equation_as_printed(m, n, parameters):
    for seed, density in ((0, 1.0), (1, 0.4)):
        X, y = sample(m, n, seed, density)
        expected = by_cvxpy(X, y, **parameters)
        for solver in ("auto", "highs"):
            clf = FeatureDeletionLP(**parameters, solver=solver, tol=1e-6).fit(X, y)
            check_certificate(clf, X, y, expected)
        for data in (X, sp.csr_matrix(X)):  # the gradient method, to its own tolerance
            clf = FeatureDeletionLP(**parameters, solver="first_order").fit(data, y)
            check_certificate(clf, X, y, expected, tol=1e-3)


@pytest.mark.parametrize("n_deleted", [0, 1, 3])
def test_theorem_1_equation_3_is_solved_for_values_of_one(n_deleted):
    X, y = sample(30, 7, 3)
    clf = FeatureDeletionLP(n_deleted, tol=1e-9).fit(X, y)
    assert np.isclose(clf.objective_, by_equation_3(X, y, n_deleted), rtol=1e-7)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
@example(649)  # an interior point of others was off by 1e-6 there
def test_degenerate_samples(seed):
    """Duplicates, ties, empty rows and columns, values of zero: few distinct numbers."""
    rng = np.random.default_rng(seed)
    m, n = rng.integers(2, 14), rng.integers(1, 7)
    X = rng.integers(-1, 2, size=(m, n)) * rng.choice([1.0, 1.0, 1e-3, 50.0])
    y = rng.choice([-1.0, 1.0], size=m)
    y[:2] = [-1, 1]
    values = rng.integers(0, 3, size=n).astype(float)
    values[0] = 1.0
    parameters = {"n_deleted": rng.choice([0.0, 0.3, 0.5]) * values.sum(), "C": rng.choice([0.1, 1.0, 10.0])}
    parameters["feature_values"] = values
    expected = by_cvxpy(X, y, **parameters)
    check_certificate(FeatureDeletionLP(**parameters).fit(X, y), X, y, expected)
    clf = FeatureDeletionLP(**parameters, solver="first_order", max_iter=100_000)
    check_certificate(clf.fit(X, y), X, y, expected, tol=1e-3)


@pytest.mark.parametrize("scale", [1e-8, 1e6])
def test_only_the_product_of_scale_and_box_matters(scale):
    X, y = sample(40, 5)
    clf = FeatureDeletionLP(1, C=1.0).fit(X, y)
    other = FeatureDeletionLP(1, C=1.0 / scale).fit(scale * X, y)
    assert np.isclose(clf.objective_, other.objective_, rtol=2e-6)
    wide = FeatureDeletionLP(1, C=3.0, margin=3.0).fit(X, y)
    assert np.isclose(wide.objective_, 3 * clf.objective_, rtol=2e-6)


def test_any_point_gives_a_bound_from_below():
    rng = np.random.default_rng(5)
    X, y = sample(30, 5, 5, 0.7)
    values, budget = rng.uniform(0, 2, 5), 1.2
    pairs = make_pairs(X, y, values, budget, 1 / (values.sum() - budget))
    least = 30 * by_cvxpy(X, y, budget, C=0.7, feature_values=values)
    for _ in range(200):
        alpha, e = rng.uniform(-0.1, 1.1, 30), rng.uniform(-0.1, 1.1, pairs.g.size)
        bound = lower_bound(pairs, np.full(5, 0.7), alpha, e)
        assert bound <= least + 1e-6
        assert objective(pairs, rng.uniform(-0.7, 0.7, 5), rng.normal()) >= least - 1e-6
    assert lower_bound(pairs, np.full(5, 0.7), np.zeros(30), np.zeros(pairs.g.size)) == 0


def test_the_bound_balances_classes_that_are_not():
    """With weights of one for 25 examples against 5, a bias would lower the sum that the bound stands for."""
    X, _ = sample(30, 5, 5)
    y = np.where(np.arange(30) < 25, 1.0, -1.0)
    pairs = make_pairs(X, y, np.ones(5), 1.0, 1 / 4)
    bound = lower_bound(pairs, np.full(5, 1e-3), np.ones(30), np.zeros(pairs.g.size))
    least = 30 * by_cvxpy(X, y, 1.0, C=1e-3)
    assert 0.9 * least < bound <= least + 1e-6


def test_a_warm_start_finds_the_same_and_sooner():
    X, y = sample(300, 20, 1, 0.5)
    warm, saved = FeatureDeletionLP(3, warm_start=True), 0
    for C in (1.0, 0.8, 0.6, 0.5):
        for n_deleted in (3, 4, 5, 0):
            cold = FeatureDeletionLP(n_deleted, C=C).fit(X, y)
            warm.set_params(n_deleted=n_deleted, C=C).fit(X, y)
            assert np.isclose(warm.objective_, cold.objective_, rtol=2e-6)
            saved += cold.n_iter_ - warm.n_iter_
    assert saved > 0
    other = sample(50, 20, 2)
    assert warm.fit(*other).objective_ == FeatureDeletionLP(0, C=0.5).fit(*other).objective_


def test_a_budget_far_from_the_last_one_starts_afresh():
    X, y = sample(300, 30, 1, 0.5)
    for budgets in ([2, 20, 3, 10], [10, 1, 12, 2]):
        warm = FeatureDeletionLP(warm_start=True)
        for n_deleted in budgets:
            cold = FeatureDeletionLP(n_deleted).fit(X, y)
            warm.set_params(n_deleted=n_deleted).fit(X, y)
            assert np.isclose(warm.objective_, cold.objective_, rtol=2e-6)
            assert warm.n_iter_ <= cold.n_iter_ + 1  # nearly half as many again from the last one


def test_a_solver_does_not_start_from_where_another_one_ended():
    X, y = sample(100, 10)
    clf = FeatureDeletionLP(2, warm_start=True)
    for solver in ("auto", "first_order", "auto", "highs", "first_order"):
        clf.set_params(solver=solver).fit(X, y)
        assert clf.objective_ == FeatureDeletionLP(2, solver=solver).fit(X, y).objective_


def test_stopping_early_is_said_with_the_gap():
    X, y = sample(60, 8)
    with pytest.warns(ConvergenceWarning, match=r"stopped after 3 iterations .* within .* tol=1e-06"):
        clf = FeatureDeletionLP(2, max_iter=3).fit(X, y)
    least = FeatureDeletionLP(2).fit(X, y).objective_
    assert clf.objective_ - clf.dual_gap_ <= least <= clf.objective_


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["auto", "highs", "first_order"])
def test_time_that_is_up_is_said_with_the_gap(solver):
    X, y = sample(500, 30)
    FeatureDeletionLP(2, solver=solver).fit(X[:60], y[:60])  # compiled
    clf = FeatureDeletionLP(2, solver=solver, time_limit=1e-6)
    with pytest.warns(
        ConvergenceWarning, match=r"by time_limit=1e-06, with value .* within .* not within tol="
    ):
        clf.fit(X, y)
    least = FeatureDeletionLP(2).fit(X, y).objective_
    assert clf.objective_ - clf.gap_ <= least + 1e-6 and least <= clf.objective_ + 1e-6
    assert clf.dual_gap_ == clf.gap_ > 0
    assert clf.n_iter_ <= 1
    long = FeatureDeletionLP(2, solver=solver, time_limit=600).fit(X, y)
    assert np.array_equal(long.coef_, FeatureDeletionLP(2, solver=solver).fit(X, y).coef_)


@pytest.mark.parametrize("solver", ["auto", "first_order"])
def test_progress_is_told_once_a_second(solver, capsys, monkeypatch):
    X, y = sample(300, 20)
    clf = FeatureDeletionLP(2, solver=solver).fit(X, y)
    assert capsys.readouterr().out == ""
    loud = FeatureDeletionLP(2, solver=solver, verbose=True).fit(X, y)
    assert capsys.readouterr().out == ""  # it takes less than a second
    monkeypatch.setattr(progress, "EVERY", 0.0)
    loud.fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 1
    assert all(
        re.fullmatch(r"\[FeatureDeletionLP\] \d+\.\d s: iteration \d+, gap .* of the value", line)
        for line in lines
    )
    assert np.array_equal(loud.coef_, clf.coef_)


def test_same_input_same_bytes_and_pickles():
    X, y = sample(60, 8)
    clf = FeatureDeletionLP(2, warm_start=True).fit(X, y)
    again = clone(clf).fit(X, y)
    assert clf.coef_.tobytes() == again.coef_.tobytes()
    loaded = pickle.loads(pickle.dumps(clf))
    assert (loaded.predict(X) == clf.predict(X)).all()


@pytest.mark.parametrize(
    "parameters, words",
    [
        ({"n_deleted": 4}, "n_deleted must be below 4, .* got 4"),
        ({"feature_values": [1, 1]}, r"feature_values must have shape \(4,\)"),
        ({"margin": 0}, "margin must be a finite number > 0, got 0"),
        ({"C": -1.0}, "C must be a finite number > 0, got -1.0"),
        ({"C": np.nan}, "C must be a finite number > 0"),
        ({"tol": 0}, "tol must be a finite number > 0, got 0"),
        ({"max_iter": 0}, "max_iter must be an integer >= 1, got 0"),
        ({"solver": "glpk"}, "solver must be one of 'auto', 'highs', 'first_order', got 'glpk'"),
    ],
)
def test_bad_parameters(parameters, words):
    with pytest.raises(ValueError, match=words):
        FeatureDeletionLP(**parameters).fit(*sample(10, 4))


def test_bad_data():
    X, y = sample(10, 4)
    with pytest.raises(ValueError, match="one class only"):
        FeatureDeletionLP().fit(X, np.ones(10))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        FeatureDeletionLP().fit(X, y[:9])
    with pytest.raises(ValueError, match="NaN"):
        FeatureDeletionLP().fit(np.where(X.max() == X, np.nan, X), y)

"""Soft margins of data as they come: columns that are large, far from zero, or constant."""

import warnings

import cvxpy as cp
import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning

from paperlib.coresets import CoresetSVC
from paperlib.coresets._coordinate import soft
from paperlib.coresets._coordinate.soft import interior_point, vertex

RNG = np.random.default_rng(0)
PLAIN = RNG.normal(size=(120, 4))
Y = (PLAIN[:, 0] + 0.5 * RNG.normal(size=120) > 0).astype(int)
TIME = RNG.uniform(size=120)
SAMPLES = {
    "as it is": PLAIN,
    "shifted": PLAIN + 1e6,
    "a constant": np.column_stack([PLAIN, np.full(120, 1e9)]),
    "a Unix time": np.column_stack([PLAIN, 1.7e9 + 3e7 * TIME]),
    "a second": np.column_stack([PLAIN, 1.7e9 + TIME]),
    "a large column": np.column_stack([PLAIN, 1e9 * RNG.normal(size=120)]),
    "a column of zeros": np.column_stack([1e5 * PLAIN[:, :2], PLAIN, np.zeros(120)]),
    "few columns": np.column_stack([PLAIN[:, 0], PLAIN[:, 0] + 1e-6 * TIME]),
}
# What rounding leaves of a shift by 1e6 depends on the processor's matrix routines: with AVX-512 1e-5.
EPS = {("shifted", 1.0, True): 3e-5}


def objectives(clf, X, y, weights=1.0):
    """Both objectives from the data alone, in long doubles."""
    X = np.column_stack([X, np.full(len(X), int(clf.fit_intercept))]).astype(np.longdouble)
    Z = np.where(y == clf.classes_[1], 1, -1)[:, None] * X
    w = np.append(clf.coef_[0], clf.intercept_).astype(np.longdouble) / clf.margin_
    a = np.zeros(len(X), dtype=np.longdouble)
    a[clf.coreset_indices_] = clf.dual_coef_
    assert (a >= 0).all() and (a <= clf.C * weights).all()
    primal = w @ w / 2 + (clf.C * weights * np.maximum(0, 1 - Z @ w)).sum()
    return primal, a.sum() - (Z.T @ a) @ (Z.T @ a) / 2


def fitted(X, y, weights=None, **params):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return CoresetSVC(random_state=0, **params).fit(X, y, weights)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("name", SAMPLES)
def test_the_optimum_is_found_whatever_the_columns_are(name, C, fit_intercept, form):
    X, eps = SAMPLES[name], EPS.get((name, C, fit_intercept), 1e-6)
    clf = fitted(form(X), Y, eps=eps, C=C, fit_intercept=fit_intercept)
    primal, dual = objectives(clf, X, Y)
    assert primal - dual <= 3 * eps * primal  # eps, and what doubles hold of w and a
    np.testing.assert_allclose([clf.objective_, clf.dual_objective_], [primal, dual], rtol=2 * eps)
    assert len(clf.gap_path_) == clf.n_iter_ < 200


@pytest.mark.parametrize("C, optimum", [(1.0, 1.5), (1e3, 2.0)])
def test_two_points_far_from_the_origin(C, optimum):
    """Of w = (2, -3 / 99999) half the squared length is 2, and C = 1 gives up some of the margin."""
    clf = fitted([[1, 99999], [2, 99999]], [0, 1], C=C)
    assert clf.objective_ == pytest.approx(optimum, rel=1e-6) and clf.predict([[1, 99999]]).tolist() == [0]


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_breast_cancer_unscaled_beside_a_quadratic_programme(fit_intercept):
    X, y = load_breast_cancer(return_X_y=True)
    clf = fitted(X, y, C=1.0, fit_intercept=fit_intercept)
    rows = np.column_stack([X, np.ones(len(X))]) if fit_intercept else X
    units = 1.0 / np.abs(rows).max(axis=0)
    u = cp.Variable(rows.shape[1])
    losses = cp.pos(1 - cp.multiply(2 * y - 1, rows * units @ u))
    problem = cp.Problem(cp.Minimize(cp.sum_squares(cp.multiply(units, u)) / 2 + cp.sum(losses)))
    problem.solve(cp.CLARABEL)
    assert clf.objective_ == pytest.approx(problem.value, rel=1e-5)
    assert clf.gap_ <= 0.1 * clf.objective_ and clf.score(X, y) > 0.95


@pytest.mark.parametrize("name", ["a Unix time", "shifted"])
def test_an_integer_weight_is_so_many_copies(name):
    X, weights = SAMPLES[name], np.random.default_rng(1).integers(0, 4, 120)
    one = fitted(X, Y, weights, C=1.0, class_weight="balanced")
    other = fitted(np.repeat(X, weights, axis=0), np.repeat(Y, weights), C=1.0, class_weight="balanced")
    assert one.objective_ == pytest.approx(other.objective_, rel=1e-6)
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-4, atol=1e-4)


def test_where_nothing_helps_the_warning_says_what_would(monkeypatch):
    X = SAMPLES["a Unix time"]
    with pytest.warns(
        ConvergenceWarning, match=r"max_iter=20 .*StandardScaler, a C below 1, or a larger eps"
    ):
        cut_short = CoresetSVC(C=1.0, max_iter=20, eps=1e-9, random_state=0).fit(X, Y)
    assert cut_short.n_iter_ == 20
    for name, most in (("WRITTEN", 10), ("WORK", 10.0)):
        with monkeypatch.context() as patch:
            patch.setattr(soft, name, most)
            with pytest.warns(ConvergenceWarning, match=r"columns of X of equal spread"):
                slow = CoresetSVC(C=1.0, max_iter=50, random_state=0).fit(X, Y)
        assert slow.gap_ > 0.1 * slow.objective_
        primal, dual = objectives(slow, X, Y)
        np.testing.assert_allclose(float(primal - dual), slow.gap_, rtol=1e-3)


def test_a_point_between_is_inside_of_its_bounds_and_ends_at_few_weights():
    signs = np.where(Y > 0, 1.0, -1.0)
    Z, box = signs[:, None] * PLAIN / 8.0, 64.0 * RNG.uniform(0.5, 2.0, 120)
    gaps = []
    for w, a in interior_point(Z, box):
        assert (a > 0).all() and (a <= box).all()
        primal, dual = w @ w / 2 + box @ np.maximum(0, 1 - Z @ w), a.sum() - (a @ Z) @ (a @ Z) / 2
        gaps.append((primal - dual) / primal)
        if gaps[-1] < 1e-10:
            break
    assert gaps[-1] < 1e-10 and len(gaps) < 25
    at = vertex(Z, box, w, a, 1e-6)
    np.testing.assert_allclose(at @ Z, w, atol=1e-9)
    assert ((at > 0) & (at < box)).sum() <= 4

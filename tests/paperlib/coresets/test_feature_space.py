"""Outliers and paid labels with kernels: against all removals, explicit features, and `CoresetSVC`."""

import itertools
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from paperlib._common.kernels import Gaussian, Linear, Polynomial, UserKernel
from paperlib.coresets import ActiveCoresetSVC, CoresetSVC, OutlierCoresetSVC
from paperlib.coresets._active.learner import CONTRADICTED, Learner, Pool
from paperlib.coresets._solver import feature_space
from paperlib.coresets._solver.feature_space import FeatureSpace
from tests.paperlib.coresets.helpers import best_by_removal, root

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

KERNELS = [Gaussian(0.7), Linear(), Polynomial(0.5, 3, 1.0), Polynomial(1.0, 2, 0.0)]


@parametrize_with_checks(
    [
        OutlierCoresetSVC(kernel="rbf", on_nonseparable="warn"),
        OutlierCoresetSVC(2, kernel="polynomial", fit_intercept=True, on_nonseparable="warn"),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def rings(n, seed, wrong=0):
    """Points inside and outside of a ring, some with the wrong label."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.where(np.linalg.norm(X, axis=1) > 1.1, 1, -1)
    y[:wrong] *= -1
    return X, y


def awkward(seed):
    """Normal points, or points on a grid: duplicates, collinear ones and the origin."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(8, 2)) if seed % 2 else rng.integers(-1, 2, size=(8, 2)).astype(float)
    y = np.where(np.arange(8) % 2, 1, -1)
    return X, y


def squares(A, B):
    """Twin of the polynomial kernel ``(<a, b> + 1)^2``."""
    return (A @ B.T + 1.0) ** 2


def explicit(X):
    """The features whose inner products are `squares`."""
    a, b = X.T
    r = math.sqrt(2.0)
    return np.column_stack([np.ones(len(X)), r * a, r * b, a * a, r * a * b, b * b])


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_coordinates_have_the_kernels_inner_products(kernel, size):
    for seed in range(6):
        X = size * np.vstack([awkward(seed)[0], awkward(seed)[0][:3]])
        space, gram = FeatureSpace(kernel, X), kernel.matrix(X, X)
        assert np.abs(space.rows @ space.rows.T - gram).max() <= space.error <= 1e-12 * np.abs(gram).max()
        assert (space.rows[8:] == space.rows[:3]).all()
        weights = np.random.default_rng(seed).normal(size=len(X))
        plane, support = space.of_hull(np.arange(len(X)), weights)
        normal = weights @ space.rows
        wanted = space.rows @ normal / np.linalg.norm(normal)
        scale = np.sqrt(np.abs(gram).max())
        assert np.allclose(space.scores(plane), wanted, atol=1e-9 * scale)
        own = kernel.matrix(X[support], X[support])
        assert math.isclose(plane.weights @ own @ plane.weights, 1.0, rel_tol=1e-9)
        assert (X[support] == plane.points).all() and (np.diff(support) > 0).all()
        again, _ = space.of_normal(normal / np.linalg.norm(normal))
        assert np.allclose(space.scores(again), wanted, atol=1e-5 * scale)


def test_weights_are_small_where_rows_nearly_depend_on_each_other():
    """The Gram matrix is all but of rank one; the hull's weights are below one over the margin, together."""
    X, y = rings(60, 0)
    clf = OutlierCoresetSVC(1, 1e-6, kernel="rbf", gamma=0.05, fit_intercept=True).fit(X, y)
    assert np.abs(clf.dual_coef_).sum() <= (1 + 1e-6) / clf.margin_
    own = Gaussian(0.05).matrix(X[clf.support_], X[clf.support_]) + 1.0
    assert math.isclose(clf.dual_coef_ @ own @ clf.dual_coef_, 1.0, rel_tol=1e-9)


def test_one_row_and_rows_at_the_origin():
    assert FeatureSpace(Gaussian(1.0), np.ones((1, 2))).rows.tolist() == [[1.0]]
    space = FeatureSpace(Linear(), np.zeros((3, 2)))
    assert space.rows.tolist() == [[0.0]] * 3 and space.of_normal(np.ones(1))[1].size == 0


def test_what_a_bound_on_coordinates_bounds():
    space = FeatureSpace(Gaussian(1.0), rings(50, 0)[0])
    assert space.bound(0.0) == 0.0 and 0.3 <= space.bound(0.3) <= 0.3 + 1e-12
    space.error = 0.07
    assert math.isclose(space.bound(0.3), 0.4)


@pytest.mark.parametrize(
    "kernel, words",
    [
        (
            UserKernel(lambda A, B: -A @ B.T),
            "kernel must be positive semidefinite, got",
        ),
        (UserKernel(lambda A, B: np.full((len(A), len(B)), np.inf)), "kernel must return finite values"),
        (Polynomial(1e200, 3, 1.0), "kernel must have finite values on the data"),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_kernels_that_are_none(kernel, words):
    with pytest.raises(ValueError, match=words):
        FeatureSpace(kernel, rings(20, 0)[0])


@pytest.mark.parametrize("make", [OutlierCoresetSVC, ActiveCoresetSVC])
def test_too_many_rows_and_bad_parameters_are_one_clear_error(make, monkeypatch):
    X, y = rings(40, 0)
    monkeypatch.setattr(feature_space, "MOST_ROWS", 30)
    with pytest.raises(ValueError, match="X must have at most 30 distinct rows for a kernel, got 40"):
        make(kernel="rbf").fit(X, y)
    make(kernel="rbf", random_state=0).fit(np.repeat(X[:30], 2, axis=0), np.repeat(y[:30], 2))
    for parameters, words in (
        ({"kernel": "cosine"}, "kernel must be one of"),
        (
            {"kernel": "precomputed"},
            "kernel must be one of 'rbf', 'linear', 'polynomial' or a callable of two",
        ),
        ({"kernel": "rbf", "gamma": -1.0}, "gamma must be"),
        ({"gamma": "wide"}, "gamma must be"),
        ({"kernel": "polynomial", "degree": 0}, "degree must be"),
        ({"kernel": "polynomial", "coef0": -1.0}, "coef0 must be"),
    ):
        with pytest.raises(ValueError, match=words):
            make(**parameters).fit(X, y)


# Outliers


@pytest.mark.drawn(2)
@pytest.mark.parametrize("method", ["auto", "branch", "exhaustive", "sampled"])
@pytest.mark.parametrize("parameters", [{"kernel": "rbf", "gamma": 0.5}, {"kernel": "polynomial"}])
@pytest.mark.parametrize("intercept", [False, True])
def test_against_all_removals(method, parameters, intercept):
    for seed, k in itertools.product(range(6), (0, 1, 2)):
        X, y = awkward(seed)
        given = {"method": method, "fit_intercept": intercept, "random_state": 0, **parameters}
        clf = OutlierCoresetSVC(k, 1e-3, on_nonseparable="warn", **given).fit(X, y)
        kernel = Gaussian(0.5) if parameters["kernel"] == "rbf" else Polynomial(0.5, 3, 1.0)
        gram = kernel.matrix(X, X) + intercept
        best = best_by_removal(root(y[:, None] * gram * y), k)
        margins = y * clf.decision_function(X)
        assert math.isclose(clf.margin_, np.sort(margins)[k], abs_tol=1e-12)
        assert clf.margin_ <= best + 1e-7 and clf.margin_upper_bound_ >= best - 2e-7
        assert clf.margin_ <= clf.margin_upper_bound_
        if best > 1e-5 and method != "sampled":
            assert clf.margin_ >= (1 - 1e-3) * best - 1e-7
        assert len(clf.outlier_indices_) == k
        assert margins[np.delete(np.arange(8), clf.outlier_indices_)].min() >= clf.margin_ - 1e-10


def test_a_kernel_with_known_features_is_those_features():
    for seed in range(5):
        X, y = rings(60, seed, wrong=3)
        with_kernel = OutlierCoresetSVC(3, 1e-6, kernel=squares, on_nonseparable="warn").fit(X, y)
        in_features = OutlierCoresetSVC(3, 1e-6, on_nonseparable="warn").fit(explicit(X), y)
        assert math.isclose(with_kernel.margin_, in_features.margin_, rel_tol=1e-5)
        assert with_kernel.outlier_indices_.tolist() == in_features.outlier_indices_.tolist()
        grid = np.random.default_rng(0).normal(size=(50, 2))
        wanted = in_features.decision_function(explicit(grid))
        assert np.allclose(with_kernel.decision_function(grid), wanted, atol=1e-4)


@pytest.mark.parametrize("kernel", ["rbf", "polynomial"])
@pytest.mark.parametrize("intercept", [False, True])
def test_without_outliers_it_is_the_coreset_svc(kernel, intercept):
    X, y = rings(150, 1)
    both = {"kernel": kernel, "fit_intercept": intercept, "gamma": "scale"}
    ours = OutlierCoresetSVC(0, 1e-6, **both).fit(X, y)
    theirs = CoresetSVC(1e-6, **both).fit(X, y)
    assert math.isclose(ours.margin_, theirs.margin_, rel_tol=1e-5)
    assert ours.margin_ <= theirs.margin_upper_bound_ * (1 + 1e-9)
    assert theirs.margin_ <= ours.margin_upper_bound_ * (1 + 1e-9)
    assert (ours.predict(X) == y).all() and not hasattr(ours, "coef_")


def test_wrong_labels_are_found_where_no_plane_of_the_data_separates():
    X, y = rings(300, 3, wrong=4)
    X[:4] = [[0.05, 0.0], [2.0, 0.1], [0.0, -0.2], [-2.0, 0.3]]
    y[:4] = [1, -1, 1, -1]
    clf = OutlierCoresetSVC(4, 0.2, kernel="polynomial", degree=2, gamma=1.0).fit(X, y)
    assert clf.outlier_indices_.tolist() == [0, 1, 2, 3] and clf.margin_ >= 0.8 * clf.margin_upper_bound_
    with pytest.raises(ValueError, match="no hyperplane that separates X but for 4"):
        OutlierCoresetSVC(4, 0.2).fit(X, y)


def test_a_point_with_both_labels_is_separated_by_no_kernel():
    X, y = rings(40, 0)
    X, y = np.vstack([X, X[:2]]), np.append(y, -y[:2])
    with pytest.raises(ValueError, match="no hyperplane that separates X but for 1 of its points"):
        OutlierCoresetSVC(1, kernel="rbf").fit(X, y)
    with pytest.warns(ConvergenceWarning, match="no hyperplane"):
        clf = OutlierCoresetSVC(1, kernel="rbf", on_nonseparable="warn").fit(X, y)
    assert clf.margin_ <= 1e-6 and clf.margin_ <= clf.margin_upper_bound_
    assert OutlierCoresetSVC(2, kernel="rbf", gamma=20.0).fit(X, y).margin_ > 1e-3


def test_points_that_are_apart_by_rounding_only_are_separated_by_no_kernel():
    X, y = rings(40, 0)
    X, y = np.vstack([X, X[:1] + 1e-8]), np.append(y, -y[:1])
    with pytest.raises(ValueError, match="no hyperplane that separates X"):
        OutlierCoresetSVC(0, kernel="rbf", gamma=1.0).fit(X, y)
    assert OutlierCoresetSVC(1, kernel="rbf", gamma=20.0).fit(X, y).margin_ > 1e-3


def test_a_fit_leaves_nothing_of_the_one_before_and_can_be_pickled():
    X, y = rings(60, 2)
    clf = OutlierCoresetSVC(1, kernel="rbf", time_limit=5.0).fit(X, y)
    scores = clf.decision_function(X)
    assert (pickle.loads(pickle.dumps(clf)).decision_function(X) == scores).all()
    sums = Gaussian(0.5).matrix(X, X[clf.support_]) @ clf.dual_coef_
    assert np.allclose(sums, scores, atol=1e-12)
    lifted = OutlierCoresetSVC(1, kernel="rbf", fit_intercept=True, time_limit=5.0).fit(X, y)
    sums = Gaussian(0.5).matrix(X, X[lifted.support_]) @ lifted.dual_coef_
    assert np.allclose(sums + lifted.intercept_, lifted.decision_function(X), atol=1e-12)
    clf.set_params(kernel="linear", on_nonseparable="warn").fit(X, y)
    assert not {"support_", "dual_coef_", "_plane"} & set(vars(clf)) and clf.coef_.shape == (1, 2)
    clf.set_params(kernel="rbf").fit(X, y)
    assert (clf.decision_function(X) == scores).all() and not hasattr(clf, "coef_")


def test_a_grid_search_over_kernels():
    X, y = rings(120, 5, wrong=2)
    search = GridSearchCV(
        OutlierCoresetSVC(2, 0.5, time_limit=2.0, on_nonseparable="warn"),
        {"kernel": ["linear", "rbf", squares], "n_outliers": [2, 4]},
        cv=2,
    ).fit(X, y)
    assert search.best_params_["kernel"] != "linear" and search.best_score_ > 0.85
    assert clone(search.best_estimator_).get_params()["kernel"] == search.best_params_["kernel"]


def test_a_grid_search_over_kernels_of_the_active_learner():
    X, y = rings(200, 5)
    search = GridSearchCV(
        ActiveCoresetSVC(0.3, error=0.1, on_nonseparable="warn", random_state=0),
        {"kernel": ["linear", "polynomial"], "delta": [None, 0.05]},
        cv=2,
    ).fit(X, y)
    assert search.best_params_["kernel"] == "polynomial" and search.best_score_ > 0.85


# Labels that are paid for


@pytest.mark.parametrize("kernel", ["rbf", "polynomial"])
@pytest.mark.parametrize("intercept", [False, True])
def test_with_all_labels_known_it_is_the_coreset_svc(kernel, intercept):
    X, y = rings(150, 1)
    both = {"kernel": kernel, "fit_intercept": intercept}
    ours = ActiveCoresetSVC(1e-6, random_state=0, **both).fit(X, y, known=(np.arange(150), y))
    theirs = CoresetSVC(1e-6, **both).fit(X, y)
    assert ours.n_queries_ == 0 and ours.halted_ == "labelled" and not hasattr(ours, "coef_")
    assert math.isclose(ours.margin_, theirs.margin_, rel_tol=1e-5)
    assert math.isclose(ours.margin_upper_bound_, theirs.margin_upper_bound_, rel_tol=1e-5)
    assert np.allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
    assert math.isclose(ours.margin_, (y * ours.decision_function(X)).min(), rel_tol=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_what_is_promised_holds_with_a_kernel(seed):
    X, y = rings(400, seed)
    labels = np.where(y > 0, "out", "in")
    clf = ActiveCoresetSVC(0.3, 0.1, 1e-3, kernel=squares, random_state=seed).fit(X, labels)
    assert clf.halted_ in ("verified", "labelled") and clf.n_queries_ < 300
    signed = np.where(labels == clf.classes_[1], 1, -1) * clf.decision_function(X)
    best = CoresetSVC(1e-6, kernel=squares).fit(X, y)
    assert (signed < 0.7 * best.margin_).mean() <= 0.1
    assert clf.margin_upper_bound_ >= best.margin_ * (1 - 1e-9)
    alike = ActiveCoresetSVC(0.3, 0.1, 1e-3, random_state=seed).fit(explicit(X), labels)
    assert abs(alike.n_queries_ - clf.n_queries_) <= 2


def test_ask_and_tell_with_a_kernel_can_be_pickled_anywhere():
    X, y = rings(200, 0)
    whole = ActiveCoresetSVC(0.3, kernel="rbf", random_state=0).fit(X, y)
    clf = ActiveCoresetSVC(0.3, kernel="rbf", random_state=0).start(X)
    while len(rows := clf.ask()):
        clf = pickle.loads(pickle.dumps(clf.tell(rows, y[rows])))
    assert clf.queried_indices_.tolist() == whole.queried_indices_.tolist()
    assert (clf.decision_function(X) == whole.decision_function(X)).all()


def test_contradictions_streams_and_the_origin_with_a_kernel():
    X, y = rings(30, 0)
    X, y = np.vstack([X, X[:1]]), np.append(y, -y[:1])
    with pytest.raises(ValueError, match=r"rows .* are the same point"):
        ActiveCoresetSVC(error=1e-3, kernel="rbf", random_state=0).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="contradict"):
        clf = ActiveCoresetSVC(error=1e-3, kernel="rbf", on_nonseparable="warn", random_state=0).fit(X, y)
    assert clf.predict(X).shape == (31,)
    tolerant = ActiveCoresetSVC(error=1e-3, n_outliers=1, kernel="rbf", gamma=5.0, random_state=0).fit(X, y)
    assert len(tolerant.outlier_indices_) == 1 and tolerant.margin_ > 0
    with pytest.raises(ValueError, match="kernel must be 'linear' for a stream, got 'rbf'"):
        ActiveCoresetSVC(kernel="rbf").fit_stream(iter(X), y)
    with pytest.raises(ValueError, match="X must have no point at the origin"):
        ActiveCoresetSVC(kernel="polynomial", coef0=0.0).fit(np.vstack([X, np.zeros(2)]), np.append(y, 1))


@pytest.mark.parametrize("gamma", [0.1, 0.2])
def test_labels_that_are_separated_by_rounding_only_contradict_each_other(gamma):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = np.where(X[:, 0] > 0, 1, -1)
    y[rng.random(300) < 0.1] *= -1
    kernel = {"kernel": "rbf", "gamma": gamma}
    with pytest.raises(ValueError, match=r"contradict each other.*, which is rounding beside the norm 1;"):
        ActiveCoresetSVC(random_state=0, **kernel).fit(X, y)
    for clf in (CoresetSVC(**kernel), OutlierCoresetSVC(0, **kernel)):
        with pytest.raises(ValueError):
            clf.fit(X, y)
    with pytest.warns(ConvergenceWarning, match="which is rounding"):
        clf = ActiveCoresetSVC(random_state=0, on_nonseparable="warn", **kernel).fit(X, y)
    assert clf.halted_ == "not separable" and clf.margin_ <= 0.0 < clf.margin_upper_bound_ <= 1e-6
    agreed = clf.coreset_indices_[:-1]  # with the last hyperplane but the rounded one
    assert (y * clf.decision_function(X))[agreed].min() > 1e-6
    assert clf.score(X, y) > 0.7


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from(["linear", "rbf", "polynomial", squares]),
    st.sampled_from([0.1, 1.0, 5.0]),
    st.booleans(),
    st.integers(0, 2),
    st.sampled_from([1e-6, 0.1, 0.9999]),
)
def test_what_it_returns_agrees_with_what_was_paid_for(seed, kernel, gamma, intercept, n_outliers, eps):
    rng = np.random.default_rng(seed)
    n, d = rng.integers(5, 40), rng.integers(1, 4)
    X = rng.normal(size=(n, d))
    y = np.where(X[:, 0] > 0, 1, -1)
    y[rng.random(n) < 0.3] *= -1
    space = {"kernel": kernel, "gamma": gamma, "fit_intercept": intercept}
    ours = {"n_outliers": n_outliers, "random_state": 0, "delta": None if seed % 4 == 0 else 0.05, **space}
    clf = ActiveCoresetSVC(eps, **ours)
    try:
        clf.fit(X, y)
    except ValueError as error:
        assert "contradict each other" in str(error)
        rows, labels = clf.queried_indices_, clf.queried_labels_
        if n_outliers == 0 and len(np.unique(labels)) == 2:
            theirs = CoresetSVC(1e-3, on_nonseparable="warn", **space).fit(X[rows], labels)
            least = 1e-12 if kernel == "linear" else clf._feature_space(X).least
            assert theirs.margin_upper_bound_ <= 1.1 * least
        clf.set_params(on_nonseparable="warn").fit(X, y)
        assert clf.halted_ == "not separable" and np.isfinite(clf.decision_function(X)).all()
        return
    assert clf.halted_ in ("verified", "labelled", "unverified") and clf.margin_ > 0.0
    rows = clf.queried_indices_
    wrong = rows[clf.predict(X[rows]) != clf.queried_labels_]
    assert set(wrong) <= set(clf.outlier_indices_) and len(clf.outlier_indices_) <= n_outliers
    kept = np.delete(np.arange(n), clf.outlier_indices_)
    assert clf.margin_ <= np.abs(clf.decision_function(X))[kept].min() * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize("at_last", [False, True])
def test_what_is_verified_are_the_sums_of_the_kernel(at_last):
    """They have one row on another side than the coordinates have it, until it joins, or to the end."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    X[:, 0] += np.sign(X[:, 0])
    other = int(np.abs(X[:, 0]).argmax())

    class Rounded:
        def of_hull(self, rows, weights):
            return (rows, weights), rows

        def scores(self, plane):
            rows, weights = plane
            scores = X @ (weights @ X[rows])
            scores[other] *= -1.0 if at_last or other not in rows else 1.0
            return scores

    def learned(space):
        learner = Learner(Pool(X, np.random.default_rng(0), lambda *_: 3, space), 0.1, None)
        while (question := learner.ask()) is not None:
            learner.tell(float(np.sign(X[question.row, 0])))
        return learner

    assert other not in learned(None).rows
    learner = learned(Rounded())
    assert learner.rows[-1] == other and learner.halted == (CONTRADICTED if at_last else "verified")

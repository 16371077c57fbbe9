"""The classifier with a kernel: margins, widths by name, and functions that are no kernel."""

import pickle

import dask.array as da
import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.svm import SVC

from paperlib.coresets import ActiveCoresetSVC, CoresetSVC, OutlierCoresetSVC
from tests.paperlib.coresets.helpers import SELECTIONS, sample


def circles(n=400):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    radius = (X**2).sum(axis=1)
    X = X[np.abs(radius - 1.4) > 0.5]
    return X, np.where((X**2).sum(axis=1) > 1.4, 1, -1)


def quadratic(A, B):
    return (A @ B.T + 1.0) ** 2


KERNELS = [
    ({"kernel": "rbf", "gamma": 0.7}, lambda A, B: rbf_kernel(A, B, gamma=0.7)),
    ({"kernel": "poly", "gamma": 0.5, "degree": 2}, lambda A, B: polynomial_kernel(A, B, 2, 0.5, 1.0)),
    ({"kernel": quadratic}, quadratic),
    ({"kernel": quadratic, "fit_intercept": True}, lambda A, B: quadratic(A, B) + 1.0),
]


@pytest.mark.parametrize("options, kernel", KERNELS)
@pytest.mark.parametrize("selection", SELECTIONS)
def test_kernels_find_the_margin_of_libsvm(options, kernel, selection):
    X, y = circles()
    clf = CoresetSVC(1e-3, selection=selection, **options).fit(X, y)
    # With every signed point and its mirror image LIBSVM's intercept is zero.
    K = y[:, None] * kernel(X, X) * y
    mirrored, signs = np.block([[K, -K], [-K, K]]), np.repeat([1, -1], len(y))
    svc = SVC(C=1e8, kernel="precomputed", tol=1e-6).fit(mirrored, signs)
    dual = svc.dual_coef_[0]
    best = 1 / np.sqrt(dual @ mirrored[np.ix_(svc.support_, svc.support_)] @ dual)
    assert np.isclose(clf.margin_, best, rtol=2e-3) and best <= clf.margin_upper_bound_ * (1 + 1e-4)
    assert np.isclose((y * clf.decision_function(X)).min(), clf.margin_, rtol=1e-9)
    assert clf.margin_ >= (1 - 1e-3) * clf.margin_upper_bound_
    hull = clf.hull_weights_ @ K[np.ix_(clf.coreset_indices_, clf.coreset_indices_)] @ clf.hull_weights_
    assert np.isclose(np.sqrt(hull), clf.margin_upper_bound_, rtol=1e-9)
    assert not hasattr(clf, "coef_")


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_a_width_by_its_name(kernel):
    X, y = circles()
    widths = {"scale": 1 / (2 * X.var()), "auto": 0.5, None: 0.5}
    for name, gamma in widths.items():
        named, numbered = (CoresetSVC(0.01, kernel=kernel, gamma=g).fit(X, y) for g in (name, gamma))
        assert np.allclose(named.decision_function(X), numbered.decision_function(X), rtol=1e-9)


def test_rows_of_weight_zero_do_not_count_for_the_width():
    X, y = circles()
    far, labels, weights = np.vstack([X, [[50.0, 50.0]]]), np.append(y, -1), np.append(np.ones(len(y)), 0)
    clf = CoresetSVC(0.01, kernel="rbf", gamma="scale")
    alone = clf.fit(X, y).decision_function(X)
    assert np.allclose(clf.fit(far, labels, weights).decision_function(X), alone)
    assert np.allclose(
        clf.fit(da.from_array(far, chunks=(99, -1)), labels, weights).decision_function(X), alone
    )


def test_a_width_of_a_variance_that_underflows_is_refused():
    X, y = circles(40)
    wide, weights = {"kernel": "rbf", "gamma": "scale"}, np.arange(1.0, 1.0 + len(X))
    near = 1e-150 * (1.0 + 1e-13 * X)  # rows that are large enough, but nearly the same
    fits = [
        lambda: CoresetSVC(**wide).fit(1e-160 * X, y),
        lambda: CoresetSVC(**wide).fit(1e-165 * X, y),
        lambda: CoresetSVC(**wide).fit(1e-165 * X, y, weights),
        lambda: CoresetSVC(**wide).fit(near, y),
        lambda: CoresetSVC(**wide).fit(da.from_array(near, chunks=(9, -1)), y),
        lambda: CoresetSVC(**wide).fit_stream(lambda: iter([(near[:9], y[:9]), (near[9:], y[9:])])),
        lambda: OutlierCoresetSVC(0, **wide).fit(near, y),
        lambda: OutlierCoresetSVC(0, **wide).fit(near, y, weights),
        lambda: ActiveCoresetSVC(**wide).fit(near, y),
    ]
    for fit in fits:
        with pytest.raises(ValueError, match=r"gamma='scale' needs data whose variance .*: scale X"):
            fit()
    for same in (np.ones((4, 2)), np.zeros((4, 2))):  # which have none
        with pytest.raises(ValueError, match="not separable"):
            CoresetSVC(**wide).fit(same, [0, 1, 0, 1])


def test_a_linear_kernel_function_is_the_linear_classifier():
    X, y = sample(3000, 5)
    linear = CoresetSVC(0.001).fit(X, y)
    other = CoresetSVC(0.001, kernel=lambda A, B: A @ B.T).fit(X, y)
    assert np.allclose(linear.decision_function(X), other.decision_function(X), atol=0.01)
    assert other.margin_ <= linear.margin_upper_bound_ * (1 + 1e-9)


def test_refitting_forgets_what_was_linear():
    X, y = circles()
    clf = CoresetSVC().fit(*sample(50, 2)).set_params(kernel="rbf").fit(X, y)
    assert not hasattr(clf, "coef_")
    clf = pickle.loads(pickle.dumps(clf))
    assert (clf.predict(X) == y).all()


def test_points_that_only_a_kernel_with_no_length_has():
    """phi(0) = 0, and twice the same point with either label."""
    for X, y in [(np.array([[0.0], [1.0]]), [0, 1]), (np.array([[1.0], [1.0]]), [0, 1])]:
        clf = CoresetSVC(kernel=lambda A, B: A @ B.T, on_nonseparable="warn")
        with pytest.warns(ConvergenceWarning, match="not separable"):
            clf.fit(X, y)
        assert clf.margin_ <= 0 and np.isfinite(clf.decision_function(X)).all()
    with pytest.warns(ConvergenceWarning):
        clf.fit(np.zeros((3, 2)), [0, 1, 1])
    assert clf.margin_ == 0


def test_a_kernel_that_is_none():
    X, y = circles()
    for kernel in (lambda A, B: -A @ B.T, lambda A, B: np.abs(A @ B.T) ** 0.1 - 2 * A @ B.T):
        with pytest.raises(ValueError, match="positive semidefinite"):
            CoresetSVC(kernel=kernel).fit(X, y)


def test_a_kernel_that_overflows():
    with pytest.raises(ValueError, match="kernel must have finite values"):
        CoresetSVC(kernel="poly", degree=300).fit([[-100.0], [100.0]], [0, 1])

"""The mean classifier: Equation (1) as an estimator."""

import numpy as np
import pytest
from scipy.sparse import csc_matrix, csr_matrix, issparse
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.utils.estimator_checks import parametrize_with_checks

from paperlib.kernel_mean import KernelMeanClassifier, losses, select_kernel

ESTIMATORS = [
    KernelMeanClassifier(),
    KernelMeanClassifier("linear"),
    KernelMeanClassifier("precomputed"),
]


def expected_failures(estimator):
    why = "weights do not move the boundary of a mean where only examples of the light class are near"
    return {"check_class_weight_classifiers": why}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def twin_scores(X, y, T, gamma, weights):
    """Equation (1), one pair at a time."""
    total = sum(weights)
    return [
        sum(w * s * np.exp(-gamma * np.sum((x - t) ** 2)) for x, s, w in zip(X, y, weights)) / total
        for t in T
    ]


@pytest.fixture
def moons():
    X, y = make_moons(60, noise=0.2, random_state=0)
    return X, 2 * y - 1


def test_scores_are_equation_1(moons):
    X, y = moons
    clf = KernelMeanClassifier(gamma=0.7).fit(X, y)
    assert np.allclose(
        clf.decision_function(X[:9] + 0.1), twin_scores(X, y, X[:9] + 0.1, 0.7, np.ones(60)), atol=1e-14
    )


def test_norm_is_the_length_of_the_mean_vector(moons):
    X, y = moons
    linear = KernelMeanClassifier("linear").fit(X, y)
    assert np.isclose(linear.norm_, np.linalg.norm((y[:, None] * X).mean(axis=0)))
    gaussian = KernelMeanClassifier(gamma=0.7).fit(X, y)
    K = np.exp(-0.7 * ((X[:, None] - X) ** 2).sum(-1))
    assert np.isclose(gaussian.norm_, np.sqrt(y @ K @ y) / 60)


def test_lemma_4_the_smallest_linear_loss_in_the_unit_ball(moons):
    X, y = moons
    clf = KernelMeanClassifier(gamma=0.7).fit(X, y)
    normalised = clf.decision_function(X) / clf.norm_
    assert np.isclose(losses.linear(y, normalised).mean(), 1 - clf.norm_)


def test_weights_count_like_repetitions(moons):
    X, y = moons
    weights = np.arange(60) % 3
    weighted = KernelMeanClassifier(gamma=0.5).fit(X, y, weights)
    repeated = KernelMeanClassifier(gamma=0.5).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert np.allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-14)
    assert np.isclose(weighted.norm_, repeated.norm_)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "polynomial"])
def test_precomputed_and_callable_give_the_same(moons, kernel):
    X, y = moons
    direct = KernelMeanClassifier(kernel, gamma=0.4).fit(X, y)
    K = direct._kernel.matrix
    named = KernelMeanClassifier(K).fit(X, y)
    table = KernelMeanClassifier("precomputed").fit(K(X, X), y)
    T = X[:7] + 0.05
    assert np.allclose(direct.decision_function(T), named.decision_function(T))
    assert np.allclose(direct.decision_function(T), table.decision_function(K(T, X)))
    assert np.isclose(direct.norm_, named.norm_) and np.isclose(direct.norm_, table.norm_)


def test_a_score_of_zero_goes_to_the_first_class():
    clf = KernelMeanClassifier("linear").fit([[1.0], [-1.0]], ["a", "b"])
    assert clf.predict([[0.0], [-2.0], [3.0]]).tolist() == ["a", "b", "a"]


def test_refitting_forgets_the_norm(moons):
    X, y = moons
    clf = KernelMeanClassifier(gamma=0.5).fit(X, y)
    before = clf.norm_
    assert clf.fit(3 * X, y).norm_ != before
    assert clf.norm_ == clone(clf).fit(3 * X, y).norm_


def test_a_float32_sample_is_kept_and_scored_in_single_precision(moons):
    X, y = moons
    double, single = KernelMeanClassifier(gamma=0.7).fit(X, y), KernelMeanClassifier(gamma=0.7)
    single.fit(X.astype(np.float32), y)
    assert single.X_fit_.dtype == np.float32
    for T in (X, X.astype(np.float32), X[:3]):
        error = np.abs(single.decision_function(T) - double.decision_function(T))
        assert 0 < error.max() < 1e-5
    assert np.isclose(single.norm_, double.norm_, rtol=1e-6)
    assert KernelMeanClassifier("linear").fit(X.astype(np.float32), y).X_fit_.dtype == np.float64


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_gamma_by_name(moons, dtype):
    X, y = moons
    X = X.astype(dtype)
    numbers = {"scale": 1 / (2 * X.astype(float).var()), "auto": 0.5, None: 0.5}
    for name, number in numbers.items():
        by_name, by_number = (KernelMeanClassifier(gamma=gamma).fit(X, y) for gamma in (name, number))
        assert np.allclose(by_name.decision_function(X), by_number.decision_function(X), atol=1e-6)
    constant = KernelMeanClassifier(gamma="scale").fit(np.full((3, 2), 0.1), [0, 1, 1])
    assert constant.decision_function([[0.1, 1.1]]) == pytest.approx(np.exp(-1) / 3)


def test_one_point_of_each_class():
    clf = KernelMeanClassifier(gamma=1.0).fit([[0.0], [1.0]], [0, 1])
    assert clf.predict([[-1.0], [2.0]]).tolist() == [0, 1]
    assert np.isclose(clf.norm_, np.sqrt(2 - 2 * np.exp(-1)) / 2)


@pytest.mark.slow
def test_a_hundred_thousand_points_make_no_square_matrix():
    """Peak memory of fit and of scoring stays far below the 80 GB of n x n doubles, and below n x m too."""
    import tracemalloc

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100_000, 5)), rng.choice([-1, 1], 100_000)
    clf = KernelMeanClassifier()
    clf.fit(X[:50], y[:50]).decision_function(X[:5])  # compiled before memory is counted
    tracemalloc.start()
    clf.fit(X, y).decision_function(X[:2000])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * X.nbytes < 2000 * 100_000 * 8


class Buffer:
    """Rows that are read from a buffer which is filled again and again."""

    def __init__(self, rows):
        self.rows = rows

    def __array__(self, dtype=None, copy=None):
        return self.rows.view() if copy is not True else self.rows.copy()


@pytest.mark.parametrize("kernel", ["rbf", "linear", "polynomial", lambda A, B: (1 + A @ B.T) ** 2])
@pytest.mark.parametrize(
    "form", [np.asarray, Buffer, lambda X: X[:], np.float32, np.asfortranarray, csr_matrix]
)
def test_what_is_written_into_the_sample_afterwards_does_not_count(moons, kernel, form):
    X, y = moons
    given = form(X.copy())
    if issparse(given) and kernel not in ("rbf", "linear"):
        pytest.skip("dense rows only")
    clf, untouched = (KernelMeanClassifier(kernel).fit(rows, y) for rows in (given, form(X)))
    (given.data if issparse(given) else given.rows if isinstance(given, Buffer) else given)[:] = 7.0
    np.testing.assert_array_equal(clf.decision_function(X), untouched.decision_function(X))
    assert clf.norm_ == untouched.norm_


def test_a_memory_map_is_not_copied(moons, tmp_path):
    X, y = moons
    rows = np.memmap(tmp_path / "rows", dtype=np.float64, mode="w+", shape=X.shape)
    rows[:] = X
    clf = KernelMeanClassifier().fit(rows, y)
    assert np.shares_memory(clf.X_fit_, rows)
    assert (clf.decision_function(X) == KernelMeanClassifier().fit(X, y).decision_function(X)).all()


@pytest.mark.parametrize("form", [np.asarray, csr_matrix])
@pytest.mark.parametrize("weights", [None, np.arange(1.0, 61.0)])
@pytest.mark.parametrize("factor", [1e-155, 1e-165, 1e-200, 1e160])
def test_data_whose_variance_leaves_the_floats_are_refused_by_scale(moons, factor, weights, form):
    X, y = moons
    for fit in (
        lambda: KernelMeanClassifier(gamma="scale").fit(form(X * factor), y, weights),
        lambda: select_kernel(form(X * factor), y, [{"gamma": "scale"}], weights),
    ):
        with pytest.raises(ValueError, match="gamma='scale' needs data whose variance and its inverse are"):
            fit()
    equal = KernelMeanClassifier(gamma="scale").fit(form(np.full((60, 2), factor)), y, weights)
    assert equal._kernel.gamma == 1.0


BAD = [
    ({}, [[0.0], [1.0]], [1, 1], None, "one class only"),
    ({}, [[0.0], [np.nan]], [0, 1], None, "X contains NaN"),
    ({}, [[0.0], [np.inf]], [0, 1], None, "X contains infinity"),
    ({}, np.zeros((0, 2)), [], None, "0 sample"),
    ({}, [[0.0], [1.0]], [0, 1, 1], None, "inconsistent numbers of samples"),
    ({}, [[0.0], [1.0], [2.0]], [0, 1, 2], None, "two classes, got 3"),
    ({"kernel": "laplace"}, [[0.0], [1.0]], [0, 1], None, "kernel must be one of .* got 'laplace'"),
    ({"gamma": 0.0}, [[0.0], [1.0]], [0, 1], None, "gamma must be .* 'auto' or None, got 0.0"),
    ({"gamma": "wide"}, [[0.0], [1.0]], [0, 1], None, "gamma must be .* got 'wide'"),
    ({"kernel": "precomputed"}, [[0.0, 1.0]] * 3, [0, 1, 1], None, r"square matrix .* got shape \(3, 2\)"),
]


@pytest.mark.parametrize("kwargs, X, y, weights, words", BAD)
def test_bad_input_is_named(kwargs, X, y, weights, words):
    with pytest.raises(ValueError, match=words):
        KernelMeanClassifier(**kwargs).fit(X, y, weights)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("fitted_to", [np.asarray, csr_matrix])
def test_sparse_data_give_the_scores_of_dense_ones(kernel, fitted_to):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 40)) * (rng.random((90, 40)) < 0.1)
    y, weights = np.arange(90) % 3 == 0, rng.random(90)
    dense = KernelMeanClassifier(kernel, "scale").fit(X, y, weights)
    clf = KernelMeanClassifier(kernel, "scale").fit(fitted_to(X), y, weights)
    for rows in (X, csr_matrix(X), csc_matrix(X)):
        assert np.allclose(clf.decision_function(rows), dense.decision_function(X), rtol=0, atol=1e-12)
    assert np.isclose(clf.norm_, dense.norm_)
    assert issparse(clf.X_fit_) == (fitted_to is csr_matrix)


def test_other_kernels_refuse_sparse_data():
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        KernelMeanClassifier("polynomial").fit(csr_matrix(np.eye(4)), [0, 1, 0, 1])


@pytest.mark.parametrize("chunks", [(7, 3), (50, 1)])
def test_dask_rows_are_scored_when_asked_for(chunks):
    array = pytest.importorskip("dask.array")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    clf = KernelMeanClassifier().fit(X, X[:, 0] > 0)
    scores = clf.decision_function(array.from_array(X, chunks=chunks))
    assert isinstance(scores, array.Array) and scores.shape == (50,)
    assert np.allclose(scores.compute(), clf.decision_function(X), rtol=0, atol=1e-14)
    lazy = array.from_array(X, chunks=chunks)
    assert (np.asarray(clf.predict(lazy)) == clf.predict(X)).all()
    some = lazy[lazy[:, 0] > 1]  # chunks of unknown length, of which some have no row
    assert np.allclose(clf.decision_function(some).compute(), clf.decision_function(X[X[:, 0] > 1]))


def test_threads_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = X[:, 0] > 0
    alone = KernelMeanClassifier().fit(X, y).decision_function(X)
    for n_jobs in (1, 2, -1):
        assert (KernelMeanClassifier(n_jobs=n_jobs).fit(X, y).decision_function(X) == alone).all()
    for n_jobs in (0, 1.5, "two"):
        with pytest.raises(ValueError, match="n_jobs must be None or an integer other than 0"):
            KernelMeanClassifier(n_jobs=n_jobs).fit(X, y)


@pytest.mark.parametrize("kernel", ["linear", "polynomial"])
def test_data_whose_kernel_values_overflow_or_vanish_are_refused(kernel):
    X, y = np.array([[1.0], [2.0], [-1.0]]), [1, 1, 0]
    with pytest.raises(ValueError, match="must be finite for every row x of X, got inf: scale X"):
        KernelMeanClassifier(kernel).fit(1e200 * X, y)
    clf = KernelMeanClassifier(kernel).fit(1e40 * X, y)
    assert np.isfinite(clf.decision_function(X)).all()
    with pytest.raises(ValueError, match="overflow: scale the data"):
        clf.decision_function(1e300 * X)


def test_a_linear_kernel_of_tiny_values_is_refused_and_zeros_are_not():
    with pytest.raises(ValueError, match="too small for floating-point numbers: scale X"):
        KernelMeanClassifier("linear").fit([[1e-200], [-1e-200]], [1, 0])
    assert (KernelMeanClassifier("linear").fit(np.zeros((2, 1)), [1, 0]).predict([[1.0]]) == 0).all()

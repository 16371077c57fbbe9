"""The perceptron against the same in a few slow lines, and against Theorem 4."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numba import config, njit
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from paperlib._common.jit import uncompiled
from paperlib.feature_deletion import FeatureDeletionLP, FeatureDeletionPerceptron
from paperlib.feature_deletion._deletion import prefetch
from paperlib.feature_deletion._deletion.projected_perceptron import drop_largest
from tests.paperlib.feature_deletion.helpers import sample, slow_perceptron

ESTIMATORS = [
    FeatureDeletionPerceptron(n_deleted=0, n_passes=20),
    FeatureDeletionPerceptron(n_deleted=0.5, n_passes=20),
    FeatureDeletionPerceptron(),
]

pytestmark = pytest.mark.filterwarnings("error:the search for the worst deletion")  # none is cut short


def expected_failures(estimator):
    order = "the check shuffles the rows, and what is learnt online depends on their order"
    return {
        "check_sample_weight_equivalence_on_dense_data": order,
        "check_sample_weight_equivalence_on_sparse_data": order,
        "check_class_weight_classifiers": "an example met with its margin moves nothing, however heavy it is",
    }


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("C", [0.05, 1.0])
@pytest.mark.parametrize(
    "parameters",
    [
        {"n_deleted": 0},
        {"n_deleted": 1},
        {"n_deleted": 2.5, "margin": 0.2},
        {"n_deleted": 3},
        {"n_deleted": 1.4, "feature_values": [0.3, 1.0, 0.6, 0.0, 2.0]},
    ],
)
def test_same_as_the_slow_one(parameters, C):
    X, y = sample(60, 5)
    clf = FeatureDeletionPerceptron(**parameters, C=C, n_passes=2, shuffle=False).fit(X, y)
    mean, loss = slow_perceptron(X, y, order=[*range(60)] * 2, C=C, **parameters)
    assert np.allclose(np.append(clf.coef_, clf.intercept_), mean, atol=1e-12)
    assert np.isclose(clf.mean_loss_, loss, rtol=1e-12)
    assert clf.n_seen_ == 120
    rng = np.random.default_rng(4)
    order = np.concatenate([rng.permutation(60) for _ in range(2)])
    mean, _ = slow_perceptron(X, y, order=order, C=C, **parameters)
    clf.set_params(shuffle=True, random_state=4).fit(X, y)
    assert np.allclose(np.append(clf.coef_, clf.intercept_), mean, atol=1e-12)


ties = st.sampled_from([-1.0, 0.0, 0.5, 1.0, 1.0 + 2**-50, 3.0])


@settings(max_examples=300, deadline=None)
@given(
    st.integers(1, 40).flatmap(lambda n: arrays(float, n, elements=st.one_of(ties, st.floats(-1e6, 1e6)))),
    st.integers(1, 40),
)
def test_the_largest_are_dropped(x, count):
    kept = np.empty(x.size)
    total = drop_largest(x, count, kept)
    order = np.argsort(-x, kind="stable")[:count]
    expected = np.ones(x.size)
    expected[order[x[order] > 0]] = 0.0
    assert (kept == expected).all()
    assert np.isclose(total, x[expected == 0].sum(), rtol=1e-12)


def test_theorem_4_on_any_order():
    """Regret against the best in the cube, here found by the linear programme."""
    for seed in range(3):
        X, y = sample(400, 6, seed)
        X /= np.abs(X).sum(axis=1, keepdims=True)
        X, y = X[np.argsort(y)], np.sort(y)
        for C in (0.5, 3.0):
            clf = FeatureDeletionPerceptron(2, C=C, shuffle=False).fit(X, y)
            best = FeatureDeletionLP(2, C=C).fit(X, y)
            # Its bias is not bounded, so that it is at least as good as the best in the cube.
            assert clf.mean_loss_ <= best.objective_ + C * np.sqrt(2 * 7 / 400)
            assert np.abs(clf.coef_).max() <= C
            assert np.abs(clf.intercept_).max() <= C


def test_parts_of_the_data_are_the_data():
    X, y = sample(300, 7)
    whole = FeatureDeletionPerceptron(2, tau=0.1, shuffle=False).fit(X, y)
    parts = FeatureDeletionPerceptron(2, tau=0.1, shuffle=False)
    for at in range(0, 300, 50):
        parts.partial_fit(X[at : at + 50], y[at : at + 50], classes=[-1, 1])
    assert np.array_equal(whole.coef_, parts.coef_) and whole.intercept_ == parts.intercept_
    assert (parts.n_seen_, parts.n_updates_, parts.n_iter_) == (300, whole.n_updates_, 6)
    assert FeatureDeletionPerceptron(2).partial_fit(X, y).tau_ == np.sqrt(8 / 600)


def test_same_seed_same_bytes_and_pickles():
    X, y = sample(200, 7)
    clf = FeatureDeletionPerceptron(2, n_passes=3, random_state=5).fit(X, y)
    assert clf.coef_.tobytes() == clone(clf).fit(X, y).coef_.tobytes()
    loaded = pickle.loads(pickle.dumps(clf)).partial_fit(X, y)
    assert loaded.n_seen_ == 800
    assert (clf.partial_fit(X, y).coef_ == loaded.coef_).all()


def test_a_random_state_may_be_a_generator_or_one_of_the_old_kind():
    X, y = sample(30, 4)
    for kind in (np.random.RandomState, np.random.default_rng):
        first, second = (FeatureDeletionPerceptron(random_state=kind(0)).fit(X, y) for _ in range(2))
        assert (first.coef_ == second.coef_).all()


@pytest.mark.parametrize(
    "parameters, words",
    [
        ({"n_deleted": 4}, "n_deleted must be below 4, .* got 4"),
        ({"margin": 0}, "margin must be a finite number > 0, got 0"),
        ({"tau": 0}, "tau must be a finite number > 0, got 0"),
        ({"n_passes": 0}, "n_passes must be an integer >= 1, got 0"),
        ({"random_state": "x"}, "random_state must be an integer >= 0, .* got 'x'"),
    ],
)
def test_bad_parameters(parameters, words):
    with pytest.raises(ValueError, match=words):
        FeatureDeletionPerceptron(**parameters).fit(*sample(10, 4))


def test_bad_parts_of_the_data():
    X, y = sample(10, 4)
    with pytest.raises(ValueError, match="two classes in the first call, or classes must name them, got"):
        FeatureDeletionPerceptron().partial_fit(X, np.ones(10))
    clf = FeatureDeletionPerceptron().fit(X, y)
    with pytest.raises(ValueError, match=r"y must hold the classes \[-1.0, 1.0\], got 2"):
        clf.partial_fit(X, np.full(10, 2))
    with pytest.raises(ValueError, match="classes must stay"):
        clf.partial_fit(X, y, classes=[0, 1])


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")
def test_the_hint_to_the_processor_is_one_and_stays_in_the_rows():
    fetch = njit(uncompiled(prefetch.fetch_row))  # what came from a file cannot be looked into
    X = np.zeros((3, 20))
    for i in range(3):
        fetch(X, i)
    (code,) = fetch.inspect_llvm().values()
    assert "@llvm.prefetch" in code
    (machine,) = fetch.inspect_asm().values()
    assert "prefetch" in machine or "prfm" in machine
    assert not X.any()


@pytest.mark.parametrize("n_deleted", [0, 1, 3.5, 19])
@pytest.mark.parametrize("values", [None, "other"])
def test_sparse_data_give_what_dense_data_do(n_deleted, values):
    rng = np.random.default_rng(3)
    values = None if values is None else np.append(rng.uniform(0.5, 2.0, 19), 0.0)
    X, y = sample(300, 20)
    X[rng.random(X.shape) < 0.7] = 0.0
    X[5] = 0.0
    clf = FeatureDeletionPerceptron(
        n_deleted=n_deleted, feature_values=values, C=0.7, n_passes=3, random_state=1
    )
    dense, stored = clone(clf).fit(X, y), sp.csr_array(X + 1e-300)
    stored.data[stored.data == 1e-300] = 0.0
    for matrix in (sp.csr_array(X), sp.csc_array(X), stored):
        sparse = clone(clf).fit(matrix, y)
        assert np.allclose(sparse.coef_, dense.coef_, rtol=1e-9, atol=1e-12)
        assert np.isclose(sparse.intercept_[0], dense.intercept_[0], rtol=1e-9, atol=1e-12)
        assert np.isclose(sparse.mean_loss_, dense.mean_loss_, rtol=1e-9)
        assert sparse.n_updates_ == dense.n_updates_
        assert np.allclose(sparse.decision_function(matrix), X @ sparse.coef_[0] + sparse.intercept_[0])
    parts = clone(clf).partial_fit(sp.csr_array(X[:100]), y[:100]).partial_fit(X[100:], y[100:])
    same = clone(clf).partial_fit(X[:100], y[:100]).partial_fit(X[100:], y[100:])
    assert np.allclose(parts.coef_, same.coef_, rtol=1e-9, atol=1e-12)


def test_many_words_are_never_made_dense():
    rng = np.random.default_rng(0)
    X = sp.random_array((3000, 400_000), density=1e-5, format="csr", rng=rng)  # 10 GB if they were dense
    y = np.where(X @ rng.normal(size=400_000) > 0, 1, 0)
    clf = FeatureDeletionPerceptron(n_passes=5, random_state=0).fit(X, y)
    assert clf.score(X, y) > 0.8


def test_rows_without_an_entry_are_learned_from_by_the_intercept_alone():
    clf = FeatureDeletionPerceptron(random_state=0).fit(sp.csr_array((4, 3)), [1, 1, 1, 0])
    assert (clf.coef_ == 0.0).all() and clf.intercept_[0] > 0.0

"""The adversary against every subset of the features."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from paperlib.feature_deletion import robust_score, robustness_curve, worst_case_deletion
from paperlib.feature_deletion.adversary import random_deletion
from tests.paperlib.feature_deletion.helpers import best_of_all_subsets

pytestmark = pytest.mark.filterwarnings("error:the search for the worst deletion")  # none is cut short


def test_margins_and_masks_agree_with_every_subset():
    rng = np.random.default_rng(1)
    X, w, b = rng.normal(size=(30, 6)), rng.normal(size=6), 0.3
    y = rng.choice([-1, 1], 30)
    for values in (None, rng.uniform(0.1, 2, 6), np.array([0.0, 1, 1, 2, 3, 0])):
        v = np.ones(6) if values is None else values
        margins, masks = worst_case_deletion(w, b, X, y, 2.2, values)
        assert np.allclose(margins, y * ((X * ~masks) @ w + b))
        assert (masks @ v <= 2.2 + 1e-9).all()
        for i in range(30):
            harm = best_of_all_subsets(y[i] * w * X[i], v, 2.2)
            assert np.isclose(margins[i], y[i] * (X[i] @ w + b) - harm)


def test_a_budget_of_zero_deletes_what_is_free():
    margins, masks = worst_case_deletion([1.0, 1.0], 0.0, [[1.0, 2.0]], [1], 0, [1.0, 0.0])
    assert margins.tolist() == [1.0]
    assert masks.tolist() == [[False, True]]


@pytest.mark.parametrize("values", [None, [1.0, 0.5, 2.0, 0.25]])
def test_a_budget_for_all_features_leaves_what_speaks_against_the_label(values):
    w, X, y = [1.0, -2.0, 3.0, 1.0], [[1.0, 1.0, 1.0, 0.0], [-1.0, 2.0, -4.0, 1.0]], [1, -1]
    for budget in (np.sum(np.ones(4) if values is None else values), 1e9, 1e300):
        margins, masks = worst_case_deletion(w, 0.5, X, y, budget, values)
        assert margins.tolist() == [-2.0 + 0.5, -1.0 - 0.5]
        assert masks.tolist() == [[True, False, True, False], [True, True, True, False]]


# Sparse data


@pytest.mark.parametrize("values", [None, np.array([0.0, 1.0, 0.7, 2.0, 3.1, 0.4])])
def test_sparse_rows_are_as_dense_ones(values):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 6)) * (rng.random((60, 6)) < 0.4)
    w, y = rng.normal(size=6), rng.choice([-1, 1], 60)
    for kind in (sp.csr_array, sp.csc_array, sp.coo_matrix):
        for budget in (0.0, 1.0, 2.3, 100.0):
            margins, masks = worst_case_deletion(w, 0.1, X, y, budget, values)
            of_sparse, where = worst_case_deletion(w, 0.1, kind(X), y, budget, values)
            assert of_sparse.tolist() == margins.tolist()
            assert sp.issparse(where) and where.dtype == bool and (where.toarray() == masks).all()


def test_repeated_entries_are_added_up_and_the_data_stay_as_they_are():
    X = sp.csr_array(
        (np.array([1.0, 2.0, 0.0, 5.0]), np.array([2, 2, 0, 1]), np.array([0, 3, 4])), shape=(2, 3)
    )
    before = [each.copy() for each in (X.data, X.indices, X.indptr)]
    margins, masks = worst_case_deletion([1.0, 1.0, 1.0], 0.5, X, [1, 1], 1)
    assert margins.tolist() == [0.5, 0.5]
    assert masks.toarray().tolist() == [[False, False, True], [False, True, False]]
    assert all(map(np.array_equal, before, (X.data, X.indices, X.indptr)))


def test_a_sparse_sample_of_many_words_is_never_made_dense():
    rng = np.random.default_rng(0)
    X = sp.random_array((2000, 500_000), density=4e-5, format="csr", rng=rng)  # 8 GB if it were dense
    w, y = rng.normal(size=500_000), rng.choice([-1, 1], 2000)
    margins, masks = worst_case_deletion(w, 0.0, X, y, 3)
    assert np.allclose(margins, y * ((X - X * masks) @ w)) and masks.sum(axis=1).max() == 3


# The scorer


@pytest.fixture
def fitted():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 6)) * (rng.uniform(size=(80, 6)) < 0.7)
    y = np.where(X.sum(axis=1) + 0.1 * rng.normal(size=80) > 0, "yes", "no")
    return LogisticRegression().fit(X, y), X, y


def test_no_deletion_is_accuracy(fitted):
    clf, X, y = fitted
    for adversary in ("greedy", "exact", "random"):
        assert robust_score(clf, X, y, 0, adversary) == clf.score(X, y)


def test_random_deletions_take_any_random_state(fitted):
    clf, X, y = fitted
    scores = [robust_score(clf, X, y, 2, "random", random_state=np.random.RandomState(0)) for _ in range(2)]
    assert scores[0] == scores[1]
    with pytest.raises(ValueError, match=r"random_state must be an integer >= 0, .* got 'x'"):
        robust_score(clf, X, y, 2, "random", random_state="x")


def test_exact_is_the_worst_and_greedy_equals_it_for_equal_values(fitted):
    clf, X, y = fitted
    values = np.array([0.5, 1.0, 2.0, 1.0, 0.3, 1.2])
    for n_deleted in (1, 2, 3):
        worst = robust_score(clf, X, y, n_deleted, "exact")
        assert worst == robust_score(clf, X, y, n_deleted, "greedy")
        assert worst <= robust_score(clf, X, y, n_deleted, "random", random_state=0)
        worst = robust_score(clf, X, y, n_deleted, "exact", feature_values=values)
        assert worst <= robust_score(clf, X, y, n_deleted, "greedy", feature_values=values)
        margins, _ = worst_case_deletion(
            clf.coef_[0], clf.intercept_[0], X, np.where(y == "yes", 1, -1), n_deleted, values
        )
        assert worst == np.mean(margins > 0)


def test_random_deletion_takes_that_many_non_zero_features():
    X = np.array([[1.0, 0.0, 2.0, 3.0], [0.0, 0.0, 0.0, 5.0]] * 500)
    masks = random_deletion(X, np.ones(4), 2.0, 0)
    assert (masks[::2].sum(axis=1) == 2).all()
    assert (masks[1::2] == [False, False, False, True]).all()
    # Each of the three is spared a third of the time: within four standard errors.
    assert np.allclose(masks[::2, [0, 2, 3]].mean(axis=0), 2 / 3, atol=4 * np.sqrt(2 / 9 / 500))
    assert (masks == random_deletion(X, np.ones(4), 2.0, 0)).all()


def test_random_deletions_from_sparse_rows(fitted):
    clf, X, y = fitted
    full = [robust_score(clf, X, y, n, "random", random_state=0) for n in (0, 6)]
    assert full == [robust_score(clf, sp.csr_array(X), y, n, "random", random_state=0) for n in (0, 6)]
    assert full[1] == robust_score(clf, 0.0 * X, y, 0)  # all is deleted, whatever it speaks for
    of_dense, of_sparse = (
        np.mean([robust_score(clf, data, y, 2, "random", random_state=seed) for seed in range(200)])
        for data in (X, sp.csr_array(X))
    )
    assert abs(of_dense - of_sparse) < 0.01  # four standard errors are 0.008


# The curve


@pytest.mark.parametrize("adversary", ["greedy", "exact"])
@pytest.mark.parametrize("values", [None, [0.5, 1.0, 2.0, 1.0, 0.3, 1.2]])
def test_a_curve_is_the_scores_at_its_budgets(fitted, adversary, values):
    clf, X, y = fitted
    budgets = [3, 0, 0.5, 1, 6, 50]
    scores = [robust_score(clf, X, y, budget, adversary, feature_values=values) for budget in budgets]
    options = {"feature_values": values, "adversary": adversary}
    assert robustness_curve(clf, X, y, budgets, **options).tolist() == scores
    assert robustness_curve(clf, sp.csr_array(X), y, budgets, **options).tolist() == scores
    assert scores[1] > scores[3] > scores[0] > 0.0


@pytest.mark.parametrize("value", [1.0, 0.1, 3.0])
def test_a_curve_of_equal_values_is_that_of_single_budgets(value):
    """Whole numbers: sums are exact, many profits tie, many margins are zero."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(-2, 3, size=(3000, 40)) / 1.0, rng.choice([0, 1], 3000)
    clf = LogisticRegression().fit(X[:80], y[:80])
    clf.coef_, clf.intercept_ = rng.integers(-2, 3, size=(1, 40)) / 1.0, np.array([1.0])
    budgets = [*(value * np.arange(41)), 0.5 * value, 1e9, 2.5 * value]
    curve = robustness_curve(clf, X, y, budgets, feature_values=np.full(40, value))
    signs = np.where(y == 1, 1, -1)
    for budget, share in zip(budgets, curve):
        margins, _ = worst_case_deletion(clf.coef_[0], 1.0, X, signs, budget, np.full(40, value))
        assert share == np.mean(margins > 0)


def test_a_curve_of_margins_that_overflow():
    clf = LogisticRegression().fit([[1.0, 1.0], [-1.0, -1.0]], [1, 0])
    clf.coef_[:] = 1e200
    with pytest.raises(ValueError, match="w and X must be so small that all margins are finite"):
        robustness_curve(clf, [[1e200, 1.0]], [1], [0, 1])


def test_a_margin_of_zero_is_a_mistake():
    clf = LogisticRegression().fit([[1.0], [-1.0]], [1, 0])
    clf.intercept_[:] = 0.0
    assert robustness_curve(clf, [[0.0], [2.0]], [1, 1], [0, 1]).tolist() == [0.5, 0.0]
    assert robust_score(clf, [[0.0], [2.0]], [1, 1], 0) == 0.5


GOOD = {"w": [1.0, 2.0], "b": 0.0, "X": [[1.0, 1.0]], "y": [1], "n_deleted": 1}


@pytest.mark.parametrize(
    "change, words",
    [
        ({"n_deleted": -1}, "n_deleted must be a finite number >= 0, got -1"),
        ({"n_deleted": np.nan}, "n_deleted must be a finite number"),
        ({"feature_values": [1.0, -1.0]}, r"feature_values must be finite and >= 0, got -1.0"),
        ({"feature_values": [1.0, np.inf]}, r"feature_values must be finite and >= 0, got inf"),
        ({"feature_values": [0.0, 0.0]}, "feature_values must not be all zero"),
        ({"feature_values": [1.0]}, r"feature_values must have shape \(2,\)"),
        ({"y": [0]}, "y must hold the labels -1 and .1 only, got 0"),
        ({"y": [1, 1]}, "inconsistent numbers of samples"),
        ({"w": [1.0]}, r"w must have shape \(2,\)"),
        ({"w": [1.0, np.nan]}, "w must be finite"),
        ({"b": np.inf}, "b must be a finite number"),
        ({"X": [[np.nan, 1.0]]}, "NaN"),
    ],
)
def test_bad_input_of_the_adversary(change, words):
    with pytest.raises(ValueError, match=words):
        worst_case_deletion(**(GOOD | change))


def test_bad_input_of_the_scorer(fitted):
    clf, X, y = fitted
    with pytest.raises(ValueError, match="adversary must be one of 'greedy', 'exact', 'random', got 'best'"):
        robust_score(clf, X, y, 1, "best")
    with pytest.raises(ValueError, match=r"y must hold the classes \['no', 'yes'\], got .*'maybe'"):
        robust_score(clf, X[:1], ["maybe"], 1)
    with pytest.raises(ValueError, match="adversary must be one of 'greedy', 'exact', got 'random'"):
        robustness_curve(clf, X, y, [0], adversary="random")
    three = LogisticRegression().fit(X, np.arange(80) % 3)
    with pytest.raises(ValueError, match="binary linear classifier"):
        robust_score(three, X, y, 1)

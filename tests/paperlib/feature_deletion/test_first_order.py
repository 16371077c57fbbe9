"""The gradient method for sparse data, and its projection of one example's dual variables."""

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from paperlib.feature_deletion import FeatureDeletionLP
from paperlib.feature_deletion._solver import first_order
from paperlib.feature_deletion._solver.row_projection import project
from tests.programs import printed


def nearest(alpha, r, v, kept):
    """The projection by a quadratic programme."""
    a, x = cp.Variable(), cp.Variable(r.size)
    inside = [x >= 0, x <= a, a <= 1, v @ x >= kept * a]
    problem = cp.Problem(cp.Minimize(cp.square(a - alpha) + cp.sum_squares(x - r)), inside)
    problem.solve(cp.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12)
    return a.value, x.value


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_the_projection_is_the_nearest_point(seed):
    rng = np.random.default_rng(seed)
    k = rng.integers(1, 7)
    v = rng.choice([0.0, 0.3, 1.0, 1.0, 2.0], k)
    kept = rng.choice([-1.0, 0.2, rng.random(), 1.0]) * v.sum()
    alpha, r = rng.normal(0.3, 1.0), rng.normal(0.2, 1.0, k)
    if seed % 3 == 0:  # ties
        alpha, r = round(2 * alpha) / 2, np.round(2 * r) / 2
    expected = nearest(alpha, r, v, kept)
    for start in (0.0, 0.4, 30.0):
        moved = r.copy()
        a, lam = project(alpha, moved, v, kept, start)
        assert np.isclose(a, expected[0], atol=2e-5) and np.allclose(moved, expected[1], atol=2e-5)
        assert moved.min() >= 0.0 and moved.max() <= a <= 1.0 and v @ moved >= kept * a - 1e-9
        assert lam >= 0.0


def test_a_projection_that_is_not_a_number_ends():
    for bad in (np.nan, np.inf, -np.inf):
        for alpha, r in ((bad, [1.0, 0.5]), (0.5, [bad, 0.5])):
            project(alpha, np.array(r), np.ones(2), 1.0, 0.0)


def test_an_example_without_features():
    assert project(0.7, np.empty(0), np.empty(0), -1.0, 0.0) == (0.7, 0.0)


def words(m, n, each, seed=0):
    """Mails of at most `each` words, of which the first are the most frequent."""
    rng = np.random.default_rng(seed)
    rows = [np.unique((n * rng.random(each) ** 3).astype(int)) for _ in range(m)]
    starts, columns = np.cumsum([0, *map(len, rows)]), np.concatenate(rows)
    X = sp.csr_array((rng.integers(1, 4, len(columns)).astype(float), columns, starts), shape=(m, n))
    scores = X @ rng.normal(size=n)
    return X, np.where(scores + 0.3 * rng.normal(size=m) > np.median(scores), "spam", "mail")


@pytest.mark.drawn(1)
@pytest.mark.parametrize("values", [None, "other"])
@pytest.mark.parametrize("C", [0.3, 20.0])
def test_it_comes_as_near_as_it_says(values, C):
    X, y = words(300, 150, 12)
    values = None if values is None else np.random.default_rng(1).uniform(0.3, 2.0, 150)
    exact = FeatureDeletionLP(2, C=C, feature_values=values).fit(X.toarray(), y)
    for tol in (1e-2, 1e-4):
        clf = FeatureDeletionLP(2, C=C, feature_values=values, tol=tol).fit(X, y)
        assert clf.objective_ - clf.dual_gap_ <= exact.objective_ <= clf.objective_ + 1e-6
        assert clf.dual_gap_ <= tol * clf.objective_


def test_many_words_are_never_made_dense():
    X, y = words(3000, 400_000, 5)  # 10 GB if they were dense
    clf = FeatureDeletionLP(1, tol=0.05).fit(X, y)
    assert clf.dual_gap_ <= 0.05 * clf.objective_
    assert clf.score(X, y) > 0.6


def test_parts_on_threads_of_their_own_give_the_same(monkeypatch):
    X, y = words(300, 150, 12)
    one = FeatureDeletionLP(2, tol=1e-4).fit(X, y)
    monkeypatch.setattr(first_order, "LARGE", 0)
    several = FeatureDeletionLP(2, tol=1e-4).fit(X, y)
    for threads in (2, 1):  # with one there is no pool
        monkeypatch.setattr(first_order.config, "NUMBA_NUM_THREADS", threads)
        again = FeatureDeletionLP(2, tol=1e-4).fit(X, y)
        assert np.array_equal(several.coef_, again.coef_) and several.intercept_ == again.intercept_
    assert abs(several.objective_ - one.objective_) <= 1e-4 * one.objective_
    few = FeatureDeletionLP(1, tol=1e-2).fit(X[:2], ["spam", "mail"])  # fewer examples than parts
    assert few.dual_gap_ <= 1e-2 * few.objective_


def test_sparse_and_dense_data_are_predicted_alike():
    X, y = words(300, 60, 12)
    clf = FeatureDeletionLP(1, C=20.0).fit(X, y)
    assert clf.n_iter_ < 20_000 and set(clf.predict(X)) == {"mail", "spam"}
    for form in (sp.csr_matrix, sp.csc_array, sp.coo_array):
        assert np.allclose(clf.decision_function(form(X)), clf.decision_function(X), rtol=1e-12, atol=1e-12)
    assert np.allclose(clf.decision_function(X.toarray()), clf.decision_function(X), rtol=1e-12, atol=1e-12)


def test_columns_and_rows_of_zeros_and_entries_that_are_stored_zeros():
    X, y = words(100, 40, 6)
    wider = sp.csr_array(sp.hstack([X, sp.csr_array((100, 3))]))
    wider = sp.csr_array(sp.vstack([wider, sp.csr_array((2, 43))]))
    stored = sp.csr_array(wider.toarray() + 1e-300)
    stored.data[stored.data == 1e-300] = 0.0
    labels = np.append(y, ["spam", "mail"])
    clf = FeatureDeletionLP(1, C=5.0).fit(wider, labels)
    exact = FeatureDeletionLP(1, C=5.0).fit(wider.toarray(), labels)
    assert clf.objective_ - clf.dual_gap_ <= exact.objective_ <= clf.objective_ + 1e-6
    assert (clf.coef_[0, 40:] == 0.0).all()
    assert np.array_equal(FeatureDeletionLP(1, C=5.0).fit(stored, labels).coef_, clf.coef_)


def test_repeated_entries_are_added_up_and_the_data_stay_as_they_are():
    X, y = words(100, 40, 6)
    twice = sp.coo_array(
        (np.repeat(X.data / 2, 2), (np.repeat(X.tocoo().row, 2), np.repeat(X.indices, 2))), shape=X.shape
    )
    twice = sp.csr_array((twice.data, twice.col, 2 * X.indptr), shape=X.shape)
    before = twice.data.copy(), twice.indices.copy()
    clf = FeatureDeletionLP(1).fit(twice, y)
    assert np.allclose(clf.coef_, FeatureDeletionLP(1).fit(X, y).coef_, rtol=1e-9, atol=1e-12)
    assert np.array_equal(twice.data, before[0]) and np.array_equal(twice.indices, before[1])


@pytest.mark.parametrize("scale", [1e-8, 1e6])
def test_only_the_product_of_scale_and_box_matters(scale):
    X, y = words(100, 40, 6)
    clf, other = FeatureDeletionLP(1).fit(X, y), FeatureDeletionLP(1, C=1.0 / scale).fit(scale * X, y)
    assert np.isclose(other.objective_, clf.objective_, rtol=2e-3)


def test_what_ends_early_says_by_how_much():
    X, y = words(300, 150, 12)
    with pytest.warns(ConvergenceWarning, match=r"stopped after 7 iterations .* within .* tol=0.001"):
        clf = FeatureDeletionLP(2, max_iter=7).fit(X, y)
    exact = FeatureDeletionLP(2).fit(X.toarray(), y)
    assert clf.n_iter_ == 7 and clf.objective_ - clf.dual_gap_ <= exact.objective_ <= clf.objective_


def test_highs_takes_dense_data_only():
    X, y = words(100, 40, 6)
    with pytest.raises(ValueError, match="solver='highs' takes dense X only"):
        FeatureDeletionLP(solver="highs").fit(X, y)
    X.data[3] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        FeatureDeletionLP().fit(X, y)


@pytest.mark.slow
def test_a_warm_start_finds_the_same_and_sooner():
    X, y = words(600, 300, 12)
    for path in ([{"C": C} for C in np.geomspace(2.0, 1.4, 8)], [{"n_deleted": N} for N in range(8, 0, -1)]):
        warm, spent, before = FeatureDeletionLP(2, C=2.0, warm_start=True), [], []
        for changed in path:
            cold = FeatureDeletionLP(2, C=2.0).set_params(**changed).fit(X, y)
            warm.set_params(**changed).fit(X, y)
            assert warm.gap_ <= 1e-3 * warm.objective_ and (np.abs(warm.coef_) <= warm.C).all()
            assert abs(warm.objective_ - cold.objective_) <= max(warm.gap_, cold.gap_)
            spent.append(warm.n_iter_)
            before.append(cold.n_iter_)
        assert spent[0] == before[0] and sum(spent) < 0.7 * sum(before)
    weights = np.random.default_rng(0).integers(1, 3, 600)  # it may start from other weights, too
    cold = FeatureDeletionLP(1, C=2.0).fit(X, y, sample_weight=weights)
    warm.fit(X, y, sample_weight=weights)
    assert abs(warm.objective_ - cold.objective_) <= max(warm.gap_, cold.gap_)
    other = words(600, 300, 12, seed=1)
    assert warm.fit(*other).objective_ == FeatureDeletionLP(1, C=2.0).fit(*other).objective_


FIT = """
import warnings
import numpy as np
import scipy.sparse as sp
from paperlib.feature_deletion import FeatureDeletionLP
from paperlib.feature_deletion._solver import ascent
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X = sp.random(2000, 60, 0.1, "csr", random_state=rng, data_rvs=rng.standard_normal)
y = X @ rng.standard_normal(60) + 0.3 * rng.standard_normal(2000) > 0
clf = FeatureDeletionLP(3, solver="first_order", max_iter=200).fit(X, y)
print(clf.coef_.tobytes().hex(), sum(ascent.ascend.stats.cache_hits.values()))
"""


@pytest.mark.slow
def test_the_process_that_compiles_and_one_that_loads_give_the_same_bytes(tmp_path):
    said = [printed("-c", FIT, NUMBA_CACHE_DIR=str(tmp_path)).split() for _ in range(2)]
    (compiled, hits), (loaded, hits_then) = said
    assert (hits, hits_then) == ("0", "1")
    assert compiled == loaded

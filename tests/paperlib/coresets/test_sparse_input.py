"""CSR matrices: the same classifiers as of the dense rows, and no dense copy of many rows."""

import pickle
from unittest.mock import patch

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from paperlib.coresets import CoresetSVC
from paperlib.coresets._search import rows as scans
from paperlib.coresets._search.rows import ArrayRows, SparseRows
from paperlib.coresets._solver.coresets import LinearCoreset, LinearPlane
from tests.paperlib.coresets.helpers import SELECTIONS


def texts(n=300, d=2000, length=30, seed=0):
    """Rows of words, frequent ones first, of unit norm, that a hyperplane separates."""
    rng = np.random.default_rng(seed)
    frequency = 1 / np.arange(1, d + 1)
    words = rng.choice(d, size=(n, length), p=frequency / frequency.sum())
    X = sp.csr_matrix(
        (np.ones(words.size), words.ravel(), np.arange(0, words.size + 1, length)), shape=(n, d)
    )
    X.sum_duplicates()
    X = sp.csr_matrix(X.multiply(1 / np.sqrt(X.multiply(X).sum(axis=1))))
    return X, np.where(X @ rng.normal(size=d) > 0, "ham", "eggs")


@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.coo_array, sp.lil_matrix])
def test_every_sparse_form_is_taken(make):
    X, y = texts()
    clf = CoresetSVC(0.01, random_state=0).fit(make(X), y)
    signs = np.where(y == "ham", 1, -1)
    assert clf.margin_ > 0 and clf.margin_ >= 0.99 * clf.margin_upper_bound_
    assert np.isclose((signs * (X @ clf.coef_[0])).min(), clf.margin_, rtol=1e-10)
    assert np.allclose(clf.decision_function(make(X)), clf.decision_function(X.toarray()), atol=1e-14)
    assert (clf.predict(make(X)) == y).all() and clf.score(X, y) == 1.0


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("selection", SELECTIONS)
def test_dense_rows_give_the_same(selection, intercept):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 12)) * (rng.uniform(size=(3000, 12)) < 0.4)
    X[:, 0] = rng.normal(size=3000)
    y = np.where(X[:, 0] > 0, 1, -1)
    X[:, 0] += 0.2 * y
    weights = rng.choice([0.0, 1.0, 2.0], 3000)
    y[weights == 0] *= -1
    for dtype in (np.float64, np.float32):
        X = X.astype(dtype)
        fits = [
            CoresetSVC(0.01, selection=selection, fit_intercept=intercept, random_state=0).fit(Z, y, weights)
            for Z in (X, sp.csr_matrix(X))
        ]
        assert fits[0].coreset_indices_.tolist() == fits[1].coreset_indices_.tolist()
        assert np.allclose(fits[0].coef_, fits[1].coef_, atol=1e-9)
        assert np.isclose(fits[0].margin_, fits[1].margin_, rtol=1e-9)
        assert fits[0].n_iter_ == fits[1].n_iter_ and fits[0].n_passes_ == fits[1].n_passes_


def test_rows_are_found_as_in_an_array(monkeypatch):
    monkeypatch.setattr(scans, "ENTRIES", 64)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 6)) * (rng.uniform(size=(200, 6)) < 0.5)
    signs = rng.choice([-1.0, 0.0, 1.0], 200)
    sparse, dense = SparseRows(sp.csr_matrix(X), signs), ArrayRows(X, signs, LinearCoreset(6), 0.0)
    plane = LinearPlane(np.ones(6) / 6**0.5, np.ones(6) / 6**0.5, 0.0)
    for ceiling, count in ((np.inf, 9), (-1.0, 9), (-1e9, 1), (np.inf, 10_000)):
        for one, other in zip(sparse.scan(plane, ceiling, count), dense.scan(plane, ceiling, count)):
            assert np.allclose(one, other)
    for one, other in zip(
        sparse.sample(50, np.random.default_rng(1)), dense.sample(50, np.random.default_rng(1))
    ):
        assert np.array_equal(one, other)
    assert np.array_equal(sparse.sample(999, rng).rows, X[signs != 0])
    blocks = list(sparse.blocks())
    assert len(blocks) > 5
    assert np.concatenate([part[0] for part in blocks]).tolist() == np.flatnonzero(signs).tolist()
    assert np.array_equal(np.concatenate([part[1] for part in blocks]), X[signs != 0])


def test_entries_that_are_stored_twice_are_added_up_and_the_matrix_is_left_alone():
    X = sp.csr_matrix(([1.0, 1.0, -3.0, 2.0], [1, 1, 0, 1], [0, 2, 4]), shape=(2, 600))
    clf = CoresetSVC(1e-6).fit(X, [1, 0])
    same = CoresetSVC(1e-6).fit(X.toarray(), [1, 0])
    assert np.allclose(clf.coef_, same.coef_, atol=1e-5) and np.isclose(clf.margin_, same.margin_, rtol=1e-6)
    assert X.nnz == 4 and X.data.tolist() == [1.0, 1.0, -3.0, 2.0]


def test_no_row_is_written_out():
    X, y = texts()
    with patch.object(sp.csr_matrix, "toarray", side_effect=AssertionError):
        for C in (None, 1.0):
            clf = CoresetSVC(0.01, C=C).fit(X, y)
            clf.predict(X)
        y = y.copy()
        y[::10] = np.where(y[::10] == "ham", "eggs", "ham")
        CoresetSVC(0.01, C=1.0).fit(X, y)


def test_texts_that_cannot_be_separated():
    X, y = texts()
    X, y = sp.vstack([X, X[:1]]).tocsr(), np.append(y, "ham" if y[0] == "eggs" else "eggs")
    with pytest.raises(ValueError, match=r"not separable.*convex combination of \d+ signed points"):
        CoresetSVC().fit(X, y)
    clf = CoresetSVC(0.01, C=1.0).fit(X, y)
    assert clf.gap_ <= 0.01 * clf.objective_


@pytest.mark.parametrize("d", [20, 2000])
def test_bad_numbers_are_named(d):
    X, y = texts(d=d)
    for bad, words in (
        (np.nan, "X contains NaN"),
        (np.inf, "X contains infinity"),
        (1e200, "too large in size"),
    ):
        X.data[7] = bad
        for selection in SELECTIONS:
            with pytest.raises(ValueError, match=words):
                CoresetSVC(selection=selection).fit(X, y)
    with pytest.raises(ValueError, match="too small in size"):
        CoresetSVC().fit(sp.csr_matrix(np.full((2, d), 1e-160)), [0, 1])


def test_other_kernels_refuse_sparse_rows():
    X, y = texts()
    with pytest.raises(TypeError, match=r"dense data is required"):
        CoresetSVC(kernel="rbf").fit(X, y)


def test_copies_of_an_estimator_of_sparse_rows_agree():
    X, y = texts()
    clf = CoresetSVC(0.1, random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(clf))
    assert (again.decision_function(X) == clf.decision_function(X)).all()
    assert (clone(clf).fit(X, y).coef_ == clf.coef_).all()

"""Whatever takes a sparse matrix says of it what it says of the dense one, wherever the columns lie."""

import itertools
import re
import warnings

import numpy as np
import pytest
from scipy import sparse

from paperlib._common.kernels import Gaussian
from paperlib.feature_deletion import FeatureDeletionLP
from paperlib.kernel_mean import TLogisticRegression
from paperlib.kernel_mean.t_logistic_regression import _moments, _ScaledRisk
from tests.paperlib.fuzzing.recipes import RECIPES

SPREAD = np.random.default_rng(1).uniform(-1.0, 1.0, 100)
COLUMNS = {  # what is made of the last column
    "as they are": lambda x: x,
    "constant": lambda x: np.full_like(x, 0.1),
    "a large constant": lambda x: np.full_like(x, 1e7 / 3.0),
    "a Unix time": lambda x: 1.7e9 + np.round(SPREAD[: len(x)], 3),
    "tiny": lambda x: 1e-12 * x,
    "large": lambda x: 1e12 * x,
    "few entries": lambda x: x * (SPREAD[: len(x)] > 0.3),
}
ALL = {"shifted": lambda X: X + 1e4, "scaled up": lambda X: 1e6 * X, "scaled down": lambda X: 1e-6 * X}
# Two solvers, as its docstring says: `test_the_linear_programme` compares them.
OTHERS = {"feature_deletion.FeatureDeletionLP"}
TAKE_ROWS = [
    recipe
    for recipe in RECIPES
    if recipe.covers not in OTHERS
    and any(isinstance(recipe.good.get(name), np.ndarray) for name in ("X", "rows"))
]


def changed(X, how):
    if how in ALL:
        return ALL[how](X)
    return np.column_stack([X[:, :-1], COLUMNS[how](X[:, -1])])


def said(recipe, form, how):
    """What comes out, as a list of arrays; or the error."""
    tables = [n for n in ("X", "rows") if np.ndim(recipe.good.get(n)) == 2]
    given = {name: form(changed(recipe.good[name], how)) for name in tables}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = recipe.call(**{**recipe.good, **given})
        except (ValueError, TypeError) as error:
            return error, given
    found = found if isinstance(found, tuple) else (found,)
    arrays = (each.toarray() if sparse.issparse(each) else each for each in found)
    return [np.asarray(each, dtype=float) for each in arrays], given


@pytest.mark.drawn(80)
@pytest.mark.parametrize("how", [*COLUMNS, *ALL])
@pytest.mark.parametrize("recipe", TAKE_ROWS, ids=[recipe.name for recipe in TAKE_ROWS])
def test_sparse_rows_are_the_dense_ones(recipe, how):
    of_sparse, _ = said(recipe, sparse.csr_matrix, how)
    if isinstance(of_sparse, Exception) and re.search("sparse|dense", str(of_sparse)):
        return  # refused in words
    of_dense, given = said(recipe, np.ascontiguousarray, how)
    if isinstance(of_dense, Exception):
        assert type(of_sparse) is type(of_dense), of_sparse
        return
    assert not isinstance(of_sparse, Exception), of_sparse
    # What sums lose by themselves: <w, x> + b where a column is far from zero, and means of kernel values.
    far = max((np.abs(X).max(axis=0) / np.maximum(np.ptp(X, axis=0), 1e-3)).max() for X in given.values())
    values = max((X**2).sum(axis=1).max() for X in given.values()) if "linear" in recipe.name else 1.0
    for one, other in zip(of_sparse, of_dense, strict=True):
        size = np.abs(other).max(initial=0.0)
        np.testing.assert_allclose(one, other, rtol=0.0, atol=(1e-9 + 4e-16 * far) * size + 1e-15 * values)


# What the small samples of the recipes do not show


def sample(n=200):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 5)) * (rng.random((n, 5)) < 0.7)
    return X, (X[:, 0] + 0.5 * rng.normal(size=n) > 0).astype(int)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("column", [0.1, 1e6, 1e8 / 3.0, 1e15, "a time", "a year"])
def test_t_logistic_regression_finds_its_minimum_beside_any_column(column, weighted):
    X, y = sample()
    other = {"a time": 1.7e9 + X[:, 1], "a year": 1.7e9 + 3e7 * X[:, 1]}.get(column)
    X = np.column_stack([X, np.full(len(y), column) if other is None else other])
    weights = np.random.default_rng(1).uniform(0.1, 3.0, len(y)) if weighted else None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dense, of_sparse = (
            TLogisticRegression().fit(form(X), y, weights) for form in (np.asarray, sparse.csr_matrix)
        )
    np.testing.assert_allclose(of_sparse.coef_, dense.coef_, rtol=1e-9, atol=1e-9 * abs(dense.coef_).max())
    assert of_sparse.score(sparse.csr_matrix(X), y) == dense.score(X, y) > 0.7


def test_a_variance_keeps_its_digits_whatever_the_weights_of_the_zeros():
    X, _ = sample()
    X = np.column_stack([X, np.full(len(X), 1e8 / 3.0), 1e9 + X[:, 0], np.eye(len(X))[:, 0] * 1e5])
    shares = np.random.default_rng(2).uniform(1e-9, 1.0, len(X))
    shares /= shares.sum()
    risk = _ScaledRisk(sparse.csr_array(X), np.ones(len(X)), shares)
    rows, offset = risk._scaled
    units, centre = risk._units[:-1], shares @ X
    expected = shares @ (X - centre) ** 2
    np.testing.assert_allclose(_moments(sparse.csr_array(X), shares)[1], expected, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose((rows.toarray() - offset) / units, X - centre, atol=1e-6)
    assert offset[5] == offset[6] == 0.0
    np.testing.assert_allclose(offset[:5], centre[:5] * units[:5], rtol=1e-12)


@pytest.mark.parametrize("gamma", [1e-30, 1e-3, 1.0, 1e200])
@pytest.mark.parametrize("large", [0, 1, 5, 80, 90])
def test_gaussian_values_of_sparse_rows_are_those_of_differences(large, gamma):
    """With columns so large that norms say nothing: none, a few, more than are written out, and all."""
    rng = np.random.default_rng(large)
    A, B = (rng.normal(size=(n, 90)) * (rng.random((n, 90)) < 0.3) for n in (30, 40))
    A[0] = B[1] = 0.0
    B[2:12] = A[2:12] + 1e-3 * rng.normal(size=(10, 90)) * (A[2:12] != 0.0)
    for X in (A, B):
        X[:, :large] += 1e8 * (rng.random(large) + 1.0) * (np.arange(large) % 3 > 0)
    B[3:12, :large] = A[3:12, :large]
    kernel = Gaussian(gamma)
    forms = np.asarray, sparse.csr_matrix
    for a, b in itertools.product(forms, forms):
        if a is not b or a is not np.asarray:
            np.testing.assert_allclose(kernel.matrix(a(A), b(B)), kernel.matrix(A, B), rtol=1e-9, atol=1e-300)
    np.testing.assert_allclose(
        kernel.matrix(sparse.csr_matrix(A), sparse.csr_matrix(A)), kernel.matrix(A, A), atol=1e-11
    )
    huge = sparse.csr_matrix(A * 1e200)
    np.testing.assert_allclose(kernel.matrix(huge, huge), np.eye(len(A)), atol=1e-11)


@pytest.mark.parametrize("how", [*COLUMNS, *ALL])
def test_the_linear_programme(how):
    """One solver gives one classifier; two have values of which neither is below the other's bound."""
    X, y = sample(60)
    X = changed(X, how)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dense, of_sparse = (
            FeatureDeletionLP(solver="first_order", max_iter=2000).fit(form(X), y)
            for form in (np.asarray, sparse.csr_matrix)
        )
        exact = FeatureDeletionLP().fit(X, y)
    np.testing.assert_allclose(of_sparse.coef_, dense.coef_, rtol=0.0, atol=1e-9 * abs(dense.coef_).max())
    for one, other in ((exact, of_sparse), (of_sparse, exact)):
        assert one.objective_ >= other.objective_ - other.gap_ - 1e-9

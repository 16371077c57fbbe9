"""The parts of the kernel solver, each against an obvious twin, and what last bits must not change."""

import warnings

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

from paperlib._common.kernels import Gaussian, Polynomial
from paperlib.coresets import CoresetSVC
from paperlib.coresets._kernel_solver.ascent import TIED, ascend, first_largest, scaled
from paperlib.coresets._kernel_solver.pool import (
    HeldRows,
    KernelPool,
    NearGaussian,
    fill,
    fill_gram,
    pivot,
    with_products,
)
from paperlib.coresets._search.rows import ArrayRows
from paperlib.coresets._solver.coresets import KernelCoreset, WithConstant
from paperlib.coresets._solver.hull import min_norm_point
from tests.paperlib.coresets.helpers import mapped, root


def signed_gram(rng, k, d, gamma=0.5):
    X, signs = rng.normal(size=(k, d)), rng.choice([-1.0, 1.0], k)
    return signs[:, None] * rbf_kernel(X, X, gamma=gamma) * signs


def twin(gram):
    """The weights of the largest margin, scaled to one: by Wolfe's algorithm, on a root of the matrix."""
    x, weights, _ = min_norm_point(root(gram))
    return weights / (x @ x)


def slow_ascent(gram, a, steps):
    """One coordinate at a time, whichever gains most, with everything computed anew."""
    for _ in range(steps):
        a = a * a.sum() / (a @ gram @ a)
        lacks = 1.0 - gram @ a
        gains = np.where((lacks > 0) | (a > 0), lacks**2 / np.diagonal(gram), 0.0)
        at = gains.argmax()
        a[at] = max(0.0, a[at] + lacks[at] / gram[at, at])
    return a


# Steps along coordinates


@pytest.mark.drawn(3)
@pytest.mark.parametrize("k, d", [(1, 1), (2, 3), (30, 2), (200, 6)])
@pytest.mark.parametrize("size", [1e-200, 1e-9, 1.0, 1e9, 1e200])
def test_steps_end_within_the_gap_of_the_largest_margin(k, d, size):
    rng = np.random.default_rng(k)
    gram = signed_gram(rng, k, d, gamma=2.0)
    room = np.full((k + 3, k + 3), np.nan)  # only a corner is read
    room[:k, :k] = size * gram
    best = 1.0 / np.sqrt(twin(gram).sum())
    for gap in (0.1, 1e-3, 1e-6):
        a = np.zeros(k)
        a[0] = 1.0 / size
        lacks = 1.0 - room[:k, :k] @ a
        steps, reached = ascend(room, a, lacks, 10**6, gap)
        assert reached and steps < 10**6 and (a >= 0).all()
        assert np.allclose(lacks, 1.0 - gram @ (size * a), atol=1e-9) and lacks.max() <= gap
        a *= size
        norm = np.sqrt(a @ gram @ a) / a.sum()
        assert best * (1 - 1e-9) <= norm <= best / (1 - gap)
    slow = slow_ascent(gram, np.eye(k)[0], 20_000)
    assert np.isclose(np.sqrt(slow @ gram @ slow) / slow.sum(), norm, rtol=1e-5)


def test_each_step_gains():
    rng = np.random.default_rng(0)
    gram = signed_gram(rng, 60, 2, gamma=0.2)
    a, before = np.zeros(60), 0.0
    a[0] = 1.0
    for _ in range(200):
        ascend(gram, a, 1.0 - gram @ a, 1, 1e-12)
        value = a.sum() - a @ gram @ a / 2
        assert value >= before - 1e-12
        before = value


def test_copies_opposites_and_a_budget():
    gram = np.array([[1.0, 1.0, 0.2], [1.0, 1.0, 0.2], [0.2, 0.2, 2.0]])
    a = np.array([0.0, 0.0, 0.5])
    _, reached = ascend(gram, a, 1.0 - gram @ a, 100, 1e-9)
    assert reached and (a[0] == 0) != (a[1] == 0)  # one of the two copies
    opposite = np.array([[1.0, -1.0], [-1.0, 1.0]])
    a = np.array([1.0, 0.0])
    _, reached = ascend(opposite, a, 1.0 - opposite @ a, 50, 1e-9)
    assert not reached and np.isfinite(a).all() and (a >= 0).all()
    assert ascend(gram, np.array([0.0, 0.0, 0.5]), np.array([0.9, 0.9, 0.0]), 0, 0.1) == (0, False)


def test_scaling_finds_the_best_length():
    rng = np.random.default_rng(0)
    gram = signed_gram(rng, 20, 3)
    a = rng.random(20)
    lacks, given = 1.0 - gram @ a, a.copy()
    total, most = scaled(a, lacks)
    scale = a[0] / given[0]
    assert np.isclose(scale, given.sum() / (given @ gram @ given)) and np.allclose(a, scale * given)
    assert np.isclose(total, a.sum()) and np.allclose(lacks, 1.0 - gram @ a)
    assert most == max(0.0, lacks.max())
    assert scaled(np.zeros(2), np.ones(2)) == (0.0, -1.0)
    assert scaled(np.ones(2), np.ones(2)) == (0.0, -1.0)  # of no length


@given(
    st.lists(st.integers(0, 6), min_size=1, max_size=40), st.integers(0, 99), st.sampled_from([1e-250, 1.0])
)
def test_the_first_of_the_largest(numbers, seed, scale):
    values = scale * np.array(numbers, dtype=float)
    wanted = int(values.argmax()) if values.any() else -1
    assert first_largest(values) == wanted
    nudges = np.random.default_rng(seed).choice([-1, 0, 1], len(values))
    with np.errstate(under="ignore"):
        assert first_largest(values * (1 + 4e-16 * nudges)) == wanted
    assert TIED * 2.0**-52 < 1e-11


# Pivoting


@pytest.mark.parametrize("k, d", [(1, 1), (2, 2), (40, 2), (150, 5)])
def test_pivoting_is_exact_from_any_guess(k, d):
    rng = np.random.default_rng(k)
    for _ in range(4):
        gram = signed_gram(rng, k, d, gamma=1.0)
        wanted = twin(gram)
        for guess in (np.ones(k, bool), np.arange(k) == 0, wanted > 0, rng.random(k) < 0.5):
            guess[0] |= not guess.any()
            before = guess.copy()
            a = pivot(gram, guess)
            assert (guess == before).all() and (a >= 0).all()
            assert (1.0 - gram @ a <= 1e-8).all() and np.isclose(a @ gram @ a, a.sum(), rtol=1e-9)
            assert np.isclose(a.sum(), wanted.sum(), rtol=1e-6)


def test_pivoting_gives_up_where_points_depend_on_each_other():
    opposite = np.array([[1.0, -1.0], [-1.0, 1.0]])
    assert pivot(opposite, np.ones(2, bool)) is None
    assert pivot(np.ones((3, 3)), np.ones(3, bool)) is None
    assert pivot(np.eye(2), np.zeros(2, bool)) is None


# Blocks


@pytest.mark.parametrize("offset, spread", [(0.0, 1.0), (1e3, 1.0), (0.0, 1e-9), (5.0, 30.0), (1e9, 1.0)])
def test_a_block_by_products_is_the_kernel_matrix(offset, spread):
    rng = np.random.default_rng(0)
    A, B = offset + spread * rng.normal(size=(30, 7)), offset + spread * rng.normal(size=(45, 7))
    B[:5] = A[:5]
    kernel = Gaussian(0.3)
    products = with_products(kernel, A[:9])
    assert isinstance(products, NearGaussian)
    assert np.allclose(products.matrix(A, B), kernel.matrix(A, B), rtol=1e-11, atol=1e-13)
    assert (products.matrix(A, B) <= 1.0).all()
    longer = with_products(WithConstant(kernel), A)
    assert np.allclose(longer.matrix(A, B), kernel.matrix(A, B) + 1.0, rtol=1e-12)
    other = Polynomial(0.5, 2, 1.0)
    assert with_products(other, A) is other


def test_blocks_fill_the_whole(monkeypatch):
    monkeypatch.setattr("paperlib.coresets._kernel_solver.pool.VALUES", 50)
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(9, 3)), rng.normal(size=(23, 3))
    out = np.full((9, 23), np.nan)
    fill(Gaussian(0.5), A, B, out)
    assert np.allclose(out, Gaussian(0.5).matrix(A, B))


@pytest.mark.parametrize("block", [1, 50, 10**6])
@pytest.mark.parametrize("before", [0, 1, 9, 22, 23])
def test_a_gram_matrix_is_filled_up(block, before, monkeypatch):
    monkeypatch.setattr("paperlib.coresets._kernel_solver.pool.VALUES", block)
    rng = np.random.default_rng(0)
    rows, signs = rng.normal(size=(23, 3)), rng.choice([-1.0, 1.0], 23)
    gram = np.full((23, 23), np.nan)
    gram[:before, :before] = 7.0
    fill_gram(Gaussian(0.5), rows, signs, before, gram)
    wanted = signs[:, None] * Gaussian(0.5).matrix(rows, rows) * signs
    wanted[:before, :before] = 7.0
    assert np.allclose(gram, wanted, rtol=0, atol=1e-15) and (gram == gram.T).all()


# The pool


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.25, 1e-2, 1e-7]), st.booleans())
@example(0, 1e-7, True)
@settings(max_examples=60, deadline=None)
def test_a_pool_that_grows_is_solved_within_its_gap(seed, gap, copies):
    rng = np.random.default_rng(seed)
    k, d = int(rng.integers(1, 60)), int(rng.integers(1, 4))
    X, signs = rng.normal(size=(k, d)), rng.choice([-1.0, 1.0], k)
    if copies:
        rows = rng.integers(0, 1 + k // 2, size=k)
        X, signs = X[rows], signs[rows]
    pool, exact = KernelPool(Gaussian(3.0), d, gap), KernelCoreset(Gaussian(3.0), d)
    start = 0
    while start < k:
        part = np.arange(start, min(k, start + int(rng.integers(1, 30))))
        for coreset in (pool, exact):
            coreset.add(part, X[part], signs[part])
        start = part[-1] + 1
        gram = signs[:start, None] * rbf_kernel(X[:start], gamma=3.0) * signs[:start]
        assert (pool.dual >= 0).all() and np.isclose(pool.dual.sum(), 1.0)
        assert np.isclose(pool.margin, np.sqrt(max(0.0, pool.dual @ gram @ pool.dual)), rtol=1e-9, atol=1e-7)
        assert exact.margin - 1e-7 <= pool.margin <= exact.margin / (1 - 1.01 * gap) + 1e-7
    assert (np.diff(pool.path) <= 1e-7).all() and len(pool) == k


def test_a_pool_where_every_method_is_needed(monkeypatch):
    """Steps for a large gap, pivoting for a small one, and Wolfe's algorithm where points are dependent."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    signs = np.where(X[:, 0] > 0, 1.0, -1.0)
    X[:, 0] += 0.3 * signs
    called = []
    module = "paperlib.coresets._kernel_solver.pool."
    monkeypatch.setattr(module + "pivot", lambda *args: called.append("pivot") or pivot(*args))
    monkeypatch.setattr(
        KernelPool, "_points", lambda self: called.append("wolfe") or KernelCoreset._points(self)
    )
    for kernel, gap, expected in (
        (Gaussian(1.0), 0.1, []),
        (Gaussian(0.03), 1e-13, ["pivot"]),  # as at 1e-12 and 1e-14: last bits do not decide it
        (Gaussian(0.0001), 1e-6, ["pivot", "wolfe"]),
    ):
        called.clear()
        pool, exact = KernelPool(kernel, 3, gap), KernelCoreset(kernel, 3)
        pool.add(np.arange(80), X, signs)
        exact.add(np.arange(80), X, signs)
        assert called == expected
        assert exact.margin * (1 - 1e-7) <= pool.margin <= exact.margin / (1 - gap) * (1 + 1e-7)


# Passes that keep values


@pytest.mark.parametrize("kernel", [Gaussian(0.3), WithConstant(Gaussian(0.3)), Polynomial(0.2, 2, 1.0)])
@pytest.mark.parametrize("form", ["float64", "float32", "memmap"])
def test_values_that_are_kept_give_the_same_rows(kernel, form, tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    X, signs = rng.normal(size=(700, 6)), rng.choice([-1.0, 0.0, 1.0], size=700, p=[0.5, 0.1, 0.4])
    X = X.astype(np.float32).astype(float)
    given = X.astype(np.float32) if form == "float32" else X
    if form == "memmap":
        given = mapped(X, tmp_path)
    pool, used = KernelPool(kernel, 6, 0.01), np.flatnonzero(signs)
    kept, read = HeldRows(given, signs, pool), ArrayRows(given, signs, pool, 0.0)
    monkeypatch.setattr("paperlib.coresets._kernel_solver.pool.HELD", 10 * 700)
    few = HeldRows(given, signs, pool)  # which stops to keep them on the way
    for i in range(0, 32, 4):
        pool.add(used[i : i + 4], X[used[i : i + 4]], signs[used[i : i + 4]])
        if not pool.separable:
            break
        wanted = read.scan(pool.plane, pool.margin, 9)
        for rows in (kept, few):
            found = rows.scan(pool.plane, pool.margin, 9)
            assert found.indices.tolist() == wanted.indices.tolist() and (found.rows == wanted.rows).all()
            assert np.allclose(found.margins, wanted.margins, atol=1e-12) and (found.signs != 0).all()
        assert len(kept.scan(pool.plane, -1e9, 1).indices) == 1  # some row, though none is so low
    assert i >= 4 and len(kept._values) > 0 and (i < 12 or len(few._values) == 0)
    before = pool.plane
    pool.add(used[i + 4 :], X[used[i + 4 :]], signs[used[i + 4 :]])  # now all
    for plane in (before, pool.plane):
        wanted, found = (rows.scan(plane, np.inf, len(used)) for rows in (read, kept))
        assert sorted(found.indices) == sorted(wanted.indices) == used.tolist()
        in_order = [np.argsort(each.indices) for each in (found, wanted)]
        assert np.allclose(found.margins[in_order[0]], wanted.margins[in_order[1]], atol=1e-11)


# The classifier


def exact_margin(K, signs):
    gram = signs[:, None] * K * signs
    return 1.0 / np.sqrt(pivot(gram, np.ones(len(gram), bool)).sum())


@pytest.mark.parametrize("eps", [0.5, 0.1, 1e-3, 1e-8])
def test_digits_with_a_certificate(eps):
    digits = load_digits()
    X, y = digits.data, np.where(digits.target % 2, 1, -1)
    clf = CoresetSVC(eps, kernel="rbf", gamma="scale", random_state=0).fit(X, y)
    K = rbf_kernel(X, gamma=1 / (64 * X.var()))
    at, signs = clf.coreset_indices_, np.where(y == clf.classes_[1], 1.0, -1.0)
    hull = clf.hull_weights_ * signs[at]
    norm = np.sqrt(hull @ K[np.ix_(at, at)] @ hull)
    assert np.isclose(clf.hull_weights_.sum(), 1.0) and np.isclose(norm, clf.margin_upper_bound_, rtol=1e-9)
    achieved = (signs * (K[:, at] @ hull)).min() / norm
    assert np.isclose(achieved, clf.margin_, rtol=1e-9)
    best = exact_margin(K, signs)
    assert (1 - eps) * clf.margin_upper_bound_ <= achieved <= best * (1 + 1e-9)
    assert best <= clf.margin_upper_bound_ * (1 + 1e-9) and clf.margin_upper_bound_ <= best / (1 - eps)
    assert clf.n_passes_ <= 8 and (np.diff(clf.margin_path_) <= 1e-12).all()


@pytest.mark.parametrize("copies", [False, True])
def test_where_nearly_all_rows_bear_weight_all_join_at_once(copies):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1500, 4)), rng.choice([-1, 1], 1500)
    if copies:
        X[-100:], y[-100:] = X[:100], y[:100]
    clf = CoresetSVC(1e-3, kernel="rbf", gamma=20.0, random_state=0).fit(X, y)
    different = 1400 if copies else 1500
    gram = rbf_kernel(X[:different], gamma=20.0)
    best = exact_margin(gram, y[:different].astype(float))
    assert (1 - 1e-3) * best <= clf.margin_ <= best * (1 + 1e-9) <= clf.margin_upper_bound_ * (1 + 2e-9)
    assert np.isclose((y * clf.decision_function(X)).min(), clf.margin_, rtol=1e-9)
    assert clf.n_passes_ <= 4 and len(clf.coreset_indices_) > 0.9 * different


@pytest.mark.parametrize("eps", [0.1, 1e-3])
def test_last_bits_change_no_coreset(eps):
    """Another processor rounds otherwise; chance in the choice of steps would make other coresets of that."""
    digits = load_digits()
    X, y = digits.data[:1300], np.where(digits.target[:1300] == 8, 1, -1)
    found = []
    for seed in range(4):
        nudges = np.random.default_rng(seed).choice([-1, 0, 1], X.shape)
        clf = CoresetSVC(eps, kernel="rbf", gamma=7e-4, random_state=0).fit(X * (1 + 2e-16 * nudges), y)
        found.append((clf.coreset_indices_.tolist(), clf.decision_function(X)))
    assert all(indices == found[0][0] for indices, _ in found)
    assert all(np.allclose(scores, found[0][1], rtol=0, atol=1e-12) for _, scores in found)


def test_values_that_are_not_kept_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 4))
    y = np.where((X**2).sum(axis=1) > 3, 1, -1)
    kept = CoresetSVC(0.05, kernel="rbf", random_state=0).fit(X, y)
    monkeypatch.setattr("paperlib.coresets._kernel_solver.pool.HELD", 0)
    for n_jobs in (None, 2):
        clf = CoresetSVC(0.05, kernel="rbf", random_state=0, n_jobs=n_jobs).fit(X, y)
        assert (clf.coreset_indices_ == kept.coreset_indices_).all()
        assert np.isclose(clf.margin_, kept.margin_, rtol=1e-9)
    with pytest.raises(ValueError, match="n_jobs must be None or an integer other than 0, got 0"):
        CoresetSVC(kernel="rbf", n_jobs=0).fit(X, y)


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_conflicting_copies_hold_the_origin(kernel):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2500, 3))
    y = np.where(X[:, 0] > 0, 1, -1)
    X, y = np.r_[X, X[:1]], np.r_[y, -y[:1]]
    with pytest.raises(ValueError, match="not separable"):
        CoresetSVC(kernel=kernel).fit(X, y)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        clf = CoresetSVC(kernel=kernel, on_nonseparable="warn").fit(X, y)
    assert [each.category for each in caught] == [ConvergenceWarning] and clf.margin_ <= 0
    assert np.isclose((y * clf.decision_function(X)).min(), clf.margin_)
    left_out = np.r_[np.ones(2500), 0.0]
    assert CoresetSVC(0.05, kernel="rbf").fit(X, y, left_out).margin_ > 0

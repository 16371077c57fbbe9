"""Coordinate steps: the kernels beside plain twins, and the certificate on data of every kind."""

import warnings
from functools import partial
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning

from paperlib.coresets import CoresetSVC
from paperlib.coresets._coordinate import hard
from paperlib.coresets._coordinate.ascent import Ascent
from paperlib.coresets._coordinate.steps import DENSE, SPARSE, along
from tests.paperlib.coresets import helpers
from tests.paperlib.coresets.helpers import mapped

FORMS = ("float64", "float32", "csr", "csr, 64 bits")
sample = partial(helpers.sample, density=0.5)
check_certificate = partial(helpers.check_certificate, by_steps=True)


def in_form(X, form):
    if form.startswith("float"):
        return X.astype(form)
    X = csr_matrix(X)
    if form.endswith("64 bits"):
        X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def by_steps(eps, **kwargs):
    """A fit by steps however few the features are."""

    def fit(X, y, sample_weight=None):
        with patch.object(hard, "WIDE", 1):
            return CoresetSVC(eps, **{"random_state": 0} | kwargs).fit(X, y, sample_weight)

    return fit


# Kernels


def twin_steps(Z, order, box, a):
    """One coordinate after the other, everything computed anew."""
    a, changed = a.copy(), 0
    for i in order:
        margin, squared = Z[i] @ (a @ Z), Z[i] @ Z[i]
        if abs(margin - 1) > 1e-11:
            best = a[i] + (1 - margin) / squared if squared else np.inf * (1 - margin)
            best = min(max(best, 0.0), box[i])
            changed += best != a[i]
            a[i] = best
    return a, changed


@pytest.mark.parametrize("constant", [0.0, 1.5])
@pytest.mark.parametrize("form", FORMS)
def test_kernels_beside_plain_twins(form, constant):
    rng = np.random.default_rng(0)
    X, _ = sample(60, 7)
    X[5], X[9] = 0.0, X[8]
    X = X.astype(np.float32).astype(float)
    given = in_form(X, form)
    kernels, rows = (
        (SPARSE, (given.indptr, given.indices, given.data)) if "csr" in form else (DENSE, (given,))
    )
    factors = rng.choice([-0.3, 0.0, 0.3], 60)
    Z = factors[:, None] * np.column_stack([X, np.full(60, constant)])
    squared, w, out = np.empty(60), np.empty(8), np.empty(60)
    kernels.squared_norms(*rows, constant, squared)
    assert np.allclose(squared, (X**2).sum(axis=1) + constant**2)
    a = rng.uniform(size=60) * rng.choice([0, 1], 60)
    kernels.combination(*rows, factors, a, w, constant)
    assert np.allclose(w, a @ Z, atol=1e-14)
    kernels.margins(*rows, factors, w, constant, out)
    assert np.allclose(out, np.where(factors == 0, np.inf, Z @ w))
    for box in (np.full(60, np.inf), rng.uniform(0.1, 1.0, 60)):
        a[:], w[:] = 0.0, 0.0
        order = rng.permutation(np.flatnonzero(squared * factors**2 > 0))
        for _ in range(3):
            wanted, moved = twin_steps(Z, order, box, a)
            changed = kernels.steps(*rows, order, factors, squared * 0.09, box, a, w, constant)
            assert np.allclose(a, wanted, rtol=1e-9, atol=1e-12) and changed == moved
            assert np.allclose(w, a @ Z, atol=1e-12)
            assert ((a >= 0) & (a <= box)).all()


def test_the_maximum_along_one_coordinate():
    assert along(1.0, 1.0 + 1e-13, 0.5, np.inf) == 1.0  # a margin of one but for rounding
    assert along(1.0, 0.5, 0.5, np.inf) == 2.0 and along(1.0, 0.5, 0.5, 1.5) == 1.5
    assert along(0.1, 2.0, 0.5, 1.5) == 0.0
    assert along(0.0, 0.0, 0.0, 1.5) == 1.5 and along(1.0, 2.0, 0.0, 1.5) == 0.0  # a point at the origin


def test_an_order_holds_each_row_once_and_the_rest_is_left_alone():
    X, y = sample(103, 4)
    signs = y * (np.arange(103) % 5 > 0).astype(float)
    ascent = Ascent(X, signs, 0.0, np.random.default_rng(0))
    assert sorted(ascent._order()) == np.flatnonzero(signs).tolist()
    ascent.round()
    assert (ascent.a[signs == 0] == 0).all() and np.isinf(ascent.margins[signs == 0]).all()
    ascent.shrink()
    for i in range(103):
        assert (i in ascent.active) == (signs[i] != 0 and (ascent.a[i] > 0 or ascent.margins[i] < 1))
    ascent.box[:] = 0.5 * ascent.a.max()
    ascent.a = np.minimum(ascent.a, ascent.box)
    ascent.look()
    ascent.shrink()
    for i in np.flatnonzero(signs):
        at_end = ascent.margins[i] >= 1 if ascent.a[i] == 0 else ascent.margins[i] <= 1
        assert (i in ascent.active) == (0 < ascent.a[i] < ascent.box[i] or not at_end)


# Hard margins


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("n, d", [(2, 1), (2, 5), (10, 30), (400, 1), (400, 8), (3000, 30)])
def test_the_certificate_and_the_margin_of_the_hull(n, d, intercept, form):
    X, y = sample(n, d, seed=n)
    X[0], X[1], y[:2] = y[0] * X[0], -y[1] * X[1], [1, -1]
    X = X.astype(np.float32).astype(float)
    best = CoresetSVC(1e-11, fit_intercept=intercept).fit(X, y).margin_
    for eps in (0.5, 0.1, 1e-3):
        clf = by_steps(eps, fit_intercept=intercept)(in_form(X, form), y)
        check_certificate(clf, X, y)
        assert clf.margin_ <= best * (1 + 1e-9) and best <= clf.margin_upper_bound_ * (1 + 1e-9)
        assert (clf.predict(in_form(X, form)) == y).all()


@pytest.mark.drawn(1)
@pytest.mark.parametrize("form", ["float64", "csr"])
@given(
    arrays(float, st.tuples(st.integers(2, 12), st.integers(1, 3)), elements=st.integers(-3, 3).map(float)),
    st.integers(0, 2**32 - 1),
    st.sampled_from([1e-140, 1e-9, 1.0, 1e9, 1e140]),
    st.booleans(),
    st.booleans(),
)
@settings(max_examples=100, deadline=None)
def test_degenerate_data_end_in_a_certificate_either_way(form, X, seed, scale, separable, hands_over):
    rng = np.random.default_rng(seed)
    y = np.where(X @ rng.normal(size=X.shape[1]) > 0, 1, -1) if separable else rng.choice([-1, 1], len(X))
    if abs(y.sum()) == len(y):
        return
    X = in_form(X * scale, form)
    with warnings.catch_warnings(record=True) as caught, patch.object(hard, "LEAST", 100 * hands_over):
        warnings.simplefilter("always")
        clf = by_steps(0.01, on_nonseparable="warn")(X, y)
    check_certificate(clf, X, y)
    with warnings.catch_warnings(record=True) as expected:
        warnings.simplefilter("always")
        CoresetSVC(0.01, on_nonseparable="warn").fit(X, y)
    assert [w.category for w in caught] == [w.category for w in expected]
    assert (clf.margin_ <= 0) == bool(caught)
    if caught:
        assert "not separable" in str(caught[0].message)
        with pytest.raises(ValueError, match=r"not separable.*OutlierCoresetSVC"):
            by_steps(0.5)(X, y)


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 1e-13, 1e-10, 1e-6]), st.integers(-9, 9))
@settings(max_examples=60, deadline=None)
def test_duplicates_and_nearly_dependent_points(seed, noise, power):
    rng = np.random.default_rng(seed)
    X, y = sample(int(rng.integers(2, 6)), int(rng.integers(1, 7)), seed=seed)
    rows = rng.integers(len(X), size=60)
    X, y = X[rows] + noise * rng.normal(size=(60, X.shape[1])), y[rows]
    X, y = np.r_[X, -X[:3]] * 10.0**power, np.r_[y, -y[:3]]
    clf = by_steps(0.01)(X, y)
    check_certificate(clf, X, y)
    assert clf.margin_ > 0


@pytest.mark.parametrize("form", ["float64", "csr"])
def test_copies_of_a_point_share_no_weight(form):
    X, y = sample(40, 60)
    clf = by_steps(0.01)(in_form(np.r_[X, X, X], form), np.r_[y, y, y])
    held = clf.coreset_indices_ % 40
    assert len(np.unique(held)) == len(held)


@pytest.mark.parametrize("form", ["float64", "csr"])
def test_rounding_of_the_data_changes_no_support(form):
    X, y = sample(300, 40)
    found = set()
    for seed in range(4):
        rounded = X * (1 + 1e-15 * np.random.default_rng(seed).choice([-1, 0, 1], X.shape))
        clf = by_steps(0.01)(in_form(rounded, form), y)
        found.add((clf.n_iter_, tuple(clf.coreset_indices_)))
    assert len(found) == 1


@pytest.mark.parametrize("form", ["float64", "csr"])
def test_what_cannot_be_separated(form):
    X, y = sample(300, 12)
    X[17], y[17] = X[16], -y[16]
    words = (
        r"not separable.*convex combination of \d+ signed points.*norm .*e-1\d.*C gives.*OutlierCoresetSVC"
    )
    with pytest.raises(ValueError, match=words):
        by_steps(0.1)(in_form(X, form), y)
    with pytest.warns(ConvergenceWarning, match=words):
        clf = by_steps(0.1, on_nonseparable="warn")(in_form(X, form), y)
    check_certificate(clf, X, y)
    assert clf.margin_ < 0


@pytest.mark.parametrize("form", ["float64", "csr"])
def test_a_point_at_the_origin(form):
    for at in (0, 100):
        X, y = sample(300, 12)
        X[at] = 0
        with pytest.raises(ValueError, match=f"row {at} weighs most"):
            by_steps(0.1)(in_form(X, form), y)
        with pytest.warns(ConvergenceWarning):
            check_certificate(by_steps(0.1, on_nonseparable="warn")(in_form(X, form), y), X, y)
    with pytest.warns(ConvergenceWarning):
        clf = by_steps(0.1, on_nonseparable="warn")(in_form(np.zeros((4, 3)), form), [0, 1, 0, 1])
    assert clf.margin_ == 0 == clf.margin_upper_bound_


@pytest.mark.parametrize("form", ["float64", "csr"])
def test_a_weight_of_zero_leaves_a_row_out(form):
    X, y = sample(500, 14)
    weights = np.ones(500)
    weights[::5] = 0
    wrong = np.where(weights == 0, -y, y)
    clf = by_steps(0.01)(in_form(X, form), wrong, weights)
    check_certificate(clf, X, wrong, weights)
    only = by_steps(0.01)(in_form(X[weights > 0], form), y[weights > 0])
    assert np.isclose(clf.margin_, only.margin_, rtol=0.01)


def test_many_rows_begin_with_a_sample():
    X, y = sample(60_000, 3)
    reads = []
    inner = Ascent.round
    with patch.object(Ascent, "round", lambda self: (reads.append(len(self.active)), inner(self))[1]):
        clf = by_steps(0.01)(X, y)
    check_certificate(clf, X, y)
    assert reads[0] < 1100 and clf.n_passes_ <= 60


def test_the_hull_takes_over_where_steps_are_slow(monkeypatch):
    X, y = sample(400, 20, gap=0.01)
    steps = by_steps(1e-6)(X, y)
    assert len(steps.coreset_indices_) <= 21  # a hull's
    monkeypatch.setattr(hard, "LEAST", 0)
    monkeypatch.setattr(hard, "PATIENCE", 0.0)
    for form in ("float64", "csr"):
        clf = by_steps(1e-9)(in_form(X, form), y)
        check_certificate(clf, X, y)
        assert np.isclose(clf.margin_, CoresetSVC(1e-9).fit(X, y).margin_, rtol=1e-8)
    monkeypatch.setattr(hard, "HELD", 0)
    with pytest.warns(ConvergenceWarning, match="no certificate, because of max_iter=5"):
        clf = by_steps(1e-9, max_iter=5)(csr_matrix(X), y)
    assert clf.n_iter_ == 5
    signs = np.where(y > 0, 1, -1)
    assert np.isclose((signs * clf.decision_function(X)).min(), clf.margin_)


def test_steps_are_for_many_features_in_memory(tmp_path):
    X, y = sample(60, 600)
    rows = mapped(X, tmp_path)
    assert hard.suits(X) and hard.suits(csr_matrix(X))
    assert hard.suits(X[:, :100]) and not hard.suits(X[:, :99])
    many = np.broadcast_to(X[0], (10_001, 600))
    assert hard.suits(many[1:, :100]) and not hard.suits(many[:, :100]) and hard.suits(many)
    assert not hard.suits(rows) and not hard.suits(np.asarray(rows)[3:])
    for selection in ("batch", "worst"):
        with patch.object(hard, "Ascent", None):
            if selection == "worst":
                CoresetSVC(0.1, selection=selection).fit(X, y)
            CoresetSVC(0.1).fit(rows, y)


@pytest.mark.parametrize("form", ["float64", "csr"])
@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_scales_at_the_ends_of_what_can_be_squared(form, scale):
    X, y = sample(60, 9)
    clf, plain = (by_steps(0.01)(in_form(X * s, form), y) for s in (scale, 1.0))
    check_certificate(clf, X * scale, y)
    assert np.isclose(clf.margin_ / scale, plain.margin_, rtol=1e-9)
    with pytest.raises(ValueError, match=r"too (small|large) in size"):
        by_steps(0.01)(in_form(X * 1e160 if scale > 1 else X * 1e-160, form), y)
    for bad in (np.nan, np.inf):
        X[7, 3] = bad
        with pytest.raises(ValueError, match=r"X contains (NaN|infinity)"):
            by_steps(0.01)(in_form(X, form), y)


def test_steps_alone_find_that_nothing_separates(monkeypatch):
    monkeypatch.setattr(hard, "HELD", 0)
    X, y = sample(200, 12)
    y = np.random.default_rng(0).choice([-1, 1], 200)
    with pytest.warns(ConvergenceWarning, match="not separable"):
        clf = by_steps(0.1, on_nonseparable="warn")(csr_matrix(X), y)
    check_certificate(clf, X, y)
    assert clf.n_iter_ < 30

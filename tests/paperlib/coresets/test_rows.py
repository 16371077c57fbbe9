"""Passes over the rows: the same rows found in whatever form the data come, and however many are skipped."""

import dask.array as da
import numpy as np
import pytest

from paperlib._common.kernels import Gaussian
from paperlib.coresets._search import margins as kernels
from paperlib.coresets._search import rows as scans
from paperlib.coresets._search.rows import ArrayRows, ChunkedRows, Pool, smallest
from paperlib.coresets._solver.coresets import (
    Coreset,
    KernelCoreset,
    LinearCoreset,
    LinearPlane,
    WithConstant,
)
from tests.paperlib.coresets.helpers import mapped


def twin(X, signs, plane, ceiling, count):
    """The margins one by one, sorted."""
    margins = [(s * plane.scores(x[None])[0], i) for i, (x, s) in enumerate(zip(X, signs)) if s != 0]
    kept = sorted(pair for pair in margins if pair[0] <= ceiling)[:count]
    return [i for _, i in kept], [m for m, _ in kept]


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    return rng.normal(size=(700, 6)), rng.choice([-1.0, 0.0, 1.0], size=700, p=[0.5, 0.1, 0.4])


def wandering(d, count, intercept=False, step=0.05):
    """Hyperplanes of which each is a little off the one before."""
    rng = np.random.default_rng(1)
    coreset, x = LinearCoreset(d, intercept), rng.normal(size=d + intercept)
    for _ in range(count):
        x = x / np.linalg.norm(x) + step * rng.normal(size=len(x))
        yield coreset, coreset._plane(x)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("form", ["C", "F", "float32", "strided", "memmap"])
def test_skipped_rows_are_never_missed(data, form, intercept, tmp_path, monkeypatch):
    monkeypatch.setattr(scans, "BLOCK", 64)
    monkeypatch.setattr(scans, "ROWS", 300)
    X, signs = data
    X = X.astype(np.float32).astype(float) if form == "float32" else X
    given = {
        "C": X,
        "F": np.asfortranarray(X),
        "float32": X.astype(np.float32),
        "strided": np.repeat(X, 2, axis=0)[::2],
        "memmap": None,
    }[form]
    if form == "memmap":
        given = mapped(X, tmp_path)
    coreset = LinearCoreset(6, intercept)
    rows = ArrayRows(given, signs, coreset, float(intercept))
    for step, (_, plane) in enumerate(wandering(6, 30, intercept)):
        ceiling = -1.0 - 0.02 * step + (2.0 if step in (7, 20) else 0.0)  # it falls, and rises now and then
        found = rows.scan(plane, ceiling, 20)
        wanted, margins = twin(X, signs, plane, ceiling, 20)
        assert found.indices.tolist() == wanted
        assert np.allclose(found.margins, margins, atol=1e-13)
        assert (found.rows == X[wanted]).all() and (found.signs == signs[wanted]).all()
    assert rows.n_passes == 30


@pytest.mark.parametrize("lengths", [(1.0, 1.0), (4.0, 0.1), (0.1, 4.0)])  # of the first rows and the last
@pytest.mark.parametrize("first, last", [(-2.2, -2.2), (1.0, -2.2), (-3.0, -1.5)])
def test_few_rows_are_below_a_ceiling_and_none_of_them_is_missed(first, last, lengths, monkeypatch):
    monkeypatch.setattr(scans, "ROWS", 900)
    rng = np.random.default_rng(3)
    X, signs = rng.normal(size=(4000, 3)), rng.choice([-1.0, 1.0], size=4000)
    X *= np.geomspace(*lengths, 4000)[:, None]
    rows, read = ArrayRows(X, signs, LinearCoreset(3), 0.0), 0
    for (_, plane), ceiling in zip(wandering(3, 60, step=0.02), np.linspace(first, last, 60)):
        found = rows.scan(plane, ceiling, 4000)
        assert sorted(found.indices.tolist()) == np.flatnonzero(signs * plane.scores(X) <= ceiling).tolist()
        read += rows._again > 0
    assert read > 20 or first < last


def test_rows_far_from_the_hyperplane_are_not_read(data, monkeypatch):
    X, signs = data
    read = []
    inner = scans.margins_of
    monkeypatch.setattr(
        scans, "margins_of", lambda X, rows, *rest: (read.append(len(rows)), inner(X, rows, *rest))
    )
    rows = ArrayRows(X, signs, LinearCoreset(6), 0.0)
    for _, plane in wandering(6, 10, step=0.01):
        rows.scan(plane, -2.0, 5)
    assert len(read) == 9 and max(read) < 0.2 * len(X)


def test_rows_in_kernel_space_are_skipped_and_not_missed(data):
    X, signs = data
    coreset = KernelCoreset(WithConstant(Gaussian(0.3)), 6)
    used = np.flatnonzero(signs)
    rows = ArrayRows(X, signs, coreset, 0.0)
    for i in range(0, 40, 4):
        coreset.add(used[i : i + 4], X[used[i : i + 4]], signs[used[i : i + 4]])
        found = rows.scan(coreset.plane, 0.0, 9)
        wanted, margins = twin(X, signs, coreset.plane, 0.0, 9)
        assert found.indices.tolist() == wanted and np.allclose(found.margins, margins, atol=1e-12)


def test_a_dask_array_and_a_pool_find_the_same(data):
    X, signs = data
    for chunks in (700, 64, ((1, 600, 99), (4, 2))):
        rows = ChunkedRows(
            da.from_array(X, chunks=chunks if isinstance(chunks, tuple) else (chunks, -1)), signs
        )
        everything = rows.sample(10_000, np.random.default_rng(0))
        assert everything.indices.tolist() == np.flatnonzero(signs).tolist()
        pool = Pool(everything)
        for _, plane in wandering(6, 4):
            wanted, margins = twin(X, signs, plane, -0.5, 7)
            for found in (rows.scan(plane, -0.5, 7), pool.scan(plane, -0.5, 7)):
                assert found.indices.tolist() == wanted and np.allclose(found.margins, margins)


def test_a_ceiling_that_is_too_low_gives_the_smallest_all_the_same(data):
    X, signs = data
    _, plane = next(wandering(6, 1))
    for rows in (ArrayRows(X, signs, LinearCoreset(6), 0.0), ChunkedRows(da.from_array(X, chunks=90), signs)):
        found = rows.scan(plane, -1e9, 1)
        assert found.indices.tolist() == twin(X, signs, plane, np.inf, 1)[0]


def test_a_sample_is_that_of_a_list_of_all_rows(data, monkeypatch):
    monkeypatch.setattr(scans, "ROWS", 100)
    _, signs = data
    for given in (signs, np.abs(signs) + (signs == 0), np.where(np.arange(700) > 650, signs, 0.0)):
        used = np.flatnonzero(given)
        for count in (1, 50, 699, 700):
            rows, everything = scans.drawn(given.astype(np.int8), count, np.random.default_rng(4))
            assert everything == (len(used) <= count)
            wanted = np.unique(np.random.default_rng(4).integers(len(used), size=count))
            assert rows.tolist() == (used if everything else used[wanted]).tolist()


def test_samples_are_rows_of_the_data(data):
    X, signs = data
    for rows in (
        ArrayRows(X, signs, LinearCoreset(6), 0.0),
        ChunkedRows(da.from_array(X, chunks=(99, -1)), signs),
    ):
        found = rows.sample(50, np.random.default_rng(0))
        assert 30 < len(found.indices) <= 50 and (signs[found.indices] != 0).all()
        assert (found.rows == X[found.indices]).all() and (found.signs == signs[found.indices]).all()


def test_smallest_is_a_stable_sort_cut_off():
    rng = np.random.default_rng(0)
    for count in (1, 3, 50, 200):
        values = rng.integers(0, 30, size=100).astype(float)
        values[::7] = np.inf
        order = np.argsort(values, kind="stable")
        order = order[values[order] <= 20]
        assert (values[smallest(values, count, 20.0)] == values[order[:count]]).all()


def test_kernels_are_what_they_say(data):
    X, signs = data
    w, margins, norms = np.arange(6.0), np.empty(700), np.empty(700)
    kernels.margins_and_norms(X, signs, w, 0.5, margins, norms)
    wanted = np.where(signs == 0, np.inf, signs * (X @ w + 0.5))
    assert np.allclose(margins, wanted) and np.allclose(norms, np.linalg.norm(X, axis=1))
    kernels.margins_and_norms(X, (7 * signs).astype(np.int8), w, 0.5, margins, norms)
    assert np.allclose(margins, wanted)
    rows, out = np.array([5, 3, 699]), np.empty(3)
    kernels.margins_of(X, rows, signs, w, 0.5, out)
    assert np.allclose(out, wanted[rows])


def test_steps_never_fall_and_say_no_more_than_the_share():
    shares = np.sort(np.append(2.0 ** np.arange(-20, 4), np.geomspace(1e-6, 10.0, 5000)))
    steps = np.array([kernels.step_of(share) for share in shares])
    assert (np.diff(steps) >= 0).all() and steps[0] == 1 and steps[-1] == 127
    least = np.array([shares[steps == step].min() for step in np.unique(steps)])
    assert np.isin(np.arange(1, 122), steps).all() and (least[2:120] / least[1:119] < 1.13).all()
    for odd in (0.0, -1.0, -np.inf, np.nan, 5e-324):
        assert kernels.step_of(odd) == 1
    assert kernels.step_of(np.inf) == 127


@pytest.mark.parametrize("ceiling", [-1.0, 0.0, 0.7, np.inf])
def test_a_row_that_is_not_read_cannot_have_come_down(data, ceiling):
    """The slow twin: of a row the margin and the norm themselves."""
    rng = np.random.default_rng(2)
    margins, norms = rng.normal(size=3000), rng.exponential(size=3000)
    margins[:50], norms[25:75] = ceiling if np.isfinite(ceiling) else 1.0, 0.0
    codes, counts = rng.integers(-1, 2, size=3000).astype(np.int8), np.zeros(128, dtype=np.int64)
    signs, rows = codes.copy(), np.empty(3000, dtype=np.int64)
    kernels.keep_steps(margins, norms, ceiling, codes, counts)
    assert (np.sign(codes) == signs).all() and counts.sum() == np.count_nonzero(signs) and counts[0] == 0
    for moved in (0.0, 1e-9, 1e-3, 0.03, 0.125, 0.5, 1.999):
        step = kernels.step_of(moved)
        read = np.zeros(3000, dtype=bool)
        read[rows[: kernels.up_to_step(codes, step, rows)]] = True
        may_be = (margins - moved * norms <= ceiling) & (signs != 0)
        assert not (may_be & ~read).any() and counts[: step + 1].sum() == read.sum()
        if np.isfinite(ceiling):  # and few that could not
            assert (read & ~may_be).sum() <= np.count_nonzero(
                (margins - (1.126 * moved + 2.0**-13) * norms <= ceiling) & ~may_be
            )


def test_rows_keep_one_byte_each(data, monkeypatch):
    X, signs = data
    monkeypatch.setattr(scans, "ROWS", 128)
    kept = signs.astype(np.int8)
    rows = ArrayRows(X, kept, LinearCoreset(6), 0.0)
    for _, plane in wandering(6, 5):
        rows.scan(plane, -1.0, 20)
    arrays = [value for value in vars(rows).values() if isinstance(value, np.ndarray) and value is not X]
    assert sum(len(value) == len(X) for value in arrays) == 1 and rows.signs is kept
    assert rows.take(np.arange(700)).signs.tolist() == signs.tolist()


def test_distances_between_planes_of_a_growing_coreset():
    rng = np.random.default_rng(0)
    X, signs = rng.normal(size=(12, 3)), rng.choice([-1.0, 1.0], 12)
    coreset, planes = KernelCoreset(Gaussian(0.5), 3), []
    for i in range(12):
        coreset.add(np.array([i]), X[i : i + 1], signs[i : i + 1])
        planes.append(coreset.plane)
    T = rng.normal(size=(4000, 3))
    far = coreset.distances(planes[-1], planes)
    for plane, apart in zip(planes, far):
        assert np.abs(plane.scores(T) - planes[-1].scores(T)).max() <= apart + 1e-12
    assert far[-1] < 1e-6 and 0.1 < far[0] < 2


def test_a_plane_of_a_linear_coreset_has_unit_norm():
    plane = LinearCoreset(2, True)._plane(np.array([3.0, 4.0, 12.0]))
    assert isinstance(plane, LinearPlane)
    assert np.isclose(np.linalg.norm(plane.w) ** 2 + plane.b**2, 1.0) and np.isclose(plane.b, 12 / 13)
    assert isinstance(LinearCoreset(2), Coreset)

"""Passes over rows: the same for an array, a memory map and dask arrays however they are chunked."""

import dask
import dask.array as da
import numpy as np
import pytest

from paperlib._common import chunks


def test_smallest_rows_are_those_of_a_stable_sort(rows, forms, monkeypatch):
    monkeypatch.setattr(chunks, "ROWS", 77)
    weights = np.array([1.0, -2.0, 0.5])
    labels = np.where(np.arange(1000) % 3 == 0, -1.0, 1.0)
    scores = labels * (rows @ weights)
    for count in (1, 7, 1000, 2000):
        order = np.argsort(scores, kind="stable")[:count]
        for name, X in forms(rows).items():
            found = chunks.smallest_rows(lambda block, y: y * (block @ weights), X, labels, count=count)
            assert found[0].tolist() == order.tolist(), name
            assert (found[1] == scores[order]).all() and (found[2] == rows[order]).all(), name


def test_rows_scored_nan_are_passed_over(rows):
    def score(block):
        return np.where(block[:, 0] > 0, block[:, 0], np.nan)

    indices, scores, _ = chunks.smallest_rows(score, da.from_array(rows, chunks=(64, -1)), count=1000)
    assert len(indices) == np.count_nonzero(rows[:, 0] > 0)
    assert not np.isnan(scores).any()
    nothing, _, none = chunks.smallest_rows(lambda block: np.full(len(block), np.nan), rows)
    assert nothing.shape == (0,) and none.shape == (0, 3)


def test_no_rows_at_all():
    indices, scores, found = chunks.smallest_rows(lambda block: block[:, 0], np.zeros((0, 2)), count=3)
    assert indices.shape == scores.shape == (0,) and found.shape == (0, 2)


def test_every_chunk_is_handed_its_own_rows_and_item(rows, forms, monkeypatch):
    monkeypatch.setattr(chunks, "ROWS", 77)
    numbers = np.arange(1000)

    def check(start, block, own, item):
        assert type(block) is np.ndarray
        assert own.tolist() == list(range(start, start + len(block)))
        assert (block == rows[own]).all()
        return item

    for name, X in forms(rows).items():
        items = [f"item {i}" for i in range(chunks.n_chunks(X))]
        assert chunks.over_chunks(check, X, numbers, per_chunk=[items]) == items, name
        assert chunks.n_rows(X) == 1000


@pytest.mark.parametrize("scheduler", ["synchronous", "threads", "processes"])
def test_any_scheduler_gives_the_same(rows, scheduler):
    X = da.from_array(rows, chunks=(90, -1))
    with dask.config.set(scheduler=scheduler):
        indices, _, _ = chunks.smallest_rows(_first_column, X, count=5)
    assert indices.tolist() == np.argsort(rows[:, 0], kind="stable")[:5].tolist()


def _first_column(block):
    return block[:, 0]


def test_every_pair_of_chunks_once(rows):
    values = np.random.default_rng(1).normal(size=1000)
    X = da.from_array(rows, chunks=(270, -1))
    parts = chunks.over_pairs(
        lambda same, a, b, u, v: (1 if same else 2) * float(u @ (a @ b.T) @ v), X, values
    )
    assert len(parts) == 10
    assert np.isclose(sum(parts), values @ rows @ rows.T @ values)

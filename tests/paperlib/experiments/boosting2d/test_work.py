"""Counted work against what can be written down."""

import numpy as np
import pytest

from paperlib.boosting2d import optimal_separator
from paperlib.experiments.boosting2d import exact, samples, subsets, work
from paperlib.experiments.boosting2d.subsets import separable


def cloud(n):
    X, y = samples.clouds(n, random_state=1)
    return X, y, min((y > 0).sum(), (y < 0).sum())


@pytest.mark.parametrize("n", [10, 37])
def test_work_of_pairs_and_sweep_is_what_can_be_written_down(n):
    X, y, m = cloud(n)
    least = optimal_separator(X, y).weight
    assert work.points_judged(X, y, "pairs") == (n * n * (n - 1), least)
    assert work.points_judged(X, y, "sweep") == (2 * m * (n - 1), least)


@pytest.mark.parametrize("n", [6, 9, 12])
def test_work_of_the_subset_search_is_counted_as_if_it_were_run(monkeypatch, n):
    X, y, _ = cloud(n)
    tried = []

    def counted(conflicts, removed):
        tried.append(n - int(removed).bit_count())
        return separable(conflicts, removed)

    totals = np.array([float(mask.bit_count()) for mask in range(1 << n)])
    order = np.argsort(totals, kind="stable")
    conflicts = exact.conflicts(X, y > 0, exact.turns(X))
    monkeypatch.setattr(subsets, "separable", counted)
    subsets._lightest.py_func(conflicts, order, totals, 0.0)
    assert work.points_judged(X, y, "subsets")[0] == sum(tried)


@pytest.mark.parametrize("n", [10, 100, 3000])
def test_counting_does_not_change_what_branch_and_bound_finds(n):
    X, y, _ = cloud(n)
    judged, least = work.points_judged(X, y, "branch")
    assert least == optimal_separator(X, y).weight
    assert judged > n
    assert judged == work.points_judged(X, y, "branch")[0]


def test_work_of_leave_one_out_is_at_least_two_sweeps():
    X, y, m = cloud(40)
    assert work.points_judged(X, y, "leave-one-out")[0] >= 4 * m * 39 + 40


def test_tables_of_work_and_seconds():
    sizes = {"pairs": [8, 12, 16], "sweep": [8, 9], "planes": [8, 10]}
    counts = work.work_table(sizes, n_samples=2, random_state=0)
    assert len(counts) == 14
    table = work.geometric_means(counts)
    assert table.method.tolist() == ["pairs"] * 3 + ["sweep"] * 2 + ["planes"] * 2
    assert table.work[:2].tolist() == pytest.approx([448, 1584])
    slopes = work.exponents(counts)
    assert slopes.shape == (2, 3)
    # Of the upper two thirds of the sizes: n^2 (n - 1).
    assert slopes.pairs.tolist() == pytest.approx([np.log(3840 / 1584) / np.log(16 / 12)] * 2)
    seconds = work.seconds({"subsets": [5, 6], "sweep": [9]}, random_state=0)
    assert seconds.n.tolist() == [5, 6, 9]
    assert (seconds.seconds > 0).all()


def test_the_work_of_branch_and_bound_on_every_kind():
    counts = work.branch_table([40, 80], 2, random_state=0)
    assert counts.groupby("method", sort=False).size().to_dict() == dict.fromkeys(work.KINDS, 4)
    X, y = work.KINDS["two clouds"](np.random.default_rng(0), 80)
    assert counts.work[1] == work.points_judged(X, y, "branch")[0]
    assert counts.work[0] == work.points_judged(X[:40], y[:40], "branch")[0]


def test_every_size_has_as_many_points_of_each_class():
    counts = work.work_table({"sweep": [2, 3, 40]}, n_samples=3, random_state=0)
    assert counts.work.tolist() == [2 * (n // 2) * (n - 1) for n in (2, 3, 40)] * 3


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: work.fitted_slope([1], [1]), "at least 2 points, got 1"),
        (lambda: work.points_judged([[0, 0]], [1], "best"), "method must be one of"),
        (lambda: work.work_table({"sweep": [1, 8]}), "sizes must be an integer >= 2, got 1"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()

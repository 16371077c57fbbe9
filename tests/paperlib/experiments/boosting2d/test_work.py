"""Counted work against what can be written down."""

import numpy as np
import pytest

from paperlib.boosting2d import optimal_separator
from paperlib.experiments.boosting2d import samples, subsets, work
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

    def counted(x, y, positive, removed):
        tried.append(n - int(removed).bit_count())
        return separable(x, y, positive, removed)

    totals = np.array([float(mask.bit_count()) for mask in range(1 << n)])
    order = np.argsort(totals, kind="stable")
    x, y_ = np.ascontiguousarray(X.T)
    monkeypatch.setattr(subsets, "separable", counted)
    subsets._lightest.py_func(x, y_, y > 0, order, totals, 0.0)
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
    table = work.work_table({"pairs": [8, 12], "sweep": [8]}, n_samples=2, random_state=0)
    assert table.method.tolist() == ["pairs", "pairs", "sweep"]
    assert table.work[:2].tolist() == pytest.approx([448, 1584])
    seconds = work.seconds({"subsets": [5, 6], "sweep": [9]}, random_state=0)
    assert seconds.n.tolist() == [5, 6, 9]
    assert (seconds.seconds > 0).all()


def test_the_smallest_sample_has_both_classes():
    # Half of all samples of two points are of one class, where a sweep has no centre and so nothing to do.
    assert (work.work_table({"sweep": [2, 3]}, n_samples=20, random_state=0).work > 0).all()


def test_a_slope_and_its_error():
    rng, x = np.random.default_rng(0), np.arange(400.0)
    slope, stderr = work.fitted_slope(x, 0.5 * x + rng.normal(size=400))
    assert abs(slope - 0.5) < 4 * stderr
    assert stderr == pytest.approx(1 / np.sqrt(400 * x.var()), rel=0.1)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: work.fitted_slope([1, 2], [1, 2]), "at least 3 points, got 2"),
        (lambda: work.points_judged([[0, 0]], [1], "best"), "method must be one of"),
        (lambda: work.work_table({"sweep": [1, 8]}), "sizes must be an integer >= 2, got 1"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()

"""Counted work against what can be written down."""

import math

import numpy as np
import pytest

from paperlib.boosting2d import leave_one_out, optimal_separator
from paperlib.experiments.boosting2d import samples, work


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
def test_work_of_the_subset_search_is_that_of_all_sets_up_to_the_size_of_the_optimum(n):
    X, y, _ = cloud(n)
    least = optimal_separator(X, y).weight
    tried = sum(math.comb(n, size) for size in range(int(least) + 1))
    assert work.points_judged(X, y, "subsets") == (n * tried, least)


@pytest.mark.parametrize("n", [10, 100, 3000])
def test_counting_does_not_change_what_branch_and_bound_finds(n):
    X, y, _ = cloud(n)
    judged, least = work.points_judged(X, y, "branch")
    assert least == optimal_separator(X, y).weight
    assert judged > n
    assert judged == work.points_judged(X, y, "branch")[0]


@pytest.mark.parametrize("method", ["leave-one-out", "leave-one-out, heavy tails"])
def test_work_of_leave_one_out_is_that_of_a_tree_about_every_point(method):
    X, y, _ = cloud(40)
    weights = work.heavy_tails(40) if method.endswith("tails") else np.ones(40)
    judged, error = work.points_judged(X, y, method)
    assert error == pytest.approx(leave_one_out(X, y, weights).error)
    assert 40 * 39 < judged < 40 * 40**2 * np.log2(40)


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


def test_work_where_every_line_ties():
    """At least the sort of the others about each centre, a line's way past them, and their way in and out."""
    for n in (20, 41, 100):
        whole, about_two = work.fat_work(n, random_state=0), work.fat_work(n, 2, random_state=0)
        locations = n // 2 + 1
        assert whole >= (n // 2) * (locations - 1) * 6
        assert locations * 6 <= about_two <= whole
    counts = work.work_table({"fattest": [20, 40], "one centre": [100]}, n_samples=2, random_state=0)
    assert counts.method.tolist() == ["fattest", "fattest", "one centre"] * 2
    assert (counts.work > 0).all()


def test_work_where_the_smaller_class_stays_small():
    sizes = {"sweep, few": [40, 80], "leave-one-out, few": [40, 80], "planes, few": [30, 60]}
    counts = work.work_table({**sizes, "fattest, few": [100, 200]}, n_samples=2, random_state=0)
    of = {method: each.work.to_numpy().reshape(2, 2) for method, each in counts.groupby("method")}
    assert of["sweep, few"].tolist() == [[2 * work.FEW * 39, 2 * work.FEW * 79]] * 2
    growth = {method: np.log2(each[:, 1] / each[:, 0]) for method, each in of.items()}
    assert (growth["leave-one-out, few"] > 1.9).all()  # about the points of both classes
    assert (growth["planes, few"] < 2.6).all()
    assert (growth["fattest, few"] < 1.4).all()


def test_subsets_of_noise_grow_faster_than_a_power():
    sizes = [6, 8, 12, 16]
    counts = work.noise_subsets(sizes, 20, random_state=0)
    assert (counts <= 2.0 ** np.array(sizes)).all()
    assert work.rise_of_the_exponent(sizes, counts).mean() > 1
    powers = np.array([[sum(math.comb(n, size) for size in range(k + 1)) for n in sizes] for k in (1, 2, 3)])
    assert np.abs(work.rise_of_the_exponent(sizes, powers)).max() < 0.3


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

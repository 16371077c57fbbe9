"""Counted work against what can be written down."""

import math

import numpy as np
import pandas as pd
import pytest

from paperlib.boosting2d import leave_one_out, optimal_separator
from paperlib.experiments.boosting2d import powers, samples, work
from paperlib.experiments.boosting2d.smaller_class import leave_one_out_by_smaller_class
from paperlib.experiments.random_streams import stream


def cloud(n):
    X, y = samples.clouds(n, random_state=1)
    return X, y, min((y > 0).sum(), (y < 0).sum())


@pytest.mark.parametrize("n", [10, 37])
def test_work_of_pairs_and_sweep_is_what_can_be_written_down(n):
    X, y, m = cloud(n)
    least = optimal_separator(X, y).weight
    assert work.points_judged(X, y, "pairs") == (n * n * (n - 1), least)
    # Five looks of the radix sort, one comparison, one weighing, one passing: in general position.
    assert work.points_judged(X, y, "sweep") == (8 * m * (n - 1), least)


def test_sorts_count_what_the_data_make_them_do():
    clusters = work.points_judged(*work.far_clusters(400, 0), "sweep")[0]
    X, y = samples.clouds(400, balanced=True, random_state=0)
    assert clusters > 1.5 * work.points_judged(X, y, "sweep")[0]


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


@pytest.mark.parametrize("m", [3, 20])
def test_work_of_the_smaller_class_is_that_of_all_its_sets(m):
    X, y = work.circle(40, m, random_state=0)
    judged, error = work.points_judged(X, y, "smaller class")
    assert error == pytest.approx(leave_one_out(X, y).error)
    assert judged > leave_one_out_by_smaller_class(X, y > 0, np.ones(40)).judged > m * 39


def test_brute_force_is_a_sweep_without_each_point():
    X, y, _ = cloud(12)
    sweeps = [work.points_judged(np.delete(X, i, 0), np.delete(y, i), "sweep")[0] for i in range(12)]
    assert work.points_judged(X, y, "leave-one-out, brute force")[0] == sum(sweeps)


def test_tables_of_work_and_seconds():
    sizes = {"pairs": [8, 12, 16], "sweep": [8, 9], "planes": [8, 10]}
    counts = work.work_counts(sizes, 2, seed=0)
    assert len(counts) == 14
    assert counts.work[counts.method == "pairs"].tolist() == [448.0, 1584.0, 3840.0] * 2
    # Of the upper two thirds of the sizes: n^2 (n - 1).
    expected = np.log(3840 / 1584) / np.log(16 / 12)
    assert powers.of_samples(counts, "pairs").tolist() == pytest.approx([expected] * 2)
    logged = expected - np.log(np.log(16) / np.log(12)) / np.log(16 / 12)
    assert powers.of_samples(counts, "pairs", log=1).tolist() == pytest.approx([logged] * 2)
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
    counts = work.work_counts({"fattest": [20, 40], "one centre": [100]}, 2, seed=0)
    assert counts.method.tolist() == ["fattest", "fattest", "one centre"] * 2
    assert (counts.work > 0).all()


def test_work_where_the_smaller_class_stays_small():
    sizes = {"sweep, few": [40, 80], "leave-one-out, few": [40, 80], "planes, few": [30, 60]}
    counts = work.work_counts({**sizes, "fattest, few": [100, 200]}, 2, seed=0)
    of = {method: each.work.to_numpy().reshape(2, 2) for method, each in counts.groupby("method")}
    assert of["sweep, few"].tolist() == [[8 * work.FEW * 39, 8 * work.FEW * 79]] * 2
    growth = {method: np.log2(each[:, 1] / each[:, 0]) for method, each in of.items()}
    assert (growth["leave-one-out, few"] > 1.9).all()  # about the points of both classes
    assert (growth["planes, few"] < 2.6).all()
    assert (growth["fattest, few"] < 1.4).all()


def test_subsets_of_noise_grow_faster_than_a_power():
    sizes = [6, 8, 12, 16]
    counts = work.noise_subsets(sizes, 20, seed=0)
    assert (counts.tried <= 2.0**counts.n).all()
    assert powers.rises(counts).mean() > 1
    sums = [(k, n, sum(math.comb(n, size) for size in range(k + 1))) for k in (1, 2, 3) for n in sizes]
    assert powers.rises(pd.DataFrame(sums, columns=["sample", "n", "tried"])).abs().max() < 0.3


def test_the_work_of_branch_and_bound_on_every_kind():
    counts = work.branch_counts([40, 80], seed=0)
    assert counts.groupby("method", sort=False).size().to_dict() == dict.fromkeys(work.KINDS, 2)
    X, y = work.KINDS["two clouds"](stream(0, "branch, two clouds"), 80)
    assert counts.work[1] == work.points_judged(X, y, "branch")[0]
    assert counts.work[0] == work.points_judged(X[:40], y[:40], "branch")[0]


def test_every_size_has_as_many_points_of_each_class():
    counts = work.work_counts({"sweep": [2, 3, 40]}, 3, seed=0)
    assert counts.work.tolist() == [8 * (n // 2) * (n - 1) for n in (2, 3, 40)] * 3


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: work.points_judged([[0, 0]], [1], "best"), "method must be one of"),
        (lambda: work.work_counts({"sweep": [1, 8]}, 1, seed=0), "sizes must be an integer >= 2, got 1"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_by_default_planes_are_turned_about_half_of_the_points():
    assert work.planes_work(30, random_state=0) == pytest.approx(
        work.planes_work(30, 15, random_state=0), rel=0.2
    )

"""Sections 4 to 6: labels that are asked for, the version space, outliers, many classes and sequences."""

import itertools

import numpy as np
import pytest

from paperlib.coresets import ChainDecoder
from paperlib.experiments.coresets import (
    measures,
    samples,
    section_4_labels,
    section_5_outliers,
    section_6_outputs,
    version_space,
)
from paperlib.experiments.coresets import theory as unrounded

# Labels


def test_either_label_improves():
    falls = section_4_labels.either_label(40, 0.2, seed=0)
    assert (falls.groupby("case").label.agg(list).map(str) == "[-1, 1]").all() and len(falls) == 80
    assert (falls.multiple >= 4).all()


def test_label_curves_end_at_what_was_asked_for():
    asked = [0.3, 1.0], 3, 0.1, 0.05, 0.1
    curves = section_4_labels.label_curves((400, 4, 0.1), 200, *asked, data="bundled", seed=0)
    assert len(curves) == 36 and curves.groupby("pool").n.unique().map(list).to_dict() == {
        "slab": [400],
        "digits 0, 1": [200],
        "digits 6, 7": [200],
    }
    final = curves[(curves["pool"] == "slab") & (curves.fraction == 1.0)].groupby("learner").error
    assert final.mean()["active"] <= final.mean()["passive"]
    means = section_4_labels.mean_errors(curves)
    assert means.learner.tolist() == (["active"] * 2 + ["passive"] * 2) * 3
    means = means[(means["pool"] == "slab") & (means.fraction == 1.0)].set_index("learner")
    assert means.error.to_dict() == pytest.approx(final.mean().to_dict())
    assert means.stderr.to_dict() == pytest.approx(final.sem().to_dict())


@pytest.mark.parametrize("streamed", [False, True])
def test_one_hidden_point_costs_the_margin_but_not_the_error(streamed):
    trials = section_4_labels.active_trials(20, 0.1, 0.05, 0.1, streamed=streamed, seed=0)
    assert trials["pool"].value_counts().to_dict() == {"slab": 20, "hidden": 20, "one hidden": 20}
    assert (trials.failed == (trials.error > trials.allowed)).all()
    assert (trials.no_margin == (trials.near > 0)).all() and (trials.too_few == (trials.near > 0.05)).all()
    trials = trials[trials["pool"] == "one hidden"]
    assert not trials.failed.any() and trials.no_margin.mean() > 0.3
    assert streamed or (trials.queries <= trials.bound).all()


def test_labels_and_points_come_to_what_lemma_4_2_allows():
    counts = section_4_labels.label_counts(600, 0.05, 0.1, 0.1, [(2, 25), (8, 4)], seed=0)
    assert counts["size"].max() == 8 and counts.kind.value_counts().to_dict() == {"pool": 29, "stream": 29}
    share = counts.labels / counts.labels_bound
    assert (share <= 1.0).all() and share.max() > 0.6
    assert (counts.solved == counts["size"]).all()  # each hyperplane is found once
    pool = counts[counts.kind == "pool"]
    assert (pool.reads > 2.0 * pool.reads_bound).any()
    one_by_one = pool.reads - pool.n * pool["size"]
    assert one_by_one.between(pool.labels, pool.labels + pool["size"]).all()
    assert (counts.reads <= counts.reads_bound)[counts.kind == "stream"].all()
    # The labels that only verification finds are many: |C| makes a difference.
    assert (counts.labels > unrounded.lemma_4_2_labels(1, 0.05, 0.1)).any()
    sizes = section_4_labels.stream_sizes([(2.0, 0.4)], 0.05, 0.1, seed=0).set_index("sample")
    shares = sizes["size"] / sizes.bound
    assert shares["staircase"] == 1.0 and 0.2 < shares["star"] < 0.5


# The version space


def test_areas_of_version_spaces_against_random_normals():
    rng = np.random.default_rng(0)
    normals = rng.normal(size=(200_000, 3))
    for _ in range(5):
        points = rng.normal(size=(5, 3))
        points[:, 0] += 2.0
        agree, inside = np.ones(len(normals), dtype=bool), []
        for point in points:
            agree &= normals @ point >= 0
            inside.append(agree.mean())
        found = np.cumprod(version_space.shares_left(points))
        assert found == pytest.approx(inside, abs=0.006)


def test_the_largest_ball_is_that_of_many_random_centres():
    rng = np.random.default_rng(0)
    directions = rng.normal(size=(100_000, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    for k in (1, 2, 3, 6):
        points = rng.normal(size=(k, 3)) * rng.uniform(0.3, 3.0, size=(k, 1))
        points[:, 0] = np.abs(points[:, 0]) + 0.1
        normals = points / np.linalg.norm(points, axis=1)[:, None]
        largest = (normals @ version_space.largest_ball(points)).min()
        found = (directions @ normals.T).min(axis=1).max()
        assert found <= largest + 1e-12 and found > largest - 0.01


def test_the_best_hyperplane_is_the_centre_where_lengths_are_one():
    angles = version_space.centres(3, 40, 0.1, seed=0).set_index("lengths").angle
    assert (angles["one"] < 1e-6).all() and (angles["uneven"] > 1e-3).all()


def test_a_label_that_says_nothing_leaves_everything():
    points = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [2.0, 1.0, 0.0], [-1.0, -1.0, 0.0]])
    assert version_space.shares_left(points) == pytest.approx([0.5, 0.5, 1.0, 1.0, 0.0], abs=1e-12)


def test_labels_in_turn():
    spaces = version_space.labels_in_turn(3, 200, 0.1, 0.1, seed=0)
    assert spaces.left.between(0.0, 1.0).all()
    labels = spaces.groupby(["sample", "pool"]).label.agg(list)
    assert labels["slab"].tolist() == [list(range(2, 10))] * 3
    assert labels["hidden"].tolist() == [list(range(1, 10))]
    left = {name: each.left for name, each in spaces.groupby("sample")}
    assert left["hidden"].iloc[0] == 0.5 and left["hidden"].median() > 0.9 > left["slab"].mean()


# Outliers, and many outputs


def test_outliers_against_all_sets():
    kinds = [(3, 8, 2, [0, 1]), (1, 25, 2, [3])]  # the second by a programme
    found = section_5_outliers.outlier_trials(kinds, 0.1, seed=0)
    assert found.groupby(["n", "k"]).size().to_dict() == {(8, 0): 12, (8, 1): 12, (25, 3): 4}
    assert found.achieved.between(0.9 - 1e-9, 1 + 1e-9).all()
    assert found.missed.to_numpy() == pytest.approx((1 - found.achieved) / 0.1, abs=1e-8)
    assert (found.told == 0.0).all() and (found.short <= 0.0).all() and (found.c >= 160).all()


def test_bounds_are_not_below_the_optimum():
    level = section_5_outliers.bound_trials(2, [(8, 2, 1), (10, 2, 2)], 0.1, seed=0)
    assert level.n.tolist() == [8, 8, 10, 10] and (level.short <= 0.0).all()
    assert level.achieved.between(0.9 - 1e-9, 1 + 1e-9).all()


def test_the_rule_ends_searches_of_a_bunch():
    ruled = section_5_outliers.rule_trials(1, 20, 5, [0.3], seed=0)
    assert ruled.method.tolist() == ["exhaustive", "doubling"] and ruled.halted.all() and ruled.reached.all()
    assert (ruled.achieved >= 0.7).all()


@pytest.mark.parametrize("part", ["a", "b"])
def test_figure_4_does_not_halt_where_nothing_separates(part):
    ended = section_5_outliers.halting_trials(3, 10, 2, 0.1, seed=0)
    assert ended.trial.tolist() == [0, 1, 2] and ended.exhaustive.all() and ended.doubling.all()
    points = np.array([[1.0, 0.0], [-1.0, 0.0], [1.0, 0.1], [-1.0, -0.1], [0.0, 1.0]])
    assert not section_5_outliers.printed_figure_4(points, 1, 0.6, part)[0].any()
    X, y = samples.star(12, 1.1)
    one_wrong = y[:, None] * X * np.where(np.arange(12) == 5, -1.0, 1.0)[:, None]
    normal, size, _ = section_5_outliers.printed_figure_4(one_wrong, 1, 0.5, part)
    assert size < 12 and np.delete(one_wrong @ normal, 5).min() > 0.5


def test_exactly_two_points_may_be_worse_than_one():
    """The notebook's example: Lemma 3.1 has c points at most, and Figure 4 tries exactly c."""
    angles = np.arange(3) * 2 * np.pi / 3
    thirds = np.column_stack([np.ones(3), np.cos(angles) / 2, np.sin(angles) / 2])
    points = np.vstack([[2.0, 0.0, 0.0], thirds])
    best = {
        c: max(
            (points @ measures.best_hyperplane(points[list(some)]).normal).min()
            for some in itertools.combinations(range(4), c)
        )
        for c in (1, 2, 3)
    }
    assert best[1] == pytest.approx(1.0) and best[3] == pytest.approx(1.0)
    assert best[2] == pytest.approx(0.875 / np.hypot(1.0, 0.25)) and round(best[2], 2) == 0.85


def test_figure_4_as_printed_against_all_sets():
    trials = section_5_outliers.figure_4_trials(1, [1], [0.2, 0.4], seed=0)
    assert (
        trials.part.tolist() == ["b", "a", "b"] and trials.halted.all() and (trials["size"] < trials.n).all()
    )
    assert (trials.achieved.between(1 - trials.eps, 0.99)).all()  # few points are not all
    assert (trials.single > 1.01).all()  # and one is not enough
    assert trials.missed.to_numpy() == pytest.approx((1 - trials.achieved) / trials.eps, abs=1e-8)
    stars, two_sides = trials[:2], trials.iloc[2]
    assert stars.missed_rest.to_numpy() == pytest.approx(stars.missed, abs=1e-8)
    assert two_sides.missed < 0.2 and two_sides.missed_rest == pytest.approx(
        (1 + 0.8862 / 0.6569) / 0.8, 1e-3
    )


def test_a_smaller_c_is_not_enough(monkeypatch):
    sound = unrounded.lemma_3_1_sharp
    tenth = lambda ratio, eps, above=1.0: -(-sound(ratio, eps, above=above) // 10)  # noqa: E731
    monkeypatch.setattr(unrounded, "lemma_3_1_sharp", tenth)
    trials = section_5_outliers.figure_4_trials(2, [1], [0.1], seed=0)
    assert (trials.achieved < 1 - trials.eps).any()


def test_planted_outliers_are_found():
    path = section_5_outliers.outlier_path(80, 3, 0.2, 2, [0, 1, 2, 3], 0.1, seed=0)
    assert path.found.tolist()[2:] == [2, 2]
    assert (path.margin[:2] <= 0).all() and (path.margin[2:] > 0.1).all()
    planted = section_5_outliers.planted_missed(2, 80, 3, 0.2, 2, 0.1, seed=0)
    assert planted.planted.tolist() == [2, 2] and not planted.missed.any()


def test_the_judge_of_chains_against_all_labellings():
    rng = np.random.default_rng(0)
    w, x, y = rng.normal(size=130), rng.normal(size=(3, 3)), np.array([4, 0, 9])
    decoder = ChainDecoder(10)
    others = (each for each in itertools.product(range(10), repeat=3) if each != (4, 0, 9))
    rival = max(w @ decoder.features(x, np.array(each)) for each in others)
    assert section_6_outputs.chain_margin(w, x, y) == pytest.approx(w @ decoder.features(x, y) - rival)


def test_many_outputs_are_certified():
    many = section_6_outputs.multiclass_digits([0.2], 200, data="bundled")
    chains = section_6_outputs.chain_labelling(5, 3, 0.3, seed=0)
    assert (many.certificate >= 0.8 - 1e-9).all() and (chains.certificate >= 0.7 - 1e-9).all()
    assert many.missed.to_numpy() == pytest.approx((1 - many.certificate) / 0.2, abs=1e-8)
    assert chains.missed.to_numpy() == pytest.approx((1 - chains.certificate) / 0.3, abs=1e-8)
    assert many.test_error.max() < 0.25
    assert chains.test_error.notna().all()


def test_a_pool_may_be_wrong_where_no_point_is_near():
    unverified = section_4_labels.unverified_errors(30, 200, 0.4, 0.1, seed=0)
    assert unverified.error.max() == pytest.approx(0.4) and unverified.error.min() == 0.0
    assert (unverified.labels < 10).all()

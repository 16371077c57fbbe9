"""The notebook's sections: sizes and steps of coresets, labels asked for, outliers, sequences."""

import itertools

import numpy as np
import pandas as pd
import pytest

from paperlib.coresets import ChainDecoder, CoresetSVC, theory
from paperlib.coresets._solver.hull import GrowingHull, min_norm_point
from paperlib.experiments import datasets
from paperlib.experiments.coresets import (
    measures,
    samples,
    section_3_1_relatives,
    section_3_sizes,
    section_4_labels,
    section_5_outliers,
    section_6_outputs,
    version_space,
    working_sets,
)
from paperlib.experiments.coresets import theory as unrounded

# Coresets


@pytest.mark.parametrize("selection", ["worst", "first"])
def test_the_hyperplanes_on_the_way_are_those_of_the_search(selection):
    X, y = samples.half_spaces(300, 3, 0.1, random_state=2)
    fit = CoresetSVC(0.05, selection=selection).fit(X, y)
    joined = fit.coreset_indices_
    normals, of_coreset, on_all = section_3_sizes.hyperplanes_on_the_way(X, y, joined)
    assert len(joined) > 3
    assert of_coreset == pytest.approx(fit.margin_path_)
    assert on_all[-1] == pytest.approx(fit.margin_)
    assert normals[-1] == pytest.approx(fit.coef_[0])
    assert (on_all[:-1] < (1 - 0.05) * of_coreset[:-1]).all()  # else the search had ended there
    if selection == "worst":
        assert on_all[:-1] == pytest.approx(fit.added_margin_path_)
    for k, normal in enumerate(normals, start=1):
        points = (y[:, None] * X)[joined[:k]]
        assert np.linalg.norm(normal) == pytest.approx(1.0)
        assert (points @ normal).min() == pytest.approx(of_coreset[k - 1])


@pytest.fixture(scope="module")
def found():
    data_sets = {
        "slab": samples.half_spaces(300, 5, 0.2, random_state=0),
        "star": samples.star(100, 2.0),
    }
    return section_3_sizes.coreset_runs(data_sets, [0.1, 0.3])


def test_runs_keep_what_the_lemmas_promise(found):
    runs, steps = found
    assert len(runs) == 8
    assert (runs.certificate * (1 + 1e-9) >= 1 - runs.eps).all()
    assert (runs.achieved >= runs.certificate * (1 - 1e-9)).all()
    assert (runs["size"] <= runs.bound).all()
    assert (steps.kept <= steps.equation_1 * (1 + 1e-9)).all()
    assert (steps.equation_1 <= steps.corollary_3_2 * (1 + 1e-9)).all()
    assert len(steps) == (runs["size"] - 1).sum()


def test_a_step_that_is_too_small_is_seen(monkeypatch):
    monkeypatch.setattr(theory, "equation_1", lambda margin, violation, radius: 0.1 * margin)
    _, steps = section_3_sizes.coreset_runs({"star": samples.star(50, 2.0)}, [0.2])
    assert (steps.kept > steps.equation_1).any()


def test_the_slowest_samples_are_as_slow_as_a_step_allows():
    sizes = section_3_sizes.slowest_sizes([0.1, 0.2, 0.4], [1.5, 2.0, 3.0], eps=0.2, ratio=2.0)
    share = sizes["size"] / sizes.bound
    star = sizes["sample"] == "star"
    assert set(sizes.selection[star]) == {"worst"} and set(sizes.selection[~star]) == {"worst", "first"}
    assert (share[sizes.selection == "worst"].between(0.2, 0.5)).all()
    assert (share[sizes.selection == "first"] == 1.0).all()
    assert (sizes.n > sizes.bound).all()


def test_on_a_staircase_sizes_tell_the_rules_apart():
    sizes = section_3_sizes.slowest_sizes([0.1, 0.2, 0.4], [1.5, 2.0, 2.5], eps=0.1, ratio=2.0)
    stairs = sizes[sizes["sample"] == "staircase"]
    for name, x in (("eps", 1 / stairs.eps), ("ratio", stairs.ratio**2 - 1)):
        slopes = {}
        for rule in ("worst", "first"):
            rows = (stairs.varied == name) & (stairs.selection == rule)
            slopes[rule] = measures.exponent(x[rows], stairs["size"][rows])
        assert slopes["worst"]["cases"] == 3
        assert slopes["worst"]["value"] < 1.0 and slopes["first"]["value"] > 1.2
    none = section_3_sizes.slowest_sizes([0.05], [3.0], eps=0.1, ratio=2.0)
    assert set(none["sample"]) == {"star"}  # the staircases would have too many steps


@pytest.mark.parametrize("eps", [0.01, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("ratio", [1.0, 1.01, 1.5, 4.0, 12.0])
def test_bounds_with_nothing_rounded_up_are_below_the_printed_ones(ratio, eps):
    worst, any_one = (bound(ratio, eps) for bound in section_3_sizes.BOUNDS.values())
    assert worst <= theory.lemma_3_1(ratio, 1.0, eps)
    assert any_one <= min(theory.corollary_3_2(ratio, 1.0, eps), 1 + (ratio**2 - 1) / eps**2 + 1e-6)
    assert unrounded.lemma_3_1_sharp(ratio, eps, above=1.0 + eps) <= min(worst, 1 + 8 * ratio**2 / eps)


def test_a_step_takes_no_less_than_the_sharp_bound_says(found):
    _, steps = found
    q = steps.margin**-2  # (R / rho_i)^2, before and after
    assert (q / steps.kept**2 >= (q + steps.eps**2) * (1 - 1e-9)).all()


def test_what_a_run_says_is_what_the_data_say():
    told = section_3_sizes.told_and_found(5, 40, 3, 0.1, random_state=0)
    assert len(told) == 15 and (told.told < 1e-12).all()
    assert (told.achieved >= 0.9 - 1e-9).all() and (told.certificate >= 0.9 - 1e-9).all()


def test_a_margin_that_is_its_bound_is_seen(monkeypatch):
    def lies(self, *args):
        sound(self, *args)
        self.margin_ = self.margin_upper_bound_
        return self

    sound = CoresetSVC.fit
    monkeypatch.setattr(CoresetSVC, "fit", lies)
    assert section_3_sizes.told_and_found(5, 40, 3, 0.3, random_state=0).told.max() > 1e-3


def test_points_handed_out_are_counted_from_outside():
    growth = section_3_sizes.growth_in_n([100, 400], 4, 0.2, 0.1, random_state=0)
    shares = section_3_sizes.time_shares(growth)
    assert len(shares) == 8 and shares.max() == 1.0
    worst = growth[(growth.selection == "worst") & (growth["sample"] == 0)]
    looked_at_before = 2 * -(-worst.n // section_3_sizes.CHUNKS)
    assert (worst.handed_out <= worst.n * worst["size"] + looked_at_before).all()
    assert (worst.handed_out >= worst.n * worst["size"]).all()
    assert growth.groupby("selection")["sample"].max().to_dict() == {
        "batch": 0,
        "first": 0,
        "worst": section_3_sizes.N_GROWING - 1,
    }


def test_what_is_read_or_solved_twice_is_seen():
    sound = GrowingHull.nearest
    with measures.calls(GrowingHull, "nearest") as solved:
        X, y = samples.half_spaces(100, 4, 0.2, random_state=0)
        size = len(CoresetSVC(0.1, selection="worst").fit(X, y).coreset_indices_)
    assert solved.count == size and GrowingHull.nearest is sound
    columns = {"n": [100, 100], "sample": [0, 1], "size": [5, 5], "handed_out": [1000, None]}
    columns["selection"] = ["worst", "worst"]
    growth = pd.DataFrame(columns | {"solved": [10, None]})
    assert section_3_sizes.time_shares(growth).tolist() == [2.0, 2.0]


def test_either_label_improves():
    falls = section_4_labels.either_label(40, 0.2, random_state=0)
    assert falls.shape == (80,) and (falls >= 4).all()


def test_any_violators_make_larger_coresets():
    slab = {"slab": samples.half_spaces(300, 5, 0.2, random_state=0)}
    gaps = section_3_sizes.size_gaps(slab, 0.1, 6, random_state=0)
    assert len(gaps) == 6 and (gaps["first"] - gaps["worst"]).mean() > 2


@pytest.mark.parametrize("seed", range(6))
def test_the_judge_agrees_with_the_solver_that_it_judges(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 400)), int(rng.integers(1, 30))
    points = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-6, 6)
    points[:, 0] += rng.choice([0.0, 1.0, 3.0]) * np.abs(points).max()
    best = measures.best_hyperplane(points)
    nearest = np.linalg.norm(min_norm_point(points)[0])
    assert best.margin == pytest.approx(nearest, rel=1e-9, abs=1e-9 * np.abs(points).max())
    assert (points @ best.normal).min() >= best.margin * (1 - 1e-9)


def test_the_judge_of_chains_against_all_labellings():
    rng = np.random.default_rng(0)
    w, x, y = rng.normal(size=130), rng.normal(size=(3, 3)), np.array([4, 0, 9])
    decoder = ChainDecoder(10)
    others = (each for each in itertools.product(range(10), repeat=3) if each != (4, 0, 9))
    rival = max(w @ decoder.features(x, np.array(each)) for each in others)
    assert section_6_outputs.chain_margin(w, x, y) == pytest.approx(w @ decoder.features(x, y) - rival)


# Labels


def test_label_curves_end_at_what_was_asked_for():
    pools = {"slab": samples.half_spaces(400, 4, 0.1, random_state=0)}
    curves = section_4_labels.label_curves(pools, [0.3, 1.0], 3, 0.1, 0.05, 0.1, random_state=0)
    assert len(curves) == 12
    final = curves[curves.fraction == 1.0].groupby("learner").error.mean()
    assert final["active"] <= final["passive"]


def test_learners_of_one_mistake_at_a_time_fail_as_often_as_they_should():
    one = section_4_labels.sequential_failures(1, 30, 0.05, 20_000, random_state=0)
    assert one.mean() == pytest.approx((1 - 0.050005) ** 30, abs=0.02)
    rng = np.random.default_rng(0)
    drawn = np.array([[rng.random() < 0.05 for _ in range(60)] for _ in range(2000)])
    two = section_4_labels.sequential_failures(2, 60, 0.05, 20_000, random_state=0)
    assert two.mean() == pytest.approx((drawn.sum(axis=1) < 2).mean(), abs=0.03)


@pytest.mark.parametrize("stream", [False, True])
def test_one_hidden_point_costs_the_margin_but_not_the_error(stream):
    pools = {"one": samples.hidden(200, 1, random_state=0)}
    trials = section_4_labels.active_trials(pools, 20, 0.1, 0.05, 0.1, stream=stream, random_state=0)
    assert not trials.failed.any()
    assert (trials.near > 0).mean() > 0.3
    assert stream or (trials.queries <= trials.bound).all()


def test_labels_and_points_come_to_what_lemma_4_2_allows():
    counts = section_4_labels.label_counts(600, 0.05, 0.1, 0.1, [(2, 25), (8, 4)], random_state=0)
    assert counts["size"].max() == 8 and counts.kind.value_counts().to_dict() == {"pool": 29, "stream": 29}
    share = counts.labels / counts.labels_bound
    assert (share <= 1.0).all() and share.max() > 0.6
    printed, with_pool = section_4_labels.time_shares(counts)
    assert printed.max() > 2.0 and with_pool.max() == 1.0  # each hyperplane is found once
    pool = counts[counts.kind == "pool"]
    one_by_one = pool.reads - pool.n * pool["size"]
    assert one_by_one.between(pool.labels, pool.labels + pool["size"]).all()
    assert (counts.reads <= counts.reads_bound)[counts.kind == "stream"].all()
    # The labels that only verification finds are many: |C| makes a difference.
    assert (counts.labels > unrounded.lemma_4_2_labels(1, 0.05, 0.1)).any()
    shares = section_4_labels.coreset_shares([(2.0, 0.4)], 0.05, 0.1, random_state=0)
    assert shares[0] == 1.0 and 0.2 < shares[1] < 0.5


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


def test_a_label_that_says_nothing_leaves_everything():
    points = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [2.0, 1.0, 0.0], [-1.0, -1.0, 0.0]])
    assert version_space.shares_left(points) == pytest.approx([0.5, 0.5, 1.0, 1.0, 0.0], abs=1e-12)


def test_labels_in_turn():
    shares = version_space.labels_in_turn(3, 200, 0.1, 0.1, random_state=0)
    assert shares.shape == (3, 8) and (shares > 0.0).all() and (shares <= 1 + 1e-12).all()
    X, y = samples.hidden(200, 10, random_state=0)
    of_hidden = version_space.shares_of_pool(X, y, 0.1, np.random.default_rng(0))
    assert of_hidden[0] == pytest.approx(0.5) and np.median(of_hidden) > 0.9 > shares.mean()


# Other working sets


def test_balls_hold_their_margin():
    for name, (X, y) in {
        "slab": samples.half_spaces(300, 4, 0.2, random_state=0),
        "star": samples.star(80, 2.0),
    }.items():
        sizes = working_sets.ball_sizes({name: (X, y)}, [0.1, 0.4])
        assert (sizes.ball >= 2).all() and (sizes.ball <= sizes.coreset + 8).all()
        assert np.abs(working_sets.improvement(sizes)).max() < 0.6


def test_the_power_of_balls_is_that_of_the_two_smallest_eps():
    eps = np.array([0.4, 0.1, 0.2, 0.2])
    sizes = pd.DataFrame({"sample": [*"aaab"], "eps": eps, "coreset": 1, "ball": [77, 10, 5, 3]})
    assert working_sets.improvement(sizes) == pytest.approx([1.0])  # of b there is one only


def test_a_ball_against_its_definition():
    """With the points that are counted there is a ball that all others lie in, but for the allowed share."""
    points = np.linalg.qr(np.random.default_rng(0).normal(size=(6, 6)))[0] + [3.0, 0, 0, 0, 0, 0]
    points /= np.linalg.norm(points, axis=1)[:, None]
    best = measures.best_hyperplane(points)
    assert working_sets.enclosing_ball(points, 1e-6, best.margin) == measures.supporting(points)


def test_means_of_violators_are_few():
    sets = {"star": [samples.star(80, 2.0)], "slab": [samples.half_spaces(300, 5, 0.2, random_state=0)]}
    counts = working_sets.plane_counts(sets, 0.1).set_index("sample")
    assert counts.means["star"] == 2 and counts.worst["star"] == counts["first"]["star"] > 10
    assert counts.worst["slab"] < counts["first"]["slab"]


def test_the_least_lead_is_that_of_a_mean_over_draws():
    counts = pd.DataFrame(
        {"sample": ["a", "a", "a", "b"], "draw": [0, 1, 2, 0], "means": 10, "worst": [14, 10, 12, 15]}
    )
    found = working_sets.least_lead(counts)
    assert found == pytest.approx({"value": 0.2, "stderr": 0.2 / 3**0.5, "dof": 2, "cases": 4})
    few = counts.assign(worst=[14, 10, 12, 5])
    assert working_sets.least_lead(few) == {"value": -0.5, "cases": 4}


# Outliers, and many outputs


def test_outliers_against_all_sets():
    small = section_5_outliers.outlier_trials(3, 8, 2, [0, 1], 0.1, random_state=0)
    large = section_5_outliers.outlier_trials(1, 25, 2, [3], 0.1, random_state=0)  # by a programme
    found = pd.concat([small, large])
    assert found.achieved.between(0.9 - 1e-9, 1 + 1e-9).all()
    assert (found.told < 1e-12).all() and (found.c >= 160).all()


@pytest.mark.parametrize("part", ["a", "b"])
def test_figure_4_does_not_halt_where_nothing_separates(part):
    assert section_5_outliers.halting_trials(3, 10, 2, 0.1, random_state=0).all()
    points = np.array([[1.0, 0.0], [-1.0, 0.0], [1.0, 0.1], [-1.0, -0.1], [0.0, 1.0]])
    assert not section_5_outliers.printed_figure_4(points, 1, 0.6, part)[0].any()
    X, y = samples.star(12, 1.1)
    one_wrong = y[:, None] * X * np.where(np.arange(12) == 5, -1.0, 1.0)[:, None]
    normal, size = section_5_outliers.printed_figure_4(one_wrong, 1, 0.5, part)
    assert size < 12 and np.delete(one_wrong @ normal, 5).min() > 0.5


def test_figure_4_as_printed_against_all_sets():
    trials = section_5_outliers.figure_4_trials(2, 17, [0.4], random_state=0)
    assert set(trials.part) == {"a", "b"} and trials.halted.all() and (trials["size"] < 17).all()
    assert (trials.achieved.between(1 - trials.eps, 1 + 1e-9)).all()
    assert trials.achieved.min() < 0.999  # few points are not all


def test_a_smaller_c_is_not_enough(monkeypatch):
    sound = unrounded.lemma_3_1_sharp
    tenth = lambda ratio, eps, above=1.0: -(-sound(ratio, eps, above=above) // 10)  # noqa: E731
    monkeypatch.setattr(unrounded, "lemma_3_1_sharp", tenth)
    trials = section_5_outliers.figure_4_trials(4, 17, [0.1], random_state=0)
    assert (trials.achieved < 1 - trials.eps).any()


def test_planted_outliers_are_found():
    X, y, planted = samples.flipped(80, 3, 0.2, 2, random_state=0)
    path = section_5_outliers.outlier_path(X, y, planted, range(4), 0.1)
    assert path.found.tolist()[2:] == [2, 2]
    assert (path.margin[:2] <= 0).all() and (path.margin[2:] > 0.1).all()
    assert not section_5_outliers.planted_missed(2, 80, 3, 0.2, 2, 0.1, random_state=0).any()


def test_relatives_reach_their_margin():
    data_sets = {"slab": samples.half_spaces(200, 4, 0.2, random_state=0)}
    table = section_3_1_relatives.relatives_table(data_sets, 0.2).set_index("learner")
    assert (table.achieved.drop("perceptron") >= 0.8 * (1 - 1e-9)).all()
    assert section_3_1_relatives.perceptron_shares([2, 9]) == pytest.approx([1.0, 1.0])
    similar = section_3_1_relatives.alma_beside_romma(data_sets, 0.2, 60, {"slab": 3}, random_state=0)
    assert len(similar) == 3
    assert similar.romma.between(0.0, 0.2).all() and similar.alma.between(0.0, 0.2).all()
    assert (similar.alma_updates > 3 * similar.romma_updates).all()
    bounded = table.bound.notna()
    assert bounded.sum() == 4 and (table.updates <= table.bound)[bounded].all()
    seconds = section_3_1_relatives.relatives_seconds(data_sets, 0.2)
    assert len(seconds) == 4 and (seconds.seconds > 0).all()


def test_many_outputs_are_certified():
    digits = datasets.load("digits")
    rows = digits.y < 4
    many = section_6_outputs.multiclass_digits(digits.X[rows], digits.y[rows], [0.2], 200)
    chains = section_6_outputs.chain_labelling(5, 3, 0.3, random_state=0)
    assert (many.certificate >= 0.8 - 1e-9).all() and (chains.certificate >= 0.7 - 1e-9).all()
    assert many.test_error.max() < 0.1
    assert chains.test_error.notna().all()

"""Section 3 of the notebook: sizes and steps of coresets, what they take, balls and online learners."""

import numpy as np
import pandas as pd
import pytest

from paperlib.coresets import CoresetSVC, theory
from paperlib.coresets._solver.hull import GrowingHull, min_norm_point
from paperlib.experiments import plotting
from paperlib.experiments.coresets import (
    baselines,
    claims,
    data_sets,
    drawings,
    figure_1,
    lemma_3_1_time,
    measures,
    samples,
    section_3_1_relatives,
    section_3_sizes,
    working_sets,
)
from paperlib.experiments.coresets import theory as unrounded
from paperlib.experiments.verbs import exponent

SLAB = 300, 5, 0.2
SMALL = {"most": 60, "data": "bundled", "seed": 0}

# Coresets


@pytest.mark.parametrize("selection", ["worst", "first"])
def test_the_hyperplanes_on_the_way_are_those_of_the_search(selection):
    X, y = samples.half_spaces(300, 3, 0.1, random_state=2)
    fit = CoresetSVC(0.05, selection=selection).fit(X, y)
    joined = fit.coreset_indices_
    normals, of_coreset, on_all = figure_1.hyperplanes_on_the_way(X, y, joined)
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


def test_more_points_in_the_plane_are_those_before_and_others():
    few, many = (figure_1.search_in_the_plane(n, 0.2, 0.1, "worst", seed=3) for n in (100, 1000))
    assert (many.X[:100] == few.X).all() and (many.y[:100] == few.y).all()
    assert few.best == measures.optimal_margin(few.X, few.y)
    assert 0.9 * few.of_coreset[-1] <= few.on_all[-1] <= few.best * (1 + 1e-9)
    assert few.best <= few.of_coreset[-1] * (1 + 1e-9)


def test_all_steps_run_on_the_same_samples():
    named = data_sets.with_star(SLAB, **SMALL)
    assert {name: len(y) for name, (_, y) in named.items()} == {
        "slab": 300,
        "digits 0, 1": 60,
        "digits 6, 7": 60,
        "star": 700,
    }
    again = data_sets.usual(SLAB, 60, data="bundled", seed=1)
    assert (again["digits 0, 1"][0] == named["digits 0, 1"][0]).all()
    assert (again["slab"][0] != named["slab"][0]).any()
    runs, steps, decreases = section_3_sizes.coreset_runs(SLAB, epsilons=[0.2], **SMALL)
    assert runs["sample"].unique().tolist() == [*named, "staircase"] and len(runs) == 10
    for table in section_3_sizes.runs_of("slab", *named["slab"], [0.2])[:2]:
        wanted = (runs if "size" in table else steps).query("sample == 'slab'")
        pd.testing.assert_frame_equal(table, wanted)
    assert decreases.groupby("promise").steps.sum().to_dict() == dict.fromkeys(
        ("equation-1", "corollary-3.2"), len(steps)
    )


@pytest.fixture(scope="module")
def found():
    made = {
        "slab": samples.half_spaces(300, 5, 0.2, random_state=0),
        "star": samples.star(100, 2.0),
    }
    of_each = [section_3_sizes.runs_of(name, X, y, [0.1, 0.3]) for name, (X, y) in made.items()]
    return section_3_sizes.Runs(*(pd.concat(tables) for tables in zip(*of_each)))


def test_runs_keep_what_the_lemmas_promise(found):
    runs, steps, _ = found
    assert len(runs) == 8
    assert (runs.certificate * (1 + 1e-9) >= 1 - runs.eps).all()
    assert (runs.achieved >= runs.certificate * (1 - 1e-9)).all()
    assert runs.missed.to_numpy() == pytest.approx((1 - runs.achieved) / runs.eps, abs=1e-9)
    assert runs.uncertified.to_numpy() == pytest.approx((1 - runs.certificate) / runs.eps, abs=1e-9)
    assert (runs["size"] <= runs.bound).all()
    assert (steps.kept <= steps.equation_1 * (1 + 1e-9)).all()
    assert (steps.equation_1 <= steps.corollary_3_2 * (1 + 1e-9)).all()
    assert len(steps) == (runs["size"] - 1).sum()


def test_decreases_are_those_of_the_steps(found):
    _, steps, decreases = found
    for promise, column in section_3_sizes.PROMISES.items():
        times = (1 - steps.kept) / (1 - steps[column])
        some = decreases[decreases.promise == promise]
        assert some.steps.sum() == len(steps)
        assert (some.least.min(), some.most.max()) == (times.min(), times.max())
    opposite = np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([1, -1])  # one signed point, twice
    one_point = section_3_sizes.runs_of("one", *opposite, [0.5]).decreases
    assert (one_point.steps == 0).all() and one_point.least.isna().all()
    assert claims.equation_1(one_point).cases == 0


def test_a_step_that_is_too_small_is_seen(monkeypatch):
    monkeypatch.setattr(theory, "equation_1", lambda margin, violation, radius: 0.1 * margin)
    _, steps, decreases = section_3_sizes.runs_of("star", *samples.star(50, 2.0), [0.2])
    assert (steps.kept > steps.equation_1).any()
    assert claims.equation_1(decreases).value < 1


def test_the_slowest_samples_are_as_slow_as_a_step_allows():
    sizes = section_3_sizes.slowest_sizes([0.1, 0.2, 0.4], [1.5, 2.0, 3.0], eps=0.2, ratio=2.0)
    share = sizes["size"] / sizes.bound
    star = sizes["sample"] == "star"
    assert set(sizes.selection[star]) == {"worst"} and set(sizes.selection[~star]) == {"worst", "first"}
    assert (share[sizes.selection == "worst"].between(0.2, 0.5)).all()
    assert (share[sizes.selection == "first"] == 1.0).all()
    assert (sizes.n > sizes.bound).all()
    assert sizes.excess.to_numpy() == pytest.approx(sizes.ratio**2 - 1)


def test_on_a_staircase_sizes_tell_the_rules_apart():
    sizes = section_3_sizes.slowest_sizes([0.1, 0.2, 0.4], [1.5, 2.0, 2.5], eps=0.1, ratio=2.0)
    stairs = sizes[sizes["sample"] == "staircase"]
    for name, x in (("eps", 1 / stairs.eps), ("ratio", stairs.excess)):
        slopes = {}
        for rule in ("worst", "first"):
            rows = (stairs.varied == name) & (stairs.selection == rule)
            slopes[rule] = exponent(x[rows], stairs["size"][rows])
        assert slopes["worst"].cases == 3
        assert slopes["worst"].value < 1.0 and slopes["first"].value > 1.2
    none = section_3_sizes.slowest_sizes([0.04], [3.5], eps=0.1, ratio=2.0)
    assert set(none["sample"]) == {"star"}  # the staircases would have too many steps


@pytest.mark.parametrize("eps", [0.01, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("ratio", [1.0, 1.01, 1.5, 4.0, 12.0])
def test_bounds_with_nothing_rounded_up_are_below_the_printed_ones(ratio, eps):
    worst, any_one = (bound(ratio, eps) for bound in section_3_sizes.BOUNDS.values())
    assert worst <= theory.lemma_3_1(ratio, 1.0, eps)
    assert any_one <= min(theory.corollary_3_2(ratio, 1.0, eps), 1 + (ratio**2 - 1) / eps**2 + 1e-6)
    assert unrounded.lemma_3_1_sharp(ratio, eps, above=1.0 + eps) <= min(worst, 1 + 8 * ratio**2 / eps)


def test_a_step_takes_no_less_than_the_sharp_bound_says(found):
    steps = found.steps
    q = steps.margin**-2  # (R / rho_i)^2, before and after
    assert (q / steps.kept**2 >= (q + steps.eps**2) * (1 - 1e-9)).all()


def test_what_a_run_says_is_what_the_data_say():
    told = section_3_sizes.told_and_found(5, 40, 3, 0.1, seed=0)
    assert len(told) == 15 and (told.told == 0).all()
    assert (told.achieved >= 0.9 - 1e-9).all() and (told.certificate >= 0.9 - 1e-9).all()


def test_a_margin_that_is_its_bound_is_seen(monkeypatch):
    def lies(self, *args):
        sound(self, *args)
        self.margin_ = self.margin_upper_bound_
        return self

    sound = CoresetSVC.fit
    monkeypatch.setattr(CoresetSVC, "fit", lies)
    assert section_3_sizes.told_and_found(5, 40, 3, 0.3, seed=0).told.max() > 1e-3


def test_any_violators_make_larger_coresets():
    gaps = section_3_sizes.size_gaps(SLAB, eps=0.1, n_orders=6, **SMALL)
    assert gaps["sample"].value_counts().to_dict() == {"slab": 6, "digits 0, 1": 6, "digits 6, 7": 6}
    slab = gaps[gaps["sample"] == "slab"]
    assert (slab["first"] - slab["worst"]).mean() > 2


# What a search takes


def test_points_handed_out_are_counted_from_outside():
    growth = lemma_3_1_time.growth_in_n([100, 400], 4, 0.2, 0.1, seed=0)
    assert claims.lemma_3_1_time(growth)[:3] == (1.0, None, 8)
    worst = growth[(growth.selection == "worst") & (growth["sample"] == 0)]
    looked_at_before = 2 * -(-worst.n // lemma_3_1_time.CHUNKS)
    assert (worst.handed_out <= worst.n * worst["size"] + looked_at_before).all()
    assert (worst.handed_out >= worst.n * worst["size"]).all()
    assert growth.groupby("selection")["sample"].max().to_dict() == {
        "batch": 0,
        "first": 0,
        "worst": lemma_3_1_time.N_GROWING - 1,
    }


def test_seconds_are_of_one_thing_varied_at_a_time():
    fixed = {"n": 150, "d": 4, "margin": 0.2, "eps": 0.1, "seed": 0}
    seconds = lemma_3_1_time.seconds([100, 200], [3], [0.3], **fixed)
    assert seconds.varied.tolist() == ["n"] * 6 + ["d"] * 3 + ["eps"] * 3
    assert seconds.value.tolist() == [100] * 3 + [200] * 3 + [3] * 3 + [0.3] * 3
    assert (seconds.seconds > 0).all()


def test_a_star_takes_as_many_in_any_dimension_that_has_room():
    grown = lemma_3_1_time.growth_in_d([4, 8, 40, 80], 60, [0.5], 0.1, seed=0)
    star = grown[grown["sample"] == "star"]
    assert star["size"].tolist() == [3, 7, 27, 27] and star.n.tolist() == [3, 7, 39, 79]
    slab = grown[grown["sample"] == "slab of 0.5"]
    assert (slab.groupby("d").draw.nunique() == lemma_3_1_time.N_OF_DIMENSION).all()
    assert (slab["size"] <= slab.bound).all() and (slab.n == 60).all()
    assert slab.ratio.between(1.0, 2.0).all()  # R = 1, and the margin is that of the slab or more


def test_what_is_solved_is_counted_from_outside():
    sound = GrowingHull.nearest
    with measures.calls(GrowingHull, "nearest") as solved:
        X, y = samples.half_spaces(100, 4, 0.2, random_state=0)
        size = len(CoresetSVC(0.1, selection="worst").fit(X, y).coreset_indices_)
    assert solved.count == size and GrowingHull.nearest is sound


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


# Other working sets


def test_balls_hold_their_margin():
    for name, (X, y) in {
        "slab": samples.half_spaces(300, 4, 0.2, random_state=0),
        "star": samples.star(80, 2.0),
    }.items():
        sizes = working_sets.balls_of(name, X, y, [0.1, 0.4])
        assert (sizes.ball >= 2).all() and (sizes.ball <= sizes.coreset + 8).all()
    assert abs(claims.section_1_balls(sizes).value) < 0.6
    every = working_sets.ball_sizes(SLAB, epsilons=[0.02, 0.3], **SMALL)
    assert set(every.eps) == {0.3} and every["sample"].str.startswith("star").sum() == 3
    assert working_sets.ball_sizes(SLAB, epsilons=[0.02], **SMALL).empty


def test_all_points_support_a_star():
    [row] = working_sets.support_of_a_star(40, 2.0, 0.2).itertuples(index=False)
    assert row.supporting == row.n == 40 and row.coreset < 20


def test_a_ball_against_its_definition():
    """With the points that are counted there is a ball that all others lie in, but for the allowed share."""
    points = np.linalg.qr(np.random.default_rng(0).normal(size=(6, 6)))[0] + [3.0, 0, 0, 0, 0, 0]
    points /= np.linalg.norm(points, axis=1)[:, None]
    best = measures.best_hyperplane(points)
    assert working_sets.enclosing_ball(points, 1e-6, best.margin) == measures.supporting(points)


def test_means_of_violators_are_few():
    counts = working_sets.plane_counts(SLAB, n_slabs=3, eps=0.1, **SMALL)
    assert counts.groupby("sample").draw.max().to_dict() == {
        "slab": 2,
        "digits 0, 1": 0,
        "digits 6, 7": 0,
        "star": 0,
    }
    mean = counts.groupby("sample").mean()
    assert mean.means["star"] == 2 and mean.worst["star"] == mean["first"]["star"] > 10
    assert mean.worst["slab"] < mean["first"]["slab"]


def test_relatives_reach_their_margin():
    table = section_3_1_relatives.relatives_table((200, 4, 0.2), eps=0.2, **SMALL)
    assert table["sample"].unique().tolist() == ["slab", "digits 0, 1"]
    table = table[table["sample"] == "slab"].set_index("learner")
    assert (table.achieved.drop("perceptron") >= 0.8 * (1 - 1e-9)).all()
    assert table.missed.to_numpy() == pytest.approx((1 - table.achieved) / 0.2, abs=1e-9)
    bounded = table.bound.notna()
    assert bounded.sum() == 4 and (table.updates <= table.bound)[bounded].all()
    assert (table.used == table.updates / table.bound)[bounded].all()
    seconds = section_3_1_relatives.relatives_seconds((200, 4, 0.2), eps=0.2, **SMALL)
    assert len(seconds) == 8 and (seconds.seconds > 0).all()


def test_kowalczyks_rule_takes_what_a_coreset_takes_where_that_is_largest():
    made = section_3_1_relatives.kowalczyk_updates([0.1, 0.2], [1.5], eps=0.1, ratio=2.0)
    star = made["sample"] == "star"
    assert len(made) == 6 and (made.updates[star] == made.coreset[star] - 1).all()
    assert made.used.between(0.2, 0.5).all() and (made.used == made.updates / made.bound).all()


@pytest.mark.parametrize("unit", [1.0, 1.1, 3.0, 1e-3])
def test_kowalczyks_rule_ends_a_star_alike_in_any_unit(unit):
    X, y = samples.star(100, 3.0)
    assert baselines.kowalczyk(unit * y[:, None] * X, 0.1).n_updates == 71


def test_towards_any_violator_the_bound_of_the_worst_one_does_not_hold():
    """As the deliberate error has it: on a staircase each of so many steps takes hardly anything."""

    def first(points, eps):
        w, updates = points[0].copy(), 0
        while (bad := points @ w < (1 - eps) * (w @ w) * (1 - 1e-12)).any():
            apart = w - points[bad.argmax()]
            w -= (w @ apart) / (apart @ apart) * apart
            updates += 1
        return updates

    X, y, _ = samples.staircase(2.0, 0.1, 5)
    assert first(y[:, None] * X, 0.1) > baselines.kowalczyk_bound(2.0, 0.1)


def test_a_perceptron_makes_all_the_mistakes_that_its_bound_allows():
    made = section_3_1_relatives.perceptron_updates([2, 9])
    assert made.updates.tolist() == [2, 9] and made.used.tolist() == pytest.approx([1.0, 1.0])


def test_alma_makes_more_updates_than_romma():
    draws = {"n_train": 60, "n_draws": (3, 2)}
    similar = section_3_1_relatives.alma_beside_romma(4, 0.2, eps=0.2, **SMALL, **draws)
    assert similar["sample"].tolist() == ["slab"] * 3 + ["digits 6, 7"] * 2
    assert similar.romma.between(0.0, 0.2).all() and similar.alma.between(0.0, 0.2).all()
    assert (similar.alma_updates > 3 * similar.romma_updates).all()


def test_the_smallest_coresets_of_a_star_have_half_of_what_its_rule_takes():
    sizes = section_3_sizes.star_sizes(60, 1.5, [0.1, 0.3])
    X, y = samples.star(60, 1.5)
    points = y[:, None] * X
    best = measures.best_hyperplane(points).margin
    for row in sizes.itertuples():
        enough = [
            (points @ measures.best_hyperplane(points[:k]).normal).min() >= (1 - row.eps) * best
            for k in range(1, row.found + 1)
        ]
        assert row.smallest == 1 + enough.index(True) < row.found


def test_planes_of_one_example_are_the_coreset():
    planes = working_sets.planes_of_one_example((200, 4, 0.2), 40, 0.1, data="bundled", seed=0)
    assert (planes.example == planes.coreset).all() and (planes.groupby("sample").size() > 3).all()


def test_planes_are_counted_on_samples_of_each_size():
    planes = working_sets.planes_in_n([50, 100], 4, 0.2, 0.1, n_draws=2, seed=0)
    assert planes.n.tolist() == [50, 50, 100, 100] and planes.draw.tolist() == [0, 1, 0, 1]
    assert (planes[["means", "worst"]] > 1).all(axis=None)


@pytest.mark.parametrize("k", [1, 2])
def test_the_step_that_is_drawn_comes_nearer_to_the_origin(k):
    """As the proof has it: the segment does, and the hull with the new point at least as much."""
    search = figure_1.search_in_the_plane(60, 0.25, 0.1, "worst", seed=3)
    _, axis = plotting.figure()
    drawings.draw_step(axis, search, k)
    named = {text.get_text(): np.hypot(*text.xy) for text in axis.texts}
    before, after = search.of_coreset[k - 1 : k + 1]
    assert named[r"$\rho_i$ away"] == pytest.approx(before)
    assert after - 1e-12 <= named["nearer"] < before

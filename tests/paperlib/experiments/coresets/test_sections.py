"""The notebook's sections: sizes and steps of coresets, labels asked for, outliers, sequences."""

import itertools

import numpy as np
import pandas as pd
import pytest

from paperlib.coresets import ChainDecoder, CoresetSVC, theory
from paperlib.coresets._solver.hull import min_norm_point
from paperlib.experiments import datasets
from paperlib.experiments.coresets import (
    measures,
    samples,
    section_3_1_relatives,
    section_3_sizes,
    section_4_labels,
    section_5_outliers,
    section_6_outputs,
)

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


def test_the_star_grows_as_the_lemma_says():
    sizes = section_3_sizes.star_sizes([0.1, 0.2, 0.4], [1.5, 2.0, 3.0], eps=0.2, ratio=2.0)
    for name, x in (("eps", 1 / sizes.eps - 1), ("ratio", sizes.ratio**2 - 1)):
        rows = (sizes.varied == name) & (sizes.selection == "worst")
        slope = measures.fitted_exponent(x[rows], sizes["size"][rows])
        assert slope == pytest.approx(1.0, abs=0.15)
    assert (sizes["size"] <= sizes.bound).all() and set(sizes.selection) == {"worst", "first"}


def test_points_read_are_counted_from_outside():
    growth = section_3_sizes.growth_in_n([100, 400], 4, 0.2, 0.1, random_state=0)
    worst = growth[(growth.selection == "worst") & (growth["sample"] == 0)]
    looked_at_before = 2 * -(-worst.n // section_3_sizes.CHUNKS)
    assert (worst.points_read <= worst.n * worst["size"] + looked_at_before).all()
    assert (worst.points_read >= worst.n * worst["size"]).all()
    assert growth.groupby("selection")["sample"].max().to_dict() == {
        "batch": 0,
        "first": 0,
        "worst": section_3_sizes.N_GROWING - 1,
    }


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


def test_atoms_are_missed_as_often_as_they_should_be():
    failed = section_4_labels.atoms_failures(1, 30, 0.05, 20_000, random_state=0)
    assert failed.mean() == pytest.approx((1 - 0.050005) ** 30, abs=0.02)
    with pytest.raises(ValueError, match="n_atoms must be at most"):
        section_4_labels.atoms_failures(30, 10, 0.05, 10)


@pytest.mark.parametrize("stream", [False, True])
def test_one_hidden_point_costs_the_margin_but_not_the_error(stream):
    pools = {"one": samples.hidden(200, 1, random_state=0)}
    trials = section_4_labels.active_trials(pools, 20, 0.1, 0.05, 0.1, stream=stream, random_state=0)
    assert not trials.failed.any()
    assert (trials.near > 0).mean() > 0.3
    assert (trials.queries <= trials.bound).all()


def test_labels_are_counted_where_their_bound_is_below_the_pool():
    asked = section_4_labels.query_counts(600, 3, 0.9, 0.5, 0.05, 0.1, 3, random_state=0)
    assert (asked.queries <= asked.bound).all() and (asked.bound < asked.n).all()


# Outliers, and many outputs


def test_outliers_against_all_sets():
    small = section_5_outliers.outlier_trials(3, 8, 2, [0, 1], 0.1, random_state=0)
    large = section_5_outliers.outlier_trials(1, 25, 2, [3], 0.1, random_state=0)  # by a programme
    found = pd.concat([small, large])
    assert found.achieved.between(0.9 - 1e-9, 1 + 1e-9).all()
    assert (found.looked_at <= found.allowed).all()


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

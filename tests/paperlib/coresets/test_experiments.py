"""The notebook's experiments: samples, sizes and steps of coresets, labels asked for, outliers, sequences."""

import numpy as np
import pandas as pd
import pytest

from paperlib.coresets import CoresetSVC, experiments, label_experiments, output_experiments, samples, theory
from paperlib.experiments import datasets

# Samples


def test_half_spaces_leave_the_slab_empty():
    X, y = samples.half_spaces(300, 4, 0.3, random_state=0)
    assert np.allclose(np.linalg.norm(X, axis=1), 1.0)
    assert (y * X[:, 0]).min() >= 0.3
    assert experiments.optimal_margin(X, y) == pytest.approx(0.3, rel=0.1)


@pytest.mark.parametrize("ratio", [1.5, 3.0])
def test_every_coreset_of_a_star_has_as_many_points(ratio):
    X, y = samples.star(400, ratio)
    expected = (ratio**2 - 1) * (1 / 0.2 - 1)
    for selection in ("worst", "first"):
        size = len(CoresetSVC(0.2, selection=selection).fit(X, y).coreset_indices_)
        assert expected - 1 <= size <= expected + 2


@pytest.mark.parametrize("selection", ["worst", "first"])
def test_the_hyperplanes_on_the_way_are_those_of_the_search(selection):
    X, y = samples.half_spaces(300, 3, 0.1, random_state=2)
    fit = CoresetSVC(0.05, selection=selection).fit(X, y)
    joined = fit.coreset_indices_
    normals, of_coreset, on_all = experiments.hyperplanes_on_the_way(X, y, joined)
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


def test_what_is_hidden_is_on_the_wrong_side_of_the_rest():
    X, y = samples.hidden(100, 5, random_state=0)
    assert (y < 0).sum() == 5
    rest = X[y > 0].mean(axis=0)
    assert (X[y < 0] @ rest > 0.5).all()
    assert experiments.optimal_margin(X, y) > 0.5


def test_flipped_points_are_those_on_the_wrong_side():
    X, y, outliers = samples.flipped(100, 3, 0.2, 7, random_state=1)
    assert np.flatnonzero(y * X[:, 0] < 0).tolist() == outliers.tolist()


# Coresets


@pytest.fixture(scope="module")
def found():
    data_sets = {
        "slab": samples.half_spaces(300, 5, 0.2, random_state=0),
        "star": samples.star(100, 2.0),
    }
    return experiments.coreset_runs(data_sets, [0.1, 0.3])


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
    _, steps = experiments.coreset_runs({"star": samples.star(50, 2.0)}, [0.2])
    assert (steps.kept > steps.equation_1).any()


def test_the_star_grows_as_the_lemma_says():
    sizes = experiments.star_sizes([0.1, 0.2, 0.4], [1.5, 2.0, 3.0], eps=0.2, ratio=2.0)
    for name, x in (("eps", 1 / sizes.eps - 1), ("ratio", sizes.ratio**2 - 1)):
        rows = (sizes.varied == name) & (sizes.selection == "worst")
        slope, _ = experiments.fitted_exponent(x[rows], sizes["size"][rows])
        assert slope == pytest.approx(1.0, abs=0.15)
    assert (sizes["size"] <= sizes.bound).all() and set(sizes.selection) == {"worst", "first"}


def test_points_read_are_passes_times_points():
    growth = experiments.growth_in_n([100, 400], 4, 0.2, 0.1, random_state=0)
    assert (growth.points_read == growth.n * growth.passes).all()
    worst = growth[growth.selection == "worst"]
    assert (worst.passes <= worst["size"]).all()


def test_either_label_improves():
    assert experiments.either_label(40, 0.2, random_state=0) == (80, 0)


# Labels


def test_label_curves_end_at_what_was_asked_for():
    pools = {"slab": samples.half_spaces(400, 4, 0.1, random_state=0)}
    curves = label_experiments.label_curves(pools, [0.3, 1.0], 3, 0.1, 0.05, 0.1, random_state=0)
    assert len(curves) == 12
    final = curves[curves.fraction == 1.0].groupby("learner").error.mean()
    assert final["active"] <= final["passive"]


def test_atoms_are_missed_as_often_as_they_should_be():
    failed = label_experiments.atoms_failures(1, 30, 0.05, 20_000, random_state=0)
    assert failed.mean() == pytest.approx((1 - 0.050005) ** 30, abs=0.02)
    with pytest.raises(ValueError, match="n_atoms must be at most"):
        label_experiments.atoms_failures(30, 10, 0.05, 10)


@pytest.mark.parametrize("stream", [False, True])
def test_one_hidden_point_costs_the_margin_but_not_the_error(stream):
    pools = {"one": samples.hidden(200, 1, random_state=0)}
    trials = label_experiments.active_trials(pools, 20, 0.1, 0.05, 0.1, stream=stream, random_state=0)
    assert not trials.failed.any()
    assert (trials.near > 0).mean() > 0.3
    assert (trials.queries <= trials.bound).all()


def test_nightmares():
    assert (label_experiments.nightmare_labels([5, 9], 0.1, random_state=0).eval("asked - n") == 0).all()
    assert label_experiments.inseparable_needles([4, 6]) == (20, 0)
    assert label_experiments.inseparable_needles([4, 6], lifted=False) == (10, 10)


# Outliers, and many outputs


def test_outliers_against_all_sets():
    small = label_experiments.outlier_trials(3, 8, 2, [0, 1], 0.1, random_state=0)
    large = label_experiments.outlier_trials(1, 25, 2, [3], 0.1, random_state=0)  # by a programme
    found = pd.concat([small, large])
    assert found.achieved.between(0.9 - 1e-9, 1 + 1e-9).all()
    assert found.bound_holds.all()
    assert (found.looked_at <= found.allowed).all()


def test_planted_outliers_are_found():
    X, y, planted = samples.flipped(80, 3, 0.2, 2, random_state=0)
    path = label_experiments.outlier_path(X, y, planted, range(4), 0.1)
    assert path.found.tolist()[2:] == [2, 2]
    assert (path.margin[:2] <= 0).all() and (path.margin[2:] > 0.1).all()


def test_relatives_reach_their_margin():
    data_sets = {"slab": samples.half_spaces(200, 4, 0.2, random_state=0)}
    table = output_experiments.relatives_table(data_sets, 0.2).set_index("learner")
    assert (table.achieved.drop("perceptron") >= 0.8 * (1 - 1e-9)).all()
    bounded = table.bound.notna()
    assert bounded.sum() == 4 and (table.updates <= table.bound)[bounded].all()
    seconds = output_experiments.relatives_seconds(data_sets, 0.2)
    assert len(seconds) == 4 and (seconds.seconds > 0).all()


def test_many_outputs_are_certified():
    digits = datasets.load("digits")
    rows = digits.y < 4
    many = output_experiments.multiclass_digits(digits.X[rows], digits.y[rows], [0.2], 200)
    chains = output_experiments.chain_labelling(5, 3, 0.3, random_state=0)
    assert (many.certificate >= 0.8 - 1e-9).all() and (chains.certificate >= 0.7 - 1e-9).all()
    assert many.test_error.max() < 0.1
    assert chains.test_error.notna().all()

"""The comparison of Section 2.4, small."""

import numpy as np
import pytest

from paperlib.experiments.max_loss.samples import crossing_sample, separable_sample
from paperlib.experiments.max_loss.section_2_4_players import (
    comparison_runs,
    crossing_runs,
    gap_work_runs,
    margin_runs,
)
from paperlib.experiments.max_loss.theorem_1 import mistake_bound


def test_comparison():
    runs = comparison_runs({"small": (200, 5, 0.3)}, 1, seed=0)
    assert runs.solved.all() and runs.method.is_unique
    work = runs.set_index("method").work
    assert work["FOL"] < work["EXP3.P.1"]


def test_uniform_sampling_waits_where_the_margin_is_narrow():
    runs = margin_runs(1000, 20, [0.01, 0.3], 8, seed=0)
    ratio = (runs.uniform / runs.FOL).groupby(runs.margin).median()
    assert ratio[0.01] > 3
    assert 0.3 < ratio[0.3] < 3
    assert (runs.mistake_bound[:8] > 50 * runs.mistake_bound[8:].to_numpy()).all()


def test_a_run_stops_at_its_limit():
    runs = margin_runs(300, 5, [0.001], 2, limit=500, seed=0)
    assert (runs[["uniform", "FOL"]] == 500).all(axis=None)


def test_what_is_read_on_the_gap_grows_with_m_and_c():
    runs = gap_work_runs([0.01, 0.001], [0.05, 0.005], 4, seed=0)
    assert runs.solved.all()
    sizes = runs.drop_duplicates(["varied", "m", "mistake_bound"])[["varied", "m", "mistake_bound"]]
    assert sizes.values.tolist() == [["C", 40, 41], ["C", 40, 401], ["m", 40, 41], ["m", 400, 41]]
    runs["size"] = runs.m + runs.mistake_bound
    for varied in ("m", "C"):
        means = runs[runs.varied == varied].groupby(["learner", "size"]).rounds.mean().unstack()
        growth = means[441] / means[81]
        assert 3 < growth["AdaBoost"] < 12 and 3 < growth["FOL"] < 12
    # An epoch of AdaBoost reads every example twice.
    boosted = runs[runs.learner == "AdaBoost"]
    assert (boosted.rounds % (2 * boosted.m) == 0).all()


def test_uniform_draws_need_m_c_where_one_step_undoes_the_other():
    runs = crossing_runs(100, [0.2, 0.1], 10, seed=0)
    assert runs.mistake_bound.unique().tolist() == pytest.approx([1.25 * 26, 1.25 * 101])
    over = (runs.uniform / (runs.m * runs.mistake_bound)).groupby(runs.spread).mean()
    assert over.between(0.15, 0.3).all() and (runs.uniform > runs.FOL)[10:].all()
    X, y = crossing_sample(100, 0.1, random_state=1)
    w, mistakes, rng = np.zeros(3), 0, np.random.default_rng(0)
    while (y * (X @ w) <= 0.0).any():
        i = rng.integers(100)
        if y[i] * (X[i] @ w) <= 0.0:
            w, mistakes = w + y[i] * X[i], mistakes + 1
    own = runs[runs.spread == 0.1].mistakes
    assert own.min() <= mistakes <= own.max()


def test_no_other_hyperplane_has_a_lower_mistake_bound():
    X, y, normal = separable_sample(200, 4, 0.05, random_state=0)
    bound, largest, rng = mistake_bound(X, y), (X**2).sum(axis=1).max(), np.random.default_rng(0)
    for noise in (0.0, 0.003, 0.01, 0.03) * 50:
        other = normal + noise * rng.standard_normal(4)
        margin = (y * (X @ other)).min() / np.linalg.norm(other)
        assert margin <= 0.0 or bound <= largest / margin**2 + 0.001
    assert bound < 0.9 * largest / 0.05**2

"""Combinations that know of costs: what each of them minimises, and the shape of the tables."""

import numpy as np
import pytest

from paperlib.experiments.boosting2d import practice, real_pairs
from paperlib.experiments.boosting2d.samples import clouds


def cost(combine, X, y, weights):
    return weights[y * combine(X, y, weights)(X) <= 0].sum()


@pytest.mark.parametrize("seed", range(3))
def test_nothing_costs_less_in_training_than_the_optimal_line(seed):
    X, y = clouds(120, random_state=seed)
    weights = np.where(y < 0, 10.0, 1.0)
    costs = {name: cost(combine, X, y, weights) for name, combine in practice.UNEQUAL_COSTS.items()}
    assert min(costs.values()) == costs["optimal line"] < costs["stacking"]
    assert cost(practice.moved, X, y, weights) <= costs["stacking"]


@pytest.mark.parametrize("name", ["stacking, weighted", "stacking, tuned threshold", "stacking, calibrated"])
def test_whoever_knows_the_costs_gives_fewer_false_alarms(name):
    X, y = clouds(400, random_state=0)
    alarms = [
        (practice.UNEQUAL_COSTS[which](X, y, np.where(y < 0, 10.0, 1.0))(X)[y < 0] >= 0).sum()
        for which in (name, "stacking")
    ]
    assert alarms[0] < alarms[1] / 2


def test_tables_have_a_row_for_each_combiner():
    trials = practice.cost_trials(2, 60, data="bundled", seed=0)
    assert trials.combiner.tolist() == list(practice.UNEQUAL_COSTS) * 2 * len(
        real_pairs.task_names("bundled")
    )
    assert trials[["training", "test"]].ge(0).all().all()
    found = practice.situation_trials(2, n_test=500, seed=0)
    assert len(found) == 2 * len(practice.SITUATIONS) * len(practice.RIVALS)
    assert found[["training", "test"]].stack().between(0, 1).all()


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="n_trials must be an integer >= 2, got 1"):
        practice.situation_trials(1, seed=0)

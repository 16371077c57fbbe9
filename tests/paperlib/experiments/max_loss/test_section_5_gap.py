"""Section 5's rule on the gap's distribution, small."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from paperlib.experiments.max_loss import section_5_gap
from paperlib.experiments.max_loss.samples import gap_points, gap_sample
from paperlib.experiments.max_loss.section_5_gap import (
    least_average_loss,
    rare_wrong_at_the_optimum,
    schedule_map,
    schedule_runs,
    watch_schedule,
)
from paperlib.max_loss import LogisticSGD


def test_compiled_epochs_are_the_learners_own_steps():
    X, y = gap_sample(130, 0.2, 0.1, random_state=0)
    fast, slow = LogisticSGD(X, y, l2=0.01), LogisticSGD(X, y, l2=0.01)
    epochs = section_5_gap._without(fast, 130, 7, np.random.default_rng(3))
    rng = np.random.default_rng(3)
    for _ in range(epochs):
        for batch in rng.integers(0, 130, size=(3, 64)):
            slow.step(batch)
    np.testing.assert_array_equal(fast.w, slow.w)
    np.testing.assert_array_equal(fast.velocity, slow.velocity)
    assert fast.n_steps == slow.n_steps == 3 * epochs


def test_it_stops_at_the_first_epoch_without_a_training_error():
    found = schedule_runs(0.2, 0.02, 640, 300, 3, {"fast": {"learning_rate": 1.0, "l2": 0.0}}, seed=0)
    assert found.reached.all() and (found.wrong_rare == 0.0).all() and (found.test_error == 0.0).all()
    epochs = found.pivot(index="run", columns="method", values="epochs")
    assert (epochs["FOL"] >= 1).all() and (epochs["SGD"] > epochs["FOL"]).all()


def test_what_is_not_reached_is_said_with_the_limit():
    found = schedule_runs(0.2, 0.004, 4000, 3, 1, {"paper": {}}, seed=0)
    assert not found.reached.any() and (found.epochs == 3).all()
    assert (found.wrong_rare == 1.0).all() and found.test_error.between(0.003, 0.005).all()


def test_fol_has_a_limit_of_its_own(monkeypatch):
    monkeypatch.setattr(section_5_gap, "FOL_EPOCHS", 2)
    found = schedule_runs(0.2, 0.004, 4000, 5, 1, {"paper": {}}, seed=0)
    assert found.set_index("method").epochs.to_dict() == {"FOL": 2, "SGD": 5}


def test_a_map_is_of_runs():
    rules = {"fast": {"learning_rate": 1.0}}
    found = schedule_map([(0.2, 0.02), (0.5, 0.02)], 640, 50, 1, rules, seed=3)
    alone = schedule_runs(0.5, 0.02, 640, 50, 1, rules, seed=3)
    part = found[found.alpha == 0.5].drop(columns=["alpha", "eps"]).reset_index(drop=True)
    pd.testing.assert_frame_equal(part, alone)


def test_what_is_watched_ends_where_nothing_is_wrong():
    seen = watch_schedule(0.2, 0.02, 1.0, 0.0, 1.0, 50, m=640, seed=0)
    for found in seen.values():
        assert found.errors[-1] == 0.0 < found.errors[:-1].min() and len(found.w) == len(found.errors)
        z = gap_points(0.2)
        assert (z @ found.w[-1] > 0).all() and found.w[0].tolist() == [0, 0]
    few = watch_schedule(0.2, 0.02, 0.01, 0.0, 1.0, 2, m=640, seed=0)
    assert {len(found.errors) for found in few.values()} == {3}


@pytest.mark.parametrize("given", [{"n_epochs": 0}, {"n_runs": 0}])
def test_bad_input(given):
    arguments = {"n_epochs": 1, "n_runs": 1} | given
    with pytest.raises(ValueError, match=f"{next(iter(given))} must be an integer >= 1"):
        schedule_runs(0.2, 0.02, 640, rules={"paper": {}}, seed=0, **arguments)


@pytest.mark.parametrize("l2", [1e-4, 5e-4, 0.1])
def test_the_least_average_loss_is_scikit_learns(l2):
    X, y = gap_sample(500, 0.2, 0.02, random_state=1)
    twin = LogisticRegression(C=1.0 / (l2 * len(y)), fit_intercept=False, tol=1e-10, max_iter=10_000)
    np.testing.assert_allclose(least_average_loss(X, y, l2), twin.fit(X, y).coef_[0], rtol=1e-4, atol=1e-5)


def test_the_penalty_decides_whether_the_optimum_has_the_rare_ones_right():
    sample = {"alpha": 0.2, "eps": 0.004, "m": 4000, "n_runs": 3, "seed": 0}
    assert rare_wrong_at_the_optimum(l2=5e-4, **sample).wrong_rare.tolist() == [1.0, 1.0, 1.0]
    assert rare_wrong_at_the_optimum(l2=1e-6, **sample).wrong_rare.tolist() == [0.0, 0.0, 0.0]
    assert rare_wrong_at_the_optimum(0.2, 1e-9, 10, 5e-4, 1, seed=0).wrong_rare.tolist() == [0.0]

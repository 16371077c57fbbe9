"""Theorem 3 and the remedies against wrong labels, small."""

import numpy as np
from scipy.optimize import nnls

from paperlib.experiments.max_loss.samples import flip_labels, separable_sample
from paperlib.experiments.max_loss.section_4_outliers import (
    ROBUST,
    least_maxima,
    robustness_runs,
    sub_sample_runs,
    theorem_3_runs,
)
from paperlib.experiments.random_streams import stream


def test_theorem_3_against_draws():
    runs = theorem_3_runs([(50, 1000, 5, 200), (100, 1000, 1, 100)], 20_000, seed=0)
    for bad, exact in ((runs.bad, runs.exact), (runs.bad_as_printed, runs.exact_as_printed)):
        deviation = np.sqrt(20_000 * exact * (1 - exact))
        assert (abs(bad - 20_000 * exact) <= 5 * deviation + 1e-9).all()
    assert (runs.exact <= runs.bound).all() and (runs.bad_as_printed > 19_800).all()


def test_sub_samples_mostly_miss_the_wrong_labels():
    runs = sub_sample_runs(4000, 4, 0.2, 2, [200], 60, 3, n_test=1000, seed=0)
    assert runs.n.tolist() == [200, 4000] * 3
    whole, part = (runs[runs.n == n].reset_index() for n in (4000, 200))
    assert (whole.hit == 2).all() and (part.hit <= 1).all()
    missed = part.hit == 0
    assert missed.any() and (part.last_error < whole.last_error)[missed].all()


def test_a_wrong_label_leaves_zero_where_no_hyperplane_is_right():
    """The linear programme against least squares: w = 0 is best where 0 is a mixture of the signed points."""
    runs, inseparable = least_maxima(100, 8, 0.1, 1, 12, seed=1), []
    for rng in stream(1, "largest hinge loss").spawn(12):
        X, y, _ = separable_sample(100, 8, 0.1, random_state=rng)
        Z = flip_labels(y, 1, random_state=rng)[0][:, None] * X
        inseparable.append(nnls(np.column_stack([Z, np.ones(100)]).T, np.eye(9)[8])[1] < 1e-9)
    assert runs.trivial.tolist() == inseparable and len(set(inseparable)) == 2
    assert runs.loss.tolist() == runs.trivial.astype(float).tolist()


def test_robustness():
    runs = robustness_runs(500, 5, 0.2, 2, 50_000, 2, n_test=1000, seed=0)
    errors = runs.groupby("method").test_error.mean()
    assert set(errors.index) == set(ROBUST)
    some = robustness_runs(500, 5, 0.2, 1, 1000, 2, methods=["FOL"], n_test=100, seed=0)
    assert set(some.method) == {"FOL"} and len(some) == 2
    assert errors["FOL, slack l1, average"] < 0.02 < errors["FOL, average"] < errors["FOL"]

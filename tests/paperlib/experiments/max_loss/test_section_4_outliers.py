"""Theorem 3 and the remedies against wrong labels, small."""

from paperlib.experiments.max_loss.section_4_outliers import ROBUST, robustness_runs, theorem_3_runs


def test_theorem_3_against_draws():
    runs = theorem_3_runs([(50, 1000, 5, 200), (100, 1000, 1, 100)], 20_000)
    assert (abs(runs.bad - runs.exact) < 5 * runs.stderr).all()
    assert (runs.exact <= runs.bound).all() and (runs.as_printed > 0.99).all()
    assert (abs(runs.as_printed - runs.as_printed_exact) <= 5 * runs.printed_stderr + 1e-12).all()


def test_robustness():
    runs = robustness_runs(500, 5, 0.2, 2, 50_000, 2, n_test=1000)
    errors = runs.groupby("method").test_error.mean()
    assert set(errors.index) == set(ROBUST)
    assert errors["FOL, slack l1, average"] < 0.02 < errors["FOL, average"] < errors["FOL"]

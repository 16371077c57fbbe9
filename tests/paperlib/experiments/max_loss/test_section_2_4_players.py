"""The comparison of Section 2.4, small."""

from paperlib.experiments.max_loss.section_2_4_players import comparison_runs


def test_comparison():
    runs = comparison_runs(200, 5, 0.3, 1)
    assert runs.solved.all() and runs.method.is_unique
    work = runs.set_index("method").work
    assert work["FOL"] < work["EXP3.P.1"]

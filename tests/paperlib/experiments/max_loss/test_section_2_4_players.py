"""The comparison of Section 2.4, small."""

from paperlib.experiments.max_loss.section_2_4_players import comparison_runs, margin_runs


def test_comparison():
    runs = comparison_runs(200, 5, 0.3, 1)
    assert runs.solved.all() and runs.method.is_unique
    work = runs.set_index("method").work
    assert work["FOL"] < work["EXP3.P.1"]


def test_uniform_sampling_waits_where_the_margin_is_narrow():
    runs = margin_runs(1000, 20, [0.01, 0.3], 8)
    ratio = (runs.uniform / runs.FOL).groupby(runs.margin).median()
    assert ratio[0.01] > 3
    assert 0.3 < ratio[0.3] < 3
    assert (runs.mistake_bound[:8] > 100 * runs.mistake_bound[8:].to_numpy()).all()


def test_a_run_stops_at_its_limit():
    runs = margin_runs(300, 5, [0.001], 2, limit=500)
    assert (runs[["uniform", "FOL"]] == 500).all(axis=None)

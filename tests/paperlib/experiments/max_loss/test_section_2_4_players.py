"""The comparison of Section 2.4, small."""

from paperlib.experiments.max_loss.section_2_4_players import (
    comparison_runs,
    gap_work_runs,
    margin_runs,
)


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
    assert (runs.mistake_bound[:8] > 100 * runs.mistake_bound[8:].to_numpy()).all()


def test_a_run_stops_at_its_limit():
    runs = margin_runs(300, 5, [0.001], 2, limit=500, seed=0)
    assert (runs[["uniform", "FOL"]] == 500).all(axis=None)


def test_what_is_read_on_the_gap_grows_with_m_and_c():
    runs = gap_work_runs([(each / 10, each) for each in (0.005, 0.05)], 4, seed=0)
    assert runs.solved.all() and (runs.alpha < runs.eps).all()
    small, large = (runs[runs.eps == eps].groupby("learner").rounds.mean() for eps in (0.05, 0.005))
    growth = large / small
    assert 6 < growth["AdaBoost"] < 16 and 8 < growth["FOL"] < 25
    # An epoch of AdaBoost reads every example twice.
    assert (runs[runs.learner == "AdaBoost"].rounds % (4 / runs.eps.min()) % (4 / runs.eps.max()) == 0).all()

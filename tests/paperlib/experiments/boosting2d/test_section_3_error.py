"""What is counted, and training anew without each point."""

import numpy as np

from paperlib.experiments.boosting2d import samples, section_3_error, sections_1_and_2
from paperlib.experiments.boosting2d.sections_1_and_2 import Sample


def test_four_ways_to_count():
    table = section_3_error.counters_table()
    assert table.wrong.tolist() == [2, 6, 6, 6, 3, 8, 7, 8]
    assert table.total.tolist() == [4, 12, 6, 12, 4, 12, 7, 12]


def test_repaired_counters_are_the_occurrences():
    rng = np.random.default_rng(5)
    held = [
        (section_3_error.repaired_counters(sample, i), section_3_error.occurrences(sample, i))
        for sample in (Sample(*samples.small_sample(rng)) for _ in range(60))
        for i in np.flatnonzero((sample.shares > 0.0) & (sample.shares < 1.0))
    ]
    assert len(held) > 10
    assert all((labels - right, labels) == counted for (labels, right), counted in held)


def test_retraining_by_lines_is_retraining_by_subsets(monkeypatch):
    sample = samples.small_sample(np.random.default_rng(4))
    by_subsets = Sample(*sample).shares
    monkeypatch.setattr(sections_1_and_2, "_FEW", 1)
    found = section_3_error.retrained_contributions(*sample)
    np.testing.assert_allclose(found, by_subsets * sample[2], rtol=1e-15)
    assert section_3_error.leave_one_out_against_retraining(25, 2, random_state=0) < 1e-12

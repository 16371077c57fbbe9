"""What is counted, and training anew without each point."""

import numpy as np

from paperlib.experiments.boosting2d import samples, section_3_error, sections_1_and_2
from paperlib.experiments.boosting2d.sections_1_and_2 import Sample


def test_three_ways_to_count():
    table = section_3_error.counters_table()
    assert table.wrong.tolist() == [2, 6, 6, 3, 11, 7]
    assert table.total.tolist() == [4, 12, 6, 4, 12, 7]


def test_retraining_by_lines_is_retraining_by_subsets(monkeypatch):
    sample = samples.small_sample(np.random.default_rng(4))
    by_subsets = Sample(*sample).shares
    monkeypatch.setattr(sections_1_and_2, "_FEW", 1)
    found = section_3_error.retrained_contributions(*sample)
    np.testing.assert_allclose(found, by_subsets * sample[2], rtol=1e-15)
    assert section_3_error.leave_one_out_against_retraining(25, 2, random_state=0) < 1e-12

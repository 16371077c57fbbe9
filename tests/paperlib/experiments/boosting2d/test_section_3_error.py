"""What is counted, and training anew without each point."""

import numpy as np
import pytest

from paperlib.experiments.boosting2d import samples, section_3_error, sections_1_and_2
from paperlib.experiments.boosting2d.sections_1_and_2 import Sample


def test_four_ways_to_count():
    table = section_3_error.counters_table()
    assert table.wrong.tolist() == [2, 5, 5, 5, 3, 6, 6, 6]
    assert table.total.tolist() == [4, 10, 5, 10, 4, 10, 6, 10]


@pytest.mark.parametrize(
    "turned", [[[0, -1], [1, 0]], [[-1, 0], [0, -1]], [[3, -4], [4, 3]], [[5, 12], [-12, 5]]]
)
def test_occurrences_do_not_depend_on_the_base_vector(turned):
    """By angles whose turned points doubles hold exactly, but for the scale."""
    rng, tried = np.random.default_rng(2), 0
    for X, positive, weights in (samples.FIVE, *(samples.small_sample(rng) for _ in range(40))):
        X = X.round(4) * 1e4  # integers
        one, other = Sample(X, positive, weights), Sample(X @ np.array(turned, float).T, positive, weights)
        for i in np.flatnonzero((one.shares > 0.0) & (one.shares < 1.0)):
            tried += 1
            assert section_3_error.occurrences(one, i) == section_3_error.occurrences(other, i)
            assert section_3_error.printed_counters(one, i) == section_3_error.printed_counters(other, i)
    assert tried > 10


def test_the_printed_algorithm_on_five_points():
    """Both points of type III count in full, and no other point changes."""
    sample = Sample(*samples.FIVE)
    shares = [section_3_error._printed_share(sample, i) for i in range(5)]
    assert shares[:2] == [1.0, 1.0]
    certain = [i for i in range(5) if sample.shares[i] in (0.0, 1.0)]
    assert [shares[i] for i in certain] == sample.shares[certain].tolist()
    found = section_3_error.printed_against_exact(20, 3, seed=0)
    assert (found.training <= found.exact).all() and (found.exact <= found.printed).all()


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
    table = section_3_error.retraining(25, 2, seed=0)
    assert len(table) == 50 and (table.found - table.retrained).abs().max() < 1e-12
    assert table.weight[:25].tolist() == [1.0] * 25 and table.weight[25:].max() > 1

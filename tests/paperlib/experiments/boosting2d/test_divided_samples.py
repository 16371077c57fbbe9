"""Samples that a search has to divide, and the judge that knows nothing of the search."""

import numpy as np
import pytest

from paperlib.experiments.boosting2d import divided_samples, exact
from paperlib.experiments.boosting2d.divided_samples import KINDS, LARGEST, SMALLEST, divided_sample


@pytest.mark.parametrize("kind", KINDS)
def test_samples_are_as_promised(kind):
    rng = np.random.default_rng(0)
    for _ in range(5):
        X, positive, weights = divided_sample(kind, rng)
        assert SMALLEST <= len(X) <= LARGEST
        assert 0 < positive.sum() < len(X)
        assert (weights == np.round(weights)).all() and weights.min() >= 1
        assert exact._integers(X[:, 0]).dtype == np.int64


def test_nothing_fails_and_every_kind_is_tried():
    found = divided_samples.search_failures(2, random_state=1)
    assert set(found.kind) == set(KINDS)
    assert found.failures.sum() == 0
    assert (found.cases[found.method != "pairs"] == 4).all()


def test_a_wrong_line_and_a_missing_set_are_seen(monkeypatch):
    right = divided_samples.optimal_separator
    monkeypatch.setattr(
        divided_samples, "optimal_separator", lambda X, y, w, **k: right(X, ~np.asarray(y), w, **k)
    )
    assert divided_samples.search_failures(1, random_state=1).failures.sum() >= 2 * len(KINDS)


def test_objects_no_longer_meet():
    sizes, failures = divided_samples.intersection_failures(5, random_state=0)
    assert failures == 0
    assert sizes.max() > 10


def test_a_smaller_intersection_is_seen(monkeypatch):
    right = divided_samples.optimal_separator
    monkeypatch.setattr(divided_samples, "optimal_separator", lambda X, y: right(X[:, :1] * [1.0, 0.0], y))
    assert divided_samples.intersection_failures(5, random_state=0)[1] > 0

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
    found = divided_samples.searches(2, seed=1)
    assert not found[["wrong_line", "wrong_list"]].any(axis=None)
    tried = found[found.method != "pairs"].groupby(["kind", "method"]).size()
    assert tried.tolist() == [2] * (2 * len(KINDS))


def test_a_wrong_line_and_a_missing_set_are_seen(monkeypatch):
    right = divided_samples.optimal_separator
    monkeypatch.setattr(
        divided_samples, "optimal_separator", lambda X, y, w, **k: right(X, ~np.asarray(y), w, **k)
    )
    assert divided_samples.searches(1, seed=1).wrong_line.all()


def test_objects_no_longer_meet():
    found = divided_samples.intersections(5, seed=0)
    assert found.given_up.equals(found.least) and not found.meet.any()
    assert found.given_up.max() > 10


def test_a_smaller_intersection_is_seen(monkeypatch):
    right = divided_samples.optimal_separator
    monkeypatch.setattr(divided_samples, "optimal_separator", lambda X, y: right(X[:, :1] * [1.0, 0.0], y))
    found = divided_samples.intersections(5, seed=0)
    assert (found.given_up > found.least).any()

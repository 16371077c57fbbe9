"""Conjunctions, against drawn examples and against each other."""

import numpy as np
import pytest

from paperlib.experiments.max_loss import samples
from paperlib.experiments.max_loss.section_3_2_rare import (
    conjunctions,
    rare_examples_needed,
    theorem_2_runs,
)
from paperlib.experiments.random_streams import stream


def test_errors_of_conjunctions_are_exact():
    found = conjunctions(5, 3)
    X, y, is_rare = samples.conjunction_sample(200_000, 0.5, 5, 3, random_state=0)
    says = ~((~X).astype(float) @ found.members.T.astype(float) > 0)
    wrong = says != y[:, None]
    np.testing.assert_allclose(wrong[~is_rare].mean(axis=0), found.typical, atol=0.01)
    np.testing.assert_allclose(wrong[is_rare].mean(axis=0), found.rare, atol=0.01)


@pytest.mark.parametrize("n_features, n_relevant", [(3, 2), (9, 4)])
def test_the_worst_consistent_conjunction(n_features, n_relevant):
    rows = theorem_2_runs({60: 4}, 0.3, 0.2, n_features=n_features, n_relevant=n_relevant, seed=5)
    found = conjunctions(n_features, n_relevant)
    for row, rng in zip(rows.itertuples(), stream(5, "Theorem 2, 60").spawn(4), strict=True):
        X, y, _ = samples.conjunction_sample(60, 0.3, n_features, n_relevant, random_state=rng)
        errors = np.array([(X[:, members].all(axis=1) != y).mean() for members in found.members])
        assert row.typical_error == found.typical[errors == 0].max()
        assert row.rare_error == found.rare[errors == 0].max()
        assert row.average_rare_error == found.rare[errors <= 0.2].max()


def test_rare_examples_decide():
    runs = theorem_2_runs({200: 5, 10_000: 5}, 0.01, 0.02, seed=0)
    assert runs[runs.m == 200].failed.all() and not runs[runs.m == 10_000].failed.any()
    assert (runs.average_rare_error > 0.02).all()


@pytest.mark.parametrize("n_typical", [0, 3, 80])
def test_rare_examples_needed_one_by_one(n_typical):
    found = conjunctions(5, 3)
    counts = rare_examples_needed([n_typical], 60, 0.1, 4, n_features=5, n_relevant=3, seed=2)
    counts = counts[counts.kind == "rare"]
    assert not counts.enough.any() if n_typical == 0 else counts.enough.any()
    needed = np.where(counts.enough, counts.needed, np.inf)
    rngs = stream(2, f"rare examples beside {n_typical}").spawn(4)
    for its, rng in zip(needed, rngs, strict=True):
        seen = []
        for n, rare in ((n_typical, 0.0), (60, 1.0)):
            if n:
                X, y, _ = samples.conjunction_sample(n, rare, 5, 3, random_state=rng)
                seen += zip(X, y)
        for count in range(61):
            consistent = [
                all(x[asked].all() == label for x, label in seen[: n_typical + count])
                for asked in found.members
            ]
            if found.typical[consistent].max() <= 0.1 and found.rare[consistent].max() <= 0.1:
                break
        assert its == count or (np.isinf(its) and count == 60)


def test_typical_examples_by_themselves_one_by_one():
    found = conjunctions(5, 3)
    counts = rare_examples_needed([], 60, 0.1, 4, n_features=5, n_relevant=3, seed=2)
    assert (counts.kind == "typical").all() and counts.enough.all()
    for its, rng in zip(counts.needed, stream(2, "typical examples beside 0").spawn(4), strict=True):
        X, y, _ = samples.conjunction_sample(60, 0.0, 5, 3, random_state=rng)
        for count in range(61):
            errors = [(X[:count, members].all(axis=1) != y[:count]).any() for members in found.members]
            if found.typical[~np.array(errors)].max() <= 0.1:
                break
        assert its == count


def test_too_few_rare_examples_are_never_enough():
    counts = rare_examples_needed([50], 2, 0.05, 3, seed=0)
    counts = counts[counts.kind == "rare"]
    assert not counts.enough.any() and (counts.needed == 2).all()

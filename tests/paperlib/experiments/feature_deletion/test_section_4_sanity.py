"""The sanity check of Section 4: its data, its order, its readings, and what solvers leave."""

import numpy as np
import pytest

from paperlib.experiments.feature_deletion import samples, section_4_sanity
from paperlib.experiments.feature_deletion.section_4_sanity import BASE, Reading

QUICK = BASE._replace(size=300, margin=0.4)


def test_the_data_are_copies_of_flipped_labels():
    X, y = samples.sanity_sample(4000, np.random.default_rng(0))
    assert X.shape == (4000, 22) and (X[:, 20:] == y[:, None]).all() and np.abs(X).max() == 1
    assert samples.sanity_values().sum() == 40


@pytest.mark.parametrize("kind", samples.KINDS)
@pytest.mark.parametrize("margin", [0.0, 0.3])
def test_before_the_flips_the_data_are_as_far_from_a_hyperplane_as_is_said(kind, margin):
    """The generator draws the hyperplane first, so that we know it."""
    normal = np.random.default_rng(1).normal(size=20)
    X, y = samples.sanity_sample(5000, np.random.default_rng(1), kind, margin)
    _, mean, deviation = samples.KINDS[kind]
    distance = (X[:, :20] - mean) @ normal / np.linalg.norm(normal) / deviation
    assert margin < np.abs(distance).min() < margin + 0.01
    assert abs(np.mean(y * distance > 0) - 0.8) < 4 * np.sqrt(0.16 / 5000)
    # Medians of the absolute value of a normal number, and of one that is beyond 0.3.
    assert abs(np.median(np.abs(distance)) - {0.0: 0.67, 0.3: 0.87}[margin]) < 0.05
    assert np.abs(X[:, :20].mean(axis=0) - mean).max() < 0.1 * deviation
    assert np.abs(X[:, :20].std(axis=0) / deviation - 1).max() < 0.1


def test_the_sanity_check_has_its_order():
    rows = section_4_sanity.sanity_check(3, 2, seed=0)
    assert rows.removed.tolist() == [1] * 2 + [2] * 3
    both, one = rows[rows.removed == 2], rows[rows.removed == 1]
    assert both.LP.mean() < 0.3 < both.SVM.mean() and (both.copies > 0.9).all()
    assert (one[["LP", "SVM"]] == 0).all(axis=None)


def test_the_readings_change_one_thing_at_a_time():
    every = section_4_sanity.readings([200, 1000])
    assert len(set(every)) == len(every) == 4 * 4 + 2 + 5 + 8 and BASE in every
    assert {r.kind for r in every} == set(samples.KINDS) and {r.size for r in every} == {200, 1000}
    assert all(r.strength == 1 or r == BASE._replace(strength=r.strength) for r in every)
    assert all(r.scale == 1 or r == BASE._replace(kind=r.kind, scale=r.scale) for r in every)


@pytest.mark.slow
def test_a_search_is_summed_up_and_split_into_curves(monkeypatch):
    chosen = [
        QUICK,
        BASE._replace(size=40),
        BASE._replace(size=2000),
        BASE._replace(strength=0.1),
        BASE._replace(scale=0.1),
        BASE,
    ]
    monkeypatch.setattr(section_4_sanity, "readings", lambda sizes: chosen)
    rows = section_4_sanity.search.__wrapped__([], 4, seed=0)
    assert rows.equals(section_4_sanity.search.__wrapped__([], 4, seed=0))
    found = section_4_sanity.summary(rows)
    assert found.trials.tolist() == [4, 4, 3, 4, 4, 4]
    assert [Reading(*each) for each in found[list(Reading._fields)].to_numpy().tolist()] == chosen
    first = rows[rows["size"] == 300].LP
    assert np.isclose(found.LP_error[0], first.mean())
    assert np.isclose(found.LP_of_100[0], first.std() / 10)
    assert np.isclose(found.LP_stderr[0], first.std() / 2)
    curves = section_4_sanity.panels(rows)
    assert list(curves["margin"]) == [BASE.kind] and len(curves["margin"][BASE.kind]) == 1
    assert curves["size"]["margin 0.2"]["size"].tolist() == [40, 1000, 2000]
    assert curves["strength"][""].strength.tolist() == [0.1, 1.0]
    assert curves["scale"][BASE.kind]["scale"].tolist() == [0.1, 1.0]


def test_what_an_svm_leaves_for_other_features_is_its_tolerance():
    trials = section_4_sanity.left_over(3, 400, seed=0)
    every = trials.groupby(["features", "solver"], sort=False)[["largest", "one", "error"]].mean()
    rows, small = (every.loc[features] for features in every.index.unique(0))
    loose, tight = rows.largest["pairs (libsvm), to 0.1"], rows.largest["pairs (libsvm), to 1e-05"]
    assert tight < 0.01 * loose < 0.01 and rows.largest["the same, 100 C"] > loose
    assert rows.error.between(0.25, 0.65).all() and len(trials) == 3 * len(every)
    assert small.largest["pairs (libsvm), to 0.001"] > 5 * rows.largest["pairs (libsvm), to 0.001"]
    assert (small.one == 0).all()


@pytest.mark.drawn(1)
@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: section_4_sanity.sanity_check(0, 1, seed=0), "n_trials must be an integer >= 1"),
        (lambda: section_4_sanity.search([10], 3, seed=0), "reading.size must be an integer"),
        (lambda: section_4_sanity.search([200], 2, seed=0), "n_trials must be an integer >= 3"),
        (lambda: section_4_sanity.left_over(1, seed=0), "n_trials must be an integer >= 2"),
        (lambda: samples.sanity_sample(9, np.random.default_rng(0), "odd"), "kind must be one of"),
        (lambda: samples.sanity_sample(9, np.random.default_rng(0), margin=3.0), "margin must be a finite"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()

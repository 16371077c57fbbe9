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
    rows = section_4_sanity.sanity_check(QUICK, 3, random_state=0)
    assert rows.equals(section_4_sanity.sanity_check(QUICK, 3, random_state=0))
    assert rows.LP.mean() < 0.3 < rows.SVM.mean() and (rows.copies > 0.9).all()
    for removed in (0, 1):
        rows = section_4_sanity.sanity_check(QUICK, 3, random_state=0, removed=removed)
        assert (rows[["LP", "SVM"]] == 0).all(axis=None)


def test_the_readings_change_one_thing_at_a_time():
    every = section_4_sanity.readings([200, 1000])
    assert len(set(every)) == len(every) == 4 * 4 + 2 + 5 and BASE in every
    assert {r.kind for r in every} == set(samples.KINDS) and {r.size for r in every} == {200, 1000}
    assert all(r.strength == 1 or r == BASE._replace(strength=r.strength) for r in every)


def test_a_search_is_summed_up_and_split_into_curves(monkeypatch):
    chosen = [QUICK, BASE._replace(size=40), BASE._replace(size=2000), BASE._replace(strength=0.1), BASE]
    monkeypatch.setattr(section_4_sanity, "readings", lambda sizes: chosen)
    rows = section_4_sanity.search([], 4, random_state=0)
    assert rows.equals(section_4_sanity.search([], 4, random_state=0))
    found = section_4_sanity.summary(rows)
    assert found.trials.tolist() == [4, 4, 3, 4, 4]
    assert [Reading(*each) for each in found[list(Reading._fields)].to_numpy().tolist()] == chosen
    first = rows[rows["size"] == 300].LP
    assert np.isclose(found.LP_error[0], first.mean())
    assert np.isclose(found.LP_of_100[0], first.std() / 10)
    assert np.isclose(found.LP_stderr[0], first.std() / 2)
    curves = section_4_sanity.panels(rows)
    assert list(curves["margin"]) == [BASE.kind] and len(curves["margin"][BASE.kind]) == 1
    assert curves["size"]["margin 0.2"]["size"].tolist() == [40, 1000, 2000]
    assert curves["strength"][""].strength.tolist() == [0.1, 1.0]


def test_what_an_svm_leaves_for_other_features_is_its_tolerance():
    rows = section_4_sanity.left_over(3, random_state=0, n_samples=400).set_index("solver")
    loose, tight = rows.largest["pairs (libsvm), to 0.1"], rows.largest["pairs (libsvm), to 1e-05"]
    assert tight < 0.01 * loose < 0.01 and rows.largest["the same, 100 C"] > loose
    assert rows.error.between(0.25, 0.65).all() and (rows.stderr > 0).all()


def test_weights_are_counted_with_the_cube_and_without_it():
    rows = section_4_sanity.densities(400, 3, random_state=0, cubes=(0.1, 30.0))
    assert rows.equals(section_4_sanity.densities(400, 3, random_state=0, cubes=(0.1, 30.0)))
    assert rows.features.between(1.9, 22).all() and len(rows) == 3 * (5 + 2 * 2)
    assert rows[rows.learner == "SVM"].features.between(1.99, 2.2).all()  # the two copies
    assert (section_4_sanity.denser(rows, "LP", "SVM") > 0.1).all()
    assert (section_4_sanity.denser(rows, "LP", "LP") > 0.1).all()
    assert (section_4_sanity.denser(rows, "perceptron", "SVM") > 1).all()
    # The smaller the programme's cube, the further its weights are spread.
    spread = rows[(rows.learner == "LP") & rows.cube].groupby("C").features.mean()
    assert list(spread.index) == [3.0, 10.0, 30.0] and spread.is_monotonic_decreasing
    # A small cube holds back the copies.
    assert (section_4_sanity.denser(rows, "perceptron", "perceptron", C=0.1) > 3).all()
    mine = rows[(rows.learner == "perceptron") & (rows.C == 30) & rows.cube].features.to_numpy()
    free = rows[(rows.learner == "perceptron") & (rows.C == 30) & ~rows.cube].features.to_numpy()
    assert np.array_equal(section_4_sanity.denser(rows, "perceptron", "perceptron"), mine - free)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: section_4_sanity.sanity_check(BASE._replace(size=10), 2), "reading.size must be an integer"),
        (lambda: section_4_sanity.sanity_check(BASE._replace(kind="odd"), 2), "kind must be one of"),
        (lambda: section_4_sanity.sanity_check(BASE._replace(margin=3.0), 2), "margin must be a finite"),
        (lambda: section_4_sanity.search([200], 2), "n_trials must be an integer >= 3"),
        (lambda: section_4_sanity.densities(10, 2), "n_samples must be an integer >= 40"),
        (lambda: section_4_sanity.left_over(1), "n_trials must be an integer >= 2"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()

"""The races of Section 5 as steps: what each run came to, what is drawn."""

import numpy as np
import pandas as pd
import pytest

from paperlib.experiments.max_loss import section_5_curves as of_curves
from paperlib.experiments.max_loss import section_5_races as races
from paperlib.experiments.max_loss.network import initial_weights


@pytest.fixture(scope="module")
def faces():
    return races.face_races(2, 10, 6, 2, 3, 0.05, seed=1)


@pytest.fixture(scope="module")
def digits():
    return races.digit_races(2, 300, 5, 30, data="bundled", seed=1)


@pytest.fixture(scope="module")
def ends(faces, digits):
    return races.ends(faces.curves, digits.curves)


def test_races_have_runs_of_their_own(faces, digits):
    assert set(faces.curves.task) == {races.FACES} and set(digits.curves.task) == {races.DIGITS, races.NO_L2}
    for curves in (faces.curves, digits.curves):
        paths = curves[curves.method == "FOL"].pivot(index="epoch", columns=["task", "run"], values="useful")
        assert not paths.T.duplicated().any()
    # With the penalty and without, a run has the same images and weights.
    first = digits.curves[digits.curves.epoch == 0].groupby("run").train_errors.nunique()
    assert (first == 1).all()
    assert set(digits.curves.method[digits.curves.task == races.NO_L2]) == {"FOL", "SGD"}


def test_nine_of_ten_digits_are_to_train_on(digits):
    assert (digits.splits.share - 0.9).abs().max() < 0.01
    assert (digits.splits.to_train.between(200, 270)).all() and digits.splits.run.tolist() == [0, 1]


def test_a_run_more_changes_none_before(digits):
    alone = races.digit_races(1, 300, 5, 30, data="bundled", seed=1)
    pd.testing.assert_frame_equal(alone.curves, digits.curves[digits.curves.run == 0].reset_index(drop=True))


def test_pictures_of_the_images_with_the_largest_weights(faces):
    assert faces.pictures.shape == (2, 2, races.N_SHOWN, 28, 28)
    assert faces.pictures.min() >= 0.0 and faces.pictures.max() <= 1.0
    assert not np.array_equal(faces.pictures[0], faces.pictures[1])


def test_what_each_run_came_to(digits, ends):
    for (task, method, run), row in ends.set_index(["task", "method", "run"]).iterrows():
        if task == races.FACES:
            continue
        its = digits.curves[(digits.curves.task == task) & (digits.curves.run == run)]
        own = its[its.method == method].set_index("epoch")
        assert row.start_errors == own.train_errors[0]
        zeros = own.index[own.train_errors == 0]
        assert row.reached == (len(zeros) > 0) and row.epochs == (zeros[0] if row.reached else own.index[-1])
        assert row.test_error == own.test_error[row.epochs]
        last = own.iloc[-races.AFTER if method != "AdaBoost" else -1 :]
        assert row.train_end == pytest.approx(last.train_error.mean())
        assert row.test_end == pytest.approx(last.test_error.mean())
        if method != "AdaBoost":
            assert own.index[-1] == (min(30, row.epochs + races.AFTER) if row.reached else 30)
        for column, other in (("at_fol", "FOL"), ("at_adaboost", "AdaBoost")):
            theirs = ends[(ends.task == task) & (ends.run == run) & (ends.method == other)]
            if len(theirs):
                until = own[own.index <= theirs.epochs.iloc[0]]
                assert row[column] == until.test_error.iloc[-1]
            else:
                assert np.isnan(row[column])
        assert np.isnan(row.useful) == (method == "AdaBoost") and np.isnan(row.over_drawn) == (
            method != "FOL"
        )


def test_drawn_curves_are_some_of_all(faces, digits):
    drawn = races.drawn_curves(faces.curves, digits.curves)
    whole = pd.concat([faces.curves, digits.curves])
    assert len(drawn) < len(whole)
    keys = ["task", "method", "run", "epoch"]
    both = drawn.merge(whole, on=keys, suffixes=("", "_whole"))
    assert len(both) == len(drawn) and (both.train_error - both.train_error_whole).abs().max() < 1e-6
    last = whole.groupby(keys[:3]).epoch.max()
    assert (drawn.groupby(keys[:3]).epoch.max() == last).all()
    medians = of_curves.median_curves(drawn[drawn.task == races.DIGITS])
    assert set(medians.method) == {"FOL", "SGD", "AdaBoost"}


def test_a_picture_of_each_source_first():
    order, source = np.array([5, 3, 1, 0, 2, 4]), np.array([0, 7, 1, 7, 2, 7])
    found = races._firsts(order, np.array([True] * 5 + [False]), source)
    assert found.tolist() == [3, 0, 2, 4, 1]


def test_rates_of_the_p_player():
    found = races.focus_by_eta([1.0, 50.0], 1, 300, 5, 8, data="bundled", seed=0)
    assert found.factor.tolist() == [1.0, 50.0] and (found.epochs <= 8).all()
    assert found.useful.between(0, 64).all() and found.useful.nunique() == 2


def test_rows_of_digits(ends, digits):
    found = races.all_of_mnist(ends, digits.curves)
    assert set(found.task) == {races.DIGITS, races.NO_L2} and len(found) == (ends.task != races.FACES).sum()
    assert (found.fall_late.notna() == (found.method == "SGD")).all()


def test_the_papers_network_and_useful_draws():
    assert races.papers_network().weights.tolist() == [sum(each.size for each in initial_weights())]
    found = races.useful_draws_of_sgd([0.01, 0.002], 50, 3000)
    assert found.rounds.tolist() == pytest.approx([2.0, 10.0])
    assert found.informative.tolist() == pytest.approx([30.0, 6.0])

"""The greedy adversary in cross-validation: who meets whom, chunks, repetitions, values."""

import pytest

from paperlib.experiments.feature_deletion import figure_2
from paperlib.experiments.feature_deletion.figure_2 import BLIND, Protocol

OPTIONS = {"data": "bundled", "seed": 0}
CANCER = "breast cancer"


def curves(weighting, learners, *protocol, budgets=(0, 3, 6), name=CANCER):
    return figure_2.adversary_curves(name, weighting, list(budgets), learners, Protocol(*protocol), **OPTIONS)


@pytest.mark.slow
def test_noise_hurts_more_than_deletion_where_nobody_chooses():
    rows = curves("ones", ["LP", "SVM"], 3, 1, 200)
    assert len(rows) == 3 * 2 * 2 * 3 and set(rows.met) == {"harm", "noise"}
    errors = rows.groupby(["met", "learner", "budget"]).error.mean().unstack()
    assert (errors.loc["harm", 0] == errors.loc["noise", 0]).all()
    assert (errors.loc["harm", 6] < errors.loc["noise", 6]).all()
    assert (errors[0] < errors[6]).all()


def test_what_is_dear_goes_first_in_the_other_order():
    rows = curves("informative", ["SVM", "perceptron"], 3, 1, 200)
    mean = rows[rows.budget == 6].groupby("met").error.mean()
    assert set(rows.met) == {"harm", "value"} and mean["harm"] > mean["value"] + 0.01


def test_repetitions_have_folds_of_their_own():
    twice, once = (curves("ones", ["SVM"], 3, repeats, 500) for repeats in (2, 1))
    assert sorted(twice.fold.unique()) == list(range(6))
    harm = twice[twice.met == "harm"]
    assert harm[harm.fold < 3].error.tolist() == once[once.met == "harm"].error.tolist()
    assert harm[harm.fold < 3].error.tolist() != harm[harm.fold >= 3].error.tolist()


def test_both_weightings_have_the_same_folds(monkeypatch):
    seeds, original = [], figure_2.StratifiedKFold
    monkeypatch.setattr(
        figure_2, "StratifiedKFold", lambda n, **k: seeds.append(k["random_state"]) or original(n, **k)
    )
    for weighting in figure_2.WEIGHTINGS:
        figure_2.adversary_curves.__wrapped__(
            CANCER, weighting, [0, 3], ["SVM"], Protocol(2, 2, 100), **OPTIONS
        )
    assert seeds[:2] == seeds[2:] and len(set(seeds)) == 2


@pytest.mark.slow
def test_the_blind_programme_takes_all_values_for_one():
    rows = curves("informative", ["LP", BLIND], 3, 1, 300)
    errors = rows[rows.budget > 0].groupby("learner").error.mean()
    assert errors["LP"] < errors[BLIND]


@pytest.mark.slow
def test_chunks_are_shown_beside_the_whole_programme():
    chunked, plain, one = (
        curves("ones", ["LP", "SVM"], 3, 1, 300, chunks) for chunks in ([60], [], [10_000])
    )
    assert set(chunked.learner) == {"LP", "LP, chunks of 60", "SVM"}
    for learner in ("LP", "SVM"):
        errors = [each[each.learner == learner].error.tolist() for each in (chunked, plain)]
        assert errors[0] == errors[1]
    # One chunk is the whole.
    both = [one[one.learner == learner].error.tolist() for learner in ("LP", "LP, chunks of 10000")]
    assert both[0] == both[1]
    assert chunked[chunked.learner == "LP, chunks of 60"].error.tolist() != both[0]


@pytest.mark.slow
def test_the_programme_is_tuned_on_a_part_of_many_images(monkeypatch):
    seen = []
    original = figure_2.tune_on_a_chunk
    monkeypatch.setattr(
        figure_2, "tune_on_a_chunk", lambda *a, **k: seen.append((a[4], k["average"])) or original(*a, **k)
    )
    figure_2.adversary_curves.__wrapped__(
        "MNIST", "informative", [0, 20], ["LP", "SVM"], Protocol(2, 1, 100, [40]), **OPTIONS
    )
    assert seen == [(figure_2.FIRST, False), (40, True)] * 2


@pytest.mark.parametrize(
    "weighting, protocol, words",
    [("equal", (3, 1, 100), "weighting must be one of"), ("ones", (1, 1, 100), "n_folds must be an integer")],
)
def test_bad_input_is_named(weighting, protocol, words):
    with pytest.raises(ValueError, match=words):
        curves(weighting, ["SVM"], *protocol)

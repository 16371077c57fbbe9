"""Conservative learners, against other ways to run them."""

import numpy as np
import pytest

from paperlib.experiments.coresets import lemma_4_1


def test_errors_in_turn_are_those_of_draws_one_by_one():
    errors, draws, rng = np.array([0.1, 0.04, 0.1]), 12, np.random.default_rng(1)
    failed, labels, last = lemma_4_1.errors_in_turn(errors, draws, 0.05, 20_000, np.random.default_rng(0))

    def run():
        which, drawn, left = 0, 0, draws
        while left and which < 3:
            drawn += 1
            mistake = rng.random() < errors[which]
            which, left = which + mistake, draws if mistake else left - 1
        return which < 3 and errors[which] > 0.05, drawn

    slow = np.array([run() for _ in range(4000)])
    assert failed.mean() == pytest.approx(slow[:, 0].mean(), abs=0.03)
    assert labels.mean() == pytest.approx(slow[:, 1].mean(), rel=0.03) and labels.max() <= 3 * draws
    mistakes = np.cumsum(np.random.default_rng(2).geometric(errors, size=(4000, 3)), axis=1) <= 36
    bad = (mistakes.sum(axis=1) == 0) | (mistakes.sum(axis=1) == 2)
    assert last == pytest.approx(bad.mean(), abs=0.04)


def test_one_mistake_fails_as_often_as_it_should():
    learners = lemma_4_1.conservative_learners([1, 3], 20_000, 50, 0.05, 0.1, seed=0)
    assert learners.learner.tolist() == ["in turn", "late", "perceptron", "halving"] * 2
    assert learners.draws.tolist() == np.repeat([47, 69], 4).tolist()
    assert (learners.labels <= learners.allowed).all()
    assert learners.rate[0] == pytest.approx((1 - 0.050005) ** 47, abs=0.01)


def test_a_learner_that_is_bad_late_survives_nowhere_but_ends_badly():
    late = (
        lemma_4_1.conservative_learners([100], 5000, 50, 0.05, 0.1, seed=0).set_index("learner").loc["late"]
    )
    assert late.rate < 0.01 and late["last"] > 0.15


@pytest.mark.parametrize("run", lemma_4_1.REAL.values(), ids=lemma_4_1.REAL)
def test_real_learners_make_no_more_mistakes_than_they_may(run, monkeypatch):
    made = []

    def counting(err, sample, n_mistakes, draws):
        made.append(sum(err(point) for point in sample(2000)))
        return 1

    monkeypatch.setattr(lemma_4_1, "until_one_survives", counting)
    wrong = [run(6, 10, 0.1, np.random.default_rng(seed))[0] for seed in range(20)]
    assert max(made) <= 6 and max(made) > 2
    assert max(wrong) < 0.2

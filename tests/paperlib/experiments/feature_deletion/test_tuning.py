"""The grids of settings, the choice among them, and the scaling of the data."""

import numpy as np
import pytest

from paperlib.experiments.feature_deletion import tuning
from tests.paperlib.feature_deletion.helpers import rounded_sample as sample


@pytest.mark.parametrize("learner", tuning.LEARNERS)
def test_every_learner_has_as_many_settings_and_they_fit(learner):
    X, y, _ = sample(m=80)
    candidates = tuning.grid(learner, X, [1, 2, 4], np.ones(9))
    assert len(candidates) == len({(c.strength, c.budget) for c in candidates}) == 15
    of_svm = np.geomspace(1 / 80, 10.0, 15)  # the least can just bring a margin to one
    offered = {"LP": tuning.STEPS, "perceptron": tuning.PERCEPTRON_STEPS, "FDROP": tuning.STRENGTHS}
    assert sorted({c.strength for c in candidates}) == list(offered.get(learner, of_svm))
    assert all(candidate.estimator.fit(X, y).coef_.shape == (1, 9) for candidate in candidates)


@pytest.mark.parametrize("learner", ["LP", "SVM"])  # the others' biases have a scale of their own
def test_the_grid_follows_the_scale_of_the_data(learner):
    X, y, _ = sample(m=80)
    predicted = [
        [c.estimator.fit(scale * X, y).predict(scale * X) for c in tuning.grid(learner, scale * X, [1, 2, 4])]
        for scale in (1.0, 8.0)
    ]
    assert np.mean(np.equal(*predicted)) > 0.99


def test_fdrop_counts_what_a_budget_pays_for():
    X = np.array([[1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [1.0, 0.0, -1.0, 0.0]])
    values = np.array([1.0, 5.0, 4.0, 90.0])  # of entries that are not zero: (3 + 5 + 4) / 5
    paid = {c.budget for c in tuning.grid("FDROP", X, [2.4, 4.7, 100.0], values)}
    assert paid == {1, 2, 3}  # no more than one feature less than all
    assert {c.budget for c in tuning.grid("FDROP", X, [0, 1, 2])} == {0, 1, 2}
    many = np.ones((3, tuning.MANY + 1))  # of which dear ones may be worth a budget that pays for nine
    assert {c.budget for c in tuning.grid("FDROP", many, [9.0], many[0])} == {*tuning.FEW, 9}


def test_many_features_are_solved_by_gradients():
    X = sample(m=40, n=tuning.MANY + 1)[0]
    [candidate, *_] = tuning.grid("LP", X, [1, 2, 4])
    assert candidate.estimator.solver == "first_order"
    assert tuning.grid("LP", X[:, :-1], [1, 2, 4])[0].estimator.solver == "auto"


def slowly_in_chunks(candidates, X, y, held_out, tested, chunk):
    """`tune_on_a_chunk`, budget by budget, with every fit made anew."""
    pieces = np.array_split(np.arange(len(y)), max(1, len(y) // chunk))

    def fitted(candidate, rows):
        clf = candidate.estimator.fit(X[rows], y[rows])
        return clf.coef_[0].copy(), clf.intercept_[0]

    whole, averaged, chosen = [], [], []
    for k in range(len(held_out(np.zeros(X.shape[1]), 0.0))):
        errors = [held_out(*fitted(c, pieces[0]))[k] for c in candidates]
        best = candidates[errors.index(min(errors))]
        total_w, total_b = np.zeros(X.shape[1]), 0.0
        for rows in pieces:
            w, b = fitted(best, rows)
            total_w, total_b = total_w + w / len(pieces), total_b + b / len(pieces)
        whole.append(tested(*fitted(best, np.arange(len(y))))[k])
        averaged.append(tested(total_w, total_b)[k])
        chosen.append(best)
    return whole, averaged, chosen


@pytest.mark.parametrize("chunk", [20, 33, 60, 500])  # three chunks, one, and fewer examples than a chunk
def test_chunks_against_one_budget_at_a_time(chunk):
    X, y, rng = sample(m=60)
    candidates = tuning.grid("LP", X, [1, 2, 4])[::4]
    places = rng.normal(size=(2, 3, 9))

    def held_out(w, b):
        return np.abs(places[0] @ w + b)

    def tested(w, b):
        return places[1] @ w + 10.0 * b

    args = candidates, (X, y), held_out, tested, chunk
    found = [tuning.tune_on_a_chunk(*args, average=average) for average in (False, True)]
    whole, averaged, chosen = slowly_in_chunks(candidates, X, y, held_out, tested, chunk)
    assert np.allclose(found[0].errors, whole) and np.allclose(found[1].errors, averaged)
    assert found[0].chosen == found[1].chosen == chosen
    assert np.allclose(whole, averaged) == (chunk > 30)  # one chunk is the whole


def test_tuning_takes_the_first_of_the_best_for_each_budget():
    X, y, _ = sample()
    candidates = tuning.grid("SVM", X, [1])[:3]
    held_out = iter([[0.2, 0.1], [0.1, 0.1], [0.1, 0.3]])
    tested = iter([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    tuned = tuning.tune(candidates, (X, y), lambda w, b: next(held_out), lambda w, b: next(tested))
    assert tuned.errors.tolist() == [3.0, 2.0]
    assert tuned.chosen == [candidates[1], candidates[0]]
    assert tuned.unfinished == 0


def test_a_solver_that_stops_early_is_counted_and_not_heard(recwarn):
    X, y, _ = sample()
    [candidate, *_] = tuning.grid("LP", X, [1, 2, 4])
    stopped = candidate._replace(estimator=candidate.estimator.set_params(max_iter=1))
    assert tuning.tune([stopped], (X, y), lambda w, b: [0.0], lambda w, b: [0.0]).unfinished == 1
    assert not recwarn


def test_scaling_knows_the_training_examples_only():
    train, other = np.array([[0.0, 2.0], [4.0, 2.0]]), np.array([[8.0, 3.0]])
    images, _ = tuning.scaled(train, [other], "images")
    assert images.tolist() == (train / 255).tolist()
    counts = tuning.scaled(train, [other], "counts")
    assert np.allclose(counts[0], [[0, 1], [1, 1]]) and counts[1][0, 0] > 1
    raw = tuning.scaled(train, [other], "raw counts")
    assert raw[0].tolist() == [[0, 1], [1, 1]] and raw[1].tolist() == [[2, 1.5]]
    measured = tuning.scaled(train, [other], "measurements")
    assert np.allclose(measured[0], [[-1, 0], [1, 0]]) and np.allclose(measured[1], [[3, 1]])
    with pytest.raises(ValueError, match="kind must be one of"):
        tuning.scaled(train, [], "words")


def test_a_ninth_is_held_out():
    fit, held_out = tuning.ninth(np.repeat([1, -1], 90), seed=0)
    assert len(held_out) == 20 and not set(fit) & set(held_out)


@pytest.mark.parametrize("learner", ["trees", None])
def test_bad_input_is_named(learner):
    with pytest.raises(ValueError, match="learner must be one of"):
        tuning.grid(learner, np.ones((2, 2)), [1, 2, 3])


@pytest.mark.parametrize(
    "budgets, words",
    [
        ([0], "at least two numbers in ascending order"),
        ([0, 5], "below the 5 features"),
        ([-1, 2], "every one of budgets must be"),
    ],
)
def test_budgets_are_checked(budgets, words):
    with pytest.raises(ValueError, match=words):
        tuning.check_budgets(budgets, "budgets", 5)


def test_rows_say_which_end_of_a_grid_was_chosen():
    offered = [tuning.Candidate(None, strength, 1) for strength in (0.1, 1.0, 10.0)]
    tuned = tuning.Tuned(np.array([0.3, 0.2]), [offered[2], offered[0]], 1)
    rows = tuning.chosen_rows(("fold",), np.array([0.0, 4.0]), offered, tuned)
    assert rows == [
        ("fold", 0.0, 0.3, 10.0, 1, False, True, 1 / 3),
        ("fold", 4.0, 0.2, 0.1, 1, True, False, 1 / 3),
    ]

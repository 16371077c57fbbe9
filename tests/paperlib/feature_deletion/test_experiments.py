"""Deletion curves, tuning, and the experiments of Section 4."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.svm import SVC

from paperlib.feature_deletion import experiments, robust_score, tuning
from paperlib.feature_deletion.deletion_curves import errors_after

BUDGETS = [0, 1, 3, 6]


def sample(m=60, n=9, seed=0, zeros=0.3):
    rng = np.random.default_rng(seed)
    X = np.round(rng.uniform(-1, 1, size=(m, n)), 1) * (rng.uniform(size=(m, n)) > zeros)
    y = np.where(X @ rng.normal(size=n) + 0.3 * rng.normal(size=m) > 0, 1.0, -1.0)
    return X, y, rng


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("equal", [True, False])
def test_greedy_errors_are_those_of_the_score(seed, equal):
    X, y, rng = sample(seed=seed)
    values = np.ones(9) if equal else rng.choice([0.0, 0.5, 1.0, 2.5], size=9) + 0.1 * (seed % 2)
    values[0] = 1.0 if equal else 7.0
    clf = SVC(kernel="linear").fit(X, y)
    found = errors_after(clf.coef_[0], clf.intercept_[0], X, y, values, BUDGETS)
    expected = [1 - robust_score(clf, X, y, N, feature_values=values) for N in BUDGETS]
    assert np.allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("noisy", [False, True])
def test_random_errors_against_one_example_at_a_time(noisy):
    X, y, rng = sample(seed=3)
    w, b, values = rng.normal(size=9), 0.1, rng.choice([1.0, 2.0], size=9)
    keys = rng.uniform(size=X.shape)
    noise = rng.uniform(-1, 1, size=X.shape) if noisy else None
    wrong = np.zeros(len(BUDGETS))
    for k, budget in enumerate(BUDGETS):
        for i, x in enumerate(X):
            left, changed = budget, x.copy()
            for j in sorted(np.flatnonzero(x), key=lambda j: keys[i, j]):
                if values[j] <= left:
                    left -= values[j]
                    changed[j] = noise[i, j] if noisy else 0.0
            wrong[k] += y[i] * (changed @ w + b) <= 0
    assert np.allclose(errors_after(w, b, X, y, values, BUDGETS, keys, noise), wrong / len(X))


def test_no_weights_are_always_wrong():
    X, y, _ = sample()
    assert errors_after(np.zeros(9), 0.0, X, y, np.ones(9), BUDGETS).tolist() == [1.0] * 4


@pytest.mark.parametrize("learner", tuning.LEARNERS)
def test_every_learner_has_nine_settings_that_fit(learner):
    X, y, _ = sample(m=80)
    candidates = tuning.grid(learner, X, [1, 2, 4], np.ones(9))
    assert len(candidates) == len({(c.strength, c.budget) for c in candidates}) == 9
    assert all(candidate.estimator.fit(X, y).coef_.shape == (1, 9) for candidate in candidates)


@pytest.mark.parametrize("learner", ["LP", "SVM"])  # the others' biases have a scale of their own
def test_the_grid_follows_the_scale_of_the_data(learner):
    X, y, _ = sample(m=80)
    predicted = [
        [c.estimator.fit(scale * X, y).predict(scale * X) for c in tuning.grid(learner, scale * X, [1, 2, 4])]
        for scale in (1.0, 8.0)
    ]
    assert np.mean(np.equal(*predicted)) > 0.99


def test_tuning_takes_the_first_of_the_best_for_each_budget():
    X, y, _ = sample()
    candidates = tuning.grid("SVM", X, [])[:3]
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
    measured = tuning.scaled(train, [other], "measurements")
    assert np.allclose(measured[0], [[-1, 0], [1, 0]]) and np.allclose(measured[1], [[3, 1]])
    with pytest.raises(ValueError, match="kind must be one of"):
        tuning.scaled(train, [], "words")


def test_a_ninth_is_held_out():
    fit, held_out = tuning.ninth(np.repeat([1, -1], 90), seed=0)
    assert len(held_out) == 20 and not set(fit) & set(held_out)


def test_curves_are_paired_and_repeatable():
    cancer = load_breast_cancer()
    X, y = cancer.data, np.where(cancer.target == 1, 1, -1)
    for run in (
        lambda seed: experiments.random_deletion_curves(
            X, y, "measurements", [0, 10], ["LP", "SVM"], n_trials=2, random_state=seed
        ),
        lambda seed: experiments.adversary_curves(
            X, y, "measurements", [0, 3, 6], ["LP", "SVM"], "mutual information", n_folds=3, max_train=100,
            random_state=seed,
        ),
    ):  # fmt: skip
        rows = run(0)
        assert rows.equals(run(0)) and not rows.equals(run(1))
        means = experiments.summarise(rows, ["learner", "budget"])
        assert means.error.loc["LP", 0] < 0.15 and (means.runs >= 2).all()
        assert means.error.groupby("learner").is_monotonic_increasing.all() or len(means) == 4
        gap = experiments.gap(rows, "SVM", "LP")
        errors = rows.groupby("learner").error.mean()
        assert np.isclose(gap.mean(), errors["SVM"] - errors["LP"])


def test_noise_hurts_more_than_deletion():
    cancer = load_breast_cancer()
    X, y = cancer.data, np.where(cancer.target == 1, 1, -1)
    errors = [
        experiments.adversary_curves(
            X, y, "measurements", [0, 3], ["SVM"], corrupt=corrupt, n_folds=3, random_state=0
        )
        .groupby("budget")
        .error.mean()
        for corrupt in (False, True)
    ]
    assert errors[0][0] == errors[1][0] and errors[0][3] < errors[1][3]


def test_the_sanity_check_has_its_data_and_its_order():
    X, y = experiments.sanity_sample(4000, np.random.default_rng(0))
    assert X.shape == (4000, 22) and (X[:, 20:] == y[:, None]).all() and np.abs(X).max() == 1
    assert experiments.sanity_values().sum() == 40
    # A hyperplane through the origin explains all labels but the flipped fifth.
    direction = np.linalg.lstsq(X[:, :20], y, rcond=None)[0]
    assert abs(np.mean(y * (X[:, :20] @ direction) > 0) - 0.8) < 0.03
    rows = experiments.sanity_check(600, 2, random_state=0)
    assert rows.equals(experiments.sanity_check(600, 2, random_state=0))
    chosen = experiments.tuned(rows)
    assert len(chosen) == 2 * 2 * 3
    assert (
        chosen.held_out.to_numpy() == rows.groupby(["run", "learner", "removed"], sort=False).held_out.min()
    ).all()
    means = experiments.summarise(chosen, ["learner", "removed"]).error
    assert means["LP", 1] < 0.02 and means["LP", 2] < 0.4


def test_what_an_svm_leaves_for_other_features_is_its_tolerance():
    loose, tight = (experiments.residual_weights(400, tol, n_trials=2) for tol in (1e-2, 1e-4))
    assert tight["largest"] < 0.1 * loose["largest"] < 0.01


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: experiments.check_budgets([0], "budgets", 5), "at least two numbers in ascending order"),
        (lambda: experiments.check_budgets([0, 5], "budgets", 5), "below the 5 features"),
        (lambda: experiments.check_budgets([-1, 2], "budgets", 5), "every one of budgets must be"),
        (lambda: experiments.sanity_check(10, 2), "n_samples must be an integer >= 40"),
        (lambda: tuning.grid("trees", np.ones((2, 2)), [1, 2, 3]), "learner must be one of"),
        (
            lambda: experiments.adversary_curves(
                np.ones((9, 3)), np.ones(9), "images", [0, 1], ["LP"], weighting="equal"
            ),
            "weighting must be one of",
        ),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()

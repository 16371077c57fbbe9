"""What the fewest errors are worth: where errors cost unlike amounts, and where they do not behave.

All that is compared is affine in the two scores, as in `baselines`, and is given the same weights: by class
on real pairs, where a false positive costs ten times as much, and from point to point on samples.
"""

import numpy as np
import pandas as pd
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import TunedThresholdClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from paperlib._common.validation import check_number
from paperlib.boosting2d._geometry.gaps import best_threshold
from paperlib.boosting2d.optimal_separator import optimal_separator
from paperlib.experiments.boosting2d.baselines import vote
from paperlib.experiments.boosting2d.real_pairs import WEAK, pair_scores, splits_of, task, task_names
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import progress, step


def _logistic():
    return make_pipeline(StandardScaler(), LogisticRegression())


def exact(scores, y, weights):
    """The optimal fat separator."""
    line = optimal_separator(scores, y, weights)
    return lambda scores: scores @ line.normal + line.offset


def plain(scores, y, weights):
    """Logistic regression that is told nothing of weights."""
    return _logistic().fit(scores, y).decision_function


def weighted(scores, y, weights):
    """Logistic regression with the weights in its loss."""
    return _logistic().fit(scores, y, logisticregression__sample_weight=weights).decision_function


def moved(scores, y, weights):
    """Plain logistic regression, and then the threshold of least weight on the same points."""
    slope = plain(scores, y, weights)
    offset = best_threshold(slope(scores), y > 0, weights)
    return slope if offset is None else lambda scores: slope(scores) + offset


def tuned(scores, y, weights):
    """The threshold of stacked scores tuned by cross-validation; weights that depend on the class alone."""
    of_class = {label: float(weights[y == label].max(initial=0.0)) for label in (-1, 1)}

    def gain(truth, predicted):
        return -sum(of_class[label] * np.mean((truth == label) & (predicted != label)) for label in (-1, 1))

    model = TunedThresholdClassifierCV(
        _logistic(), scoring=make_scorer(gain), response_method="decision_function", cv=5
    ).fit(scores, y)
    return lambda scores: model.estimator_.decision_function(scores) - model.best_threshold_


def calibrated(scores, y, weights):
    """Calibrated probabilities, and the threshold that is best if they are right; weights as for `tuned`."""
    false_positive, false_negative = (weights[y == label].max(initial=0.0) for label in (-1, 1))
    model = CalibratedClassifierCV(_logistic(), method="isotonic", cv=5).fit(scores, y)
    share = false_positive / (false_positive + false_negative)
    return lambda scores: model.predict_proba(scores)[:, 1] - share


def better(scores, y, weights):
    """The one classifier of less weight in training."""
    lost = weights @ (y[:, None] * scores <= 0)
    return lambda new: new[:, np.argmin(lost)]


UNEQUAL_COSTS = {
    "stacking": plain,
    "stacking, weighted": weighted,
    "stacking, tuned threshold": tuned,
    "stacking, calibrated": calibrated,
    "optimal line": exact,
}


@step
def cost_trials(n_splits, max_train, *, false_positive=10.0, data, seed):
    """Costs of combinations of two classifiers where a false positive costs more than a false negative.

    Of logistic regressions, on each of `real_pairs.task_names`.

    Parameters
    ----------
    n_splits, max_train, data, seed
        As of `real_pairs.pair_errors`.
    false_positive : float > 0
        Cost of predicting +1 for a -1; the other error costs 1.

    Returns
    -------
    DataFrame with a row per task, split and combiner
        task, split, combiner, n_train, n_test, training, test. Costs per example; a score of
        zero is an error.
    """
    n_splits = check_number(n_splits, "n_splits", low=1, integer=True)
    false_positive = check_number(false_positive, "false_positive", low=0.0, open_low=True)
    rows = []
    for name in progress(task_names(data), "tasks"):
        its = task(name, data)
        y, cost = its.y, np.where(its.y < 0, false_positive, 1.0)
        splits = splits_of(its, f"{name}, costs", n_splits, max_train, seed)
        for split, (train, test) in enumerate(splits):
            scores = pair_scores(its, WEAK["logistic"], train)
            for combiner, combine in UNEQUAL_COSTS.items():
                wrong = y * combine(scores[train], y[train], cost[train])(scores) <= 0
                costs = (cost * wrong)[train].mean(), (cost * wrong)[test].mean()
                rows.append((name, split, combiner, len(train), len(test), *costs))
    columns = ["task", "split", "combiner", "n_train", "n_test", "training", "test"]
    return pd.DataFrame(rows, columns=columns)


def _clouds(rng, n):
    y = np.where(np.arange(n) % 2, 1, -1)
    return rng.normal(size=(n, 2)) + 0.5 * y[:, None], y, np.ones(n)


def _heavy_tails(rng, n):
    y = np.where(np.arange(n) % 2, 1, -1)
    return rng.standard_cauchy((n, 2)) + 0.8 * y[:, None], y, np.ones(n)


def _confident(rng, n):
    """The first score is right nine times in ten; the rest it gets wrong by far."""
    y = np.where(np.arange(n) % 2, 1, -1)
    right = rng.random(n) < 0.9
    first = np.where(right, y * rng.uniform(0.2, 1.8, n), -y * rng.uniform(4.0, 6.0, n))
    return np.column_stack([first, rng.normal(size=n) + 0.3 * y]), y, np.ones(n)


def _shared_tails(rng, n):
    """Both are led astray by the same examples, and some far: the second knows half as much, and as it errs.

    As of classifiers that were trained alike: Cauchy noise in two dimensions, correlated by
    0.9. The best line weighs the second score against the first: it errs on 0.20, the first alone on 0.25.
    """
    y = np.where(np.arange(n) % 2, 1, -1)
    noise = rng.normal(size=(n, 2)) @ np.linalg.cholesky([[1.0, 0.9], [0.9, 1.0]]).T
    return noise / np.abs(rng.normal(size=n))[:, None] + np.outer(y, [1.0, 0.5]), y, np.ones(n)


def _weights(rng, n):
    """What an error costs differs from point to point, and for one class with the second score."""
    X, y, _ = _clouds(rng, n)
    return X, y, np.exp(1.5 * rng.normal(size=n) + 1.0 * X[:, 1] * (y < 0))


SITUATIONS = {
    "near clouds": (_clouds, 400),
    "near clouds, few points": (_clouds, 40),
    "weights that differ": (_weights, 400),
    "heavy tails": (_heavy_tails, 400),
    "confident errors": (_confident, 400),
    "shared heavy tails": (_shared_tails, 400),
}
RIVALS = {
    "better of the two": better,
    "voting": lambda scores, y, weights: vote(scores, y),
    "stacking, weighted": weighted,
    "stacking, best threshold": moved,
    "optimal line": exact,
}


@step
def situation_trials(n_trials, *, n_test=5_000, seed):
    """Costs on new points in situations where the fewest errors should be worth more, or less.

    Parameters
    ----------
    n_trials : int >= 2
        Samples of each situation.
    n_test : int >= 1
        New points of each sample.
    seed : int

    Returns
    -------
    DataFrame with a row per situation, trial and combiner: situation, trial, combiner, training, test
        Weights of the errors as parts of the whole weight.
    """
    n_trials = check_number(n_trials, "n_trials", low=2, integer=True)
    rows = []
    for situation, (draw, n) in progress(list(SITUATIONS.items()), "situations"):
        for trial, rng in enumerate(stream(seed, situation).spawn(n_trials)):
            sample, new = draw(rng, n), draw(rng, n_test)
            for name, combine in RIVALS.items():
                score = combine(*sample)
                parts = [w[y * score(X) <= 0].sum() / w.sum() for X, y, w in (sample, new)]
                rows.append((situation, trial, name, *parts))
    return pd.DataFrame(rows, columns=["situation", "trial", "combiner", "training", "test"])

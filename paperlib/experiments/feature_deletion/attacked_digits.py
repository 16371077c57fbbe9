"""Classifiers of a few images, their weights, and what the worst deletions make of each."""

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from paperlib._common.typing import Floats
from paperlib.experiments.feature_deletion import baselines, data_sets, tuning
from paperlib.experiments.feature_deletion.density import sparse_svms
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import step
from paperlib.feature_deletion import (
    FeatureDeletionLP,
    mutual_information_values,
    robust_score,
    robustness_curve,
    worst_case_deletion,
)

N_TRAIN, N_TEST = 150, 200
MOST = 60  # pixels deleted at most, all values one
POSITIONS = {"SVM": 11, "LP": 7, "perceptron": 7}  # in their grids: settings of middling size
SPARSE = 11  # position of the L1 SVM in its grid


class Attacked(NamedTuple):
    """Result of `attacked`.

    Attributes
    ----------
    weights : ndarray of shape (k, 784)
        Of k learners.
    image : ndarray of shape (784,)
    masks : ndarray of shape (k, 784), bool
        What is deleted of the image.
    errors : DataFrame with a row per learner
        learner, of_image (its margin after that), exact, greedy (errors after the worst deletions, and those
        of the greedy adversary of Figure 2).
    """

    weights: Floats
    image: Floats
    masks: np.ndarray
    errors: pd.DataFrame


class Played(NamedTuple):
    """Result of `played`.

    Attributes
    ----------
    weights : ndarray of shape (k, 784)
        Absolute, the largest first, divided by it.
    lost : ndarray of shape (k, `MOST` + 1)
        Share of the test images that are lost for each number of pixels deleted.
    """

    weights: Floats
    lost: Floats


def _drawn(name, data, seed):
    X, y, kind = data_sets.load("MNIST", data)
    rows = stream(seed, name).permutation(len(y))[: N_TRAIN + N_TEST]
    train, test = rows[:N_TRAIN], rows[N_TRAIN:]
    return *tuning.scaled(X[train], [X[test]], kind), y[train], y[test]


@step
def attacked(budget: float, *, data: str, seed: int) -> Attacked:
    """Train three learners on 150 images, with informative values, and delete the worst of 200 others.

    Parameters
    ----------
    budget : float
        That the programme and the perceptron are prepared for, and that the adversary has.
    data : {"bundled", "full"}
    seed : int

    Returns
    -------
    Attacked
        The image is a 7 that all three know and the SVM then loses, of these the one with the programme's
        median margin.
    """
    X, X_test, y, y_test = _drawn("attacked digits", data, seed)
    values = mutual_information_values(X, y)
    fitted, attacks, rows = {}, {}, []
    for learner, position in POSITIONS.items():
        candidate = tuning.grid(learner, X, [budget / 5, budget, 3 * budget], values)[position]  # type: ignore[arg-type]
        clf = fitted[learner] = candidate.estimator.fit(X, y)
        with (
            warnings.catch_warnings()
        ):  # where very many sets do nearly the same harm, the search is cut short
            warnings.simplefilter("ignore", ConvergenceWarning)
            attacks[learner] = worst_case_deletion(
                clf.coef_[0], clf.intercept_[0], X_test, y_test, budget, feature_values=values
            )
        score = robust_score(clf, X_test, y_test, budget, feature_values=values, adversary="greedy")
        rows.append((learner, np.mean(attacks[learner][0] <= 0), 1 - score))
    seven = np.all([clf.predict(X_test) == y_test for clf in fitted.values()], axis=0) & (y_test == 1)
    lost = seven & (attacks["SVM"][0] <= 0)
    sevens = np.flatnonzero(next(each for each in (lost, seven, y_test == 1) if each.any()))
    example = sevens[np.argsort(attacks["LP"][0][sevens], kind="stable")[len(sevens) // 2]]
    errors = pd.DataFrame(rows, columns=["learner", "exact", "greedy"])
    errors.insert(1, "of_image", [margins[example] for margins, _ in attacks.values()])
    masks = np.array([gone[example] for _, gone in attacks.values()])
    return Attacked(np.array([clf.coef_[0] for clf in fitted.values()]), X_test[example], masks, errors)


@step
def played(prepared: Sequence[int], sizes: Sequence[float], *, data: str, seed: int) -> Played:
    """Train an L1 SVM, an SVM, and programmes for each of `prepared` and `sizes`, values one.

    Parameters
    ----------
    prepared : sequence of int
        Numbers of pixels.
    sizes : sequence of float
        C, in units of 1 / (mean of |x|_1).
    data : {"bundled", "full"}
    seed : int

    Returns
    -------
    Played
        The two SVMs first, then the programmes, in the order of `prepared` and of the `sizes` for each.
    """
    X, X_test, y, y_test = _drawn("played digits", data, seed)
    size = np.abs(X).sum(axis=1).mean()
    classifiers = [
        sparse_svms(X)[SPARSE].estimator,
        baselines.hinge_svm(1 / (X**2).sum(axis=1).mean()),
        *(
            FeatureDeletionLP(N, C=C / size, solver="first_order", tol=tuning.TOL)
            for N in prepared
            for C in sizes
        ),
    ]
    weights, lost = [], []
    for clf in classifiers:
        w = clf.fit(X, y).coef_[0]
        lost.append(1.0 - robustness_curve(clf, X_test, y_test, range(MOST + 1)))
        weights.append(np.sort(np.abs(w))[::-1] / max(np.abs(w).max(), 1e-300))
    return Played(np.array(weights), np.array(lost))

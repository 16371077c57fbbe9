"""Section 1: over how many features weights are spread under L1, L2 and the cube, and what that is worth."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.svm import LinearSVC

from paperlib.experiments.feature_deletion import data_sets
from paperlib.experiments.feature_deletion.deletion_curves import errors_after
from paperlib.experiments.feature_deletion.tuning import Candidate, grid, ninth, scaled, tune
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import progress, step
from paperlib.feature_deletion import FeatureDeletionPerceptron

N_TRAIN, N_TEST = 300, 1000  # at most; three and one quarter of the examples
DELETED = 1 / 60  # share of the features that the adversary deletes, rounded up
READY = (1 / 3, 2 / 3, 1.0)  # shares of that, for which the programme and the perceptron prepare
SPARSE = np.geomspace(1e-2, 100.0, 15)  # C of the L1 SVM, in units of 1 / (mean of |x|)
WITHOUT = 100.0  # times C: hardly a cube any more


@step
def spreads(names: list[str], n_runs: int, *, data: str, seed: int) -> pd.DataFrame:
    """Train sparse and dense classifiers, and delete of each what carries most of its margin.

    The two SVMs do not know of the adversary: their C is chosen by held-out errors before deletions, that of
    the programme and the perceptron, and what they prepare for, by those after.

    Parameters
    ----------
    names : list of str
        Of `data_sets.load`.
    n_runs : int >= 1
        Random splits of each.
    data : {"bundled", "full"}
    seed : int

    Returns
    -------
    DataFrame with a row per data set, run and learner: data, run, learner, features, before, after
        features is ``(sum_j |w_j|)^2 / sum_j w_j^2``: k where k weights are equal and the others zero. before
        and after are errors on the test examples. "LP, no cube" and "perceptron, no cube" have the settings
        of those with one, and a hundred times the C.
    """
    rows = []
    for name in names:
        X, y, kind = data_sets.load(name, data)
        sizes = {"train_size": min(N_TRAIN, 3 * len(y) // 4), "test_size": min(N_TEST, len(y) // 4)}
        first = int(stream(seed, f"density, {name}").integers(2**31))
        splits = list(StratifiedShuffleSplit(n_runs, **sizes, random_state=first).split(X, y))
        for run, (train, test) in enumerate(progress(splits, f"density, {name}")):
            seen, unseen = scaled(X[train], [X[test]], kind)
            split = (seen, y[train].astype(float), unseen, y[test].astype(float))
            rows += [(name, run, *each) for each in _of_split(*split, run)]
    return pd.DataFrame(rows, columns=["data", "run", "learner", "features", "before", "after"])


def _of_split(seen, labels, unseen, signs, run):
    """Yield learner, features, and errors before and after deletions, for one split."""
    ones, budgets = np.ones(seen.shape[1]), np.array([0.0, np.ceil(DELETED * seen.shape[1])])
    fit, held_out = ninth(labels, run)
    train = seen[fit], labels[fit]

    def tuned(candidates, budget):
        def validation(w, b):
            error = errors_after(w, b, seen[held_out], labels[held_out], ones, budgets[[budget]])
            return np.repeat(error, 3)

        def test(w, b):
            return np.append(spread(w), errors_after(w, b, unseen, signs, ones, budgets))

        found = tune(candidates, train, validation, test)
        return found.chosen[0].estimator, found.errors

    yield "L1 SVM", *tuned(sparse_svms(seen), 0)[1]
    yield "SVM", *tuned(grid("SVM", seen, READY), 0)[1]
    ready = [max(1, round(share * budgets[1])) for share in READY]
    for learner in ("LP", "perceptron"):
        chosen, errors = tuned(grid(learner, seen, ready, random_state=run), 1)
        yield learner, *errors
        free: dict[str, Any] = {"C": WITHOUT * chosen.C}
        if isinstance(chosen, FeatureDeletionPerceptron):
            free["tau"] = chosen.fit(*train).tau_  # the same steps
        yield f"{learner}, no cube", *tuned([Candidate(chosen.set_params(**free), 0.0, 0.0)], 1)[1]


def sparse_svms(X: np.ndarray) -> list[Candidate]:
    """Return SVMs with an L1 penalty, of fifteen strengths, the sparsest first."""
    size = np.abs(X).sum(axis=1).mean()
    return [
        Candidate(
            LinearSVC(penalty="l1", dual=False, C=C / size, tol=1e-3, max_iter=5000, random_state=0), C, 0.0
        )
        for C in SPARSE.tolist()
    ]


def spread(w: np.ndarray) -> float:
    """Return over how many features weights are spread.

    >>> spread(np.array([2.0, -2.0, 0.0]))
    2.0
    """
    return float(np.abs(w).sum() ** 2 / max((w**2).sum(), 1e-300))

"""Section 4: the optimal plane against every subset, and the heuristics for four classifiers."""

from itertools import combinations

import numpy as np
import pandas as pd
from scipy.optimize import linprog
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline

from paperlib._common.validation import check_number
from paperlib.boosting2d.heuristics import GreedyPairBoosting, HierarchicalPairBoosting
from paperlib.boosting2d.optimal_plane import optimal_plane
from paperlib.boosting2d.pair_boosting import PairBoostingClassifier
from paperlib.experiments.boosting2d.exact import wrong_side
from paperlib.experiments.boosting2d.real_pairs import WEAK, split_seed, two_digits
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import progress, step


@step
def planes(n_samples, *, largest=7, seed):
    """Hold `optimal_plane` against exhaustive search (Theorem 4.1): its weight, and that it is fat.

    Parameters
    ----------
    n_samples : int >= 1
        Of each kind: small ones, against removing every subset, tested by linear programming; larger ones in
        general position, against every plane through three points.
    largest : int in [2, 12]
        Points of a small sample, at most; half of these samples are on a grid.
    seed : int

    Returns
    -------
    DataFrame with a row per sample: against, sample, n, weight, least, is_fat
        Weight of the errors of the plane, the least there is, and whether no plane has a larger margin to
        what it leaves.
    """
    n_samples = check_number(n_samples, "n_samples", low=1, integer=True)
    largest = check_number(largest, "largest", low=2, high=12, integer=True)
    rows = []
    for against, found in (("subsets", _against_subsets), ("threes", _against_threes)):
        for k, rng in enumerate(progress(stream(seed, f"planes, {against}").spawn(n_samples), against)):
            X, positive, weights, least = found(k, largest, rng)
            plane = optimal_plane(X, positive, weights)
            wrong = wrong_side(plane, X, positive)
            is_fat = _is_fat(plane, X[~wrong], positive[~wrong])
            rows.append((against, k, len(X), weights[wrong].sum(), least, is_fat))
    return pd.DataFrame(rows, columns=["against", "sample", "n", "weight", "least", "is_fat"])


def _against_subsets(k, largest, rng):
    """Return a small sample, and the least weight of a subset without which the rest is separable."""
    n = int(rng.integers(2, largest + 1))
    X = rng.normal(size=(n, 3)) if k % 2 else rng.integers(0, 2, size=(n, 3)).astype(float)
    positive, weights = rng.random(n) < 0.5, rng.integers(1, 4, size=n).astype(float)
    removed = (np.arange(1 << n)[:, None] >> np.arange(n) & 1).astype(bool)
    totals = removed @ weights
    order = np.argsort(totals, kind="stable")
    least = next(totals[i] for i in order if _separable(X[~removed[i]], positive[~removed[i]]))
    return X, positive, weights, least


def _against_threes(k, largest, rng):
    """Return a larger sample, and the least weight of a plane through three of its points."""
    n = int(rng.integers(12, 21))
    X, positive = rng.normal(size=(n, 3)), rng.random(n) < 0.5
    weights = rng.integers(1, 5, size=n).astype(float)
    return X, positive, weights, _lightest_of_every_three(X, positive, weights)


def _is_fat(plane, X, positive):
    """Return whether no plane that separates two classes is farther from them all (Definition 1.3).

    No margin is above half the distance of two points of the hulls. A linear programme looks for two whose
    difference is the plane's normal, twice its margin long: where there are such, no margin is larger.
    """
    if positive.all() or not positive.any():
        return True  # every plane off the points does
    heights = np.where(positive, 1.0, -1.0) * (X @ plane.normal + plane.offset)
    signed = np.where(positive[:, None], X, -X)
    # The shares of the points, and by how much a coordinate of the difference is off at most.
    off = np.column_stack([np.vstack([signed.T, -signed.T]), -np.ones(6)])
    wanted = 2 * heights.min() * plane.normal
    of_class = np.column_stack([[positive, ~positive], [0, 0]])
    costs = np.append(np.zeros(len(X)), 1.0)
    found = linprog(costs, off, np.concatenate([wanted, -wanted]), of_class, np.ones(2))
    shares = found.x[:-1] / np.where(positive, found.x[:-1][positive].sum(), found.x[:-1][~positive].sum())
    return bool(np.linalg.norm(shares @ signed) / 2 - heights.min() <= 1e-9 * np.abs(X).max())


def _lightest_of_every_three(X, positive, weights):
    """Return the least weight of the planes through three points, tilted to be right about these."""
    best = min(weights[positive].sum(), weights[~positive].sum())
    for rows in map(list, combinations(range(len(X)), 3)):
        heights = (X - X[rows[0]]) @ np.cross(*(X[rows[1:]] - X[rows[0]]))
        heights[rows] = 0.0
        for sign in (1, -1):
            best = min(best, weights[np.where(positive, sign * heights < 0, sign * heights > 0)].sum())
    return best


def _separable(X, positive):
    """Strictly, by any number of dimensions: whether some w, b has ``y (w x + b) >= 1``."""
    if positive.all() or not positive.any():
        return True
    rows = np.where(positive, -1.0, 1.0)[:, None] * np.column_stack([X, np.ones(len(X))])
    found = linprog(np.zeros(rows.shape[1]), A_ub=rows, b_ub=-np.ones(len(X)), bounds=(None, None))
    return found.status == 0


@step
def quarter_trials(n_splits, *, data, seed):
    """Errors of the Discussion's two heuristics with four classifiers, each seeing a quarter of an image.

    Of 3s and 8s, in 8 x 8 pixels.

    Parameters
    ----------
    n_splits : int >= 1
    data : {"bundled", "full"}
    seed : int

    Returns
    -------
    DataFrame with a row per combiner and split: combiner, split, n_train, n_test, training, test
    """
    X, y = two_digits(3, 8, data)
    pixels = np.arange(64).reshape(8, 8)
    quarters = [pixels[i : i + 4, j : j + 4].ravel() for i in (0, 4) for j in (0, 4)]
    weak = [make_pipeline(ColumnTransformer([("see", "passthrough", q)]), WEAK["tree"]) for q in quarters]
    ways = {
        "greedy": GreedyPairBoosting(weak),
        "hierarchical": HierarchicalPairBoosting(weak),
        "optimal, upper two": PairBoostingClassifier(weak[:2]),
        "logistic stacking": StackingClassifier([(f"g{k}", each) for k, each in enumerate(weak)], cv=5),
        "soft voting": VotingClassifier([(f"g{k}", each) for k, each in enumerate(weak)], voting="soft"),
    }
    splitter = StratifiedShuffleSplit(n_splits, train_size=0.5, random_state=split_seed(seed, "quarters"))
    rows = []
    for split, (train, test) in enumerate(progress(list(splitter.split(X, y)), "splits")):
        for name, way in ways.items():
            predicted = clone(way).fit(X[train], y[train]).predict(X)
            wrong = predicted != y
            rows.append((name, split, len(train), len(test), wrong[train].mean(), wrong[test].mean()))
    return pd.DataFrame(rows, columns=["combiner", "split", "n_train", "n_test", "training", "test"])

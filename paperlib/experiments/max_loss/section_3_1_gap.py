"""Section 3.1: how long each learner takes to a consistent hypothesis (Lemmas 1 to 3)."""

import itertools
import warnings

import numpy as np
import pandas as pd
from scipy.optimize import nnls
from sklearn.exceptions import ConvergenceWarning

from paperlib.experiments.max_loss.samples import gap_points, gap_sample, gap_training_set
from paperlib.experiments.max_loss.watched_rounds import (
    hinge_until_consistent,
    is_consistent,
    until_consistent,
)
from paperlib.max_loss._rounds import slack as slacks
from paperlib.max_loss._rounds.play import Sample
from paperlib.max_loss.fol_classifier import FOLClassifier
from paperlib.max_loss.learners import Perceptron
from paperlib.max_loss.sum_tree import SumTree

CHUNK = 1 << 16
FOL, FAST_FOL, UNIFORM, HINGE = "FOL", "FOL, 10 times eta", "Perceptron", "SGD, hinge"
LEARNERS = (HINGE, UNIFORM, FOL, FAST_FOL)


def rounds_to_consistent(X, y, learner, *, rate=1.0, limit=10**9, points=None, random_state=None):
    """Count the rounds until a learner's last iterate makes no mistake.

    Parameters
    ----------
    X : ndarray of shape (m, d)
    y : ndarray of shape (m,)
        Labels -1 and +1.
    learner : one of `LEARNERS`, or a float
        A float is FOL with that many times ``eta = 1 / (2 m)``.
    rate : float > 0
        Learning rate of the hinge loss.
    limit : int
    points : ndarray, optional
        Of `signed_points`, where they are known already.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    rounds : int
        `limit` if there is none by then.
    mistakes : int
        Updates of the Perceptron; 0 for the hinge loss.

    Examples
    --------
    >>> X, y = gap_training_set(0.1, 0.1, random_state=0)
    >>> rounds_to_consistent(X, y, "FOL", random_state=0)
    (41, 5)
    """
    m, d = X.shape
    points = signed_points(X, y) if points is None else points
    rng = np.random.default_rng(random_state)
    sample, slack = Sample(X, y, 0.0), slacks.allocate(0)
    W, tree, t, mistakes = np.zeros((1, d + 1)), SumTree(m).state, 0, 0
    factor = {FOL: 1.0, FAST_FOL: 10.0}.get(learner, learner)
    while t < limit:
        us = rng.random(min(CHUNK, limit - t))
        if learner == HINGE:
            played, erred = hinge_until_consistent(us, rate, sample, W[0], points), 0
        else:
            uniform_share, eta = (1.0, 1.0) if learner == UNIFORM else (0.5, 0.5 * factor / m)
            played, erred = until_consistent(us, eta, uniform_share, sample, W, tree, slack, points)
        t, mistakes = t + played, mistakes + erred
        if played < len(us) or is_consistent(points, W[0]):
            break
    return t, mistakes


def signed_points(X, y):
    """Return the distinct rows ``y_i (x_i, 0)``, which a consistent w has on its positive side."""
    return np.unique(y[:, None] * np.column_stack([X, np.zeros(len(X))]), axis=0)


def gap_samples(alphas, epsilons, n_runs, random_state):
    """Yield ``alpha, eps, run, X, y, rng`` of each run on a grid of gap samples, with seeds of their own."""
    for alpha, eps, run in itertools.product(alphas, epsilons, range(n_runs)):
        rng = np.random.default_rng([random_state, run, round(1 / alpha), round(1 / eps)])
        yield alpha, eps, run, *gap_training_set(alpha, eps, random_state=rng), rng


def gap_runs(alphas, epsilons, n_runs, learners=LEARNERS, *, limit=10**9, random_state=0):
    """Run the learners on the gap example over a grid, for ``100 / (alpha eps)`` rounds at most.

    Parameters
    ----------
    alphas, epsilons : list of float
    n_runs : int >= 1
    learners : sequence of str
    limit : int
        Rounds of a run, at most.
    random_state : int

    Returns
    -------
    DataFrame with a row per run
        learner, alpha, eps, run, rounds, mistakes.
    """
    rows = []
    for alpha, eps, run, X, y, rng in gap_samples(alphas, epsilons, n_runs, random_state):
        for learner in learners:
            most = min(limit, round(100.0 / (alpha * eps)))
            rounds, mistakes = rounds_to_consistent(X, y, learner, limit=most, random_state=rng)
            rows.append((learner, alpha, eps, run, rounds, mistakes))
    return pd.DataFrame(rows, columns=["learner", "alpha", "eps", "run", "rounds", "mistakes"])


def slopes(runs):
    """Fit ``log rounds = a + b log alpha + c log eps`` for every learner, by least squares.

    Parameters
    ----------
    runs : DataFrame of `gap_runs`

    Returns
    -------
    DataFrame with a row per learner
        learner, alpha, alpha_stderr, eps, eps_stderr (slopes), constant (geometric mean of rounds x alpha x
        eps).
    """
    rows = []
    for learner, part in runs.groupby("learner", sort=False):
        design = np.column_stack([np.ones(len(part)), np.log(part.alpha), np.log(part.eps)])
        target = np.log(part.rounds.to_numpy(dtype=float))
        found, *_ = np.linalg.lstsq(design, target, rcond=None)
        variance = ((target - design @ found) ** 2).sum() / max(1, len(part) - 3)
        stderr = np.sqrt(variance * np.diag(np.linalg.inv(design.T @ design)))
        constant = float(np.exp((target + design[:, 1] + design[:, 2]).mean()))
        rows.append((learner, found[1], stderr[1], found[2], stderr[2], constant))
    names = ["learner", "alpha", "alpha_stderr", "eps", "eps_stderr", "constant"]
    return pd.DataFrame(rows, columns=names)


def two_term_fit(runs):
    """Fit ``rounds = a / eps + b / alpha + c / (alpha eps)`` with non-negative terms, in relative errors.

    Lemma 3 leaves nothing for c, up to logarithms, and Lemma 2 nothing for a and b.

    Parameters
    ----------
    runs : DataFrame of `gap_runs`

    Returns
    -------
    DataFrame with a row per learner
        learner, per_eps (a), per_alpha (b), per_both (c), error (root mean square of the relative errors of
        the means).
    """
    rows = []
    for learner, part in runs.groupby("learner", sort=False):
        means = part.groupby(["alpha", "eps"], as_index=False).rounds.mean()
        design = np.column_stack([1.0 / means.eps, 1.0 / means.alpha, 1.0 / (means.alpha * means.eps)])
        design /= means.rounds.to_numpy()[:, None]
        found, norm = nnls(design, np.ones(len(means)))
        rows.append((learner, *found, norm / np.sqrt(len(means))))
    return pd.DataFrame(rows, columns=["learner", "per_eps", "per_alpha", "per_both", "error"])


def product_at_the_turn(alpha):
    """Return ``<w, z_1> / k`` when the Perceptron, after k = 1 steps along z_1, first has z_2 right.

    Parameters
    ----------
    alpha : float > 0

    Returns
    -------
    float
        NaN where z_2 is never right within ``2 / alpha`` steps along it.

    Examples
    --------
    >>> round(product_at_the_turn(0.001), 3)
    0.2
    """
    learner = Perceptron(gap_points(alpha), [1, 1])
    learner.step(0)
    for _ in range(round(2.0 / alpha)):
        if learner.step(1) == 0.0:
            return float(learner.X[0] @ learner.w[:-1])
    return np.nan


def lemma_1_runs(epsilons, sizes, n_trials, *, n_learned=0, alpha=0.1, random_state=0):
    """Draw samples and count those that do not determine the labels of all four points.

    Parameters
    ----------
    epsilons : list of float
    sizes : callable
        ``sizes(eps)`` is a sample size.
    n_trials : int >= 1
    n_learned : int >= 0
        On so many of the samples FOL looks for a consistent hypothesis.
    alpha : float
    random_state : int

    Returns
    -------
    DataFrame with a row per eps
        eps, m, failures (share of samples without one of the two kinds), all_four (share of samples without
        one of the four points), learned (share of those on which FOL ran whose hypothesis errs on a point;
        NaN where it ran on none).
    """
    rows = []
    rng = np.random.default_rng(random_state)
    points = gap_points(alpha)
    for eps in epsilons:
        m = sizes(eps)
        missing = missing_four = wrong = 0
        for trial in range(n_trials):
            X, y = gap_sample(m, alpha, eps, random_state=rng)
            kinds = (abs(X[:, 1]) == abs(points[1, 1])) * 2 + (y > 0)
            seen = np.bincount(kinds, minlength=4) > 0
            missing += not (seen[:2].any() and seen[2:].any())
            missing_four += not seen.all()
            if trial < n_learned:
                rules = {"fit_intercept": False, "max_iter": 100 * m, "output": "last"}
                classifier = FOLClassifier(**rules, random_state=rng)
                wrong += _errs_on(classifier, X, y, points)
        learned = wrong / n_learned if n_learned else np.nan
        rows.append((eps, m, missing / n_trials, missing_four / n_trials, learned))
    return pd.DataFrame(rows, columns=["eps", "m", "failures", "all_four", "learned"])


def _errs_on(classifier, X, y, points):
    """Return whether a classifier that was fitted to a sample has one of the four points wrong."""
    if len(np.unique(y)) < 2:
        return True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        classifier.fit(X, y)
    return bool((classifier.predict(points) != 1).any() or (classifier.predict(-points) != -1).any())


def lemma_2_runs(alphas, epsilons, rates, n_runs, rounds, *, random_state=0):
    """Run SGD on the hinge loss for as many rounds as Lemma 2 says are too few.

    Parameters
    ----------
    alphas, epsilons, rates : list of float
    n_runs : int >= 1
    rounds : callable
        ``rounds(alpha, eps)``.
    random_state : int

    Returns
    -------
    DataFrame with a row per alpha, eps and rate
        alpha, eps, rate, rounds, solved (share of runs that were consistent by then).
    """
    rows = []
    for alpha in alphas:
        for eps in epsilons:
            limit = max(1, int(rounds(alpha, eps)))
            X, y = gap_training_set(alpha, eps, random_state=random_state)
            points = signed_points(X, y)
            for rate in rates:
                solved = 0
                for run in range(n_runs):
                    rng = np.random.default_rng([random_state, run])
                    used, _ = rounds_to_consistent(
                        X, y, HINGE, rate=rate, limit=limit + 1, points=points, random_state=rng
                    )
                    solved += used <= limit
                rows.append((alpha, eps, rate, limit, solved / n_runs))
    return pd.DataFrame(rows, columns=["alpha", "eps", "rate", "rounds", "solved"])

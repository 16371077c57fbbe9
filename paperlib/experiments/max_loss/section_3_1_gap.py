"""Section 3.1: how long each learner takes to a consistent hypothesis (Lemmas 1 to 3)."""

import warnings

import numpy as np
import pandas as pd
from scipy.optimize import nnls
from sklearn.exceptions import ConvergenceWarning

from paperlib.experiments.max_loss import theory_lemmas
from paperlib.experiments.max_loss.samples import gap_points, gap_sample, gap_training_set
from paperlib.experiments.max_loss.section_2_3_focus import learning_paths
from paperlib.experiments.max_loss.watched_rounds import (
    hinge_until_consistent,
    is_consistent,
    until_consistent,
)
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import progress, step
from paperlib.max_loss._rounds import slack as slacks
from paperlib.max_loss._rounds.play import Sample
from paperlib.max_loss.fol_classifier import FOLClassifier
from paperlib.max_loss.learners import Perceptron
from paperlib.max_loss.sum_tree import SumTree

CHUNK = 1 << 16
FOL, FAST_FOL, UNIFORM, HINGE = "FOL", "FOL, 10 times eta", "Perceptron", "SGD, hinge"
LEARNERS = (HINGE, UNIFORM, FOL, FAST_FOL)


def rounds_to_consistent(X, y, learner, *, rate=1.0, share=0.5, limit=10**9, points=None, random_state=None):
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
    share : float in [0, 1)
        Uniform draws of FOL.
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
            uniform_share, eta = (1.0, 1.0) if learner == UNIFORM else (share, 0.5 * factor / m)
            played, erred = until_consistent(us, eta, uniform_share, sample, W, tree, slack, points)
        t, mistakes = t + played, mistakes + erred
        if played < len(us) or is_consistent(points, W[0]):
            break
    return t, mistakes


def signed_points(X, y):
    """Return the distinct rows ``y_i (x_i, 0)``, which a consistent w has on its positive side."""
    return np.unique(y[:, None] * np.column_stack([X, np.zeros(len(X))]), axis=0)


def gap_samples(pairs, n_runs, seed):
    """Yield ``alpha, eps, run, X, y, rng`` of each run on gap samples of these alpha and eps."""
    for alpha, eps in pairs:
        rngs = stream(seed, f"gap {alpha:g} {eps:g}").spawn(n_runs)
        for run, rng in enumerate(progress(rngs, f"gap, alpha {alpha:g}, eps {eps:g}")):
            yield alpha, eps, run, *gap_training_set(alpha, eps, random_state=rng), rng


@step
def gap_runs(pairs, n_runs, learners=LEARNERS, *, limit=10**9, seed):
    """Run the learners on the gap example, for ``100 / (alpha eps)`` rounds at most.

    Parameters
    ----------
    pairs : list of (alpha, eps)
    n_runs : int >= 1
        Of each pair.
    learners : sequence of str
    limit : int
        Rounds of a run, at most.
    seed : int

    Returns
    -------
    DataFrame with a row per run and learner
        learner, alpha, eps, m, mistake_bound (`lemma_3_mistakes`), run, rounds, mistakes (of the Perceptron).
    """
    rows = []
    for alpha, eps, run, X, y, rng in gap_samples(pairs, n_runs, seed):
        known = alpha, eps, len(y), theory_lemmas.lemma_3_mistakes(alpha)
        for learner in learners:
            most = min(limit, round(100.0 / (alpha * eps)))
            rounds, mistakes = rounds_to_consistent(X, y, learner, limit=most, random_state=rng)
            rows.append((learner, *known, run, rounds, mistakes))
    names = ["learner", "alpha", "eps", "m", "mistake_bound", "run", "rounds", "mistakes"]
    return pd.DataFrame(rows, columns=names)


@step
def share_runs(epsilons, shares, n_runs, *, seed):
    """Run FOL on the gap example, alpha = eps, with other shares of uniform draws than a half.

    Returns
    -------
    DataFrame with a row per eps, share and run
        eps, share, run, rounds.
    """
    rows = []
    for _, eps, run, X, y, rng in gap_samples([(each, each) for each in epsilons], n_runs, seed):
        for share in shares:
            rounds, _ = rounds_to_consistent(X, y, FOL, share=share, limit=10**7, random_state=rng)
            rows.append((eps, share, run, rounds))
    return pd.DataFrame(rows, columns=["eps", "share", "run", "rounds"])


@step
def steps_taken(alpha, eps, checkpoints, methods, n_runs, *, seed):
    """Watch learners on one gap sample: a table of `learning_paths`.

    Parameters
    ----------
    alpha, eps : float
    checkpoints, methods, n_runs
        As in `learning_paths`.
    seed : int
    """
    points, draws = stream(seed, "steps on the gap").spawn(2)
    X, y = gap_training_set(alpha, eps, random_state=points)
    return learning_paths(X, y, checkpoints, methods, n_runs, random_state=draws)[0]


@step
def fits(runs):
    """Return `slopes` and `two_term_fit` of runs in one table, a row per learner."""
    return slopes(runs).merge(two_term_fit(runs), on="learner")


def slopes(runs):
    """Fit ``log rounds = a + b log alpha + c log eps`` for every learner, by least squares.

    Parameters
    ----------
    runs : DataFrame of `gap_runs`

    Returns
    -------
    DataFrame with a row per learner
        learner, alpha, eps (slopes), constant (geometric mean of rounds x alpha x eps).
    """
    rows = []
    for learner, part in runs.groupby("learner", sort=False):
        design = np.column_stack([np.ones(len(part)), np.log(part.alpha), np.log(part.eps)])
        target = np.log(part.rounds.to_numpy(dtype=float))
        found, *_ = np.linalg.lstsq(design, target, rcond=None)
        constant = float(np.exp((target + design[:, 1] + design[:, 2]).mean()))
        rows.append((learner, found[1], found[2], constant))
    return pd.DataFrame(rows, columns=["learner", "alpha", "eps", "constant"])


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


@step
def product_at_the_turn(alpha):
    """Find ``<w, z_1> / k`` when the Perceptron, after k = 1 steps along z_1, first has z_2 right.

    Parameters
    ----------
    alpha : float > 0

    Returns
    -------
    DataFrame with one row
        alpha, product, formula (`lemma_3_product`); none where z_2 is not right after ``2 / alpha`` steps.

    Examples
    --------
    >>> float(product_at_the_turn(0.001)["product"].round(3)[0])
    0.2
    """
    learner, rows = Perceptron(gap_points(alpha), [1, 1]), []
    learner.step(0)
    for _ in range(round(2.0 / alpha)):
        if learner.step(1) == 0.0:
            product = float(learner.X[0] @ learner.w[:-1])
            rows.append((alpha, product, theory_lemmas.lemma_3_product(alpha)))
            break
    return pd.DataFrame(rows, columns=["alpha", "product", "formula"])


@step
def lemma_1_runs(epsilons, delta, n_trials, *, n_learned=0, alpha=0.1, seed):
    """Draw samples and count those that do not determine the labels of all four points.

    Parameters
    ----------
    epsilons : list of float
    delta : float in (0, 1)
        Samples have `lemma_1_size` examples.
    n_trials : int >= 1
    n_learned : int >= 0
        On so many of the samples FOL looks for a consistent hypothesis.
    alpha : float
    seed : int

    Returns
    -------
    DataFrame with a row per eps
        eps, delta, m, trials, missing (samples without one of the two kinds), missing_few (the same of their
        first ``1 / eps`` examples), missing_four (samples without one of the four points), learned (those on
        which FOL ran), wrong (those whose hypothesis errs on a point).
    """
    rows = []
    points = gap_points(alpha)
    for eps in epsilons:
        m, rng = theory_lemmas.lemma_1_size(eps, delta), stream(seed, f"Lemma 1, {eps:g}")
        missing = missing_few = missing_four = wrong = 0
        for trial in range(n_trials):
            X, y = gap_sample(m, alpha, eps, random_state=rng)
            kinds = (abs(X[:, 1]) == abs(points[1, 1])) * 2 + (y > 0)
            missing += not _both(kinds)
            missing_few += not _both(kinds[: round(1.0 / eps)])
            missing_four += len(np.unique(kinds)) < 4
            if trial < n_learned:
                classifier = FOLClassifier(100 * m, fit_intercept=False, output="last", random_state=rng)
                wrong += _errs_on(classifier, X, y, points)
        counts = missing, missing_few, missing_four, min(n_learned, n_trials), wrong
        rows.append((eps, delta, m, n_trials, *counts))
    names = ["missing", "missing_few", "missing_four", "learned", "wrong"]
    return pd.DataFrame(rows, columns=["eps", "delta", "m", "trials", *names])


def _both(kinds):
    """Return whether there is one of the kinds 0 and 1, and one of 2 and 3."""
    return bool((kinds < 2).any() and (kinds >= 2).any())


def _errs_on(classifier, X, y, points):
    """Return whether a classifier that was fitted to a sample has one of the four points wrong."""
    if len(np.unique(y)) < 2:
        return True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        classifier.fit(X, y)
    return bool((classifier.predict(points) != 1).any() or (classifier.predict(-points) != -1).any())


@step
def lemma_2_runs(alphas, eps, rates, n_runs, *, seed):
    """Run SGD on the hinge loss for as many rounds as Lemma 2 says are too few.

    Parameters
    ----------
    alphas : list of float
    eps : float
    rates : list of float
    n_runs : int >= 1
    seed : int

    Returns
    -------
    DataFrame with a row per alpha and rate
        alpha, eps, rate, rounds, allowed (probability of `lemma_2_failure`), runs, solved (those that were
        consistent by then).
    """
    rows = []
    for alpha in alphas:
        limit = max(1, int(theory_lemmas.lemma_2_rounds(alpha, eps)))
        allowed, rng = theory_lemmas.lemma_2_failure(limit, eps), stream(seed, f"Lemma 2, {alpha:g}")
        X, y = gap_training_set(alpha, eps, random_state=rng)
        points = signed_points(X, y)
        for rate in rates:
            solved = 0
            for _ in range(n_runs):
                used, _ = rounds_to_consistent(
                    X, y, HINGE, rate=rate, limit=limit + 1, points=points, random_state=rng
                )
                solved += used <= limit
            rows.append((alpha, eps, rate, limit, allowed, n_runs, solved))
    return pd.DataFrame(rows, columns=["alpha", "eps", "rate", "rounds", "allowed", "runs", "solved"])

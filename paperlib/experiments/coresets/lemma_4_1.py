"""Lemma 4.1: conservative on-line learners that stop once a hypothesis has met no mistake for long enough.

The lemma is adapted from Angluin's reduction, whose mechanism the printed formula keeps. A hypothesis of
error above ``eps`` meets no mistake in ``(ln M + ln 1 / delta) / eps`` draws with probability ``delta / M``
at most, and there are M of them at most. So the first hypothesis that survives so many draws is handed out,
after M times as many in the worst case.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

from paperlib.experiments.coresets import theory as unrounded
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import progress, step

JUST = (
    1e-4  # relative: how far from the error that is allowed a hypothesis is that is just above it, or below
)
MOST_REAL = 40  # mistakes: 2^40 thresholds


@step
def conservative_learners(mistakes, n_runs, n_real_runs, error, delta, *, seed):
    """Count how often the hypothesis that survives has an error above the one allowed.

    Two learners are made to fail, by the errors of their hypotheses. *in turn* has M hypotheses just above
    `error`, one after the other. *late* begins with M / 3 that have so small an error that the others, just
    above `error`, come when all labels that are allowed have nearly been drawn. Two are real: *perceptron* on
    points along M axes, all but one of them rare, and *halving*, of the ``2^M`` thresholds on a line.

    Parameters
    ----------
    mistakes : list of int >= 1
        The mistake bounds M. The real learners are left out where so many rare points do not fit.
    n_runs, n_real_runs : int >= 2
        Of each learner of the first kind, and of the second.
    error, delta : float in (0, 1)
    seed : int

    Returns
    -------
    DataFrame with a row per learner and mistake bound
        learner, mistakes, draws (that a hypothesis has to survive), allowed (labels in all), runs, failures,
        rate, labels (the most that a run took), last (of the first kind: share of the runs whose *last*
        hypothesis has an error above `error`, where the learner goes on until it has all labels that are
        allowed), delta
    """
    rows = []
    for bound in progress(mistakes, "mistake bounds"):
        draws = unrounded.lemma_4_1_draws(bound, error, delta)
        rng = stream(seed, f"conservative learners {bound}")
        for learner, failed, labels, last in _runs(bound, draws, error, n_runs, n_real_runs, rng):
            known = bound, draws, bound * draws, len(failed), int(failed.sum()), failed.mean()
            rows.append((learner, *known, int(labels.max()), last, delta))
    columns = [
        "learner",
        "mistakes",
        "draws",
        "allowed",
        "runs",
        "failures",
        "rate",
        "labels",
        "last",
        "delta",
    ]
    return pd.DataFrame(rows, columns=columns)


def _runs(bound, draws, error, n_runs, n_real_runs, rng):
    """Yield what came of each learner: its name, failed, labels, and the share of bad last hypotheses."""
    above, n_slow = error * (1.0 + JUST), bound // 3
    slow = n_slow / (bound * draws - (bound - n_slow) / error / 2.0)
    for learner, first in (("in turn", above), ("late", slow)):
        errors = np.where(np.arange(bound) < n_slow, first, above)
        yield learner, *errors_in_turn(errors, draws, error, n_runs, rng)
    if bound <= MOST_REAL and (bound - 1) * above < 1.0:
        for learner, run in REAL.items():
            wrong, labels = np.array([run(bound, draws, above, rng) for _ in range(n_real_runs)]).T
            yield learner, wrong > error, labels, None


def errors_in_turn(errors, draws, allowed, n_runs, rng):
    """Run a learner whose hypotheses have the given errors one after the other, and then none.

    Parameters
    ----------
    errors : ndarray of shape (M,)
    draws : int
        That a hypothesis has to survive.
    allowed : float
    n_runs : int
    rng : numpy.random.Generator

    Returns
    -------
    failed : ndarray of shape (n_runs,), bool
        Whether the hypothesis that survives has an error above `allowed`.
    labels : ndarray of shape (n_runs,)
        Drawn until it has survived, or until M mistakes were made.
    last : float
        Share of runs that have an error above `allowed` after ``M draws`` labels, if they go on.
    """
    lives = rng.geometric(errors, size=(n_runs, len(errors)))  # draws up to and with a mistake of each
    survives = lives > draws
    which = np.where(survives.any(axis=1), survives.argmax(axis=1), len(errors))
    ends = np.cumsum(lives, axis=1)
    before = np.where(which > 0, ends[np.arange(n_runs), which - 1], 0)
    labels = before + draws * (which < len(errors))
    bad = np.append(errors > allowed, False)
    at_the_end = (ends <= draws * len(errors)).sum(axis=1)
    return bad[which], labels, float(bad[at_the_end].mean())


def perceptron(n_axes, draws, rare, rng):
    """Run the perceptron on points along axes, each but the first of probability `rare`, until one survives.

    It makes a mistake on each axis once, ``(R / rho)^2 = n_axes`` in all; a point on the hyperplane is one.

    Returns
    -------
    wrong : float
        Probability of a mistake of the hyperplane that survives.
    labels : int

    Examples
    --------
    >>> wrong, labels = perceptron(3, 400, 0.1, np.random.default_rng(0))
    >>> wrong, labels > 400
    (0.0, True)
    """
    chances = np.append(1.0 - (n_axes - 1) * rare, np.full(n_axes - 1, rare))
    w = np.zeros(n_axes)

    def err(axis):
        if w[axis] > 0.0:
            return False
        w[axis] += 1.0
        return True

    labels = until_one_survives(err, lambda size: rng.choice(n_axes, size=size, p=chances), n_axes, draws)
    return float(chances[w <= 0.0].sum()), labels


def halving(n_halves, draws, _rare, rng):
    """Run the halving algorithm on the ``2^n_halves`` thresholds on a line, until one survives.

    Its hypothesis is the threshold in the middle of those that agree with its mistakes, of which each leaves
    half of them.

    Returns
    -------
    wrong, labels
        As `perceptron`.

    Examples
    --------
    >>> wrong, labels = halving(3, 100, None, np.random.default_rng(0))
    >>> wrong, labels >= 100
    (0.0, True)
    """
    low, high = 0, 2**n_halves - 1  # thresholds that agree: x is positive where it is at or above one
    true = int(rng.integers(2**n_halves))

    def err(x):
        nonlocal low, high
        middle = (low + high + 1) // 2
        if (x >= middle) == (x >= true):
            return False
        low, high = (int(x) + 1, high) if x >= middle else (low, int(x))
        return True

    labels = until_one_survives(err, lambda size: rng.integers(2**n_halves, size=size), n_halves, draws)
    return abs((low + high + 1) // 2 - true) / 2**n_halves, labels


def until_one_survives(err, sample, n_mistakes, draws):
    """Draw points until a hypothesis has met no mistake for `draws` of them, or all mistakes were made.

    Parameters
    ----------
    err : callable
        Takes a point; whether the learner errs on it. Then it has another hypothesis.
    sample : callable
        Takes a number, and draws so many points.
    n_mistakes, draws : int

    Returns
    -------
    int
        Labels that it took.
    """
    labels, left = 0, draws
    for point in sample(n_mistakes * draws):
        labels += 1
        left = draws if err(point) else left - 1
        if left == 0:
            break
    return labels


REAL: dict[str, Callable[..., tuple[float, int]]] = {"perceptron": perceptron, "halving": halving}

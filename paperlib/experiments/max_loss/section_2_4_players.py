"""Section 2.4: the players on the same linearly separable data: rounds, and the work that they are."""

import numpy as np
import pandas as pd

from paperlib.experiments.max_loss import baselines
from paperlib.experiments.max_loss.samples import separable_sample
from paperlib.experiments.max_loss.section_3_1_gap import (
    FAST_FOL,
    FOL,
    UNIFORM,
    gap_samples,
    rounds_to_consistent,
)
from paperlib.experiments.max_loss.theorem_1 import mistake_bound
from paperlib.max_loss.learners import Perceptron


def comparison_runs(m, d, margin, n_runs, *, eps=0.02, max_epochs=200, random_state=0):
    """Run every method until it is consistent, and count its reading of numbers of X.

    A round of FOL reads d numbers, one of the sublinear perceptron m + d; an epoch of AdaBoost reads 2 m d,
    as it draws m examples and looks at all. The sums over all m weights of EXP3.P.1 count as m.

    Parameters
    ----------
    m, d : int
    margin : float
        Of `separable_sample`.
    n_runs : int >= 1
    eps : float
        Accuracy of the sublinear perceptron.
    max_epochs : int
        Every method stops at ``max_epochs * m`` rounds.
    random_state : int

    Returns
    -------
    DataFrame with a row per run and method
        method, run, rounds, work (numbers read), solved, mistake_bound.
    """
    rows = []
    limit = max_epochs * m
    for run in range(n_runs):
        rng = np.random.default_rng([random_state, run])
        X, y, normal = separable_sample(m, d, margin, random_state=rng)
        bound = mistake_bound(X, y, normal)
        for method in (UNIFORM, FOL, FAST_FOL):
            rounds, _ = rounds_to_consistent(X, y, method, limit=limit, random_state=rng)
            rows.append((method, run, rounds, rounds * d, rounds < limit, bound))

        learner = Perceptron(X, y)

        def solved(t, learner=learner):
            return t % m == 0 and learner.errors() == 0

        played = baselines.exp3_p(learner, m, limit // 10, callback=solved, random_state=rng)
        work = played.n_iter * (m + d)
        rows.append(("EXP3.P.1", run, played.n_iter, work, learner.errors() == 0, bound))

        boosted = _boosted_perceptron(X, y, max_epochs, rng)
        epochs = len(boosted.alphas)
        rows.append(("AdaBoost", run, epochs * m, 2 * epochs * m * d, boosted.errors[-1] == 0.0, bound))

        found = baselines.sublinear_perceptron(
            X, y, eps, max_iter=limit, target=0.0, check_every=max(1, d // 20), random_state=rng
        )
        work = found.n_iter * (m + d)
        rows.append(("sublinear", run, found.n_iter, work, found.margin > 0.0, bound))
    return pd.DataFrame(rows, columns=["method", "run", "rounds", "work", "solved", "mistake_bound"])


def gap_work_runs(alphas, epsilons, n_runs, *, max_epochs=20_000, random_state=0):
    """Count the numbers that FOL and AdaBoost read on the gap example, both over the Perceptron.

    There m is ``2 / eps`` and the mistake bound C about ``2 / (5 alpha)``, so that each can be changed alone.

    Parameters
    ----------
    alphas, epsilons : list of float
        Of `gap_training_set`.
    n_runs : int >= 1
    max_epochs : int
        AdaBoost stops there, FOL after twice as many.
    random_state : int

    Returns
    -------
    DataFrame with a row per run and learner, as of `section_3_1_gap.gap_runs`
        learner, alpha, eps, run, rounds (numbers read, over d = 2; an epoch of AdaBoost is 2 m), solved.

    Examples
    --------
    >>> runs = gap_work_runs([0.01], [0.1], 2)
    >>> runs.learner.tolist(), bool(runs.solved.all())
    (['FOL', 'AdaBoost', 'FOL', 'AdaBoost'], True)
    """
    rows = []
    for alpha, eps, run, X, y, rng in gap_samples(alphas, epsilons, n_runs, random_state):
        m, limit = len(y), 2 * len(y) * max_epochs
        rounds, _ = rounds_to_consistent(X, y, FOL, limit=limit, random_state=rng)
        rows.append((FOL, alpha, eps, run, rounds, rounds < limit))
        boosted = _boosted_perceptron(X, y, max_epochs, rng)
        work = 2 * len(boosted.alphas) * m
        rows.append(("AdaBoost", alpha, eps, run, work, boosted.errors[-1] == 0.0))
    return pd.DataFrame(rows, columns=["learner", "alpha", "eps", "run", "rounds", "solved"])


def _boosted_perceptron(X, y, max_epochs, rng):
    """Run AdaBoost over the Perceptron, whose w has one entry more than there are columns."""
    return baselines.adaboost(
        Perceptron(X, y),
        lambda w: np.where(X @ w[:-1] > 0.0, 1.0, -1.0),
        y,
        max_epochs,
        random_state=rng,
    )


def margin_runs(m, d, margins, n_samples, *, limit=10**7, random_state=0):
    """Count the rounds of uniform sampling and of FOL until each is consistent, over margins of the data.

    Parameters
    ----------
    m, d : int
    margins : sequence of float
        Of `separable_sample`.
    n_samples : int >= 1
        Samples of each margin.
    limit : int
        A run stops there.
    random_state : int

    Returns
    -------
    DataFrame with a row per margin and sample
        margin, sample, uniform and FOL (rounds), mistake_bound.

    Examples
    --------
    >>> runs = margin_runs(1000, 20, [0.01, 0.3], 4)
    >>> (runs.uniform / runs.FOL).groupby(runs.margin).median().round(1).tolist()
    [7.1, 0.8]
    """
    rows = []
    for margin in margins:
        for number in range(n_samples):
            rng = np.random.default_rng([random_state, number])
            X, y, normal = separable_sample(m, d, margin, random_state=rng)
            rounds = [
                rounds_to_consistent(X, y, each, limit=limit, random_state=rng)[0] for each in (UNIFORM, FOL)
            ]
            rows.append((margin, number, *rounds, mistake_bound(X, y, normal)))
    return pd.DataFrame(rows, columns=["margin", "sample", "uniform", "FOL", "mistake_bound"])


def geometric_mean_at(values, margins, pick):
    """Return the largest or least geometric mean of a margin's values, with its standard error.

    Parameters
    ----------
    values, margins : Series
        As long as each other.
    pick : "idxmax" or "idxmin"

    Returns
    -------
    value, stderr : float

    Examples
    --------
    >>> values, margins = pd.Series([1.0, 4.0, 3.0, 3.0]), pd.Series([0.1, 0.1, 0.2, 0.2])
    >>> geometric_mean_at(values, margins, "idxmax"), geometric_mean_at(values, margins, "idxmin")[0]
    ((3.0000000000000004, 0.0), 2.0)
    """
    logs = np.log(values).groupby(margins).agg(["mean", "sem"])
    at = getattr(logs["mean"], pick)()
    value = float(np.exp(logs["mean"][at]))
    return value, float(value * logs["sem"][at])

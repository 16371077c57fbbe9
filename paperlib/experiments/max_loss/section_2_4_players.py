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
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import progress, step
from paperlib.max_loss.learners import Perceptron


@step
def comparison_runs(shapes, n_runs, *, eps=0.02, max_epochs=200, seed):
    """Run every method until it is consistent, and count its reading of numbers of X.

    A round of FOL reads d numbers, one of the sublinear perceptron m + d; an epoch of AdaBoost reads 2 m d,
    as it draws m examples and looks at all. The sums over all m weights of EXP3.P.1 count as m.

    Parameters
    ----------
    shapes : dict of str to (m, d, margin)
        Samples of `separable_sample`, by their names.
    n_runs : int >= 1
        Of each.
    eps : float
        Accuracy of the sublinear perceptron.
    max_epochs : int
        Every method stops at ``max_epochs * m`` rounds.
    seed : int

    Returns
    -------
    DataFrame with a row per sample, run and method
        sample, m, method, run, rounds, work (numbers read), solved, mistake_bound.
    """
    rows = []
    for name, (m, d, margin) in shapes.items():
        for run, rng in enumerate(progress(stream(seed, f"players, {name}").spawn(n_runs), name)):
            X, y, normal = separable_sample(m, d, margin, random_state=rng)
            bound = mistake_bound(X, y, normal)
            for method, *found in _players(X, y, eps, max_epochs, rng):
                rows.append((name, m, method, run, *found, bound))
    columns = ["sample", "m", "method", "run", "rounds", "work", "solved", "mistake_bound"]
    return pd.DataFrame(rows, columns=columns)


def _players(X, y, eps, max_epochs, rng):
    """Yield method, rounds, numbers read and whether it ended, of each method on one sample."""
    (m, d), limit = X.shape, max_epochs * len(y)
    for method in (UNIFORM, FOL, FAST_FOL):
        rounds, _ = rounds_to_consistent(X, y, method, limit=limit, random_state=rng)
        yield method, rounds, rounds * d, rounds < limit
    learner = Perceptron(X, y)

    def solved(t):
        return t % m == 0 and learner.errors() == 0

    played = baselines.exp3_p(learner, m, limit // 10, callback=solved, random_state=rng)
    yield "EXP3.P.1", played.n_iter, played.n_iter * (m + d), learner.errors() == 0
    boosted = _boosted_perceptron(X, y, max_epochs, rng)
    epochs = len(boosted.alphas)
    yield "AdaBoost", epochs * m, 2 * epochs * m * d, bool(boosted.errors[-1] == 0.0)
    found = baselines.sublinear_perceptron(
        X, y, eps, max_iter=limit, target=0.0, check_every=max(1, d // 20), random_state=rng
    )
    yield "sublinear", found.n_iter, found.n_iter * (m + d), bool(found.margin > 0.0)


@step
def gap_work_runs(pairs, n_runs, *, max_epochs=20_000, seed):
    """Count the numbers that FOL and AdaBoost read on the gap example, both over the Perceptron.

    There m is ``2 / eps`` and the mistake bound C about ``2 / (5 alpha)``, so that each can be changed alone.

    Parameters
    ----------
    pairs : list of (alpha, eps)
        Of `gap_training_set`.
    n_runs : int >= 1
    max_epochs : int
        AdaBoost stops there, FOL after twice as many.
    seed : int

    Returns
    -------
    DataFrame with a row per run and learner, as of `section_3_1_gap.gap_runs`
        learner, alpha, eps, run, rounds (numbers read, over d = 2; an epoch of AdaBoost is 2 m), solved.

    Examples
    --------
    >>> runs = gap_work_runs([(0.01, 0.1)], 2, seed=0)
    >>> runs.learner.tolist(), bool(runs.solved.all())
    (['FOL', 'AdaBoost', 'FOL', 'AdaBoost'], True)
    """
    rows = []
    for alpha, eps, run, X, y, rng in gap_samples(pairs, n_runs, seed):
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


@step
def margin_runs(m, d, margins, n_samples, *, limit=10**7, seed):
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
    seed : int

    Returns
    -------
    DataFrame with a row per margin and sample
        m, margin, sample, uniform and FOL (rounds), mistake_bound.

    Examples
    --------
    >>> runs = margin_runs(1000, 20, [0.01, 0.3], 8, seed=0)
    >>> narrow, wide = (runs.uniform / runs.FOL).groupby(runs.margin).median()
    >>> wide < 2 < narrow
    True
    """
    rows = []
    for margin in margins:
        for number, rng in enumerate(stream(seed, f"margin {margin:g}").spawn(n_samples)):
            X, y, normal = separable_sample(m, d, margin, random_state=rng)
            rounds = [
                rounds_to_consistent(X, y, each, limit=limit, random_state=rng)[0] for each in (UNIFORM, FOL)
            ]
            rows.append((m, margin, number, *rounds, mistake_bound(X, y, normal)))
    return pd.DataFrame(rows, columns=["m", "margin", "sample", "uniform", "FOL", "mistake_bound"])

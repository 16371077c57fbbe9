"""Section 2.4: the players on the same linearly separable data: rounds, and the work that they are."""

import numpy as np
import pandas as pd

from paperlib.experiments.max_loss import baselines, theory_lemmas
from paperlib.experiments.max_loss.samples import crossing_sample, separable_sample
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

BOTH = ["uniform", "FOL", "mistakes", "mistake_bound"]


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
            X, y, _ = separable_sample(m, d, margin, random_state=rng)
            bound = mistake_bound(X, y)
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
def gap_work_runs(alphas, epsilons, n_runs, *, max_epochs=20_000, seed):
    """Count the numbers that FOL and AdaBoost read on the gap example, both over the Perceptron.

    There m is ``2 / eps``, and C, the mistakes that the Perceptron can make there, about ``2 / (5 alpha)``.
    Each is changed alone.

    Parameters
    ----------
    alphas, epsilons : list of float
        Of `gap_training_set`: all alphas with the largest eps, and all epsilons with the largest alpha.
    n_runs : int >= 1
    max_epochs : int
        AdaBoost stops there, FOL after twice as many.
    seed : int

    Returns
    -------
    DataFrame with a row per run, learner and pair
        varied ("m" or "C"), learner, m, mistake_bound (`lemma_3_mistakes`), run, rounds (numbers read, over
        d = 2; an epoch of AdaBoost is 2 m), solved.

    Examples
    --------
    >>> runs = gap_work_runs([0.01, 0.001], [0.1], 1, seed=0)
    >>> runs[runs.learner == "FOL"][["varied", "m", "mistake_bound"]].values.tolist()
    [['C', 20, 41], ['C', 20, 401], ['m', 20, 41]]
    """
    pairs = {"C": [(alpha, max(epsilons)) for alpha in alphas], "m": [(max(alphas), eps) for eps in epsilons]}
    rows = []
    for varied, its in pairs.items():
        for alpha, _, run, X, y, rng in gap_samples(its, n_runs, seed):
            m, bound = len(y), theory_lemmas.lemma_3_mistakes(alpha)
            limit = 2 * m * max_epochs
            rounds, _ = rounds_to_consistent(X, y, FOL, limit=limit, random_state=rng)
            rows.append((varied, FOL, m, bound, run, rounds, rounds < limit))
            boosted = _boosted_perceptron(X, y, max_epochs, rng)
            work, solved = 2 * len(boosted.alphas) * m, bool(boosted.errors[-1] == 0.0)
            rows.append((varied, "AdaBoost", m, bound, run, work, solved))
    columns = ["varied", "learner", "m", "mistake_bound", "run", "rounds", "solved"]
    return pd.DataFrame(rows, columns=columns)


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
        m, margin, sample, uniform and FOL (rounds), mistakes (of uniform sampling), mistake_bound.

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
            X, y, _ = separable_sample(m, d, margin, random_state=rng)
            rows.append((m, margin, number, *_uniform_and_fol(X, y, limit, rng)))
    return pd.DataFrame(rows, columns=["m", "margin", "sample", *BOTH])


@step
def crossing_runs(m, spreads, n_runs, *, limit=10**7, seed):
    """Count the same rounds on the sample on which uniform sampling needs order of m C.

    Parameters
    ----------
    m : int
    spreads : sequence of float
        Of `crossing_sample`.
    n_runs : int >= 1
        Of each spread.
    limit : int
        A run stops there.
    seed : int

    Returns
    -------
    DataFrame with a row per spread and run
        m, spread, run, uniform and FOL (rounds), mistakes (of uniform sampling), mistake_bound.

    Examples
    --------
    >>> runs = crossing_runs(100, [0.1], 4, seed=0)
    >>> bool((runs.uniform > 0.1 * runs.m * runs.mistake_bound).all())
    True
    """
    rows = []
    for spread in spreads:
        for run, rng in enumerate(stream(seed, f"crossing {spread:g}").spawn(n_runs)):
            X, y = crossing_sample(m, spread, random_state=rng)
            rows.append((m, spread, run, *_uniform_and_fol(X, y, limit, rng)))
    return pd.DataFrame(rows, columns=["m", "spread", "run", *BOTH])


def _uniform_and_fol(X, y, limit, rng):
    """Return the columns `BOTH` of one sample."""
    uniform, mistakes = rounds_to_consistent(X, y, UNIFORM, limit=limit, random_state=rng)
    focused, _ = rounds_to_consistent(X, y, FOL, limit=limit, random_state=rng)
    return uniform, focused, mistakes, mistake_bound(X, y)

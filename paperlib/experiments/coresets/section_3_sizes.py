"""Section 3: sizes of coresets, what each step takes, and what a run says of itself (Figure 1, Lemma 3.1)."""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from paperlib.coresets import CoresetSVC, theory
from paperlib.experiments.coresets import data_sets
from paperlib.experiments.coresets import theory as unrounded
from paperlib.experiments.coresets.figure_1 import hyperplanes_on_the_way
from paperlib.experiments.coresets.measures import (
    achieved_margin,
    best_hyperplane,
    optimal_margin,
    radius,
    share_missed,
)
from paperlib.experiments.coresets.samples import staircase, star, uneven
from paperlib.experiments.random_streams import stream
from paperlib.experiments.statistics import to_resolution
from paperlib.experiments.steps import progress, step

FILLER = 20  # points beyond the bound
MOST_STEPS = 700  # of a staircase: its dimension, and how often it is solved
ROUNDING = 1e-9  # of shares and differences that are zero but for the last bits
SELECTIONS: tuple[Literal["worst", "first", "batch"], ...] = ("worst", "first", "batch")

# Of the size of a coreset, by the rule that makes it: from R / rho and eps, with nothing rounded up.
BOUNDS: dict[Literal["worst", "first"], Callable[[float, float], int]] = {
    "worst": unrounded.lemma_3_1_sharp,
    "first": unrounded.corollary_3_2_sharp,
}

# What a step takes at least: the claim's name, and the column of `Runs.steps`.
PROMISES = {"equation-1": "equation_1", "corollary-3.2": "corollary_3_2"}


class Runs(NamedTuple):
    """Runs of CORESET SVM by either rule, and every step of them.

    Attributes
    ----------
    runs : DataFrame with a row per run
        sample, selection, eps, n, ratio (R over the optimal margin), size, achieved (margin on all data over
        the optimal one), certificate (the same over the coreset's), missed and uncertified (shares of eps by
        which these two are below 1), above (steps until the margin of the coreset is within ``1 + eps`` of
        the optimum), allowed (as many as Equation (1) allows), rest (as many as it allows after that), bound
        (of Lemma 3.1 or Corollary 3.2); all with nothing rounded up.
    steps : DataFrame with a row per step
        sample, selection, eps, step, margin, violation (each over R), kept (next margin over this one), and
        what Equation (1) and Corollary 3.2 allow it to be.
    decreases : DataFrame with a row per run and promise ("equation-1" or "corollary-3.2")
        sample, selection, eps, promise, steps (those to which it promises a decrease, which are all where the
        algorithm is right), least and most (of their decrease over the promised one).
    """

    runs: pd.DataFrame
    steps: pd.DataFrame
    decreases: pd.DataFrame


@step
def coreset_runs(slab, most, epsilons, *, data, seed):
    """Run CORESET SVM (Figure 1) by either rule on the samples of `data_sets.with_star` and on a staircase.

    Of a run only the normal and the rows that joined are taken, in their order; all margins are found from
    the data, the optimal ones by `measures.best_hyperplane`.

    Parameters
    ----------
    slab, most, data, seed
        As for `data_sets.usual`.
    epsilons : list of float

    Returns
    -------
    Runs
    """
    named = data_sets.with_star(slab, most, data=data, seed=seed)
    named["staircase"] = staircase(2.0, 0.1, FILLER)[:2]
    of_each = [runs_of(name, X, y, epsilons) for name, (X, y) in named.items()]
    return Runs(*(pd.concat(tables, ignore_index=True) for tables in zip(*of_each)))


@step
def runs_of(name, X, y, epsilons):
    """Run CORESET SVM on one sample, as `coreset_runs` does.

    Parameters
    ----------
    name : str
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,), of -1 and +1
    epsilons : list of float

    Returns
    -------
    Runs
    """
    R, best = radius(X), optimal_margin(X, y)
    runs, steps, decreases = [], [], []
    for selection, bound in BOUNDS.items():
        for eps in progress(epsilons, f"{name}, {selection}"):
            fit = CoresetSVC(eps, selection=selection, max_iter=10**6).fit(X, y)
            rows = fit.coreset_indices_
            path, taken = _steps(X, y, rows, eps, R)
            achieved = achieved_margin(X, y, fit.coef_[0])
            where = {"sample": name, "selection": selection, "eps": eps}
            runs.append(
                where
                | {"n": len(X), "ratio": R / best, "size": len(rows)}
                | _shares(achieved / best, achieved / optimal_margin(X[rows], y[rows]), eps)
                | {
                    "above": int((path > (1.0 + eps) * best).sum()),
                    "allowed": unrounded.lemma_3_1_sharp(R / best, eps, above=1.0 + eps),
                    "rest": unrounded.lemma_3_1_sharp(R / best, eps, start=1.0 + eps),
                    "bound": bound(R / best, eps),
                }
            )
            steps.append(pd.DataFrame(where | taken))
            decreases += [where | each for each in _decreases(taken)]
    decreases = pd.DataFrame(decreases, columns=[*where, "promise", "steps", "least", "most"])
    return Runs(pd.DataFrame(runs), pd.concat(steps, ignore_index=True), decreases)


def _steps(X, y, rows, eps, R):
    """Return the margins of a growing coreset, and the columns of its steps."""
    normals, path, _ = hyperplanes_on_the_way(X, y, rows)
    added = np.einsum("ij,ij->i", y[rows[1:], None] * X[rows[1:]], normals[:-1])
    violation = path[:-1] - added
    return path, {
        "step": np.arange(1, len(rows)),
        "margin": path[:-1] / R,
        "violation": violation / R,
        "kept": path[1:] / path[:-1],
        "equation_1": theory.equation_1(path[:-1], violation, R) / path[:-1],
        "corollary_3_2": theory.equation_1(path[:-1], eps * path[:-1], R) / path[:-1],
    }


def _decreases(taken):
    """Return the least and the largest decrease of a run's steps over the promised one, for each promise."""
    for promise, column in PROMISES.items():
        some = taken[column] < 1
        times = (1 - taken["kept"][some]) / (1 - taken[column][some])
        extremes = {"least": times.min(), "most": times.max()} if some.any() else {}
        yield {"promise": promise, "steps": int(some.sum()), **extremes}


def _shares(achieved, certificate, eps):
    """Return both margins over what they should be, and the shares of eps by which they are less."""
    return {
        "achieved": achieved,
        "certificate": certificate,
        "missed": to_resolution(share_missed(achieved, 1.0, eps), ROUNDING),
        "uncertified": to_resolution(share_missed(certificate, 1.0, eps), ROUNDING),
    }


@step
def size_gaps(slab, most, eps, n_orders, *, data, seed):
    """Compare the two rules on samples in random order: what a coreset of any violators has more of points.

    Parameters
    ----------
    slab, most, data, seed
        As for `data_sets.usual`, whose samples these are.
    eps : float
    n_orders : int
        Of each sample; the rules begin with another point and meet the others in another order.

    Returns
    -------
    DataFrame with a row per sample and order: sample, worst, first
    """
    named = data_sets.usual(slab, most, data=data, seed=seed)
    rng = stream(seed, "orders")
    rows = []
    for name, (X, y) in named.items():
        for _ in progress(range(n_orders), f"orders of {name}"):
            order = rng.permutation(len(X))
            sizes = [
                len(CoresetSVC(eps, selection=rule, max_iter=10**6).fit(X[order], y[order]).coreset_indices_)
                for rule in ("worst", "first")
            ]
            rows.append((name, *sizes))
    return pd.DataFrame(rows, columns=["sample", "worst", "first"])


@step
def told_and_found(n_samples, n, d, eps, *, seed):
    """Hold what `CoresetSVC` does, and what it says of itself, against samples that are hard to keep up with.

    Parameters
    ----------
    n_samples, n, d : int
        `samples.uneven` ones.
    eps : float in (0, 1)
    seed : int

    Returns
    -------
    DataFrame with a row per sample and selection
        sample, selection, achieved (margin on all data over the optimal one), certificate (the same over the
        coreset's), missed and uncertified (shares of eps by which these two are below 1), told (how far
        `margin_` and `margin_upper_bound_` are from those found from the data, at most, over the optimal
        margin)
    """
    rng = stream(seed, "uneven")
    rows = []
    for sample in range(n_samples):
        X, y = uneven(n, d, random_state=rng)
        best = optimal_margin(X, y)
        for selection in SELECTIONS:
            fit = CoresetSVC(eps, selection=selection, random_state=rng).fit(X, y)
            core = fit.coreset_indices_
            found = achieved_margin(X, y, fit.coef_[0]), optimal_margin(X[core], y[core])
            told = max(abs(fit.margin_ - found[0]), abs(fit.margin_upper_bound_ - found[1])) / best
            rows.append(
                {"sample": sample, "selection": selection}
                | _shares(found[0] / best, found[0] / found[1], eps)
                | {"told": to_resolution(told, ROUNDING)}
            )
    return pd.DataFrame(rows)


@step
def slowest_sizes(epsilons, ratios, *, eps, ratio):
    """Sizes of the largest coresets that we know, with one of eps and R / rho fixed and the other one varied.

    Where the worst violator joins the largest are of `samples.star`, where any may, of `samples.staircase`,
    as far as that has no more than `MOST_STEPS`. On the star all violators look alike and both rules take as
    many; on the staircase they part, so that both run there. The points are multiplied by the ratio, as no
    size may depend on their unit, and they are more than the bound.

    Parameters
    ----------
    epsilons, ratios : list of float
    eps, ratio : float
        What is fixed in turn.

    Returns
    -------
    DataFrame with a row per run
        varied ("eps" or "ratio"), sample ("star" or "staircase"), selection, eps, n, ratio, excess (its
        square less 1), size, bound (of Lemma 3.1 or Corollary 3.2)
    """
    rows = []
    for known, X, y, true in slowest_samples(epsilons, ratios, eps=eps, ratio=ratio):
        varied, name, each = known
        for selection, allowed in list(BOUNDS.items())[: 1 if name == "star" else 2]:
            size = len(CoresetSVC(each, selection=selection).fit(X, y).coreset_indices_)
            of_sample = each, len(X), true, true**2 - 1.0
            rows.append((varied, name, selection, *of_sample, size, allowed(true, each)))
    columns = ["varied", "sample", "selection", "eps", "n", "ratio", "excess", "size", "bound"]
    return pd.DataFrame(rows, columns=columns)


def slowest_samples(epsilons, ratios, *, eps, ratio):
    """Make the samples of `slowest_sizes`, one after the other; its parameters.

    Yields
    ------
    (str, str, float)
        What is varied, name and eps.
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,), of -1 and +1
    float
        ``R / rho*``.

    Examples
    --------
    >>> for known, X, y, true in slowest_samples([0.4], [], eps=0.1, ratio=2.0):
    ...     print(*known, X.shape, round(true, 2))
    eps star 0.4 (35, 36) 1.92
    eps staircase 0.4 (36, 16) 1.98
    """
    for varied, pairs in (("eps", [(e, ratio) for e in epsilons]), ("ratio", [(eps, r) for r in ratios])):
        for each, r in pairs:
            made = {"star": star_and_normal(BOUNDS["worst"](r, each) + FILLER, r)}
            if BOUNDS["first"](r, each) <= MOST_STEPS:
                X, y, _ = staircase(r, each, FILLER)
                made["staircase"] = X, y, y[-1] * X[-1]
            for name, (X, y, normal) in made.items():
                yield (varied, name, each), r * X, y, radius(X) / achieved_margin(X, y, normal)


def star_and_normal(n, ratio):
    """Make a `samples.star`, and with it the normal of largest margin.

    >>> X, y, normal = star_and_normal(4, 2.0)
    >>> normal.round(2).tolist()
    [1.0, 0.43, 0.43, 0.43, 0.43]
    """
    X, y = star(n, ratio)
    return X, y, np.append(1.0, np.full(len(X), np.sqrt(ratio**2 - 1.0) / len(X)))


@step
def star_sizes(n, ratio, epsilons):
    """Find the smallest coresets of a star (Definition 2.2), beside those that the rule of Figure 1 ends at.

    Any k points of a star are like any others, so that the first k are tried, for each k. The rule compares
    the margin on all points with that of the coreset, which is above the optimum, and so goes on for longer.

    Parameters
    ----------
    n, ratio
        As for `samples.star`; so many points that its optimum is hardly above that of infinitely many.
    epsilons : list of float

    Returns
    -------
    DataFrame with a row per eps
        eps, n, smallest, found (by the rule, where the worst violator joins), rule (``((R / rho*)^2 - 1)
        (1 / eps - 1)``, with the R / rho* of infinitely many points)
    """
    X, y, normal = star_and_normal(n, ratio)
    best = achieved_margin(X, y, normal)
    rows = []
    for eps in epsilons:
        low, smallest = 0, n  # more of them have a larger margin on the others: by bisection
        while smallest - low > 1:
            k = (low + smallest) // 2
            achieved = achieved_margin(X, y, best_hyperplane(y[:k, None] * X[:k]).normal)
            low, smallest = (low, k) if achieved >= (1.0 - eps) * best else (k, smallest)
        found = len(CoresetSVC(eps, selection="worst").fit(X, y).coreset_indices_)
        rows.append((eps, n, smallest, found, (ratio**2 - 1.0) * (1.0 / eps - 1.0)))
    return pd.DataFrame(rows, columns=["eps", "n", "smallest", "found", "rule"])

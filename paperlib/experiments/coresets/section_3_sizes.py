"""Section 3: sizes of coresets, what each step takes, and what is read on the way (Figure 1, Lemma 3.1)."""

import time
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pandas as pd

from paperlib.coresets import CoresetSVC, theory
from paperlib.coresets._solver.hull import GrowingHull
from paperlib.coresets._solver.working_set import WorkingSet
from paperlib.experiments.coresets import theory as unrounded
from paperlib.experiments.coresets.measures import achieved_margin, calls, optimal_margin, radius
from paperlib.experiments.coresets.samples import half_spaces, staircase, star, uneven

CHUNKS = 8  # parts that a sample is read in, where reads are counted
N_GROWING = 16  # samples of each size
FILLER = 20  # points beyond the bound
MOST_STEPS = 420  # of a staircase: its dimension, and how often it is solved
SELECTIONS: tuple[Literal["worst", "first", "batch"], ...] = ("worst", "first", "batch")

# Of the size of a coreset, by the rule that makes it: from R / rho and eps, with nothing rounded up.
BOUNDS: dict[Literal["worst", "first"], Callable[[float, float], int]] = {
    "worst": unrounded.lemma_3_1_sharp,
    "first": unrounded.corollary_3_2_sharp,
}


def hyperplanes_on_the_way(X, y, joined):
    """Find the hyperplane of largest margin after each point that joined a coreset, for a reader to see.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,), of -1 and +1
    joined : ndarray of shape (k,)
        Rows in the order in which they joined, such as `CoresetSVC.coreset_indices_` of any selection but
        ``"batch"``.

    Returns
    -------
    normals : ndarray of shape (k, d), of length one
    of_coreset : ndarray of shape (k,)
        The margin that each has on the points that had joined.
    on_all : ndarray of shape (k,)
        The one that it achieves on all.

    Examples
    --------
    >>> X, y = np.array([[2.0, 0.0], [0.0, -2.0]]), np.array([1, -1])
    >>> normals, of_coreset, on_all = hyperplanes_on_the_way(X, y, [0, 1])
    >>> normals.round(3).tolist(), of_coreset.round(3).tolist(), on_all.round(3).tolist()
    ([[1.0, 0.0], [0.707, 0.707]], [2.0, 1.414], [0.0, 1.414])
    """
    points, joined = y[:, None] * X, np.asarray(joined)
    work, normals, of_coreset = WorkingSet(X.shape[1]), [], []
    for k, row in enumerate(joined, start=1):
        work.add(points[row])
        work.solve()
        normals.append(work.normal)
        of_coreset.append((points[joined[:k]] @ work.normal).min())
    return np.array(normals), np.array(of_coreset), (points @ np.array(normals).T).min(axis=0)


def coreset_runs(samples, epsilons):
    """Run CORESET SVM (Figure 1) by either rule on samples, and keep every step of it.

    Of a run only the normal and the rows that joined are taken, in their order; all margins are found from
    the data, the optimal ones by `measures.best_hyperplane`.

    Parameters
    ----------
    samples : dict of name -> (X, y)
    epsilons : list of float

    Returns
    -------
    runs : DataFrame with a row per run
        sample, selection, eps, n, ratio (R over the optimal margin), size, achieved (margin on all data over
        the optimal one), certificate (the same over the coreset's), above (steps until the margin of the
        coreset is within ``1 + eps`` of the optimum), allowed (as many as Equation (1) allows), bound (of
        Lemma 3.1 or Corollary 3.2); both with nothing rounded up.
    steps : DataFrame with a row per step
        sample, selection, eps, step, margin, violation (each over R), kept (next margin over this one), and
        what Equation (1) and Corollary 3.2 allow it to be.
    """
    runs, steps = [], []
    for name, (X, y) in samples.items():
        R, best = radius(X), optimal_margin(X, y)
        for selection, bound in BOUNDS.items():
            for eps in epsilons:
                fit = CoresetSVC(eps, selection=selection, max_iter=10**6).fit(X, y)
                rows = fit.coreset_indices_
                path, step = _steps(X, y, rows, eps, R)
                achieved = achieved_margin(X, y, fit.coef_[0])
                where = {"sample": name, "selection": selection, "eps": eps}
                runs.append(
                    where
                    | {
                        "n": len(X),
                        "ratio": R / best,
                        "size": len(rows),
                        "achieved": achieved / best,
                        "certificate": achieved / optimal_margin(X[rows], y[rows]),
                        "above": int((path > (1.0 + eps) * best).sum()),
                        "allowed": unrounded.lemma_3_1_sharp(R / best, eps, above=1.0 + eps),
                        "bound": bound(R / best, eps),
                    }
                )
                steps.append(pd.DataFrame(where | step))
    return pd.DataFrame(runs), pd.concat(steps, ignore_index=True)


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


def size_gaps(samples, eps, n_orders, *, random_state=None):
    """Compare the two rules on samples in random order: what a coreset of any violators has more of points.

    Parameters
    ----------
    samples : dict of name -> (X, y)
    eps : float
    n_orders : int
        Of each sample; the rules begin with another point and meet the others in another order.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per sample and order: sample, worst, first
    """
    rng = np.random.default_rng(random_state)
    rows = []
    for name, (X, y) in samples.items():
        for _ in range(n_orders):
            order = rng.permutation(len(X))
            sizes = [
                len(CoresetSVC(eps, selection=rule, max_iter=10**6).fit(X[order], y[order]).coreset_indices_)
                for rule in ("worst", "first")
            ]
            rows.append((name, *sizes))
    return pd.DataFrame(rows, columns=["sample", "worst", "first"])


def told_and_found(n_samples, n, d, eps, *, random_state=None):
    """Hold what `CoresetSVC` does, and what it says of itself, against samples that are hard to keep up with.

    Parameters
    ----------
    n_samples, n, d : int
        `samples.uneven` ones.
    eps : float in (0, 1)
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per sample and selection
        selection, achieved (margin on all data over the optimal one), certificate (the same over the
        coreset's), told (how far `margin_` and `margin_upper_bound_` are from those found from the data, at
        most, over the optimal margin)
    """
    rng = np.random.default_rng(random_state)
    rows = []
    for _ in range(n_samples):
        X, y = uneven(n, d, random_state=rng)
        best = optimal_margin(X, y)
        for selection in SELECTIONS:
            fit = CoresetSVC(eps, selection=selection, random_state=rng).fit(X, y)
            core = fit.coreset_indices_
            found = achieved_margin(X, y, fit.coef_[0]), optimal_margin(X[core], y[core])
            told = abs(fit.margin_ - found[0]), abs(fit.margin_upper_bound_ - found[1])
            rows.append((selection, found[0] / best, found[0] / found[1], max(told) / best))
    return pd.DataFrame(rows, columns=["selection", "achieved", "certificate", "told"])


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
        varied ("eps" or "ratio"), sample ("star" or "staircase"), selection, eps, n, ratio, size, bound (of
        Lemma 3.1 or Corollary 3.2)
    """
    rows = []
    for varied, pairs in (("eps", [(e, ratio) for e in epsilons]), ("ratio", [(eps, r) for r in ratios])):
        for each, r in pairs:
            made = {"star": _star_and_normal(r, each)}
            if BOUNDS["first"](r, each) <= MOST_STEPS:
                X, y, _ = staircase(r, each, FILLER)
                made["staircase"] = X, y, y[-1] * X[-1]
            for name, (X, y, normal) in made.items():
                true = radius(X) / achieved_margin(X, y, normal)
                for selection, allowed in list(BOUNDS.items())[: 1 if name == "star" else 2]:
                    size = len(CoresetSVC(each, selection=selection).fit(r * X, y).coreset_indices_)
                    rows.append((varied, name, selection, each, len(X), true, size, allowed(true, each)))
    return pd.DataFrame(rows, columns=["varied", "sample", "selection", "eps", "n", "ratio", "size", "bound"])


def _star_and_normal(ratio, eps):
    """A star of more points than Lemma 3.1 allows, and the normal of largest margin."""
    X, y = star(BOUNDS["worst"](ratio, eps) + FILLER, ratio)
    return X, y, np.append(1.0, np.full(len(X), np.sqrt(ratio**2 - 1.0) / len(X)))


class CountedChunks:
    """A sample in chunks, for `CoresetSVC.fit_stream`, that counts the points that are read.

    >>> chunks = CountedChunks(np.ones((7, 2)), np.ones(7), 3)
    >>> [len(X) for X, y in chunks()], chunks.n_read
    ([3, 3, 1], 7)
    """

    def __init__(self, X, y, size):
        self._X, self._y, self._size, self.n_read = X, y, size, 0

    def __call__(self):
        for start in range(0, len(self._X), self._size):
            chunk = self._X[start : start + self._size], self._y[start : start + self._size]
            self.n_read += len(chunk[0])
            yield chunk


def growth_in_n(sizes, d, margin, eps, *, random_state=None):
    """Count points that a stream hands out to find a coreset, on `samples.half_spaces` of growing size.

    Of each size the first sample comes in chunks that are counted on the way, and so are the hyperplanes of
    largest margin that are found. On the others only the worst violator joins, and only the size of the
    coreset is found.

    Parameters
    ----------
    sizes : list of int
    d : int
    margin, eps : float
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per size, sample and selection
        n, sample, selection, size, handed_out (points, of the first sample), solved (hyperplanes of largest
        margin, of the first sample)
    """
    rng = np.random.default_rng(random_state)
    rows: list[tuple[Any, ...]] = []
    for n in sizes:
        for sample in range(N_GROWING):
            X, y = half_spaces(n, d, margin, random_state=rng)
            if sample:
                fit = CoresetSVC(eps, selection="worst").fit(X, y)
                rows.append((n, sample, "worst", len(fit.coreset_indices_), None, None))
                continue
            for selection in SELECTIONS:
                chunks = CountedChunks(X, y, -(-n // CHUNKS))
                with calls(GrowingHull, "nearest") as solved:
                    fit = CoresetSVC(eps, selection=selection, random_state=0).fit_stream(chunks)
                size = len(fit.coreset_indices_)
                rows.append((n, sample, selection, size, chunks.n_read, solved.count))
    return pd.DataFrame(rows, columns=["n", "sample", "selection", "size", "handed_out", "solved"])


def time_shares(growth):
    """Hold what runs took against the time of Lemma 3.1, ``n d |C|`` and ``|C|`` runs of the SVM.

    Parameters
    ----------
    growth : DataFrame
        Of `growth_in_n`.

    Returns
    -------
    ndarray
        Points handed out over ``n |C|``, and hyperplanes of largest margin that were found over ``|C|``.
        Where the worst violator joins and where any does; batches are no rule of the paper.
    """
    of_paper = growth.selection.isin(list(BOUNDS)) & (growth["sample"] == 0)
    counted = growth[of_paper].astype({"handed_out": float, "solved": float})
    reads = counted.handed_out / (counted.n * counted["size"])
    return np.concatenate([reads, counted.solved / counted["size"]])


def seconds(sizes, d, margin, eps, *, random_state=None):
    """Time `CoresetSVC` on growing samples of `samples.half_spaces`, for a reader to see.

    Parameters
    ----------
    sizes, d, margin, eps, random_state
        As for `growth_in_n`.

    Returns
    -------
    DataFrame with a row per size: n, selection, seconds
    """
    rng = np.random.default_rng(random_state)
    rows = []
    for n in sizes:
        X, y = half_spaces(n, d, margin, random_state=rng)
        for selection in ("worst", "batch"):
            start = time.perf_counter()
            CoresetSVC(eps, selection=selection, random_state=0).fit(X, y)
            rows.append((n, selection, time.perf_counter() - start))
    return pd.DataFrame(rows, columns=["n", "selection", "seconds"])

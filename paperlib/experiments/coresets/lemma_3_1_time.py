"""Lemma 3.1: what a search takes, counted from outside, on samples of growing size."""

import itertools
import time
from typing import Any

import pandas as pd
from sklearn.svm import SVC

from paperlib.coresets import CoresetSVC
from paperlib.coresets._solver.hull import GrowingHull
from paperlib.experiments.coresets.measures import achieved_margin, calls, optimal_margin, radius
from paperlib.experiments.coresets.samples import half_spaces
from paperlib.experiments.coresets.section_3_sizes import SELECTIONS, star_and_normal
from paperlib.experiments.coresets.theory import lemma_3_1_sharp
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import step

CHUNKS = 8  # parts that a sample is read in, where reads are counted
N_GROWING = 16  # samples of each size
N_OF_DIMENSION = 4  # slabs of each dimension
MOST_OF_SVC = 40_000  # points that scikit-learn's SVC is timed on


class CountedChunks:
    """A sample in chunks, for `CoresetSVC.fit_stream`, that counts the points that are read.

    >>> import numpy as np
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


@step
def growth_in_n(sizes, d, margin, eps, *, seed):
    """Count points that a stream hands out to find a coreset, on `samples.half_spaces` of growing size.

    Of each size the first sample comes in chunks that are counted on the way, and so are the hyperplanes of
    largest margin that are found. On the others only the worst violator joins, and only the size of the
    coreset is found.

    Parameters
    ----------
    sizes : list of int
    d : int
    margin, eps : float
    seed : int

    Returns
    -------
    DataFrame with a row per size, sample and selection
        n, sample, selection, size, handed_out (points, of the first sample), solved (hyperplanes of largest
        margin, of the first sample)
    """
    rng = stream(seed, "growth")
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


@step
def growth_in_d(dimensions, n, margins, eps, *, seed):
    """Count points in coresets of growing dimension, the worst violator joining: stars, and slabs.

    A star of d dimensions has d - 1 points, all of which its exact hyperplane rests on. Beside a slab there
    are as many points in any dimension.

    Parameters
    ----------
    dimensions : list of int
    n : int
        Points beside a slab.
    margins : list of float
        Half-widths of slabs.
    eps : float
    seed : int

    Returns
    -------
    DataFrame with a row per sample, dimension and draw
        sample, d, draw, n, ratio (R over the optimal margin), size, bound (of Lemma 3.1, nothing rounded up)
    """
    rng = stream(seed, "dimensions")
    rows: list[tuple[Any, ...]] = []
    for d in dimensions:
        X, y, normal = star_and_normal(d - 1, 2.0)
        rows.append(("star", d, 0, *_sized(X, y, achieved_margin(X, y, normal), eps)))
        for margin, draw in itertools.product(margins, range(N_OF_DIMENSION)):
            X, y = half_spaces(n, d, margin, random_state=rng)
            rows.append((f"slab of {margin:g}", d, draw, *_sized(X, y, optimal_margin(X, y), eps)))
    return pd.DataFrame(rows, columns=["sample", "d", "draw", "n", "ratio", "size", "bound"])


def _sized(X, y, best, eps):
    """Number of points, R over the optimal margin, size of a coreset, and the bound on it."""
    size = len(CoresetSVC(eps, selection="worst").fit(X, y).coreset_indices_)
    ratio = radius(X) / best
    return len(X), ratio, size, lemma_3_1_sharp(ratio, eps)


def seconds(sizes, dimensions, epsilons, *, n, d, margin, eps, seed):
    """Time `CoresetSVC` and scikit-learn's `SVC` on `samples.half_spaces`, for readers: n, d and eps in turn.

    The latter has a hard margin too, and an intercept; it knows no eps. It is left out of samples that take
    it minutes.

    Parameters
    ----------
    sizes, dimensions : list of int
    epsilons : list of float
    n, d : int
    margin, eps : float
        What stays where another one varies.
    seed : int

    Returns
    -------
    DataFrame with a row per value and learner: varied ("n", "d" or "eps"), value, learner, seconds
    """
    settings: list[tuple[str, Any, int, int, float]] = [("n", each, each, d, eps) for each in sizes]
    settings += [("d", each, n, each, eps) for each in dimensions]
    settings += [("eps", each, n, d, each) for each in epsilons]
    rng = stream(seed, "seconds")
    rows = []
    for varied, value, n_points, n_dimensions, share in settings:
        X, y = half_spaces(n_points, n_dimensions, margin, random_state=rng)
        learners: dict[str, Any] = {
            f"coreset, {selection}": CoresetSVC(share, selection=selection, random_state=0)
            for selection in ("worst", "batch")
        }
        if n_points <= MOST_OF_SVC:
            learners["scikit-learn's SVC"] = SVC(kernel="linear", C=1e10)
        for learner, clf in learners.items():
            start = time.perf_counter()
            clf.fit(X, y)
            rows.append((varied, value, learner, time.perf_counter() - start))
    return pd.DataFrame(rows, columns=["varied", "value", "learner", "seconds"])

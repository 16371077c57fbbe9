"""Lemma 3.1: what a search takes, counted from outside, on samples of growing size."""

import time
from typing import Any

import pandas as pd
from sklearn.svm import SVC

from paperlib.coresets import CoresetSVC
from paperlib.coresets._solver.hull import GrowingHull
from paperlib.experiments.coresets.measures import calls
from paperlib.experiments.coresets.samples import half_spaces
from paperlib.experiments.coresets.section_3_sizes import SELECTIONS
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import step

CHUNKS = 8  # parts that a sample is read in, where reads are counted
N_GROWING = 16  # samples of each size
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


def seconds(sizes, d, margin, eps, *, seed):
    """Time `CoresetSVC` and scikit-learn's `SVC` on growing samples of `samples.half_spaces`, for readers.

    The latter has a hard margin too, and an intercept. It is left out of samples that take it minutes.

    Parameters
    ----------
    sizes, d, margin, eps, seed
        As for `growth_in_n`.

    Returns
    -------
    DataFrame with a row per size and learner: n, learner, seconds
    """
    rng = stream(seed, "seconds")
    rows = []
    for n in sizes:
        X, y = half_spaces(n, d, margin, random_state=rng)
        learners: dict[str, Any] = {
            f"coreset, {selection}": CoresetSVC(eps, selection=selection, random_state=0)
            for selection in ("worst", "batch")
        }
        if n <= MOST_OF_SVC:
            learners["scikit-learn's SVC"] = SVC(kernel="linear", C=1e10)
        for learner, clf in learners.items():
            start = time.perf_counter()
            clf.fit(X, y)
            rows.append((n, learner, time.perf_counter() - start))
    return pd.DataFrame(rows, columns=["n", "learner", "seconds"])

"""Figure 1: the algorithm at work on a few points in the plane, for a reader to see."""

from typing import Literal, NamedTuple

import numpy as np

from paperlib._common.typing import Floats, Integers
from paperlib.coresets import CoresetSVC
from paperlib.coresets._solver.working_set import WorkingSet
from paperlib.experiments.coresets.measures import optimal_margin
from paperlib.experiments.coresets.samples import half_spaces
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import step

MOST = 1000  # points of the larger sample that those of a search are the first of


class Search(NamedTuple):
    """One run of CORESET SVM, and the sample that it ran on.

    Attributes
    ----------
    X : ndarray of shape (n, 2)
    y : ndarray of shape (n,), of -1 and +1
    joined : ndarray of shape (k,)
        Rows, in the order in which they joined.
    normals : ndarray of shape (k, 2), of length one
        The hyperplane of largest margin after each of them.
    of_coreset, on_all : ndarray of shape (k,)
        The margin that it has on the points that had joined, and on all.
    best : float
        The largest margin on all.
    """

    X: Floats
    y: Integers
    joined: Integers
    normals: Floats
    of_coreset: Floats
    on_all: Floats
    best: float


@step
def search_in_the_plane(
    n: int, margin: float, eps: float, selection: Literal["worst", "first"], *, seed: int
) -> Search:
    """Find a coreset of the first n of a thousand points on both sides of a slab, not all of one length.

    Parameters
    ----------
    n : int >= 2
    margin : float in (0, 1)
        Half-width of the slab before points are multiplied by 0.8 to 2.2.
    eps : float in (0, 1)
    selection : {"worst", "first"}
    seed : int

    Returns
    -------
    Search

    Examples
    --------
    >>> search = search_in_the_plane(100, 0.25, 0.1, "worst", seed=0)
    >>> search.X.shape, bool(search.on_all[-1] >= 0.9 * search.of_coreset[-1])
    ((100, 2), True)
    """
    rng = stream(seed, "plane")
    X, y = half_spaces(MOST, 2, margin, random_state=rng)
    X, y = (X * rng.uniform(0.8, 2.2, size=(MOST, 1)))[:n], y[:n]
    joined = CoresetSVC(eps, selection=selection).fit(X, y).coreset_indices_
    normals, of_coreset, on_all = hyperplanes_on_the_way(X, y, joined)
    return Search(X, y, joined, normals, of_coreset, on_all, optimal_margin(X, y))


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

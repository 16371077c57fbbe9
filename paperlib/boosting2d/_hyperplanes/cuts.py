"""Search over the points that are given up: from six columns on, boxes of hyperplanes are too many.

The points that a hyperplane has on its right side are separable, so of any points that are not it
misclassifies at least one. To give up the least weight that meets each such subset is an integer programme.
There are too many subsets to write down: the programme gets those that its own solution leaves whole, until
that leaves none.
"""

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp, nnls
from scipy.sparse import csr_matrix

from paperlib._common.deadline import LimitReached
from paperlib.boosting2d._hyperplanes.best_first import Optimum
from paperlib.boosting2d._hyperplanes.boxes import ON

TIE = 1e-6  # of all weight: HiGHS's own tolerance, below which two sums count as one
STEPS = 100  # for each vector; nnls needs about one
FIRST = 4  # vectors for each dimension that a nearest point is first looked for among


def least_weight_by_cuts(sample, known, gain, deadline, cuts, nodes=None):
    """Find the hyperplane that misclassifies the least weight, by the subsets that are not separable.

    It takes and returns what `best_first.least_weight` does, and besides:

    Parameters
    ----------
    cuts : list of ndarray of int
        Subsets that are not separable, as far as they are known; those that are found are added.
    nodes : int, optional
        Nodes after which HiGHS ends, and so the search.

    References
    ----------
    M. Parker, J. Ryan, "Finding the minimum weight IIS cover of an infeasible system of linear inequalities",
    1996.
    """
    vectors, weights = sample
    total = weights.sum()
    gain = max(gain, 3.0 * TIE * total)
    best, plane, lower = known, None, 0.0
    given_up = np.zeros(len(vectors), dtype=bool)
    while not deadline.is_over():
        found, new = _apart(vectors, weights, given_up, cuts)
        weight = float(weights[vectors @ found <= ON].sum())
        if weight < best:
            best, plane = weight, found
        # No lighter choice meets the subsets that are known, and what this one leaves is separable.
        if not new:
            return Optimum(best, plane, best, True)
        cuts += new
        try:
            solution = deadline.call(_programme, cuts, weights / total, deadline.left(), nodes)
        except LimitReached:
            break
        if solution.mip_dual_bound is not None:
            lower = max(lower, (solution.mip_dual_bound - TIE) * total)
        if lower > best - gain:
            return Optimum(best, plane, best, True)
        # It ended at a limit: what it chose need not be the lightest.
        if solution.status != 0:
            break
        given_up = solution.x > 0.5
    return Optimum(best, plane, lower, False)


def _apart(vectors, weights, given_up, known):
    """Return a hyperplane that separates what is left of the vectors, and the subsets met on the way.

    Of each subset one more vector is given up: the lightest for the number of subsets that it is in.
    """
    left, meets = ~given_up, np.zeros(len(vectors))
    new: list[np.ndarray] = []
    for cut in known:
        meets[cut] += 1.0
    while True:
        rows = np.flatnonzero(left)
        plane, support = nearest(vectors[rows])
        if support is None:
            return plane, new
        cut = rows[support]
        new.append(cut)
        meets[cut] += 1.0
        left[cut[np.argmax(meets[cut] / weights[cut])]] = False


def nearest(vectors):
    """Return the direction to the point of the vectors' convex hull that is nearest to the origin.

    Parameters
    ----------
    vectors : ndarray of shape (n, D), of length one, n >= 1

    Returns
    -------
    direction : ndarray of shape (D,), or None
        All vectors have a product above `ON` with it. None where the origin is in the hull, or so close that
        no direction has that.
    support : ndarray of int, or None
        In that case the vectors of which it is a mean.

    Examples
    --------
    >>> nearest(np.array([[0.6, 0.8], [0.6, -0.8]]))[0].round(6) + 0.0
    array([1., 0.])
    >>> nearest(np.array([[1.0, 0.0], [-1.0, 0.0]]))
    (None, array([0, 1]))
    """
    D = vectors.shape[1]
    # The least advanced along the mean are likely to support the nearest point; others are added below.
    own = np.argsort(vectors @ vectors.mean(axis=0), kind="stable")[: FIRST * D]
    while True:
        # The mean of least length: the squares of its entries, and of what its weights lack of one in all.
        system = np.vstack([vectors[own].T, np.ones(len(own))])
        shares = nnls(system, np.r_[np.zeros(D), 1.0], maxiter=STEPS * len(own))[0]
        support = own[shares > 0.0]
        point = shares[shares > 0.0] / shares.sum() @ vectors[support]
        length = np.linalg.norm(point)
        if length <= ON:
            return None, support
        direction = point / length
        products = vectors @ direction
        if products.min() > ON:
            return direction, None
        # Only vectors with a smaller product than `length` can bring the point nearer. Without one rounding
        # hides the rest: the same vectors again would give the same point.
        behind = np.setdiff1d(np.argsort(products, kind="stable")[:D], own)
        behind = behind[products[behind] < length]
        if len(behind) == 0:
            return None, support
        own = np.concatenate([own, behind])


def _programme(cuts, costs, seconds, nodes):
    """Choose entries of least cost, one of each cut at least."""
    columns, places = np.unique(np.concatenate(cuts), return_inverse=True)
    begins = np.cumsum([0, *map(len, cuts)])
    rows = csr_matrix((np.ones(len(places)), places, begins), shape=(len(cuts), len(columns)))
    options = {"mip_rel_gap": 0.0, "time_limit": seconds, "node_limit": nodes}
    solution = milp(
        costs[columns],
        constraints=LinearConstraint(rows, lb=1.0),
        integrality=np.ones(len(columns)),
        bounds=Bounds(0.0, 1.0),
        options={name: value for name, value in options.items() if value is not None},
    )
    # Entries in no cut were left out, and are not chosen.
    if solution.x is not None:
        chosen = np.zeros(len(costs))
        chosen[columns] = solution.x
        solution.x = chosen
    return solution

"""A sparse approximation by any method, of a given size or within a given tolerance."""

from typing import NamedTuple

import numpy as np

from paperlib._common.kernels import check_range
from paperlib._common.typing import Floats, Integers
from paperlib.kernel_mean._sparsify.approximations import approximate
from paperlib.kernel_mean._sparsify.farthest_first import farthest_first
from paperlib.kernel_mean._sparsify.free_points import kmeans_centres, moved
from paperlib.kernel_mean._sparsify.greedy import greedy_rows
from paperlib.kernel_mean._sparsify.least_squares import least_squares
from paperlib.kernel_mean._sparsify.tolerance import MOST, fewest, upper_error

PAPERS = ("farthest_first", "random", "herding", "project")


class Reduction(NamedTuple):
    """Sparse approximation ``sum_j weights[j] phi(points[j])``.

    `support` has the points' rows in the sample, None where they are no rows of it; `diameter` is that of
    the partition, as in `SparseExpansion`.
    """

    support: Integers | None
    points: Floats
    weights: Floats
    diameter: float


def reduce(kernel, points, weights, *, m, tol, delta, method, reweight, rng):
    """Return the `Reduction` of ``sum_i weights[i] phi(points[i])``; arguments as in `sparsify`."""
    method = "greedy" if method == "auto" else method
    if tol is not None and method == "farthest_first":  # Algorithm 2 has a rule of its own
        return _by_paper(kernel, points, weights, reweight, tol=tol, delta=delta, method=method, rng=rng)
    find = _finder(kernel, points, weights, method, reweight, rng)
    if tol is None:
        return find(m)
    error = upper_error(kernel, points, weights, tol, delta, rng)
    found = fewest(find, lambda trial: error(trial.points, trial.weights) <= tol, len(weights))
    if found is None:
        raise ValueError(
            f"tol={tol:.3g} is not reached by method={method!r} with {min(len(weights), MOST)} points: "
            "give a larger tol, or m"
        )
    return found


def _finder(kernel, points, weights, method, reweight, rng):
    """Return the function of `m` that approximates by at most `m` points."""
    if method in PAPERS:
        return lambda m: _by_paper(kernel, points, weights, reweight, m=m, method=method, rng=rng)
    check_range(kernel, points)
    signs = np.where(weights < 0, -1.0, 1.0)
    diameter = 2.0 * float(farthest_first(kernel, points, signs, 1)[-1][-1])
    total = np.abs(weights).sum()
    alpha, path = weights / total, _greedy_path(kernel, points, weights, rng)

    def best(support, chosen):
        kept = least_squares(kernel, chosen, points, weights)
        used = kept != 0
        # Of an expansion that is zero one point stays, with the weight zero.
        used[0] |= not used.any()
        return Reduction(None if support is None else support[used], chosen[used], kept[used], diameter)

    def greedy(m):
        rows = np.sort(path(m))
        return best(rows, points[rows])

    def kmeans(m):
        return best(None, kmeans_centres(points, weights, m, rng))

    def improved(m):
        centres = kmeans_centres(points, weights, m, rng)
        better = moved(kernel.gamma, centres, points, weights, rng)
        found = [best(None, chosen) for chosen in (better, centres, points[path(m)])]
        # All are projections, and the nearest has the largest inner product with what it projects.
        return max(found, key=lambda each: each.weights / total @ kernel.sums(each.points, points, alpha))

    return {"greedy": greedy, "kmeans": kmeans, "moved": improved}[method]


def _by_paper(kernel, points, weights, reweight, **options):
    support, kept, diameter = approximate(kernel, points, weights, **options)
    if reweight and options["method"] != "project":
        kept = least_squares(kernel, points[support], points, weights)
    return Reduction(support, points[support], kept, diameter)


def _greedy_path(kernel, points, weights, rng):
    """Return the function of `m` that gives the first `m` rows of a greedy path, made longer when needed."""
    path = np.zeros(0, dtype=int)

    def first(m):
        nonlocal path
        # The choices are nested, so the longest path so far has those of all smaller sizes.
        if m > len(path):
            path = greedy_rows(kernel, points, weights, m, rng)
        return path[:m]

    return first

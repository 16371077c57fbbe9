"""The choice among three ways to sum Gaussians in few dimensions, by what each costs."""

import math

import numpy as np

from paperlib._common.gaussian_sums import far_sums, gaussian_sums
from paperlib._common.threads import in_parts
from paperlib.kernel_mean._fast_sums.box_kernels import add_moments, near_sums, sorted_by_box, values_at
from paperlib.kernel_mean._fast_sums.boxes import FARTHEST, grid_of, handy, places_in
from paperlib.kernel_mean._fast_sums.interpolation import all_boxes, box_matrices, node_count, reach_in_boxes

LEAST = 2.0**-40  # below this tolerance every pair is summed
ROUNDING = 2.0**-43  # what rounding may add, as a share of the total weight, where boxes are used
MOST_COORDINATES = 3
SIDES = (0.5, 1.0, 2.0, 3.0)  # of boxes, in standard deviations of the kernel
NEAR_REACH = 2  # boxes on each side whose pairs are summed: a box is half as long as the kernel reaches
_ENTRIES = 1 << 24  # moments of a grid that are held

# Nanoseconds on one core. Only the choice hangs on them, so they need not be those of this machine.
_PAIR, _NEAR_PAIR, _NEAR_ROW = 0.6, 1.2, 150.0
_TERM, _ROW, _PRODUCT = 0.15, 80.0, 0.06
_SMALL = 2e6  # what is exact within this is not worth a choice


def fast_sums(targets, sources, weights, gamma, tol, n_jobs=1):
    """Return the sums of `gaussian_sums`, each off by at most `tol` times the sum of absolute weights.

    Parameters
    ----------
    targets, sources : ndarrays of shape (m, d) and (n, d), float64
    weights : ndarray of shape (n,), float64
        The largest between 2^-100 and 2^100, or all of them zero.
    gamma : float, > 0
    tol : float in (0, 1)
    n_jobs : int >= 1, default=1
        Threads; the sums are the same for any number.

    Returns
    -------
    ndarray of shape (m,), float64
    """
    m, (n, d) = len(targets), sources.shape
    if d > MOST_COORDINATES or tol < LEAST or m * n * _PAIR < _SMALL:
        return exact_sums(targets, sources, weights, gamma, tol, n_jobs)
    limit = FARTHEST * _side(min(SIDES), gamma)
    near_targets, near_sources = ((np.abs(each) < limit).all(axis=1) for each in (targets, sources))
    out = np.zeros(m)
    if near_targets.all() and near_sources.all():
        out = _chosen(targets, sources, weights, gamma, tol, n_jobs)
    else:
        far = ~near_sources
        close = targets[near_targets]
        some = fast_sums(close, sources[near_sources], weights[near_sources], gamma, tol, n_jobs)
        out[near_targets] = some + far_sums(close, sources[far], weights[far], gamma, n_jobs)
        out[~near_targets] = far_sums(targets[~near_targets], sources, weights, gamma, n_jobs)
    return out


def exact_sums(targets, sources, weights, gamma, tol, n_jobs=1):
    """Return the sums over all pairs, by differences of coordinates where products would lose digits."""
    if len(targets) and len(sources) and tol < 1e-9:
        # The squared length, times gamma, of which `GaussianSums` loses 1e-15 as a share of a kernel value.
        with np.errstate(over="ignore"):
            spans = np.maximum(targets.max(0), sources.max(0)) - np.minimum(targets.min(0), sources.min(0))
            length = gamma * np.square(spans).sum()
        if not 4e-15 * (1.0 + length) <= tol:
            return far_sums(targets, sources, weights, gamma, n_jobs)
    return gaussian_sums(targets, sources, weights, gamma, n_jobs)


def _chosen(targets, sources, weights, gamma, tol, n_jobs):
    (m, d), n = targets.shape, len(sources)
    columns = [np.concatenate([targets[:, k], sources[:, k]]) for k in range(d)]
    share = tol - ROUNDING
    exact = _PAIR * m * n
    near = (
        _NEAR_PAIR * m * n * _near_share(targets, sources, gamma, share)
        + _NEAR_ROW * (m + n)
        + m * _NEAR_ROW * (2 * NEAR_REACH + 1) ** (d - 1)
    )
    plans = [_plan(columns, each, gamma, share, min(near, exact)) for each in SIDES]
    cost, plan = min(plans, key=lambda each: each[0])
    if cost < min(near, exact):
        grid, p, half, reach = plan
        return by_boxes(columns, m, weights, grid, p, half, reach, n_jobs)
    if near < exact:
        return by_near_pairs(targets, sources, columns, weights, gamma, share, n_jobs)
    return exact_sums(targets, sources, weights, gamma, tol, n_jobs)


def _side(deviations, gamma):
    return handy(deviations / math.sqrt(2.0) / math.sqrt(gamma))


def _plan(columns, deviations, gamma, tol, most=math.inf):
    """Return ``(cost, (grid, p, half, reach))`` for boxes of that side, ``(inf, None)`` above `most`."""
    side, d = _side(deviations, gamma), len(columns)
    half = 0.5 * side * math.sqrt(gamma)
    p, reach = node_count(half, d, tol), reach_in_boxes(half, tol)
    rows = math.inf if p is None else len(columns[0]) * (_ROW + _TERM * p**d)
    if rows >= most:
        return math.inf, None
    grid = grid_of(columns, side, reach)
    boxes = math.prod(grid.shape)
    if boxes * p**d > _ENTRIES:
        return math.inf, None
    return rows + _PRODUCT * boxes * d * (2 * reach + 1) * p ** (d + 1), (grid, p, half, reach)


def by_boxes(columns, m, weights, grid, p, half, reach, n_jobs=1):
    """Return the sums by interpolation: moments of sources, coefficients around targets, their values.

    Parameters
    ----------
    columns : list of ndarray of shape (m + n,)
        Coordinates, those of the `m` targets before those of the sources.
    m : int
    weights : ndarray of shape (n,)
    grid : Grid
    p, half, reach
        As in `interpolation`.
    n_jobs : int >= 1, default=1

    Returns
    -------
    ndarray of shape (m,)
    """
    shape, d = grid.shape, len(columns)
    # Box and moment of one coordinate, then of the next: the steps of each in the array of moments.
    steps = [math.prod(shape[k + 1 :]) * p ** (d - 1 - k) for k in range(d)]
    begins = sum(index * (p * step) for index, step in zip(grid.indices, steps))
    offsets = np.zeros(1, np.int64)
    for step in steps[:-1]:
        offsets = (offsets[:, None] + np.arange(p) * step).ravel()
    flat = np.ravel_multi_index([index[m:] for index in grid.indices], shape)
    order, starts = sorted_by_box(flat, math.prod(shape))
    bases = sum(index.ravel() * (p * step) for index, step in zip(np.indices(shape), steps))
    moments = np.zeros(math.prod(shape) * p**d)
    sources = places_in(grid, columns, slice(m, None))
    add_moments(sources, weights, order, starts, bases, offsets, p, moments)
    coefficients = all_boxes(moments, shape, p, box_matrices(half, p, reach), reach)
    targets, begins = places_in(grid, columns, slice(0, m)), begins[:m]

    def some(part):
        return values_at(targets[part], begins[part], offsets, p, coefficients)

    return in_parts(some, m, 1, n_jobs)


def by_near_pairs(targets, sources, columns, weights, gamma, tol, n_jobs=1):
    """Return the sums over the pairs within reach of the kernel, and a few more.

    Parameters
    ----------
    targets, sources, weights, gamma
        As in `fast_sums`.
    columns
        As in `by_boxes`.
    tol : float in (0, 1)
        A pair may be left out where the kernel is smaller.
    n_jobs : int >= 1, default=1

    Returns
    -------
    ndarray of shape (m,)
    """
    (m, d), around = targets.shape, range(-NEAR_REACH, NEAR_REACH + 1)
    grid = grid_of(columns, _near_side(gamma, tol), NEAR_REACH)
    # A margin on both sides of the last coordinates, so that no neighbour's number is that of another box.
    sizes = [count + 2 * NEAR_REACH for count in grid.shape]
    if math.prod(sizes) > 2**62:
        return exact_sums(targets, sources, weights, gamma, tol, n_jobs)
    keys, steps = np.zeros(len(columns[0]), np.int64), np.zeros(1, np.int64)
    for k, size in enumerate(sizes):
        keys = keys * size + grid.indices[k]
        steps = (steps[:, None] * size + (np.array(around) if k < d - 1 else np.zeros(1, np.int64))).ravel()
    order, back = (_order(each, math.prod(sizes)) for each in (keys[m:], keys[:m]))
    sources_t, source_keys, weights = sources[order].T.copy(), keys[m:][order], weights[order]
    targets, target_keys = targets[back], keys[:m][back]
    scale = math.sqrt(gamma) / math.sqrt(math.log(2.0))

    def some(part):
        return near_sums(
            targets[part], target_keys[part], sources_t, source_keys, weights, steps, NEAR_REACH, scale
        )

    out = np.empty(m)
    out[back] = in_parts(some, m, 1, n_jobs)
    return out


def _order(keys, bound):
    """Return the stable order of whole numbers from 0 to `bound`."""
    if bound * len(keys) >= 2**62:
        return np.argsort(keys, kind="stable")
    # With the position in the key no two are equal, and NumPy's sort of values is several times as fast.
    return np.sort(keys * len(keys) + np.arange(len(keys))) % len(keys)


def _near_side(gamma, tol):
    """Return the side of boxes of which `NEAR_REACH` are as long as the kernel is above `tol`."""
    # A little more than that, as rounding may put a point outside of its box.
    reach = math.sqrt(math.log(1.0 / tol)) / math.sqrt(gamma) * (1.0 + 2.0**-20)
    side = handy(reach / NEAR_REACH)
    return side if NEAR_REACH * side >= reach else handy(1.26 * reach / NEAR_REACH)


def _near_share(targets, sources, gamma, tol):
    """Return about which share of the pairs `by_near_pairs` sums, from some rows at equal steps."""
    some = targets[:: max(1, len(targets) // 64)]
    others = sources[:: max(1, len(sources) // 2048)]
    width = (NEAR_REACH + 0.5) * _near_side(gamma, tol)
    near = np.ones((len(some), len(others)), bool)
    for k in range(targets.shape[1]):
        near &= np.abs(some[:, k, None] - others[:, k]) < width
    return max(near.mean(), 1.0 / len(sources))

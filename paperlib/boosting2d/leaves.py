"""The end of the search: every line of a small box that goes through two of its active points, exactly."""

import numpy as np
from numba import njit

from paperlib.boosting2d.boxes import SLACK
from paperlib.boosting2d.predicates import orientation
from paperlib.boosting2d.witness import ray


@njit(cache=True, nogil=True)
def _larger(array, used):
    if used < len(array):
        return array
    larger = np.empty((2 * len(array),) + array.shape[1:], dtype=array.dtype)
    larger[:used] = array
    return larger


@njit(cache=True, nogil=True)
def finish(items, x, y, points, order, keys, aspect, chart, up, box, base, key, limit, found, weights, hashes, count):
    """Try each line through an active point of the positive class and another active point.

    Parameters
    ----------
    items, points, keys, chart, up, box
        As of `boxes.bound_points`.
    x, y : ndarray of shape (k,)
        Locations as given, for the predicates; row i of `points` is location ``order[i]``.
    aspect : float
        See `cells.Cells`.
    base, key
        Weight and key that the points outside of `items` contribute.
    limit : float
        Witnesses of at most this weight are noted.
    found, weights, hashes, count
        Witnesses, their weights and the keys of what they predict positive; how many there are.

    Returns
    -------
    least : float
        The least weight met.
    found, weights, hashes, count
        Grown where need be.
    """
    m0, m1, t0, t1 = box
    iu, iv = (0, 1) if chart == 0 else (1, 0)
    least = np.inf
    for ia in items:
        if points[ia, 2] == 0.0:
            continue
        a = order[ia]
        ua, va = points[ia, iu], points[ia, iv]
        slack = SLACK * (abs(ua) + abs(va))
        for ib in items:
            b = order[ib]
            # From the given coordinates: centred ones have lost the digits of small differences.
            dx, dy = x[b] - x[a], (y[b] - y[a]) * aspect
            du, dv = (dx, dy) if chart == 0 else (dy, dx)
            if du == 0.0:
                continue
            m = dv / du
            if not (m0 - SLACK <= m <= m1 + SLACK and t0 - slack <= va - m * ua <= t1 + slack):
                continue
            left_is_above = (du > 0.0) == (chart == 0)
            side = 1 if left_is_above == up else -1
            same, same_key = base, key
            straight, clockwise, counter = 0.0, 0.0, 0.0
            straight_key, clockwise_key, counter_key = np.uint64(0), np.uint64(0), np.uint64(0)
            for ic in items:
                c = order[ic]
                if_negative, if_positive = points[ic, 2], points[ic, 3]  # what the prediction gets wrong
                where = orientation(x[a], y[a], x[b], y[b], x[c], y[c])
                if where == side:
                    same += if_positive
                    same_key ^= keys[ic]
                elif where == -side:
                    same += if_negative
                else:
                    straight += if_positive
                    straight_key ^= keys[ic]
                    on = ray(x, y, a, b, c)
                    if on == 0 or on == side:
                        clockwise += if_positive
                        clockwise_key ^= keys[ic]
                    else:
                        clockwise += if_negative
                    if on == 0 or on == -side:
                        counter += if_positive
                        counter_key ^= keys[ic]
                    else:
                        counter += if_negative
            least = min(least, same + min(straight, clockwise, counter))
            for turn in range(-1, 2):
                weight, its_key = same + straight, straight_key
                if turn < 0:
                    weight, its_key = same + clockwise, clockwise_key
                elif turn > 0:
                    weight, its_key = same + counter, counter_key
                if weight <= limit:
                    found, weights, hashes = _larger(found, count), _larger(weights, count), _larger(hashes, count)
                    found[count, 0], found[count, 1], found[count, 2], found[count, 3] = a, b, side, turn
                    weights[count], hashes[count] = weight, same_key ^ its_key
                    count += 1
    return least, found, weights, hashes, count

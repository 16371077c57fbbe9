"""Steps along two coordinates at a time towards the largest margin, in the dual.

Of signed points with the Gram matrix ``G``, a combination ``a >= 0`` is the hyperplane ``sum_i a_i z_i``. The
margins of the points to it are ``G a``; what each lacks of a margin of one is ``1 - G a``. The maximum of
``1'a - a'G a / 2`` is the hyperplane of largest margin, scaled to one. Each step goes to the maximum along
the coordinate that gains most, and the one that gains most beside it, so that the norm of the hull's point
``a / 1'a`` never rises. Two coordinates take a fifth of the steps that one takes: points of either class pull
on each other.

The loops that LLVM is to vectorise do one thing each. The largest gain is found among the floats' bits, as
integers, whose maximum it vectorises, other than that of floats.
"""

import numpy as np

from paperlib._common.jit import jit
from paperlib._common.signals import hear

CHECKED = 32  # steps between two looks at the gap
TIED = 33_286  # units in the last place: gains that differ by less, 4e-12 or more, are equal
_APART = 1e-4  # of a point's squared length: what must stick out of another for both to move
_LACK = 1e-10  # of a margin of one: less is rounding
_SOME = 1e-300  # a gain of nothing, but of a point that may move


@jit(fastmath={"reassoc", "contract"}, forceinline=True)
def scaled(a, lacks):
    """Scale `a` to the best length; return ``1'a`` then, and the largest lack: 0 and -1 if none is best."""
    # `squared` is a'Ga, as Ga is 1 - lacks. The dual of t a is t 1'a - t^2 a'Ga / 2, largest at 1'a / a'Ga.
    total, squared = 0.0, 0.0
    for i in range(len(a)):
        total += a[i]
        squared += a[i] * (1.0 - lacks[i])
    if not squared > 0.0 or not total > 0.0:
        return 0.0, -1.0
    scale, most = total / squared, 0.0
    for i in range(len(a)):
        a[i] *= scale
        lacks[i] = 1.0 - scale * (1.0 - lacks[i])
        most = max(most, lacks[i])
    return total * scale, most


@jit
def first_largest(gains):
    """Position of the largest of `gains` (k,), all >= 0, the first of those tied; -1 if all are zero."""
    bits, largest = gains.view(np.int64), np.int64(0)  # in the order of the floats
    for i in range(len(bits)):
        if bits[i] > largest:
            largest = bits[i]
    if largest > 0:
        least = max(largest - TIED, np.int64(1))  # a zero is a point that may not move
        for i in range(len(bits)):
            if bits[i] >= least:
                return i
    return -1


@jit(error_model="numpy", fastmath={"contract"})
def _alone(a, lacks, diagonal, gains):
    """Fill twice the gain of a step along each coordinate; zero at a bound that it cannot leave."""
    for i in range(len(a)):
        # As if no bound were met on the way: where one is, the step gains less than this.
        gain = lacks[i] * lacks[i] / diagonal[i] + _SOME
        gains[i] = gain if (lacks[i] > _LACK) | (a[i] > 0.0) else 0.0


@jit(error_model="numpy", fastmath={"contract"})
def _beside(row, squared, lack, lacks, diagonal, gains):
    """Where `gains` are not zero, put those of a step along two coordinates, less what the first gains alone.

    `row`, `squared` and `lack` are the first one's, of the Gram matrix, its diagonal, and `lacks`.
    """
    step, inverse = lack / squared, 1.0 / squared
    for i in range(len(lacks)):
        left = lacks[i] - step * row[i]
        # What of point i sticks out of the first one. Where that is nearly nothing the quotient may be
        # anything, and is not used.
        own = diagonal[i] - row[i] * (row[i] * inverse)
        gain = left * left / own
        gains[i] = gain if (gains[i] > 0.0) & (own > _APART * diagonal[i]) else 0.0


@jit(fastmath={"contract"})
def _move(lacks, row, step, other, other_step):
    for i in range(len(lacks)):
        lacks[i] -= step * row[i] + other_step * other[i]


@jit
def _steps(here, there, gram, a, lacks):
    """The best steps along two coordinates that leave both weights above zero."""
    # Two equations, by elimination. They are well posed, as `_beside` leaves out what nearly depends.
    g, h, both = gram[here, here], gram[there, there], gram[here, there]
    low, other_low = -a[here], -a[there]
    share = both / g
    other_step = (lacks[there] - share * lacks[here]) / (h - share * both)
    step = (lacks[here] - both * other_step) / g
    if other_step < other_low and step >= low:  # then it is at its bound
        return max(low, (lacks[here] - both * other_low) / g), other_low
    if step < low and other_step >= other_low:
        step = low
    elif step < low:  # one after the other
        step = max(low, lacks[here] / g)
    else:
        return step, other_step
    return step, max(other_low, (lacks[there] - both * step) / h)


@jit
def ascend(gram, a, lacks, most_steps, gap):
    """Take steps until no point lacks more than `gap`; return how many, and whether that was reached.

    Parameters
    ----------
    gram : ndarray of shape (m, m), m >= k
        Its first k rows and columns, with a positive diagonal, are used.
    a, lacks : ndarrays of shape (k,)
        Not all of `a` zero, and ``lacks = 1 - gram a``. Both are brought up to date.
    """
    k = len(a)
    gains, diagonal = np.empty(k), np.empty(k)
    for i in range(k):
        diagonal[i] = gram[i, i]
    for taken in range(most_steps):
        hear(5 * k)
        if taken % CHECKED == 0:
            total, most = scaled(a, lacks)
            if total == 0.0:  # no scale is best: the combination is zero but for rounding
                return taken, False
            if most <= gap:
                return taken, True
        _alone(a, lacks, diagonal, gains)
        here = first_largest(gains)
        if here < 0:
            return taken, False
        row = gram[here, :k]
        gains[here] = 0.0  # it is not to be the second one, too
        _beside(row, diagonal[here], lacks[here], lacks, diagonal, gains)
        there = first_largest(gains)
        if there < 0:  # no other point may move
            step = max(-a[here], lacks[here] / diagonal[here])
            a[here] += step
            _move(lacks, row, step, row, 0.0)
            continue
        step, other_step = _steps(here, there, gram, a, lacks)
        a[here] = max(0.0, a[here] + step)
        a[there] = max(0.0, a[there] + other_step)
        _move(lacks, row, step, gram[there, :k], other_step)
    return most_steps, False

"""Dual coordinate steps over pairs of a row and a wrong label, all of a row at once.

The pair (i, c) is the point ``z_ic = Phi(x_i, y_i) - Phi(x_i, c)``, which is never written down: with W
(n_classes, d) the sum of all ``a_ic z_ic``, its margin is ``<W_y - W_c, x_i>``. Two pairs of one row have the
inner product ``||x_i||^2``, and twice that with themselves, so that the dual's maximum over all weights of a
row is known by sorting, as in K. Crammer, Y. Singer, JMLR 2, 2001, Section 6, for a hard margin.
"""

from typing import NamedTuple

import numpy as np

from paperlib._common.jit import jit
from paperlib._common.rounding import TIED
from paperlib._common.signals import hear
from paperlib._common.typing import Integers


class Rows(NamedTuple):
    """Rows to go through, and of each the wrong labels ``labels[starts[k]:starts[k + 1]]`` to look at."""

    rows: Integers
    starts: Integers
    labels: Integers


# Inlined, or its sums may be rounded otherwise in a process that loads it than in the one that compiles.
@jit(fastmath={"reassoc", "contract"}, forceinline=True)
def _dot(row, w):
    total = 0.0
    for k in range(len(row)):
        total += row[k] * w[k]
    return total


@jit
def best_weights(slopes, labels, squared, a):
    """Replace ``slopes[k]`` by the best weight of the pair with ``labels[k]``; return whether any is another.

    With s the slopes of the dual at the weights `a` (n_classes,) of one row, it is largest where all weights
    are ``max(0, t - S)``, with ``t = s / squared + a + sum(a)`` and S the sum of the new weights.
    """
    # Labels that are not looked at have no weight: `total` is the sum over all classes.
    still, total = True, 0.0
    for k, c in enumerate(labels):
        # A margin that is 1 but for rounding leaves its weight as it is, on every processor.
        still = still and (slopes[k] <= TIED and (slopes[k] >= -TIED or a[c] == 0.0))
        total += a[c]
    if still:
        return False
    falling = np.empty(len(labels))
    for k, c in enumerate(labels):
        slopes[k] = slopes[k] / squared + a[c] + total
        # By insertion: a row has fewer labels than there are classes.
        at = k
        while at > 0 and falling[at - 1] < slopes[k]:
            falling[at] = falling[at - 1]
            at -= 1
        falling[at] = slopes[k]
    # If just the k + 1 largest weights are above zero, S is added / (k + 2); the next one is, too, where
    # its t exceeds that.
    added = shared = 0.0
    for k in range(len(labels)):
        if falling[k] <= shared:
            break
        added += falling[k]
        shared = added / (k + 2)
    for k in range(len(labels)):
        slopes[k] = max(0.0, slopes[k] - shared)
    return True


@jit
def give(weights, labels, scale, a):
    """Give the pairs of a row these weights; put their steps, times `scale`, there, and return the sum."""
    total = 0.0
    for k, c in enumerate(labels):
        step = scale * (weights[k] - a[c])
        a[c] = weights[k]
        weights[k] = step
        total += step
    return total


@jit
def dense_steps(X, order, active, codes, squared, scale, a, W):
    """Maximise the dual over the weights of each row of `order` in turn; return how many rows changed.

    ``W = sum a_ic z_ic`` remains true throughout, for rows multiplied by `scale`.
    """
    changed, slopes = 0, np.empty(len(W))
    for at in order:
        i, labels = active.rows[at], active.labels[active.starts[at] : active.starts[at + 1]]
        row, y = X[i], codes[i]
        # W is of scaled rows, and so are margins; X itself stays as it is.
        own = scale * _dot(row, W[y])
        for k, c in enumerate(labels):
            slopes[k] = 1.0 - own + scale * _dot(row, W[c])
        hear(len(row) * (len(labels) + 1))
        if not best_weights(slopes, labels, squared[i], a[i]):
            continue
        total = give(slopes, labels, scale, a[i])
        # A weight that stays costs no pass over the row.
        for k, c in enumerate(labels):
            if slopes[k] != 0.0:
                for j in range(len(row)):
                    W[c, j] -= slopes[k] * row[j]
        for j in range(len(row)):
            W[y, j] += total * row[j]
        changed += 1
    return changed


@jit
def sparse_steps(matrix, order, active, codes, squared, scale, a, W):
    """Do what `dense_steps` does, for the ``(indptr, indices, data)`` of a CSR matrix."""
    changed, slopes = 0, np.empty(len(W))
    starts, columns, values = matrix
    for at in order:
        i, labels = active.rows[at], active.labels[active.starts[at] : active.starts[at + 1]]
        where, row = columns[starts[i] : starts[i + 1]], values[starts[i] : starts[i + 1]]
        y, own = codes[i], 0.0
        # Unsigned, or each look-up would test for a negative index.
        for j in range(len(row)):
            own += row[j] * W[y, np.uint64(where[j])]
        for k, c in enumerate(labels):
            score = 0.0
            for j in range(len(row)):
                score += row[j] * W[c, np.uint64(where[j])]
            slopes[k] = 1.0 - scale * own + scale * score
        hear(len(row) * (len(labels) + 1))
        if not best_weights(slopes, labels, squared[i], a[i]):
            continue
        total = give(slopes, labels, scale, a[i])
        for k, c in enumerate(labels):
            if slopes[k] != 0.0:
                for j in range(len(row)):
                    W[c, np.uint64(where[j])] -= slopes[k] * row[j]
        for j in range(len(row)):
            W[y, np.uint64(where[j])] += total * row[j]
        changed += 1
    return changed

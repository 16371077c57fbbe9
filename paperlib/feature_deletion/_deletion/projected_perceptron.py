"""The perceptron with projections onto the cube, against the adversary (Section 3.1)."""

from typing import NamedTuple

import numpy as np

from paperlib._common.jit import jit
from paperlib._common.signals import hear
from paperlib._common.stable_sort import from_largest
from paperlib.feature_deletion._deletion.knapsack import ROUNDING, subset
from paperlib.feature_deletion._deletion.prefetch import fetch_row

AHEAD = 4  # examples, of the reading of the data
PROBES = 20  # for a threshold, before the few entries in its range are sorted


class Average(NamedTuple):
    """A hypothesis, and the sums from which the average of all those before it follows."""

    w: np.ndarray
    late: np.ndarray
    bias: np.ndarray  # b, its part of `late`, and the number of examples met before, by their shares


class Adversary(NamedTuple):
    """The adversary's values and budget, and what each unit of value kept adds to the margin asked for."""

    values: np.ndarray
    budget: float
    price: float
    n_equal: int  # how many features he may delete where all values are equal, else -1
    unequal: bool | None  # None where they are equal: what unequal ones need is then not compiled


class Pass(NamedTuple):
    """Result of a pass over the data."""

    n_updates: int
    losses: float  # their sum, by the shares of the examples
    gap: float  # the largest that `subset` returned


def make_adversary(values, budget, price):
    """Return an `Adversary` with the count of features that fit into the budget."""
    equal = values.min() == values.max()
    count = int(budget * (1.0 + ROUNDING) / values[0]) if equal else -1
    return Adversary(values, budget, price, count, None if equal else True)


@jit(fastmath={"reassoc", "nnan", "nsz"}, forceinline=True)
def drop_largest(x, count, kept):
    """Set `kept` to 0.0 for the `count` largest positive entries, to 1.0 elsewhere; return their sum.

    The first of equal entries. A threshold between the entries is found by halving: to count what is above
    one takes a few vector instructions, where a selection would take as many branches.
    """
    low, high, above, n_high = 0.0, 0.0, 0, 0
    for j in range(x.size):
        high = max(high, x[j])
        above += x[j] > 0.0
    # The usual budget, which needs no threshold.
    if count == 1 and above > 0:
        at = 0
        while x[at] < high and at < x.size - 1:  # with overflow in `x` it may be nowhere
            at += 1
        for j in range(x.size):
            kept[j] = 1.0
        kept[at] = 0.0
        return high
    if above > count:
        # Invariant: more than `count` entries are above `low`, and `n_high`, at most `count`, above `high`.
        for _ in range(PROBES):
            middle = 0.5 * (low + high)
            above = 0
            for j in range(x.size):
                above += x[j] > middle
            if above > count:
                low = middle
            else:
                high, n_high = middle, above
                if above == count:
                    break
    else:
        high, n_high = 0.0, above
    total = 0.0
    for j in range(x.size):
        over = x[j] > high
        kept[j] = 0.0 if over else 1.0
        total += x[j] if over else 0.0
    # Above `high` are `n_high` entries, at most `count`, and above `low` more than that. Only where the
    # probes ran out, as for equal entries, some of those between are still to be chosen.
    if n_high < count and low < high:
        between, keys, n_between = np.empty(x.size, np.int64), np.empty(x.size), 0
        for j in range(x.size):
            if low < x[j] <= high:
                between[n_between], keys[n_between] = j, x[j]
                n_between += 1
        for at in from_largest(keys[:n_between])[: count - n_high]:
            kept[between[at]] = 0.0
            total += x[between[at]]
    return total


@jit(fastmath={"reassoc"}, forceinline=True)
def keep_all_but_the_worst(worth, values, adversary, unequal, deleted, kept):
    """Set `kept` to 0.0 for the features whose deletion is worth most; return what it is, and a gap."""
    if unequal is not None:
        harm, gap = subset(worth, values, adversary.budget, deleted, unequal)
        for j in range(worth.size):
            kept[j] = 0.0 if deleted[j] else 1.0
        return harm, gap
    if adversary.n_equal > 0:
        return drop_largest(worth, adversary.n_equal, kept), 0.0
    for j in range(kept.size):
        kept[j] = 1.0
    return 0.0, 0.0


@jit(fastmath={"reassoc"})
def online_pass(X, signs, order, average, adversary, C, tau, shares=None):
    """Go once through the examples in a given order, and return a `Pass`.

    After T examples the sum of the hypotheses, each taken before its update, is ``T w - late``: a step at
    example t is missing from the first t of them. With `shares` in (0, 1], in the order of the pass, an
    example's step, loss and place in the average count by its share.
    """
    w, late, bias = average.w, average.late, average.bias
    values, price = adversary.values, adversary.price
    m, n = order.size, w.size
    worth = np.empty(n)
    kept = np.empty(n)
    deleted = np.empty(n, np.bool_)
    # Deleting j takes y w_j x_j off the margin, and price v_j off what is asked for, hence its `worth`. What
    # is asked for with all features kept is `top`.
    top = price * values.sum()
    n_updates, losses, widest = 0, 0.0, 0.0
    for step in range(m):
        hear(10 * n)
        row, y = X[order[step]], signs[order[step]]
        if step + AHEAD < m:
            # The rows come in random order, which the processor cannot foresee.
            fetch_row(X, order[step + AHEAD])
        b, share = bias[0], 1.0 if shares is None else shares[step]
        bias[2] += share
        total, reach = 0.0, 0.0
        for j in range(n):
            x = y * w[j] * row[j]
            total += x
            worth[j] = x - price * values[j]
            reach += max(worth[j], 0.0)
        loss = top - total - y * b
        # Even an unlimited budget would leave no loss.
        if loss + reach <= 0.0:
            continue
        harm, gap = keep_all_but_the_worst(worth, values, adversary, adversary.unequal, deleted, kept)
        loss, widest = loss + harm, max(widest, gap)
        if loss <= 0.0:
            continue
        losses += share * loss
        n_updates += 1
        # The projected step of Section 3.1: deleted features keep their weight, and the others stay in the
        # cube.
        move, t = tau * y, bias[2]
        move *= share
        for j in range(n):
            new = min(max(w[j] + move * row[j] * kept[j], -C), C)
            late[j] += t * (new - w[j])
            w[j] = new
        new = min(max(b + move, -C), C)
        bias[1] += t * (new - b)
        bias[0] = new
    return Pass(n_updates, losses, widest)


@jit(fastmath={"reassoc"})
def online_pass_of_sparse(rows, signs, order, average, adversary, C, tau, shares=None):
    """`online_pass` over the `Rows` of a sparse matrix, in time that grows with its entries.

    A feature that is zero costs nothing to keep and is worth nothing to delete, and its weight stays.
    """
    w, late, bias = average.w, average.late, average.bias
    price = adversary.price
    longest = np.diff(rows.start).max()
    memory, keeps, deleted = np.empty(longest), np.empty(longest), np.empty(longest, np.bool_)
    top = price * adversary.values.sum()
    n_updates, losses, widest = 0, 0.0, 0.0
    for step in range(order.size):
        i = order[step]
        y, own = signs[i], slice(rows.start[i], rows.start[i + 1])
        column, data = rows.column[own], rows.data[own]
        hear(20 * column.size)
        values = adversary.values[column]
        worth, kept = memory[: column.size], keeps[: column.size]
        b, share = bias[0], 1.0 if shares is None else shares[step]
        bias[2] += share
        loss, reach = top - y * b, 0.0
        for k in range(column.size):
            x = y * w[column[k]] * data[k]
            loss -= x
            worth[k] = x - price * values[k]
            reach += max(worth[k], 0.0)
        if loss + reach <= 0.0:
            continue
        harm, gap = keep_all_but_the_worst(
            worth, values, adversary, adversary.unequal, deleted[: column.size], kept
        )
        loss, widest = loss + harm, max(widest, gap)
        if loss <= 0.0:
            continue
        losses += share * loss
        n_updates += 1
        change, seen = share * tau * y, bias[2]
        for k in range(column.size):
            j = column[k]
            new = min(max(w[j] + change * data[k] * kept[k], -C), C)
            late[j] += seen * (new - w[j])
            w[j] = new
        new = min(max(b + change, -C), C)
        bias[1] += seen * (new - b)
        bias[0] = new
    return Pass(n_updates, losses, widest)

"""The adversary's problem for one example: which features to delete, whole or in part."""

from typing import NamedTuple

import numpy as np

from paperlib._common.jit import jit
from paperlib._common.signals import hear
from paperlib._common.stable_sort import from_largest
from paperlib.feature_deletion._deletion.largest import largest

ROUNDING = 1e-12  # relative, of a budget: three values of 0.1 fit into 0.3
EPS = 2.0**-52  # of a sum, for each of its terms
RENEWED = 1024  # nodes of a branch and bound after which its running sums are summed from their terms
MOST_NODES = 1_000_000  # of a branch and bound: about twenty milliseconds
MOST_CELLS = 50_000_000  # of a table, a byte each, where that was not enough


class Rows(NamedTuple):
    """A sparse matrix by rows: row i has the entries ``start[i]`` to ``start[i + 1]``."""

    start: np.ndarray
    column: np.ndarray
    data: np.ndarray


def as_rows(X):
    """Return the `Rows` of a CSR matrix."""
    return Rows(X.indptr.astype(np.int64), X.indices.astype(np.int64), X.data)


@jit
def fractional(profits, values, budget, taken):
    """Fill `taken` with the fractions that maximise ``profits @ taken``, and return that.

    Subject to ``0 <= taken <= 1`` and ``values @ taken <= budget``: by decreasing profit per value, and at
    most one feature in part (Dantzig).
    """
    candidates = np.empty(profits.size, np.int64)
    densities = np.empty(profits.size)
    total, left, k = 0.0, budget, 0
    for j in range(profits.size):
        taken[j] = 0.0
        if profits[j] > 0.0:
            if values[j] == 0.0:
                taken[j] = 1.0
                total += profits[j]
            else:
                candidates[k] = j
                densities[k] = profits[j] / values[j]
                k += 1
    order = from_largest(densities[:k])
    for at in order:
        if left <= 0.0:
            break
        j = candidates[at]
        taken[j] = 1.0 if values[j] <= left else left / values[j]
        # Negative after the feature that is taken in part, which is thereby the last one.
        left -= values[j]
        total += taken[j] * profits[j]
    return total


@jit
def subset(profits, values, budget, taken, differ=True):
    """Fill the mask `taken` with the subset that maximises the sum of its profits; return that, and a gap.

    Subject to the sum of its values being at most `budget`. Features of equal value: the most profitable
    ones; where `differ` is None all values are equal, and nothing else is compiled. Otherwise branch and
    bound, depth first by decreasing profit per value; where that takes too long, as it does if all profits
    are about proportional to the values, a table over all budgets, which needs values that are multiples of
    one not too small.

    The gap is 0 where either came to its end: no subset is then worth more than the sum by more than the
    rounding of sums, at most ``(5 k + 4 RENEWED) EPS`` of the sum of all k positive profits. Else none is
    worth more than the sum and the gap together, up to the same.
    """
    budget = budget * (1.0 + ROUNDING)
    candidates = np.empty(profits.size, np.int64)
    total, weight, k = 0.0, 0.0, 0
    least, most = np.inf, 0.0
    for j in range(profits.size):
        taken[j] = False
        if profits[j] > 0.0:
            if values[j] == 0.0:
                taken[j] = True
                total += profits[j]
            elif values[j] <= budget:
                candidates[k] = j
                weight += values[j]
                least, most = min(least, values[j]), max(most, values[j])
                k += 1
    # Else each branch below may assume that not all candidates fit.
    if weight <= budget:
        for at in range(k):
            taken[candidates[at]] = True
            total += profits[candidates[at]]
        return total, 0.0
    keys = np.empty(k)
    if least == most:
        for at in range(k):
            keys[at] = profits[candidates[at]]
        for at in largest(keys, int(budget / most)):
            taken[candidates[at]] = True
            total += profits[candidates[at]]
        return total, 0.0
    gap = 0.0
    if differ is not None:
        for at in range(k):
            keys[at] = profits[candidates[at]] / values[candidates[at]]
        highest, gap = _of_unequal(profits, values, budget, candidates, from_largest(keys), taken)
        total += highest
    return total, gap


@jit
def _of_unequal(all_profits, all_values, budget, candidates, order, taken):
    """`subset` among candidates of unequal values that do not all fit, by their order of density."""
    k = len(order)
    profits, values, best = np.empty(k), np.empty(k), np.empty(k, np.bool_)
    for at in range(k):
        profits[at], values[at] = all_profits[candidates[order[at]]], all_values[candidates[order[at]]]
        best[at] = False
    highest, ended = _branch_and_bound(profits, values, budget, best)
    gap = 0.0
    if not ended:
        # A power of two, so that the divisions by it round nothing.
        unit = _common_unit(values)
        if k * (budget / unit + 1.0) <= MOST_CELLS:
            highest = _table(profits, values / unit, np.int64(budget / unit), best)
        else:
            # No subset is worth more than the best fractions.
            gap = max(fractional(profits, values, budget, np.empty(k)) - highest, 0.0)
    for at in range(k):
        taken[candidates[order[at]]] = best[at]
    return highest, gap


@jit
def _branch_and_bound(profits, values, budget, best):
    """Fill `best` for items by decreasing density that do not all fit (Horowitz and Sahni).

    Returns its profit, and whether the search came to its end. A branch is cut off where its bound is not
    above the best profit by more than the rounding of both.
    """
    k = profits.size
    profit_before, value_before, lightest = np.empty(k + 1), np.empty(k + 1), np.empty(k + 1)
    profit_before[0], value_before[0], lightest[k] = 0.0, 0.0, np.inf
    for j in range(k):
        profit_before[j + 1] = profit_before[j] + profits[j]
        value_before[j + 1] = value_before[j] + values[j]
    for j in range(k - 1, -1, -1):
        lightest[j] = min(lightest[j + 1], values[j])
    rounding = k * EPS * profit_before[k]
    if rounding == np.inf:  # of profits beyond the floats: it would cut off every branch
        rounding = 0.0
    chosen = np.empty(k, np.bool_)
    for j in range(k):
        chosen[j] = False
    # Invariant: the items before j are decided; `profit` and `left` are of those of them that are chosen.
    highest, profit, left, j = 0.0, 0.0, budget, 0
    for node in range(MOST_NODES):
        if node % RENEWED == 0:
            hear(10 * (RENEWED + k))
        if node % RENEWED == 0:  # what is added and then subtracted leaves its rounding behind
            profit, left = 0.0, budget
            for i in range(j):
                if chosen[i]:
                    profit += profits[i]
                    left -= values[i]
        # No completion from item j on is worth more than the fractional one.
        pruned = j == k or lightest[j] > left
        if not pruned:
            split, beyond = j, k + 1  # the last item before which no more is used than is left
            while beyond - split > 1:
                middle = (split + beyond) // 2
                if value_before[middle] <= value_before[j] + left:
                    split = middle
                else:
                    beyond = middle
            bound = profit + profit_before[split] - profit_before[j]
            if split < k:
                bound += (value_before[j] + left - value_before[split]) * profits[split] / values[split]
            pruned = bound <= highest + rounding
        if profit > highest:  # what is chosen so far is a subset by itself
            highest = profit
            for i in range(k):
                best[i] = chosen[i]
        if not pruned:
            if values[j] <= left:
                chosen[j] = True
                profit += profits[j]
                left -= values[j]
            j += 1
            continue
        j -= 1
        while j >= 0 and not chosen[j]:
            j -= 1
        if j < 0:
            return highest, True  # nothing is left that could be left out
        chosen[j] = False
        profit -= profits[j]
        left += values[j]
        j += 1
    return highest, False


@jit
def _common_unit(values):
    """The largest power of two that all positive `values` are multiples of."""
    unit = 1.0
    for value in values:
        # Exact, and it ends: each float is a multiple of some power of two.
        while value % unit != 0.0:
            unit *= 0.5
    return unit


@jit
def _table(profits, values, budget, best):
    """Fill `best` for whole values and a whole budget by dynamic programming; returns its profit."""
    k = profits.size
    most, kept = np.zeros(budget + 1), np.zeros((k, budget + 1), np.bool_)
    for j in range(k):
        value = np.int64(values[j])
        hear(budget)
        # From the largest budget down: `most` below is still without item j, which is so taken at most once.
        for left in range(budget, value - 1, -1):
            with_j = most[left - value] + profits[j]
            if with_j > most[left]:
                most[left], kept[j, left] = with_j, True
    left = budget
    for j in range(k - 1, -1, -1):
        # `kept` says for each budget whether the best choice among the items up to j has item j.
        best[j] = kept[j, left]
        if best[j]:
            left -= np.int64(values[j])
    return most[budget]


@jit
def greedy(profits, values, budget, order, taken):
    """Fill the mask `taken`: go through `order`, and take each feature of positive profit that still fits."""
    left = budget * (1.0 + ROUNDING)
    total = 0.0
    for j in range(taken.size):
        taken[j] = False
    # A feature that does not fit is passed over, not the end: a cheaper one further on may still fit.
    for j in order:
        if profits[j] > 0.0 and values[j] <= left:
            taken[j] = True
            left -= values[j]
            total += profits[j]
    return total


@jit
def delete_worst(profits, values, budget, by_size, deleted, differ):
    """Fill the mask `deleted` of an example; return the sum of the profits left, and the gap of `subset`.

    With `by_size` the deletions are not the best ones but greedy, by decreasing profit.
    """
    gap = 0.0
    if by_size:
        greedy(profits, values, budget, from_largest(profits), deleted)
    else:
        _, gap = subset(profits, values, budget, deleted, differ)
    left = 0.0
    for j in range(profits.size):
        if not deleted[j]:
            left += profits[j]
    return left, gap


@jit
def worst_subsets(X, signs, w, b, values, budget, by_size, margins, masks, differ=True):
    """Margins ``y (w . x + b)`` after the deletions that lower them most, and which those are.

    Where `differ` is None all values are equal, and nothing else is compiled.

    Returns by how much a margin may be too high, where a search was cut short.
    """
    widest = 0.0
    profits = np.empty(w.size)
    for i in range(X.shape[0]):
        hear(20 * w.size)
        for j in range(w.size):
            profits[j] = signs[i] * w[j] * X[i, j]
        left, gap = delete_worst(profits, values, budget, by_size, masks[i], differ)
        margins[i] = left + signs[i] * b
        widest = max(widest, gap)
    return widest


@jit
def worst_subsets_of_sparse(rows, signs, w, b, values, budget, by_size, margins, deleted, differ=True):
    """`worst_subsets` of the `Rows` of a sparse matrix: deleting a zero is never worth anything."""
    widest = 0.0
    for i in range(signs.size):
        row = slice(rows.start[i], rows.start[i + 1])
        hear(100 * (row.stop - row.start))
        at, data = rows.column[row], rows.data[row]
        profits, own = np.empty(at.size), np.empty(at.size)
        for k in range(at.size):
            profits[k], own[k] = signs[i] * w[at[k]] * data[k], values[at[k]]
        left, gap = delete_worst(profits, own, budget, by_size, deleted[row], differ)
        margins[i] = left + signs[i] * b
        widest = max(widest, gap)
    return widest

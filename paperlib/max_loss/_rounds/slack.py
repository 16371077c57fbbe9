"""Additive slack (Section 4.2): the projections of xi, and one gradient step of the sampled coordinate.

No kernel checks its input.
"""

import math
from typing import NamedTuple

import numpy as np

from paperlib._common.typing import Floats
from paperlib.max_loss._tree.sumtree import counted

NO_SLACK, L1, L2 = 0, 1, 2
SMALL = 1e-100


class Slack(NamedTuple):
    """The slack of m examples, whose arrays the kernels change in place, and how it is learned.

    Attributes
    ----------
    rate : float
        Length of a gradient step.
    budget : float
        Radius of the l1 ball, or squared radius of the l2 ball.
    norm : NO_SLACK, L1 or L2
    xi : (m,) float64
        With the l2 ball, ``scales[0] * xi`` is meant.
    support : (m,) int64
        The positions of xi that are not zero are its first ``counts[0]`` entries (l1 only).
    counts : (1,) int64
    scales : (2,) float64
        Factor of xi and its squared norm (l2 only); with the l1 ball 1 and the sum of xi.
    """

    rate: float
    budget: float
    norm: int
    xi: Floats
    support: np.ndarray
    counts: np.ndarray
    scales: Floats


def allocate(m, rate=0.0, budget=0.0, norm=NO_SLACK):
    """Return a slack of zero for `m` examples."""
    support, counts = np.zeros(m, dtype=np.int64), np.zeros(1, dtype=np.int64)
    return Slack(rate, budget, norm, np.zeros(m), support, counts, np.array([1.0, 0.0]))


def values(slack):
    """Return the slack of all examples, shape (m,)."""
    return slack.scales[0] * slack.xi


@counted
def threshold(v, budget, cap):
    """Return the least ``theta >= 0`` with ``sum_i min(cap, max(0, v_i - theta)) <= budget``.

    ``min(cap, max(0, v - theta))`` is then the nearest point with entries in [0, cap] and that sum. Duchi and
    others' search by random pivots, O(n) expected, which a cap does not change: every entry bends the sum
    twice, at v_i and at v_i - cap, and a pivot decides all bends on one side of it.
    """
    # Invariant: theta is in [low, high]; entries in `open_` bend the sum in between, and of all others the
    # sum is known there: `capped` give the cap each, `linear` give v - theta, the rest give nothing.
    open_ = v.copy()
    n = 0
    low, high = 0.0, 0.0
    start = 0.0
    for i in range(len(v)):
        start += min(cap, max(0.0, v[i]))
        high = max(high, v[i])
        if v[i] > 0.0:
            open_[n] = v[i]
            n += 1
    if start <= budget:
        return 0.0
    capped, linear, linear_sum = 0, 0, 0.0
    # A generator of its own (xorshift): the pivots change the time and no result, and the rounds' random
    # numbers stay those of the p player.
    seed = np.uint64(88172645463325252)
    while n > 0:
        seed ^= seed << np.uint64(13)
        seed ^= seed >> np.uint64(7)
        seed ^= seed << np.uint64(17)
        chosen = open_[np.int64(seed % np.uint64(n))]
        pivot = chosen if low < chosen < high else chosen - cap
        if not low < pivot < high:  # the largest entry: high itself bends there
            pivot = high
        there = capped * cap if capped > 0 else 0.0  # with cap = inf none is capped, and 0 inf is NaN
        there += linear_sum - linear * pivot
        for i in range(n):
            there += min(cap, max(0.0, open_[i] - pivot))
        if there > budget:
            low = pivot
        else:
            high = pivot
        # The pivot was a bend of one open entry at least, which now lies outside (low, high): n gets smaller.
        left = 0
        for i in range(n):
            value = open_[i]
            if value <= low:
                continue
            if value - cap >= high:
                capped += 1
            elif value >= high and value - cap <= low:
                linear += 1
                linear_sum += value
            else:
                open_[left] = value
                left += 1
        n = left
    if linear == 0:
        return high
    fixed = capped * cap if capped > 0 else 0.0
    return min(high, max(low, (linear_sum + fixed - budget) / linear))


@counted
def slack_of(i, slack):
    """Return the slack of example i."""
    return slack.scales[0] * slack.xi[i]


@counted
def raise_l2(i, slack):
    """Add the rate to the slack of example i and scale all of it into ``||xi||^2 <= budget``, in O(1)."""
    budget, xi, scales = slack.budget, slack.xi, slack.scales
    # Invariant: scales[1] is the squared norm of scales[0] * xi, so that the ball is tested without a sum.
    old = scales[0] * xi[i]
    new = min(1.0, old + slack.rate)
    scales[1] += new * new - old * old
    xi[i] = new / scales[0]
    if scales[1] > budget:
        scales[0] *= math.sqrt(budget / scales[1])
        scales[1] = budget
        if scales[0] < SMALL:  # before xi[i] = new / scales[0] can overflow: put the factor into xi
            total = 0.0
            for j in range(len(xi)):
                xi[j] *= scales[0]
                total += xi[j] * xi[j]
            scales[0], scales[1] = 1.0, total


@counted
def raise_l1(i, slack):
    """Add the rate to the slack of example i and project all of it onto [0, 1]^m and ``||xi||_1 <= budget``.

    O(1) below the budget, else expected linear in the size of the support.
    """
    step, budget, _, xi, support, counts, scales = slack
    # Only positive entries can be changed by the projection, so only they are handed to it.
    if xi[i] == 0.0:
        support[counts[0]] = i
        counts[0] += 1
    if scales[1] - xi[i] + min(1.0, xi[i] + step) <= budget:
        scales[1] += min(1.0, xi[i] + step) - xi[i]
        xi[i] = min(1.0, xi[i] + step)
        return
    xi[i] += step
    n = counts[0]
    values = np.empty(n)
    for j in range(n):
        values[j] = xi[support[j]]
    theta = threshold(values, budget, 1.0)
    left, total = 0, 0.0
    for j in range(n):
        at = support[j]
        xi[at] = min(1.0, max(0.0, xi[at] - theta))
        if xi[at] > 0.0:
            support[left] = at
            left += 1
            total += xi[at]
    counts[0], scales[1] = left, total  # added anew: no rounding builds up from step to step


def placed(slack, sample_weight):
    """Return the slack of all rows, or None: NaN where a row was left out, its weight being zero."""
    if slack is None or sample_weight is None:
        return slack
    kept = np.asarray(sample_weight) > 0
    found = np.full(len(kept), np.nan)
    found[kept] = slack
    return found


@counted
def raise_slack(i, slack):
    """Take one gradient step of the slack of example i, and project."""
    if slack.budget == 0.0 or slack.rate == 0.0:  # a step of zero would add i to the support each time
        return
    if slack.norm == L1:
        raise_l1(i, slack)
    elif slack.norm == L2:
        raise_l2(i, slack)

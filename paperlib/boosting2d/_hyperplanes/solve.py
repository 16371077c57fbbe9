"""From points to the hyperplane of least weight: a start, the search, and room on both sides."""

from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog

from paperlib._common.deadline import LimitReached
from paperlib.boosting2d._geometry.locations import tolerance
from paperlib.boosting2d._hyperplanes.best_first import least_weight
from paperlib.boosting2d._hyperplanes.boxes import SURE
from paperlib.boosting2d._hyperplanes.coordinates import as_vectors
from paperlib.boosting2d._hyperplanes.cuts import least_weight_by_cuts
from paperlib.boosting2d._hyperplanes.descent import descend

BOXES = 5  # columns up to which boxes alone are fastest
ALL = 8  # columns above which boxes are hopeless, so that cuts are all there is
LONG = 10**8  # operations: so many are run apart, where the time limit and Ctrl-C are heard


class Solution(NamedTuple):
    """A hyperplane of least weight.

    Attributes
    ----------
    weight : float
        The least that was met.
    normal : ndarray of shape (d,) or None
        Of length one; None where all points are predicted alike.
    held : ndarray of shape (n,), bool
        Rows that are classified correctly.
    lower_bound : float
    finished : bool
    """

    weight: float
    normal: np.ndarray | None
    held: np.ndarray
    lower_bound: float
    finished: bool


def solve(X, positive, weights, deadline):
    """Find the hyperplane of least misclassified weight.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    positive : ndarray of shape (n,), bool
    weights : ndarray of shape (n,)
    deadline : Deadline

    Returns
    -------
    Solution
    """
    slack = tolerance(weights)
    call = deadline.call if X.size * X.shape[1] > LONG else _directly
    try:
        points = call(as_vectors, X, positive, weights, slack)
        start = None
        if points.ahead.any() and not points.ahead.all():
            start = call(_regression, points.sample.vectors)
    except LimitReached:
        weight, held = _alike(weights, positive)
        return Solution(weight, None, held, 0.0, False)
    sample, ahead = points.sample, points.ahead
    known, correct = _alike(sample.weights, ahead)
    plane = None
    if start is None:
        lower, finished = known, True
    else:
        found = _search(sample, start, known, _gain(weights, slack), deadline)
        known, plane, lower, finished = found
    if plane is not None:
        correct = sample.vectors @ plane > 0
        plane = _centred(sample.vectors[correct], plane, deadline)
    normal = None if plane is None else points.normal(plane)
    lower += points.base
    if not finished and not (weights % 1.0).any():
        # Sums of whole weights are whole.
        lower = np.ceil(lower * (1.0 - SURE))
    return Solution(known + points.base, normal, points.rows(correct, positive), float(lower), finished)


def _search(sample, start, known, gain, deadline):
    """Return the Optimum, by cuts where few points are misclassified or columns are many, else by boxes."""
    n, D = sample.vectors.shape
    bound, plane, starts = 0.0, None, [start]
    cuts: list[np.ndarray] = []
    if D - 1 > BOXES:
        # A short try, enough where few points are misclassified. Its plane and its bound are of use in any
        # case, its cuts where more are to follow.
        found = least_weight_by_cuts(sample, known, gain, deadline, cuts, nodes=1)
        if found.finished:
            return found
        known, plane, bound = found.weight, found.plane, found.lower_bound
        starts += [] if plane is None else [plane]
    for each in starts:
        turned, weight = descend(sample, each, _tries(n, D), deadline)
        if weight < known:
            known, plane = weight, turned
    if D - 1 > ALL:
        found = least_weight_by_cuts(sample, known, gain, deadline, cuts)
    else:
        found = least_weight(sample, known, gain, deadline)
    return found._replace(
        plane=plane if found.plane is None else found.plane, lower_bound=max(bound, found.lower_bound)
    )


def _alike(weights, ahead):
    """Return the weight of predicting all alike, and what that classifies correctly."""
    if_plus, if_minus = float(weights[~ahead].sum()), float(weights[ahead].sum())
    return (if_plus, ahead) if if_plus <= if_minus else (if_minus, ~ahead)


def _directly(function, *arguments):
    return function(*arguments)


def _regression(vectors):
    return np.linalg.lstsq(vectors, np.ones(len(vectors)))[0]


def _tries(n, D):
    """Return how many turns of the start pay: the search is quick where there are few points."""
    return max(2 * D, min(20 * D, 2_000_000 // n))


def _gain(weights, slack):
    """Return by how much two different sums of weights differ at least, less their rounding."""
    if (weights == weights[0]).all():
        return float(weights[0]) * (1.0 - 1e-9)
    return 1.0 - 1e-9 if not (weights % 1.0).any() else max(slack, SURE * float(weights.sum()))


def _centred(vectors, plane, deadline):
    """Return a hyperplane farther from the nearest vector, all being in front of `plane`, or `plane`.

    It is `plane` where the time is up before HiGHS has found another.
    """
    D, left = vectors.shape[1], deadline.left()

    def programme():
        return linprog(
            np.r_[np.zeros(D), -1.0],
            A_ub=np.column_stack([-vectors, np.ones(len(vectors))]),
            b_ub=np.zeros(len(vectors)),
            bounds=[(-1.0, 1.0)] * D + [(None, 1.0)],
            options=None if left is None else {"time_limit": left},  # so that it ends, once it is left behind
        )

    call = deadline.call if vectors.size > LONG // 100 else _directly
    try:
        if deadline.is_over():
            return plane
        found = call(programme)
    except LimitReached:
        return plane
    if found.x is None or not found.x[:-1].any():
        return plane
    return max((plane, found.x[:-1]), key=lambda each: (vectors @ each).min() / np.linalg.norm(each))

"""Pictures of the algorithms at work: a line that turns, its intervals, boxes that are dropped, a tie."""

import numpy as np
import pandas as pd

from paperlib._common.validation import check_number
from paperlib.boosting2d._geometry.gaps import shortest_vector_among
from paperlib.boosting2d._geometry.locations import merge
from paperlib.boosting2d._search.optimal_sets import Branch, optimal_sets
from paperlib.boosting2d.optimal_separator import optimal_separator


def turning_weight(X, y, centre):
    """Weigh the lines through a positive point as they turn about it once, one for each class (Lemma 2.7).

    Parameters
    ----------
    X : ndarray of shape (n, 2)
        No two points in line with the centre.
    y : ndarray of shape (n,), of -1 and +1
    centre : int
        A row of the positive class; on the line it counts as right.

    Returns
    -------
    angles : ndarray of shape (2 n - 1,)
        Where classes begin and end: from 0 to 2 pi, in between the angles at which the line meets a point.
        The left of the line's direction is predicted positive.
    errors : ndarray of shape (2 n - 2,)
        How many points are wrong from each angle to the next.

    Examples
    --------
    >>> angles, errors = turning_weight(np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([1, -1]), 0)
    >>> (angles / np.pi).round(2).tolist(), errors.tolist()
    ([0.0, 0.25, 1.25, 2.0], [1, 0, 1])
    """
    others = np.delete(np.arange(len(X)), centre)
    away, labels = X[others] - X[centre], y[others]
    met = np.arctan2(away[:, 1], away[:, 0]) % np.pi
    angles = np.concatenate([[0.0], np.sort(np.concatenate([met, met + np.pi])), [2 * np.pi]])
    middle = (angles[1:] + angles[:-1]) / 2
    left = np.outer(np.cos(middle), away[:, 1]) - np.outer(np.sin(middle), away[:, 0]) > 0
    return angles, (left != (labels > 0)).sum(axis=1)


def intervals_about(X, y, centre):
    """List the intervals of Section 3 about a positive point, and the lightest at each other positive one.

    Parameters
    ----------
    X, y, centre
        As of `turning_weight`.

    Returns
    -------
    intervals : DataFrame with a row per class of lines: opens, weight
        Directions from `opens`, in [0, 2 pi), half a turn on are predicted negative, with so many errors.
    points : DataFrame with a row per other positive point: point, angle, lightest
        Its row, its direction, and the least weight of an interval that holds it.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [1.0, 1.0], [-1.0, 2.0]])
    >>> intervals, points = intervals_about(X, np.array([1, 1, -1]), 0)
    >>> intervals.weight.tolist(), points.lightest.tolist()
    ([1, 2, 1, 0], [1])
    """
    angles, errors = turning_weight(X, y, centre)
    errors = errors[:-1]  # the last class is the first one once more, a whole turn on
    middle = (angles[1:-1] + angles[:-2]) / 2
    opens = (middle + np.pi) % (2 * np.pi)  # what is behind the line's left side
    others = np.flatnonzero((y > 0) & (np.arange(len(y)) != centre))
    away = X[others] - X[centre]
    at = np.arctan2(away[:, 1], away[:, 0]) % (2 * np.pi)
    holds = (at[:, None] - opens) % (2 * np.pi) < np.pi
    lightest = np.where(holds, errors, errors.max() + 1).min(axis=1)
    return (
        pd.DataFrame({"opens": opens, "weight": errors}),
        pd.DataFrame({"point": others, "angle": at, "lightest": lightest}),
    )


def draw_intervals(axis, intervals):
    """Draw `intervals_about` as bars over directions in degrees, those of one weight side by side."""
    shift = np.empty(len(intervals))
    for weight in intervals.weight.unique():
        rows = (intervals.weight == weight).to_numpy()
        shift[rows] = np.linspace(-0.3, 0.3, rows.sum() + 2)[1:-1]
    for opens, height in zip(np.degrees(intervals.opens), intervals.weight + shift):
        for start in (opens, opens - 360):  # what goes beyond 360 degrees begins again at 0
            ends = max(start, 0), min(start + 180, 360)
            if ends[0] < ends[1]:
                axis.plot(ends, [height, height], color="#999999", lw=1.2, ls="-", marker="")
    axis.set(xlim=(0, 360), xticks=range(0, 361, 90), xlabel="direction from $a^+$ (degrees)")


def boxes_met(X, y):
    """List the boxes of lines that branch and bound looks at, in the order they are made.

    Parameters
    ----------
    X : ndarray of shape (n, 2)
    y : ndarray of shape (n,), of -1 and +1

    Returns
    -------
    DataFrame with a row per box
        slope_from, slope_to, intercept_from, intercept_to: of the lines v = m u + t in centred and scaled
        coordinates. steep: whether u and v are exchanged. above: whether what is above them is positive.
    """
    x, v, wp, wn = merge(X, y > 0, np.ones(len(X)))[:4]
    search = Branch(x, v, wp, wn, 0.0, 1_000_000)
    rows, met = [], set()
    while not search.done:
        progress = search._progress
        for begin, end, _ in progress.generations[: progress.depth + progress.begun]:
            for node in progress.nodes[begin:end]:
                box = (node["m0"], node["m1"], node["t0"], node["t1"])
                kind = bool(node["chart"]), bool(node["up"])
                if node["origin"] == 0.0 and (box, kind) not in met:
                    met.add((box, kind))
                    rows.append((*box, *kind))
        search.go_on(search.cost + 1)  # one box
    names = "slope_from slope_to intercept_from intercept_to steep above"
    return pd.DataFrame(rows, columns=names.split())


def best_of_boxes(X, y):
    """Return slope and intercept of the optimal line, in the coordinates of `boxes_met`.

    Parameters
    ----------
    X, y
        As of `boxes_met`; the line is not upright.

    Examples
    --------
    >>> X = np.array([[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]])
    >>> slope, intercept = best_of_boxes(X, np.array([-1, -1, 1, 1]))
    >>> abs(slope), abs(intercept)
    (0.0, 0.0)
    """
    places = merge(X, y > 0, np.ones(len(X)))
    line = optimal_separator(places.points, places.wp > 0, places.wp + places.wn)
    return float(-line.normal[0] / line.normal[1]), float(-line.offset / line.normal[1])


def tied_lines(X, y):
    """Return the fat line of each optimal separator set, the fattest first.

    Parameters
    ----------
    X : ndarray of shape (n, 2)
    y : ndarray of shape (n,), of -1 and +1
        Each class has a point that an optimal line classifies correctly.

    Returns
    -------
    list of (normal, offset, margin)

    Examples
    --------
    >>> square = np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    >>> [round(margin, 3) for _, _, margin in tied_lines(square, np.array([1, 1, -1, -1]))]
    [0.354, 0.354, 0.354, 0.354]
    """
    places = merge(X, y > 0, np.ones(len(X)))
    sets = optimal_sets(places, 0.0)
    lines = []
    for i in range(len(sets.packed)):
        side = sets.side(i)
        ahead, behind = side & (places.wp > 0), ~side & (places.wn > 0)
        if ahead.any() and behind.any():
            normal, margin = shortest_vector_among(places.points, ahead, behind)
            scores = places.points @ normal
            lines.append((normal, -(scores[ahead].min() + scores[behind].max()) / 2, margin))
    return sorted(lines, key=lambda line: -line[2])


def sample_with_ties(draw, at_least, random_state=None, tries=1_000):
    """Return the first sample ``draw(rng)`` that has `at_least` optimal lines.

    Parameters
    ----------
    draw : function of a numpy.random.Generator
        Returns X and y.
    at_least : int >= 1
    random_state : int, numpy.random.Generator or None
    tries : int >= 1

    Returns
    -------
    X, y
        Of the samples that were drawn, the one with the most lines where none has enough.
    """
    rng = np.random.default_rng(random_state)
    best, most = None, -1
    for _ in range(check_number(tries, "tries", low=1, integer=True)):
        sample = draw(rng)
        count = len(tied_lines(*sample))
        if count > most:
            best, most = sample, count
        if count >= at_least:
            break
    return best

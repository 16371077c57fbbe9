"""Section 4.3: how much of the version space is left after each label."""

import itertools
import math

import numpy as np
import pandas as pd

from paperlib._common.typing import Floats
from paperlib.coresets import ActiveCoresetSVC
from paperlib.experiments.coresets.samples import half_spaces, hidden
from paperlib.experiments.random_streams import stream
from paperlib.experiments.statistics import to_resolution
from paperlib.experiments.steps import step

LABELS = slice(1, 9)  # the first halves the sphere; after some ten the next ones are drawn, and mostly right
RESOLUTION = 1e-9  # of a share, which rounding may take below zero or above one


def whole_sphere() -> list[Floats]:
    """Return the sphere as eight triangles, one an octant.

    >>> round(sum(area(each) for each in whole_sphere()) / math.pi, 9)
    4.0
    """
    return [np.diag(signs).astype(float) for signs in itertools.product((1.0, -1.0), repeat=3)]


def cut(polygon: Floats, normal: Floats) -> Floats:
    """Return the part of a spherical polygon that is on the positive side of a plane through the origin.

    Parameters
    ----------
    polygon : ndarray of shape (k, 3)
        Corners of length one, in order round a convex polygon within an octant.
    normal : ndarray of shape (3,)

    Returns
    -------
    ndarray of shape (m, 3), with no row where nothing is left

    Examples
    --------
    >>> cut(np.eye(3), np.array([1.0, -1.0, 0.0])).round(3).tolist()
    [[1.0, 0.0, 0.0], [0.707, 0.707, 0.0], [0.0, 0.0, 1.0]]
    """
    heights, corners = polygon @ normal, []
    for i in range(len(polygon)):
        j = (i + 1) % len(polygon)
        if heights[i] >= 0.0:
            corners.append(polygon[i])
        if heights[i] * heights[j] < 0.0:
            crossing = abs(heights[j]) * polygon[i] + abs(heights[i]) * polygon[j]
            corners.append(crossing / np.linalg.norm(crossing))
    return np.array(corners).reshape(-1, 3)


def area(polygon: Floats) -> float:
    """Return the area of a convex spherical polygon, cut into triangles from its first corner.

    The solid angle of each is that of van Oosterom and Strackee.

    >>> round(area(np.eye(3)) / math.pi, 9)
    0.5
    """
    total, a = 0.0, polygon[0] if len(polygon) else None
    for b, c in itertools.pairwise(polygon[1:]):
        total += 2.0 * math.atan2(abs(np.linalg.det([a, b, c])), 1.0 + a @ b + b @ c + c @ a)
    return total


def shares_left(points: Floats) -> Floats:
    """Return the share of the version space that each label leaves, in the order in which they were given.

    Parameters
    ----------
    points : ndarray of shape (k, 3)
        Signed points; the version space is all unit normals with each of them on the positive side.

    Returns
    -------
    ndarray of shape (k,)

    Examples
    --------
    >>> shares_left(np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]])).round(3).tolist()
    [0.5, 0.75, 0.667]
    """
    polygons, before, shares = whole_sphere(), 4.0 * math.pi, []
    for point in points:
        polygons = [cut(each, point) for each in polygons]
        left = sum(area(each) for each in polygons)
        shares.append(left / before)
        before = left
    return np.array(shares)


@step
def labels_in_turn(n_pools, n, margin, eps, *, seed):
    """Find the share of the version space that each of the first labels leaves, on pools.

    Parameters
    ----------
    n_pools : int
    n : int
        Points of each, of `samples.half_spaces` in three dimensions.
    margin, eps : float
    seed : int

    Returns
    -------
    DataFrame with a row per pool and label
        sample, pool, label (from 1 on), left: of "slab", those pools, the labels `LABELS`, which are all of
        points that are near; and of one pool "hidden", of 200 points of which 10 are hidden, all up to there
    """
    rng = stream(seed, "version-space")
    rows = []
    for pool in range(n_pools + 1):
        beside = pool < n_pools
        X, y = half_spaces(n, 3, margin, random_state=rng) if beside else hidden(200, 10, random_state=rng)
        for label, left in enumerate(shares_of_pool(X, y, eps, rng)):
            if label >= LABELS.start or not beside:
                share = to_resolution(float(left), RESOLUTION)
                rows.append(("slab" if beside else "hidden", pool, label + 1, share))
    return pd.DataFrame(rows, columns=["sample", "pool", "label", "left"])


def shares_of_pool(X, y, eps, rng):
    """Return the shares that the first labels leave which `ActiveCoresetSVC` asks for in a pool in R^3."""
    asked = ActiveCoresetSVC(eps, random_state=rng).fit(X, y).queried_indices_[: LABELS.stop]
    return shares_left(y[asked, None] * X[asked])

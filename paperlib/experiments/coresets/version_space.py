"""Section 4.3: how much of the version space is left after each label, and the largest ball within it."""

import itertools
import math

import numpy as np
import pandas as pd

from paperlib._common.typing import Floats
from paperlib.coresets import ActiveCoresetSVC, CoresetSVC
from paperlib.experiments.coresets.samples import half_spaces, hidden
from paperlib.experiments.random_streams import stream
from paperlib.experiments.statistics import to_resolution
from paperlib.experiments.steps import step

LABELS = slice(1, 9)  # the first halves the sphere; after some ten the next ones are drawn, and mostly right
ON_EDGE = 1e-9  # of a corner: the height above a plane that it is on but for rounding
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


def largest_ball(points: Floats) -> Floats:
    """Return the centre of the largest ball within the version space, from its corners and edges.

    On the sphere it touches three edges, or two, or one: every choice of them has one candidate, and the
    largest that is within all edges is it.

    Parameters
    ----------
    points : ndarray of shape (k, 3)
        Signed points, of any lengths, that some hyperplane separates.

    Returns
    -------
    ndarray of shape (3,), of length one

    Examples
    --------
    >>> largest_ball(np.eye(3)).round(3).tolist()
    [0.577, 0.577, 0.577]
    """
    normals = points / np.linalg.norm(points, axis=1)[:, None]
    polygons = whole_sphere()
    for normal in normals:
        polygons = [cut(each, normal) for each in polygons]
    edges = normals[(np.abs(normals @ np.vstack(polygons).T) < ON_EDGE).any(axis=1)]
    largest, centre = 0.0, np.zeros(3)
    for size in (1, 2, 3):
        for touched in itertools.combinations(edges, size):
            equally_far = np.linalg.lstsq(np.array(touched), np.ones(size), rcond=None)[0]
            candidate = equally_far / np.linalg.norm(equally_far)
            if (radius := (normals @ candidate).min()) > largest:
                largest, centre = radius, candidate
    return centre


@step
def centres(n_pools, n, margin, *, seed):
    """Hold the hyperplane of largest margin against the centre of the largest ball in the version space.

    Parameters
    ----------
    n_pools, n : int
    margin : float
        Pools as for `labels_in_turn`, by turns with points of length one and of 0.3 to 1.
    seed : int

    Returns
    -------
    DataFrame with a row per pool
        pool, lengths ("one" or "uneven"), angle (between the two, in radians)
    """
    rng = stream(seed, "centres")
    rows = []
    for pool, lengths in itertools.product(range(n_pools), ("one", "uneven")):
        X, y = half_spaces(n, 3, margin, random_state=rng)
        if lengths == "uneven":
            X *= rng.uniform(0.3, 1.0, size=(n, 1))
        normal = CoresetSVC(1e-9, max_iter=10**6).fit(X, y).coef_[0]
        apart = np.linalg.norm(normal / np.linalg.norm(normal) - largest_ball(y[:, None] * X))
        rows.append((pool, lengths, to_resolution(2.0 * math.asin(float(apart) / 2.0), RESOLUTION)))
    return pd.DataFrame(rows, columns=["pool", "lengths", "angle"])

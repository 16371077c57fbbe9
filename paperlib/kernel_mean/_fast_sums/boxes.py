"""Boxes of equal side that hold the rows of two samples."""

import math
from typing import NamedTuple

import numpy as np

from paperlib._common.typing import Floats, Integers

# Rows are in a grid up to so many boxes from the origin: their places in their boxes are exact there, and a
# quotient is rounded by at most 2^-23, which is what `interpolation` allows for.
FARTHEST = 2.0**30
_SHORT = 4096  # boxes along a coordinate, or fewer than rows, which are numbered without sorting


def handy(side):
    """Return at most `side`, and more than 4/5 of it, with three bits: multiples of it are exact.

    >>> handy(1.0), handy(0.9), handy(3.3)
    (1.0, 0.875, 3.0)
    """
    mantissa, exponent = math.frexp(side)
    return math.ldexp(math.floor(8.0 * mantissa), exponent - 3)


class Grid(NamedTuple):
    """Where rows are, along each coordinate.

    Attributes
    ----------
    indices : list of ndarray of shape (rows,), int64
        Numbers of boxes from 0. Boxes that are no more than `reach` apart are as far from each other as their
        numbers; others are more than `reach` apart by their numbers, too. Longer gaps are shortened, so that
        an outlier makes no large grid.
    floors : list of ndarray of shape (rows,)
        The same from the origin, in whole numbers of sides.
    shape : tuple of int
        Boxes along each coordinate.
    side : float
    """

    indices: list[Integers]
    floors: list[Floats]
    shape: tuple[int, ...]
    side: float


def grid_of(columns, side, reach):
    """Return the `Grid` of rows that are given column by column, none beyond `FARTHEST`."""
    floors = [np.floor(column / side) for column in columns]
    numbered = [_numbered(each, reach) for each in floors]
    return Grid([each for each, _ in numbered], floors, tuple(count for _, count in numbered), side)


def _numbered(floors, reach):
    low, high = floors.min(), floors.max()
    if high - low < max(_SHORT, len(floors)):
        # Most often rows are close to each other, and the gaps are worth no sorting.
        return (floors - low).astype(np.int64), int(high - low) + 1
    values, places = np.unique(floors, return_inverse=True)
    numbers = np.zeros(len(values), np.int64)
    np.cumsum(np.minimum(np.diff(values), reach + 1.0).astype(np.int64), out=numbers[1:])
    return numbers[places], int(numbers[-1]) + 1


def places_in(grid, columns, rows):
    """Return where the rows (a slice) are in their boxes, each [-1, 1]^d, shape (rows, d)."""
    places = np.empty((len(columns[0][rows]), len(columns)))
    for k, column in enumerate(columns):
        # Middles of boxes are exact, and so is the difference to what lies in the box.
        places[:, k] = (column[rows] - (grid.floors[k][rows] + 0.5) * grid.side) * (2.0 / grid.side)
    return places

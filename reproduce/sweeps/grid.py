"""Grid of a sweep, read from --grid and --zip; it is checked and counted before any point is made."""

import itertools
import json
import math
import re
from dataclasses import dataclass

from reproduce.errors import InvalidGrid, shown
from reproduce.sweeps import designs
from reproduce.sweeps.values import read_value as read_values

MANY = 10_000  # points; more need --yes
MOST = 1_000_000  # points; more need --limit
PLAIN = re.compile(r"(?!(?:true|false|null)$)[A-Za-z_][\w.+-]*")


@dataclass(frozen=True)
class Grid:
    """Points in order, the last axis fastest.

    Attributes
    ----------
    names : tuple of str
        The swept parameters, in the order in which they were given.
    axes : tuple of tuple of str
        The same names, with those of all --zip in one tuple.
    points : list of tuple
        Values of the swept parameters, a tuple for each point.
    """

    names: tuple
    axes: tuple
    points: list


def read_grid(notebook, paper, options, fixed=(), limit=None, large=False):
    """Return the grid; raise an error for a mistake before any point is made.

    Parameters
    ----------
    options : sequence of (str, object)
        `("grid", "name=values")` or `("zip", "name=values")` in the order given, `(designs.FILE, path)`, or
        `(designs.LATIN or designs.RANDOM, (count, between, seed))`. Each grid is an axis; all zips, and the
        columns of designs, together are one axis, at the place of the first of them.
    fixed : collection of str
        Parameters that are set with -p, for the whole sweep.
    limit : int or None
        Number of points, the first ones of the grid; None takes all.
    large : bool
        Whether more than `MANY` points are allowed.
    """
    axes = _axes(notebook, paper, options, fixed)
    total = math.prod(axis[0].count for axis in axes)
    _check_size(total if limit is None else min(total, limit), large)
    rows = [
        list(itertools.islice(zip(*axis), limit)) for axis in axes
    ]  # no more are needed for the first points
    for axis, row in zip(axes, rows):
        _check_different(axis, row)
    points = itertools.islice(itertools.product(*rows), limit)
    together = tuple(tuple(swept.parameter.name for swept in axis) for axis in axes)
    names = tuple(itertools.chain.from_iterable(together))
    return Grid(names, together, [tuple(itertools.chain.from_iterable(point)) for point in points])


def title(names, values):
    """Return a point as the user would type it; no two points of a sweep have the same title."""
    return " ".join(f"{name}={text(value)}" for name, value in zip(names, values))


def text(value):
    """Return a value on one line, as titles and tables show it."""
    if isinstance(value, str) and PLAIN.fullmatch(value):
        return value
    return json.dumps(value, ensure_ascii=False)


def _axes(notebook, paper, options, fixed):
    """Return a list of Values for each axis: of one parameter, or of all that are zipped."""
    axes, zipped = [], []
    seen = set()
    for kind, option in options:
        for swept in _values(notebook, paper, kind, option):
            name = swept.parameter.name
            if name in seen:
                raise InvalidGrid(f"{name} is swept twice: give all its values in one --{kind}")
            if name in fixed:
                raise InvalidGrid(f"{name} is given with -p or -f and swept: leave one of the two out")
            seen.add(name)
            if kind == "grid":
                axes.append([swept])
            else:
                if not zipped:
                    axes.append(zipped)
                zipped.append(swept)
    if not axes:
        raise InvalidGrid("nothing to sweep: give --grid name=value,value or --grid name=start:stop:step")
    _check_lengths(zipped)
    return axes


def _values(notebook, paper, kind, option):
    """Return the Values that one option gives."""
    if kind == designs.FILE:
        return designs.of_file(notebook, paper, option)
    if kind in (designs.LATIN, designs.RANDOM):
        return designs.drawn(notebook, paper, kind, *option)
    return [read_values(notebook, paper, kind, option)]


def _check_lengths(zipped):
    if len({swept.count for swept in zipped}) > 1:
        lengths = ", ".join(f"{swept.parameter.name} has {swept.count:,}" for swept in zipped)
        raise InvalidGrid(f"all --zip and --design must have equally many values: {lengths}")


def _check_size(count, large):
    if count > MOST:
        raise InvalidGrid(
            f"a grid of {_amount(count)} points: give --limit N to run the first N, at most {MOST:,}"
        )
    if count > MANY and not large:
        raise InvalidGrid(f"a grid of {count:,} points: give --yes to run more than {MANY:,}, or --limit N")


def _amount(count):
    # Python writes no integer of more than 4300 digits.
    return f"{count:,}" if count < 10**15 else f"about 10^{len(str(count)) - 1 if count < 10**4000 else 4000}"


def _check_different(axis, rows):
    names = [swept.parameter.name for swept in axis]
    seen = set()
    for row in rows:
        said = title(names, row)
        if said in seen:
            raise InvalidGrid(f"{shown(said)} is among the values twice")
        seen.add(said)

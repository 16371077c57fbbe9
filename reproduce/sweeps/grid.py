"""The grid of a sweep: points out of --grid and --zip, checked and counted before any is made."""

import itertools
import json
import math
import re
from dataclasses import dataclass

from reproduce.errors import InvalidGrid, shown
from reproduce.sweeps.values import read as read_values

MANY = 10_000  # points that are run without asking again
MOST = 1_000_000
PLAIN = re.compile(r"(?!(?:true|false|null)$)[A-Za-z_][\w.+-]*")


@dataclass(frozen=True)
class Grid:
    """Points in order, the last axis fastest.

    Attributes
    ----------
    names : tuple of str
        The swept parameters, in the order in which they were given.
    axes : tuple of tuple of str
        The same, those together that are zipped.
    points : list of tuple
        Values of these, a tuple per point.
    """

    names: tuple
    axes: tuple
    points: list


def read(notebook, paper, options, fixed=(), limit=None, large=False):
    """Return all points, or raise one clear error before any of them is made.

    Parameters
    ----------
    options : sequence of (str, str)
        `("grid", "name=values")` or `("zip", "name=values")` in the order given. Each grid is an axis; all
        zips together are one more, which stands where the first of them does.
    fixed : collection of str
        Parameters that have a value for the whole sweep.
    limit : int or None
        Only that many points, the first ones.
    large : bool
        Whether more than `MANY` points are meant.
    """
    axes = _axes(notebook, paper, options, fixed)
    total = math.prod(axis[0].count for axis in axes)
    _check_size(total if limit is None else min(total, limit), large)
    rows = [list(itertools.islice(zip(*axis), limit)) for axis in axes]  # the first points need no more
    for axis, row in zip(axes, rows):
        _check_different(axis, row)
    points = itertools.islice(itertools.product(*rows), limit)
    together = tuple(tuple(swept.parameter.name for swept in axis) for axis in axes)
    names = tuple(itertools.chain.from_iterable(together))
    return Grid(names, together, [tuple(itertools.chain.from_iterable(point)) for point in points])


def title(names, values):
    """Return a point as the user would type it; no two points of a sweep have the same."""
    return " ".join(f"{name}={text(value)}" for name, value in zip(names, values))


def text(value):
    """Return a value on one line, as it stands in titles and tables."""
    if isinstance(value, str) and PLAIN.fullmatch(value):
        return value
    return json.dumps(value, ensure_ascii=False)


def _axes(notebook, paper, options, fixed):
    """Return lists of Values, those that are zipped together in one list."""
    axes, zipped = [], []
    seen = set()
    for kind, option in options:
        swept = read_values(notebook, paper, kind, option)
        name = swept.parameter.name
        if name in seen:
            raise InvalidGrid(f"{name} is swept twice: give all its values in one --{kind}")
        if name in fixed:
            raise InvalidGrid(f"{name} is given with -p and swept: drop one of the two")
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


def _check_lengths(zipped):
    if len({swept.count for swept in zipped}) > 1:
        lengths = ", ".join(f"{swept.parameter.name} has {swept.count:,}" for swept in zipped)
        raise InvalidGrid(f"--zip walks its parameters together, they need equally many values: {lengths}")


def _check_size(count, large):
    if count > MOST:
        raise InvalidGrid(f"a grid of {_amount(count)} points: more than {MOST:,} need --limit N")
    if count > MANY and not large:
        raise InvalidGrid(f"a grid of {count:,} points: give --yes to run more than {MANY:,}, or --limit N")


def _amount(count):
    return f"{count:,}" if count < 10**15 else f"about 10^{len(str(count)) - 1 if count < 10**4000 else 4000}"


def _check_different(axis, rows):
    names = [swept.parameter.name for swept in axis]
    seen = set()
    for row in rows:
        said = title(names, row)
        if said in seen:
            raise InvalidGrid(f"{shown(said)} is among the values twice")
        seen.add(said)

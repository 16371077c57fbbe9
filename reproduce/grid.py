"""The points of a sweep, out of the command line's --grid and --zip: typed, checked, counted before made."""

import itertools
import json
import math
import re
from dataclasses import dataclass

from reproduce.errors import InvalidGrid, shown
from reproduce.parameters import find, parse
from reproduce.ranges import Range

MANY = 10_000  # points that are run without asking again
MOST = 1_000_000
PLAIN = re.compile(r"(?!(?:true|false|null)$)[A-Za-z_][\w.+-]*")
OPENING, CLOSING, QUOTES = "[(", "])", "'\""


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


@dataclass(frozen=True)
class Values:
    """What one --grid or --zip gives to one parameter; ranges are not made yet."""

    parameter: object
    parts: tuple  # each a Range, or the tuple of one value

    @property
    def count(self):
        return sum(part.count if isinstance(part, Range) else 1 for part in self.parts)

    def __iter__(self):
        return itertools.chain.from_iterable(self.parts)


def read(notebook, paper, options, fixed=(), limit=None, large=False):
    """All points, or one clear error before any of them is made.

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
    axes, zipped = [], []
    seen = set()
    for kind, text in options:
        values = _read(notebook, paper, kind, text)
        name = values.parameter.name
        if name in seen:
            raise InvalidGrid(f"{name} is swept twice: give all its values in one --{kind}")
        if name in fixed:
            raise InvalidGrid(f"{name} is given with -p and swept: drop one of the two")
        seen.add(name)
        if kind == "grid":
            axes.append([values])
        else:
            if not zipped:
                axes.append(zipped)
            zipped.append(values)
    if not axes:
        raise InvalidGrid("nothing to sweep: give --grid name=value,value or --grid name=start:stop:step")
    _check_lengths(zipped)
    total = math.prod(axis[0].count for axis in axes)
    _check_size(total if limit is None else min(total, limit), large)
    rows = [list(itertools.islice(zip(*axis), limit)) for axis in axes]  # the first points need no more
    for axis, values in zip(axes, rows):
        _check_different(axis, values)
    points = itertools.islice(itertools.product(*rows), limit)
    together = tuple(tuple(values.parameter.name for values in axis) for axis in axes)
    names = tuple(itertools.chain.from_iterable(together))
    return Grid(names, together, [tuple(itertools.chain.from_iterable(point)) for point in points])


def title(names, values):
    """A point as the user would type it; no two points of a sweep have the same."""
    return " ".join(f"{name}={text(value)}" for name, value in zip(names, values))


def text(value):
    """A value on one line, as it stands in titles and tables."""
    if isinstance(value, str) and PLAIN.fullmatch(value):
        return value
    return json.dumps(value, ensure_ascii=False)


def _read(notebook, paper, kind, option):
    name, equals, given = option.partition("=")
    name = name.strip()
    if not (equals and name):
        raise InvalidGrid(f"--{kind} takes name=value,value or name=start:stop:step, not {shown(option)}")
    parameter = find(notebook, name, paper)
    if not given.strip():
        raise InvalidGrid(f"--{kind} {name}= gives no values")
    return Values(parameter, tuple(_part(parameter, part) for part in _split(parameter, given)))


def _part(parameter, part):
    default = parameter.default
    if isinstance(default, list) and not part.strip().startswith(tuple(OPENING)):
        raise InvalidGrid(
            f"{parameter.name} takes a list: write each of its values in brackets, as in "
            f"--grid {parameter.name}=[{part.strip()[:20]}],[...]"
        )
    if _may_be_range(default, part):
        return Range(parameter, part)
    bare = part.strip()
    if parameter.type_name == "list of str" and re.fullmatch(r"\[[^\[\]'\"]+\]", bare):
        return (parse(parameter, bare[1:-1]),)
    if isinstance(default, str) and len(bare) > 1 and bare[0] in QUOTES and bare[-1] == bare[0]:
        part = bare[1:-1]
    return (parse(parameter, part),)


def _may_be_range(default, part):
    if default is None:
        return re.fullmatch(r"[\s\d.eE+-]+(:[\s\d.eE+-]+){2}", part)
    return ":" in part and type(default) in (int, float)


def _split(parameter, given):
    """At commas, but those in brackets or in quotes."""
    nested = not isinstance(parameter.default, str)
    parts, depth, quote = [""], 0, ""
    for character in given:
        if quote:
            quote = "" if character == quote else quote
        elif character in QUOTES and (depth or not parts[-1].strip()):
            quote = character
        elif nested and character in OPENING:
            depth += 1
        elif nested and character in CLOSING:
            depth -= 1
        elif character == "," and not depth:
            parts.append("")
            continue
        parts[-1] += character
    if depth or quote:
        raise InvalidGrid(f"{parameter.name}: a bracket or quote of {shown(given)} is left open")
    return parts


def _check_lengths(zipped):
    if len({values.count for values in zipped}) > 1:
        lengths = ", ".join(f"{values.parameter.name} has {values.count:,}" for values in zipped)
        raise InvalidGrid(f"--zip walks its parameters together, they need equally many values: {lengths}")


def _check_size(count, large):
    if count > MOST:
        raise InvalidGrid(f"a grid of {_amount(count)} points: more than {MOST:,} need --limit N")
    if count > MANY and not large:
        raise InvalidGrid(f"a grid of {count:,} points: give --yes to run more than {MANY:,}, or --limit N")


def _amount(count):
    return f"{count:,}" if count < 10**15 else f"about 10^{len(str(count)) - 1 if count < 10**4000 else 4000}"


def _check_different(axis, rows):
    names = [values.parameter.name for values in axis]
    seen = set()
    for row in rows:
        said = title(names, row)
        if said in seen:
            raise InvalidGrid(f"{shown(said)} is among the values twice")
        seen.add(said)

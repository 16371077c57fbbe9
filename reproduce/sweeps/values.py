"""Values of one parameter in the form of --grid and --zip: `v1,v2`, `start:stop:step`, or both mixed."""

import itertools
import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation, localcontext

from reproduce.errors import InvalidGrid, shown
from reproduce.planning.parameters import find, parse

DIGITS = 1000  # more than the range of floats spans, so that no sum of start and steps is rounded
OPENING, CLOSING, QUOTES = "[(", "])", "'\""


@dataclass(frozen=True)
class Values:
    """Values that one --grid or --zip gives to one parameter; ranges are not expanded yet."""

    parameter: object
    parts: tuple  # each a Range, or the tuple of one value

    @property
    def count(self):
        return sum(part.count if isinstance(part, Range) else 1 for part in self.parts)

    def __iter__(self):
        return itertools.chain.from_iterable(self.parts)


class Range:
    """Range of values of one numeric parameter, in decimal arithmetic; counted without being expanded.

    Parameters
    ----------
    parameter : Parameter
        Each value has the type of its default.
    text : str
        `start:stop:step`; the range includes the stop if a step lands on it. The step may be negative.
    """

    def __init__(self, parameter, text):
        self.parameter = parameter
        parts = [part.strip() for part in text.split(":")]
        if len(parts) != 3:
            raise InvalidGrid(
                f"{parameter.name}: a range must be start:stop:step, as in 0:1:0.25, got {shown(text)}"
            )
        values = [parse(parameter, part) for part in parts]
        if not all(type(value) in (int, float) for value in values):
            raise InvalidGrid(f"{parameter.name}: a range must be of numbers, got {shown(text)}")
        exact = all(type(value) is int for value in values)
        try:
            # From the text: the float of 0.1 is not 0.1, and many steps would add up the difference.
            start, stop, step = [Decimal(v if exact else p) for v, p in zip(values, parts)]
        except InvalidOperation:
            raise InvalidGrid(
                f"{parameter.name}: a range must be in decimal numbers, got {shown(text)}"
            ) from None
        if not values[2]:
            raise InvalidGrid(f"{parameter.name}: the step of a range must not be zero, got {shown(text)}")
        if (stop - start) * step < 0:
            raise InvalidGrid(
                f"{parameter.name}: the step of a range must lead from start to stop, got {shown(text)}"
            )
        self.start, self.step = start, step
        with localcontext(prec=DIGITS):
            try:
                self.count = int((stop - start) // step) + 1
            except InvalidOperation:
                raise InvalidGrid(f"{parameter.name}: the step of {shown(text)} is too small") from None

    def __iter__(self):
        for i in range(self.count):
            with localcontext(prec=DIGITS):
                value = self.start + i * self.step
            yield parse(self.parameter, str(value))


def read_value(notebook, paper, kind, option):
    """Read the values of one option.

    Parameters
    ----------
    kind : str
        `grid` or `zip`.
    option : str
        `name=values`.
    """
    name, equals, given = option.partition("=")
    name = name.strip()
    if not (equals and name):
        raise InvalidGrid(f"--{kind} takes name=value,value or name=start:stop:step, not {shown(option)}")
    parameter = find(notebook, name, paper)
    if not given.strip():
        raise InvalidGrid(f"--{kind} {name}= must be followed by a value")
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
    """Split at the commas outside brackets and quotes."""
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
        raise InvalidGrid(f"{parameter.name}: a bracket or quote in {shown(given)} is not closed")
    return parts

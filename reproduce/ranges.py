"""`start:stop:step` in decimal arithmetic: the numbers a person would type, the last one included."""

from decimal import Decimal, InvalidOperation, localcontext

from reproduce.errors import InvalidGrid, shown
from reproduce.parameters import parse

DIGITS = 1000  # more than lie between the largest and the smallest float: nothing is ever rounded


class Range:
    """Values of one numeric parameter, counted without being made.

    Parameters
    ----------
    parameter : Parameter
        Its type is that of each value.
    text : str
        `start:stop:step`; the stop belongs to it where a step lands on it. The step may be negative.
    """

    def __init__(self, parameter, text):
        self.parameter = parameter
        parts = [part.strip() for part in text.split(":")]
        if len(parts) != 3:
            raise InvalidGrid(
                f"{parameter.name}: a range is start:stop:step, as in 0:1:0.25, not {shown(text)}"
            )
        values = [parse(parameter, part) for part in parts]
        if not all(type(value) in (int, float) for value in values):
            raise InvalidGrid(f"{parameter.name}: a range is of numbers, {shown(text)} is not")
        exact = all(type(value) is int for value in values)
        try:
            start, stop, step = [Decimal(v if exact else p) for v, p in zip(values, parts)]
        except InvalidOperation:
            raise InvalidGrid(f"{parameter.name}: write the range {shown(text)} in decimal numbers") from None
        if not values[2]:
            raise InvalidGrid(f"{parameter.name}: the step of {shown(text)} is zero")
        if (stop - start) * step < 0:
            raise InvalidGrid(f"{parameter.name}: {shown(text)} is empty, its step leads away from its end")
        self.start, self.step = start, step
        with localcontext(prec=DIGITS):
            try:
                self.count = int((stop - start) // step) + 1
            except InvalidOperation:
                raise InvalidGrid(f"{parameter.name}: the step of {shown(text)} is far too small") from None

    def __iter__(self):
        for i in range(self.count):
            with localcontext(prec=DIGITS):
                value = self.start + i * self.step
            yield parse(self.parameter, str(value))

"""The parameters cell of a notebook: a name, its default, its meaning and its allowed values on each line.

::

    n_runs = 400  # runs on each pool; integer in [2, 100000]
    eps = 0.1  # share of the margin that may be missed; number in (0, 1)
    sizes = [100, 1000]  # points; integers in [10, largest], ascending, 2 or more
    data = "bundled"  # which data; "bundled" or "full"
    exact = True  # whether the programme is solved; true or false

The allowed values stand behind the last semicolon. A square bracket includes its bound, a round one does not.
A bound is a number, or an expression of numbers and other parameters, such as ``n_train - 1``. An annotation,
as in ``n: int | None = None``, says of which types a value may be (`annotations`); None is outside of the
range then. The driver reads the cell before it starts a kernel, and `check_parameters` in the notebook reads
the same text.

Only the standard library may be imported here: the driver loads this file, too.
"""

import ast
import io
import math
import operator
import re
import tokenize
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from .annotations import Annotation

__all__ = ["InvalidCell", "Parameter", "check_parameters", "mistakes", "read_cell"]

_INTERVAL = re.compile(
    r"(?P<kind>integers?|numbers?) in (?P<left>[\[(])(?P<low>[^,]+),(?P<high>[^,]+?)(?P<right>[\])])"
    r"(?P<ascending>, ascending)?(?:, (?P<shortest>\d+) or more)?"
)
_CHOICES = re.compile(r'"[^"]*"(?: or "[^"]*")+')
_TRUTH = "true or false"
_OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}


class InvalidCell(ValueError):
    """A parameters cell that does not follow the form; `line` is the first line that does not.

    >>> read_cell("n = 1\\nn = 2")
    Traceback (most recent call last):
    ...
    paperlib.experiments.parameters.InvalidCell: n is assigned twice
    """

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True)
class Bound:
    """End of an interval: a number, or an expression of numbers and other parameters.

    The expression is parsed once, when the cell is read: a sweep evaluates it for each of its points.
    """

    text: str
    expression: ast.expr = field(repr=False, compare=False)
    names: frozenset[str]

    @classmethod
    def parse(cls, text: str) -> "Bound":
        """Read a bound; raise ``ValueError`` where `text` is neither a number nor made of parameters."""
        try:
            expression = ast.parse(text, mode="eval").body
            names = frozenset(node.id for node in ast.walk(expression) if isinstance(node, ast.Name))
            # Evaluated once to find out whether it can be; no difference of multiples of pi is zero.
            _evaluate(expression, dict.fromkeys(names, math.pi))
        except (SyntaxError, KeyError, TypeError, ZeroDivisionError):
            raise ValueError(f"the bound {text!r} is neither a number nor made of parameters") from None
        return cls(text, expression, names)

    def value(self, values: Mapping[str, Any]) -> float:
        """Return the number that the bound stands for, given the `values` of all parameters."""
        return _evaluate(self.expression, values)


@dataclass(frozen=True)
class Interval:
    """Numbers between two bounds; for a list, the range of each element, which may have to ascend."""

    text: str
    integer: bool
    many: bool
    low: Bound
    high: Bound
    includes_low: bool
    includes_high: bool
    ascending: bool
    shortest: int

    def complaint(self, value: Any, values: Mapping[str, Any]) -> str | None:
        """Return what is allowed where `value` is not, given the `values` of all parameters, else None."""
        if isinstance(value, list) is not self.many:
            return self.text
        elements = value if self.many else [value]
        if any(not self._contains(element, values) for element in elements):
            return self._resolved(values)
        if self.ascending and any(a >= b for a, b in pairwise(elements)):
            return self._resolved(values)
        return self._resolved(values) if len(elements) < self.shortest else None

    def _contains(self, value, values):
        kinds = (int,) if self.integer else (int, float)
        if isinstance(value, bool) or not isinstance(value, kinds) or not math.isfinite(value):
            return False
        low, high = self.low.value(values), self.high.value(values)
        above = value >= low if self.includes_low else value > low
        below = value <= high if self.includes_high else value < high
        return above and below

    def _resolved(self, values):
        """Return what is allowed, with the present value of each bound that depends on a parameter."""
        named = {bound.text: bound.value(values) for bound in (self.low, self.high) if bound.names}
        notes = [f"{text} is {value:g}" for text, value in named.items()]
        return self.text + (f" where {' and '.join(notes)}" if notes else "")

    def names(self) -> frozenset[str]:
        """Return the other parameters that the bounds depend on."""
        return self.low.names | self.high.names


@dataclass(frozen=True)
class Choice:
    """One of a few values."""

    text: str
    values: tuple[Any, ...]

    def complaint(self, value: Any, values: Mapping[str, Any]) -> str | None:
        """Return what is allowed where `value` is not, else None."""
        allowed = any(value == each and type(value) is type(each) for each in self.values)
        return None if allowed else self.text

    def names(self) -> frozenset[str]:
        """Return the other parameters that this depends on: none."""
        return frozenset()


@dataclass(frozen=True)
class Parameter:
    """One assignment of the parameters cell: ``name = default  # meaning; what is allowed``.

    >>> Parameter("sizes", [10, 100], "points").type_name
    'list of int'
    """

    name: str
    default: Any
    meaning: str = ""
    allowed: Interval | Choice | None = None
    annotation: Annotation | None = None

    @property
    def type_name(self) -> str:
        """What its annotation says, or the type of the default, in a word."""
        if self.annotation is not None:
            return self.annotation.text
        if self.default is None:
            return "any"
        if isinstance(self.default, list):
            return "list" if self.element is None else f"list of {self.element.__name__}"
        return type(self.default).__name__

    @property
    def element(self) -> type | None:
        """The type that all elements of a list's default share; None when they share none."""
        kinds = {type(x) for x in self.default}
        if kinds == {int, float}:
            return float
        return kinds.pop() if len(kinds) == 1 and kinds != {type(None)} else None


def read_cell(source: str) -> dict[str, Parameter]:
    """Read the parameters of a cell's source, in its order.

    Parameters
    ----------
    source : str
        Python code that holds assignments of literals only, each with a comment.

    Returns
    -------
    dict of str to Parameter

    Raises
    ------
    InvalidCell
        Where the cell holds another statement, a default that is no literal, a name twice, or a range that
        cannot be read or that depends on an unknown name.

    Examples
    --------
    >>> read_cell("eps = 0.1  # share that may be missed; number in (0, 1)")["eps"].meaning
    'share that may be missed'
    """
    try:
        statements = ast.parse(source).body
    except SyntaxError as error:
        raise InvalidCell(error.lineno or 1, error.msg) from None
    comments = _comments(source)
    parameters: dict[str, Parameter] = {}
    lines = {}
    for statement in statements:
        name = _assigned_name(statement)
        if name is None:
            if _is_text(statement):
                continue
            raise InvalidCell(statement.lineno, "only `name = literal` may stand there")
        if name in parameters:
            raise InvalidCell(statement.lineno, f"{name} is assigned twice")
        span = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
        comment = next((comments[line] for line in reversed(span) if line in comments), "")
        default = _default(name, statement)
        try:
            meaning, allowed = read_comment(comment)
            annotation = Annotation.of(statement, default)
        except ValueError as error:
            raise InvalidCell(statement.lineno, f"{name}: {error}") from None
        parameters[name] = Parameter(name, default, meaning, allowed, annotation)
        lines[name] = statement.lineno
    defaults = {name: parameter.default for name, parameter in parameters.items()}
    for name, parameter in parameters.items():
        unknown = parameter.allowed.names() - set(defaults) if parameter.allowed else set()
        if unknown:
            raise InvalidCell(lines[name], f"{name}: {min(unknown)} is no parameter of this cell")
    return parameters


def read_comment(comment: str) -> tuple[str, Interval | Choice | None]:
    """Split a comment into a parameter's meaning and its allowed values, None where none are stated.

    Raises
    ------
    ValueError
        Where the text behind the last semicolon begins like a statement of allowed values, and is none.
    """
    meaning, semicolon, text = (part.strip() for part in comment.rpartition(";"))
    if not semicolon:
        return comment, None
    if text == _TRUTH:
        return meaning, Choice(text, (True, False))
    if _CHOICES.fullmatch(text):
        return meaning, Choice(text, tuple(re.findall(r'"([^"]*)"', text)))
    found = _INTERVAL.fullmatch(text)
    if found:
        low, high = Bound.parse(found["low"].strip()), Bound.parse(found["high"].strip())
        kind = found["kind"]
        return meaning, Interval(
            text,
            kind.startswith("integer"),
            kind.endswith("s"),
            low,
            high,
            found["left"] == "[",
            found["right"] == "]",
            bool(found["ascending"]),
            int(found["shortest"] or 0),
        )
    if re.match(r'(integers?|numbers?) in|"|true or', text):
        raise ValueError(f"{text!r} does not say what is allowed, as in 'integer in [2, 100]'")
    return comment, None


def mistakes(parameters: Mapping[str, Parameter], values: Mapping[str, Any]) -> list[str]:
    """Return one line for each value that its parameter does not allow, which says what would be right.

    Parameters
    ----------
    parameters : mapping of str to Parameter
    values : mapping of str to value
        A parameter that has no value here takes its default.

    Returns
    -------
    list of str
        Empty where every value is allowed.

    Examples
    --------
    >>> cell = "n = 3  # points; integer in [2, 9]\\nk = 1  # of them; integer in [1, n]"
    >>> mistakes(read_cell(cell), {"n": 3, "k": 5})
    ['k must be an integer in [1, n] where n is 3, got 5']
    """
    values = {name: values.get(name, parameter.default) for name, parameter in parameters.items()}
    found = []
    for name, parameter in parameters.items():
        if parameter.annotation and not parameter.annotation.accepts(values[name]):
            found.append(f"{name} must be {parameter.annotation.text}, got {values[name]!r}")
            continue
        if parameter.annotation and values[name] is None:
            continue
        try:
            wrong = parameter.allowed.complaint(values[name], values) if parameter.allowed else None
        except (TypeError, ZeroDivisionError):  # a bound depends on a value that is a mistake itself
            wrong = parameter.allowed.text if parameter.allowed else None
        if wrong:
            found.append(f"{name} must be {_with_article(wrong)}, got {values[name]!r}")
    return found


def check_parameters(namespace: Mapping[str, Any]) -> None:
    """Check a notebook's parameters against the ranges that its own parameters cell states.

    Parameters
    ----------
    namespace : mapping
        The notebook's ``globals()``. IPython keeps the source of executed cells in ``In``, so the ranges
        need not be written a second time. Without ``In``, as in a script made from the notebook, nothing is
        checked.

    Returns
    -------
    None

    Raises
    ------
    ValueError
        With one line for each mistake: the parameter, what is allowed, and the value.

    Examples
    --------
    >>> cell = "seed = 0  # of draws; integer in [0, 9]\\nout_dir = None\\ndata = 'bundled'"
    >>> check_parameters({"In": ["", cell], "seed": 11, "out_dir": None, "data": "bundled"})
    Traceback (most recent call last):
    ...
    ValueError: seed must be an integer in [0, 9], got 11
    """
    for source in reversed(namespace.get("In", [])):
        try:
            parameters = read_cell(source)
        except InvalidCell:
            continue
        # Papermill's own cell assigns the same names but has no comments: the ranges are in the cell before.
        if {"seed", "out_dir", "data"} <= set(parameters) and any(p.allowed for p in parameters.values()):
            found = mistakes(parameters, {name: namespace.get(name) for name in parameters})
            if found:
                raise ValueError("\n".join(found))
            return


def _evaluate(node, values):
    if isinstance(node, ast.Name):
        return values[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_evaluate(node.operand, values)
    if isinstance(node, ast.BinOp):
        return _OPERATORS[type(node.op)](_evaluate(node.left, values), _evaluate(node.right, values))
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value
    raise TypeError(ast.unparse(node))


def _with_article(text):
    if text.startswith("integer "):
        return f"an {text}"
    return f"a {text}" if text.startswith("number ") else text


def _default(name, statement):
    try:
        default = ast.literal_eval(statement.value)
    except (ValueError, TypeError, SyntaxError):
        default = ...
    scalars = (bool, int, float, str, type(None))
    elements = default if isinstance(default, list) else [default]
    if all(isinstance(element, scalars) for element in elements):
        return default
    message = f"the default of {name} must be a literal number, string, True, False, None or a list of these"
    raise InvalidCell(statement.lineno, f"{message}, got {ast.unparse(statement.value)}")


def _assigned_name(statement):
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        target = statement.target
    else:
        return None
    return target.id if isinstance(target, ast.Name) else None


def _is_text(statement):
    """Return whether a statement is a bare string, which a reader may use as a long comment."""
    return isinstance(statement, ast.Expr) and isinstance(getattr(statement.value, "value", None), str)


def _comments(source):
    """Return ``{line number: comment}``."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {t.start[0]: t.string.lstrip("#").strip() for t in tokens if t.type == tokenize.COMMENT}

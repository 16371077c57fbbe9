"""Values of a notebook's parameters, read from text and checked against the type of the default."""

import ast
import math

from reproduce.errors import InvalidParameter, UnknownName, UsageError, shown
from reproduce.planning.notebook import RESERVED
from reproduce.reading import LARGEST_FLOAT

REFUSED = {
    "out_dir": "out_dir is set by the driver, which prints at the end where the results are",
    "data": "data is chosen with --data bundled or --data full, not with -p or --grid",
}
BOOLEANS = {"true": True, "false": False}


def split_assignments(texts):
    """Split `["a=1", "b=x"]` into `{"a": "1", "b": "x"}`."""
    given = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not (equals and name):
            raise UsageError(f"-p takes name=value, not {shown(text)}")
        if name in given:
            raise UsageError(f"-p {shown(name)} is given twice")
        given[name] = value
    return given


def from_text(notebook, texts, paper):
    """Return typed overrides of one paper's parameters, from the command line's text.

    Raises
    ------
    UsageError
        With a line for each name or value that is wrong.
    """
    found, wrong = {}, []
    for name, text in texts.items():
        try:
            found[name] = parse(find(notebook, name, paper), text)
        except UsageError as error:
            wrong.append(error)
    if len(wrong) == 1:
        raise wrong[0]
    if wrong:
        raise InvalidParameter("\n".join(map(str, wrong)))
    return found


def find(notebook, name, paper):
    """Return the parameter of that name; raise an error if it is unknown or not the user's to set."""
    if name in REFUSED:
        raise UsageError(REFUSED[name])
    if name not in notebook.parameters:
        raise UnknownName(f"parameter of {paper}", name, set(notebook.parameters) - set(RESERVED))
    return notebook.parameters[name]


def parse(parameter, text):
    """Read a value of the type of the parameter's default from text."""
    default = parameter.default
    if parameter.annotation is not None:
        return check_value(parameter, _annotated(parameter, text))
    if isinstance(default, str):
        return check_value(parameter, text)
    text = text.strip()
    if isinstance(default, list):
        return check_value(parameter, _parse_list(parameter, text))
    if isinstance(default, bool):
        return check_value(parameter, BOOLEANS.get(text.lower(), text))
    value = _literal(text)
    if isinstance(default, float) and isinstance(value, str):
        value = _float(value)
    return check_value(parameter, value)


def check_value(parameter, value):
    """Return `value` in the type of the parameter's default; raise an error where it is of another type.

    Where the parameter has an annotation, this says what the type may be.
    """
    default, annotation = parameter.default, parameter.annotation
    if annotation is not None:
        if not annotation.accepts(value):
            raise _wrong(parameter, value)
        for each in value if isinstance(value, list) else [value]:
            _scalar(parameter, each, None)
        try:
            return annotation.converted(value)
        except OverflowError:
            raise _wrong(parameter, value, " (too large)") from None
    if isinstance(default, list):
        if not isinstance(value, list):
            raise _wrong(parameter, value)
        element = parameter.element
        return [_scalar(parameter, x, element) for x in value]
    return _scalar(parameter, value, None if default is None else type(default))


def _scalar(parameter, value, kind):
    if kind is float and type(value) is int:
        try:
            value = float(value)
        except OverflowError:
            raise _wrong(parameter, value, " (too large)") from None
    if not isinstance(value, bool | int | float | str | None) or (kind and type(value) is not kind):
        raise _wrong(parameter, value)
    if type(value) is int and abs(value) > LARGEST_FLOAT:  # a range may not be checked beyond it
        raise _wrong(parameter, value, " (too large)")
    if isinstance(value, float) and not math.isfinite(value):
        raise _wrong(parameter, value, " (finite)")
    if isinstance(value, str) and not value.isprintable():
        raise _wrong(parameter, value, " (printable, UTF-8)")
    return value


def _annotated(parameter, text):
    """Read text as what its annotation accepts: a literal, a list without brackets, or the text itself."""
    annotation, bare = parameter.annotation, text.strip()
    literal = BOOLEANS.get(bare.lower(), _literal(bare))
    literal = list(literal) if isinstance(literal, tuple | list) else literal
    readings = [text if isinstance(literal, str) else literal, text]
    if float in annotation.kinds and str not in annotation.kinds:
        readings.insert(1, _float(bare))  # so that the error can say "finite"
    if annotation.elements is not None and not bare.startswith("["):
        parts = [part.strip() for part in bare.split(",")] if bare else []
        readings[-1:] = [list(map(_literal, parts)), parts, text]
    return next(filter(annotation.accepts, readings), readings[0])


def _parse_list(parameter, text):
    value = _literal(text)
    if isinstance(value, tuple | list):
        return list(value)
    if text.startswith("["):
        raise _wrong(parameter, text)
    parts = [part.strip() for part in text.split(",")] if text else []
    if parameter.element is str:
        return parts
    if parameter.element is bool:
        return [BOOLEANS.get(part.lower(), part) for part in parts]
    return [_literal(part) for part in parts]


def _literal(text):
    try:
        return ast.literal_eval(text)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return text


def _float(text):
    try:
        return float(text)  # reads "inf" and "nan", so that the error can say "finite"
    except ValueError:
        return text


def _wrong(parameter, value, more=""):
    return InvalidParameter(
        f"{parameter.name} takes {_article(parameter.type_name)}{more}, as in "
        f"{parameter.name}={_as_given(parameter.default)}, not {shown(value)}"
    )


def _article(name):
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"


def _as_given(default):
    if isinstance(default, list):
        return ",".join(map(_as_given, default)) or "[]"
    return (
        str(default).lower()
        if isinstance(default, bool)
        else shown(default)
        if default is None
        else str(default)
    )

"""Files that the driver reads, so that one that is damaged is one clear error, and no traceback.

A file may be deep or huge, cut short, in another encoding, or hold other types than we write: whatever it is,
the functions here raise a ValueError. `typed` holds what was read against a form:

- a type; `float` stands for a number that a float can hold, `int` for one of 64 bits, and True is neither
- `[form]`, a list of such
- `{str: form}`, an object of such under any names
- `{"name": form, "other?": form}`, an object with these names and any others; the second may be missing
- `(form, form)`, one of several
"""

import csv
import json
import re
import sys
import tomllib
from types import NoneType

from reproduce.errors import UsageError, shown

DEPTH = 100  # our own files nest 10 deep
TOO_DEEP = f"nested too deeply: at most {DEPTH} levels"
LARGEST = {"TOML": 4 << 20, "JSON": 256 << 20}  # bytes; ours have up to 0.3 and 1.5 MB
LARGEST_FLOAT = int(sys.float_info.max)
CALLED = {
    str: "a text",
    bool: "true or false",
    int: "an integer of 64 bits",
    float: "a number",
    list: "a list",
    dict: "an object",
    None: "null",
}
DECLARED = {
    "project?": {
        "name?": str,
        "dependencies?": [str],
        "optional-dependencies?": {str: [str]},
        "urls?": {str: str},
    }
}
# tomllib takes quadratic time for a key of many parts, as in [a.b.c], which 4 MB have room for.
_KEY = r"""(?:[\w-]+|"[^"\n]*"|'[^'\n]*')"""
_DEEP_KEY = re.compile(rf"(?:^|[\[{{,])[ \t]*(?:{_KEY}[ \t]*\.[ \t]*){{{DEPTH}}}", re.MULTILINE)


def toml(path):
    """Read a TOML file; OSError or ValueError where it cannot be."""
    return toml_text(toml_source(path))


def toml_source(path):
    """Read the text of a TOML file; OSError or ValueError where it cannot be."""
    return _text(path, "TOML")


def toml_text(text):
    """Read TOML from a text; ValueError where it cannot be."""
    if _DEEP_KEY.search(text):
        raise ValueError(TOO_DEEP)
    return _parsed(tomllib.loads, text)


def declared(pyproject):
    """Return what a pyproject.toml declares in [project], nothing if there is no such file."""
    if not pyproject.exists():
        return {}
    try:
        return typed(toml(pyproject), DECLARED).get("project", {})
    except (OSError, ValueError) as error:
        raise UsageError(f"{pyproject}: {error}") from None


def json_file(path, form=object):
    """Read a JSON file; OSError or ValueError where it cannot be, or has another form."""
    return typed(json_text(_text(path, "JSON")), form)


def json_text(text):
    """Read JSON from a text or from bytes; ValueError where it cannot be."""
    content = _parsed(json.loads, text)
    if ("\\ud" if isinstance(text, str) else b"\\ud") in text.lower():  # half of a character, perhaps
        json.dumps(content, ensure_ascii=False).encode()
    return content


def text(path):
    """Read a text that a command cannot do without; UsageError where it is none."""
    try:
        return path.read_text(encoding="utf-8")
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from None


def csv_rows(path, columns):
    """Read a table with a header as a list of dicts of texts; OSError or ValueError where it cannot be.

    Columns may be more than those named; every row has a text in each.
    """
    header, *rows = csv_lines(path)
    if missing := [name for name in columns if name not in header]:
        raise ValueError(f"it has no column {missing[0]}")
    return [dict(zip(header, row, strict=True)) for row in rows]


def csv_lines(path):
    """Read a table as lists of texts; OSError or ValueError where it cannot be."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return list(csv.reader(file))
    except csv.Error as error:
        raise ValueError(str(error)) from None


def count(text):
    """Read how many there are of something; ValueError where that is no number of 64 bits."""
    if not re.fullmatch(r"\d{1,18}", text, re.ASCII):
        raise ValueError(f"{shown(text)} is no count")
    return int(text)


def typed(content, form, what="it"):
    """Return what was read from a file; ValueError where it is not of that form.

    >>> typed({"seconds": 3, "files": {"a": None}}, {"seconds": float, "files": {str: (str, None)}})
    {'seconds': 3, 'files': {'a': None}}
    >>> typed({"files": {"a": []}}, {"files": {str: (str, None)}})
    Traceback (most recent call last):
        ...
    ValueError: `files`.`a` must be a text or null, got []
    """
    if not _is(content, form):
        raise ValueError(f"{what} must be {_called(form)}, got {shown(content)}")
    if isinstance(form, list):
        for number, each in enumerate(content):
            typed(each, form[0], f"{what}[{number}]")
    elif isinstance(form, dict):
        for name, its in form.items():
            if name is str:
                for key, each in content.items():
                    typed(each, its, _inside(what, key))
            elif name.removesuffix("?") in content:
                typed(content[name.removesuffix("?")], its, _inside(what, name.removesuffix("?")))
            elif not name.endswith("?"):
                raise ValueError(f"{_inside(what, name)} is missing")
    return content


def _is(content, form):
    """Return whether a value is of a form; only the outermost is asked, where it is not one of several."""
    if isinstance(form, tuple):
        return any(_is(content, each) and _fits(content, each) for each in form)
    if form is float or form is int:
        largest = 2**63 if form is int else LARGEST_FLOAT
        return type(content) is float is form or (type(content) is int and -largest <= content <= largest)
    kind = type(form) if isinstance(form, list | dict) else form or NoneType
    return isinstance(content, kind)


def _fits(content, form):
    try:
        typed(content, form)
    except ValueError:
        return False
    return True


def _called(form):
    if isinstance(form, tuple):
        return " or ".join(map(_called, form))
    if isinstance(form, list | dict):
        return "a list" if isinstance(form, list) else "an object"
    return CALLED.get(form, f"a {form}")


def _inside(what, name):
    return f"`{name}`" if what == "it" else f"{what}.`{name}`"


def _text(path, kind):
    size, largest = path.stat().st_size, LARGEST[kind]
    if size > largest:
        raise ValueError(f"{size / 2**20:.0f} MiB are no {kind} file of ours: at most {largest >> 20} MiB")
    return path.read_text(encoding="utf-8")


def _parsed(parse, text):
    try:
        content = parse(text)
        if _depth(content) <= DEPTH:
            return content
    except RecursionError:
        pass  # the parser's own limit, which is beyond ours
    raise ValueError(TOO_DEEP)


def _depth(content):
    """Return how deep lists and tables nest, without recursion; `DEPTH + 1` for all that is deeper."""
    level, depth = [content], 0
    while depth <= DEPTH:
        level = [each for each in level if isinstance(each, dict | list)]
        if not level:
            break
        depth += 1
        level = [item for each in level for item in (each.values() if isinstance(each, dict) else each)]
    return depth

"""Ways to damage a file: its bytes, and the types and values in JSON, TOML and CSV."""

import json
import tomllib
from functools import partial

HUGE = 10**400
VALUES = [
    None,
    True,
    -1,
    1.5,
    HUGE,
    1e300,
    "",
    "text",
    "a\0b",
    "\ud800",
    [],
    ["a"],
    [None],
    {},
    {"a": {}},
    ...,
]
CELLS = ("", "text", "-1", "9" * 400, "1e999", "nan", "\0", '"')
BYTES = {
    "empty": lambda raw: b"",
    "half": lambda raw: raw[: len(raw) // 2],
    "zeros": lambda raw: bytes(len(raw)),
    "no UTF-8": lambda raw: b"\xff\xfe" + raw,
    "another end of it": lambda raw: raw[: len(raw) // 2] + b"\0\x80]}" + raw[len(raw) // 2 :],
    "[]": lambda raw: b"[]",
    "null": lambda raw: b"null",
    "deep": lambda raw: b"[" * 100_000,
    "a long field": lambda raw: raw[:9] + b"x" * 200_000 + raw[9:],
    "an open quote": lambda raw: raw[:1] + b'"' + raw[1:],
    "a line less": lambda raw: b"".join(raw.splitlines(True)[1:]),
}


def places(part, path=()):
    """Yield where the parts of some content are, at whatever depth."""
    yield path
    inner = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, each in inner:
        yield from places(each, (*path, key))


def other(content, path, value):
    """Return content with one part of it of another type, or left out."""
    if not path:
        return value
    content = json.loads(json.dumps(content))
    part = content
    for key in path[:-1]:
        part = part[key]
    if value is ...:
        del part[path[-1]]
    else:
        part[path[-1]] = value
    return content


def as_toml(content):
    """A table as TOML, in which JSON's values are written inline."""

    def text(value):
        if isinstance(value, dict):
            return "{" + ", ".join(f"{json.dumps(key)} = {text(each)}" for key, each in value.items()) + "}"
        return f"[{', '.join(map(text, value))}]" if isinstance(value, list) else json.dumps(value)

    return "".join(f"{json.dumps(key)} = {text(value)}\n" for key, value in content.items())


def damages(name, raw):
    """Return the ways to damage a file: functions that give its bytes."""
    ways = [partial(damage, raw) for damage in BYTES.values()]
    if name.endswith((".json", ".ipynb")):
        content = json.loads(raw)
        cases = [(path, value) for path in places(content) for value in VALUES if path or value is not ...]
        ways += [lambda case=case: json.dumps(other(content, *case)).encode() for case in cases]
    elif name.endswith(".toml"):
        content = tomllib.loads(raw.decode())
        values = [value for value in VALUES if value not in (None, [None])]  # TOML has no null
        cases = [(path, value) for path in places(content) for value in values if path]
        ways += [lambda case=case: as_toml(other(content, *case)).encode() for case in cases]
    elif name.endswith(".csv"):
        rows = [line.split(",") for line in raw.decode().splitlines()]
        cells = [
            (i, j, cell) for i, row in enumerate(rows) for j in range(len(row)) for cell in (*CELLS, None)
        ]
        ways += [lambda case=case: other_cell(rows, *case) for case in cells]
    return ways


def other_cell(rows, i, j, cell):
    """Return a table with another text in a cell, or, for None, without it."""
    rows = [*rows[:i], [*rows[i][:j], *([] if cell is None else [cell]), *rows[i][j + 1 :]], *rows[i + 1 :]]
    return "\n".join(map(",".join, rows)).encode()

"""TOML and JSON files, read so that a deep or huge one is one clear error, and no traceback."""

import json
import re
import tomllib

from reproduce.errors import UsageError

DEPTH = 100  # our own files nest 10 deep
TOO_DEEP = f"nested too deeply: at most {DEPTH} levels"
LARGEST = {"TOML": 4 << 20, "JSON": 256 << 20}  # bytes; ours have up to 0.3 and 1.5 MB
# tomllib takes quadratic time for a key of many parts, as in [a.b.c], which 4 MB have room for.
_KEY = r"""(?:[\w-]+|"[^"\n]*"|'[^'\n]*')"""
_DEEP_KEY = re.compile(rf"(?:^|[\[{{,])[ \t]*(?:{_KEY}[ \t]*\.[ \t]*){{{DEPTH}}}", re.MULTILINE)


def toml(path):
    """Read a TOML file; OSError or ValueError where it cannot be."""
    text = _text(path, "TOML")
    if _DEEP_KEY.search(text):
        raise ValueError(TOO_DEEP)
    return _parsed(tomllib.loads, text)


def declared(pyproject):
    """Return what a pyproject.toml declares in [project], nothing if there is no such file."""
    if not pyproject.exists():
        return {}
    try:
        table = toml(pyproject).get("project", {})
    except (OSError, ValueError) as error:
        raise UsageError(f"{pyproject}: {error}") from None
    if not isinstance(table, dict):
        raise UsageError(f"{pyproject}: [project] must be a table")
    return table


def json_file(path):
    """Read a JSON file; OSError or ValueError where it cannot be."""
    return json_text(_text(path, "JSON"))


def json_text(text):
    """Read JSON from a text or from bytes; ValueError where it cannot be."""
    return _parsed(json.loads, text)


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

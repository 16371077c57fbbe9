"""Notebooks as the driver sees them: cells, parameters, and a digest of the code.

Read as plain JSON: a driver that has nothing to do must not pay for importing the engine.
"""

import ast
import hashlib
import io
import json
import tokenize
from dataclasses import dataclass

from reproduce.errors import InvalidNotebook

RESERVED = ("out_dir", "data")
REQUIRED = ("seed", *RESERVED)
SCALARS = (bool, int, float, str, type(None))


@dataclass(frozen=True)
class Parameter:
    """One assignment of the parameters cell: `name = default  # meaning, unit`."""

    name: str
    default: object
    meaning: str = ""

    @property
    def type_name(self):
        if self.default is None:
            return "any"
        if isinstance(self.default, list):
            element = self.element
            return "list" if element is None else f"list of {element.__name__}"
        return type(self.default).__name__

    @property
    def element(self):
        """The type that all elements of a list's default share, or None."""
        kinds = {type(x) for x in self.default}
        if kinds == {int, float}:
            return float
        return kinds.pop() if len(kinds) == 1 and kinds != {type(None)} else None


@dataclass(frozen=True)
class Notebook:
    """The bytes of a notebook and what was read from them."""

    path: object
    raw: bytes
    cells: tuple
    parameters_cell: int  # index among all cells
    parameters: dict  # name -> Parameter, in the notebook's order

    @property
    def sha256(self):
        """Digest of the bytes."""
        return hashlib.sha256(self.raw).hexdigest()

    def digest(self):
        """Return the sha256 of type, source and tags of each cell, which decide the results.

        Not the outputs, execution counts, ids or metadata, so that opening it in JupyterLab changes nothing.
        """
        content = [[cell["cell_type"], _source(cell), _tags(cell)] for cell in self.cells]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def read(path):
    """Read a notebook and check all that a run relies on."""
    name = f"{path.parent.name}/{path.name}"
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InvalidNotebook(f"{name}: cannot be read: {error.strerror}") from None
    try:
        content = json.loads(raw)
        if content["nbformat"] != 4:
            raise InvalidNotebook(
                f"{name}: nbformat {content['nbformat']}, open and save it in JupyterLab (4)"
            )
        cells = tuple(content["cells"])
        tagged = [
            i for i, cell in enumerate(cells) if cell["cell_type"] == "code" and "parameters" in _tags(cell)
        ]
        [_source(cell) for cell in cells]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidNotebook(f"{name}: not a Jupyter notebook ({error or type(error).__name__})") from None
    if not tagged:
        raise InvalidNotebook(f"{name}: no code cell is tagged `parameters`, tag the one that holds them")
    parameters = _parameters(_source(cells[tagged[0]]), f"{name}, parameters cell")
    missing = [p for p in REQUIRED if p not in parameters]
    if missing:
        raise InvalidNotebook(f"{name}: the parameters cell must assign {', '.join(missing)}")
    return Notebook(path, raw, cells, tagged[0], parameters)


def _source(cell):
    source = cell["source"]
    return source if isinstance(source, str) else "".join(source)


def _tags(cell):
    return sorted(cell.get("metadata", {}).get("tags", []))


def _parameters(source, where):
    try:
        statements = ast.parse(source).body
    except SyntaxError as error:
        raise InvalidNotebook(f"{where}, line {error.lineno}: {error.msg}") from None
    meanings = _comments(source)
    parameters = {}
    for statement in statements:
        name = _assigned_name(statement)
        if name is None:
            if _is_text(statement):
                continue
            raise InvalidNotebook(f"{where}, line {statement.lineno}: only `name = literal` may stand there")
        try:
            default = ast.literal_eval(statement.value)
        except (ValueError, TypeError, SyntaxError):
            default = ...
        if not (isinstance(default, SCALARS) or _is_flat_list(default)):
            raise InvalidNotebook(
                f"{where}, line {statement.lineno}: the default of {name} must be a literal number, string, "
                "True, False, None or a short list of these"
            )
        if name in parameters:
            raise InvalidNotebook(f"{where}, line {statement.lineno}: {name} is assigned twice")
        lines = range(statement.lineno, statement.end_lineno + 1)
        meaning = next((meanings[line] for line in reversed(lines) if line in meanings), "")
        parameters[name] = Parameter(name, default, meaning)
    return parameters


def _assigned_name(statement):
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        target = statement.target
    else:
        return None
    return target.id if isinstance(target, ast.Name) else None


def _is_text(statement):
    return isinstance(statement, ast.Expr) and isinstance(getattr(statement.value, "value", None), str)


def _is_flat_list(value):
    return isinstance(value, list) and all(isinstance(x, SCALARS) for x in value)


def _comments(source):
    """Return `{line: comment}`."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {t.start[0]: t.string.lstrip("#").strip() for t in tokens if t.type == tokenize.COMMENT}

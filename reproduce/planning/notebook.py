"""Notebooks as the driver reads them: cells, parameters, and a digest of what is executed.

They are read as plain JSON: importing nbformat takes longer than all that a driver with nothing to run does.
"""

import hashlib
import json
import math
from dataclasses import dataclass

from reproduce import reading
from reproduce.errors import InvalidNotebook, shown
from reproduce.library import InvalidCell, read_cell
from reproduce.planning import assigned, syntax

RESERVED = ("out_dir", "data")
REQUIRED = ("seed", *RESERVED)
PARAMETERS = "parameters"  # papermill's tag of their cell


@dataclass(frozen=True)
class Notebook:
    """Bytes of a notebook, and the cells and parameters read from them."""

    path: object
    raw: bytes
    cells: tuple
    parameters_cell: int  # index among all cells
    parameters: dict  # name -> Parameter, in the notebook's order
    seconds: float | None = None  # about how long the paper profile takes, by the notebook's metadata

    @property
    def sha256(self):
        """SHA-256 of the bytes."""
        return hashlib.sha256(self.raw).hexdigest()

    @property
    def code(self):
        """The source and the tags of each code cell."""
        return [[_source(cell), _tags(cell)] for cell in self.cells if cell["cell_type"] == "code"]

    def digest(self):
        """Return the SHA-256 of what is executed of each code cell, and of its tags.

        Prose, outputs, execution counts, ids and other metadata are left out, so that saving the notebook in
        JupyterLab without an edit changes nothing. So are the annotations of parameters, which say what is
        allowed: the values that were given have a component of the key for themselves.
        """
        return hashlib.sha256(json.dumps(executed(self.code)).encode()).hexdigest()


def executed(code):
    """Return what is executed of code cells, given as `Notebook.code`."""
    # A cell with magics is no Python, and all of its text counts.
    # What comes first in a cell is shown, where it is a text, and no docstring.
    return [
        [syntax.written(f"0\n{source}", annotated=PARAMETERS not in tags) or source, tags]
        for source, tags in code
    ]


def read_notebook(path):
    """Read a notebook and check everything that a run relies on."""
    name = f"{path.parent.name}/{path.name}"
    try:
        return parse(path, path.read_bytes())
    except OSError as error:
        raise InvalidNotebook(f"{name}: cannot be read: {error.strerror}") from None


def parse(path, raw):
    """Read a notebook from the bytes of some version of its file, and check them."""
    name = f"{path.parent.name}/{path.name}"
    try:
        content = reading.json_text(raw)
        if content["nbformat"] != 4:
            raise InvalidNotebook(
                f"{name}: nbformat must be 4, got {content['nbformat']}: open and save it in JupyterLab"
            )
        cells = tuple(content["cells"])
        tagged = [
            i for i, cell in enumerate(cells) if cell["cell_type"] == "code" and PARAMETERS in _tags(cell)
        ]
        [_source(cell) for cell in cells]
        seconds = _seconds(content.get("metadata"))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidNotebook(f"{name}: not a Jupyter notebook ({error or type(error).__name__})") from None
    if not tagged:
        raise InvalidNotebook(f"{name}: no code cell is tagged `parameters`: tag the cell that assigns them")
    if len(tagged) > 1:
        numbers = " and ".join(str(i + 1) for i in tagged)
        raise InvalidNotebook(f"{name}: cells {numbers} are tagged `parameters`: tag the first alone")
    parameters = _parameters(_source(cells[tagged[0]]), f"{name}, parameters cell")
    missing = [p for p in REQUIRED if p not in parameters]
    if missing:
        raise InvalidNotebook(f"{name}: the parameters cell must assign {', '.join(missing)}")
    _check_assignments(cells, tagged[0], parameters, name)
    return Notebook(path, raw, cells, tagged[0], parameters, seconds)


def _check_assignments(cells, tagged, parameters, name):
    """Raise an error where a later cell assigns a parameter, or may: what a user gives would not count."""
    for number, cell in enumerate(cells[tagged + 1 :], tagged + 2):
        if cell["cell_type"] != "code":
            continue
        source, why = _source(cell), "for a parameter keeps the value that it was given"
        found = assigned.names(source)
        if again := [parameter for parameter in parameters if parameter in found]:
            raise InvalidNotebook(
                f"{name}, cell {number}: {', '.join(again)} must not be assigned, {why}: choose another name"
            )
        if part := assigned.hidden(source):
            raise InvalidNotebook(
                f"{name}, cell {number}: {shown(part)} may assign a parameter, which must not be, {why}: "
                "write what it assigns by name"
            )


def _seconds(metadata):
    """Return the time that the metadata name; it is only a hint, and whatever else stands there is None."""
    own = metadata.get("reproduce") if isinstance(metadata, dict) else None
    seconds = own.get("seconds") if isinstance(own, dict) else None
    return seconds if type(seconds) in (int, float) and 0 < seconds < math.inf else None


def _source(cell):
    source = cell["source"]
    return source if isinstance(source, str) else "".join(source)


def _tags(cell):
    return sorted(cell.get("metadata", {}).get("tags", []))


def _parameters(source, where):
    try:
        return read_cell(source)
    except InvalidCell as error:
        raise InvalidNotebook(f"{where}, line {error.line}: {error}") from None

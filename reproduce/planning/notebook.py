"""Notebooks as the driver reads them: cells, parameters, and a digest of the code.

They are read as plain JSON: importing nbformat takes longer than all that a driver with nothing to run does.
"""

import hashlib
import json
from dataclasses import dataclass

from reproduce.errors import InvalidNotebook
from reproduce.library import InvalidCell, read_cell

RESERVED = ("out_dir", "data")
REQUIRED = ("seed", *RESERVED)


@dataclass(frozen=True)
class Notebook:
    """Bytes of a notebook, and the cells and parameters read from them."""

    path: object
    raw: bytes
    cells: tuple
    parameters_cell: int  # index among all cells
    parameters: dict  # name -> Parameter, in the notebook's order

    @property
    def sha256(self):
        """SHA-256 of the bytes."""
        return hashlib.sha256(self.raw).hexdigest()

    def digest(self):
        """Return the SHA-256 of type, source and tags of each cell, which decide the results.

        Outputs, execution counts, ids and other metadata are left out, so that saving the notebook in
        JupyterLab without an edit changes nothing.
        """
        content = [[cell["cell_type"], _source(cell), _tags(cell)] for cell in self.cells]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def read(path):
    """Read a notebook and check everything that a run relies on."""
    name = f"{path.parent.name}/{path.name}"
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InvalidNotebook(f"{name}: cannot be read: {error.strerror}") from None
    try:
        content = json.loads(raw)
        if content["nbformat"] != 4:
            raise InvalidNotebook(
                f"{name}: nbformat must be 4, got {content['nbformat']}: open and save it in JupyterLab"
            )
        cells = tuple(content["cells"])
        tagged = [
            i for i, cell in enumerate(cells) if cell["cell_type"] == "code" and "parameters" in _tags(cell)
        ]
        [_source(cell) for cell in cells]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidNotebook(f"{name}: not a Jupyter notebook ({error or type(error).__name__})") from None
    if not tagged:
        raise InvalidNotebook(f"{name}: no code cell is tagged `parameters`: tag the cell that assigns them")
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
        return read_cell(source)
    except InvalidCell as error:
        raise InvalidNotebook(f"{where}, line {error.line}: {error}") from None

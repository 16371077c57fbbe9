"""Committed faults of a paper: `reproduce/faults/PAPER.toml`, read and held against the sources."""

import ast
from dataclasses import dataclass

from reproduce import reading
from reproduce.errors import InvalidFaults, hint, shown
from reproduce.library import definitions

KINDS = {
    "algorithm": "an error in the library's algorithm",
    "statement": "another formula than the paper's",
    "oracle": "an error in what judges the algorithm",
    "data": "another sample than the experiment says",
}
FIELDS = {"id": str, "says": str, "kind": str, "edit": list}
EDIT = {"at": str, "old": str, "new": str}


@dataclass(frozen=True)
class Fault:
    """A deliberate error: texts of definitions of the project's packages, and what stands in their place."""

    id: str
    says: str
    kind: str
    edits: tuple  # of (at, old, new), as for `definitions.edited`


def load_faults(project, paper):
    """Return the faults of a paper in the file's order; none where there is no such file.

    Raises
    ------
    InvalidFaults
        Where the file is malformed, or a text does not occur exactly once in its definition.
    """
    path = project.faults / f"{paper}.toml"
    if not path.exists():
        return []
    try:
        content = reading.toml(path)
    except (OSError, ValueError) as error:
        raise InvalidFaults(f"{path.name}: {error}") from None
    rows = content.pop("fault", [])
    if content or not isinstance(rows, list):
        raise InvalidFaults(f"{path.name}: only [[fault]] tables are allowed, each with [[fault.edit]]")
    faults = {}
    for number, row in enumerate(rows, 1):
        fault = _fault(project, row, f"{path.name}, fault {number}")
        if fault.id in faults:
            raise InvalidFaults(f"{path.name}: there are two faults {shown(fault.id)}")
        faults[fault.id] = fault
    return list(faults.values())


def _fault(project, row, where):
    _check(row, FIELDS, where)
    where += f" ({row['id']})"
    if row["kind"] not in KINDS:
        raise InvalidFaults(f"{where}: unknown kind {shown(row['kind'])}{hint(row['kind'], KINDS)}")
    for edit in row["edit"]:
        _check(edit, EDIT, where)
        if edit["at"].count(":") != 1:
            form = '"module:Qualified.name", or "module:" for what is outside of functions and classes'
            raise InvalidFaults(f"{where}: `at` must be {form}, not {shown(edit['at'])}")
    edits = tuple((edit["at"], edit["old"], edit["new"]) for edit in row["edit"])
    if not edits:
        raise InvalidFaults(f"{where}: `edit` must hold one edit or more, got none")
    for module in definitions.modules(edits):
        _try(project, module, edits, where)
    return Fault(row["id"], row["says"], row["kind"], edits)


def source(project, module):
    """Return the path of one of the project's modules, None where there is none."""
    base = project.root.joinpath(*module.split("."))
    return next((p for p in (base.with_suffix(".py"), base / "__init__.py") if p.is_file()), None)


def _try(project, module, edits, where):
    """Make the edits of one module, to see that each text is there once and that the result is Python."""
    path = source(project, module)
    if path is None or module.partition(".")[0] not in project.packages:
        packages = " or ".join(project.packages) or "this project"
        raise InvalidFaults(f"{where}: {shown(module)} is no module of {packages}")
    try:
        ast.parse(definitions.edited(path.read_text(), module, edits))
    except SyntaxError as error:
        raise InvalidFaults(f"{where}: what it makes of {module} is no Python: {error.msg}") from None
    except ValueError as error:
        raise InvalidFaults(f"{where}: {error}") from None


def _check(row, fields, where):
    if not isinstance(row, dict):
        raise InvalidFaults(f"{where}: must be a table")
    for name in row:
        if name not in fields:
            raise InvalidFaults(f"{where}: unknown field {shown(name)}{hint(name, fields)}")
    for name, kind in fields.items():
        if not isinstance(row.get(name), kind) or (name in ("id", "says") and not row[name].strip()):
            raise InvalidFaults(f"{where}: `{name}` must be a {kind.__name__}, not {shown(row.get(name))}")

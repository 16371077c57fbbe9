"""Measures of claims, computed from published tables: by the notebook, by `check`, and by whoever audits one.

A paper whose experiments have a module ``claims`` has all its measures there, and in modules ``claims_...``
beside it. Each is a function named by its
claim's id, "lemma-3.1.size" being ``lemma_3_1_size``, over tables named likewise, which returns what a verb
made of them (`paperlib.experiments.verbs`)::

    def lemma_3_1_size(slowest_sizes):
        "Largest size over its bound."
        return largest(slowest_sizes["size"] / slowest_sizes.bound)

From the command line, for tables in folders::

    python -m paperlib.experiments.claims PAPER FOLDER [PAPER FOLDER ...]

prints, as JSON, what results.json holds as "measures", and what `Recorder.show` shows now in each place of
the folder's notebook: {FOLDER: {"measures": [row, ...], "shown": [[names, data], ...]}}.
"""

import contextlib
import importlib
import importlib.util
import inspect
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from paperlib.experiments import ledger, own_code, publishing
from paperlib.experiments.ledger import Claim, hint, identifier
from paperlib.experiments.verbs import Measured

PACKAGE = "paperlib.experiments"
_USAGE = f"usage: python -m {PACKAGE}.claims PAPER FOLDER [PAPER FOLDER ...]"


@dataclass(frozen=True)
class Measure:
    """A claim's function, with the names that it has for the tables that it reads."""

    function: Callable[..., Measured]
    tables: tuple[str, ...]


@dataclass(frozen=True)
class Measures:
    """All that is measured for one paper.

    Attributes
    ----------
    claims : list of Claim
        The ledger.
    by_id : dict of str to Measure
        In the ledger's order; a corrected statement has an id of its own.
    """

    paper: str
    claims: list[Claim]
    by_id: dict[str, Measure]

    def rows(
        self, tables: Mapping[str, pd.DataFrame], ids: Iterable[str] | None = None
    ) -> list[dict[str, Any]]:
        """Return rows as results.json holds them, for the claims whose tables are all there.

        Parameters
        ----------
        tables : mapping of str to DataFrame
            By the names under which they are published.
        ids : iterable of str, optional
            Claims that are wanted; all of them by default.
        """
        named = by_identifier(tables, "tables")
        wanted = self.by_id if ids is None else {each: self.by_id[each] for each in ids}
        return [
            publishing.measure_row(claim, *self._of(claim, [tables[named[each]] for each in measure.tables]))
            for claim, measure in wanted.items()
            if all(each in named for each in measure.tables)
        ]

    def updated(
        self, rows: Iterable[dict[str, Any]], table: str, tables: Mapping[str, pd.DataFrame]
    ) -> list[dict[str, Any]]:
        """Return rows in the ledger's order, those that read `table` measured anew."""
        reading = [claim for claim, measure in self.by_id.items() if identifier(table) in measure.tables]
        found = {row["claim"]: row for row in [*rows, *self.rows(tables, reading)]}
        return [found[claim] for claim in self.by_id if claim in found]

    def lacking(self, claim: str, tables: Iterable[str]) -> list[str]:
        """Return the tables that a claim cannot be measured without, by its names for them."""
        named = by_identifier(tables, "tables")
        return [each for each in self.by_id[claim].tables if each not in named] if claim in self.by_id else []

    def _of(self, claim: str, arguments: Sequence[pd.DataFrame]) -> Measured:
        function = self.by_id[claim].function
        try:
            measured = function(*arguments)
            if not isinstance(measured, Measured):
                raise TypeError(f"a measure returns what a verb made, got {type(measured).__name__}")
        except Exception as error:
            error.add_note(
                f"in {function.__module__}.{function.__qualname__}, the measure of claim {claim!r}"
            )
            raise
        return measured


def of(paper: str) -> Measures | None:
    """Return what is measured for a paper, None for one whose notebook measures its claims itself.

    Raises
    ------
    ValueError
        Where two claims have one name, a function has that of no claim, or takes anything but tables, and
        where the ledger cannot be read.

    Examples
    --------
    >>> of("no_such_paper") is None
    True
    """
    modules = _modules(paper)
    if not modules:
        return None
    is_here = modules[0].__name__.startswith(f"{PACKAGE}.")
    path = (ledger.FOLDER if is_here else own_code.ledgers(modules[0].__name__)) / f"{paper}.toml"
    if not path.is_file():
        raise ValueError(
            f"the measures of {paper} belong to the statements of reproduce/claims/{path.name}, which is not "
            "beside its package: run the notebook in a checkout of the project"
        )
    claims = ledger.load(path)
    return Measures(paper, claims, _by_id(claims, _functions(modules)))


def measured(paper: str, tables: str | Path | Mapping[str, pd.DataFrame]) -> dict[str, Measured]:
    """Return what published tables say on each claim of a paper, rounded as it is published.

    Parameters
    ----------
    paper : str
    tables : path or mapping of str to DataFrame
        A folder of CSV files, such as ``figures/coresets``, or tables by the names of these files.

    Returns
    -------
    dict of str to Measured
        By the claim's id, and by "....corrected" for the statement that holds in place of the printed one.
        A claim whose tables are not all there is left out.

    Raises
    ------
    ValueError
        As `of` does, for a table that lacks what a claim reads, and for a paper without such functions.
    """
    measures = of(paper)
    if measures is None:
        raise ValueError(f"{paper} has no {PACKAGE}.{paper}.claims: its notebook measures its claims itself")
    rows = measures.rows(Folder(Path(tables)) if isinstance(tables, str | Path) else tables)
    return {row["claim"]: Measured(**{name: row[name] for name in Measured._fields}) for row in rows}


class Folder(Mapping[str, pd.DataFrame]):
    """The tables of a folder, each read when it is first asked for, and once."""

    def __init__(self, path: Path) -> None:
        if not path.is_dir():
            raise ValueError(f"published tables lie in a folder, which {str(path)!r} is not")
        self.path = path
        self._read: dict[str, pd.DataFrame] = {}

    @cached_property
    def _names(self) -> list[str]:
        return sorted(file.stem for file in self.path.glob("*.csv"))

    def __getitem__(self, name: str) -> pd.DataFrame:
        if name not in self._read:
            self._read[name] = publishing.read_table(self.path / f"{name}.csv")
        return self._read[name]

    def __iter__(self):
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def by_identifier(names: Iterable[str], what: str) -> dict[str, str]:
    """Return `{identifier: name}`; ValueError where two names would be called the same."""
    found: dict[str, str] = {}
    for name in names:
        if (other := found.setdefault(identifier(name), name)) != name:
            raise ValueError(f"the {what} {other} and {name} would both be called {identifier(name)}")
    return found


def _modules(paper):
    """Import the modules that hold a paper's measures; there is none where it has no ``claims``."""
    package = own_code.package(paper, PACKAGE)
    found = importlib.util.find_spec(f"{package}.claims") if package else None
    if not found or not found.origin:
        return []
    parts = sorted(path.stem for path in Path(found.origin).parent.glob("claims_*.py"))
    return [importlib.import_module(f"{package}.{name}") for name in ("claims", *parts)]


def _functions(modules):
    """Return `{name: function}` of what a paper measures: not the verbs and formulas that it imports."""
    functions: dict[str, Callable[..., Measured]] = {}
    for module in modules:
        for name, found in inspect.getmembers(module, inspect.isfunction):
            if not name.startswith("_") and found.__module__ == module.__name__:
                if name in functions:
                    raise ValueError(
                        f"{functions[name].__module__} and {module.__name__} both measure {name}"
                    )
                functions[name] = found
    return functions


def _by_id(claims, functions):
    ids = by_identifier(ledger.known_ids(claims), "claims")
    if strangers := functions.keys() - ids.keys():
        name = min(strangers)
        raise ValueError(
            f"{functions[name].__module__}.{name} has the name of no claim in the ledger{hint(name, ids)}"
        )
    return {
        ids[name]: Measure(functions[name], _tables(functions[name])) for name in ids if name in functions
    }


def _tables(function):
    parameters = inspect.signature(function).parameters.values()
    for each in parameters:
        if each.kind != each.POSITIONAL_OR_KEYWORD or each.default is not each.empty:
            name = f"{function.__module__}.{function.__name__}"
            raise ValueError(f"{name} takes published tables and nothing else, got {each}")
    return tuple(each.name for each in parameters)


def _found(measures, folder):
    """Return what is measured in one folder; `errors` of claims whose tables are not what they read."""
    tables, rows, errors = Folder(folder), [], {}
    for claim in measures.by_id:
        try:
            rows += measures.rows(tables, [claim])
        except Exception as error:  # whatever a table of other sources, or of a deliberate error, leads to
            errors[claim] = _in_words(error)
    shown = _shown(measures, rows, folder / "notebook.ipynb")
    return {"measures": rows, "shown": shown} | ({"errors": errors} if errors else {})


def _in_words(error):
    notes = "; ".join(getattr(error, "__notes__", []))
    return f"{type(error).__name__}: {error} {notes}".rstrip()


def _shown(measures, rows, notebook):
    """Return `[names, data]` for each output of a published notebook that shows claims."""
    from paperlib.experiments.claim_table import ClaimTable, belonging

    if not notebook.is_file():
        return []
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    asked = [(output.get("metadata") or {}).get("reproduce", {}).get("show") for output in outputs]
    by_claim, found = {row["claim"]: row for row in rows}, {}
    for names in filter(None, asked):
        with contextlib.suppress(
            ValueError
        ):  # of rows that are named otherwise by now: the notebook is older
            table = ClaimTable(belonging(measures.claims, names), by_claim, names)
            found[tuple(names)] = table._repr_mimebundle_()[0]
    return [[list(names), data] for names, data in found.items()]


def main(arguments: Sequence[str]) -> int:
    """Print the measures of papers, as the module says; return the exit code."""
    if not arguments or len(arguments) % 2:
        print(_USAGE, file=sys.stderr)
        return 2
    found = {}
    for paper, folder in zip(arguments[::2], arguments[1::2]):
        try:
            measures = of(paper)
            found[folder] = _found(measures, Path(folder)) if measures else {"measures": [], "shown": []}
        except Exception as error:
            print(f"{paper}, {folder}: {_in_words(error)}", file=sys.stderr)
            return 1
    print(publishing.json_text(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

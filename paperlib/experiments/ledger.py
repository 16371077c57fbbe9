"""The ledger of a paper's claims: `reproduce/claims/PAPER.toml`, read and checked.

Only the standard library may be imported here: the driver loads this file, too.
"""

import difflib
import math
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "reproduce" / "claims"

NUMERIC = ("value", "bound", "exact", "identity")
KINDS = (*NUMERIC, "order", "trend")
SENSES = ("at most", "at least")
_MEASURED = re.compile(r" \(((?:[^()]|\([^()]*\))+)\)$")


class InvalidLedger(ValueError):
    """A ledger that does not follow the form; the message names the file and the row."""


@dataclass(frozen=True)
class Statement:
    """Something that a measured number can hold or fail."""

    says: str
    kind: str
    paper: float | None = None
    paper_stderr: float = 0.0
    tolerance: float = 0.0
    sense: str = "at most"
    refutes: float | None = None  # the nearest rival value, which the measured interval must exclude

    def split(self) -> tuple[str, str]:
        """Return the statement, and what is measured of it, which ledgers have in brackets at the end.

        >>> Statement("no more than n (largest f(n) / n, of all samples)", "bound", 1.0).split()
        ('no more than n', 'largest f(n) / n, of all samples')
        """
        found = _MEASURED.search(self.says)
        return (self.says[: found.start()], found[1]) if found else (self.says, "")


@dataclass(frozen=True)
class Claim:
    """One row of a ledger: a statement of the paper, and all that is known about it."""

    id: str
    where: str
    statement: Statement
    checkable: bool = True
    reason: str = ""  # why it differs, is undecided, or cannot be checked
    # What that reason explains: {data, or "" for any: (value, stderr)}.
    found: dict[str, tuple[float, float]] = field(default_factory=dict)
    corrected: Statement | None = None
    counterexample: str = ""
    needs: str = ""
    faults: tuple[str, ...] = ()  # ids of committed faults, under each of which this row must not hold
    trivial: float | None = None  # what a method that knows nothing gets, or the most that there can be
    ours: bool = False  # our wording or our statement, not the paper's
    shown: str = ""  # the figure or table that it is about, where the id does not begin with its name
    pooled: bool = True  # False where all seeds divide the same data, and together know no more than one

    def found_on(self, data: str) -> tuple[float, float] | None:
        """Return ``(value, stderr)`` as found on that data when the reason was given, or None."""
        return self.found.get(data, self.found.get(""))

    @property
    def corrected_id(self) -> str:
        """The id that the corrected statement is measured under."""
        return f"{self.id}.corrected"


STATEMENT = {
    "says": str,
    "kind": str,
    "paper": float,
    "paper_stderr": float,
    "tolerance": float,
    "sense": str,
    "refutes": float,
}
CORRECTED = STATEMENT | {"counterexample": str}  # it may stand in the row itself, too
ROW = CORRECTED | {
    "id": str,
    "where": str,
    "checkable": bool,
    "reason": str,
    "found": object,
    "corrected": dict,
    "needs": str,
    "shown": str,
    "pooled": bool,
    "faults": list,
    "trivial": float,
    "ours": bool,
}


def load(path: Path) -> list[Claim]:
    """Read the claims of one ledger, in its order.

    Parameters
    ----------
    path : Path
        Such as ``FOLDER / "coresets.toml"``.

    Returns
    -------
    list of Claim

    Raises
    ------
    InvalidLedger
        Where the file cannot be read or does not follow the form.

    Examples
    --------
    >>> load(FOLDER / "coresets.toml")[0].id
    'definition-2.2'
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidLedger(f"{path.name}: {error}") from None
    return read(content, path.name)


def read(content: dict[str, Any], name: str) -> list[Claim]:
    """Read the claims of a ledger's content, as `load` does; `name` is that of its file."""
    rows = content.pop("claim", [])
    if content:
        raise InvalidLedger(f"{name}: unknown {shown(next(iter(content)))}, a ledger holds [[claim]] only")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InvalidLedger(f"{name}: claims must be tables, [[claim]], got {shown(rows)}")
    claims: list[Claim] = []
    seen: dict[str, int] = {}
    for number, row in enumerate(rows, 1):
        where = f"{name}, claim {number}"
        if isinstance(row.get("id"), str):
            where += f" ({row['id']})"
        claim = _claim(row, where)
        for its in filter(None, [claim.id, claim.corrected and claim.corrected_id]):
            if its in seen:
                raise InvalidLedger(f"{where}: the id {shown(its)} is that of claim {seen[its]} too")
            seen[its] = number
        claims.append(claim)
    return claims


def known_ids(claims: Iterable[Claim]) -> list[str]:
    """Return all ids that may be measured, in the ledger's order."""
    return [name for c in claims for name in ([c.id, c.corrected_id] if c.corrected else [c.id])]


def shown(value: object, limit: int = 60) -> str:
    """Return `value` as a message quotes it: on one line of at most `limit` characters.

    >>> shown("a" * 100, limit=10)
    "'aaaaa...'"
    """
    text = repr(value)
    return text if len(text) <= limit else f"{text[: limit - 4]}...{text[-1]}"


def identifier(name: str) -> str:
    """Return what a claim or a table is called in Python.

    >>> identifier("lemma-3.1.size"), identifier("slowest-sizes")
    ('lemma_3_1_size', 'slowest_sizes')
    """
    return re.sub(r"[^0-9A-Za-z]", "_", name)


def hint(name: object, known: Iterable[str]) -> str:
    """Return the end of a message: the known name closest to `name`, or all known names.

    >>> hint("lemma-3", ["lemma-3.1", "table-1"])
    ': did you mean lemma-3.1?'
    """
    known = sorted(known)
    close = difflib.get_close_matches(str(name)[:200], known, n=1)
    if close:
        return f": did you mean {close[0]}?"
    if not known:
        return ": there are none"
    return f": known are {', '.join(known)}" if len(known) <= 12 else ""


def _claim(row, where):
    row = _fields(row, ROW, where, required=("id", "where", "says", "kind"))
    corrected = row.pop("corrected", None)
    counterexample = row.pop("counterexample", "")
    if counterexample and corrected is None:
        raise InvalidLedger(f"{where}: a counterexample goes with `corrected`, the statement that holds")
    statement = _statement(
        {k: v for k, v in row.items() if k in STATEMENT}, where, row.get("checkable", True)
    )
    if corrected is not None:
        where += ", corrected"
        corrected = _fields(corrected, CORRECTED, where, required=("says",))
        counterexample = corrected.pop("counterexample", counterexample)
        inherited = {k: v for k, v in vars(statement).items() if v is not None}
        corrected = _statement(inherited | corrected, where)
    if not row.get("checkable", True) and not row.get("reason"):
        raise InvalidLedger(f"{where}: checkable = false needs a reason")
    found = _found(row.pop("found", {}), where)
    faults = _names(row.pop("faults", []), where)
    if statement.kind == "identity":
        if not row.get("reason") or faults or found:
            raise InvalidLedger(f"{where}: an identity has a reason, and neither faults nor found")
    elif row.get("checkable", True) and bool(row.get("reason")) != bool(found) and corrected is None:
        raise InvalidLedger(
            f"{where}: a reason why it differs goes with found = [value, stderr], what was measured instead"
        )
    rest = {k: row[k] for k in row if k not in STATEMENT}
    return Claim(
        statement=statement,
        corrected=corrected,
        counterexample=counterexample,
        found=found,
        faults=faults,
        **rest,
    )


def _is_finite(value):
    try:
        return type(value) in (int, float) and math.isfinite(value)
    except OverflowError:  # an integer that is larger than any float
        return False


def _names(names, where):
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise InvalidLedger(f"{where}: faults is a list of different ids, not {shown(names)}")
    return tuple(names)


def _found(entry, where):
    """Read `[value, stderr]`, or a table of such, as `{data: (value, stderr)}` with "" for any data."""
    by_data = entry if isinstance(entry, dict) else {"": entry}
    for data, pair in by_data.items():
        numbers = isinstance(pair, list) and all(_is_finite(x) for x in pair)
        if not numbers or len(pair) != 2 or pair[1] < 0 or data not in ("", "bundled", "full"):
            raise InvalidLedger(
                f"{where}: found must be [value, stderr], or bundled = and full = such, not {shown(entry)}"
            )
    return {data: tuple(pair) for data, pair in by_data.items()}


def _statement(fields, where, checkable=True):
    statement = Statement(**fields)
    if statement.kind not in KINDS:
        raise InvalidLedger(f"{where}: unknown kind {shown(statement.kind)}{hint(statement.kind, KINDS)}")
    if statement.sense not in SENSES:
        raise InvalidLedger(f"{where}: sense is 'at most' or 'at least', not {shown(statement.sense)}")
    if checkable and statement.kind in NUMERIC and statement.paper is None:
        raise InvalidLedger(f"{where}: a {statement.kind} needs `paper`, the number that is printed")
    for name in ("tolerance", "paper_stderr"):
        if getattr(statement, name) < 0:
            raise InvalidLedger(f"{where}: {name} must be >= 0, not {getattr(statement, name)}")
    return statement


def _fields(row, known, where, required):
    for name in required:
        if name not in row:
            raise InvalidLedger(f"{where}: `{name}` is missing")
    for name, value in row.items():
        if name not in known:
            raise InvalidLedger(f"{where}: unknown field {shown(name)}{hint(name, known)}")
        kind = known[name]
        if not (_is_finite(value) if kind is float else isinstance(value, kind)):
            wanted = "finite number" if kind is float else kind.__name__
            raise InvalidLedger(f"{where}: {name} must be a {wanted}, got {shown(value)}")
        if kind is str and not value.strip():
            raise InvalidLedger(f"{where}: {name} is empty")
    return dict(row)

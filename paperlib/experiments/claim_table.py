"""Claims as a notebook shows them: what the paper says, what is measured, what came out, the verdict."""

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from paperlib.experiments import publishing, verdicts
from paperlib.experiments.ledger import Claim, Statement, hint

HEADER = ("what the paper says", "measured", "expected", "here", "verdict")
_LEFT = ' style="text-align: left; vertical-align: top"'  # JupyterLab would have it on the right
_JOINT = re.compile(r"[-_.](?=[a-z])")
Row = tuple[str, str, str, str, str]


def belonging(claims: Sequence[Claim], names: Iterable[str]) -> list[Claim]:
    """Return the claims about the figures, tables or statements of these names, in the ledger's order.

    A claim belongs to the name that it has as `shown`, to its id, and to each name that its id goes on from
    with ``.``, ``-`` or ``_`` and a letter. So "lemma-3.1" has "lemma-3.1.size", and "section-4" has
    "section-4.fewer-labels" but not "section-4.2.time".

    Raises
    ------
    ValueError
        For a name that no claim belongs to.

    Examples
    --------
    >>> statement = Statement("no more than n", "bound", 1.0)
    >>> ids = ("lemma-3.1.size", "section-4.fewer", "section-4.2.time")
    >>> claims = [Claim(each, "there", statement) for each in ids]
    >>> [claim.id for claim in belonging(claims, ["section-4", "lemma-3.1"])]
    ['lemma-3.1.size', 'section-4.fewer']
    """
    names = list(names)
    if not names:
        raise ValueError("show needs the name of a figure, a table or a statement, got none")
    of_each = [_names(claim) for claim in claims]
    for name in names:
        if not any(name in its for its in of_each):
            raise ValueError(f"no claim of the ledger belongs to {name!r}{hint(name, set().union(*of_each))}")
    return [claim for claim, its in zip(claims, of_each) if its.intersection(names)]


@dataclass(frozen=True)
class ClaimTable:
    """Claims with what was measured for them, which a notebook displays.

    Parameters
    ----------
    claims : sequence of Claim
    measures : mapping of str to dict
        Rows of results.json, by their claim.
    names : sequence of str
        What `Recorder.show` was asked for. The output bears it, so that a published notebook can be brought
        up to date without running it.

    Examples
    --------
    >>> claim = Claim("lemma-1", "Lemma 1", Statement("no more than 2 (steps, of all runs)", "bound", 2.0))
    >>> ClaimTable([claim], {"lemma-1": publishing.measure_row("lemma-1", 1.5, cases=9)}, ["lemma-1"])
    Lemma 1: no more than 2
        measured: steps, of all runs | expected: at most 2 | here: 1.5 (9 cases) | verdict: reproduced
    """

    claims: Sequence[Claim]
    measures: Mapping[str, Mapping[str, Any]]
    names: Sequence[str]

    def rows(self) -> list[Row]:
        """Return the cells of each row as plain text; one that holds in place of a printed one follows it."""
        numbers = {
            claim: tuple(row[name] for name in ("value", "stderr", "dof", "cases", "resolution"))
            for claim, row in self.measures.items()
        }
        numbers = {claim: (value, stderr or 0.0, *rest) for claim, (value, stderr, *rest) in numbers.items()}
        found = []
        for claim in self.claims:
            says, measured = claim.statement.split()
            says = f"{claim.where}: {says}{' (ours)' if claim.ours else ''}"
            verdict, here = verdicts.verdict(claim, numbers), self._here(claim.id, claim.needs)
            found.append((says, measured, expected(claim.statement), here, verdict))
            if claim.corrected:
                says, measured = claim.corrected.split()
                here = self._here(claim.corrected_id)
                found.append((f"corrected: {says}", measured, expected(claim.corrected), here, ""))
        return found

    def html(self) -> str:
        """Return the table in HTML that takes its colours from where it is shown."""
        head = "".join(f"<th{_LEFT}>{name}</th>" for name in HEADER if name != "measured")
        rows = []
        for says, measured, *cells in self.rows():
            # In small letters below the statement: who doubts the number reads it, others need not.
            how = f"<br><small>measured: {html.escape(measured)}</small>" if measured else ""
            cells = [html.escape(says) + how, *map(html.escape, cells)]
            rows.append("".join(f"<td{_LEFT}>{cell}</td>" for cell in cells))
        body = "\n".join(f"<tr>{row}</tr>" for row in rows)
        return (
            f'<table class="dataframe claims">\n<thead><tr>{head}</tr></thead>\n'
            f"<tbody>\n{body}\n</tbody>\n</table>"
        )

    def __repr__(self) -> str:
        lines = []
        for says, *cells in self.rows():
            named = [f"{name}: {cell}" for name, cell in zip(HEADER[1:], cells) if cell]
            lines += [says, f"    {' | '.join(named)}"]
        return "\n".join(lines)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> tuple[dict, dict]:
        content = {"text/plain": repr(self), "text/html": self.html()}
        return content, {"reproduce": {"show": list(self.names)}}

    def _here(self, claim, needs=""):
        row = self.measures.get(claim)
        if row is None:
            return f"needs {needs}" if needs else ""
        value, cases = row["value"], row["cases"]
        if cases == 0:
            return "no case"
        if cases is not None and row["stderr"] is None and isinstance(value, int):
            return f"{value:,} of {cases:,}"
        many = "" if cases is None else f" ({cases:,} case{'' if cases == 1 else 's'})"
        return publishing.in_words(row) + many


def expected(statement: Statement) -> str:
    """Return what the number is, if the statement holds.

    >>> expected(Statement("", "bound", 2.0, sense="at least")), expected(Statement("", "order"))
    ('at least 2', 'more than 0')
    """
    if statement.kind in ("order", "trend"):
        return "more than 0"
    if statement.paper is None:
        return ""
    if statement.kind == "bound":
        return f"{statement.sense} {statement.paper:g}"
    spread = f" ± {statement.paper_stderr:g}" if statement.paper_stderr else ""
    return f"{statement.paper:g}{spread}"


def _names(claim):
    """Return all names that a claim belongs to."""
    beginnings = [claim.id[: joint.start()] for joint in _JOINT.finditer(claim.id)]
    return {claim.id, *beginnings, *filter(None, [claim.shown])}

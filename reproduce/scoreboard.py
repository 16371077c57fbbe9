"""The scoreboard: every claim of every paper with its verdict, as Markdown and as the console's totals."""

from collections import Counter
from dataclasses import dataclass

from reproduce import verdicts
from reproduce.errors import hint
from reproduce.ledger import known_ids


@dataclass(frozen=True)
class Judged:
    """A claim with what was measured for it on each kind of data, and its one verdict."""

    claim: object
    measures: dict  # data -> {id: (value, stderr)}
    by_data: dict  # data -> verdict

    @property
    def verdict(self):
        """The worst of all data that it was measured on: no result hides behind another."""
        return next((v for v in verdicts.WORST_FIRST if v in self.by_data.values()), verdicts.NOT_RUN)

    @property
    def is_unexplained(self):
        """It must hold, and does not; or it does not in another way than the reason explains."""
        return any(v == verdicts.DIFFERS and not self._is_as_found(data) for data, v in self.by_data.items())

    def _is_as_found(self, data):
        found = self.claim.found_on(data)
        return bool(found) and verdicts.as_found(
            self.claim.statement, found, *self.measures[data][self.claim.id]
        )


def judge(claims, measures):
    """Every claim of one paper, with `measures` as `{data: {id: (value, stderr)}}`."""
    return [
        Judged(claim, measures, {data: verdicts.verdict(claim, found) for data, found in measures.items()})
        for claim in claims
    ]


def unknown_measures(paper, claims, measures):
    """One line per measure that no ledger row stands for."""
    known = known_ids(claims)
    strangers = sorted({name for found in measures.values() for name in found} - known)
    return [f"{paper}: measured {name!r}, which no ledger has{hint(name, known)}" for name in strangers]


def totals(judged):
    """`[[paper, count of each verdict...]]` and the sum."""
    rows = []
    for paper, claims in judged.items():
        counts = Counter(j.verdict for j in claims)
        rows.append([paper, *(counts[v] for v in verdicts.ALL)])
    if len(rows) > 1:
        rows.append(["all", *(sum(column) for column in list(zip(*rows))[1:])])
    return rows


def totals_lines(judged):
    """The totals as aligned lines."""
    table = [["claims", *verdicts.ALL], *([str(x) for x in row] for row in totals(judged))]
    widths = [max(map(len, column)) for column in zip(*table)]
    return [
        "  ".join([row[0].ljust(widths[0]), *(x.rjust(w) for x, w in zip(row[1:], widths[1:]))])
        for row in table
    ]


def unexplained_lines(judged):
    """One line for each claim that must hold and does not, or that differs otherwise than is known."""
    return [
        f"{paper}: {j.claim.id} differs: measured {measured(j, _deciding(j))}, the paper says "
        f"{j.claim.statement.says} ({j.claim.where})"
        + (", and the reason given is for another value" if j.claim.found else "")
        for paper, claims in judged.items()
        for j in claims
        if j.is_unexplained
    ]


def markdown(judged, title="Scoreboard"):
    """The whole scoreboard; the same bytes for the same ledgers and results."""
    lines = [f"# {title}", "", "Written by `python -m reproduce check`; not to be edited.", ""]
    lines += _table(["paper", *verdicts.ALL], totals(judged), align="l" + "r" * len(verdicts.ALL))
    for paper, claims in judged.items():
        lines += ["", f"## {_text(paper)}", ""]
        lines += _paper(claims)
    lines += ["", "## What the verdicts mean", "", verdicts.LEGEND]
    return "\n".join(lines) + "\n"


def _paper(claims):
    datas = [d for d in ("bundled", "full") if claims and d in claims[0].by_data]
    several = len(datas) > 1
    columns = [f"measured, {d} data" if several else "measured" for d in datas or ["bundled"]]
    rows, notes = [], []
    for j in claims:
        measured = [_cell(j, d, several) for d in datas] or [_missing(j)]
        mark = ""
        if note := _note(j):
            notes.append(note)
            mark = f" [{len(notes)}]"
        rows.append([f"{_text(j.claim.where)}<br>`{j.claim.id}`", _text(j.claim.statement.says), *measured,
                     f"**{j.verdict}**{mark}"])  # fmt: skip
    lines = _table(["claim", "says", *columns, "verdict"], rows)
    if notes:
        lines += ["", *(f"{i}. {note}" for i, note in enumerate(notes, 1))]
    return lines


def _note(j):
    parts = [f"{label}: {text}" if label else text for label, text in explanation(j)]
    return f"`{j.claim.id}`: {_text(' '.join(parts))}" if parts else ""


def explanation(j):
    """Why, for every verdict that is not `reproduced`: `[(label or "", plain text)]`."""
    claim = j.claim
    if j.verdict == verdicts.CORRECTED:
        measured = _number(j.measures[_deciding(j)], claim.corrected_id)
        parts = [("Corrected", f"{claim.corrected.says} (measured {measured}).")]
        parts += [("Counterexample", claim.counterexample)] if claim.counterexample else []
        return parts + ([("", claim.reason)] if claim.reason else [])
    if j.verdict == verdicts.DIFFERS:
        return [("", claim.reason or "No reason is known: this must hold.")]
    if j.verdict == verdicts.NOT_CHECKABLE:
        return [("", claim.reason)]
    if j.verdict == verdicts.NOT_RUN and claim.needs:
        return [("", f"Needs {claim.needs}.")]
    return []


def _deciding(j):
    return next(d for d in ("full", "bundled") if j.by_data.get(d) == j.verdict)


def _cell(j, data, several):
    text = measured(j, data)
    return (
        f"{text}, {j.by_data[data]}"
        if several and text and j.by_data[data] != j.verdict
        else text or _missing(j)
    )


def _missing(j):
    return f"needs {_text(j.claim.needs)}" if j.claim.needs and j.claim.checkable else ""


def measured(j, data):
    """What was measured on that data, with its standard error; empty where nothing was."""
    return _number(j.measures[data], j.claim.id)


def _number(measures, name):
    if name not in measures:
        return ""
    value, stderr = measures[name]
    return f"{value:.4g} ± {stderr:.2g}" if stderr else f"{value:.4g}"


def _table(header, rows, align=None):
    marks = {"l": "---", "r": "--:"}
    rule = [marks[a] for a in align or "l" * len(header)]
    return ["| " + " | ".join(map(str, row)) + " |" for row in [header, rule, *rows]]


def _text(text):
    """Plain text that GitHub shows as it is written, inside a table too."""
    text = " ".join(str(text).split())
    for raw, safe in {"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;", "*": "\\*", "_": "\\_"}.items():
        text = text.replace(raw, safe)
    return text

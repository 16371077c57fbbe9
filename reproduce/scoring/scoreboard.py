"""The scoreboard: every claim with its verdict, as Markdown, and the totals for the console."""

from collections import Counter
from dataclasses import dataclass

from reproduce.library import write_whole
from reproduce.scoring import judgement, verdicts


@dataclass(frozen=True)
class Score:
    """A scoreboard that was written, what to print about it, and whether it fails the check."""

    file: object
    lines: list
    failed: bool


def write(project, family):
    """Judge one family of runs and write its scoreboard.

    Claims that must hold and do not are listed for the papers' own parameters only; at other ones the
    verdicts are shown.
    """
    outcome = judgement.of_family(project, family)
    file = project.scoreboard(family)
    title = "Scoreboard" if family.is_the_papers_own else f"Scoreboard, {family.suffix}"
    write_whole(file, markdown(outcome.judged, title))
    lines = totals_lines(outcome.judged) + outcome.strangers
    if family.is_the_papers_own:
        lines += unexplained_lines(outcome.judged)
    return Score(file, lines, outcome.failed)


def totals(judged):
    """Return `[[paper, count of each verdict...]]` and the sum."""
    rows = []
    for paper, claims in judged.items():
        counts = Counter(j.verdict for j in claims)
        rows.append([paper, *(counts[v] for v in verdicts.ALL)])
    if len(rows) > 1:
        rows.append(["all", *(sum(column) for column in list(zip(*rows))[1:])])
    return rows


def totals_lines(judged):
    """Return the totals as aligned lines."""
    table = [["claims", *verdicts.ALL], *([str(x) for x in row] for row in totals(judged))]
    widths = [max(map(len, column)) for column in zip(*table)]
    return [
        "  ".join([row[0].ljust(widths[0]), *(x.rjust(w) for x, w in zip(row[1:], widths[1:]))])
        for row in table
    ]


def unexplained_lines(judged):
    """Return one line for each claim that must hold and does not, or differs otherwise than is known."""
    return [
        f"{paper}: {j.claim.id} differs: measured {measured(j, _deciding(j))}, the paper says "
        f"{j.claim.statement.says} ({j.claim.where})"
        + (", and the reason given is for another value" if j.claim.found else "")
        for paper, claims in judged.items()
        for j in claims
        if j.is_unexplained
    ]


def markdown(judged, title="Scoreboard"):
    """Return the whole scoreboard; the same bytes for the same ledgers and results."""
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
    """Return the reasons for a verdict other than `reproduced`: `[(label or "", plain text)]`."""
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
    """Return the number measured on that data, with its standard error; empty where there is none."""
    return _number(j.measures[data], j.claim.id)


def _number(measures, name):
    if name not in measures:
        return ""
    measure = measures[name]
    return f"{measure.value:.4g} ± {measure.stderr:.2g}" if measure.stderr else f"{measure.value:.4g}"


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

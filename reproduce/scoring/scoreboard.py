"""The scoreboard: every claim with its verdict, as Markdown, and the totals for the console."""

import math
import re
from collections import Counter
from dataclasses import dataclass, field

from reproduce.library import verdicts
from reproduce.power import evidence
from reproduce.publication import results
from reproduce.scoring import judgement


@dataclass(frozen=True)
class Evidence:
    """The evidence that a paper's rows could have come out otherwise: faults, and other seeds."""

    power: evidence.Evidence | None = None
    is_stale: bool = False
    seeds: dict = field(default_factory=dict)  # {claim's id: (seeds with this verdict, seeds, constant)}
    seeds_are_stale: bool = False
    profile_of_seeds: str = ""

    @classmethod
    def of(cls, project, paper, claims):
        """Return the committed evidence on a paper's claims, of faults and of other seeds."""
        from reproduce import stability  # which judges its seeds, as this module does

        power = evidence.power_of(project, paper)
        is_stale = power is not None and evidence.is_stale(project, paper, power)
        shown = {j.claim.id: j.by_data.get("bundled", j.verdict) for j in claims}
        return cls(power, is_stale, *stability.read_stability(project, paper, shown=shown))

    def faults(self, claim):
        """Return the number of the claim's own faults that were seen to turn it."""
        return len(self.power.turned(claim)) if self.power else 0


WITH_POWER, WITHOUT_POWER = "reproduced with power", "reproduced, no fault shown"
ALL, OURS = "all", "our own beside them"
FEW_SEEDS = f"fewer than {judgement.STABLE:.0%} of the other seeds, tried at the same scale, say the same"
POOLED = (
    "with a number of seeds beside it, what all of these say together, by which the row is judged: the mean "
    "over seeds with the error that their spread says, or, of an extreme or a count, the worst"
)
WITH_THIS_SEED = {
    verdicts.REPRODUCED: "holds",
    verdicts.CORRECTED: "holds as corrected",
    verdicts.DIFFERS: "fails",
}
COLUMNS = {
    "measured": POOLED,
    "cases": "how many were tried; where none failed, the share that may fail, at 95 % confidence",
    "seeds": "how many other seeds, each alone, give the bundled data's verdict; "
    "constant where no digit ever changes",
    "faults": "deliberate errors under which the row no longer holds",
    WITH_POWER: "reproduced, with one such error or more",
}


def summary(judged, found=None):
    """Return how many statements have each verdict.

    Returns
    -------
    dict
        Paper -> Counter of the verdicts on its own statements, then `ALL` of them, and what is `OURS`. What a
        fault turns is counted as `WITH_POWER` in place of `reproduced`.
    """
    counts = {name: Counter() for name in (*judged, ALL, OURS)}
    for paper, claims in judged.items():
        for j in claims:
            turned = (found or {}).get(paper, Evidence()).faults(j.claim)
            verdict = WITH_POWER if j.verdict == verdicts.REPRODUCED and turned else j.verdict
            for name in [OURS] if j.claim.ours else [paper, ALL]:
                counts[name][verdict] += 1
    return {name: count for name, count in counts.items() if count or name in judged}


def totals_lines(judged):
    """Return what a run ends with: the papers' statements by paper, ours in one line, and what differs."""
    rows = [[name, *(str(count[v]) for v in verdicts.ALL)] for name, count in summary(judged).items()]
    table = [["the papers' statements", *verdicts.ALL], *rows]
    widths = [max(map(len, column)) for column in zip(*table)]
    lines = [
        "  ".join([row[0].ljust(widths[0]), *(x.rjust(w) for x, w in zip(row[1:], widths[1:]))])
        for row in table
    ]
    differ = [
        f"{paper} {j.claim.id} ({j.claim.where})"
        for paper, claims in judged.items()
        for j in claims
        if j.verdict == verdicts.DIFFERS and not j.claim.ours
    ]
    return lines + (["", "What differs, of the papers' statements:", *differ] if differ else [])


def unexplained_lines(judged):
    """Return one line for each claim that must hold and does not, or is not what its reason explains."""
    return [
        f"{paper}: {j.claim.id} {_complaint(j)} ({j.claim.where})"
        for paper, claims in judged.items()
        for j in claims
        if j.unexplained
    ]


def _complaint(j):
    data = j.unexplained[-1]  # the papers' own, where both are
    if j.by_data[data] == verdicts.VACUOUS:
        return f"is vacuous: {j.claim.trivial:.4g}, which needs no method at all, would hold as well"
    shown = measured(j, data)
    if j.by_data[data] == verdicts.REPRODUCED:
        return f"holds: measured {shown}, and its reason says that it differs"
    text = f"differs: measured {shown}, the paper says {j.claim.statement.says}"
    return text + (", and the reason given is for another value" if j.claim.found else "")


def markdown(judged, title="Scoreboard", found=None):
    """Return the whole scoreboard; the same bytes for the same ledgers, results and evidence."""
    found = found or {}
    lines = [f"# {title}", "", "Written by `python -m reproduce check`; not to be edited.", ""]
    names = [WITH_POWER, WITHOUT_POWER, *verdicts.ALL[1:]]
    counts = [
        [name, count[WITH_POWER], *(count[v] for v in verdicts.ALL)]
        for name, count in summary(judged, found).items()
    ]
    lines += _table(["the papers' statements", *names], counts, align="l" + "r" * len(names))
    lines += ["", *_legend()]
    for paper, claims in judged.items():
        lines += ["", f"## {_text(paper)}", ""]
        its = found.get(paper, Evidence())
        if said := about(its):
            lines += [said, ""]
        lines += _paper(claims, its)
    return "\n".join(lines) + "\n"


def _legend():
    lines = ["## What the verdicts mean", "", verdicts.INTERVAL, ""]
    lines += [f"- **{name}**: {meaning}." for name, meaning in verdicts.MEANING.items()]
    lines += [
        "",
        "Where one run decides, with no number of seeds beside its value, a claim is "
        f"*{verdicts.INCONCLUSIVE}*, too, if {FEW_SEEDS}.",
        "One that was measured on both kinds of data has the worse of its two verdicts.",
    ]
    lines += ["", "## What the columns mean", ""]
    return lines + [f"- **{name}**: {meaning}." for name, meaning in COLUMNS.items()]


def about(its):
    """Say what the faults and the seeds of a paper were tried on, and which faults no row notices."""
    said = []
    if its.power:
        names = ", ".join(f"`{name}`" for name in its.power.unnoticed)
        said.append(
            f"{len(its.power.faults)} deliberate errors were tried, in the profile "
            f"{_text(its.power.profile)}; " + (f"no row notices {names}." if names else "each turns a row.")
        )
    if its.is_stale:
        said.append("The faults were tried on older sources.")
    if its.profile_of_seeds:
        said.append(f"The other seeds were run in the profile {_text(its.profile_of_seeds)}.")
    if its.seeds_are_stale:
        said.append("The other seeds were tried on older sources.")
    return " ".join(said)


def _paper(claims, its):
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
        says = _text(j.claim.statement.says) + (" (ours)" if j.claim.ours else "")
        rows.append([f"{_text(j.claim.where)}<br>`{j.claim.id}`", says, *measured,
                     cases(j), seeds(its.seeds.get(j.claim.id)), its.faults(j.claim) or "",
                     f"**{j.verdict}**{mark}"])  # fmt: skip
    lines = _table(["claim", "says", *columns, "cases", "seeds", "faults", "verdict"], rows)
    if notes:
        lines += ["", *(f"{i}. {note}" for i, note in enumerate(notes, 1))]
    return lines


def seeds(found):
    """Return on how many other seeds the verdict was the same, and whether not even a digit changed."""
    if found is None:
        return ""
    same, of, constant = found
    return f"{same} of {of}" + (", constant" if constant else "")


def cases(j):
    """Return the number of cases tried; where none failed, with the largest share that still may, at 95 %."""
    for data in ("full", "bundled"):
        value, _, _, cases, _ = results.Measure(*j.measures.get(data, {}).get(j.claim.id, (math.nan,)))
        if cases is not None:
            counts_failures = j.claim.statement.kind == "bound" and j.claim.statement.paper == 0
            sure = f", at most {3 / cases:.1g}" if counts_failures and value == 0 and cases else ""
            return f"{cases:,}{sure}"
    return ""


def _note(j):
    parts = [f"{label}: {text}" if label else text for label, text in explanation(j)]
    return f"`{j.claim.id}`: {_text(' '.join(parts))}" if parts else ""


def explanation(j):
    """Return the reasons for a verdict other than `reproduced`: `[(label or "", plain text)]`."""
    claim = j.claim
    reason = [("", claim.reason)] if claim.reason else []
    if j.verdict == verdicts.CORRECTED:
        measured = _number(j, _deciding(j), claim.corrected_id)
        parts = [("Corrected", f"{claim.corrected.says} (measured {measured}).")]
        parts += [("Counterexample", claim.counterexample)] if claim.counterexample else []
        return parts + reason
    if j.verdict == verdicts.DIFFERS:
        return reason or [("", "No reason is known: this must hold.")]
    if j.verdict == verdicts.VACUOUS:
        return [("", f"It would hold for {claim.trivial:.4g}, too, which needs no method at all.")]
    if j.verdict == verdicts.INCONCLUSIVE and j.depends_on_seed:
        here = WITH_THIS_SEED[j.by_data["bundled"]]
        same, of = j.other_seeds
        return [("", f"On bundled data it {here}, and with {same} of {of} other seeds."), *reason]
    if j.verdict in (verdicts.INCONCLUSIVE, verdicts.NOT_CHECKABLE, verdicts.IDENTITY):
        return reason
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
    """Return the number measured on that data, with its standard error; empty where there is none.

    Where all seeds were measured together, it says how many these are.
    """
    return _number(j, data, j.claim.id)


def _number(j, data, name):
    if name not in j.measures[data]:
        return ""
    value, stderr, _, _, resolution = results.Measure(*j.measures[data][name])
    number = f"{value:.4g} ± {stderr:.2g}" if stderr else f"{value:.4g}"
    if resolution and value == 0:
        number = f"below {resolution:g}"
    if seeds := j.pooled.get(data, {}).get(name):
        number += f" ({seeds} seeds)" if stderr else f" (worst of {seeds} seeds)"
    return number


def _table(header, rows, align=None):
    marks = {"l": "---", "r": "--:"}
    rule = [marks[a] for a in align or "l" * len(header)]
    return ["| " + " | ".join(map(str, row)) + " |" for row in [header, rule, *rows]]


# What Markdown, HTML or a code host would not show as text; `$` begins a formula, `@` mentions somebody.
_ACTIVE = {c: f"&#{ord(c)};" for c in "|[]!$`~@#"}
_ACTIVE |= {"&": "&amp;", "<": "&lt;", ">": "&gt;", "*": "\\*", "_": "\\_"}
# Characters that turn the direction of what follows them, or are not seen at all.
_UNSEEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def _text(text):
    """Plain text that a code host shows as it is written, inside a table too."""
    text = _UNSEEN.sub("\ufffd", " ".join(str(text).split()))
    return "".join(_ACTIVE.get(c, c) for c in text)

"""The committed table of a paper, `figures/evidence/PAPER/stability.csv`, and whether it is out of date.

A line for each claim that was measured, and one for each corrected statement. `key` is that of the sources,
with whatever seed, profile and versions: of a paper with steps, those behind the claim's tables, of any other
the notebook and the whole library. `statement` is that of the claim's numbers and of the rule that judges
them: where these are others by now, the line is not read.

By `mean`, `spread`, `least` and `largest` the rows of a paper with steps are judged, all seeds together.
`cases` is the number of these over all seeds, and `counted` that of the seeds that had one. Tables that are
older have no `least` to `counted`, and no row is judged by them.
"""

import csv
import io

from reproduce import reading
from reproduce.errors import ReproduceError
from reproduce.library import write_whole
from reproduce.planning import key, traces
from reproduce.planning.notebook import read_notebook
from reproduce.scoring import ledger, row_keys
from reproduce.scoring.pooling import OtherSeeds

HEADER = (
    "claim",
    "verdicts",
    "mean",
    "spread",
    "stderr",
    "ratio",
    "constant",
    "least",
    "largest",
    "cases",
    "counted",
    "seeds",
    "profile",
    "statement",
    "key",
)

SINCE_ALWAYS = ("claim", "verdicts", "constant", "seeds", "profile", "statement", "key")
DIGITS = 12  # of values that are held against an edge; results.json has 7


def path(project, paper, data="bundled"):
    """Return the place of the table of one kind of data."""
    return project.evidence(paper) / ("stability.csv" if data == "bundled" else f"stability-{data}.csv")


def write_stability(project, study, claims, stability):
    """Write a paper's table and return its path."""
    statements = _statements(claims)
    keys = _keys(project, study.paper, study.data)
    rows = [
        [
            row.id,
            ", ".join(f"{verdict} {len(seeds)}" for verdict, seeds in row.verdicts.items()),
            _number(row.mean, DIGITS),
            *map(_number, (row.spread, row.stderr, row.ratio)),
            "yes" if row.constant else "no",
            *(_number(value, DIGITS) for value in (row.least, row.largest)),
            "" if row.cases is None else row.cases,
            row.counted,
            len(study.runs),
            study.profile,
            statements[row.id],
            keys(row.id),
        ]
        for row in stability.rows
    ]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([HEADER, *rows])
    place = path(project, study.paper, study.data)
    write_whole(place, text.getvalue())
    return place


def read_stability(project, paper, data="bundled", shown=None):
    """Return what a paper's table says of each claim, and whether it was made from other sources.

    Parameters
    ----------
    shown : dict or None
        `{claim id: verdict}`: the number of seeds with that verdict is wanted; without it, the number of
        those with the most frequent one.

    Returns
    -------
    dict
        `{claim id: (same, of, constant)}`: the number of seeds with one verdict, the number of all seeds, and
        whether the measured value never changes a digit. Nothing for a claim whose numbers, or whose rule,
        have changed since, or of a paper with steps the code that was executed for it; empty where there is
        no table.
    bool
        Whether it is of other sources, which is no failure.
    str
        The profile of its runs; empty where there is no table.
    """
    try:
        rows = _lines(project, paper, data)
        now, keys = _statements_now(project, paper), _keys(project, paper, data)
        by_claim = traces.has_steps(project, paper)  # of others any edit would take all seeds away
        found = {
            row["claim"]: _seeds(row, (shown or {}).get(row["claim"]))
            for row in rows
            if row["verdicts"] and now.get(row["claim"]) == row["statement"]
            if not by_claim or keys(row["claim"]) == row["key"]
        }
        [profile] = {row["profile"] for row in rows}
        return found, any(row["key"] != keys(row["claim"]) for row in rows), profile
    except (OSError, ValueError):
        return {}, False, ""
    except ReproduceError:
        return {}, True, ""


def for_judging(project, paper, data, profile):
    """Return `{row's id: OtherSeeds}` of the lines by which rows are judged, all seeds together.

    These are of a paper with steps, of that profile, and of the present statement, measure and sources.
    """
    if not traces.has_steps(project, paper):
        return {}
    try:
        rows = _lines(project, paper, data)
        now, keys = _statements_now(project, paper), _keys(project, paper, data)
        return {
            row["claim"]: _other_seeds(row)
            for row in rows
            if row["profile"] == profile
            and now.get(row["claim"]) == row["statement"]
            and keys(row["claim"]) == row["key"] != ""
            and row["counted"] != "0"
        }
    except (OSError, ValueError, KeyError, ReproduceError):  # an older table lacks some columns
        return {}


def _other_seeds(row):
    return OtherSeeds(
        mean=float(row["mean"] or "nan"),
        spread=float(row["spread"] or 0),
        stderr=float(row["stderr"]) if row["stderr"] else None,
        least=float(row["least"]),
        largest=float(row["largest"]),
        cases=reading.count(row["cases"]) if row["cases"] else None,
        counted=reading.count(row["counted"]),
    )


def _lines(project, paper, data):
    return reading.csv_rows(path(project, paper, data), SINCE_ALWAYS)


def _statements_now(project, paper):
    return _statements(ledger.load_ledger(project.claims / f"{paper}.toml"))


def _statements(claims):
    return {name: row_keys.of_statement(c) for c in claims for name in (c.id, c.corrected_id)}


def _seeds(row, verdict):
    counts = {}
    for part in row["verdicts"].split(", "):
        name, _, count = part.rpartition(" ")
        counts[name] = reading.count(count)
    same = max(counts.values()) if verdict is None else counts.get(verdict, 0)
    return same, reading.count(row["seeds"]), row["constant"] == "yes"


def _keys(project, paper, data):
    """Return a function from a claim's id to the key of its line."""
    own = row_keys.row_keys_of(project, paper, data)
    if own:
        return lambda claim: own.get(claim.removesuffix(".corrected"), "")
    notebook = read_notebook(project.notebook(paper))
    whole = key.digest([notebook.digest(), key.library(project)])[: row_keys.DIGITS]
    return lambda _: whole


def _number(value, digits=6):
    return "" if value is None else f"{value:.{digits}g}"

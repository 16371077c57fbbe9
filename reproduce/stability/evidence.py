"""The committed table of a paper, `figures/evidence/PAPER/stability.csv`, and whether it is out of date.

A line for each claim that was measured, and one for each corrected statement. `key` is that of the sources:
the notebook and the modules that it reaches, with whatever seed, profile and versions. `statement` is that of
the claim's numbers and of the rule that judges them: where these are others by now, the line is not read.
"""

import csv
import dataclasses
import io
from pathlib import Path

from reproduce.errors import ReproduceError
from reproduce.library import write_whole
from reproduce.planning import key, syntax
from reproduce.planning.notebook import read as read_notebook
from reproduce.scoring import ledger, verdicts

HEADER = (
    "claim",
    "verdicts",
    "mean",
    "spread",
    "stderr",
    "ratio",
    "constant",
    "seeds",
    "profile",
    "statement",
    "key",
)
WORDING = {"where", "says", "reason", "found", "counterexample", "needs", "shown", "faults", "ours"}
DIGITS = 16  # of a digest


def path(project, paper, data="bundled"):
    """Return the place of the table of one kind of data."""
    return project.evidence(paper) / ("stability.csv" if data == "bundled" else f"stability-{data}.csv")


def write(project, study, claims, stability):
    """Write a paper's table and return its path."""
    statements = {name: _statement(c) for c in claims for name in (c.id, c.corrected_id)}
    sources = _sources(study.components)
    rows = [
        [
            row.id,
            ", ".join(f"{verdict} {len(seeds)}" for verdict, seeds in row.verdicts.items()),
            *map(_number, (row.mean, row.spread, row.stderr, row.ratio)),
            "yes" if row.constant else "no",
            len(study.runs),
            study.profile,
            statements[row.id],
            sources,
        ]
        for row in stability.rows
    ]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([HEADER, *rows])
    place = path(project, study.paper, study.data)
    write_whole(place, text.getvalue())
    return place


def read(project, paper, data="bundled", shown=None):
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
        have changed since; empty where there is no table.
    bool
        Whether it is of other sources, which is no failure.
    str
        The profile of its runs; empty where there is no table.
    """
    try:
        with open(path(project, paper, data), newline="") as file:
            rows = list(csv.DictReader(file))
        now = {claim.id: _statement(claim) for claim in ledger.load(project.claims / f"{paper}.toml")}
        found = {
            row["claim"]: _seeds(row, (shown or {}).get(row["claim"]))
            for row in rows
            if row["verdicts"] and now.get(row["claim"]) == row["statement"]
        }
        [profile] = {row["profile"] for row in rows}
        return found, rows[0]["key"] != _sources_now(project, paper), profile
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}, False, ""
    except ReproduceError:
        return {}, True, ""


def _seeds(row, verdict):
    counts = {}
    for part in row["verdicts"].split(", "):
        name, _, count = part.rpartition(" ")
        counts[name] = int(count)
    same = max(counts.values()) if verdict is None else counts.get(verdict, 0)
    return same, int(row["seeds"]), row["constant"] == "yes"


def _statement(claim):
    """Return a digest of all that decides the verdict on a measured value."""
    rule = syntax.digest(Path(verdicts.__file__).read_bytes())
    return key.digest([_numbers(dataclasses.asdict(claim)), rule])[:DIGITS]


def _numbers(content):
    if not isinstance(content, dict):
        return content
    return {name: _numbers(value) for name, value in content.items() if name not in WORDING}


def _sources(components):
    return key.digest({part: components[part] for part in ("notebook", "paperlib")})[:DIGITS]


def _sources_now(project, paper):
    return _sources(key.of_sources(project, read_notebook(project.notebook(paper))))


def _number(value):
    return "" if value is None else f"{value:.6g}"

"""The scoreboard for programs: the numbers that its Markdown has as words, and the JSON Schema of both.

Numbers have seven digits, as results are published with.
"""

import json
import math

from reproduce.library import ledger, verdicts
from reproduce.publication.results import Measure
from reproduce.scoring import scoreboard

SCHEMA_NAME = "scoreboard.schema.json"
DIGITS = 7

NUMBER = {"type": ["number", "null"]}
TEXT = {"type": "string"}
VERDICT = {"enum": list(verdicts.ALL)}


def _object(fields, required=None, **more):
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields if required is None else required),
        "additionalProperties": False,
        **more,
    }


def _mapping(each, **more):
    return {"type": "object", "additionalProperties": each, **more}


_STATEMENT = {
    "says": TEXT | {"description": "in the paper's words, or ours"},
    "kind": {"enum": list(ledger.KINDS)},
    "paper": NUMBER | {"description": "the printed number, or the bound"},
    "paper_stderr": NUMBER,
    "tolerance": NUMBER,
    "sense": {"enum": list(ledger.SENSES), "description": "of a bound"},
}
_MEASURE = _object(
    {
        "value": NUMBER | {"description": "null where it is not a finite number"},
        "stderr": NUMBER | {"description": "one standard error"},
        "dof": NUMBER | {"description": "degrees of freedom of the standard error, where its runs are few"},
        "cases": NUMBER | {"description": "how many were tried"},
        "resolution": NUMBER | {"description": "what is smaller is 0"},
        "seeds": NUMBER
        | {"description": "how many seeds it was measured with together, where these are some"},
    },
    required=["value"],
)
_MEASURED = {"verdict": VERDICT, "of_statement": _MEASURE, "of_corrected": _MEASURE}
_SEEDS = {
    "same": {"type": "integer"},
    "of": {"type": "integer"},
    "constant": {"type": "boolean", "description": "whether no digit changes"},
}
_CLAIM = _object(
    {
        "id": TEXT,
        "where": TEXT | {"description": "in the paper"},
        "ours": {"type": "boolean", "description": "whether the statement is not the paper's own"},
        **_STATEMENT,
        "trivial": NUMBER
        | {"description": "what a method that knows nothing gets, or the most there can be"},
        "corrected": _object(_STATEMENT | {"counterexample": TEXT}, description="what holds instead"),
        "measured": _mapping(
            _object(_MEASURED, required=["verdict"]), description="by the kind of data, bundled or full"
        ),
        "other_seeds": _object(
            _SEEDS, description="how many other seeds, each alone, have the verdict on bundled data"
        ),
        "faults": {
            "description": "deliberate errors under which the row no longer holds",
            "type": "array",
            "items": TEXT,
        },
        "verdict": VERDICT,
        "why": TEXT | {"description": "the reason for any other verdict than reproduced"},
    },
    required=["id", "where", "ours", *_STATEMENT, "measured", "faults", "verdict"],
    description="a row of a ledger with what was measured for it",
)
_PAPER = {
    "about": TEXT | {"description": "what the deliberate errors and the other seeds were tried on"},
    "claims": {"type": "array", "items": _CLAIM},
}
SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Scoreboard: each statement of the papers, what was measured for it, and the verdict",
    **_object(
        {
            "$schema": TEXT,
            "title": TEXT,
            "meaning": _object(dict.fromkeys(verdicts.ALL, TEXT), description="of each verdict"),
            "totals": _mapping(
                _object({each: {"type": "integer"} for each in verdicts.ALL}),
                description="by paper, of all papers' statements, and of our own: how many have each verdict",
            ),
            "papers": _mapping(_object(_PAPER)),
        }
    ),
}


def texts(judged, title, found):
    """Return the scoreboard and its schema as JSON; the same bytes for the same ledgers and results.

    Parameters
    ----------
    judged : dict
        `{paper: [Judged]}`.
    found : dict
        `{paper: scoreboard.Evidence}`.
    """
    return _by_lines(content(judged, title, found)), _text(SCHEMA)


def content(judged, title, found):
    """Return what is written as JSON."""
    totals = scoreboard.summary(judged)
    return {
        "$schema": SCHEMA_NAME,
        "title": title,
        "meaning": verdicts.MEANING,
        "totals": {name: {v: count[v] for v in verdicts.ALL} for name, count in totals.items()},
        "papers": {
            paper: {
                "about": scoreboard.about(found[paper]),
                "claims": [_claim(j, found[paper]) for j in claims],
            }
            for paper, claims in judged.items()
        },
    }


def _claim(j, its):
    claim = j.claim
    seeds = its.seeds.get(claim.id)
    row = {
        "id": claim.id,
        "where": claim.where,
        "ours": claim.ours,
        **_statement(claim.statement),
        "trivial": claim.trivial,
        "corrected": claim.corrected
        and _statement(claim.corrected) | {"counterexample": claim.counterexample},
        "measured": {data: _measured(j, data, verdict) for data, verdict in j.by_data.items()},
        "other_seeds": seeds and dict(zip(_SEEDS, seeds)),
        "faults": its.power.turned(claim) if its.power else [],
        "verdict": j.verdict,
        "why": " ".join(f"{label}: {text}" if label else text for label, text in scoreboard.explanation(j)),
    }
    return {
        name: value for name, value in row.items() if name in _CLAIM["required"] or value not in (None, "")
    }


def _statement(statement):
    return {name: getattr(statement, name) for name in _STATEMENT}


def _measured(j, data, verdict):
    ids = {"of_statement": j.claim.id, "of_corrected": j.claim.corrected_id}
    found = {name: _measure(j, data, own) for name, own in ids.items() if own in j.measures[data]}
    return {"verdict": verdict} | found


def _measure(j, data, name):
    measure = Measure(*j.measures[data][name])._asdict() | {"seeds": j.pooled.get(data, {}).get(name)}
    return {key: _number(value) for key, value in measure.items() if key == "value" or value is not None}


def _number(value):
    if not isinstance(value, float):
        return value
    return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None


def _text(item, indent=1):
    return json.dumps(item, indent=indent, ensure_ascii=False, allow_nan=False) + "\n"


def _by_lines(item):
    """Write a claim a line, so that a difference of two scoreboards can be read."""
    papers = {name: paper | {"claims": []} for name, paper in item["papers"].items()}
    head, *rest = _text(item | {"papers": papers}).split('"claims": []')
    claims = [",\n".join(map(_line, paper["claims"])) for paper in item["papers"].values()]
    return head + "".join(
        f'"claims": [\n{own}]{after}' if own else f'"claims": []{after}'
        for own, after in zip(claims, rest, strict=True)
    )


def _line(claim):
    return "    " + _text(claim, indent=None).rstrip()

"""The file results.json of one notebook, checked whenever it is read."""

import json
import math
from collections import namedtuple

from reproduce import reading
from reproduce.errors import InvalidResults, shown
from reproduce.library import write_whole

NAME = "results.json"
# dof: degrees of freedom of the standard error; cases: how many were tried; resolution: what the value is a
# multiple of; None where it is not said.
Measure = namedtuple("Measure", "value stderr dof cases resolution", defaults=(0.0, None, None, None))
FIELDS = {"paper": str, "data": list, "figures": list, "tables": list, "measures": list}


def read(folder):
    """Return a published results.json, or None if there is none."""
    path = folder / NAME
    if not path.exists():
        return None
    return _load(path, f"{folder.name}/{NAME}")


def published(project, paper, family):
    """Return `{data: results.json}` of a paper, for the kinds of data that have results."""
    found = {data: read(project.destination(paper, f).folder) for data, f in family.by_data.items()}
    return {data: content for data, content in found.items() if content is not None}


def accept(folder, paper):
    """Return the results that a notebook wrote to its out_dir; check that each named file is there."""
    if not (folder / NAME).is_file():
        raise InvalidResults(
            f"the notebook ran to its end and wrote no {NAME}: make its Recorder with the parameter out_dir"
        )
    content = _load(folder / NAME, NAME)
    if content["paper"] != paper:
        raise InvalidResults(f"{NAME} must name the paper {paper!r}, got {shown(content['paper'])}")
    promised = [f"{n}.{kind}" for n in content["figures"] for kind in ("svg", "png")]
    promised += [f"{n}.csv" for n in content["tables"]]
    missing = [name for name in promised if not (folder / name).is_file()]
    if missing:
        raise InvalidResults(f"{NAME} names {', '.join(missing)}, which the notebook did not write")
    return content


def add_provenance(folder, content, provenance):
    """Write results.json again with its provenance."""
    write(folder, content | {"provenance": provenance})


def write(folder, content):
    """Write results.json, the same bytes for the same content."""
    write_whole(folder / NAME, json.dumps(content, sort_keys=True, indent=2) + "\n")


def measures(content):
    """Return `{claim id: Measure}`; a value that is not a finite number is kept as NaN."""
    return {
        m["claim"]: Measure(
            math.nan if m["value"] is None else m["value"],
            m.get("stderr") or 0.0,
            m.get("dof"),
            m.get("cases"),
            m.get("resolution"),
        )
        for m in content["measures"]
    }


def _load(path, name):
    try:
        content = reading.json_file(path)
        problem = _problem(content)
    except (OSError, ValueError) as error:
        problem = str(error)
    if problem:
        raise InvalidResults(f"{name} is malformed: {problem}")
    return content


def _problem(content):
    """Return the first thing that is wrong with the content, or None."""
    if not isinstance(content, dict):
        return "it must be a JSON object"
    for field, kind in FIELDS.items():
        if not isinstance(content.get(field), kind):
            return f"`{field}` must be a {kind.__name__}"
    if not all(isinstance(name, str) for name in content["figures"] + content["tables"]):
        return "`figures` and `tables` must hold names"
    return _problem_of_measures(content["measures"])


def _problem_of_measures(rows):
    seen = set()
    for row in rows:
        if not isinstance(row, dict) or not isinstance(row.get("claim"), str):
            return f"a measure must name its claim, got {shown(row)}"
        if row["claim"] in seen:
            return f"{row['claim']} is measured twice"
        seen.add(row["claim"])
        for field in ("value", "stderr", "cases", "dof", "resolution"):
            if not _is_number_or_null(row.get(field)):
                return f"{field} of {row['claim']} must be a number or null, got {shown(row[field])}"
        for field, least in (("stderr", 0), ("cases", 0), ("dof", 1)):
            if row.get(field) is not None and row[field] < least:
                return f"{field} of {row['claim']} must be >= {least}, got {row[field]}"
        if row.get("resolution") is not None and not row["resolution"] > 0:
            return f"resolution of {row['claim']} must be > 0, got {row['resolution']}"
    return None


def _is_number_or_null(value):
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))

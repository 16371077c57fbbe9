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
NUMBER = (float, None)
MEASURE = {
    "claim": str,
    "value": NUMBER,
    "stderr?": NUMBER,
    "dof?": NUMBER,
    "cases?": NUMBER,
    "resolution?": NUMBER,
}
PROVENANCE = {
    **dict.fromkeys(("profile?", "data?", "python?", "platform?", "key?"), str),
    "parameters?": dict,
    "packages?": {str: str},
    "source_commit?": (str, None),
}
FORM = {
    "paper": str,
    "data": list,
    "figures": [str],
    "tables": [str],
    "measures": [MEASURE],
    "provenance?": PROVENANCE,
}


def read_results(folder):
    """Return a published results.json, or None if there is none."""
    path = folder / NAME
    if not path.exists():
        return None
    return _load(path, f"{folder.name}/{NAME}")


def published(project, paper, family):
    """Return `{data: results.json}` of a paper, for the kinds of data that have results."""
    found = {data: read_results(project.destination(paper, f).folder) for data, f in family.by_data.items()}
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
    write_results(folder, content | {"provenance": provenance})


def write_results(folder, content):
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


def of_text(text):
    """Return the content of a results.json; ValueError where it is malformed."""
    return checked(reading.json_text(text))


def _load(path, name):
    try:
        return checked(reading.json_file(path))
    except (OSError, ValueError) as error:
        raise InvalidResults(f"{name} is malformed: {error}") from None


def checked(content):
    """Return the content of a results.json; ValueError where it is malformed."""
    reading.typed(content, FORM)
    seen = set()
    for row in content["measures"]:
        name = row["claim"]
        if name in seen:
            raise ValueError(f"{name} is measured twice")
        seen.add(name)
        for field, least in (("stderr", 0), ("cases", 0), ("dof", 1)):
            if row.get(field) is not None and row[field] < least:
                raise ValueError(f"{field} of {name} must be >= {least}, got {row[field]}")
        if row.get("resolution") is not None and not row["resolution"] > 0:
            raise ValueError(f"resolution of {name} must be > 0, got {row['resolution']}")
    return content

"""results.json: what a notebook hands over, checked at the door."""

import json

from reproduce.errors import InvalidResults, shown

NAME = "results.json"


def read(folder):
    """A published results.json, or None where there is none."""
    path = folder / NAME
    if not path.exists():
        return None
    return _load(path, f"{folder.name}/{NAME}")


def accept(folder, paper):
    """What a notebook left in its out_dir, with every figure and table it names."""
    if not (folder / NAME).is_file():
        raise InvalidResults(
            f"the notebook ran to its end and wrote no {NAME}: does it hand its results to a "
            "Recorder made with its own out_dir?"
        )
    content = _load(folder / NAME, NAME)
    if content["paper"] != paper:
        raise InvalidResults(f"{NAME} says that it is of paper {shown(content['paper'])}")
    promised = [f"{n}.{kind}" for n in content["figures"] for kind in ("svg", "png")]
    promised += [f"{n}.csv" for n in content["tables"]]
    missing = [name for name in promised if not (folder / name).is_file()]
    if missing:
        raise InvalidResults(f"{NAME} names {', '.join(missing)}, which the notebook did not write")
    return content


def add_provenance(folder, content, provenance):
    """Write results.json again with its provenance, the same bytes for the same content."""
    text = json.dumps(content | {"provenance": provenance}, sort_keys=True, indent=2)
    (folder / NAME).write_text(text + "\n")


def measures(content):
    """`{claim id: (value, stderr)}`; a value that is not a finite number is kept as NaN."""
    return {
        m["claim"]: (float("nan") if m["value"] is None else m["value"], m.get("stderr") or 0.0)
        for m in content["measures"]
    }


def _load(path, name):
    try:
        content = json.loads(path.read_text())
        problem = _problem(content)
    except (ValueError, UnicodeDecodeError) as error:
        problem = str(error)
    if problem:
        raise InvalidResults(f"{name} is malformed: {problem}")
    return content


def _problem(content):
    if not isinstance(content, dict):
        return "it is not an object"
    for field, kind in {
        "paper": str,
        "data": list,
        "figures": list,
        "tables": list,
        "measures": list,
    }.items():
        if not isinstance(content.get(field), kind):
            return f"`{field}` must be a {kind.__name__}"
    if not all(isinstance(name, str) for name in content["figures"] + content["tables"]):
        return "`figures` and `tables` hold names"
    seen = set()
    for row in content["measures"]:
        if not isinstance(row, dict) or not isinstance(row.get("claim"), str):
            return f"a measure names its claim, {shown(row)} does not"
        if row["claim"] in seen:
            return f"{row['claim']} is measured twice"
        seen.add(row["claim"])
        for field in ("value", "stderr"):
            if not _is_number_or_null(row.get(field)):
                return f"{field} of {row['claim']} must be a number or null, not {shown(row[field])}"
        if (row.get("stderr") or 0) < 0:
            return f"stderr of {row['claim']} is negative"
    return None


def _is_number_or_null(value):
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))

"""The local record of what was published: is a run up to date, and if not, why.

Records stand in build/, which git ignores, so a fresh clone always executes.
"""

import hashlib
import json

from reproduce.key import CHANGED
from reproduce.paths import write_whole


def stale_because(project, run):
    """The reason to run again; None when the published results are those of this very key."""
    record = read(project, run.destination)
    if record is None:
        return "never run here"
    was = record["components"]
    changed = [part for part, now in run.components.items() if was.get(part, ...) != now]
    if "notebook" in changed and "parameters" in changed:
        changed.remove("parameters")  # a default that was edited is no second reason
    if changed:
        return ", ".join(CHANGED.get(part, f"{part} changed") for part in changed)
    folder = run.destination.folder
    for name, digest in record["files"].items():
        if _sha256(folder / name) != digest:
            return f"{(folder / name).relative_to(project.root)} was changed or removed"
    return None


def seconds(project, run):
    """How long the run took whose results stand published; None if unknown."""
    return (read(project, run.destination) or {}).get("seconds")


def write(project, run, seconds):
    """Note what now stands published for a run."""
    folder = run.destination.folder
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    content = {
        "key": run.key,
        "components": run.components,
        "files": {p.relative_to(folder).as_posix(): _sha256(p) for p in files},
        "seconds": round(seconds, 2),
    }
    write_whole(project.record(run.destination), json.dumps(content, indent=2) + "\n")


def read(project, destination):
    """What was noted of the run that stands published there; None where nothing was, or nothing readable."""
    try:
        record = json.loads(project.record(destination).read_text())
        return record if isinstance(record["components"], dict) and record["files"] else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _sha256(path):
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None

"""The local record of what was published: is a run up to date, and if not, why.

Records stand in build/, which git ignores, so a fresh clone always executes.
"""

import hashlib
import json

from reproduce.library import write_whole
from reproduce.planning.key import CHANGED


def stale_because(project, run):
    """Return the reason to run again, or None when the published results are those of this very key."""
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
    """Return the seconds that the published run took, or None if they are not known."""
    return (read(project, run.destination) or {}).get("seconds")


def write(project, run, seconds):
    """Record the results that now stand published for a run."""
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
    """Return the record of the run that stands published there, or None where there is no readable one."""
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

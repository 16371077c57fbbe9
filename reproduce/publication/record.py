"""Local record of published results, which decides whether a run is up to date.

Records are kept in build/, which git ignores, so a fresh clone always executes.
"""

import hashlib
import json
import platform
from pathlib import Path

from reproduce import reading
from reproduce.library import write_whole
from reproduce.planning import key

FORM = {
    "components": {str: (str, None)},
    "files": {str: (str, None)},
    "key?": str,
    "seconds?": (float, None),
    "processor?": str,
}


def stale_because(project, run):
    """Return the reason to run again, or None when the published results have the run's key."""
    record = read_record(project, run.destination)
    if record is None:
        return "never run here"
    was = record["components"]
    # What counts of the library is what the published results say that their run executed.
    present = run.components | key.of_trace(project, run.destination.folder)
    # `...` for a component that is not there, since None may be one.
    changed = [part for part, now in present.items() if was.get(part, ...) != now]
    if "notebook" in changed and "parameters" in changed:
        changed.remove("parameters")  # an edited default changes both, and is one reason
    if changed:
        return ", ".join(key.CHANGED.get(part, f"{part} changed") for part in changed)
    folder = run.destination.folder
    for name, recorded in record["files"].items():
        if digest(folder / name) != recorded:
            return f"{(folder / name).relative_to(project.root)} was changed or removed"
    return None


def seconds(project, run):
    """Return the seconds that the published run took, or None if they are not known."""
    return (read_record(project, run.destination) or {}).get("seconds")


def write_record(project, run, seconds):
    """Record the results that are published for a run now."""
    folder = run.destination.folder
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    content = {
        "key": run.key,
        "components": run.components,
        "files": {p.relative_to(folder).as_posix(): digest(p) for p in files},
        "seconds": round(seconds, 2),
        "processor": processor(),
    }
    write_whole(project.record(run.destination), json.dumps(content, indent=2) + "\n")


def follow(project, destination, name, before):
    """Record a published file anew that the driver itself has changed, if it was as recorded `before`."""
    content = read_record(project, destination)
    # A file that somebody has edited stays as it was recorded, so that the run is stale.
    if content is not None and before is not None and content["files"].get(name) == before:
        content["files"][name] = digest(destination.folder / name)
        write_whole(project.record(destination), json.dumps(content, indent=2) + "\n")


def processor():
    """Return the processor's name, as the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def read_record(project, destination):
    """Return the record of the run that is published at `destination`, or None without a readable one."""
    try:
        record = reading.json_file(project.record(destination), FORM)
    except (OSError, ValueError):
        return None
    return record if record["files"] else None


def digest(path):
    """Return the sha256 of a file, None where there is none."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None

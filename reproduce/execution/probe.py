"""Check that the workers of an existing cluster have the same disk, Python, packages and sources.

`look` is sent by value, so that it also runs on a worker without `reproduce`, or with another version of it.
"""

import shutil
import sys
import tempfile
import time
from pathlib import Path

from reproduce.errors import EngineError

ARRIVE = 5  # seconds until a file written by another machine must be visible here
REMEDY = "start it from this project's environment, with the same checkout"


def check(client, folder, packages):
    """Raise EngineError for the first worker that differs from this process; the message names it."""
    _same_python(client)
    import cloudpickle

    place = Path(tempfile.mkdtemp(prefix="probe-", dir=folder))
    try:
        (place / "driver").write_text(place.name)
        module = sys.modules[__name__]
        cloudpickle.register_pickle_by_value(module)
        try:
            answers = client.run(look, str(place), list(packages), on_error="return")
        finally:
            cloudpickle.unregister_pickle_by_value(module)
        mine = fingerprint(list(packages))
        for address, answer in sorted(answers.items()):
            _judge(f"worker {address}", place, mine, answer)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def look(place, packages):
    """Return the worker's fingerprint, whether it sees the driver's file, and the name of a file it wrote."""
    import os
    import pathlib
    import uuid

    found = fingerprint(packages) | {"host": os.uname().nodename, "seen": False, "wrote": None}
    folder = pathlib.Path(place)
    try:
        found["seen"] = (folder / "driver").read_text() == folder.name
        found["wrote"] = uuid.uuid4().hex
        (folder / found["wrote"]).write_text(folder.name)
    except OSError as error:
        found["error"] = error.strerror
    return found


def fingerprint(packages):
    """Return the versions, the machine type and the digest of the sources, equal on all machines."""
    import hashlib
    import pathlib
    import platform
    from importlib import metadata

    found = {"Python": platform.python_version(), "machine": platform.machine()}
    for name in packages:
        try:
            found[name] = metadata.version(name).partition("+")[0]
        except metadata.PackageNotFoundError:
            found[name] = "missing"
    try:
        import reproduce
    except ImportError:
        return found | {"reproduce": "missing"}
    folder = pathlib.Path(reproduce.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return found | {"reproduce": f"source {digest.hexdigest()[:8]}"}


def _same_python(client):
    """Check the versions of Python and distributed.

    This comes first, because functions cannot be sent from one version of Python to another.
    """
    versions = client.get_versions()
    mine = versions["client"]
    others = {"the scheduler": versions["scheduler"]}
    others |= {f"worker {address}": version for address, version in sorted(versions["workers"].items())}
    for who, version in others.items():
        pairs = {"Python": ("host", "python"), "distributed": ("packages", "distributed")}
        for name, (part, field) in pairs.items():
            theirs, ours = (version or {}).get(part, {}).get(field), mine[part][field]
            if theirs != ours:
                raise EngineError(f"{who} has {name} {theirs}, this process has {ours}: {REMEDY}")


def _judge(worker, place, mine, answer):
    if not isinstance(answer, dict):
        raise EngineError(f"{worker} does not answer: {type(answer).__name__}: {answer}")
    worker = f"{worker} on {answer['host']}"
    for name, value in mine.items():
        if answer[name] != value:
            raise EngineError(f"{worker} has {name} {answer[name]}, this process has {value}: {REMEDY}")
    shared = "--scheduler needs this folder on all machines, at the same path"
    if not answer["seen"]:
        raise EngineError(f"{worker} does not see {place.parent}: {shared}")
    if "error" in answer:
        raise EngineError(f"{worker} cannot write to {place.parent} ({answer['error']}): {shared}")
    end = time.monotonic() + ARRIVE
    while not (place / answer["wrote"]).exists():
        if time.monotonic() > end:
            raise EngineError(f"a file that {worker} wrote to {place.parent} is not seen here: {shared}")
        time.sleep(0.1)

"""Check that the workers of an existing cluster have the same Python, packages and sources.

`look_around` is sent by value: it also runs on a worker without `reproduce`, or with another version of it.
"""

import shutil
import sys
import tempfile

from reproduce.errors import EngineError

REMEDY = "start it from this project's environment, with the same checkout"


def check_workers(client, engine):
    """Raise EngineError for the first worker that differs from this process; the message names it."""
    _same_python(client)
    import cloudpickle

    packages, names = list(engine.packages), list(engine.code)
    # Under a random name: on another machine the folder's path may be that of another folder.
    place = tempfile.mkdtemp(prefix="probe-", dir=engine.folder)
    try:
        module = sys.modules[__name__]
        cloudpickle.register_pickle_by_value(module)
        try:
            answers = client.run(look_around, place, packages, names, on_error="return")
        finally:
            cloudpickle.unregister_pickle_by_value(module)
        mine = fingerprint(packages)
        own = digest_of(engine.code.values())
        for address, answer in sorted(answers.items()):
            _judge(f"worker {address}", engine.folder, mine, own, answer)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def look_around(place, packages, names):
    """Return a fingerprint and, without access to the driver's folder, the digest of its own project."""
    import os
    import pathlib

    found = fingerprint(packages) | {"host": os.uname().nodename, "folder": os.getcwd()}
    if not os.access(place, os.W_OK):
        found["own"] = digest_of(pathlib.Path.cwd() / name for name in names)
    return found


def digest_of(folders):
    """Return a digest of all modules in these folders."""
    import hashlib

    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            digest.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:8]


def fingerprint(packages):
    """Return the versions, the machine type and the digest of the driver, equal on all machines."""
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
    return found | {"reproduce": f"source {digest_of([pathlib.Path(reproduce.__file__).parent])}"}


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


def _judge(worker, folder, mine, own, answer):
    if not isinstance(answer, dict):
        raise EngineError(f"{worker} does not answer: {type(answer).__name__}: {answer}")
    worker = f"{worker} on {answer['host']}"
    for name, value in mine.items():
        if answer[name] != value:
            raise EngineError(f"{worker} has {name} {answer[name]}, this process has {value}: {REMEDY}")
    if answer.get("own", own) != own:
        raise EngineError(
            f"{worker} cannot write to {folder}, and {answer['folder']} has other sources than this project: "
            "start it in a checkout of the same commit"
        )

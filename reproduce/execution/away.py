"""Execution on a worker that does not see the driver's folder: what the notebook writes is sent back."""

import os
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from reproduce.execution import execute as here
from reproduce.execution.outcomes import Failure, Success


@dataclass(frozen=True)
class Sent:
    """Outcome of a task, the files of its results by their paths there, and the notebook as it ran."""

    outcome: Success | Failure
    files: dict
    executed: bytes | None


def execute(task, on_cell, unwanted):
    """Run a task in the driver's folder, or, without access to it, in one of this worker's own.

    The project is then the folder in which the worker was started.

    Returns
    -------
    Success, Failure or Sent
    """
    if os.access(task.folder, os.W_OK):
        return here.execute(task, on_cell, unwanted)
    from distributed import get_worker

    path = filter(None, [os.getcwd(), os.environ.get("PYTHONPATH")])
    data = {name: os.path.abspath(os.environ[name]) for name in ("PAPERLIB_DATA",) if os.environ.get(name)}
    environment = task.environment | {"PYTHONPATH": os.pathsep.join(path)} | data
    with tempfile.TemporaryDirectory(dir=get_worker().local_directory) as name:
        own = Path(name)
        files = {"source": own / "source.ipynb", "executed": own / "executed.ipynb", "folder": own}
        files["source"].write_bytes(task.raw)
        outcome = here.execute(replace(task, environment=environment, **files), on_cell, unwanted)
        written = [p for p in outcome.out.rglob("*") if p.is_file()] if isinstance(outcome, Success) else []
        sent = {path.relative_to(outcome.out).as_posix(): path.read_bytes() for path in written}
        executed = files["executed"].read_bytes() if files["executed"].exists() else None
        return Sent(outcome, sent, executed)


def received(task, outcome):
    """Write what was sent to where the driver expects it, and return the outcome alone."""
    if not isinstance(outcome, Sent):
        return outcome
    if outcome.executed is not None:
        task.executed.parent.mkdir(parents=True, exist_ok=True)
        task.executed.write_bytes(outcome.executed)
    if isinstance(outcome.outcome, Failure):
        return outcome.outcome
    out = Path(tempfile.mkdtemp(dir=task.folder))
    for name, data in outcome.files.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(data)
    return replace(outcome.outcome, out=out)

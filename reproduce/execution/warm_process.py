"""A warm process for a project's notebooks, as `warm.py` describes it, and what is asked of it."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from reproduce.execution import kernel_manager
from reproduce.library import RUNTIME
from reproduce.paths import HOME, Project

LIMIT = 7200  # seconds of processor time: the papers' own data take half an hour with nothing compiled


@dataclass(frozen=True)
class Trial:
    """One notebook to run, with parts of the library's text replaced.

    Attributes
    ----------
    edits : tuple of (at, old, new)
        As for `definitions.edited`.
    kernels : str or None
        Folder of compiled kernels to use in place of those beside the sources.
    seconds : int
        Processor time allowed for the notebook.
    step_seconds : dict or None
        That allowed for each of its steps, by name; "" has that for steps without one.
    tables : Path or None
        Folder in which to keep the tables.
    taken : tuple of str
        Files of the store of steps whose values are used whatever the edits.
    until : tuple of str
        Tables behind the last of which the run ends; with none it goes to the notebook's end.
    modules : tuple of str
        Names that a run before imported, to be imported before this one starts.
    """

    notebook: Path
    parameters: dict
    edits: tuple = ()
    kernels: str | None = None
    seconds: int = LIMIT
    step_seconds: dict | None = None
    tables: Path | None = None
    taken: tuple = field(default=(), repr=False)
    until: tuple = ()
    modules: tuple = field(default=(), repr=False)


@dataclass(frozen=True)
class Ending:
    """The end of a trial: `status` is "done", "failed", "timeout" or "died".

    Attributes
    ----------
    results, trace : dict or None
        What results.json and trace.json held at the end, None where there was none.
    seconds : float
        Processor time.
    steps : dict or None
        Step's name -> seconds that its longest call took, now or when it was kept.
    kept : list of str, or None
        The file in the store of each call of a step, in order; empty where it has none.
    """

    status: str
    message: str
    cell: int | None
    results: dict | None
    seconds: float
    modules: tuple = field(default=(), repr=False)
    trace: dict | None = field(default=None, repr=False)
    steps: dict | None = None
    kept: list | None = field(default=None, repr=False)


class WarmProcess:
    """Context manager of the warm process, which starts with the first trial and ends with the block.

    Attributes
    ----------
    folder : str or None
        Where the trials' temporary files go; None is the system's folder for them.
    """

    def __init__(self, root, folder=None):
        self.root = Path(root)
        self.folder = folder
        self.process = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """End the process, where there is one; the next trial starts another."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def run(self, trial):
        """Return the Ending of a trial; the process is started anew where it had died."""
        with tempfile.TemporaryDirectory(prefix="reproduce-warm-", dir=self.folder) as folder:
            scratch, out = Path(folder, "scratch"), Path(folder, "out")
            scratch.mkdir()
            out.mkdir()
            task = {
                "notebook": str(trial.notebook),
                "parameters": trial.parameters,
                "edits": list(trial.edits),
                "own": [*Project(self.root).packages, RUNTIME],
                "kernels": trial.kernels,
                "seconds": trial.seconds,
                "step_seconds": trial.step_seconds,
                "taken": list(trial.taken),
                "until": [f"{name}.csv" for name in trial.until],
                "modules": list(trial.modules),
                "scratch": str(scratch),
                "out": str(out),
            }
            answer = self._ask(task)
            if trial.tables is not None:
                shutil.rmtree(trial.tables, ignore_errors=True)
                trial.tables.mkdir(parents=True)
                for path in out.glob("*.csv"):
                    shutil.move(path, trial.tables)
            return Ending(
                answer["status"],
                answer["message"],
                answer.get("cell"),
                _read(out / "results.json"),
                answer["seconds"],
                tuple(answer.get("modules", ())),
                _read(out / "trace.json"),
                answer.get("steps"),
                answer.get("kept"),
            )

    def _ask(self, task):
        if self.process is None or self.process.poll() is not None:
            self._start()
        try:
            print(json.dumps(task), file=self.process.stdin, flush=True)
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if line:
            return json.loads(line)
        self.close()
        return {"status": "died", "message": "the warm process died", "seconds": 0.0}

    def _start(self):
        # The project's own paperlib first, also where another one is installed; the driver's modules last.
        path = [str(self.root), os.environ.get("PYTHONPATH"), str(HOME)]
        environment = {"PYTHONPATH": os.pathsep.join(filter(None, path))}
        if data := os.environ.get("PAPERLIB_DATA"):
            environment["PAPERLIB_DATA"] = os.path.abspath(data)
        environment = kernel_manager.environment(Path(tempfile.gettempdir()), environment)
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "reproduce.execution.warm", str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
            cwd=tempfile.gettempdir(),
        )


def _read(path):
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None

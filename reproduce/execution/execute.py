"""Execution of one notebook with papermill, in a worker."""

import atexit
import contextlib
import importlib
import logging
import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

from reproduce.execution import kernel_manager
from reproduce.execution.outcomes import CellFailure, KernelFailure, Success, failing_line

START_TIMEOUT = 300  # seconds; many kernels may start at once, from a slow disk
ATTEMPTS = 2  # the second only where the worker died in the first
DIED = "the process that ran the notebook died twice (killed, or out of memory)"
# jsonschema checks internationalised addresses if it can import this module. Notebooks have none, and
# building the grammar takes more than a second of every worker's start.
UNUSED = "rfc3987_syntax"


@dataclass(frozen=True)
class Task:
    """Notebook to execute, as it is sent to a worker."""

    name: str
    source: Path
    raw: bytes  # the same, for a worker that does not see the file
    parameters_cell: int
    parameters: dict  # all but `out_dir`
    executed: Path
    folder: Path  # each attempt makes a folder in it
    environment: dict


def execute(task, on_cell=lambda index: None, unwanted=lambda: False):
    """Run the notebook to its end or to its first error.

    The state of this process, such as its folder and environment, stays as it is, because other threads
    may execute notebooks at the same time.

    Parameters
    ----------
    on_cell : callable
        Called with the number of finished cells each time a cell starts, and with a fraction within a cell.
    unwanted : callable
        Returns True once nobody waits for the result; the kernel is then killed. Called from another thread.

    Returns
    -------
    Success or Failure
    """
    papermill = import_papermill()
    from nbclient.exceptions import DeadKernelError

    started = time.monotonic()
    position = _Position(task.parameters_cell, on_cell)
    scratch = None
    try:
        attempt, folder = _attempt(task.folder)
        # Our own scheduler counts the deaths, too (`pool.SETTINGS`); an existing one may allow more of them.
        if attempt > ATTEMPTS:
            return KernelFailure(DIED)
        scratch, out = folder / "scratch", folder / "out"
        scratch.mkdir()
        out.mkdir()
        task.executed.parent.mkdir(parents=True, exist_ok=True)
        _run(papermill, task, scratch, out, position, unwanted)
    except papermill.PapermillExecutionError as error:
        line = failing_line(error.source, error.traceback, error.exec_count)
        cell = position.as_written(error.cell_index)
        return CellFailure(cell, error.exec_count, line, error.ename, error.evalue)
    except DeadKernelError:
        words = kernel_manager.last_words(scratch)
        return KernelFailure("the kernel died (killed, or out of memory)", position.current, words)
    except RuntimeError as error:
        return KernelFailure(f"the kernel did not start: {error}", None, kernel_manager.last_words(scratch))
    except OSError as error:
        where = f" {error.filename}" if error.filename else ""
        return KernelFailure(f"cannot write{where}: {error.strerror or error}", position.current)
    return Success(time.monotonic() - started, out, attempt)


def import_papermill():
    """Import papermill without `UNUSED`, which can still be imported afterwards."""
    hidden = sys.modules.setdefault(UNUSED, None) is None
    try:
        return importlib.import_module("papermill")
    finally:
        if hidden:
            sys.modules.pop(UNUSED, None)


class _Position:
    """Index of the running cell in the notebook as written."""

    def __init__(self, parameters_cell, on_cell):
        self.parameters_cell = parameters_cell
        self.on_cell = on_cell
        self.current = 0

    def as_written(self, index):
        """Return the index without the cell that papermill inserts behind the parameters cell."""
        return index - (index > self.parameters_cell)

    def cell_starts(self, cell, cell_index, **_):
        self.current = self.as_written(cell_index)
        self.on_cell(self.current)

    def look(self, told):
        """Pass on what a long step of the running cell has written to the file `told`, a share of one."""
        with contextlib.suppress(OSError, ValueError):
            within = told.read_text()
            told.unlink()
            self.on_cell(self.current + min(float(within), 0.99))  # a whole one would be the cell's end


def _run(papermill, task, scratch, out, position, unwanted):
    logging.getLogger("papermill").setLevel(
        logging.CRITICAL
    )  # failures are returned and reported once, by the driver
    told = scratch / "progress"
    environment = kernel_manager.environment(
        scratch, task.environment | {"PAPERLIB_STEPS_PROGRESS": str(told)}
    )

    def asked():
        position.look(told)
        return unwanted()

    with warnings.catch_warnings(), kernel_manager.killed_when(asked) as kernels, _closed_event_loops():
        warnings.simplefilter("ignore")
        papermill.execute_notebook(
            _verbatim(task.source),
            _verbatim(task.executed),
            parameters=task.parameters | {"out_dir": str(out)},
            kernel_name="python3",
            language="python",
            progress_bar=False,
            start_timeout=START_TIMEOUT,
            kernel_manager_class=kernel_manager.of_this_interpreter(scratch, environment, kernels),
            on_cell_start=position.cell_starts,
        )


@contextlib.contextmanager
def _closed_event_loops():
    """Close the event loops that the notebook's client leaves open: this thread's, and that of its clean-up.

    The clean-up runs where a worker ends in the middle of a notebook. As a process ends, an open loop may be
    collected after its sockets, and the interpreter prints an error that is none.
    """
    from jupyter_core.utils import ensure_event_loop

    def close():
        ensure_event_loop().close()

    atexit.register(close)  # first, so that it runs after the client's own
    try:
        yield
    finally:
        close()
        atexit.unregister(close)


def _attempt(folder):
    """Make a new folder for this attempt.

    The attempt before may have left some of its results in its folder, or may still be writing there.
    """
    attempt = 1
    while True:
        try:
            (folder / str(attempt)).mkdir()
            return attempt, folder / str(attempt)
        except FileExistsError:
            attempt += 1


def _verbatim(path):
    """Return `path` with its braces doubled, because papermill formats paths as templates."""
    return str(path).replace("{", "{{").replace("}", "}}")

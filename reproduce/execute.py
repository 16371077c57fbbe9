"""Execute one notebook with papermill: what a worker does."""

import logging
import os
import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

from reproduce import kernel
from reproduce.failures import CellFailure, KernelFailure, failing_line

START_TIMEOUT = 300  # seconds; a cold disk and many kernels at once


@dataclass(frozen=True)
class Task:
    """One notebook to execute, as it is sent to a worker."""

    name: str
    source: bytes
    parameters_cell: int
    parameters: dict
    executed: Path
    scratch: Path
    python_path: str


def execute(task, on_cell=lambda index: None):
    """Run the notebook to its end or to its first error.

    Parameters
    ----------
    on_cell : callable
        Called with the number of cells behind it, each time a cell starts.

    Returns
    -------
    float or Failure
        Seconds it took, or what went wrong.
    """
    import papermill
    from nbclient.exceptions import DeadKernelError

    started = time.monotonic()
    current = 0

    def position(index):
        """Index in the notebook as written: papermill puts its own cell behind the parameters cell."""
        return index - (index > task.parameters_cell)

    def on_cell_start(cell, cell_index, **_):
        nonlocal current
        current = position(cell_index)
        on_cell(current)

    os.environ.update(_environment(task))
    logging.getLogger("papermill").setLevel(logging.CRITICAL)  # failures are returned, and told once
    source = task.scratch.parent / f"{task.name}.ipynb"
    source.write_bytes(task.source)
    task.executed.parent.mkdir(parents=True, exist_ok=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            papermill.execute_notebook(
                _verbatim(source),
                _verbatim(task.executed),
                parameters=task.parameters,
                kernel_name="python3",
                language="python",
                progress_bar=False,
                start_timeout=START_TIMEOUT,
                cwd=task.scratch,
                kernel_manager_class=_own_interpreter(task.scratch / "kernel.json"),
                on_cell_start=on_cell_start,
            )
    except papermill.PapermillExecutionError as error:
        line = failing_line(error.source, error.traceback, error.exec_count)
        return CellFailure(position(error.cell_index), error.exec_count, line, error.ename, error.evalue)
    except DeadKernelError:
        return KernelFailure("the kernel died (killed, or out of memory)", current, _last_words(task))
    except RuntimeError as error:
        return KernelFailure(f"the kernel did not start: {error}", None, _last_words(task))
    except OSError as error:
        where = f" {error.filename}" if error.filename else ""
        return KernelFailure(f"cannot write{where}: {error.strerror or error}", current)
    return time.monotonic() - started


def _last_words(task, lines=5):
    """What the kernel itself had to say, such as where it met a segmentation fault."""
    try:
        text = (task.scratch / kernel.LOG).read_text(errors="replace")
    except OSError:
        return ()
    return tuple(text.strip().splitlines()[:lines])


def _environment(task):
    environment = {
        # One thread each: a sum then has one order, and one result, whatever the number of cores.
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "NUMBA_NUM_THREADS": "1",
        # Sets of strings iterate in one order.
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": task.python_path,
        # The reader's own Jupyter and IPython settings must not show in the results.
        "JUPYTER_PREFER_ENV_PATH": "1",
        "IPYTHONDIR": str(task.scratch),
    }
    if data := os.environ.get("PAPERLIB_DATA"):
        environment["PAPERLIB_DATA"] = os.path.abspath(data)  # the kernel stands in another folder
    return environment


def _verbatim(path):
    """`path` for papermill, which takes braces in one for a template."""
    return str(path).replace("{", "{{").replace("}", "}}")


def _own_interpreter(connection_file):
    """A kernel manager that looks up no kernelspec: whatever `python3` is to the user, it is this one."""
    from jupyter_client import AsyncKernelManager
    from jupyter_client.kernelspec import KernelSpec

    class OwnInterpreter(AsyncKernelManager):
        @property
        def kernel_spec(self):
            # -P: the folder of kernel.py holds modules of ours that must not shadow anyone's.
            argv = [sys.executable, "-P", "-Xfrozen_modules=off", kernel.__file__, "-f", "{connection_file}"]
            argv += ["--log-level=ERROR"]  # its warnings about the transport are no news to the user
            return KernelSpec(argv=argv, display_name="Python 3", language="python")

        def _connection_file_default(self):
            return str(connection_file)  # in the run's own folder, so that a killed run leaves none elsewhere

    return OwnInterpreter

"""Execute one notebook with papermill: what a worker does."""

import logging
import os
import sys
import time
import uuid
import warnings
from dataclasses import dataclass
from pathlib import Path

from reproduce import kernel, lean_import, watch
from reproduce.failures import CellFailure, KernelFailure, failing_line

START_TIMEOUT = 300  # seconds; a cold disk and many kernels at once
ATTEMPTS = 2  # the second where the process that made the first one died
DIED = "the process that ran the notebook died twice (killed, or out of memory)"


@dataclass(frozen=True)
class Task:
    """One notebook to execute, as it is sent to a worker: small, the notebook itself is on the disk."""

    name: str
    source: Path
    parameters_cell: int
    parameters: dict  # all but `out_dir`
    executed: Path
    folder: Path  # each attempt makes one of its own in it
    environment: dict


@dataclass(frozen=True)
class Success:
    """What a notebook left that ran to its end."""

    seconds: float
    out: Path
    attempt: int


def execute(task, on_cell=lambda index: None, unwanted=lambda: False):
    """Run the notebook to its end or to its first error.

    Nothing of this process is changed, such as its folder or environment: other threads may do the same.

    Parameters
    ----------
    on_cell : callable
        Called with the number of cells behind it, each time a cell starts.
    unwanted : callable
        Whether nobody waits for the result any more; the kernel is then killed. Asked from another thread.

    Returns
    -------
    Success or Failure
    """
    papermill = lean_import.papermill()
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

    logging.getLogger("papermill").setLevel(logging.CRITICAL)  # failures are returned, and told once
    scratch = None
    try:
        attempt, folder = _attempt(task.folder)
        if attempt > ATTEMPTS:
            return KernelFailure(DIED)
        scratch, out = folder / "scratch", folder / "out"
        scratch.mkdir()
        out.mkdir()
        task.executed.parent.mkdir(parents=True, exist_ok=True)
        with warnings.catch_warnings(), watch.killed_when(unwanted) as kernels:
            warnings.simplefilter("ignore")
            papermill.execute_notebook(
                _verbatim(task.source),
                _verbatim(task.executed),
                parameters=task.parameters | {"out_dir": str(out)},
                kernel_name="python3",
                language="python",
                progress_bar=False,
                start_timeout=START_TIMEOUT,
                kernel_manager_class=_own_interpreter(scratch, _environment(task, scratch), kernels),
                on_cell_start=on_cell_start,
            )
    except papermill.PapermillExecutionError as error:
        line = failing_line(error.source, error.traceback, error.exec_count)
        return CellFailure(position(error.cell_index), error.exec_count, line, error.ename, error.evalue)
    except DeadKernelError:
        return KernelFailure("the kernel died (killed, or out of memory)", current, _last_words(scratch))
    except RuntimeError as error:
        return KernelFailure(f"the kernel did not start: {error}", None, _last_words(scratch))
    except OSError as error:
        where = f" {error.filename}" if error.filename else ""
        return KernelFailure(f"cannot write{where}: {error.strerror or error}", current)
    return Success(time.monotonic() - started, out, attempt)


def _attempt(folder):
    """A folder of this attempt's own: the one before may have left half of its results, or still write."""
    attempt = 1
    while True:
        try:
            (folder / str(attempt)).mkdir()
            return attempt, folder / str(attempt)
        except FileExistsError:
            attempt += 1


def _last_words(scratch, lines=5):
    """What the kernel itself had to say, such as where it met a segmentation fault."""
    try:
        text = (scratch / kernel.LOG).read_text(errors="replace")
    except OSError:
        return ()
    return tuple(text.strip().splitlines()[:lines])


def _environment(task, scratch):
    return os.environ | {
        # One thread each: a sum then has one order, and one result, whatever the number of cores.
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "NUMBA_NUM_THREADS": "1",
        # glibc gives freed memory back at once; a network that asks for it again at every step then spends a
        # third of its time on new pages.
        "MALLOC_TRIM_THRESHOLD_": str(2**30),
        "MALLOC_MMAP_THRESHOLD_": str(2**25),
        # Sets of strings iterate in one order.
        "PYTHONHASHSEED": "0",
        # The reader's own Jupyter and IPython settings must not show in the results.
        "JUPYTER_PREFER_ENV_PATH": "1",
        "IPYTHONDIR": str(scratch),
        **task.environment,
    }


def _verbatim(path):
    """`path` for papermill, which takes braces in one for a template."""
    return str(path).replace("{", "{{").replace("}", "}}")


def _own_interpreter(scratch, environment, kernels):
    """A kernel manager that looks up no kernelspec: whatever `python3` is to the user, it is this one."""
    from jupyter_client import AsyncKernelManager
    from jupyter_client.kernelspec import KernelSpec
    from traitlets import default

    class OwnInterpreter(AsyncKernelManager):
        if sys.platform == "linux":
            # Ports are found free here and bound later, in the kernel: with many kernels some are taken by
            # then. A name in the abstract socket namespace is nobody else's, and leaves no file.
            @default("transport")
            def _transport_default(self):
                return "ipc"

            def _ip_default(self):
                return f"@reproduce-{uuid.uuid4().hex}"

        @property
        def kernel_spec(self):
            # -P: the folder of kernel.py holds modules of ours that must not shadow anyone's.
            argv = [sys.executable, "-P", "-Xfrozen_modules=off", kernel.__file__, "-f", "{connection_file}"]
            argv += ["--log-level=ERROR"]  # its warnings about the transport are no news to the user
            return KernelSpec(argv=argv, display_name="Python 3", language="python")

        def _connection_file_default(self):
            return str(scratch / "kernel.json")  # in the run's own folder: a killed run leaves none elsewhere

        async def _async_pre_start_kernel(self, **options):
            return await super()._async_pre_start_kernel(
                **options | {"env": environment, "cwd": str(scratch)}
            )

        async def _async_post_start_kernel(self, **options):
            kernels.append(self.provisioner.process)
            await super()._async_post_start_kernel(**options)

    return OwnInterpreter

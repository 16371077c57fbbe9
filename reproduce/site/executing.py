"""Execution of the code that pages show the results of, in a kernel and a folder of its own.

What comes out is kept, and taken again while the same would come out: while the code, the versions, and the
definitions of the library that were executed are the same.
"""

import json
import os
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from reproduce.errors import PageError
from reproduce.execution import kernel_manager
from reproduce.planning import key, traces

SECONDS = 300  # that a cell may take
EXECUTED = "executed"  # in the metadata: what of the library was, as `run_trace.by_module` has it
TRACE = """\
from paperlib._common.code_reach import sources_of
import paperlib
from paperlib.experiments.tracing import Tracer
traced_here = Tracer(sources_of("paperlib"))
traced_here.__enter__()"""
TRACED = """\
import json, pathlib
from paperlib.experiments.run_trace import by_module
pathlib.Path({path!r}).write_text(json.dumps(by_module(traced_here.entered)))"""


def library_key(project, executed):
    """Return the key of what was executed of the library; of all of it in a project without traces."""
    if not traces.are_written(project):
        return key.library(project)
    return traces.sources(project).digest(traces.items(executed))


def run(project, where, notebook):
    """Execute a notebook to its end, and return it as JSON; the first error ends it.

    Its metadata name what of the library was executed.

    Parameters
    ----------
    where : str
        What an error is said to be in.
    notebook : nbformat.NotebookNode
    """
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    paths = os.pathsep.join(filter(None, [str(project.root), os.environ.get("PYTHONPATH")]))
    environment, interrupted = os.environ | {"PYTHONPATH": paths}, threading.Event()
    # In the main thread nbclient would take Ctrl-C for itself, and end in an error of its own.
    with (
        tempfile.TemporaryDirectory() as folder,
        kernel_manager.killed_when(interrupted.is_set) as kernels,
        ThreadPoolExecutor(1) as pool,
    ):
        executed = Path(folder, "executed.json")
        if traces.are_written(project):
            _trace(notebook, executed)
        manager = kernel_manager.of_this_interpreter(Path(folder), environment, kernels)
        client = NotebookClient(notebook, timeout=SECONDS, kernel_manager_class=manager)
        try:
            pool.submit(client.execute).result()
        except KeyboardInterrupt:
            interrupted.set()
            raise
        except CellExecutionError as error:
            raise PageError(f"{where}: {error.ename}: {error.evalue}") from None
        except (CellTimeoutError, DeadKernelError) as error:
            raise PageError(f"{where}: {error}") from None
        content = json.loads(json.dumps(notebook))
        if executed.exists():
            content["metadata"][EXECUTED] = json.loads(executed.read_text())
            content["cells"] = _as_they_were(content["cells"][1:-1])
    for cell in content["cells"]:
        cell["metadata"].pop("execution", None)  # times
    return content


def _trace(notebook, path):
    from nbformat.v4 import new_code_cell

    notebook.cells.insert(0, new_code_cell(TRACE))
    notebook.cells.append(new_code_cell(TRACED.format(path=str(path))))


def _as_they_were(cells):
    """Return cells numbered as without the one in front of them."""
    for cell in cells:
        for numbered in (cell, *cell.get("outputs", ())):
            if numbered.get("execution_count"):
                numbered["execution_count"] -= 1
    return cells

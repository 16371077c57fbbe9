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
from reproduce.library import RUNTIME
from reproduce.paths import LIBRARY
from reproduce.planning import key, traces

SECONDS = 300  # that a cell may take
EXECUTED = "executed"  # in the metadata: what of the library was, as in `trace.json`
TRACE = f"from {RUNTIME}.experiments import run_trace\nrun_trace.begin_if_wanted()"
TRACED = "import pathlib\npathlib.Path({path!r}).write_text(run_trace.text({{}}))"


def _is_traced(project):
    """Return whether what a page executes is; one of a companion depends on all of its packages."""
    return LIBRARY in project.packages and traces.are_written(project)


def made_from(project, own, executed):
    """Return what kept outputs are known by: the key of their code, and what was executed of the library."""
    if _is_traced(project):
        library = traces.sources(project).digest(traces.items(executed))
    else:
        library = key.library(project)
    return {"key": own, EXECUTED: executed, "library": library}


def are_current(project, own, kept):
    """Return whether outputs that are kept with these fields would come out again."""
    present = made_from(project, own, kept[EXECUTED])
    return all(kept[name] == value for name, value in present.items())


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
        trace = Path(folder, traces.NAME)
        if _is_traced(project):
            environment["PAPERLIB_TRACE"] = "1"
            _trace(notebook, trace)
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
        content["metadata"][EXECUTED] = {}
        if trace.exists():
            content["metadata"][EXECUTED] = json.loads(trace.read_text())["run"]
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

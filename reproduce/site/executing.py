"""Execution of the code that pages show the results of, in a kernel and a folder of its own."""

import json
import os
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from reproduce.errors import PageError
from reproduce.execution import kernel_manager

SECONDS = 300  # that a cell may take


def run(project, where, notebook):
    """Execute a notebook to its end, and return it as JSON; the first error ends it.

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
    for cell in content["cells"]:
        cell["metadata"].pop("execution", None)  # times
    return content

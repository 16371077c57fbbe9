"""The import of papermill and what a run leaves open, in processes of their own: a module stays imported."""

import subprocess
import sys

import nbformat
import pytest

from reproduce.execution.execute import Task, execute
from reproduce.execution.outcomes import Success
from reproduce.paths import Project


def printed(code, folder=None):
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder).stdout


@pytest.mark.slow
def test_papermill_comes_without_the_grammar_which_can_be_had_afterwards():
    code = """
import sys
from reproduce.execution.execute import import_papermill
papermill = import_papermill()
print(papermill.__name__, "rfc3987_syntax.syntax_helpers" in sys.modules)
import rfc3987_syntax
print(rfc3987_syntax.is_valid_syntax_iri("https://example.org/é"))
"""
    assert printed(code) == "papermill False\nTrue\n"


@pytest.mark.slow
def test_what_is_there_already_stays():
    code = """
import sys, rfc3987_syntax
from reproduce.execution.execute import import_papermill
import_papermill()
print(sys.modules["rfc3987_syntax"] is rfc3987_syntax)
"""
    assert printed(code) == "True\n"


def test_a_notebook_is_still_validated():
    code = """
from reproduce.execution.execute import import_papermill
import_papermill()
import nbformat
notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1")])
del notebook.cells[0]["source"]
try:
    nbformat.validate(notebook)
except nbformat.ValidationError as error:
    print("refused")
"""
    assert printed(code) == "refused\n"


@pytest.mark.slow
def test_no_event_loop_is_left_open(tmp_path):
    # Collected as the process ends, one prints "Exception ignored in: <function BaseEventLoop.__del__ ...".
    code = f"""
import sys
sys.path.insert(0, {str(Project().root)!r})
import asyncio, gc, threading
from pathlib import Path
import nbformat
from reproduce.execution.execute import Task, execute
cell = nbformat.v4.new_code_cell("seed = 0", metadata={{"tags": ["parameters"]}})
nbformat.write(nbformat.v4.new_notebook(cells=[cell]), "alpha.ipynb")
task = Task("alpha", Path("alpha.ipynb"), b"", 0, {{}}, Path("executed/alpha.ipynb"), Path("runs"), {{}})
task.folder.mkdir()
thread = threading.Thread(target=lambda: print(type(execute(task)).__name__))
thread.start()
thread.join()
print([o for o in gc.get_objects() if isinstance(o, asyncio.BaseEventLoop) and not o.is_closed()])
"""
    assert printed(code, tmp_path) == "Success\n[]\n"


def test_a_long_step_is_reported_within_its_cell(tmp_path):
    source = """
import os, time
from pathlib import Path
Path(os.environ["PAPERLIB_STEPS_PROGRESS"]).write_text("0.25")
time.sleep(2)
"""
    cells = [
        nbformat.v4.new_code_cell("seed = 0", metadata={"tags": ["parameters"]}),
        nbformat.v4.new_code_cell(source),
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "alpha.ipynb")
    runs = tmp_path / "runs"
    runs.mkdir()
    task = Task("alpha", tmp_path / "alpha.ipynb", b"", 0, {}, tmp_path / "executed/alpha.ipynb", runs, {})
    reached = []
    assert isinstance(execute(task, reached.append), Success)
    assert reached == [0, 0, 1, 1.25]  # papermill has a cell of its own for the values given

"""The import of papermill, each time in a process of its own: a module stays imported."""

import subprocess
import sys


def printed(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


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

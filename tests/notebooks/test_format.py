"""Format of the committed notebooks: valid, without outputs, parameters first, short cells, links."""

import ast
import re
from pathlib import Path

import nbformat
import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request):
    return nbformat.read(request.param, as_version=nbformat.NO_CONVERT)


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_a_notebook_is_valid_and_kept_without_outputs(notebook):
    nbformat.validate(notebook)
    for cell in code_cells(notebook):
        assert cell.outputs == []
        assert cell.execution_count is None


def test_the_first_code_cell_holds_the_parameters_and_the_three_that_all_have(notebook):
    tagged = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
    assert tagged == code_cells(notebook)[:1]
    tree = ast.parse(code_cells(notebook)[0].source)
    values = {node.target.id: ast.literal_eval(node.value) for node in tree.body}
    assert isinstance(values["seed"], int)
    assert values["out_dir"] is None
    assert values["data"] == "bundled"


def test_sections_are_numbered_without_a_gap(notebook):
    prose = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    numbers = [int(n) for text in prose for n in re.findall(r"^## (\d+)\. ", text, re.M)]
    assert numbers == list(range(1, len(numbers) + 1)) and len(numbers) > 3


def test_no_code_cell_is_longer_than_a_screen(notebook):
    parameters, *others = code_cells(notebook)
    assert len(ast.parse(parameters.source).body) <= 40
    for cell in others:
        assert len(cell.source.splitlines()) <= 30, cell.source


def test_no_later_cell_changes_a_parameter(notebook):
    parameters, *others = code_cells(notebook)
    names = {node.target.id for node in ast.parse(parameters.source).body}
    for cell in others:
        top = [node for node in ast.parse(cell.source).body if not isinstance(node, ast.FunctionDef)]
        stored = {
            node.id
            for statement in top
            for node in ast.walk(statement)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        assert not stored & names, cell.source


def test_one_figure_has_controls_and_links_lead_to_notebooks(notebook):
    calls = [node for cell in code_cells(notebook) for node in ast.walk(ast.parse(cell.source))]
    names = [ast.unparse(node.func) for node in calls if isinstance(node, ast.Call)]
    assert names.count("explore") == 1
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    links = re.findall(r"\]\((\w+)\.ipynb\)", prose)
    assert links
    assert set(links) <= {path.stem for path in NOTEBOOKS}

import json

import pytest

from reproduce.errors import InvalidNotebook
from reproduce.planning.notebook import read_notebook

BASE = "seed = 0\nout_dir = None\ndata = 'bundled'\n"


@pytest.fixture
def parameters(project):
    def parse(text):
        return read_notebook(project.notebook("alpha", parameters=BASE + text)).parameters

    return parse


@pytest.mark.parametrize(
    ("line", "default", "type_name", "meaning"),
    [
        ("n = 3  # trials", 3, "int", "trials"),
        ("n = -3", -3, "int", ""),
        ("x = -1e-3  # weight, per point", -0.001, "float", "weight, per point"),
        ('s = "a # b"  # text', "a # b", "str", "text"),
        ("s = 'it''s'", "its", "str", ""),
        ("b = True  # solver # exact", True, "bool", "solver # exact"),
        ("n: int = 4  # typed", 4, "int", "typed"),
        ("xs = [\n    0.0,  # first\n    0.1,\n]  # noise rates", [0.0, 0.1], "list of float", "noise rates"),
        ("xs = [0, 0.5]", [0, 0.5], "list of float", ""),
        ("xs = ['a', 'b']", ["a", "b"], "list of str", ""),
        ("xs = []", [], "list", ""),
        ("gamma = None  # width", None, "any", "width"),
        ("größe = 2  # µm", 2, "int", "µm"),
        ("a = 1; b = 2", 1, "int", ""),
    ],
)
def test_a_literal_assignment_is_a_parameter(parameters, line, default, type_name, meaning):
    name = line.split("=")[0].split(":")[0].strip()
    found = parameters(line)[name]
    assert (found.default, found.type_name, found.meaning) == (default, type_name, meaning)
    assert type(found.default) is type(default)


def test_comments_and_docstrings_may_stand_between(parameters):
    assert list(parameters('# a line\n"""text"""\n\nn = 1\n')) == ["seed", "out_dir", "data", "n"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("n = 2 * 3", "default of n must be a literal"),
        ("n = range(3)", "default of n must be a literal"),
        ("n = {'a': 1}", "default of n must be a literal"),
        ("n = [[1], [2]]", "default of n must be a literal"),
        ("n = (1, 2)", "default of n must be a literal"),
        ("n = 1\nn = 2", "n is assigned twice"),
        ("a = b = 1", "only `name = literal`"),
        ("import numpy", "only `name = literal`"),
        ("a, b = 1, 2", "only `name = literal`"),
        ("n = ", "line 4: invalid syntax"),
    ],
)
def test_anything_else_is_one_clear_error(parameters, line, says):
    with pytest.raises(InvalidNotebook, match=r"notebooks/alpha\.ipynb, parameters cell, line") as caught:
        parameters(line)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("missing", ["seed", "out_dir", "data"])
def test_what_every_run_relies_on_must_be_there(project, missing):
    lines = "".join(line + "\n" for line in BASE.splitlines() if not line.startswith(missing))
    path = project.notebook("alpha", parameters=lines)
    with pytest.raises(InvalidNotebook, match=f"must assign {missing}"):
        read_notebook(path)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "not a Jupyter notebook"),
        ("{", "not a Jupyter notebook"),
        ("[]", "not a Jupyter notebook"),
        ('{"cells": 3, "nbformat": 4}', "not a Jupyter notebook"),
        ('{"cells": [{}], "nbformat": 4}', "not a Jupyter notebook"),
        ('{"cells": [{"cell_type": "code", "source": 3}], "nbformat": 4}', "not a Jupyter notebook"),
        ('{"worksheets": [], "nbformat": 3}', "nbformat must be 4, got 3"),
        ('{"cells": [], "nbformat": 4}', "tagged `parameters`"),
        ("[" * 100_000, "not a Jupyter notebook"),
        ("\udcff", "not a Jupyter notebook"),
    ],
)
def test_a_file_that_is_no_notebook(tmp_path, content, says):
    path = tmp_path / "x.ipynb"
    path.write_bytes(content.encode(errors="surrogateescape"))
    with pytest.raises(InvalidNotebook, match=says):
        read_notebook(path)


def test_the_tag_on_a_markdown_cell_does_not_count(project):
    path = project.root / "notebooks/alpha.ipynb"
    content = json.loads(path.read_text())
    content["cells"][0]["metadata"]["tags"] = ["parameters"]
    path.write_text(json.dumps(content))
    assert read_notebook(path).parameters_cell == 1


def test_opening_in_jupyterlab_changes_nothing(project):
    path = project.root / "notebooks/alpha.ipynb"
    before = read_notebook(path).digest()
    content = json.loads(path.read_text())
    content["metadata"]["kernelspec"] = {"name": "other"}
    for i, cell in enumerate(content["cells"]):
        cell["id"] = f"another-{i}"
        cell["source"] = cell["source"].splitlines(keepends=True)  # how JupyterLab saves it
        cell["metadata"]["collapsed"] = True
        if cell["cell_type"] == "code":
            cell["execution_count"] = i
            cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["13"]}]
    path.write_text(json.dumps(content, indent=4))
    assert read_notebook(path).digest() == before


def test_an_annotation_of_a_parameter_changes_nothing_and_one_in_another_cell_may_be_shown(project):
    path = project.root / "notebooks/alpha.ipynb"
    before = read_notebook(path).digest()
    project.notebook("alpha", parameters=project.PARAMETERS.replace("noise =", "noise: float ="))
    assert (
        read_notebook(path).parameters["noise"].type_name == "float"
        and read_notebook(path).digest() == before
    )
    project.notebook("alpha", project.WORK.replace("value =", "value: int ="))
    assert read_notebook(path).digest() != before


@pytest.mark.parametrize("change", ["source", "tags", "type", "order"])
def test_what_decides_the_results_changes_the_digest(project, change):
    path = project.root / "notebooks/alpha.ipynb"
    before = read_notebook(path).digest()
    content = json.loads(path.read_text())
    cells = content["cells"]
    if change == "source":
        cells[2]["source"] += "\nmore = 1"
    elif change == "tags":
        cells[2]["metadata"]["tags"] = ["x"]
    elif change == "type":
        cells[2]["cell_type"] = "raw"
    else:
        cells[2], cells[3] = cells[3], cells[2]
    path.write_text(json.dumps(content))
    assert read_notebook(path).digest() != before

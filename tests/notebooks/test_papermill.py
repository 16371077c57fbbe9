"""Papermill's own commands with the notebooks, from another folder."""

import json
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import papermill
import pytest

from reproduce.paths import Project
from reproduce.planning.notebook import read_notebook
from tests.papers import PAPERS

ROOT = Path(__file__).resolve().parents[2]
each_paper = pytest.mark.parametrize("paper", PAPERS)


@each_paper
def test_papermill_tells_the_type_and_the_meaning_of_each_parameter(paper):
    path = Project(ROOT).notebook(paper)
    told = papermill.inspect_notebook(path)
    parameters = read_notebook(path).parameters
    assert list(told) == list(parameters)
    for name, parameter in parameters.items():
        own = told[name]
        assert own["inferred_type_name"] == parameter.type_name.strip("'"), name
        assert own["help"].startswith(parameter.meaning), name
        assert parameter.allowed is None or own["help"].endswith(parameter.allowed.text), name


@pytest.fixture
def command(tmp_path):
    """Papermill as a user calls it in a folder of their own."""

    def run(notebook, *words):
        return subprocess.run(
            [sys.executable, "-m", "papermill", notebook, *words],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=240,
        )

    return run


TYPO = ["-p", "sed", "3"], "ValueError: unknown parameter 'sed', did you mean 'seed'?\n"
WRONG = [
    *((paper, *TYPO) for paper in PAPERS),
    (
        "kernel_mean",
        ["-f", "values.yaml"],
        "ValueError: n_test must be an integer in [1, 1000000], got 0\n",
    ),
    ("kernel_mean", ["-p", "seed", "many"], "ValueError: seed must be int, got 'many'\n"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("paper", "words", "says"), WRONG)
def test_a_wrong_name_or_value_is_refused_before_data_are_loaded(paper, words, says, command, tmp_path):
    (tmp_path / "values.yaml").write_text("n_test: 0\ndata: full\n")
    notebook = ROOT / "notebooks" / f"{paper}.ipynb"
    done = command(notebook, "out.ipynb", *words, "-p", "out_dir", "results")
    assert done.returncode == 1
    assert says in done.stderr and "datasets.py" not in done.stderr
    assert not (tmp_path / "results").exists()


PARAMETERS = """\
seed: int = 0  # of every draw; integer in [0, 9]
out_dir: "Optional[str]" = None  # folder
data: str = "bundled"  # which; "bundled" or "full"
"""
CELLS = [
    "from paperlib.experiments import plotting\nfrom paperlib.experiments.recording import Recorder",
    'record = Recorder("tiny", out_dir)',
    'fig, axis = plotting.figure(width=2)\naxis.plot([0, seed])\nrecord.figure("line", fig)',
]


@pytest.fixture
def tiny(tmp_path):
    """A notebook of one figure."""
    cells = [nbformat.v4.new_code_cell(source) for source in (PARAMETERS, *CELLS)]
    cells[0].metadata["tags"] = ["parameters"]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), tmp_path / "tiny.ipynb")
    return tmp_path / "tiny.ipynb"


@pytest.mark.slow
def test_figures_go_beside_the_notebook_at_an_address(tiny, command, tmp_path):
    there = tmp_path / "bucket" / "run"
    there.mkdir(parents=True)
    done = command(tiny, there / "out.ipynb", "-p", "seed", "3", "-p", "out_dir", there.as_uri())
    assert done.returncode == 0, done.stderr
    assert {path.name for path in there.iterdir()} == {"out.ipynb", "line.svg", "line.png", "results.json"}
    assert json.loads((there / "results.json").read_text())["figures"] == ["line"]
    assert not (tmp_path / "file:").exists()


@pytest.mark.slow
def test_an_address_that_cannot_be_reached_is_one_line(tiny, command, tmp_path):
    done = command(tiny, "out.ipynb", "-p", "out_dir", "nowhere://bucket/run")
    assert done.returncode == 1
    assert "ValueError: out_dir 'nowhere://bucket/run' cannot be reached: Protocol not known" in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"tiny.ipynb", "out.ipynb"}

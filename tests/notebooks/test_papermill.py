"""Papermill's own commands with the notebooks, from another folder."""

import os
import subprocess
import sys
from pathlib import Path

import papermill
import pytest

from reproduce.paths import Project
from reproduce.planning.notebook import read
from tests.papers import PAPERS

ROOT = Path(__file__).resolve().parents[2]
each_paper = pytest.mark.parametrize("paper", PAPERS)


@each_paper
def test_papermill_tells_the_type_and_the_meaning_of_each_parameter(paper):
    path = Project(ROOT).notebook(paper)
    told = papermill.inspect_notebook(path)
    parameters = read(path).parameters
    assert list(told) == list(parameters)
    for name, parameter in parameters.items():
        own = told[name]
        assert own["inferred_type_name"] == parameter.type_name.strip("'"), name
        assert own["help"].startswith(parameter.meaning), name
        assert parameter.allowed is None or own["help"].endswith(parameter.allowed.text), name


@pytest.fixture
def command(tmp_path):
    """Papermill as a user calls it in a folder of their own."""

    def run(paper, *words):
        return subprocess.run(
            [sys.executable, "-m", "papermill", ROOT / "notebooks" / f"{paper}.ipynb", "out.ipynb", *words],
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
    done = command(paper, *words, "-p", "out_dir", "results")
    assert done.returncode == 1
    assert says in done.stderr and "datasets.py" not in done.stderr
    assert not (tmp_path / "results").exists()

"""CONTRIBUTING.md's sixth paper, added to a copy of the project as the page says."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = re.findall(
    r"^```\w+ (file|cell)=(\S+)\n(.*?)^```$", (ROOT / "CONTRIBUTING.md").read_text(), re.M | re.S
)


@pytest.mark.slow
def test_the_sixth_paper_of_the_page(copy_of_the_project, tmp_path):
    project = with_own_experiments(copy_of_the_project(tmp_path / "project"))
    cells = []
    for where, name, text in BLOCKS:
        if where == "file":
            (project / name).parent.mkdir(exist_ok=True)
            (project / name).write_text(text)
        else:
            cells.append(nbformat.v4.new_code_cell(text.rstrip("\n")))
            cells[-1].metadata["tags"] = ["parameters"] if name == "parameters" else []
    nbformat.write(nbformat.v4.new_notebook(cells=cells), project / "notebooks" / "tiny.ipynb")
    folder, measures = project / "figures" / "tiny", project / "paperlib/experiments/tiny/claims.py"

    def reproduce(*args):
        command = [sys.executable, "-m", "reproduce", *args, "--project", str(project)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=240)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def measured():
        [row] = json.loads((folder / "results.json").read_text())["measures"]
        return row["claim"], row["value"], row["cases"]

    assert re.search(r"^tiny +1( +0){7}$", reproduce("run", "tiny"), re.M)
    claim, value, cases = measured()
    assert (claim, cases) == ("theorem-1", 100) and abs(value - 0.5) < 0.03
    assert (folder / "figure-1.svg").exists() and (folder / "runs.csv").read_text().count("\n") == 101
    shown = (folder / "notebook.ipynb").read_text()
    assert "Theorem 1: half of all flips are heads" in shown and "reproduced" in shown

    assert "n_flips" in reproduce("list")
    assert re.search(r"^theorem-1  X  reproduced$", reproduce("power", "tiny", "--profile", "paper"), re.M)
    assert "tiny" in reproduce("sweep", "tiny", "--grid", "n_flips=100,200")

    # What is measured from the table is another thing now, the algorithm has a comment, and nothing runs.
    algorithm = project / "paperlib/tiny/__init__.py"
    algorithm.write_text(algorithm.read_text().replace("0.5).mean()", "0.5).mean()  # heads"))
    measures.write_text(measures.read_text().replace("mean(runs.heads)", "mean(1 - runs.heads[:50])"))
    assert "tiny: up to date" in reproduce("run", "tiny")
    assert "tiny (up to date)" in reproduce("list", "tiny")
    assert measured()[2] == 50


def with_own_experiments(project):
    """The copy with a folder of its own for experiments, to which a paper can be added.

    Modules that all share are copied: one of them looks for the ledgers in the project that it belongs to.
    """
    own = project / "paperlib" / "experiments"
    own.unlink()
    own.mkdir()
    for path in (ROOT / "paperlib" / "experiments").iterdir():
        if path.suffix == ".py":
            shutil.copy2(path, own)
        elif path.name != "__pycache__":
            (own / path.name).symlink_to(path)
    return project

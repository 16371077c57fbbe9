"""CONTRIBUTING.md's sixth paper, added to a copy of the project as the page says."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_the_sixth_paper_of_the_page(copy_of_the_project, tmp_path):
    project = with_own_experiments(copy_of_the_project(tmp_path / "project"))
    folder, measures = project / "figures" / "tiny", project / "paperlib/experiments/tiny/claims.py"

    def reproduce(*args):
        command = [sys.executable, "-m", "reproduce", *args, "--project", str(project)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=240)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def measured(claim):
        rows = json.loads((folder / "results.json").read_text())["measures"]
        [row] = [row for row in rows if row["claim"] == claim]
        return row["value"], row["cases"]

    assert "python -m reproduce new --paper tiny" in (ROOT / "CONTRIBUTING.md").read_text()
    assert "paperlib/tiny/fair_coin.py" in reproduce("new", "--paper", "tiny")
    assert re.search(r"^tiny +3( +0){7}$", reproduce("run", "tiny"), re.M)
    value, cases = measured("theorem-1.heads")
    assert cases == 200 and abs(value - 0.5) < 0.02
    assert (folder / "figure-1.svg").exists() and (folder / "runs.csv").read_text().count("\n") == 201
    shown = (folder / "notebook.ipynb").read_text()
    assert "Theorem 1: heads come up half of the time" in shown and "reproduced" in shown

    assert "n_flips" in reproduce("list")
    power = reproduce("power", "tiny", "--profile", "paper")
    assert len(re.findall(r"^\S+ +X  reproduced$", power, re.M)) == 3, power
    assert "tiny" in reproduce("sweep", "tiny", "--grid", "bias=0.2,0.4")

    # What is measured from the table is another thing now, the algorithm has a comment, and nothing runs.
    algorithm = project / "paperlib/tiny/fair_coin.py"
    algorithm.write_text(algorithm.read_text().replace("first != second", "first != second  # both orders"))
    measures.write_text(measures.read_text().replace("mean(runs.heads)", "mean(1 - runs.heads[:50])"))
    assert "tiny: up to date" in reproduce("run", "tiny")
    assert "tiny (up to date)" in reproduce("list", "tiny")
    assert measured("theorem-1.heads")[1] == 50

    own = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "tests/paperlib/tiny"]
    done = subprocess.run(own, cwd=project, capture_output=True, text=True, timeout=240)
    assert "8 passed" in done.stdout, done.stdout


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

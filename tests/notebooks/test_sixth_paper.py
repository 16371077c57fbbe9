"""CONTRIBUTING.md's sixth paper, added to a copy of the project as the page says."""

import json
import re
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
    project = copy_of_the_project(tmp_path / "project")
    cells = []
    for where, name, text in BLOCKS:
        if where == "file":
            (project / name).parent.mkdir(exist_ok=True)
            (project / name).write_text(text)
        else:
            cells.append(nbformat.v4.new_code_cell(text.rstrip("\n")))
            cells[-1].metadata["tags"] = ["parameters"] if name == "parameters" else []
    nbformat.write(nbformat.v4.new_notebook(cells=cells), project / "notebooks" / "tiny.ipynb")

    def reproduce(*args):
        command = [sys.executable, "-m", "reproduce", *args, "--project", str(project)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=240)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert re.search(r"^tiny +1( +0){7}$", reproduce("run", "tiny"), re.M)
    results = json.loads((project / "figures/tiny/results.json").read_text())
    assert abs(results["measures"][0]["value"] - 0.5) < 0.03
    assert (project / "figures/tiny/figure-1.svg").exists() and (project / "figures/tiny/flips.csv").exists()
    assert "n_flips" in reproduce("list")
    assert re.search(r"^theorem-1  X  reproduced$", reproduce("power", "tiny", "--profile", "paper"), re.M)
    assert "tiny" in reproduce("sweep", "tiny", "--grid", "n_flips=100,200")

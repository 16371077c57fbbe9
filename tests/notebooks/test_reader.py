"""A reader in JupyterLab: any notebook top to bottom, without papermill, with everything shown inline."""

import importlib.util
import os
import re
import shutil
import tomllib
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.papers import PAPERS

ROOT = Path(__file__).resolve().parents[2]
SMOKE = tomllib.loads((ROOT / "reproduce" / "profiles.toml").read_text()).get("smoke", {})


# What a reader's hand does with the one figure that moves: each control to both its ends, and back.
PLAY = """
for control in play.controls.values():
    before = control.value
    if hasattr(control, "options"):
        control.index = 0
        control.index = len(control.options) - 1
    elif hasattr(control, "min"):
        control.value = control.min
        control.value = control.max
    else:
        control.value = not before
    control.value = before
print("drawn", play.n_drawn, "times for", len(play.controls), "controls")
"""


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("paper", PAPERS)
def test_a_reader_sees_every_figure_and_table_and_nothing_is_written(paper, tmp_path):
    folder = tmp_path / "notebooks"
    folder.mkdir()
    notebook = nbformat.read(shutil.copy(ROOT / "notebooks" / f"{paper}.ipynb", folder), as_version=4)
    if "import torch" in str(notebook) and not importlib.util.find_spec("torch"):
        pytest.skip("some of its figures need PyTorch")
    position = next(i for i, c in enumerate(notebook.cells) if "parameters" in c.metadata.get("tags", []))
    smaller = "\n".join(f"{name} = {value!r}" for name, value in SMOKE.get(paper, {}).items())
    notebook.cells.insert(position + 1, nbformat.v4.new_code_cell(smaller))

    notebook.cells.append(nbformat.v4.new_code_cell(PLAY))

    resources = {"metadata": {"path": str(folder)}}
    patience = {"timeout": 600, "startup_timeout": 300}  # kernels are compiled first
    NotebookClient(notebook, kernel_name="python3", resources=resources, **patience).execute(
        env={**os.environ, "PYTHONPATH": str(ROOT)}
    )

    sources = "".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    shown = [output.data for output in outputs if "data" in output]
    assert sum("image/png" in data for data in shown) == len(
        re.findall(r"record\.figure\(|explore\(\s*record", sources)
    )
    # A cell may show a table more that is not kept. What is indented may be for the full data only.
    assert sum("text/html" in data for data in shown) >= len(re.findall(r"^record\.table\(", sources, re.M))
    drawn, controls = re.search(r"drawn (\d+) times for (\d+)", notebook.cells[-1].outputs[0].text).groups()
    assert int(drawn) > 2 * int(controls) > 0
    # A warning is nothing to be surprised by: the text before its cell names it.
    said = ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            said = cell.source
        warned = [output.text for output in cell.get("outputs", []) if output.get("name") == "stderr"]
        assert all("ConvergenceWarning" in text and "`ConvergenceWarning`" in said for text in warned), warned
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [f"{paper}.ipynb"]

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

ROOT = Path(__file__).resolve().parents[2]
PAPERS = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
SMOKE = tomllib.loads((ROOT / "reproduce" / "profiles.toml").read_text()).get("smoke", {})


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

    resources = {"metadata": {"path": str(folder)}}
    patience = {"timeout": 600, "startup_timeout": 300}  # kernels are compiled first
    NotebookClient(notebook, kernel_name="python3", resources=resources, **patience).execute(
        env={**os.environ, "PYTHONPATH": str(ROOT)}
    )

    sources = "".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    shown = [output.data for output in outputs if "data" in output]
    assert sum("image/png" in data for data in shown) == len(
        re.findall(r"record\.figure\(|explore\(record", sources)
    )
    # A cell may show a table more that is not kept.
    assert sum("text/html" in data for data in shown) >= len(re.findall(r"record\.table\(", sources))
    assert not [output.text for output in outputs if output.get("name") == "stderr"]
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [f"{paper}.ipynb"]

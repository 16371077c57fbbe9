"""What the driver's own wheel holds: all that a companion needs, and nothing of the five papers."""

import re
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

import paperlib
from reproduce.library import DISTRIBUTION
from tests.papers import PAPERS

ROOT = Path(__file__).resolve().parents[2]
IMPORT_ALL = """
import importlib, pkgutil
import reproduce.experiments, reproduce._common
for package in (reproduce.experiments, reproduce._common):
    for module in pkgutil.iter_modules(package.__path__):
        print(importlib.import_module(f"{package.__name__}.{module.name}").__name__)
"""


def requirements(names):
    return {re.match(r"[\w-]+", each)[0] for each in names}


@pytest.mark.slow
def test_it_holds_the_driver_and_no_paper(wheel):
    archive = zipfile.ZipFile(wheel)
    names = archive.namelist()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"reproduce"}
    assert not [name for name in names if "__pycache__" in name or any(paper in name for paper in PAPERS)]
    assert not [name for name in names if name.startswith(("reproduce/claims", "reproduce/faults"))]
    assert (
        "reproduce/template/paper/notebook.ipynb.txt" in names
        and "reproduce/site/page/static/site.css" in names
    )
    for name in names:
        if name.endswith(".py"):
            assert not re.search(r"^\s*(from|import) paperlib", archive.read(name).decode(), re.M), name
    [metadata] = [message_from_bytes(archive.read(name)) for name in names if name.endswith("/METADATA")]
    assert (metadata["Name"], metadata["Version"]) == (DISTRIBUTION, paperlib.__version__)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    all_of_them = requirements(each for extra in project["optional-dependencies"].values() for each in extra)
    needed = requirements(metadata.get_all("Requires-Dist"))
    assert needed >= {"papermill", "pandas", "sphinx"}
    assert needed <= requirements(project["dependencies"]) | all_of_them
    assert not needed & {"numba", "cvxpy", "mlxtend", "torch", "pytest"}


@pytest.mark.slow
def test_all_its_modules_are_imported_without_what_the_papers_need(installed):
    done = installed.call("-c", IMPORT_ALL)
    assert done.returncode == 0, done.stderr
    shared = {path.stem for path in (ROOT / "paperlib" / "experiments").glob("*.py")} - {"__init__"}
    assert {f"reproduce.experiments.{name}" for name in shared} <= set(done.stdout.split())

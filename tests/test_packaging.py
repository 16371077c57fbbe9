"""What is installed: a small wheel, a whole source archive, one version."""

import importlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import paperlib
from tests.papers import PAPERS

ROOT = Path(__file__).resolve().parents[1]
LIBRARY = {"five-papers-rerun", "numba", "numpy", "scikit-learn", "scipy"}
HEAVY = {"cvxpy", "dask", "jupyterlab", "matplotlib", "pandas", "torch"}
MOST_PACKAGES, MOST_BYTES = 10, 600e6
BUILD = "import sys\nfrom setuptools import build_meta\nprint(getattr(build_meta, sys.argv[1])(sys.argv[2]))"
# In the empty environment: every public name, torch's own apart.
USE = """
import importlib, json, sys
names = json.loads(sys.argv[1])
for paper, public in names.items():
    module = importlib.import_module(f"paperlib.{paper}")
    for name in public:
        getattr(module, name)
from paperlib.kernel_mean import KernelMeanClassifier
print(KernelMeanClassifier().fit([[0.0], [1.0]], [0, 1]).predict([[0.9]])[0])
"""
NEEDS_TORCH = {"FocusedSampler"}


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    """A wheel and a source archive, built from a copy: setuptools leaves its traces where it builds."""
    folder = tmp_path_factory.mktemp("packaging")
    copy = folder / "checkout"
    ignored = shutil.ignore_patterns(".*", "build", "__pycache__", "*.egg-info")
    shutil.copytree(ROOT, copy, ignore=ignored)
    made = []
    for kind in ("build_wheel", "build_sdist"):
        command = [sys.executable, "-c", BUILD, kind, str(folder)]
        done = subprocess.run(command, cwd=copy, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        made.append(folder / done.stdout.split()[-1])
    return made


def test_the_version_stands_once():
    from importlib.metadata import version

    assert re.fullmatch(r"\d+\.\d+\.\d+", paperlib.__version__)
    assert version("five-papers-rerun") == paperlib.__version__
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"version: {paperlib.__version__}\n" in citation
    [released] = re.findall(r"^date-released: (\d{4}-\d{2}-\d{2})$", citation, re.M)
    assert f"## {paperlib.__version__} ({released})\n" in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.slow
def test_the_wheel_holds_the_library_and_its_licence(archives):
    names = zipfile.ZipFile(archives[0]).namelist()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"paperlib"}
    assert "paperlib/py.typed" in names and "paperlib/experiments/recording.py" in names
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
    assert not [name for name in names if "__pycache__" in name or name.endswith((".nbc", ".nbi"))]


@pytest.mark.slow
def test_the_source_archive_is_the_whole_project_and_its_tests_run(archives, tmp_path):
    with tarfile.open(archives[1]) as archive:
        archive.extractall(tmp_path, filter="data")
    [project] = tmp_path.iterdir()
    tracked = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    missing = tracked - {path.name for path in project.iterdir()} - {"build"}
    assert not {name for name in missing if not name.endswith((".egg-info", "__pycache__"))}
    # Some of each kind; the README's code compiles most kernels, and is left to the checkout's tests.
    tests = [
        "tests/test_readme.py",
        "tests/paperlib/test_layout.py",
        "tests/paperlib/_common/test_spread.py",
        "tests/reproduce/planning",
    ]
    options = ["-q", "-p", "no:cacheprovider", "-k", "not test_the_code_runs"]
    command = [sys.executable, "-m", "pytest", *options, *tests]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_the_wheel_brings_few_packages_and_every_public_name_is_there(archives, tmp_path):
    environment = tmp_path / "empty"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True, timeout=300)
    python = environment / "bin" / "python"
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(archives[0])]
    done = subprocess.run(install, capture_output=True, text=True, timeout=900)
    if "No matching distribution found for numpy" in done.stderr:
        pytest.skip("no package index can be reached")
    assert done.returncode == 0, done.stderr
    listed = subprocess.run(
        [python, "-m", "pip", "list", "--format", "json"], capture_output=True, check=True
    )
    packages = {row["name"].lower().replace("_", "-") for row in json.loads(listed.stdout)} - {
        "pip",
        "setuptools",
    }
    assert packages >= LIBRARY
    assert not packages & HEAVY
    assert len(packages) <= MOST_PACKAGES
    site = next(environment.glob("lib/python*/site-packages"))
    size = sum(path.stat().st_size for path in site.rglob("*") if path.is_file() and not path.is_symlink())
    assert size < MOST_BYTES, f"{size / 1e6:.0f} MB"
    public = {paper: importlib.import_module(f"paperlib.{paper}").__all__ for paper in PAPERS}
    public = {paper: sorted(set(names) - NEEDS_TORCH) for paper, names in public.items()}
    command = [python, "-I", "-c", USE, json.dumps(public)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "1"

"""What is installed: a small wheel without experiments, a whole source archive, one version."""

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
BUILD = """
import json, sys
from setuptools import build_meta
print(getattr(build_meta, sys.argv[1])(sys.argv[2], json.loads(sys.argv[3])))
"""
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


# In an environment without the experiments.
ASK_FOR_THEM = """
import sys
sys.path.insert(0, sys.argv[1])
import paperlib
assert paperlib.__file__.startswith(sys.argv[1]) and "experiments" not in dir(paperlib) + paperlib.__all__
paperlib.experiments
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of the project: setuptools leaves its traces where it builds."""
    copy = tmp_path_factory.mktemp("packaging") / "checkout"
    ignored = shutil.ignore_patterns(".*", "build", "__pycache__", "*.egg-info")
    shutil.copytree(ROOT, copy, ignore=ignored)
    return copy


def built(checkout, kind, **settings):
    """Build an archive as pip does, and return its path."""
    folder = checkout.parent / "-".join([kind, *settings.values()])
    folder.mkdir()
    command = [sys.executable, "-c", BUILD, kind, str(folder), json.dumps(settings)]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return folder / done.stdout.split()[-1]


@pytest.fixture(scope="module")
def wheel(checkout):
    return built(checkout, "build_wheel")


def test_the_version_stands_once():
    from importlib.metadata import version

    assert re.fullmatch(r"\d+\.\d+\.\d+", paperlib.__version__)
    assert version("five-papers-rerun") == paperlib.__version__
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"version: {paperlib.__version__}\n" in citation
    [released] = re.findall(r"^date-released: (\d{4}-\d{2}-\d{2})$", citation, re.M)
    assert f"## {paperlib.__version__} ({released})\n" in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.slow
def test_the_wheel_holds_the_library_and_its_licence(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"paperlib"}
    assert "paperlib/py.typed" in names and "paperlib/coresets/coreset_svc.py" in names
    assert not [name for name in names if "experiments" in name]
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
    assert not [name for name in names if "__pycache__" in name or name.endswith((".nbc", ".nbi"))]


@pytest.mark.slow
def test_who_asks_the_wheel_for_the_experiments_is_told_where_they_are(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path)
    command = [sys.executable, "-I", "-c", ASK_FOR_THEM, str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    says = (
        "AttributeError: paperlib.experiments is in a checkout of the project only, not in what pip installs"
    )
    assert done.stderr.splitlines()[-1] == says


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, {"editable_mode": "compat"}], ids=["conda", "make setup"])
def test_an_editable_installation_has_the_experiments_in_any_folder(checkout, tmp_path, settings):
    """Notebooks import them, and are opened with their own folder as the current one."""
    zipfile.ZipFile(built(checkout, "build_editable", **settings)).extractall(tmp_path)
    text = "import site, sys; site.addsitedir(sys.argv[1]); import paperlib.experiments.files as files"
    command = [sys.executable, "-I", "-S", "-c", f"{text}; print(files.__file__)", str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.strip() == str(checkout / "paperlib" / "experiments" / "files.py"), done.stderr


@pytest.mark.slow
def test_the_source_archive_is_the_whole_project_and_its_tests_run(checkout, tmp_path):
    with tarfile.open(built(checkout, "build_sdist")) as archive:
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
def test_the_wheel_brings_few_packages_and_every_public_name_is_there(wheel, tmp_path):
    environment = tmp_path / "empty"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True, timeout=300)
    python = environment / "bin" / "python"
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel)]
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

"""The committed notebooks through the real driver, in the smoke profile, and what is committed of them."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import nbformat
import pytest

from reproduce.paths import Project
from reproduce.planning import runs, traces
from reproduce.publication import origin
from tests.papers import PAPERS

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]  # kernels are compiled first


def reproduce(project, *args):
    command = [sys.executable, "-m", "reproduce", "run", "--project", str(project), *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=1200)


@pytest.fixture(scope="module")
def warm(tmp_path_factory, copy_of_the_project):
    """A project in which all smoke runs were made."""
    project = copy_of_the_project(tmp_path_factory.mktemp("warm") / "one")
    done = reproduce(project, "--profile", "smoke")
    assert done.returncode == 0, done.stdout + done.stderr
    return project


@pytest.fixture(scope="module", params=PAPERS)
def two_runs(request, warm, tmp_path_factory, copy_of_the_project):
    """One paper's results, from two projects in two folders."""
    paper = request.param
    other = copy_of_the_project(tmp_path_factory.mktemp(paper) / "a longer name, two")
    done = reproduce(other, paper, "--profile", "smoke")
    assert done.returncode == 0, done.stdout + done.stderr
    runs = Path("build") / "runs" / f"{paper}-smoke-bundled"
    return paper, warm / runs, other / runs


@pytest.mark.x86_64
def test_two_runs_leave_the_same_bytes(two_runs):
    _, one, two = two_runs
    names = sorted(path.name for path in one.iterdir())
    assert names == sorted(path.name for path in two.iterdir())
    assert any(name.endswith(".svg") for name in names) and "results.json" in names
    different = [name for name in names if (one / name).read_bytes() != (two / name).read_bytes()]
    assert not different


WITH_STEPS = [paper for paper in PAPERS if traces.has_steps(Project(ROOT), paper)]


@pytest.mark.parametrize("paper", WITH_STEPS)
def test_values_from_the_store_leave_the_same_bytes(warm, paper):
    """All steps are kept after the first run, and the second computes none."""
    results, kept = warm / "build" / "runs" / f"{paper}-smoke-bundled", warm / "build" / "steps"
    before = {path.name: path.read_bytes() for path in results.iterdir()}
    steps = sorted(kept.iterdir())
    assert steps
    (warm / "build" / "state" / f"runs-{results.name}.json").unlink()
    done = reproduce(warm, paper, "--profile", "smoke")
    assert done.returncode == 0 and f"{paper}: done" in done.stdout, done.stdout + done.stderr
    assert sorted(kept.iterdir()) == steps
    assert {path.name: path.read_bytes() for path in results.iterdir()} == before


@pytest.mark.long
@pytest.mark.x86_64
@pytest.mark.timeout(2400)
def test_two_forced_runs_publish_the_same_figures(tmp_path, copy_of_the_project):
    project = copy_of_the_project(tmp_path / "project")
    published = []
    for _ in range(2):
        done = reproduce(project, "--force")
        assert done.returncode == 0, done.stdout + done.stderr
        files = sorted(path for path in (project / "figures").rglob("*") if path.is_file())
        published.append({path.relative_to(project).as_posix(): path.read_bytes() for path in files})
    one, two = published
    assert list(one) == list(two)
    assert not [name for name in one if one[name] != two[name]]
    assert {Path(name).suffix for name in one} == {".csv", ".ipynb", ".json", ".md", ".png", ".svg"}


def test_every_claim_of_the_ledger_is_measured(two_runs):
    paper, folder, _ = two_runs
    measured = {row["claim"] for row in json.loads((folder / "results.json").read_text())["measures"]}
    ledger = tomllib.loads((ROOT / "reproduce" / "claims" / f"{paper}.toml").read_text())["claim"]
    rows = [row["id"] for row in ledger if row.get("checkable", True) and "needs" not in row]
    assert set(rows) <= measured


def test_nothing_in_the_results_names_this_machine_or_a_time(two_runs):
    _, folder, _ = two_runs
    for path in folder.iterdir():
        text = path.read_bytes()
        assert str(folder.parents[2]).encode() not in text, path.name
        assert str(Path.home()).encode() + b"/" not in text, path.name
        assert b"<dc:date>" not in text, path.name


@pytest.mark.parametrize("paper", PAPERS)
def test_the_committed_figures_are_those_of_the_papers_own_parameters(paper):
    results = json.loads((ROOT / "figures" / paper / "results.json").read_text())
    notebook = nbformat.read(ROOT / "notebooks" / f"{paper}.ipynb", as_version=4)
    cell = next(c for c in notebook.cells if "parameters" in c.metadata.get("tags", []))
    defaults = {}
    exec(cell.source, defaults)
    assert results["provenance"]["profile"] == "paper"
    for name, value in results["provenance"]["parameters"].items():
        assert defaults[name] == value
    for name in results["figures"]:
        for suffix in ("svg", "png"):
            size = (ROOT / "figures" / paper / f"{name}.{suffix}").stat().st_size
            assert size < 300_000, f"{name}.{suffix} has {size} bytes"


@pytest.mark.parametrize("data", ["bundled", pytest.param("full", marks=pytest.mark.release)])
@pytest.mark.parametrize("paper", PAPERS)
def test_the_committed_figures_were_made_from_these_sources(paper, data):
    """By the traces beside them, with whatever versions: no data are needed for this, and no run."""
    project = Project(ROOT)
    [run] = runs.make(project, [paper], data=data)
    if not (run.destination.folder / "results.json").exists():
        assert data == "full"  # not every paper has data of its own
        return
    made = origin.of_run(project, run)
    assert origin.is_of_these_sources(project, run, made), f"make reproduce PAPERS={paper} DATA={data}"
    # A run in a fresh clone would name the commit, and leave another file.
    assert not str(made["source_commit"]).endswith("+modified"), "run it again once the sources are committed"


def test_the_readme_shows_the_scoreboards_totals():
    scoreboard = (ROOT / "figures" / "SCOREBOARD.md").read_text()
    totals = re.findall(r"^\| [a-z_0-9]+ (?:\| \d+ )+\|$", scoreboard, flags=re.MULTILINE)
    assert len(totals) == len(PAPERS) + (len(PAPERS) > 1)  # the last one is the sum
    readme = (ROOT / "README.md").read_text()
    assert all(row in readme for row in totals)

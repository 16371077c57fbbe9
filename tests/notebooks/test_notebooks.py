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
from reproduce.planning import runs
from reproduce.publication import origin
from tests.papers import PAPERS

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.timeout(1800)  # kernels are compiled first
each_paper = pytest.mark.parametrize("paper", PAPERS)


def reproduce(project, *args):
    command = [sys.executable, "-m", "reproduce", "run", "--project", str(project), *args]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def results(project, paper):
    """The files of a smoke run, but for the commit of the sources: a copy of the project has none."""
    folder = project / "build" / "runs" / f"{paper}-smoke-bundled"
    found = {path.name: path.read_bytes() for path in folder.iterdir()}
    commit = rb'"source_commit": [^,\n]*'
    found["results.json"] = re.sub(commit, b'"source_commit": null', found["results.json"])
    return found


@pytest.fixture(scope="module")
def made():
    """This checkout, in which all smoke runs are up to date; `make test` has made them first."""
    reproduce(ROOT, "--profile", "smoke")
    return ROOT


@each_paper
def test_every_claim_of_the_ledger_is_measured(paper, made):
    measured = {row["claim"] for row in json.loads(results(made, paper)["results.json"])["measures"]}
    ledger = tomllib.loads((ROOT / "reproduce" / "claims" / f"{paper}.toml").read_text())["claim"]
    rows = [row["id"] for row in ledger if row.get("checkable", True) and "needs" not in row]
    assert set(rows) <= measured


@each_paper
def test_the_controls_that_the_site_sets_are_there(paper):
    cells = json.loads((ROOT / "notebooks" / f"{paper}.ipynb").read_text())["cells"]
    [cell] = [text for text in ("".join(each["source"]) for each in cells) if "= explore(" in text]
    controls = set(re.findall(r"(\w+)\"?[=:] ?(?:widgets\.|choice\()", cell))
    assert set(tomllib.loads((ROOT / "docs" / "try_it.toml").read_text())[paper]) <= controls


@each_paper
def test_what_a_claim_is_shown_with_is_published(paper):
    ledger = tomllib.loads((ROOT / "reproduce" / "claims" / f"{paper}.toml").read_text())["claim"]
    published = set()
    for path in (ROOT / "figures" / paper, ROOT / "figures" / "full" / paper):
        found = json.loads((path / "results.json").read_text())
        published.update(found["figures"], found["tables"])
    assert {claim["shown"] for claim in ledger if "shown" in claim} <= published


@each_paper
def test_nothing_in_the_results_names_this_machine_or_a_time(paper, made):
    for name, text in results(made, paper).items():
        assert str(made).encode() not in text, name
        assert str(Path.home()).encode() + b"/" not in text, name
        assert b"<dc:date>" not in text, name


@pytest.mark.slow
@pytest.mark.x86_64
@each_paper
def test_runs_in_two_folders_leave_the_same_bytes(paper, made, tmp_path, copy_of_the_project):
    """One with values of steps that may have been kept, one without, and again with its own."""
    other = copy_of_the_project(tmp_path / "a longer name, two")
    reproduce(other, paper, "--profile", "smoke")
    one, two = results(made, paper), results(other, paper)
    assert one.keys() == two.keys()
    assert any(name.endswith(".svg") for name in one) and "results.json" in one
    assert not [name for name in one if one[name] != two[name]]
    kept = other / "build" / "steps"
    steps = sorted(kept.iterdir())
    assert steps
    (other / "build" / "state" / f"runs-{paper}-smoke-bundled.json").unlink()
    assert f"{paper}: done" in reproduce(other, paper, "--profile", "smoke")
    assert sorted(kept.iterdir()) == steps
    assert results(other, paper) == two


@pytest.mark.release
@pytest.mark.x86_64
@pytest.mark.timeout(2400)
def test_two_forced_runs_publish_the_same_figures(tmp_path, copy_of_the_project):
    project = copy_of_the_project(tmp_path / "project")
    published = []
    for _ in range(2):
        reproduce(project, "--force")
        files = sorted(path for path in (project / "figures").rglob("*") if path.is_file())
        published.append({path.relative_to(project).as_posix(): path.read_bytes() for path in files})
    one, two = published
    assert list(one) == list(two)
    assert not [name for name in one if one[name] != two[name]]
    assert {Path(name).suffix for name in one} == {".csv", ".ipynb", ".json", ".md", ".png", ".svg"}


@each_paper
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
@each_paper
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

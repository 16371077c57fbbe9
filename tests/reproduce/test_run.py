"""Whole runs of the driver over a project of a few cells."""

import json
import platform
import re
import sys

import pytest

from reproduce.commands import run
from reproduce.paths import Project
from reproduce.planning import runs

SNOOP = """\
import json, os, pathlib, sys
import ipykernel.connect
import paperlib
value = 13
pathlib.Path("left behind").write_text("x")
seen = {
    "parameters": [seed, n_trials, noise, losses, label, exact, data],
    "executable": sys.executable,
    "folder": os.getcwd(),
    "paperlib": paperlib.__file__,
    "environment": {name: os.environ.get(name) for name in (
        "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "PYTHONHASHSEED",
        "PAPERLIB_DATA", "OPENBLAS_CORETYPE")},
    "startup": "from_startup" in globals(),
    "transport": ipykernel.connect.get_connection_info(unpack=True)["transport"],
}
if out_dir:
    (pathlib.Path(out_dir) / "seen.json").write_text(json.dumps(seen))
"""


def test_the_first_run(run_once):
    done = run_once.first
    assert done.err == ""
    assert done.executed == {"alpha", "beta"}
    assert "alpha: running (4 cells)" in done.out
    assert "s -> figures/alpha\n" in done.out
    assert re.search(r"^2 notebooks in \d+ s$", done.out, re.M)
    assert done.out.endswith("Results: figures/alpha, figures/beta; scoreboard: figures/SCOREBOARD.md\n")
    assert set(run_once.published()) == {
        *run_once.SCOREBOARD,
        *(f"{p}/{f}" for p in ("alpha", "beta") for f in ("figure-1.svg", "figure-1.png", "table-1.csv")),
        *(f"{p}/{name}" for p in ("alpha", "beta") for name in ("results.json", "notebook.ipynb")),
    }
    assert not list((run_once.root / "build/executed").iterdir())  # they are published
    assert list((run_once.root / "build/stage").iterdir()) == []
    assert list((run_once.root / "notebooks").iterdir()) == sorted(
        (run_once.root / "notebooks").glob("*.ipynb")
    )
    assert json.loads(run_once.read("build/state/figures-alpha.json"))["seconds"] > 0


def test_the_second_run_runs_nothing(published):
    before = published.published(".")
    done = published.call("run")
    assert (done.code, done.err, done.executed) == (0, "", set()), done
    assert "alpha: up to date -> figures/alpha\nbeta: up to date -> figures/beta\n" in done.out
    assert re.search(r"^all +2 +0 ", done.out, re.M)
    assert "Results: figures/alpha, figures/beta" in done.out
    assert published.published(".") == before


@pytest.mark.x86_64
def test_two_runs_have_the_same_bytes(run_once, published):
    done = published.call("run", "--force", "--jobs", 1)
    assert done.executed == {"alpha", "beta"}, done
    assert published.published() == run_once.published()


@pytest.mark.slow
def test_an_edit_runs_again_what_it_touches_and_a_failure_keeps_the_old(published):
    published.notebook(
        "alpha",
        "from paperlib import tools",
        "def f():\n    # why\n    raise ValueError('bo\\x1b[31mom')\n\nf()",
    )
    published.write("paperlib/beta/__init__.py", "extra = 1\n")
    published.notebook("beta", "from paperlib.beta import extra\nvalue = 12.5 + extra")
    old = published.published()
    done = published.call("run")
    assert done.code == 1, done
    assert done.executed == {"alpha", "beta"}
    assert (
        "alpha: failed in cell 4 (In [4]) of notebooks/alpha.ipynb\n"
        "    line 3: raise ValueError('bo\\x1b[31mom')\n"
        "    ValueError: boom\n"
        "    the notebook up to there: build/executed/figures-alpha.ipynb\n"
    ) in done.out
    assert "1 of 2 notebooks failed" in done.out
    assert "Traceback" not in done.out + done.err
    new = published.published()
    assert new.pop("beta/table-1.csv") == b"noise,value\n0.1,13.5\n"
    assert all(new[name] == old[name] for name in new if name.startswith("alpha/"))
    assert "ValueError" in published.read("build/executed/figures-alpha.ipynb")
    listed = published.call("list").out
    assert "alpha -> figures/alpha (stale: the notebook changed, its modules changed)" in listed
    assert "beta -> figures/beta (up to date)" in listed


@pytest.mark.slow
def test_every_failure_is_reported_and_the_other_notebooks_go_on(make_project):
    papers = ("dies", "good", "hollow", "liar", "syntax", "exits", "crashes")
    mini = make_project(*papers)
    mini.notebook("dies", "import os\nos.kill(os.getpid(), 9)")
    mini.notebook("hollow", record="")
    mini.notebook("liar", record=mini.RECORD.replace('["table-1"]', '["table-2"]'))
    mini.notebook("syntax", "x = 1\nx ===")
    mini.notebook("exits", "import os\nos._exit(0)")
    mini.notebook("crashes", "import ctypes\nctypes.string_at(0)")
    done = mini.call("run", "--jobs", 2)
    assert done.code == 1, done
    assert done.executed == set(papers)
    assert "dies: the kernel died (killed, or out of memory) in cell 3 of notebooks/dies.ipynb\n" in done.out
    assert "exits: the kernel died" in done.out
    assert "crashes: the kernel died (killed, or out of memory) in cell 3" in done.out
    assert "    Fatal Python error: Segmentation fault\n" in done.out
    assert "hollow: the notebook ran to its end and wrote no results.json" in done.out
    assert "liar: results.json names table-2.csv, which the notebook did not write" in done.out
    assert "syntax: failed in cell 3 (In [3]) of notebooks/syntax.ipynb\n    line 2: x ===\n" in done.out
    assert "6 of 7 notebooks failed" in done.out
    assert {name.split("/")[0] for name in mini.published()} == {"good", *mini.SCOREBOARD}
    assert done.err == ""


@pytest.fixture
def hostile_home(tmp_path):
    """A user whose own Jupyter and IPython settings would get in the way."""
    home = tmp_path / "home"
    spec = home / ".local/share/jupyter/kernels/python3/kernel.json"
    startup = home / ".ipython/profile_default/startup/00.py"
    for path, text in {
        spec: '{"argv": ["/bin/false"], "display_name": "x", "language": "python"}',
        startup: "from_startup = True",
    }.items():
        path.parent.mkdir(parents=True)
        path.write_text(text)
    return home


def test_overrides_and_the_kernels_surroundings(project, tmp_path, hostile_home):
    project.notebook("alpha", SNOOP)
    label = 'it\'s "q" \\n {x} % é €'
    given = ["seed=7", "noise=1", "losses=a, b", f"label={label}", "exact=false"]
    environment = {"HOME": str(hostile_home), "PAPERLIB_DATA": "some/data", "OMP_NUM_THREADS": "8"}
    environment |= {"OPENBLAS_CORETYPE": "Haswell"}
    arguments = [x for text in given for x in ("-p", text)]
    done = project.command("run", *arguments, "--data", "full", cwd=tmp_path, env=environment)
    assert done.code == 0, done
    [folder] = (project.root / "build/runs").glob("alpha-paper-full-*[!.md]")
    assert (
        f"Results: {folder}; scoreboard: {project.root}/build/runs/SCOREBOARD-{folder.name[6:]}.md"
        in done.out
    )
    seen = json.loads((folder / "seen.json").read_text())
    assert seen["parameters"] == [7, 3, 1.0, ["a", "b"], label, False, "full"]
    assert seen["executable"] == sys.executable
    assert seen["paperlib"] == str(project.root / "paperlib/__init__.py")
    assert seen["folder"].startswith(str(project.root / "build/stage"))
    assert seen["startup"] is False
    assert seen["transport"] == ("ipc" if sys.platform == "linux" else "tcp")
    assert seen["environment"].pop("PAPERLIB_DATA") == str(tmp_path / "some/data")
    assert seen["environment"].pop("PYTHONHASHSEED") == "0"
    x86 = platform.machine() in ("x86_64", "AMD64")
    assert seen["environment"].pop("OPENBLAS_CORETYPE") == ("Nehalem" if x86 else "Haswell")
    assert set(seen["environment"].values()) == {"1"}
    assert not (project.root / "figures").exists()
    block = json.loads((folder / "results.json").read_text())["provenance"]
    assert (block["seed"], block["data"], block["parameters"]["label"]) == (7, "full", label)


@pytest.mark.slow
def test_smoke_then_full_data(project):
    smoke = project.call("run", "--profile", "smoke")
    assert smoke.code == 0, smoke  # 11 is not the paper's 13, at other parameters than the paper's
    assert "scoreboard: build/runs/SCOREBOARD-smoke-bundled.md" in smoke.out
    assert not (project.root / "figures").exists()
    full = project.call("run", "--data", "full")
    assert full.code == 0, full
    assert "Results: figures/full/alpha; scoreboard: figures/SCOREBOARD.md" in full.out
    assert project.call("run", "--data", "full").executed == set()


@pytest.mark.slow
def test_two_drivers_at_once(make_project, until):
    mini = make_project("alpha", "beta")
    mini.notebook("alpha", "import time; time.sleep(3); value = 13")
    first = mini.start("run")
    until(lambda: (mini.root / "build/locks/figures-alpha.lock").exists(), "the first has begun")
    second = mini.call("run")
    out, err = first.communicate(timeout=240)
    assert (first.returncode, second.code, err, second.err) == (0, 0, "", ""), (out, second)
    assert "alpha: waiting for another driver that runs it\n" in second.out
    assert "alpha: up to date -> figures/alpha\n" in second.out
    assert sorted([*mini.executed(out), *second.executed]) == ["alpha", "beta"]  # each of them once


def test_what_took_longest_goes_first_and_what_was_never_run_before_it(make_project, monkeypatch):
    mini = make_project("alpha", "beta", "gamma", "delta")
    mini.notebook("delta", "one = 1", "value = 13")
    project = Project(mini.root)
    seconds = {"alpha": 1.0, "gamma": 70.0}
    monkeypatch.setattr(run.record, "seconds", lambda project, each: seconds.get(each.paper))
    planned = runs.make(project)
    planned.sort(key=lambda each: run._expected(project, each), reverse=True)
    assert [each.paper for each in planned] == ["delta", "beta", "gamma", "alpha"]


def test_notebooks_without_a_record_go_by_the_time_that_they_name(make_project):
    mini = make_project("alpha", "beta", "gamma")

    def order(**named):
        for name, own in named.items():
            path = mini.root / f"notebooks/{name}.ipynb"
            content = json.loads(path.read_text()) | {"metadata": {"reproduce": own}}
            path.write_text(json.dumps(content))
        project = Project(mini.root)
        planned = sorted(runs.make(project), key=lambda each: run._expected(project, each), reverse=True)
        return [each.paper for each in planned]

    longest = {"seconds": 90.5}
    assert order(alpha={"seconds": 20}, beta=longest, gamma={"seconds": 30}) == ["beta", "gamma", "alpha"]
    for no_time in (
        {"seconds": "long"},
        {"seconds": True},
        {"seconds": -1},
        {"seconds": None},
        {},
        "soon",
        None,
    ):
        assert order(gamma=no_time) == ["gamma", "beta", "alpha"]

"""Every file that a command reads, damaged in every way: one clear line, or as good as not there.

Which files a command reads is not written down here: it is run, and watched.
"""

import json
import math
import os
import random
import shutil
import subprocess
import sys
import traceback
from pathlib import Path
from types import SimpleNamespace

import pytest

from reproduce.errors import PageError, ReproduceError
from reproduce.execution import cluster
from reproduce.execution.outcomes import KernelFailure
from reproduce.paths import Family, Project
from reproduce.planning import traces
from reproduce.planning.notebook import read_notebook
from reproduce.power import evidence, faults, trials
from reproduce.publication import notebook, results
from reproduce.publication.results import Measure
from reproduce.scoring import pooling
from reproduce.scoring.ledger import Statement
from reproduce.site import (
    content,
    executing,
    exhibits,
    how_to,
    notebooks,
    reference,
    sources,
    tests_of_claims,
)
from reproduce.site import play as play_module
from tests.reproduce.damage import HUGE, damages, other

COMMANDS = {
    "list": ["list"],
    "check": ["check"],
    "run": ["run"],
    "run of small runs": ["run", "--profile", "smoke"],
    "sweep": ["sweep", "alpha", "--grid", "seed=1,2"],  # the runs of stability, too
    "stability": ["stability", "alpha", "--seeds", "2"],
}
FAULT = """\
[[fault]]
id = "{id}"
says = "Another base."
kind = "algorithm"
[[fault.edit]]
at = "paperlib.tools:"
old = "base = 10"
new = "base = {base}"
"""
TRACE = {
    "run": {"paperlib.tools": "", "paperlib": ""},
    "calls": [
        {"step": "paperlib.tools:a", "arguments": "0", "inputs": [], "entered": {"paperlib.tools": ""}},
        {"step": "paperlib.tools:b", "arguments": "1", "inputs": None, "entered": {}},
        {"step": "paperlib.tools:b", "arguments": "1", "inputs": [0, 1], "entered": {}},
    ],
    "tables": {"table-1": 2},
}


@pytest.fixture(scope="module")
def whole(make_mini, tmp_path_factory):
    """A project in which every command has run, so that there is something of every kind to read."""
    mini = make_mini(tmp_path_factory.mktemp("whole") / "project", ("alpha",))
    mini.write("paperlib/experiments/run_trace.py", "")  # a project whose runs are traced
    trace = f"if out_dir:\n    (out / 'trace.json').write_text({json.dumps(TRACE)!r})\n"
    mini.notebook("alpha", record=mini.RECORD + trace)
    mini.write("reproduce/faults/alpha.toml", FAULT.format(id="other", base=11))
    for args in COMMANDS.values():
        done = mini.call(*args)
        assert done.code in (0, 1) and not done.err, done
    mini.write(".gitignore", "build/\n")
    for args in (
        ["init"],
        ["add", "--all"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-m", "all"],
    ):
        subprocess.run(["git", "-C", str(mini.root), *args], check=True, capture_output=True)
    return mini


POWER = """\
row,key,without a fault,other
(key),,aa,bb
(profile),,smoke,algorithm
one,,reproduced,X
"""
ENDING = {
    "status": "done",
    "message": "",
    "cell": 3,
    "results": {
        "paper": "alpha",
        "data": [],
        "figures": [],
        "tables": [],
        "measures": [{"claim": "one", "value": 13.0, "stderr": None}],
    },
    "seconds": 1.0,
    "modules": ["json"],
    "trace": TRACE,
    "steps": {"paperlib.tools:step": 0.5},
    "digests": {"paperlib.tools:": "aa"},
}
_watched = []  # of (folder, names)


def _look(event, args):
    if event == "open" and _watched and isinstance(args[0], str):
        folder, names = _watched[-1]
        path = Path(args[0])
        if not args[2] & (os.O_WRONLY | os.O_RDWR) and path.is_file() and path.is_relative_to(folder):
            names.add(path.relative_to(folder).as_posix())


sys.addaudithook(_look)


class Damaged:
    """A copy of a project, whose files are put back after each command."""

    def __init__(self, mini, root):
        shutil.copytree(mini.root, root, symlinks=True)
        self.mini, self.root = type(mini)(root), root
        self.before = self.files()

    def files(self):
        return {name: raw for name, raw in self.mini.published(".").items() if not name.startswith(".git/")}

    def read_by(self, args):
        """Names of the files that a command reads."""
        names = set()
        _watched.append((self.root, names))
        try:
            self.call(args)
        finally:
            _watched.pop()
        return sorted(name for name in names & self.before.keys() if not name.endswith((".py", ".lock")))

    def call(self, args, **damaged):
        try:
            for name, raw in damaged.items():
                (self.root / name).write_bytes(raw)
            return self.mini.call(*args)
        finally:
            now = self.files()
            for name in now.keys() | self.before.keys():
                if name not in self.before:
                    (self.root / name).unlink()
                elif now.get(name) != self.before[name]:
                    (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                    (self.root / name).write_bytes(self.before[name])


def not_run(tasks, *_):
    """In the place of the workers: what would run again ends here."""
    for task in tasks:
        yield task, KernelFailure("would run again")


@pytest.fixture
def damaged(whole, tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "execute_all", not_run)
    return Damaged(whole, tmp_path / "project")


def wrong(damaged, args, name, raw):
    """Return what is wrong with a command's answer where a file has other bytes, or None."""
    try:
        done = damaged.call(args, **{name: raw})
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {error} ({place.filename}:{place.lineno})"
    a_line_each = done.err.startswith("reproduce: ") and done.err.count("\n") <= 2 and len(done.err) < 500
    is_well = done.code in (0, 1, 2) and "Traceback" not in done.out and (a_line_each or not done.err)
    return None if is_well else repr(done)


@pytest.mark.parametrize("number", [60, pytest.param(400, marks=pytest.mark.slow)])
@pytest.mark.slow
def test_every_file_that_a_command_reads(damaged, number):
    """A number of cases, drawn over all commands, files and damages."""
    drawn, found = random.Random(os.environ["PAPERLIB_TEST_SEED"]), []
    read = {command: damaged.read_by(args) for command, args in COMMANDS.items()}
    assert all(len(names) > 5 for names in read.values()), read
    cases = [(command, name) for command, names in read.items() for name in names]
    every = {name: damages(name, damaged.before[name]) for names in read.values() for name in names}
    for _ in range(number):
        command, name = drawn.choice(cases)
        raw = drawn.choice(every[name])()
        if words := wrong(damaged, COMMANDS[command], name, raw):
            found.append(f"{command}, {name}: {raw[:300]!r}: {words}")
    assert not found, "\n".join(found[:20])


CASES = {  # a file, and what is other in it
    "figures/alpha/results.json": [
        (("provenance",), []),
        (("provenance", "key"), 3),
        (("measures", 0, "value"), HUGE),
        (("measures", 0, "cases"), HUGE),
        (("measures", 0), {"claim": "one"}),
        (("figures", 0), "\ud800"),
    ],
    "figures/alpha/trace.json": [(("tables", "table-1"), "0"), (("calls", 1, "inputs"), [7]), (("run",), [])],
    "build/state/figures-alpha.json": [(("files",), "text"), (("components",), []), (("seconds",), "1")],
}


@pytest.mark.parametrize("name", CASES)
def test_the_types_in_a_file(damaged, name):
    content = json.loads(damaged.before[name])
    for case in CASES[name]:
        for command in ("list", "check", "run"):
            raw = json.dumps(other(content, *case)).encode()
            assert not (words := wrong(damaged, COMMANDS[command], name, raw)), (command, case, words)


def show_again(project, folder):
    notebook.show_again(folder, [[["one"], {"text/plain": "1"}]])
    notebook.explain_again(folder, read_notebook(project.notebook("alpha")))


def trace(project, folder):
    found = traces.read_trace(folder)
    return found and found.behind(found.tables)


def trial(project, folder):
    return trials.ending(
        SimpleNamespace(project=project, fault=None, kept=project.build / "power/alpha/kept.json")
    )


def how_tos(project, folder):
    return how_to.load_how_tos(project, say=lambda *_, **__: None)


def plays(project, folder):
    return [play.form("x") for play in play_module.load_play(project, say=lambda *_, **__: None).values()]


# What only the site reads, a paper with steps, or the driver where measures moved: by its readers alone.
READERS = {
    "figures/alpha/notebook.ipynb": [lambda p, _: notebooks.load_notebooks(p, "alpha", Family()), show_again],
    "figures/alpha/trace.json": [trace],
    "figures/alpha/table-1.csv": [
        lambda p, folder: exhibits.load_exhibits(
            p, {"bundled": folder}, results.published(p, "alpha", Family())
        )
    ],
    "figures/evidence/alpha/tests.csv": [lambda p, _: tests_of_claims.read_tests(p, "alpha")],
    "figures/evidence/alpha/power.csv": [lambda p, _: evidence.read_power(p, "alpha")],
    "reproduce/faults/alpha.toml": [lambda p, _: faults.load_faults(p, "alpha")],
    "build/power/alpha/kept.json": [trial],
    "docs/reference.toml": [lambda p, _: reference.groups(p)],
    "docs/index.md": [lambda p, _: content._title(p)],
    "docs/how_to/page.md": [how_tos],
    "build/executed/how_to/page.ipynb": [how_tos],
    "docs/try_it.toml": [plays],
    "build/executed/play/alpha/play.json": [plays],
}


@pytest.fixture
def for_the_site(damaged, monkeypatch):
    """The files that the commands above do not write; what would run again says so."""

    def not_run(*_, **__):
        raise PageError("would run again")

    mini = damaged.mini
    mini.notebook("alpha", 'play = explore(record, "figure-1")')
    mini.write("docs/reference.toml", '[[group]]\ntitle = "A"\nabout = "B"\nclass = ["paperlib.A"]\n')
    mini.write("docs/index.md", "# Title\n")
    mini.write(
        "docs/how_to/page.md", "---\nkernelspec: {name: python3}\n---\n# Page\n\n```{code-cell}\n1\n```\n"
    )
    mini.write("docs/try_it.toml", "alpha = {noise = [0.1]}\n")
    mini.write("figures/evidence/alpha/tests.csv", "claim,test\none,tests/test_a.py::test_a\n")
    mini.write("figures/evidence/alpha/power.csv", POWER)
    mini.write("build/power/alpha/kept.json", json.dumps(ENDING))
    mini.write("tests/test_a.py", "def test_a():\n    pass\n")
    project, outputs = Project(mini.root), [{"output_type": "stream", "name": "stdout", "text": "1"}]
    page = how_to._read(mini.read("docs/how_to/page.md"))
    for cell in page["cells"]:
        cell.update({"outputs": outputs, "execution_count": 1} if cell["cell_type"] == "code" else {})
    page["metadata"] |= executing.made_from(project, how_to._key(project, page), {"paperlib": ""})
    mini.write("build/executed/how_to/page.ipynb", json.dumps(page))
    monkeypatch.setattr(executing, "run", not_run)
    cells, *_ = play_module._as_far_as_the_figure("alpha", read_notebook(project.notebook("alpha")))
    present = play_module._key(project, read_notebook(project.notebook("alpha")), cells, {"noise": [0.1]})
    made_from = executing.made_from(project, present, {"paperlib": ""})
    record = {"controls": [["noise", ["0.1"], 0]]} | made_from
    mini.write("build/executed/play/alpha/play.json", json.dumps(record))
    mini.write("build/executed/play/alpha/0.webp", "picture")
    return project


@pytest.mark.parametrize("name", READERS)
def test_every_file_that_the_site_reads(for_the_site, sampled, name):
    folder, path = for_the_site.figures / "alpha", for_the_site.root / name
    raw = path.read_bytes()
    for reader in READERS[name]:
        reader(for_the_site, folder)  # whole, it is read
        for damage in sampled(damages(name, raw), 60):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(found := damage())
            try:
                reader(for_the_site, folder)
            except (ReproduceError, OSError) as error:
                assert str(error) and "\n" not in str(error), found[:300]
            except Exception as error:
                raise AssertionError(f"{name}: {found[:1000]!r}") from error
            finally:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(raw)


def test_a_picture_of_the_front_page(tmp_path):
    for raw in (b"", b"\x89PNG\r\n\x1a\n", b"text"):
        (tmp_path / "a.png").write_bytes(raw)
        with pytest.raises(PageError, match=r"a\.png: no picture: "):
            sources._picture(tmp_path / "a.png", tmp_path / "b" / "a.webp")


def test_numbers_too_large_for_a_float_are_refused_one_by_one(project):
    """In ledgers, parameters and results; what is near the largest float is no error, but no number."""
    ledger, huge = project.read("reproduce/claims/alpha.toml"), "1" + "0" * 400
    for field in ("paper = 13", "paper = 13\ntrivial = 1", "paper = 13\nreason = 'x'\nfound = [1, 1]"):
        project.write(
            "reproduce/claims/alpha.toml",
            ledger.replace("paper = 13", field[:-1] + huge + field[-1:].strip("13")),
        )
        done = project.call("check")
        assert done.code == 2 and done.err.count("\n") == 1 and len(done.err) < 400, done
    project.write("reproduce/claims/alpha.toml", ledger)
    for args in (["run", "-p", f"n_trials={huge}"], ["sweep", "alpha", "--grid", f"n_trials=1,{huge}"]):
        done = project.call(*args)
        assert done.code == 2 and "too large" in done.err and done.err.count("\n") == 1, done
    project.notebook("alpha", parameters=project.PARAMETERS.replace("n_trials = 3", f"n_trials = {huge}"))
    done = project.call("run")
    assert done.code == 2 and done.err.count("\n") == 1, done


def test_squares_beyond_the_largest_float_are_no_number():
    others = pooling.OtherSeeds(1e300, 1e200, 1e200, -1e300, 1e300, None, 3)
    found = pooling.of_all_seeds(Statement("x", "value", 0.0), Measure(-1e300, 1.0), others)
    assert math.isnan(found.value)

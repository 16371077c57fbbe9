"""Whole runs of `power` over a paper with a good row, a blind one, a vacuous one and an identity."""

import json
import re
import shutil
import time
from dataclasses import replace
from pathlib import Path

import pytest

from reproduce.errors import InvalidFaults
from reproduce.execution.warm_process import Trial, WarmProcess
from reproduce.library import definitions
from reproduce.paths import Project
from reproduce.power import evidence, faults, trials
from reproduce.scoring.ledger import load_ledger

LIBRARY = Path(__file__).resolve().parents[3] / "paperlib"
STEP = """\
from paperlib._common.jit import jit


@jit
def step(total):
    return total + 1


@jit
def other(total):
    return total - 1
"""
LOOP = """\
from paperlib._common.jit import jit
from paperlib.alpha.kernels import step


@jit
def loop(n):
    total = 0
    for _ in range(n):
        total = step(total)
    return total
"""
STEPS = """\
import pandas as pd
from paperlib.alpha import kernels, loop
from paperlib.experiments.steps import step


@step
def counts(n):
    return pd.DataFrame({"value": [loop.loop(n)], "n": [n]})


@step
def lesses(n):
    return pd.DataFrame({"value": [kernels.other(n)]})
"""
CLAIMS = """\
from paperlib.experiments.verbs import largest


def counted(counts):
    return largest(counts.value)


def blind(counts):
    return largest((counts.value < 1000).astype(float))


def vacuous(counts):
    return largest(counts.value)


def same(counts):
    return largest(counts.value - counts.value)
"""
WORK = """\
from paperlib.experiments.alpha import steps
from paperlib.experiments.recording import Recorder
record = Recorder("alpha", out_dir)
record.table("counts", steps.counts(n_trials))
record.table("lesses", steps.lesses(n_trials))
"""
RECORD = """\
import json, pathlib
measures = [{"claim": "counted", "value": value, "stderr": None}]
results = {"paper": "alpha", "data": [], "figures": [], "tables": [], "measures": measures}
(pathlib.Path(out_dir) / "results.json").write_text(json.dumps(results))
"""
ROW = """\
[[claim]]
id = "{id}"
where = "Lemma 1"
says = "one for each trial"
kind = "{kind}"
paper = {paper}
{more}

"""
FAULT = """\
[[fault]]
id = "{id}"
says = "A step too many."
kind = "{kind}"
[[fault.edit]]
at = "paperlib.alpha.{at}"
old = "{old}"
new = "{new}"

"""


def ledger(counted='faults = ["twice"]'):
    return (
        ROW.format(id="counted", kind="exact", paper=1, more=counted)
        + ROW.format(id="blind", kind="exact", paper=1, more='faults = ["twice"]')
        + ROW.format(id="vacuous", kind="bound", paper=100, more="trivial = 50\nfaults = []")
        + ROW.format(id="same", kind="identity", paper=0, more='reason = "x - x is 0"')
    )


def fault(id, at="kernels:step", old="total + 1", new="total + 2", kind="algorithm"):
    return FAULT.format(id=id, at=at, old=old, new=new, kind=kind)


LESS = fault("less", "kernels:other", "total - 1", "total - 2")


@pytest.fixture
def toy(project):
    project.write("paperlib/experiments/alpha/__init__.py", "")
    (project.root / "paperlib" / "_common").symlink_to(LIBRARY / "_common")
    for path in (LIBRARY / "experiments").glob("*.py"):
        # Copied, for one looks for the ledgers in the project that it belongs to.
        shutil.copy(path, project.root / "paperlib" / "experiments")
    project.write("paperlib/alpha/kernels.py", STEP)
    project.write("paperlib/alpha/loop.py", LOOP)
    project.write("paperlib/experiments/alpha/steps.py", STEPS)
    project.write("paperlib/experiments/alpha/claims.py", CLAIMS)
    project.notebook("alpha", WORK, record="")
    project.write("reproduce/claims/alpha.toml", ledger())
    project.write("reproduce/faults/alpha.toml", fault("twice"))
    return project


def lines(done):
    """Marks and verdict of each row in the output."""
    parts = [line.split() for line in done.out.splitlines()]
    rows = ("counted", "blind", "vacuous", "same")
    return {p[0]: (p[1], p[2]) for p in parts if len(p) == 3 and p[0] in rows}


@pytest.mark.slow
def test_rows_are_told_apart(toy):
    toy.write("reproduce/faults/alpha.toml", fault("twice") + LESS)
    toy.call("run")  # its trace tells what each row depends on
    done = toy.call("power", "alpha")
    assert lines(done) == {
        "counted": ("X.", "reproduced"),
        "blind": ("..", "reproduced"),
        "vacuous": ("??", "vacuous"),
        "same": ("..", "identity"),
    }, done
    assert done.code == 1
    assert "alpha: blind names twice, which does not turn it (the same value)" in done.out
    assert "counted names" not in done.out
    found = evidence.read_power(Project(toy.root), "alpha")
    assert found.marks["counted", "twice"] == "X" and found.profile == "smoke"
    assert not evidence.is_stale(Project(toy.root), "alpha", found)
    toy.call("check")
    assert "on older sources" not in toy.read("figures/SCOREBOARD.md")
    toy.write("paperlib/alpha/loop.py", LOOP.replace("total = 0", "total = 0 * n"))
    toy.call("check")
    assert "on older sources" in toy.read("figures/SCOREBOARD.md")


def test_a_paper_without_steps_is_refused(project):
    project.write(
        "reproduce/faults/alpha.toml",
        fault("twice", at="tools:", old="10", new="11").replace("alpha.", "", 1),
    )
    done = project.call("power", "alpha")
    assert done.code == 2 and "alpha: errors are tried on claims" in done.err, done


@pytest.mark.slow
def test_what_was_run_is_not_run_again_and_what_was_stopped_goes_on(toy):
    # Too many for a worker that goes on a while after the driver was killed.
    more = "".join(fault(f"f{i}", new=f"total + {i}") for i in range(3, 12))
    toy.write("reproduce/faults/alpha.toml", fault("twice") + more)
    process = toy.start("power", "alpha", "--jobs", "1")
    for line in process.stdout:
        if "[2/10]" in line:
            process.kill()
            break
    process.wait()
    kept = len(list((toy.root / "build/power/alpha").glob("*.json")))
    assert 3 <= kept < 11
    done = toy.call("power", "alpha")
    assert f"[{11 - kept}/{11 - kept}]" in done.out
    assert lines(done)["counted"] == ("X" * 10, "reproduced")
    again = toy.call("power", "alpha")
    assert "[1/" not in again.out
    assert lines(again) == lines(done)


@pytest.mark.slow
def test_a_fault_that_crashes_or_hangs_is_no_evidence(toy):
    endless = "    total = 0\\n    while total >= 0:\\n        total *= 1"
    toy.write(
        "reproduce/faults/alpha.toml",
        fault("twice")
        + fault("raises", at="loop:loop", old="    return total", new="    return undefined")
        + fault("hangs", at="loop:loop", old="    total = 0", new=endless),
    )  # fmt: skip
    toy.write("reproduce/claims/alpha.toml", ledger('faults = ["twice", "raises"]'))
    done = toy.call("power", "alpha", "--seconds", "10")
    assert lines(done)["counted"] == ("X!!", "reproduced"), done
    assert "counted names raises, which does not turn it" in done.out
    assert re.search(r"hangs \[algorithm\] \(timeout: took more than (9|1\d) s\)", done.out), done.out
    assert "raises [algorithm] (failed: " in done.out


@pytest.mark.slow
def test_a_row_beside_the_one_that_names_a_crashing_fault_was_tried(toy):
    """It reads the same table, which the run was asked for; that it has no measure makes nothing old."""
    toy.write(
        "paperlib/experiments/alpha/claims.py", CLAIMS + "\n\ndef more(counts):\n    return counted(counts)\n"
    )
    crash = fault("raises", at="loop:loop", old="    return total", new="    return undefined")
    toy.write("reproduce/faults/alpha.toml", fault("twice") + crash)
    beside = ROW.format(id="more", kind="exact", paper=1, more="faults = []")
    toy.write("reproduce/claims/alpha.toml", ledger('faults = ["twice", "raises"]') + beside)
    toy.call("run")
    toy.call("power", "alpha")
    found = evidence.read_power(Project(toy.root), "alpha")
    assert (found.marks["counted", "raises"], found.marks["more", "raises"]) == ("!", "!")
    assert not evidence.is_stale(Project(toy.root), "alpha", found)


@pytest.mark.slow
def test_a_notebook_that_did_not_end_without_a_fault_is_tried_again(toy):
    toy.write("reproduce/faults/alpha.toml", fault("twice"))
    toy.call("power", "alpha")
    kept = trials.plan(Project(toy.root), "alpha").jobs[trials.SOUND].kept
    kept.write_text(json.dumps(json.loads(kept.read_text()) | {"status": "timeout"}))  # on a machine too busy
    done = toy.call("power", "alpha")
    assert "alpha without a fault: done in" in done.out
    assert lines(done)["counted"] == ("X", "reproduced")


def test_a_stale_fault_is_one_clear_error(toy):
    toy.write("paperlib/alpha/kernels.py", STEP.replace("total + 1", "1 + total"))
    done = toy.call("power", "alpha")
    assert done.code == 2
    where = "fault 1 (twice): `old` must stand in paperlib.alpha.kernels:step exactly once"
    assert f"{where}, it stands there 0 times: 'total + 1'" in done.err


def test_a_name_that_changes_elsewhere_breaks_no_fault(toy):
    """Both texts stand in the module twice, and once in the definition that the fault names."""
    again = STEP.replace("return total - 1", "return (total + 1) - 2")
    toy.write("paperlib/alpha/kernels.py", again)
    [its] = faults.load_faults(Project(toy.root), "alpha")
    after = definitions.edited(again, "paperlib.alpha.kernels", its.edits)
    assert after == again.replace("total + 1", "total + 2", 1)


@pytest.mark.slow
def test_the_sources_stay_as_they_are(toy):
    before = toy.published("paperlib/alpha")
    toy.call("power", "alpha")
    after = toy.published("paperlib/alpha")
    assert {name for name in after if name.endswith(".py")} == {n for n in before if n.endswith(".py")}
    assert all(after[name] == before[name] for name in before)
    assert not [name for name in after if name.endswith((".nbi", ".nbc"))]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[fault]]\nid = 3", "`id` must be a str, not 3"),
        (fault("a") + fault("a"), "there are two faults 'a'"),
        (fault("a", kind="slip"), "unknown kind 'slip'"),
        (fault("a", at="absent:step"), "'paperlib.alpha.absent' is no module of paperlib"),
        (fault("a", at="kernels"), '`at` must be "module:Qualified.name", or "module:" for what'),
        (
            fault("a", at="kernels:stop"),
            "alpha.toml, fault 1 (a): paperlib.alpha.kernels has no definition 'stop': did you mean step?",
        ),
        (
            fault("a", old="total"),
            "in paperlib.alpha.kernels:step exactly once, it stands there 2 times: 'total'",
        ),
        (fault("a", new="total + "), "is no Python"),
        ("x = 1", "only [[fault]] tables are allowed"),
        (
            '[[fault]]\nid = "a"\nsays = "b"\nkind = "data"\nedit = []',
            "`edit` must hold one edit or more, got none",
        ),
    ],
)
def test_malformed_faults(toy, text, says):
    toy.write("reproduce/faults/alpha.toml", text)
    with pytest.raises(InvalidFaults) as raised:
        faults.load_faults(Project(toy.root), "alpha")
    assert says in str(raised.value)


@pytest.mark.slow
def test_a_kernel_that_compiled_the_changed_one_in_is_compiled_again(toy, tmp_path):
    """All faults and the sound library share one folder of compiled code, by the digest of what is in it."""
    project = Project(toy.root)
    [its] = faults.load_faults(project, "alpha")

    def value(edits):
        trial = Trial(project.notebook("alpha"), {"n_trials": 3}, edits, str(tmp_path))
        return warm.run(trial).results["measures"][0]["value"]

    def compiled():
        return sorted(path.name.split("-")[0] for path in tmp_path.rglob("*.nbc"))

    with WarmProcess(toy.root) as warm:
        assert value(()) == 3
        assert compiled() == ["kernels.other", "kernels.step", "loop.loop"]
        assert value(its.edits) == 6
        twice = ["kernels.other", "kernels.step", "kernels.step", "loop.loop", "loop.loop"]
        assert compiled() == twice
        assert value(()) == 3
        assert compiled() == twice


@pytest.mark.slow
def test_a_run_leaves_nothing_for_the_next(toy):
    project = Project(toy.root)
    work = "import os\nvalue = int(os.environ.get('LEFT', 0))\nos.environ['LEFT'] = '1'"
    toy.notebook("alpha", work, record=RECORD)
    with WarmProcess(toy.root) as warm:
        ended = [warm.run(Trial(project.notebook("alpha"), {})) for _ in range(2)]
    assert [e.results["measures"][0]["value"] for e in ended] == [0, 0]
    assert "json" not in ended[0].modules and all(e.status == "done" for e in ended)


@pytest.mark.slow
def test_how_a_notebook_ends(toy):
    project = Project(toy.root)
    toy.notebook("alpha", "value = 1", "import os\nos.kill(os.getpid(), 9)", record=RECORD)
    with WarmProcess(toy.root) as warm:
        ended = warm.run(Trial(project.notebook("alpha"), {}))
        assert (ended.status, ended.results) == ("died", None)
        toy.notebook("alpha", "value = 1", "raise KeyError('x')", record=RECORD)
        ended = warm.run(Trial(project.notebook("alpha"), {}))
        assert (ended.status, ended.cell) == ("failed", 3)
        assert ended.message == "KeyError: 'x' (cell 4, line 1)"
        forked = "import os, time\nif not os.fork():\n    time.sleep(60)\n    os._exit(0)"
        toy.notebook("alpha", "value = 1", forked, record=RECORD)
        began = time.monotonic()
        assert warm.run(Trial(project.notebook("alpha"), {})).status == "done"
        assert time.monotonic() - began < 50.0, "what it forked outlives it"


@pytest.mark.slow
def test_columns_of_faults_that_are_not_tried_stay(toy):
    toy.write("reproduce/faults/alpha.toml", fault("twice") + LESS)
    toy.call("power", "alpha")
    before = evidence.read_power(Project(toy.root), "alpha")
    less = fault("less", "kernels:other", "total - 1", "total - 3")
    toy.write("reproduce/faults/alpha.toml", fault("twice") + less)
    toy.call("power", "alpha", "--fault", "less")
    after = evidence.read_power(Project(toy.root), "alpha")
    assert after.marks == before.marks and after.faults == ["twice", "less"]
    assert after.keys["twice"] == before.keys["twice"] and after.keys["less"] != before.keys["less"]
    toy.write("reproduce/faults/alpha.toml", fault("twice", new="total + 3") + less)
    assert evidence.is_stale(Project(toy.root), "alpha", after)


LARGE = """\


def large(full):
    return largest(full.value - full.n + 1)
"""


@pytest.mark.slow
def test_a_row_that_needs_the_full_data_is_tried_on_it(toy):
    """The bundled data cannot say, and do not complain; the matrix of the full data shows that it turns."""
    project = Project(toy.root)
    more = "if data == 'full':\n    record.table('full', steps.counts(n_trials))"
    toy.notebook("alpha", WORK, record=more)
    toy.write("paperlib/experiments/alpha/claims.py", CLAIMS + LARGE)
    large = ROW.format(id="large", kind="exact", paper=1, more='needs = "full"\nfaults = ["twice"]')
    rows = ledger().replace('faults = ["twice"]', "faults = []") + large
    toy.write("reproduce/claims/alpha.toml", rows)
    toy.write("reproduce/faults/alpha.toml", fault("twice") + LESS)
    done = toy.call("power", "alpha")
    assert (done.code, "large names twice, which does not turn it" in done.out) == (1, True), done
    [claim] = [c for c in load_ledger(project.claims / "alpha.toml") if c.id == "large"]
    assert evidence.power_of(project, "alpha").turned(claim) == []
    done = toy.call("power", "alpha", "--data", "full")
    assert done.code == 0 and "alpha, profile paper, full data" in done.out, done
    assert "Matrix: figures/evidence/alpha/power-full.csv" in done.out
    found = evidence.power_of(project, "alpha")
    assert found.full.faults == ["twice"] and found.marks["large", "twice"] == "?"
    assert found.turned(claim) == ["twice"]
    assert found.unnoticed == ["less"]
    assert toy.call("power", "alpha").code == 0
    assert not evidence.is_stale(project, "alpha", found)
    toy.call("check")
    assert "on older sources" not in toy.read("figures/SCOREBOARD.md")
    keys = dict(found.full.keys, twice="older")
    assert evidence.is_stale(project, "alpha", replace(found, full=replace(found.full, keys=keys)))


@pytest.mark.slow
def test_the_full_data_is_for_faults_that_turn_no_row_on_the_bundled_data(toy):
    """`twice` turns its row on the bundled data; a long run on the full data would tell nothing new."""
    toy.write("reproduce/claims/alpha.toml", "faults = []".join(ledger().rsplit('faults = ["twice"]', 1)))
    toy.call("power", "alpha")
    done = toy.call("power", "alpha", "--data", "full")
    assert done.code == 2 and "--fault tries one" in done.err, done
    assert toy.call("power", "alpha", "--data", "full", "--fault", "twice").code == 0


def test_the_profile_of_trials_is_the_papers_own_where_it_has_one(toy):
    project = Project(toy.root)
    found = [trials.plan(project, "alpha", data=data).profile for data in ("bundled", "full")]
    assert found == ["smoke", "paper"]
    toy.write("reproduce/profiles.toml", "[power.alpha]\nn_trials = 2\n[power-full.alpha]\nn_trials = 3\n")
    plans = [trials.plan(project, "alpha", data=data) for data in ("bundled", "full")]
    assert [(plan.profile, plan.run.parameters["n_trials"]) for plan in plans] == [
        ("power", 2),
        ("power-full", 3),
    ]


def test_committed_faults_fit_the_sources():
    project = Project()
    for paper in project.papers:
        for its in faults.load_faults(project, paper):
            assert its.says.endswith(".")


@pytest.mark.slow
def test_the_evidence_is_read_as_it_was_written(toy):
    assert toy.call("power", "alpha").code == 1
    text = toy.read("figures/evidence/alpha/power.csv")
    assert text.splitlines()[0] == "row,key,without a fault,twice"
    assert text.splitlines()[3] == "counted,,reproduced,X"
    for broken in ("", "row", text.replace("counted,,reproduced,X", "counted,,reproduced")):
        toy.write("figures/evidence/alpha/power.csv", broken)
        assert evidence.read_power(Project(toy.root), "alpha") is None


@pytest.mark.slow
def test_the_limit_is_of_a_run_with_no_step_kept(toy, monkeypatch):
    plan = trials.plan(Project(toy.root), "alpha")
    toy.call("power", "alpha")
    ended = trials.sound_ending(plan) | {"seconds": 5.0, "steps": {"a": 100.0, "b": 20.0}}
    monkeypatch.setattr(trials, "sound_ending", lambda plan: ended)
    assert trials.with_limits(plan, plan.jobs["twice"]).trial.seconds == trials.TIMES * 120


MORE = """

@step
def doubled(n):
    return pd.DataFrame({"value": [2 * loop.loop(n)]})
"""


@pytest.mark.slow
def test_a_fault_is_tried_on_the_rows_that_name_it(toy):
    """Of all other tables its run takes what the sound run had, unless it is told to try all."""
    toy.write("paperlib/experiments/alpha/steps.py", STEPS + MORE)
    toy.write(
        "paperlib/experiments/alpha/claims.py",
        CLAIMS + "\n\ndef more(doubled):\n    return largest(doubled.value)\n",
    )
    *start, counted, lesses = WORK.splitlines()
    doubled = 'record.table("doubled", steps.doubled(n_trials))'
    toy.notebook("alpha", "\n".join([*start, doubled, counted]), lesses, record="")
    own, project = ledger().replace('faults = ["twice"]', "faults = []"), Project(toy.root)

    def write_rows(counted, more):
        rows = (
            ROW.format(id=id, kind="exact", paper=paper, more=f"faults = {json.dumps(names)}")
            for id, paper, names in (("counted", 1, counted), ("more", 2, more))
        )
        toy.write("reproduce/claims/alpha.toml", "".join(rows) + own[own.index("[[claim]]", 1) :])

    write_rows(["twice"], [])
    toy.call("run")
    assert toy.call("power", "alpha").code == 0
    found, jobs = evidence.read_power(project, "alpha"), trials.plan(project, "alpha").jobs
    assert (found.marks["counted", "twice"], found.marks["more", "twice"]) == ("X", "")
    doubled, counts = (
        [(jobs[name].trial.tables / f"{table}.csv").read_text() for name in (trials.SOUND, "twice")]
        for table in ("doubled", "counts")
    )
    assert doubled[0] == doubled[1] and counts[0] != counts[1]
    # Its run ends behind the last table that it is for.
    assert [(jobs[name].trial.tables / "lesses.csv").is_file() for name in (trials.SOUND, "twice")] == [1, 0]
    assert not evidence.is_stale(project, "alpha", found)
    write_rows(["twice"], ["twice"])
    assert evidence.is_stale(project, "alpha", found)
    assert toy.call("power", "alpha").code == 0
    assert evidence.read_power(project, "alpha").marks["more", "twice"] == "X"
    write_rows([], [])
    toy.call("power", "alpha")  # of a fault that no row names nobody knows where it would be seen
    assert evidence.read_power(project, "alpha").marks["more", "twice"] == "X"
    write_rows(["twice"], [])
    toy.call("power", "alpha", "--all-rows")
    assert evidence.read_power(project, "alpha").marks["more", "twice"] == "X"

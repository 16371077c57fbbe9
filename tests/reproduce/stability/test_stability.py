"""`stability` over a notebook of a few cells, and what it leaves for the scoreboard."""

import csv
import os
import shutil
import signal

import pytest

from reproduce import stability
from reproduce.paths import Project
from reproduce.stability import seeds

NOISE = [0.0, -1.1, 0.3, 1.2, -0.5, 0.4]  # of each seed
WORK = f"drawn = {NOISE}[seed]\nassert label != 'bad' or seed != 2, 'not this seed'"
RECORD = """\
import json, pathlib
if out_dir:
    rows = [{"claim": "good", "value": 5 + 0.1 * drawn, "stderr": 0.1},
            {"claim": "flips", "value": float(seed == 2), "stderr": None},
            {"claim": "same", "value": 13, "stderr": None},
            {"claim": "small", "value": 0.04 * drawn, "stderr": 0.01}]
    results = {"paper": PAPER, "data": [], "figures": [], "tables": [], "measures": rows}
    (pathlib.Path(out_dir) / "results.json").write_text(json.dumps(results))
"""
LEDGER = """\
[[claim]]
id = "none"
where = "Section 1"
says = "x"
kind = "exact"
checkable = false
reason = "no run can"
"""
CLAIM = """
[[claim]]
id = "{}"
where = "Table 1"
says = "it is {}"
kind = "value"
paper = {}
tolerance = 0.9
"""
LEDGER += "".join(
    CLAIM.format(*row) for row in [("good", 5, 5), ("flips", 0, 0), ("same", 13, 13), ("small", 0, 0)]
)


def table(mini, name="alpha/stability.csv"):
    return list(csv.DictReader(mini.read(f"figures/evidence/{name}").splitlines()))


def read(mini, paper="alpha", **options):
    return stability.read_stability(Project(mini.root), paper, **options)


@pytest.fixture(scope="module")
def studied_once(tmp_path_factory, make_mini):
    """Two papers of which one was run with four seeds; not to be changed."""
    mini = make_mini(tmp_path_factory.mktemp("studied") / "a {b} ü", ("alpha", "beta"))
    mini.notebook("alpha", WORK, record=RECORD)
    mini.write("reproduce/claims/alpha.toml", LEDGER)
    mini.first = mini.call("stability", "alpha", "--seeds", 4, "--jobs", 2)
    assert mini.first.code == 0, mini.first
    return mini


@pytest.fixture
def studied(studied_once, tmp_path):
    """A copy of it to change at will."""
    shutil.copytree(studied_once.root, tmp_path / "copy")
    return type(studied_once)(tmp_path / "copy")


@pytest.mark.slow
def test_the_first_call(studied_once):
    mini, out = studied_once, studied_once.first.out
    assert mini.first.err == ""
    assert out.startswith("1 paper, 4 seeds: 0 of 4 runs up to date\n")
    assert "] alpha seed=3: done in " in out
    assert out.endswith("\n") and out.partition("\n\n")[2] == (
        "alpha: 4 seeds, paper profile, bundled data; check passes on 3 of 4\n"
        "  check fails with:\n"
        "    seed 2  flips\n"
        "  another verdict with another seed:\n"
        "    flips  reproduced 3, differs 1 (seed 2)\n"
        "  spread over seeds not within 0.5 to 2 of the stated standard error:\n"
        "    small  3.99 (spread 0.04, stated 0.01)\n"
        "  the same digits with every seed: 1 of 4 rows\n"
        "Stability: figures/evidence/alpha/stability.csv\n"
    )


def test_the_table(studied_once):
    found = {row.pop("claim"): row for row in table(studied_once)}
    assert list(found) == ["good", "flips", "same", "small"]
    assert {row["key"] for row in found.values()} == {found["good"]["key"]}
    assert {(row["seeds"], row["profile"]) for row in found.values()} == {("4", "paper")}
    assert found["flips"]["verdicts"] == "reproduced 3, differs 1"
    assert [row["constant"] for row in found.values()] == ["no", "no", "yes", "no"]
    assert [float(row["ratio"]) if row["ratio"] else None for row in found.values()] == [
        pytest.approx(1, abs=0.1), None, None, pytest.approx(4, abs=0.1)
    ]  # fmt: skip
    assert float(found["good"]["mean"]) == pytest.approx(4.9975)
    assert not (studied_once.root / "figures/alpha").exists()


def test_what_the_scoreboard_reads(studied, tmp_path):
    found, is_stale, profile = read(studied)
    assert profile == "paper"
    assert found == {
        "good": (4, 4, False), "flips": (3, 4, False), "same": (4, 4, True), "small": (4, 4, False)
    }  # fmt: skip
    assert is_stale is False
    assert read(studied, shown={"flips": "differs"})[0]["flips"] == (1, 4, False)
    assert read(studied, shown={"flips": "corrected"})[0]["flips"] == (0, 4, False)
    assert read(studied, "beta") == ({}, False, "")
    assert read(studied, data="full") == ({}, False, "")


def test_a_run_leaves_it_where_it_is(studied):
    assert studied.call("run", "alpha").code == 0
    assert read(studied)[0]["same"] == (4, 4, True)


def test_older_sources_and_other_statements(studied):
    studied.notebook("alpha", WORK + "  # a comment", record=RECORD)
    studied.write("requirements.lock", "numpy==3\n")
    assert read(studied)[1] is False
    studied.write("reproduce/claims/alpha.toml", LEDGER.replace("it is 13", "it is thirteen"))
    assert "same" in read(studied)[0]
    studied.write("reproduce/claims/alpha.toml", LEDGER.replace("paper = 13", "paper = 14"))
    found, is_stale, _ = read(studied)
    assert set(found) == {"good", "flips", "small"}
    assert is_stale is False
    studied.notebook("alpha", WORK + "\nmore = 1", record=RECORD)
    assert read(studied)[1] is True
    assert studied.call("check").code == 0  # no failure
    studied.write("notebooks/alpha.ipynb", "{")
    assert read(studied)[1] is True


@pytest.mark.parametrize("content", ["", "{", "claim,key\na,b\n", "claim,verdicts,statement\na,,b\n", "\0"])
def test_a_damaged_table_is_none(studied, content):
    studied.write("figures/evidence/alpha/stability.csv", content)
    assert read(studied)[0] == {}


def test_the_second_call_runs_nothing_and_another_one_what_is_new(studied):
    before = studied.published("figures")
    done = studied.call("stability", "alpha", "--seeds", 4)
    assert done.out.startswith("1 paper, 4 seeds: 4 of 4 runs up to date\n\nalpha: 4 seeds"), done
    assert studied.published("figures") == before
    done = studied.call("stability", "alpha", "--seeds", 3)
    assert done.out.startswith("1 paper, 3 seeds: 3 of 3 runs up to date\n"), done
    assert read(studied)[0]["same"] == (3, 3, True)
    done = studied.call("sweep", "alpha", "--grid", "seed=1,3")
    assert done.out.startswith("alpha: 2 points, 2 of them up to date\n"), done


def test_a_statement_is_judged_again_without_a_run(studied):
    studied.write("reproduce/claims/alpha.toml", LEDGER.replace("paper = 13", "paper = 15"))
    done = studied.call("stability", "alpha", "--seeds", 4)
    assert "4 of 4 runs up to date" in done.out
    assert "check passes on 0 of 4" in done.out
    assert table(studied)[2]["verdicts"] == "differs 4"


@pytest.mark.slow
def test_a_seed_that_fails_leaves_the_old_table(studied):
    before = studied.published("figures")
    studied.notebook("alpha", WORK, parameters=studied.PARAMETERS.replace('"a # b"', '"bad"'), record=RECORD)
    done = studied.call("stability", "--seeds", 3, "--jobs", 2)
    assert (done.code, done.err) == (1, ""), done
    assert "alpha seed=2: failed in cell 3 (In [3]) of notebooks/alpha.ipynb\n" in done.out
    assert "alpha: no table, the same call runs again what failed\n" in done.out
    assert "\nbeta: 3 seeds, paper profile, bundled data; check passes on 3 of 3\n" in done.out
    now = studied.published("figures")
    assert now.pop("evidence/beta/stability.csv")
    assert now == before


@pytest.mark.slow
def test_killed_halfway_it_goes_on(project, tmp_path, until):
    flag = tmp_path / "flag"
    flag.touch()
    wait = f"import os, time\ntime.sleep(120 if seed == 3 and os.path.exists({str(flag)!r}) else 0)"
    project.notebook("alpha", wait, "value = 13")
    driver = project.start("stability", "--seeds", 3, "--jobs", 1, start_new_session=True)
    records = project.root / "build/state/sweeps/alpha"
    until(lambda: len(list(records.glob("*.json"))) == 2 and project.kernels(), "two of three are done")
    os.killpg(driver.pid, signal.SIGKILL)
    driver.communicate(timeout=60)
    until(lambda: not project.kernels(), "its kernel is gone")
    assert not (project.root / "figures").exists()
    flag.unlink()
    done = project.call("stability", "--seeds", 3, "--jobs", 1)
    assert done.code == 0, done
    assert done.out.startswith("1 paper, 3 seeds: 2 of 3 runs up to date\n[1/1] alpha seed=3: done in ")
    assert read(project) == ({"one": (3, 3, True)}, False, "paper")


def test_the_seeds_are_chosen_by_a_rule(project):
    assert list(seeds.plan(Project(project.root), "alpha", 4).runs) == [1, 2, 3, 4]
    project.notebook("alpha", parameters=project.PARAMETERS.replace("seed = 0", "seed = 3"))
    study = seeds.plan(Project(project.root), "alpha", 4, "smoke")
    assert list(study.runs) == [1, 2, 4, 5]
    assert [run.parameters["seed"] for run in study.runs.values()] == [1, 2, 4, 5]
    assert {run.parameters["n_trials"] for run in study.runs.values()} == {1}


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["alhpa"], "unknown paper 'alhpa': did you mean alpha?"),
        (["--seeds", "1"], "argument --seeds: must be a whole number in [2, 1000], not '1'"),
        (["--seeds", "many"], "must be a whole number in [2, 1000]"),
        (["--profile", "smok"], "unknown profile 'smok': did you mean smoke?"),
        (["-p", "noise=0"], "unrecognized arguments: -p"),
    ],
)
def test_bad_usage(project, args, says):
    before = sorted(project.root.rglob("*"))
    done = project.call("stability", *args)
    assert done.code == 2, done
    assert says in done.err
    assert (done.err.count("\n"), done.out) == (1, "")
    assert sorted(project.root.rglob("*")) == before


def test_a_paper_without_a_ledger(make_project):
    mini = make_project("alpha", "beta")
    (mini.root / "reproduce/claims/beta.toml").unlink()
    done = mini.call("stability", "beta")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "beta has no ledger" in done.err

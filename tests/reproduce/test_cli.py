"""Bad usage: one line on stderr, exit 2, and nothing was run or written."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["swep"], "invalid choice: 'swep'"),
        (["run", "alhpa"], "unknown paper 'alhpa': did you mean alpha?"),
        (["run", ""], "unknown paper ''"),
        (["run", "../alpha"], "unknown paper '../alpha'"),
        (["run", "--profile", "smok"], "unknown profile 'smok': did you mean smoke?"),
        (["check", "--profile", "smok"], "unknown profile 'smok': did you mean smoke?"),
        (["run", "--data", "half"], "invalid choice: 'half'"),
        (["run", "--jobs", "0"], "argument --jobs: must be an integer >= 1, got '0'"),
        (["run", "--jobs", "-1"], "must be an integer >= 1, got '-1'"),
        (["run", "--jobs", "two"], "must be an integer >= 1, got 'two'"),
        (["run", "--jobs", "²"], "must be an integer >= 1"),
        (["run", "--wat"], "unrecognized arguments: --wat"),
        (["run", "-p"], "argument -p: expected one argument"),
        (["run", "-p", "a"], "-p takes name=value, not 'a'"),
        (["run", "-p", "=3"], "-p takes name=value, not '=3'"),
        (["run", "-p", "n_trial=3"], "unknown parameter of alpha 'n_trial': did you mean n_trials?"),
        (["run", "-p", "größe=3"], "unknown parameter of alpha 'größe'"),
        (["run", "-p", "x" * 50_000 + "=3"], "unknown parameter of alpha 'xxx"),
        (["run", "-p", "n_trials=many"], "n_trials takes an int, as in n_trials=3, not 'many'"),
        (["run", "-p", "n_trials=" + "9" * 50_000], "n_trials takes an int"),
        (["run", "-p", "noise=nan"], "noise takes a float (finite), as in noise=0.1, not nan"),
        (["run", "-p", "exact=1"], "exact takes a bool, as in exact=true, not '1'"),
        (["run", "-p", "losses=[1]"], "losses takes a list of str, as in losses=hinge,linear, not 1"),
        (["run", "-p", "seed=1", "-p", "seed=2"], "'seed' is given twice"),
        (["run", "-p", "out_dir=/tmp/x"], "out_dir is set by the driver"),
        (["run", "-p", "data=full"], "data is chosen with --data"),
        (
            ["run", "-p", "n_trials=1000001"],
            "alpha: n_trials must be an integer in [1, 1000000], got 1000001",
        ),
        (["run", "-p", "noise=2"], "in [0, 0.5 * n_trials] where 0.5 * n_trials is 1.5, got 2.0"),
        (["run", "-p", "noise=0.7", "--profile", "smoke"], "where 0.5 * n_trials is 0.5, got 0.7"),
    ],
)
def test_bad_usage(project, args, says):
    before = sorted(project.root.rglob("*"))
    done = project.call(*args)
    assert done.code == 2, done
    assert says in done.err, done
    assert done.err.count("\n") == 1
    assert len(done.err) < 400
    assert done.out == ""
    assert sorted(project.root.rglob("*")) == before


def test_each_mistake_among_the_values_has_a_line(project):
    done = project.call("run", "-p", "n_trials=-3", "-p", "noise=-0.5")
    assert done.code == 2 and done.out == ""
    assert [line.split(" must be")[0] for line in done.err.splitlines()] == [
        "reproduce: alpha: n_trials",
        "alpha: noise",
    ]


def test_a_sweep_with_a_point_that_is_not_allowed_runs_nothing(project):
    before = sorted(project.root.rglob("*"))
    done = project.call("sweep", "alpha", "--grid", "n_trials=0,1,2", "--grid", "noise=0,0.7")
    assert done.code == 2 and done.out == ""
    assert "n_trials must be an integer in [1, 1000000], got 0" in done.err
    assert "where 0.5 * n_trials is 0.5, got 0.7" in done.err
    assert sorted(project.root.rglob("*")) == before


def test_a_sweep_may_move_a_bound_and_a_value_together(project):
    done = project.call("sweep", "alpha", "-p", "noise=2", "--grid", "n_trials=5,6", "--dry-run")
    assert done.code == 0, done


def test_a_range_that_cannot_be_read_is_the_notebooks_mistake(project):
    project.notebook("alpha", parameters=project.PARAMETERS.replace("[1, 1000000]", "[1, many]"))
    done = project.call("run")
    assert done.code == 2
    assert "notebooks/alpha.ipynb, parameters cell, line 2: n_trials: many is no parameter" in done.err


def test_a_folder_that_is_no_project(project):
    other = type(project)(project.root / "empty folder")
    assert "no such folder" in other.command("run", cwd=project.root).err
    other.root.mkdir()
    for _ in range(2):
        for command in ("run", "list"):
            done = other.call(command)
            assert (done.code, done.err.count("\n")) == (2, 1), done
            assert "no notebooks in" in done.err
        (other.root / "notebooks").mkdir(exist_ok=True)


def test_a_mistake_in_a_ledger_is_reported_before_anything_runs(project):
    project.write("reproduce/claims/alpha.toml", project.LEDGER.replace("exact", "exat"))
    for command in ("run", "check"):
        done = project.call(command)
        assert done.code == 2, done
        assert "alpha.toml, claim 1 (one): unknown kind 'exat': did you mean exact?" in done.err
        assert done.executed == set()


@pytest.mark.parametrize("args", [["--help"], ["run", "--help"], ["check", "-h"], ["list", "-h"]])
def test_help(project, args):
    done = project.call(*args)
    assert (done.code, done.err) == (0, "")
    assert "--project DIR" in done.out


def test_list(run_once, project):
    done = run_once.call("list")
    assert done.code == 0, done
    assert "alpha -> figures/alpha (up to date)" in done.out
    line = next(line for line in done.out.splitlines() if line.startswith("  noise"))
    assert " ".join(line.split()) == "noise float 0.1 number in [0, 0.5 * n_trials] share of flipped labels"
    assert "out_dir" not in done.out
    assert "alpha -> figures/alpha (stale: never run here)" in project.call("list", "alpha").out
    smoke = project.call("list", "--profile", "smoke")
    assert "alpha -> build/runs/alpha-smoke-bundled (stale: never run here)" in smoke.out
    assert "  n_trials  int          1 " in smoke.out


def test_the_project_may_be_named_before_the_command(run_once, tmp_path):
    program = [sys.executable, "-m", "reproduce", "--project", run_once.root, "list"]
    done = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True)
    assert f"alpha -> {run_once.root}/figures/alpha (up to date)" in done.stdout


def test_a_narrow_locale_and_a_closed_pipe(run_once):
    done = run_once.command("list", env={"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert done.code == 0, done
    process = run_once.start("list")
    process.stdout.close()
    assert "Traceback" not in process.stderr.read()
    process.wait()


def test_check_and_its_exit_code(published):
    assert published.call("check").code == 0
    published.write("reproduce/claims/alpha.toml", published.LEDGER.replace("paper = 13", "paper = 14"))
    done = published.call("check")
    assert done.code == 1, done
    assert "alpha: one differs: measured 13" in done.out
    assert "Scoreboard: figures/SCOREBOARD.md" in done.out
    published.write("figures/alpha/results.json", "{")
    done = published.call("check")
    assert (done.code, done.err.count("\n")) == (1, 1), done
    assert "malformed" in done.err

"""Whole sweeps over a notebook of a few cells."""

import csv
import json
import shutil
import time

import pytest

from reproduce.sweeps import table as table_module

WORK = "value = round(10 * noise + n_trials, 10)\nassert label != 'bad', 'not\\nthis one'"
RECORD = """\
import json, pathlib
if out_dir:
    rows = [{"claim": "sum", "value": value, "stderr": 0.5 * noise},
            {"claim": "square", "value": value ** 2, "stderr": None},
            {"claim": "same", "value": 7, "stderr": None},
            {"claim": "undefined", "value": None, "stderr": None}]
    (pathlib.Path(out_dir) / "figure-1.svg").write_text("<svg/>")
    (pathlib.Path(out_dir) / "figure-1.png").write_bytes(b"png")
    (pathlib.Path(out_dir) / "table-1.csv").write_text(f"noise,value\\n{noise},{value}\\n")
    results = {"paper": PAPER, "data": [], "figures": ["figure-1"], "tables": ["table-1"], "measures": rows}
    (pathlib.Path(out_dir) / "results.json").write_text(json.dumps(results))
"""
LEDGER = """\
[[claim]]
id = "square"
where = "Table 1"
says = "the square is 9"
kind = "exact"
paper = 9
"""
GRID = ("--grid", "noise=0.1:0.2:0.1", "--grid", "n_trials=1,2")
TABLE = """\
noise,n_trials,measure,value,stderr,cases,verdict,statement,folder
0.1,1,sum,2.0,0.05,,,,"points/noise=0.1,n_trials=1"
0.1,1,square,4.0,,,differs,the square is 9,"points/noise=0.1,n_trials=1"
0.1,1,same,7,,,,,"points/noise=0.1,n_trials=1"
0.1,1,undefined,,,,,,"points/noise=0.1,n_trials=1"
0.1,2,sum,3.0,0.05,,,,"points/noise=0.1,n_trials=2"
0.1,2,square,9.0,,,reproduced,the square is 9,"points/noise=0.1,n_trials=2"
0.1,2,same,7,,,,,"points/noise=0.1,n_trials=2"
0.1,2,undefined,,,,,,"points/noise=0.1,n_trials=2"
0.2,1,sum,3.0,0.1,,,,"points/noise=0.2,n_trials=1"
0.2,1,square,9.0,,,reproduced,the square is 9,"points/noise=0.2,n_trials=1"
0.2,1,same,7,,,,,"points/noise=0.2,n_trials=1"
0.2,1,undefined,,,,,,"points/noise=0.2,n_trials=1"
0.2,2,sum,4.0,0.1,,,,"points/noise=0.2,n_trials=2"
0.2,2,square,16.0,,,differs,the square is 9,"points/noise=0.2,n_trials=2"
0.2,2,same,7,,,,,"points/noise=0.2,n_trials=2"
0.2,2,undefined,,,,,,"points/noise=0.2,n_trials=2"
"""


PARQUET = {"results.parquet"} if table_module.parquet_engine() else set()


def sweep(mini, *args):
    return mini.call("sweep", "alpha", *args)


def table(done):
    """Folder of the table that a sweep names."""
    [line] = [line for line in done.out.splitlines() if line.startswith("Table: ")]
    return line.removeprefix("Table: ").split("/results.csv")[0]


def rows(text):
    return list(csv.DictReader(text.splitlines()))


@pytest.fixture(scope="module")
def swept_once(tmp_path_factory, make_mini):
    """A sweep of four points; not to be changed."""
    mini = make_mini(tmp_path_factory.mktemp("swept") / "a {b} ü")
    mini.notebook("alpha", WORK, record=RECORD)
    mini.write("reproduce/claims/alpha.toml", LEDGER)
    mini.first = sweep(mini, *GRID, "--jobs", 2)
    assert mini.first.code == 0, mini.first
    return mini


@pytest.fixture
def swept(swept_once, tmp_path):
    """A copy of it to change at will."""
    shutil.copytree(swept_once.root, tmp_path / "copy", symlinks=True)
    mini = type(swept_once)(tmp_path / "copy")
    mini.first = swept_once.first
    return mini


def test_the_first_sweep(swept_once):
    mini, out = swept_once, swept_once.first.out
    assert mini.first.err == ""
    assert out.startswith("alpha: 4 points, 0 of them up to date\n")
    assert sorted(line.split("] ")[1].split(":")[0] for line in out.splitlines() if line[0:1] == "[") == [
        "noise=0.1 n_trials=1", "noise=0.1 n_trials=2", "noise=0.2 n_trials=1", "noise=0.2 n_trials=2"
    ]  # fmt: skip
    folder = table(mini.first)
    assert f"{folder}/results.csv (4 points, 16 rows; times in seconds.csv)\n" in out
    assert "Plots: noise.svg, n_trials.svg and .png, in build/sweeps/alpha/" in out
    assert "Not plotted, the same at every point: same, undefined\n" in out
    assert mini.read(f"{folder}/results.csv") == TABLE
    times = rows(mini.read(f"{folder}/seconds.csv"))
    assert [(t["noise"], t["n_trials"]) for t in times] == [
        ("0.1", "1"),
        ("0.1", "2"),
        ("0.2", "1"),
        ("0.2", "2"),
    ]
    assert all(float(t["seconds"]) > 0 for t in times)
    pictures = {"noise.svg", "noise.png", "n_trials.svg", "n_trials.png"}
    own = {"results.csv", "seconds.csv", "tables/table-1.csv", *pictures}
    assert {name for name in mini.published(folder) if not name.startswith("points/")} == own | PARQUET
    assert mini.read(f"{folder}/tables/table-1.csv").splitlines()[:2] == [
        "parameter noise,n_trials,noise,value", "0.1,1,0.1,2.0"
    ]  # fmt: skip
    for point in rows(TABLE):
        content = json.loads(mini.read(f"{folder}/{point['folder']}/results.json"))
        assert str(content["provenance"]["parameters"]["noise"]) == point["noise"]


def test_each_point_is_kept_under_its_key_and_nothing_else_is_left(swept_once):
    mini = swept_once
    points = [p for p in (mini.root / "build/sweeps/alpha").iterdir() if len(p.name) == 64]
    assert len(points) == 4
    for point in points:
        assert {p.name for p in point.iterdir()} == {
            "results.json", "figure-1.svg", "figure-1.png", "table-1.csv", "notebook.ipynb"
        }  # fmt: skip
        block = json.loads((point / "results.json").read_text())["provenance"]
        assert block["key"] == point.name
        assert block["parameters"]["noise"] in (0.1, 0.2)
    for left in ("stage", "locks", "executed"):
        assert [p for p in (mini.root / "build" / left).rglob("*") if p.is_file()] == []
    assert len(list((mini.root / "build/sources").iterdir())) == 1  # one copy of the notebook for all points
    assert not (mini.root / "figures").exists()


def test_the_second_sweep_runs_nothing(swept):
    before = swept.published(".")
    done = sweep(swept, *GRID)
    assert (done.code, done.err) == (0, ""), done
    assert done.out.startswith("alpha: 4 points, 4 of them up to date\n\nTable: ")
    assert swept.published(".") == before


def test_points_of_another_sweep_are_not_run_again(swept, swept_once):
    done = sweep(swept, "--grid", "n_trials=2,5", "--grid", "noise=0.2", "-p", "seed=0")
    assert done.code == 0, done
    assert done.out.startswith("alpha: 2 points, 1 of them up to date\n[1/1] n_trials=5 noise=0.2: done")
    assert table(done) != table(swept.first)
    found = rows(swept.read(f"{table(done)}/results.csv"))
    assert [(r["n_trials"], r["noise"], r["value"]) for r in found if r["measure"] == "sum"] == [
        ("2", "0.2", "4.0"),
        ("5", "0.2", "7.0"),
    ]
    assert "n_trials.svg" in swept.published(table(done))
    assert "noise.svg" not in swept.published(table(done))  # one value only


def test_what_was_changed_by_hand_is_made_again(swept):
    folder = table(swept.first)
    before = {name: data for name, data in swept.published(folder).items() if name != "seconds.csv"}
    point = next(p for p in (swept.root / "build/sweeps/alpha").iterdir() if len(p.name) == 64)
    (point / "results.json").write_text("{}")
    (swept.root / folder / "noise.svg").unlink()
    done = sweep(swept, *GRID)
    assert done.out.startswith("alpha: 4 points, 3 of them up to date\n"), done
    assert before.items() <= swept.published(folder).items()


@pytest.mark.slow
def test_force_runs_all_and_gives_the_same_bytes(swept, swept_once):
    done = sweep(swept, *GRID, "--force", "--jobs", 1)
    assert done.out.count(": done in ") == 4, done
    folder = table(done)
    new, old = swept.published(folder), swept_once.published(folder)
    del new["seconds.csv"], old["seconds.csv"]
    assert new == old


def test_without_notebooks_a_sweep_is_extended_by_a_point(swept):
    done = sweep(swept, "--grid", "noise=0.1:0.3:0.1", "--grid", "n_trials=1", "--no-notebooks")
    assert done.out.startswith("alpha: 3 points, 2 of them up to date\n[1/1] noise=0.3 n_trials=1: done"), (
        done
    )
    points = swept.root / table(done) / "points"
    assert {path.name for path in points.iterdir()} == {f"noise={x},n_trials=1" for x in (0.1, 0.2, 0.3)}
    kept = {path.parent.name for path in points.glob("*/notebook.ipynb")}
    assert kept == {f"noise={x},n_trials=1" for x in (0.1, 0.2)}


def test_dry_run_and_limit(swept):
    before = swept.published(".")
    done = sweep(swept, "--grid", "noise=0.2:0.4:0.1", "--grid", "n_trials=1,2", "--dry-run", "--limit", 5)
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "1  noise=0.2 n_trials=1  up to date\n"
        "2  noise=0.2 n_trials=2  up to date\n"
        "3  noise=0.3 n_trials=1  to run\n"
        "4  noise=0.3 n_trials=2  to run\n"
        "5  noise=0.4 n_trials=1  to run\n"
        "5 points: 2 up to date, 3 to run; nothing was run\n"
    )
    assert swept.published(".") == before
    done = sweep(swept, *GRID, "--limit", 2)
    assert done.out.startswith("alpha: 2 points, 2 of them up to date\n")
    assert "(2 points, 8 rows;" in done.out


def test_at_any_moment_there_is_a_table_of_the_points_that_have_run(swept):
    grid = ("--grid", "noise=0.1:0.3:0.1", "--grid", "n_trials=1,2")
    done = sweep(swept, *grid, "--open")
    assert (done.code, done.err) == (0, ""), done
    assert done.out.startswith(
        "alpha: 6 points, 4 of them up to date\n\nTable: build/sweeps/alpha/noise,n_trials-"
    )
    assert "results.csv (4 of 6 points, 16 rows; " in done.out
    assert swept.read(f"{table(done)}/results.csv") == TABLE
    assert {"noise.png", "n_trials.png"} <= swept.published(table(done)).keys()
    done = sweep(swept, "--grid", "noise=0.4,0.5", "--open")
    assert (done.code, done.out.splitlines()[-1]) == (0, "No point has results, so there is no table")


@pytest.mark.slow
def test_a_large_grid_is_planned_in_seconds(swept):
    start = time.monotonic()
    done = sweep(swept, "--grid", "seed=0:9999:1", "--dry-run")
    assert done.out.endswith("10000 points: 0 up to date, 10000 to run; nothing was run\n"), done
    assert time.monotonic() - start < 60


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ([], "the following arguments are required: PAPER"),
        (["alhpa", "--grid", "noise=1"], "unknown paper 'alhpa': did you mean alpha?"),
        (["alpha"], "nothing to sweep"),
        (["alpha", "--grid", "nois=1"], "unknown parameter of alpha 'nois': did you mean noise?"),
        (["alpha", "--grid", "noise=x"], "noise takes a float"),
        (["alpha", "--grid", "noise=1", "-p", "noise=2"], "noise is given with -p or -f and swept"),
        (["alpha", "--grid", "noise=1", "-p", "nois=2"], "unknown parameter of alpha 'nois'"),
        (
            ["alpha", "--zip", "noise=1,2", "--zip", "n_trials=1"],
            "all --zip and --design must have equally many",
        ),
        (["alpha", "--grid", "seed=0:10000:1"], "a grid of 10,001 points: give --yes"),
        (["alpha", "--grid", "noise=1", "--limit", "0"], "--limit: must be an integer >= 1"),
        (["alpha", "--grid", "noise=1", "--scheduler", "here"], "must be an address such as tcp://host:8786"),
        (["alpha", "--grid", "noise=1", "--scheduler", "tcp://h:99999"], "must be an address such as"),
    ],
)
def test_bad_usage(project, args, says):
    before = sorted(project.root.rglob("*"))
    done = project.call("sweep", *args)
    assert done.code == 2, done
    assert says in done.err, done
    assert done.err.count("\n") == 1
    assert done.out == ""
    assert sorted(project.root.rglob("*")) == before


@pytest.mark.slow
def test_points_that_fail_are_reported_and_the_others_go_on(swept):
    done = sweep(swept, "--grid", "label=good,bad", "--grid", "exact=true", "--grid", "losses=[a],[b,c]")
    assert (done.code, done.err) == (1, ""), done
    assert (
        "2 of 4 points failed; the same command runs them again:\n"
        '  label=bad exact=true losses=["a"]: failed in cell 3 (In [3]) of notebooks/alpha.ipynb\n'
        "      line 2: assert label != 'bad', 'not\\nthis one'\n"
        "      AssertionError: not\n"
        "      this one\n"
        "      the notebook up to there: build/executed/sweeps/alpha/"
    ) in done.out
    folder = table(done)
    found = rows(swept.read(f"{folder}/results.csv"))
    assert {(r["label"], r["exact"], r["losses"]) for r in found} == {
        ("good", "true", '["a"]'),
        ("good", "true", '["b", "c"]'),
    }
    failed = rows(swept.read(f"{folder}/failed.csv"))
    assert [(r["label"], r["losses"]) for r in failed] == [("bad", '["a"]'), ("bad", '["b", "c"]')]
    assert "AssertionError: not" in failed[0]["error"]
    assert "No plots: no number is swept over two values, or no measure varies\n" in done.out
    assert len(list((swept.root / "build/executed/sweeps/alpha").iterdir())) == 2
    again = sweep(swept, "--grid", "label=bad", "--grid", "exact=true", "--grid", "losses=[a]")
    assert again.code == 1
    assert "[1/1] label=bad" in again.out
    assert "No point has results, so there is no table\n" in again.out


def test_the_library_is_edited_in_mid_sweep(project):
    edit = (
        "import paperlib, pathlib\npathlib.Path(paperlib.__file__).write_text(f'seed = {seed}')\nvalue = 13"
    )
    project.notebook("alpha", edit)
    done = project.call("sweep", "alpha", "--grid", "seed=1,2,3", "--jobs", 1)
    assert done.code == 1, done
    assert "its modules changed during the run: call again to run what that affects" in done.err
    assert done.err.count("\n") == 1
    assert [p for p in (project.root / "build/sweeps").rglob("*") if p.is_file()] == []


@pytest.mark.slow
def test_two_sweeps_at_once_share_the_work(project, tmp_path, until):
    log = tmp_path / "log"
    tell = "open({!r}, 'a').write(f'{{seed}} {}\\n')\n"
    work = "import time; time.sleep(1)\nvalue = seed\n"
    project.notebook("alpha", tell.format(str(log), "begins") + work + tell.format(str(log), "ends"))
    first = project.start("sweep", "alpha", "--grid", "seed=1:6:1", "--jobs", 1)
    until(log.exists, "the first has begun")
    second = project.call("sweep", "alpha", "--grid", "seed=6:1:-1", "--grid", "n_trials=3", "--jobs", 1)
    out, err = first.communicate(timeout=240)
    assert (first.returncode, second.code, err, second.err) == (0, 0, "", ""), (out, second)
    assert sorted(log.read_text().splitlines()) == sorted(
        f"{seed} {what}" for seed in range(1, 7) for what in ("begins", "ends")
    )
    assert out.count(": done in") + second.out.count(": done in") == 6
    assert "6 points" in out.split("Table")[1]
    assert "6 points" in second.out.split("Table")[1]

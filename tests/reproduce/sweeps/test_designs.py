"""Points of a sweep that a file lists, or that are drawn in a box."""

import csv

import numpy as np
import pytest

from reproduce.errors import UsageError
from reproduce.planning.notebook import read_notebook
from reproduce.sweeps import designs, grid


@pytest.fixture
def notebook(project):
    return read_notebook(project.root / "notebooks" / "alpha.ipynb")


def points(columns):
    return list(zip(*(list(column) for column in columns)))


def test_the_rows_of_a_file(notebook, tmp_path):
    path = tmp_path / "points.csv"
    path.write_text('\ufeffnoise,n_trials,losses\n0.1,1,"[""hinge""]"\n\n0.25,7,"a,b"\n')
    columns = designs.of_file(notebook, "alpha", path)
    assert points(columns) == [(0.1, 1, ["hinge"]), (0.25, 7, ["a", "b"])]
    made = grid.read_grid(notebook, "alpha", [("design", path), ("grid", "seed=0,1")])
    assert made.names == ("noise", "n_trials", "losses", "seed") and len(made.points) == 4


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "cannot be read: No such file or directory$"),
        ("", "the first row must name parameters"),
        ("noise\n", "there must be a row for each point"),
        ("noise,seed\n0.1\n", "row 2: 1 cells for 2 names"),
        ("nois\n0.1\n", "unknown parameter of alpha 'nois': did you mean noise?"),
        ("noise\nx\n", "row 2: noise takes a float"),
        ("noise,seed\n0.1,1\n\n0.2,\n", "row 3: seed takes a"),
        ("noise;seed\n0.1;1\n", "commas must be between the cells, not semicolons"),
        ("data\nfull\n", "data is chosen with --data"),
    ],
)
def test_a_file_that_is_none(notebook, tmp_path, text, says):
    path = tmp_path / "points.csv"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UsageError, match=says):
        designs.of_file(notebook, "alpha", path)


@pytest.mark.parametrize("how", [designs.LATIN, designs.RANDOM])
def test_points_in_a_box(notebook, how):
    between = ["noise=0.001:0.1:log", "n_trials=10:1000"]
    noise, trials = designs.drawn(notebook, "alpha", how, 20, between, 3)
    noise, trials = np.array(list(noise)), list(trials)
    assert (noise >= 0.001).all() and (noise <= 0.1).all() and set(map(type, trials)) == {int}
    again = points(designs.drawn(notebook, "alpha", how, 20, between, 3))
    assert points([noise.tolist(), trials]) == again
    assert again != points(designs.drawn(notebook, "alpha", how, 20, between, 4))
    if how == designs.LATIN:  # one in each of twenty parts
        parts = np.floor(20 * np.log(noise / 0.001) / np.log(100.0)).astype(int)
        assert sorted(parts.tolist()) == list(range(20))


@pytest.mark.parametrize(
    ("between", "says"),
    [
        ([], "give --between name=low:high"),
        (["noise=0.1"], "--between takes name=low:high"),
        (["noise=0:1:lin"], "--between takes name=low:high"),
        (["noise=0.3:0.1"], "the first number must be below the second"),
        (["noise=0:0.1:log"], "must be of numbers above zero"),
        (["label=a:b"], "label takes no numbers"),
        (["nois=0:1"], "did you mean noise"),
    ],
)
def test_a_box_that_is_none(notebook, between, says):
    with pytest.raises(UsageError, match=says):
        designs.drawn(notebook, "alpha", designs.LATIN, 5, between, 0)


def test_a_design_is_swept(project, tmp_path):
    path = tmp_path / "points.csv"
    path.write_text("noise,n_trials\n0.1,1\n0.2,2\n")
    done = project.call("sweep", "alpha", "--design", path)
    assert done.code == 0, done
    folder = done.out.split("Table: ")[1].split("/results.csv")[0]
    rows = list(csv.DictReader(project.read(f"{folder}/results.csv").splitlines()))
    assert [(row["noise"], row["n_trials"], row["value"]) for row in rows] == [
        ("0.1", "1", "11"), ("0.2", "2", "12")
    ]  # fmt: skip
    planned = project.call("sweep", "alpha", "--latin", 3, "--between", "noise=0:0.3", "--dry-run")
    assert "3 points: 0 up to date, 3 to run" in planned.out
    both = project.call("sweep", "alpha", "--grid", "seed=0,1", "--design", path, "--dry-run")
    assert both.out.startswith(
        "1  noise=0.1 n_trials=1 seed=0  up to date\n2  noise=0.1 n_trials=1 seed=1  to run"
    )
    refused = project.call("sweep", "alpha", "--between", "noise=0:0.3")
    assert refused.code == 2 and "give --latin N or --random N" in refused.err


def test_values_of_a_file(project, tmp_path):
    path = tmp_path / "values.yaml"
    path.write_text("n_trials: 2\nlosses: [a, b]\nexact: false\nlabel: a title\nnoise: 0.3\n")
    done = project.call("run", "-f", path, "-p", "noise=0.2")
    assert done.code == 0, done
    [found] = (project.root / "build" / "runs").glob("*/table-1.csv")
    assert found.read_text() == "noise,value\n0.2,12\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [("- 1", "must hold lines such as"), ("a: [", "cannot be read"), ("nois: 1", "did you mean noise"),
     ("noise: 2001-01-01", "noise must be a number, a text"), (None, "cannot be read")],
)  # fmt: skip
def test_a_file_of_values_that_is_none(project, tmp_path, text, says):
    path = tmp_path / "values.yaml"
    if text is not None:
        path.write_text(text)
    done = project.call("run", "-f", path)
    assert done.code == 2 and says in done.err and done.err.count("\n") == 1, done

"""The Recorder: what it writes, what it refuses, and what a failure leaves behind."""

import errno
import json
import os

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperlib.experiments import datasets, files, plotting, publishing, recording
from paperlib.experiments.recording import Recorder
from tests.paperlib.experiments.helpers import full_disk, results
from tests.programs import printed


@pytest.fixture
def shown(monkeypatch):
    """What was displayed."""
    things = []
    monkeypatch.setattr(recording, "display", things.append)
    return things


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plotting.plt.close("all")


def drawn():
    fig, axis = plotting.figure(width=2)
    axis.plot([0, 1], [1, 0])
    return fig


FRAME = pd.DataFrame({"noise": [0.1, 0.1 + 0.2], "learner": ["hinge", "mean"], "trials": [3, 4]})


def test_without_a_folder_nothing_is_written_and_tables_are_shown(tmp_path, monkeypatch, shown):
    monkeypatch.chdir(tmp_path)
    record = Recorder("tiny")
    record.figure("figure-1", drawn())
    record.table("table-1", FRAME)
    record.table("table-2", FRAME, shown="another layout")
    assert list(tmp_path.iterdir()) == []
    assert shown[0] is FRAME
    assert shown[1] == "another layout"


def test_without_a_folder_a_cell_may_be_run_again(shown):
    record = Recorder("tiny")
    for _ in range(2):
        record.figure("figure-1", drawn())
        record.table("table-1", FRAME)
    assert len(shown) == 2


def test_with_a_folder_a_table_is_shown_too(tmp_path, shown):
    Recorder("tiny", tmp_path).table("table-1", FRAME)
    assert len(shown) == 1
    assert shown[0] is FRAME


def test_every_result_is_a_file_and_is_listed(tmp_path, shown):
    record = Recorder("tiny", tmp_path)
    record.figure("figure-1", drawn())
    record.table("table-1", FRAME)
    assert {path.name for path in tmp_path.iterdir()} == {
        "figure-1.svg",
        "figure-1.png",
        "table-1.csv",
        "results.json",
    }
    assert results(tmp_path) == {
        "paper": "tiny",
        "data": [],
        "figures": ["figure-1"],
        "tables": ["table-1"],
        "measures": [],
    }


def test_the_folder_and_its_parents_are_made(tmp_path):
    Recorder("tiny", str(tmp_path / "a" / "b"))
    assert (tmp_path / "a" / "b" / "results.json").is_file()


def test_recording_sets_the_house_style():
    with plotting.mpl.rc_context({"lines.linewidth": 9.0}):
        Recorder("tiny")
        assert plotting.mpl.rcParams["lines.linewidth"] == plotting.STYLE["lines.linewidth"]


@pytest.mark.parametrize("name", ["figure-1", "table-1.linear.sigma-0.4", "a_b", "7"])
def test_names_of_lower_case_letters_digits_and_joints_pass(name):
    assert publishing.measure_row(name, 1)["claim"] == name


@pytest.mark.parametrize(
    "name", ["", "Figure", "a b", "../a", "a/b", ".a", "a.", "a--b", "a\n", "é", 3, None, ["a"]]
)
def test_other_names_are_refused_everywhere(tmp_path, shown, name):
    record = Recorder("tiny", tmp_path)
    words = "must be lower-case letters and digits joined by '-', '_' or '.', got"
    with pytest.raises(ValueError, match=f"name of a figure {words}"):
        record.figure(name, drawn())
    with pytest.raises(ValueError, match=f"name of a table {words}"):
        record.table(name, FRAME)
    with pytest.raises(ValueError, match=f"claim {words}"):
        publishing.measure_row(name, 1.0)
    with pytest.raises(ValueError, match=f"paper {words}"):
        Recorder(name, tmp_path / "other")
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]
    assert shown == []


def test_what_is_written_is_written_once(tmp_path, shown):
    record = Recorder("tiny", tmp_path)
    record.figure("one", drawn())
    record.table("two", FRAME)
    before = results(tmp_path)
    for name in ("one", "two"):
        with pytest.raises(ValueError, match=f"'{name}' has been recorded already"):
            record.figure(name, drawn())
        with pytest.raises(ValueError, match=f"'{name}' has been recorded already"):
            record.table(name, FRAME)
    assert results(tmp_path) == before


@pytest.mark.parametrize(
    "value",
    [
        np.nan,
        np.inf,
        -np.inf,
        np.float32("nan"),
        "0.5",
        1j,
        np.complex128(1),
        None,
        [1.0],
        np.ones(1),
        10**400,
    ],
)
def test_a_value_that_is_no_finite_number_is_refused(value):
    with pytest.raises(ValueError, match="value of 'claim' must be a finite number, got "):
        publishing.measure_row("claim", value)
    if value is not None:
        with pytest.raises(ValueError, match="stderr of 'claim' must be a finite number, got "):
            publishing.measure_row("claim", 0.0, stderr=value)


def test_a_negative_standard_error_is_refused():
    with pytest.raises(ValueError, match=r"stderr of 'claim' must be >= 0, got -0.1"):
        publishing.measure_row("claim", 1.0, stderr=-0.1)


@pytest.mark.parametrize("item", [np.nan, [1.0, np.inf], {"a": np.nan}, {1, 2}, object(), 1j])
def test_a_context_that_json_does_not_have_is_refused(item):
    with pytest.raises(ValueError, match="trials of 'claim' must be finite numbers and text, got "):
        publishing.measure_row("claim", 1.0, trials=item)


def test_a_row_is_in_the_types_of_json():
    trials = {"a": [1, "b", None, True], "n": np.int64(3)}
    row = publishing.measure_row("claim", 0.25, 0.01, trials=trials, sizes=np.array([1.0, 2.0]))
    assert json.loads(publishing.json_text(row)) == {
        "claim": "claim",
        "value": 0.25,
        "stderr": 0.01,
        "cases": None,
        "dof": None,
        "resolution": None,
        "context": {"trials": {"a": [1, "b", None, True], "n": 3}, "sizes": [1.0, 2.0]},
    }


@pytest.mark.parametrize(
    "value, written",
    [
        (3, "3"),
        (np.int64(3), "3"),
        (np.uint8(3), "3"),
        (0.5, "0.5"),
        (np.float64(0.5), "0.5"),
        (np.float32(0.5), "0.5"),
        (np.array(0.5), "0.5"),
        (True, "1"),
        (np.bool_(False), "0"),
        (-0.0, "0.0"),
        (1 / 3, "0.3333333"),
        (0.1 + 0.2, "0.3"),
        (123456789.987654321, "123456800.0"),
        (123456789.000000001, "123456789.0"),
        (-1.23456789012e-20, "-1.234568e-20"),
        (10**15 + 1, "1000000000000001"),
    ],
)
def test_numbers_are_written_with_seven_digits_and_truths_as_one_and_zero(value, written):
    assert publishing.json_text(publishing.measure_row("claim", value)["value"]) == written


@given(st.floats(-1e300, 1e300))
def test_rounding_keeps_seven_digits_and_is_done_once(number):
    rounded = publishing.plain(number)
    assert abs(rounded - number) <= 0.5000001e-6 * abs(number) + 5e-324
    assert publishing.plain(rounded) == rounded
    assert np.signbit(rounded) == (rounded < 0)


@pytest.mark.parametrize(
    "value, written, said",
    [
        (3.3e-16, "0.0", "below 1e-09"),
        (0.0, "0.0", "below 1e-09"),
        (-4e-10, "0.0", "below 1e-09"),
        (3.205407834e-09, "3e-09", "3e-09"),
        (-0.25, "-0.25", "-0.25"),
    ],
)
def test_a_residual_is_a_multiple_of_what_can_be_told_apart(value, written, said):
    row = publishing.measure_row("claim", value, resolution=1e-9)
    assert publishing.json_text(row["value"]) == written
    assert publishing.in_words(row) == said


@pytest.mark.parametrize("resolution", [0.0, -1e-9])
def test_a_resolution_is_positive(resolution):
    with pytest.raises(ValueError, match="resolution must be > 0"):
        publishing.measure_row("claim", 1.0, resolution=resolution)


def test_the_spread_of_equal_numbers_is_zero():
    assert publishing.measure_row("claim", 1.004, stderr=5.1e-17)["stderr"] == 0.0


def test_a_table_is_the_frame_without_its_row_numbers(tmp_path, shown):
    Recorder("tiny", tmp_path).table("table-1", FRAME)
    assert (tmp_path / "table-1.csv").read_bytes() == b"noise,learner,trials\n0.1,hinge,3\n0.3,mean,4\n"


def test_every_float_of_a_table_has_seven_digits_wherever_it_stands(tmp_path, shown):
    third, unrounded = 1 / 3, 0.1 + 0.2
    frame = pd.DataFrame(
        {
            "float": [-0.0, third],
            "object": pd.Series([unrounded, "text"], dtype=object),
            "category": pd.Categorical([third, unrounded]),
            "missing": [None, unrounded],
            "whole": pd.array([1, None], dtype="Int64"),
            unrounded: ["a,b", 'c"d'],
        }
    )
    Recorder("tiny", tmp_path).table("table-1", frame)
    assert (tmp_path / "table-1.csv").read_text().splitlines() == [
        "float,object,category,missing,whole,0.3",
        '0,0.3,0.3333333,,1,"a,b"',
        '0.3333333,text,0.3,0.3,,"c""d"',
    ]


@pytest.mark.parametrize("frame", [None, [[1]], {"a": [1]}, np.ones((1, 1)), pd.Series([1.0])])
def test_a_table_that_is_no_frame_is_named(tmp_path, shown, frame):
    words = rf"table 'table-1' must be a pandas DataFrame, got {type(frame).__name__}"
    with pytest.raises(ValueError, match=words):
        Recorder("tiny", tmp_path).table("table-1", frame)
    assert shown == []


def test_an_index_that_csv_would_lose_is_named(tmp_path, shown):
    indexed = FRAME.rename_axis("row")
    with pytest.raises(ValueError, match=r"has the index .*row.*: reset_index"):
        Recorder("tiny", tmp_path).table("table-1", indexed)


def test_a_figure_that_is_none_is_named():
    _, axis = plotting.figure()
    with pytest.raises(ValueError, match="figure 'figure-1' must be a matplotlib Figure, got Axes"):
        Recorder("tiny").figure("figure-1", axis)


def test_a_data_set_is_listed_once_and_handed_back(tmp_path):
    record = Recorder("tiny", tmp_path)
    cancer = datasets.load("breast_cancer")
    assert record.dataset(cancer) is cancer
    record.dataset(cancer)
    assert results(tmp_path)["data"] == [
        {
            "name": "breast_cancer",
            "sha256": cancer.sha256,
            "shape": [569, 30],
        }
    ]


def test_results_are_whole_after_every_addition(tmp_path, shown):
    record = Recorder("tiny", tmp_path)
    for i in range(5):
        record.table(f"table-{i}", FRAME)
        text = (tmp_path / "results.json").read_bytes().decode("utf-8")
        assert text.endswith("}\n")
        assert len(json.loads(text)["tables"]) == i + 1
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]


PROGRAM = """
import sys
import pandas as pd
from paperlib.experiments import plotting
from paperlib.experiments.recording import Recorder

record = Recorder("tiny", sys.argv[1])
fig, axis = plotting.figure()
axis.plot([0, 1], [1, 0], label="a")
axis.legend()
record.figure("figure-1", fig)
record.table("table-1", pd.DataFrame({name: [1 / 3] for name in ("b", "a")}))
"""


@pytest.mark.slow
@pytest.mark.x86_64
def test_two_processes_write_the_same_bytes(tmp_path):
    for seed in ("1", "2"):
        printed("-c", PROGRAM, tmp_path / seed, PYTHONHASHSEED=seed)
    one, two = ({path.name: path.read_bytes() for path in (tmp_path / seed).iterdir()} for seed in "12")
    assert len(one) == 4
    assert one == two


@pytest.mark.parametrize("as_text", [True, False])
def test_a_folder_that_is_a_file_is_named_and_kept(tmp_path, as_text):
    file = tmp_path / "file"
    file.write_text("mine")
    with pytest.raises(ValueError, match=r"out_dir must be a folder, got the file '.*file'"):
        Recorder("tiny", str(file) if as_text else file)
    with pytest.raises(OSError, match="Not a directory"):
        Recorder("tiny", file / "below")
    assert file.read_text() == "mine"


ADDITIONS = {
    "figure": lambda record: record.figure("figure-2", drawn()),
    "table": lambda record: record.table("table-2", FRAME),
    "dataset": lambda record: record.dataset(datasets.load("digits")),
}


@pytest.mark.parametrize("what", ADDITIONS)
def test_a_disk_that_is_full_leaves_the_results_and_lets_one_try_again(tmp_path, monkeypatch, shown, what):
    record = Recorder("tiny", tmp_path)
    before = (tmp_path / "results.json").read_bytes()
    with full_disk(monkeypatch):
        ADDITIONS[what](record)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"results.json": before}

    ADDITIONS[what](record)
    kind = {"dataset": "data"}.get(what, f"{what}s")
    assert len(results(tmp_path)[kind]) == 1


def test_a_read_only_folder_leaves_the_results(tmp_path, monkeypatch, shown):
    record = Recorder("tiny", tmp_path)
    before = (tmp_path / "results.json").read_bytes()

    def read_only(*args, **kwargs):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(tmp_path))

    # Root may write everywhere, so the refusal is feigned.
    monkeypatch.setattr(files.tempfile, "mkstemp", read_only)
    with pytest.raises(PermissionError, match="Permission denied"):
        record.table("table-1", FRAME)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"results.json": before}
    assert shown == []

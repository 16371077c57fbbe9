"""A paper that measures from tables: what `Recorder.table` measures, and what `Recorder.show` shows."""

import pandas as pd
import pytest

from paperlib.experiments import claims, recording, steps
from paperlib.experiments.claim_table import ClaimTable
from paperlib.experiments.recording import Recorder
from paperlib.experiments.steps import step
from tests.paperlib.experiments.helpers import full_disk, results, toys

LEDGER = """
[[claim]]
id = "lemma-1.size"
where = "Lemma 1"
says = "no more than 2"
kind = "bound"
paper = 2
shown = "sizes"

[[claim]]
id = "lemma-1.n"
where = "Lemma 1"
says = "as many for any n"
kind = "exact"
paper = 0
tolerance = 0.1

[[claim]]
id = "remark"
where = "Remark"
says = "on the full data, too"
kind = "order"
needs = "full data"
"""
MEASURES = """
from paperlib.experiments.verbs import largest, mean


def lemma_1_size(first_sizes):
    return largest(first_sizes["size"])


def lemma_1_n(first_sizes, slopes):
    return mean(slopes.slope) - 0.0 * len(first_sizes)


def remark(of_full_data):
    return mean(of_full_data.gap)
"""


@step
def table(**columns):
    return pd.DataFrame(columns)


@pytest.fixture
def sizes():
    return table(size=[1.00000012, 2.00000012])


@pytest.fixture
def slopes():
    return table(slope=[0.01, 0.03])


@pytest.fixture
def displayed(monkeypatch):
    things = []
    monkeypatch.setattr(recording, "display", things.append)
    return things


@pytest.fixture(autouse=True)
def toy(tmp_path_factory, monkeypatch):
    """The paper `toy`."""
    monkeypatch.setenv(steps.FOLDER, "")  # the tables' step is kept nowhere
    with toys(tmp_path_factory.mktemp("toys"), monkeypatch) as write:
        write(MEASURES, LEDGER)
        yield


def test_a_claim_is_measured_as_soon_as_its_tables_are_published(tmp_path, displayed, sizes, slopes):
    record = Recorder("toy", tmp_path)
    record.table("slopes", slopes)
    assert results(tmp_path)["measures"] == []
    record.table("first-sizes", sizes)
    size, n = results(tmp_path)["measures"]  # in the ledger's order
    assert (size["claim"], size["value"], size["cases"]) == ("lemma-1.size", 2.0, 2)
    assert (n["claim"], n["value"], n["stderr"], n["dof"]) == ("lemma-1.n", 0.02, 0.01, 1)
    assert results(tmp_path)["measures"] == claims.of("toy").rows(claims.Folder(tmp_path))


def test_without_a_folder_a_table_made_again_is_measured_again(displayed):
    record = Recorder("toy")
    for largest in (2.0, 7.0):
        record.table("first-sizes", table(size=[largest]))
        record.show("lemma-1.size")
    assert [each.rows()[0][3] for each in displayed[1::2]] == ["2 (1 case)", "7 (1 case)"]


def test_claims_are_shown_with_what_came_out(tmp_path, displayed, sizes, slopes):
    record = Recorder("toy", tmp_path)
    record.table("first-sizes", sizes)
    record.show("sizes")
    record.table("slopes", slopes)
    record.show("lemma-1", "remark")
    one, both = displayed[1], displayed[3]
    assert isinstance(one, ClaimTable)
    assert one.rows() == [("Lemma 1: no more than 2", "", "at most 2", "2 (2 cases)", "reproduced")]
    assert [row[3:] for row in both.rows()] == [
        ("2 (2 cases)", "reproduced"),
        ("0.02 ± 0.01 (2 cases)", "inconclusive"),
        ("needs full data", "not run"),
    ]
    assert both._repr_mimebundle_()[1] == {"reproduce": {"show": ["lemma-1", "remark"]}}


def test_what_cannot_be_shown_is_an_error_and_shows_nothing(displayed, sizes):
    record = Recorder("toy")
    record.table("first-sizes", sizes)
    with pytest.raises(
        ValueError, match=r"claim 'lemma-1\.n' is measured from the table slopes: record that"
    ):
        record.show("lemma-1")
    with pytest.raises(ValueError, match="no claim of the ledger belongs to 'lemma-2'"):
        record.show("lemma-2")
    with pytest.raises(ValueError, match="the claims of tiny are not measured from tables"):
        Recorder("tiny").show("lemma-1")
    assert len(displayed) == 1


def test_a_measure_that_fails_leaves_no_table(tmp_path, displayed, sizes, slopes):
    record = Recorder("toy", tmp_path)
    with pytest.raises(KeyError, match="size"):
        record.table("first-sizes", slopes)
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]
    record.table("first-sizes", sizes)
    assert results(tmp_path)["tables"] == ["first-sizes"]


def test_a_disk_that_is_full_leaves_the_measures_too(tmp_path, displayed, monkeypatch, sizes):
    record = Recorder("toy", tmp_path)
    with full_disk(monkeypatch):
        record.table("first-sizes", sizes)
    assert results(tmp_path)["measures"] == []
    record.table("first-sizes", sizes)
    assert len(results(tmp_path)["measures"]) == 1


def changed(frame):
    """Tables with the numbers of a step's, none of them what it returned."""
    return [frame.copy(), frame[:], frame.assign(size=frame["size"]), pd.DataFrame(frame)]


def test_a_table_that_no_step_returned_is_refused(tmp_path, displayed, sizes):
    record = Recorder("toy", tmp_path)
    for frame in changed(sizes):
        words = "table 'first-sizes' must be what a step returned, unchanged: change it in the step, or give"
        with pytest.raises(ValueError, match=words):
            record.table("first-sizes", frame)
    assert displayed == [] and [path.name for path in tmp_path.iterdir()] == ["results.json"]
    assert results(tmp_path)["tables"] == results(tmp_path)["measures"] == []
    shown = sizes.round()
    record.table("first-sizes", sizes, shown=shown)
    assert displayed[0] is shown and results(tmp_path)["measures"][0]["value"] == 2.0


def test_a_reader_is_told_the_same_as_the_driver(displayed, sizes):
    with pytest.raises(ValueError, match="must be what a step returned"):
        Recorder("toy").table("first-sizes", sizes.copy())


def test_a_table_in_what_a_step_returned_will_do(displayed):
    @step
    def both():
        return {"sizes": pd.DataFrame({"size": [7.0]}), "more": [pd.DataFrame({"slope": [0.0, 0.0]})]}

    record, found = Recorder("toy"), both()
    record.table("first-sizes", found["sizes"])
    record.table("slopes", found["more"][0])
    record.show("lemma-1.size")
    assert displayed[-1].rows()[0][3] == "7 (1 case)"


def test_where_nothing_is_measured_from_tables_any_table_will_do(tmp_path, displayed, sizes):
    Recorder("tiny", tmp_path).table("first-sizes", sizes.copy())
    assert results(tmp_path)["tables"] == ["first-sizes"]


def test_the_output_of_a_cell_bears_its_metadata():
    from IPython.core.formatters import DisplayFormatter

    record = Recorder("toy")
    table = ClaimTable(record._measures.claims, {}, ("lemma-1",))
    content, metadata = DisplayFormatter().format(table)
    assert set(content) == {"text/plain", "text/html"}
    assert metadata == {"reproduce": {"show": ["lemma-1"]}}

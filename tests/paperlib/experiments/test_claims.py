"""Measures from published tables: which function is which claim's, and what is read."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from paperlib.experiments import claims, publishing
from paperlib.experiments.verbs import Measured
from tests.paperlib.experiments.helpers import toys
from tests.papers import PAPERS
from tests.programs import printed

ROOT = Path(__file__).resolve().parents[3]

LEDGER = """
[[claim]]
id = "lemma-1.size"
where = "Lemma 1"
says = "no more than 2"
kind = "bound"
paper = 2
corrected = {says = "no more than 9", paper = 9}

[[claim]]
id = "table-1"
where = "Table 1"
says = "it falls"
kind = "order"

[[claim]]
id = "remark"
where = "Remark"
says = "it is fast"
kind = "order"
checkable = false
reason = "no number"
"""
MEASURES = """
import numpy as np
import pandas as pd

from paperlib.experiments.verbs import Measured, largest, mean


def lemma_1_size(big_sizes):
    return largest(big_sizes["size"], resolution=1e-3)


def lemma_1_size_corrected(big_sizes, falls):
    return largest(pd.concat([big_sizes["size"], falls.by]))


def table_1(falls):
    return mean(falls.by) - _nothing()


def _nothing():
    return 0.0
"""
SIZES = pd.DataFrame({"size": [1, 3]})
FALLS = pd.DataFrame({"by": [1 / 3, 1 / 3, 1 / 3]})
TABLES = {"big-sizes": SIZES, "falls": FALLS}


@pytest.fixture
def toy(tmp_path, monkeypatch):
    with toys(tmp_path, monkeypatch) as write:
        yield lambda measures=MEASURES, ledger=LEDGER: write(measures, ledger)


@pytest.fixture
def published(tmp_path):
    folder = tmp_path / "figures"
    folder.mkdir()
    for name, frame in TABLES.items():
        (folder / f"{name}.csv").write_text(publishing.table_text(frame))
    return folder


def test_measures_come_in_the_ledgers_order_from_tables_or_from_their_files(toy, published):
    toy()
    expected = {
        "lemma-1.size": Measured(3.0, None, 2, None, 1e-3),
        "lemma-1.size.corrected": Measured(3.0, None, 5),
        "table-1": Measured(0.3333333, 0.0, 3, 2),
    }
    for tables in (TABLES, published, str(published)):
        found = claims.measured("toy", tables)
        assert found == expected
        assert list(found) == list(expected)


def test_a_claim_without_its_tables_is_not_measured(toy, published):
    toy()
    assert list(claims.measured("toy", {"big-sizes": SIZES})) == ["lemma-1.size"]
    (published / "big-sizes.csv").unlink()
    assert list(claims.measured("toy", published)) == ["table-1"]
    assert claims.of("toy").lacking("lemma-1.size.corrected", ["falls"]) == ["big_sizes"]
    assert claims.of("toy").lacking("remark", []) == []


def test_a_table_is_read_once_and_only_where_it_is_needed(toy, published, monkeypatch):
    toy()
    (published / "other.csv").write_bytes(b"\xff not a table")
    read, files = publishing.read_table, []
    monkeypatch.setattr(publishing, "read_table", lambda path: files.append(path.name) or read(path))
    claims.measured("toy", published)
    assert sorted(files) == ["big-sizes.csv", "falls.csv"]


def test_an_edited_table_changes_what_reads_it_and_nothing_else(toy):
    toy()
    measures = claims.of("toy")
    before = measures.rows(TABLES)
    tables = TABLES | {"falls": FALLS.assign(by=[1.0, 2.0, 60.0])}
    after = measures.updated(before, "falls", tables)
    assert [row["claim"] for row in after] == [row["claim"] for row in before]
    assert [row["value"] for row in after] == [3.0, 60.0, 21.0]
    assert after[0] is before[0]


def test_functions_of_modules_beside_it_count_and_imported_verbs_do_not(toy):
    folder = toy(MEASURES.partition("def table_1")[0])
    rest = "from paperlib.experiments.verbs import mean\n\ndef table_1(falls):\n    return mean(falls.by)"
    (folder / "claims_of_tables.py").write_text(rest)
    assert list(claims.of("toy").by_id) == ["lemma-1.size", "lemma-1.size.corrected", "table-1"]
    (folder / "claims_twice.py").write_text(rest)
    with pytest.raises(ValueError, match=r"claims_of_tables and .*claims_twice both measure table_1"):
        claims.of("toy")


def test_what_the_ledger_has_no_row_for_is_an_error(toy):
    toy("def table_2(falls):\n    return 3")
    words = r"toy\.claims\.table_2 has the name of no claim in the ledger: did you mean table_1\?"
    with pytest.raises(ValueError, match=words):
        claims.of("toy")


def test_two_claims_of_one_name_are_an_error(toy):
    toy(ledger=LEDGER.replace("remark", "table_1"))
    with pytest.raises(ValueError, match="the claims table-1 and table_1 would both be called table_1"):
        claims.of("toy")


def test_two_tables_of_one_name_are_an_error(toy):
    toy()
    with pytest.raises(ValueError, match="the tables falls-1 and falls_1 would both be called falls_1"):
        claims.measured("toy", {"falls-1": FALLS, "falls_1": FALLS})


@pytest.mark.parametrize("parameters", ["falls, eps=0.1", "*falls", "*, falls"])
def test_a_measure_takes_nothing_but_tables(toy, parameters):
    toy(f"def table_1({parameters}):\n    return 3")
    with pytest.raises(ValueError, match=r"table_1 takes published tables and nothing else, got"):
        claims.of("toy")


@pytest.mark.parametrize(
    "body, error, message",
    [
        ("return 0.5", TypeError, "a measure returns what a verb made, got float"),
        ("return falls.no_such_column", AttributeError, "no_such_column"),
    ],
)
def test_a_measure_that_fails_is_named(toy, body, error, message):
    toy(f"def table_1(falls):\n    {body}")
    with pytest.raises(error, match=message) as caught:
        claims.measured("toy", TABLES)
    [note] = caught.value.__notes__
    assert note.endswith("toy.claims.table_1, the measure of claim 'table-1'")


def test_a_number_that_cannot_be_published_is_named(toy):
    toy(MEASURES.replace("mean(falls.by)", "largest([np.inf])"))
    with pytest.raises(ValueError, match="value of 'table-1' must be a finite number, got inf"):
        claims.measured("toy", TABLES)


def test_papers_that_measure_otherwise_are_told_apart(tmp_path, monkeypatch):
    assert claims.of("no_such_paper") is None
    with pytest.raises(ValueError, match=r"no_such_paper has no paperlib.experiments.no_such_paper.claims"):
        claims.measured("no_such_paper", tmp_path)


def test_a_copy_without_the_ledger_says_so(toy, tmp_path):
    toy()
    (tmp_path / "toy.toml").unlink()
    with pytest.raises(ValueError, match=r"statements of reproduce/claims/toy\.toml, which is not beside"):
        claims.of("toy")


def test_tables_lie_in_a_folder(toy, tmp_path):
    toy()
    with pytest.raises(ValueError, match=r"published tables lie in a folder, which .*toy.toml' is not"):
        claims.measured("toy", tmp_path / "toy.toml")


def test_the_command_prints_rows_of_results_json(toy, published, capsys):
    toy()
    assert claims.main(["toy", str(published), "no_such_paper", "."]) == 0
    found = json.loads(capsys.readouterr().out)
    rows = claims.of("toy").rows(TABLES)
    nothing = {"measures": [], "shown": []}
    assert found == {str(published): {"measures": rows, "shown": []}, ".": nothing}
    assert rows[2] == {
        "claim": "table-1",
        "value": 0.3333333,
        "stderr": 0.0,
        "cases": 3,
        "dof": 2,
        "resolution": None,
        "context": {},
    }


def test_the_command_prints_what_a_notebook_shows_now(toy, published, capsys):
    toy()
    (published / "falls.csv").unlink()
    names = [["remark", "lemma-1"], ["table-1"]]
    outputs = [{"output_type": "display_data", "metadata": {"reproduce": {"show": each}}} for each in names]
    others = [{"output_type": "stream", "text": []}, {"metadata": None}, {"metadata": {"reproduce": {}}}]
    cells = [{"cell_type": "markdown"}, {"outputs": [*others, *outputs]}, {"outputs": outputs[:1]}]
    (published / "notebook.ipynb").write_text(json.dumps({"cells": cells}))
    assert claims.main(["toy", str(published)]) == 0
    shown = json.loads(capsys.readouterr().out)[str(published)]["shown"]
    assert [each for each, _ in shown] == names
    assert all(data.keys() == {"text/plain", "text/html"} for _, data in shown)
    both, falls = (data["text/plain"].splitlines() for _, data in shown)
    assert both == [
        "Lemma 1: no more than 2",
        "    expected: at most 2 | here: 3 (2 cases) | verdict: differs",
        "corrected: no more than 9",
        "    expected: at most 9",
        "Remark: it is fast",
        "    expected: more than 0 | verdict: not checkable",
    ]
    assert falls == ["Table 1: it falls", "    expected: more than 0 | verdict: not run"]


@pytest.mark.parametrize("arguments", [[], ["toy"]])
def test_the_command_says_how_it_is_called(capsys, arguments):
    assert claims.main(arguments) == 2
    assert capsys.readouterr().err.startswith("usage: ")


def test_the_command_says_which_measure_failed(toy, published, capsys):
    toy("def table_1(falls):\n    return falls.no_such_column")
    assert claims.main(["toy", str(published)]) == 0
    found = json.loads(capsys.readouterr().out)[str(published)]
    assert found["errors"]["table-1"].startswith("AttributeError: ")
    assert "claim 'table-1'" in found["errors"]["table-1"]
    assert found["measures"] == []


def test_measuring_loads_nothing_that_takes_seconds():
    program = (
        "import sys, paperlib.experiments.claims\n"
        "print([n for n in ('IPython', 'matplotlib', 'numba', 'scipy', 'sklearn') if n in sys.modules])"
    )
    assert printed("-c", program) == "[]\n"


# Publishing


def test_a_table_that_is_read_again_has_the_numbers_that_are_published():
    frame = pd.DataFrame(
        {
            "share": [1 / 3, np.nan, np.inf],
            "cases": [2**40 + 1, 2, 3],
            "held": [True, False, True],
            "learner": ["None", "NA", "nan"],
            "noise": pd.Categorical([0.1, 0.1 + 0.2, 0.1]),
        }
    )
    read = publishing.read_table(publishing.table_text(frame))
    expected = pd.DataFrame(
        {
            "share": [0.3333333, np.nan, np.inf],
            "cases": [2**40 + 1, 2, 3],
            "held": [True, False, True],
            "learner": ["None", "NA", "nan"],
            "noise": [0.1, 0.3, 0.1],
        }
    )
    pd.testing.assert_frame_equal(read, expected, check_dtype=False)
    assert read.held.dtype == bool and read.cases.dtype.kind == "i"
    assert publishing.table_text(read) == publishing.table_text(frame)


@pytest.mark.parametrize("folder", ["figures", "figures/full"])
@pytest.mark.parametrize("paper", PAPERS)
def test_what_is_committed_is_measured_from_the_committed_tables(paper, folder):
    results = json.loads((ROOT / folder / paper / "results.json").read_text())
    rows = claims.of(paper).rows(claims.Folder(ROOT / folder / paper))
    assert json.loads(publishing.json_text(rows)) == results["measures"] != []

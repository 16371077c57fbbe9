"""The table of a sweep, and its Parquet: columns have the types of their values, whatever is missing."""

import io
from types import SimpleNamespace

import pytest

from reproduce.scoring.ledger import Claim, Statement
from reproduce.sweeps import table

HEADER = ["n", "exact", "rate", "sizes", "mixed", *table.MEASURED]


def row(n, exact, rate, sizes, mixed, value, stderr, cases, verdict="reproduced"):
    says = verdict and "at most 2"
    return [n, exact, rate, sizes, mixed, "lemma-1", value, stderr, cases, verdict, says, "points/n=1"]


@pytest.fixture(params=["pyarrow", "fastparquet"])
def read_back(request):
    """A function that writes a table and returns it as another program reads it."""
    pytest.importorskip(request.param)
    import pandas as pd

    return lambda rows: pd.read_parquet(
        io.BytesIO(table.as_parquet(HEADER, rows, request.param)), engine=request.param
    )


def test_counts_are_whole_numbers_where_some_are_missing(read_back):
    rows = [
        row(1, True, 0.1, [1, 2], 1, 0.5, None, 7),
        row(None, None, None, [3], "a", None, 0.1, None, None),
    ]
    frame = read_back(rows)
    kinds = {name: frame[name].dtype.kind for name in HEADER}
    assert [kinds[name] for name in ("n", "cases", "exact", "rate", "value", "stderr")] == list("iibfff")
    assert frame["cases"].sum() == 7 and frame["cases"].isna().tolist() == [False, True]
    assert frame["n"][0] == 1 and frame["n"].isna().tolist() == [False, True]
    assert frame["exact"].isna().tolist() == [False, True]
    assert frame["sizes"].tolist() == ["[1, 2]", "[3]"] and frame["mixed"].tolist() == ["1", "a"]
    assert frame["verdict"][0] == "reproduced" and frame["verdict"].isna().tolist() == [False, True]


def test_all_of_a_column_may_be_missing(read_back):
    frame = read_back([row(1, True, 0.1, [], "a", 0.5, None, None, None)])
    assert (frame["cases"].dtype.kind, frame["stderr"].dtype.kind) == ("i", "f")
    assert frame[["cases", "stderr", "verdict"]].isna().all(axis=None)


def test_a_number_that_one_point_gives_as_a_float_is_one(read_back):
    rows = [row(1, True, 0.1, [], "a", 1, 0, 7), row(2, False, 0.2, [], "a", 0.5, 0.1, 7.5)]
    frame = read_back(rows)
    assert frame["value"].tolist() == [1.0, 0.5] and frame["cases"].tolist() == [7.0, 7.5]


def test_a_corrected_statement_has_its_own_verdict():
    printed, corrected = (Statement(f"no more than {n}", "bound", float(n)) for n in (1, 2))
    claim = Claim("lemma-1", "Lemma 1", printed, corrected=corrected)
    run = SimpleNamespace(name="n=1")
    grid = SimpleNamespace(names=("n",), points=[(1,)])
    sweep = SimpleNamespace(grid=grid, runs=[run], links=lambda: {"n=1": "points/n=1"})
    measures = [{"claim": name, "value": 1.5} for name in ("lemma-1", "lemma-1.corrected")]
    _, rows = table.measured(sweep, {"n=1": {"measures": measures}}, [claim])
    assert [row[5:7] for row in rows] == [["corrected", "no more than 1"], ["reproduced", "no more than 2"]]

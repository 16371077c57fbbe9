"""`docs/data.md` says of each data set where it comes from and what its licence is."""

import re
from pathlib import Path

import pytest

from paperlib.experiments.datasets import _BUNDLED, _FULL

BUNDLED, FULL = (
    (Path(__file__).resolve().parents[2] / "docs" / "data.md").read_text().split("## The papers' own")
)
OWNERS = [(BUNDLED, _BUNDLED), (FULL, _FULL)]


@pytest.mark.parametrize(("text", "entries"), OWNERS, ids=["bundled", "full"])
def test_each_data_set_has_a_row_with_its_source_and_licence(text, entries):
    rows = {}
    for line in re.findall(r"^\| `\w+` \|.*$", text, re.M):
        name, *columns = (column.strip() for column in line.strip("|").split(" | "))
        rows[name.strip(" `")] = columns
    assert set(rows) == set(entries)
    for name, columns in rows.items():
        assert len(columns) >= 3 and all(columns), name
        package, openml = entries[name].package, entries[name].openml
        assert package is None or package in columns[1], name
        assert openml is None or f"OpenML {openml}" in " ".join(columns), name

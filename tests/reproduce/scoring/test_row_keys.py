"""Keys of rows: what makes evidence old."""

import dataclasses

from reproduce.paths import Project
from reproduce.scoring import row_keys
from reproduce.scoring.ledger import load_ledger


def test_a_field_that_is_newer_than_evidence_leaves_keys_as_they_were():
    claim = load_ledger(Project().claims / "coresets.toml")[0]
    before = {f.name: getattr(claim, f.name) for f in dataclasses.fields(claim) if f.name != "pooled"}
    older = dataclasses.make_dataclass("Older", list(before))(**before)
    assert row_keys.of_statement(claim) == row_keys.of_statement(older)
    assert row_keys.of_statement(claim) != row_keys.of_statement(dataclasses.replace(claim, pooled=False))
    assert row_keys.of_statement(claim) != row_keys.of_statement(dataclasses.replace(claim, trivial=7.0))
    assert row_keys.of_statement(claim) == row_keys.of_statement(dataclasses.replace(claim, reason="other"))

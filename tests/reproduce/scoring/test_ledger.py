"""Ledgers as the driver reads them; their form is tested with `paperlib.experiments.ledger`."""

import pytest

from reproduce.errors import InvalidLedger
from reproduce.scoring import ledger


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[claim]]\nid = 'a'", "claim 1 (a): `where` is missing"),
        ("[[claim", "Expected"),
        (f"{'a.' * 101}b = 1", "nested too deeply"),
    ],
)
def test_a_mistake_is_an_error_of_the_driver(tmp_path, text, says):
    path = tmp_path / "alpha.toml"
    path.write_text(text)
    with pytest.raises(InvalidLedger) as caught:
        ledger.load_ledger(path)
    assert str(caught.value).startswith("alpha.toml") and says in str(caught.value)
    assert caught.value.exit_code == 2

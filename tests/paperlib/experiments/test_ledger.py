import pytest

from paperlib.experiments import ledger
from paperlib.experiments.ledger import InvalidLedger

ROW = {"id": '"a"', "where": '"Table 1"', "says": '"0.5"', "kind": '"value"', "paper": "0.5"}


@pytest.fixture
def load(tmp_path):
    def load(*rows, text=""):
        for row in rows:
            text += "[[claim]]\n" + "".join(f"{k} = {v}\n" for k, v in row.items() if v is not None)
        path = tmp_path / "alpha.toml"
        path.write_text(text)
        return ledger.load(path)

    return load


def test_a_whole_row(load):
    correction = '{says = "2x", paper = 1.0, sense = "at least", kind = "bound", counterexample = "n = 3"}'
    row = ROW | {
        "tolerance": "0.01",
        "paper_stderr": 0,
        "reason": '"r"',
        "needs": '"full"',
        "shown": '"table-1"',
        "corrected": correction,
    }
    [claim] = load(row)
    assert claim.statement == ledger.Statement("0.5", "value", 0.5, 0, 0.01)
    assert claim.corrected == ledger.Statement("2x", "bound", 1.0, 0, 0.01, "at least")
    assert (claim.counterexample, claim.reason, claim.needs) == ("n = 3", "r", "full")
    assert claim.shown == "table-1"
    assert ledger.known_ids([claim]) == ["a", "a.corrected"]


def test_the_counterexample_may_stand_in_the_row(load):
    [claim] = load(ROW | {"corrected": '{says = "x"}', "counterexample": '"n = 3"'})
    assert claim.counterexample == "n = 3"
    with pytest.raises(InvalidLedger, match="goes with `corrected`"):
        load(ROW | {"counterexample": '"n = 3"'})


def test_defaults(load):
    [claim] = load({k: v for k, v in ROW.items() if k != "paper"} | {"kind": '"order"'})
    assert claim == ledger.Claim("a", "Table 1", ledger.Statement("0.5", "order"))


def test_what_was_found_instead_on_any_data_or_on_each(load):
    [any_, each] = load(
        ROW | {"reason": '"r"', "found": "[2, 0.1]"},
        ROW | {"id": '"b"', "reason": '"r"', "found": "{bundled = [2, 0.1], full = [3, 0]}"},
    )
    assert any_.found_on("full") == any_.found_on("bundled") == each.found_on("bundled") == (2, 0.1)
    assert each.found_on("full") == (3, 0)


def test_an_empty_ledger(load):
    assert load() == []


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"id": None}, "alpha.toml, claim 1: `id` is missing"),
        ({"where": None}, "claim 1 (a): `where` is missing"),
        ({"says": None}, "`says` is missing"),
        ({"kind": None}, "`kind` is missing"),
        ({"paper": None}, "a value needs `paper`"),
        ({"kind": '"bounds"'}, "unknown kind 'bounds': did you mean bound?"),
        ({"tolerence": 1}, "unknown field 'tolerence': did you mean tolerance?"),
        ({"tolerance": -0.1}, "tolerance must be >= 0"),
        ({"paper_stderr": -1}, "paper_stderr must be >= 0"),
        ({"paper": '"0.5"'}, "paper must be a finite number"),
        ({"paper": "true"}, "paper must be a finite number"),
        ({"paper": "nan"}, "paper must be a finite number"),
        ({"tolerance": "inf"}, "tolerance must be a finite number"),
        ({"id": 3}, "id must be a str"),
        ({"id": '" "'}, "id is empty"),
        ({"sense": '"less"'}, "sense is 'at most' or 'at least'"),
        ({"checkable": "false"}, "checkable = false needs a reason"),
        ({"reason": '"r"'}, "a reason why it differs goes with found = [value, stderr]"),
        ({"found": "[1, 0]"}, "a reason why it differs goes with found"),
        ({"reason": '"r"', "found": "1.0"}, "found must be [value, stderr], or bundled = and full = such"),
        ({"reason": '"r"', "found": "[1.0]"}, "found must be [value, stderr]"),
        ({"reason": '"r"', "found": "[nan, 0]"}, "found must be [value, stderr]"),
        ({"reason": '"r"', "found": "[1, -1]"}, "found must be [value, stderr]"),
        ({"reason": '"r"', "found": "{fulll = [1, 0]}"}, "found must be [value, stderr]"),
        ({"checkable": '"no"'}, "checkable must be a bool"),
        ({"corrected": '"x"'}, "corrected must be a dict"),
        ({"corrected": "{}"}, "corrected: `says` is missing"),
        ({"corrected": '{says = "x", papers = 1}'}, "corrected: unknown field 'papers': did you mean paper?"),
        ({"corrected": '{says = "x", kind = "x"}'}, "corrected: unknown kind 'x'"),
    ],
)
def test_a_mistake_names_the_file_and_the_row(load, change, says):
    with pytest.raises(InvalidLedger) as caught:
        load(ROW | change)
    assert str(caught.value).startswith("alpha.toml, claim 1")
    assert says in str(caught.value)


@pytest.mark.parametrize("other", ["a", "a.corrected"])
def test_duplicate_ids(load, other):
    with pytest.raises(InvalidLedger, match=r"claim 2 .* is that of claim 1 too"):
        load(ROW | {"corrected": '{says = "x"}'}, ROW | {"id": f'"{other}"'})


@pytest.mark.parametrize("text", ["claim = 3", "[[claim", "[[claims]]\n", "claim = [3]", "[claim]\nid = 'a'"])
def test_not_a_ledger(load, text):
    with pytest.raises(InvalidLedger, match=r"^alpha\.toml"):
        load(text=text)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InvalidLedger, match=r"^beta\.toml: .*No such file"):
        ledger.load(tmp_path / "beta.toml")

"""The tool that makes mutants: its changes are changes, and a test session with one is run on it."""

import ast
import csv
import json

import pytest

from tests import mutants

DRAWN = mutants.draw(60, 3)


def test_a_draw_is_the_same_again_and_has_every_subpackage():
    assert mutants.draw(60, 3) == DRAWN != mutants.draw(60, 4)
    assert {mutant["part"] for mutant in DRAWN} == set(mutants.PARTS)
    assert len(DRAWN) == 60


@pytest.mark.parametrize("mutant", DRAWN[::5], ids=lambda mutant: f"{mutant['kernel']}-{mutant['place']}")
def test_a_mutant_is_one_change_and_every_line_keeps_its_number(mutant):
    before, after = (mutants.ROOT / mutant["file"]).read_text(), mutants.mutated(mutant)
    lines = list(zip(before.split("\n"), after.split("\n"), strict=True))
    changed = [number for number, (one, other) in enumerate(lines, 1) if one != other]
    assert changed[0] == mutant["line"]
    assert ast.dump(ast.parse(before)) != ast.dump(ast.parse(after))


def test_kinds_of_changes():
    text = "a < b; a + b; a and b; not a; True; 3; 0.5; a[i] += 1"
    found = [
        [(kind, ast.unparse(node)) for kind, node in mutants.changes(n)] for n in ast.walk(ast.parse(text))
    ]
    assert sorted(pair for pairs in found for pair in pairs) == [
        ("arithmetic", "a - b"),
        ("arithmetic", "a[i] -= 1"),
        ("comparison", "a <= b"),
        ("constant", "2"),
        ("constant", "2.0"),
        ("constant", "4"),
        ("constant", "False"),
        ("logic", "a or b"),
        ("sign", "a"),
    ]


TEST = """\
from paperlib._common.validation import check_flag


def test_it():
    assert check_flag(True, "it") is {}
"""


@pytest.mark.slow
@pytest.mark.parametrize(("value", "code"), [(True, 1), ("'mutant'", 0)])
def test_a_session_is_run_on_the_mutant(tmp_path, value, code):
    file = tmp_path / "test_it.py"
    file.write_text(TEST.format(value))
    described = tmp_path / "mutant.json"
    text = "def __getattr__(name):\n    return lambda *args, **options: 'mutant'\n"
    described.write_text(json.dumps({"module": "paperlib._common.validation", "text": text}))
    assert mutants.session([file], {mutants.MUTANT: str(described)})[0] == code


def test_each_survivor_is_explained_and_still_possible():
    explained = mutants.explained()
    assert all(explained.values())
    for mutant in explained:
        found = mutants.mutants(mutants.ROOT / mutant[0], mutant[0].split("/")[1])
        assert mutant in {mutants.which(each) for each in found}, mutant
    if mutants.TABLE.exists():
        with mutants.TABLE.open(newline="") as table:
            survived = [row for row in csv.DictReader(table) if row["ending"] == "survived"]
        assert {mutants.which(row) for row in survived} <= set(explained)

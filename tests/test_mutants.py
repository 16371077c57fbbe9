"""The tool that makes mutants: its changes are changes, and a test session with one is run on it."""

import ast
import csv
import random
import shutil

import pytest

from tests import mutants

DRAWN = mutants.draw(60, 3, "all")


@pytest.mark.slow
def test_a_draw_is_the_same_again_and_has_every_subpackage():
    assert mutants.draw(60, 3, "all") == DRAWN != mutants.draw(60, 4, "all")
    parts = {mutant[0].partition(":")[0].split(".")[1] for mutant in DRAWN}
    assert parts == set(mutants.LIBRARY)
    others = mutants.draw(20, 3, parts=("experiments", "reproduce"))
    assert {mutant[0].partition(".")[0] for mutant in others} == {"paperlib", "reproduce"}
    assert len(set(DRAWN)) == 60


@pytest.mark.slow
def test_functions_are_drawn_evenly():
    """Plain Python as well as kernels, and no function twice while others wait for their turn."""
    assert len({at for at, *_ in DRAWN}) == 60
    every = [(f"f{size}", f"{size} {i}", "") for size in (1, 2, 50) for i in range(size)]
    drawn = list(mutants.in_turn(every, random.Random(0)))
    assert sorted(drawn) == sorted(every)
    assert [len({at for at, *_ in drawn[:k]}) for k in (3, 5)] == [3, 3]
    assert [at for at, *_ in drawn[5:]] == ["f50"] * 48
    kernels = {
        mutant[0]
        for part in mutants.LIBRARY
        for path in mutants.folder_of(part).rglob("*.py")
        for mutant in mutants.mutants(path, "kernels")
    }
    shares = [at in kernels for at, *_ in DRAWN]
    assert 5 < sum(shares) < 40


def test_kernels_and_other_functions_are_drawn_apart():
    file = mutants.folder_of("_common") / "kernels.py"
    assert mutants.mutants(file, "kernels") == []
    assert mutants.mutants(file, "functions") == mutants.mutants(file, "all") != []
    file = mutants.folder_of("coresets") / "_solver" / "wolfe.py"
    kinds = [set(mutants.mutants(file, kind)) for kind in ("kernels", "functions")]
    assert len(kinds[0]) > 50 and not kinds[0] & kinds[1]


@pytest.mark.parametrize("mutant", DRAWN[::5], ids=lambda mutant: mutant[0])
def test_a_mutant_is_one_change_and_every_line_keeps_its_number(mutant):
    before, after = mutants.place_of(mutant)[1].read_text(), mutants.mutated(mutant)
    lines = list(zip(before.split("\n"), after.split("\n"), strict=True))
    assert sum(one != other for one, other in lines) == 1
    assert ast.dump(ast.parse(before)) != ast.dump(ast.parse(after))


TEXT = """\
a < b; a + b; a and b; not a; True; 3; 0.5; a[i] += 1; a[-1] - 1; -a; (a) - b; f(-a)
if -a: f"{a + b}"
return -a
"""


def test_kinds_of_changes():
    lines = TEXT.split("\n")
    found = [lines[row][:start] + new + lines[row][end:] for row, start, end, new in mutants.changes(TEXT)]
    assert found == [
        *(
            lines[0].replace(old, new)
            for old, new in (
                ("a < b", "a <= b"),
                ("a + b", "a - b"),
                ("a and b", "a or b"),
                ("not a", "a"),
                ("True", "False"),
                ("; 3", "; 4"),
                ("0.5", "2.0"),
                ("+=", "-="),
                ("+= 1", "+= 2"),
                ("[-1]", "[1]"),
                ("[-1]", "[-2]"),
                ("] - 1", "] + 1"),
                ("] - 1", "] - 2"),
                ("; -a", "; a"),
                ("(a) -", "(a) +"),
                ("f(-a)", "f(a)"),
            )
        ),
        lines[1].replace("-a", "a"),
        lines[2].replace("-a", "a"),
    ]


def test_a_line_that_stands_twice_is_told_by_the_lines_above():
    lines = ["def f(a):", "    if a:", "        b = 1", "    b = 1", "    b = 1", "    c = 1"]
    own = ["\n".join(lines)]
    assert mutants.in_context(lines, own, 5, 8, 9, "2") == ("c = 1", "c = 2")
    assert mutants.in_context(lines, own, 2, 12, 13, "2") == ("if a:\n        b = 1", "if a:\n        b = 2")
    assert mutants.in_context(lines, own, 4, 8, 9, "2") == ("b = 1\n    b = 1", "b = 1\n    b = 2")


MUTANT = (
    "paperlib._common.random_state:check_random_state",
    "return np.random.default_rng(seed)",
    "return np.random.default_rng()",
)


@pytest.mark.slow
def test_a_mutant_is_tried_on_the_tests_that_enter_it(tmp_path, monkeypatch):
    """On its own tests it is noticed, on others it survives; the checkout stays as it is."""
    file = mutants.place_of(MUTANT)[1]
    before = file.read_text()
    monkeypatch.setattr(mutants, "KEPT", tmp_path)
    monkeypatch.setattr(mutants.os, "link", shutil.copy2)  # to another disk
    item = MUTANT[0]
    for name, ending in (("random_state", mutants.QUICK), ("spread", mutants.SURVIVED)):
        test = f"tests/paperlib/_common/test_{name}.py"
        monkeypatch.setattr(mutants, "entering", lambda test=test: {item: [(1, test)]})
        monkeypatch.setattr(mutants, "files_of_tests", lambda _, test=test: [test])
        assert mutants.tried(MUTANT) == ending
    assert file.read_text() == before and not list(tmp_path.iterdir())


def test_the_table_is_gone_on_from_while_the_definition_is_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(mutants, "TABLE", tmp_path / "mutants.csv")
    assert mutants.read() == {}
    explained = next(iter(mutants.explained()))
    now = {each: mutants.sources().digest(mutants.definition_of(each)) for each in (*DRAWN, explained)}
    rows = {
        DRAWN[0]: (mutants.QUICK, now[DRAWN[0]]),
        DRAWN[1]: (mutants.QUICK, "of another one"),
        DRAWN[-1]: (mutants.SURVIVED, now[DRAWN[-1]]),
        explained: (mutants.SURVIVED, now[explained]),
    }
    mutants.write(rows)
    assert mutants.read() == rows
    assert {each for each, row in rows.items() if mutants.is_current(each, row)} == {DRAWN[0], explained}
    assert not mutants.is_current(DRAWN[2], None)


def test_each_survivor_is_explained_and_still_possible():
    explained = mutants.explained()
    assert all(explained.values())
    for mutant in explained:
        assert mutant in mutants.mutants(mutants.place_of(mutant)[1]), mutant
    with mutants.TABLE.open(newline="") as table:
        survived = {(r["at"], r["old"], r["new"]) for r in csv.DictReader(table) if r["ending"] == "survived"}
    assert survived <= set(explained)

"""Which figure or table a claim stands beside."""

import json

import pytest

from reproduce.errors import InvalidLedger
from reproduce.paths import Family, Project
from reproduce.scoring.judgement import Judged
from reproduce.scoring.ledger import Claim, Statement
from reproduce.site import exhibits, groups, notebooks


def names(made):
    return [(g.name, [e.name for e in g.exhibits], [j.claim.id for j in g.judged]) for g in made]


def judge(*claims):
    return [Judged(claim, {}, {}) for claim in claims]


def make_claim(name, **more):
    return Claim(name, "Table 1", Statement("it", "order"), **more)


def test_claims_stand_beside_what_their_id_begins_with():
    shown = {
        n: exhibits.Exhibit(n, "table")
        for n in ["figure-1", "table-1", "table-1-far", "figure-1-draws", "x", "y"]
    }
    ids = ["table-1.a", "lemma-3", "figure-1.b", "table-1-far.c", "figure-10.d", "table-1"]
    made = groups.make("alpha", judge(*map(make_claim, ids)), shown)
    assert names(made) == [
        ("table-1", ["table-1", "table-1-far"], ["table-1.a", "table-1-far.c", "table-1"]),
        ("figure-1", ["figure-1", "figure-1-draws"], ["figure-1.b"]),
        ("", [], ["lemma-3", "figure-10.d"]),
        (groups.OTHERS, ["x", "y"], []),
    ]
    assert [group.page for group in made] == ["table-1", "figure-1", "nowhere", groups.OTHERS]


def test_a_claim_may_name_what_it_is_about():
    shown = {"table-1": exhibits.Exhibit("table-1", "table")}
    claims = judge(make_claim("lemma-3", shown="table-1"))
    assert names(groups.make("alpha", claims, shown)) == [("table-1", ["table-1"], ["lemma-3"])]
    assert names(groups.make("alpha", claims, {})) == [("", [], ["lemma-3"])]  # nothing is published yet
    wrong = judge(make_claim("lemma-3", shown="tabel-1"))
    with pytest.raises(InvalidLedger, match=r"alpha\.toml, claim lemma-3: .* did you mean table-1\?"):
        groups.make("alpha", wrong, shown)


def test_else_a_claim_stands_beside_what_is_nearest_in_its_section(project):
    project.results(
        figures=["first", "second"], tables=["t"], measures=[("a", 1), ("b", 1), ("c", 1), ("d", 1)]
    )
    cells = [
        project.prose("# Title\n\n## 1."),
        project.computed('record.measure("a", 1)'),
        project.computed('record.figure("first", fig)'),
        project.computed('record.measure("b", 1)\nrecord.table("t", frame)\nrecord.figure("second", fig)'),
        project.prose("## 2."),
        project.computed('record.measure("c", 1)'),
        project.prose("## 3."),
        project.computed("for name in names:\n    record.measure(name, 1)"),
    ]
    project.write("notebooks/alpha.ipynb", json.dumps({"cells": cells, "metadata": {}}))
    shown = notebooks.load_notebooks(Project(project.root), "alpha", Family())
    assert not shown.has_run
    assert {name: shown.beside(name) for name in "abcd"} == {
        "a": "first",
        "b": "second",
        "c": None,
        "d": None,
    }
    there = {n: exhibits.Exhibit(n, "figure") for n in ("first", "second")}
    made = groups.make("alpha", judge(*map(make_claim, "abcd")), there, shown.beside)
    assert names(made) == [("first", ["first"], ["a"]), ("second", ["second"], ["b"]), ("", [], ["c", "d"])]

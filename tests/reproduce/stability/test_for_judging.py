"""Which lines of a paper's table of seeds judge its rows: of a paper with steps, where they are current."""

import csv
import json
from types import SimpleNamespace

import pytest

from reproduce import stability
from reproduce.paths import Family, Project
from reproduce.publication.results import Measure
from reproduce.scoring import judgement, ledger, scoreboard
from reproduce.scoring.pooling import OtherSeeds
from reproduce.stability import evidence, rows

WORK = """\
def sizes(seed):
    return helper(seed) + 1


def helper(seed):
    return 2 * seed


def others(seed):
    return seed
"""
CLAIMS = """\
def mean(sizes):
    return sizes


def worst(others):
    return others


def worst_corrected(others):
    return others


def same(sizes):
    return sizes
"""
LEDGER = """\
[[claim]]
id = "mean"
where = "Lemma 1"
says = "more than 0"
kind = "order"

[[claim]]
id = "worst"
where = "Lemma 2"
says = "no more than 1"
kind = "bound"
paper = 1
[claim.corrected]
says = "no more than 2"
paper = 2

[[claim]]
id = "same"
where = "Lemma 3"
says = "it is 5"
kind = "exact"
paper = 5
"""
TRACE = {
    "run": {},
    "calls": [
        {"step": "sizes", "arguments": "a", "inputs": [], "entered": {"paperlib.work": "sizes helper"}},
        {"step": "others", "arguments": "a", "inputs": [], "entered": {"paperlib.work": "others"}},
    ],
    "tables": {"sizes": 0, "others": 1},
}
MEASURES = {
    "mean": [Measure(0.3 + 0.1 * x, 0.1, 9, 20) for x in (1, -1, 0, 2, -2, 1)],
    "worst": [Measure(x, cases=4) for x in (1.2, 1.4, 1.1, 1.3, 1.2, 1.5)],
    "worst.corrected": [Measure(x, cases=4) for x in (1.2, 1.4, 1.1, 1.3, 1.2, 1.5)],
    "same": [Measure(5.0)] * 6,
}
POOLED = {"mean", "worst", "worst.corrected", "same"}
TABLE = "figures/evidence/alpha/stability.csv"


def studied(mini, data="bundled"):
    """Write the table of five seeds as `stability` does after its runs."""
    project = Project(mini.root)
    claims = ledger.load_ledger(project.claims / "alpha.toml")
    measured = {seed: {name: its[seed] for name, its in MEASURES.items()} for seed in range(1, 6)}
    study = SimpleNamespace(paper="alpha", data=data, profile="paper", runs=measured)
    return evidence.write_stability(
        project, study, claims, rows.stability_of_rows("alpha", claims, measured, data)
    )


@pytest.fixture
def stepped(project):
    """A paper with steps, with the results of the seed 0 and what other seeds measured."""
    project.write("paperlib/work.py", WORK)
    project.write("paperlib/experiments/alpha/claims.py", CLAIMS)
    project.write("reproduce/claims/alpha.toml", LEDGER)
    names = ("value", "stderr", "dof", "cases", "resolution")
    measures = [{"claim": name} | dict(zip(names, its[0])) for name, its in MEASURES.items()]
    content = {"paper": "alpha", "data": [], "figures": [], "tables": [], "measures": measures}
    for folder in ("figures/alpha", "figures/full/alpha"):
        project.write(f"{folder}/results.json", json.dumps(content))
        measures[0]["value"] += 0.01  # of the full data alone; the others are of random samples
        project.write(f"{folder}/trace.json", json.dumps(TRACE))
    studied(project)
    return project


def pooled(mini, data="bundled", profile="paper"):
    return set(stability.for_judging(Project(mini.root), "alpha", data, profile))


def judged(mini):
    found = judgement.of_family(Project(mini.root), Family()).judged["alpha"]
    return {j.claim.id: j for j in found}


def test_the_table_has_what_it_takes(stepped):
    found = stability.for_judging(Project(stepped.root), "alpha", "bundled", "paper")
    assert set(found) == POOLED
    assert found["worst"] == OtherSeeds(pytest.approx(1.3), pytest.approx(0.158114), None, 1.1, 1.5, 20, 5)
    assert found["mean"] == OtherSeeds(
        pytest.approx(0.3), pytest.approx(0.158114), 0.1, pytest.approx(0.1), pytest.approx(0.5), 100, 5
    )
    assert found["same"] == OtherSeeds(5.0, 0.0, None, 5.0, 5.0, None, 5)


def test_rows_are_judged_by_all_seeds_together(stepped):
    found = judged(stepped)
    assert {name: j.pooled for name, j in found.items()} == {
        "mean": {"bundled": {"mean": 6}},
        "worst": {data: {"worst": 6, "worst.corrected": 6} for data in ("bundled", "full")},
        "same": {},
    }
    assert found["mean"].by_data == {"bundled": "inconclusive", "full": "inconclusive"}
    assert scoreboard.measured(found["mean"], "bundled") == "0.3167 ± 0.06 (6 seeds)"
    assert scoreboard.measured(found["mean"], "full") == "0.41 ± 0.1"
    assert found["mean"].other_seeds == (5, 5)
    assert found["worst"].verdict == "corrected"
    for data in ("bundled", "full"):  # one measurement, whatever the data
        assert scoreboard.measured(found["worst"], data) == "1.5 (worst of 6 seeds)"
    assert found["same"].verdict == "reproduced"


def test_the_full_data_have_a_table_of_their_own(stepped):
    assert pooled(stepped, "full") == set()
    assert studied(stepped, "full").name == "stability-full.csv"
    assert pooled(stepped, "full") == POOLED
    assert judged(stepped)["worst"].pooled["full"] == {"worst": 6, "worst.corrected": 6}


def test_lines_of_older_sources_measures_or_statements_judge_nothing(stepped):
    stepped.write("paperlib/work.py", WORK.replace("2 * seed", "3 * seed"))
    assert pooled(stepped) == {"worst", "worst.corrected"}
    assert judged(stepped)["mean"].pooled == {}
    stepped.write("paperlib/work.py", WORK + "\n\ndef unrelated():\n    pass  # and a comment\n")
    assert pooled(stepped) == POOLED
    stepped.write("reproduce/claims/alpha.toml", LEDGER.replace("paper = 2", "paper = 3"))
    assert pooled(stepped) == {"mean", "same"}
    stepped.write("reproduce/claims/alpha.toml", LEDGER.replace("it is 5", "it is five"))
    assert pooled(stepped) == POOLED
    stepped.write(
        "paperlib/experiments/alpha/claims.py", CLAIMS.replace("return sizes", "return 2 * sizes", 1)
    )
    assert pooled(stepped) == POOLED - {"mean"}


def test_another_profile_or_no_trace_or_no_steps(stepped):
    assert pooled(stepped, profile="smoke") == set()
    (stepped.root / "figures/alpha/trace.json").unlink()
    assert pooled(stepped) == set()
    (stepped.root / "paperlib/experiments/alpha/claims.py").unlink()
    studied(stepped)
    assert pooled(stepped) == set()


NEW = ("least", "largest", "cases", "counted")


def test_an_older_table_is_read_and_judges_nothing(stepped):
    lines = list(csv.DictReader(stepped.read(TABLE).splitlines()))
    with open(stepped.root / TABLE, "w", newline="") as file:
        writer = csv.DictWriter(file, [name for name in lines[0] if name not in NEW], extrasaction="ignore")
        writer.writeheader()
        writer.writerows(lines)
    assert pooled(stepped) == set()
    found, is_stale, profile = stability.read_stability(Project(stepped.root), "alpha")
    assert (found["worst"], is_stale, profile) == ((5, 5, False), False, "paper")
    assert judged(stepped)["worst"].other_seeds == (5, 5)


@pytest.mark.parametrize(
    "content", [None, "", "{", "claim,key\na,b\n", "claim,verdicts,statement\na,,b\n", "\0"]
)
def test_a_damaged_table_judges_nothing(stepped, content):
    if content is None:
        (stepped.root / TABLE).unlink()
    else:
        stepped.write(TABLE, content)
    assert pooled(stepped) == set()

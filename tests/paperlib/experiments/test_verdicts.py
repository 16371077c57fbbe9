import math

import pytest

from paperlib.experiments import verdicts
from paperlib.experiments.ledger import Claim, Statement


def statement(kind, paper=None, **more):
    return Statement("says", kind, paper, **more)


R, D, I = "reproduced", "differs", "inconclusive"  # noqa: E741


@pytest.mark.parametrize(
    ("kind", "fields", "measured", "stderr", "expected"),
    [
        ("value", {"paper": 0.45}, 0.45, 0.0, R),
        ("value", {"paper": 0.45}, 0.4500001, 0.0, D),
        ("value", {"paper": 0.45, "tolerance": 0.005}, 0.455, 0.0, R),  # binary rounding at the edge
        ("value", {"paper": 0.45, "tolerance": 0.005}, 0.4551, 0.0, D),
        ("value", {"paper": 0.45, "tolerance": 0.05}, 0.46, 0.01, R),  # 0.42 to 0.50
        ("value", {"paper": 0.45, "tolerance": 0.05}, 0.47, 0.01, I),  # 0.43 to 0.51
        ("value", {"paper": 0.45, "tolerance": 0.05}, 0.55, 0.01, D),  # 0.51 to 0.59
        ("value", {"paper": 0.45}, 0.45, 0.01, I),  # no interval lies in a point
        ("value", {"paper": 0.45, "paper_stderr": 0.01}, 0.46, 0.005, R),  # 0.41 to 0.49 is allowed
        ("value", {"paper": 0.5, "tolerance": 8}, -7, 4.0, I),  # a large error makes nothing easier
        ("value", {"paper": 0.4, "tolerance": 0.1, "refutes": 0.5}, 0.45, 0.0124, R),
        ("value", {"paper": 0.4, "tolerance": 0.2, "refutes": 0.5}, 0.45, 0.0126, I),
        ("exact", {"paper": 13}, 13, 0.0, R),
        ("exact", {"paper": 13}, 14, 0.0, D),
        ("exact", {"paper": 0.3}, 0.1 + 0.2, 0.0, R),
        ("exact", {"paper": 1.2, "tolerance": 0.05}, 1.2499, 0.0, R),
        ("identity", {"paper": 0.0, "tolerance": 1e-9}, 1e-10, 0.0, R),
        ("bound", {"paper": 1.0}, 1.0, 0.0, R),
        ("bound", {"paper": 1.0}, 1.01, 0.0, D),
        ("bound", {"paper": 1.0}, 1.01, 0.005, I),
        ("bound", {"paper": 1.0}, 0.97, 0.005, R),
        ("bound", {"paper": 1.0}, 1.03, 0.005, D),
        ("bound", {"paper": 1.0, "tolerance": 0.01}, 1.01, 0.0, R),
        ("bound", {"paper": 1.0}, -math.inf, 0.0, D),
        ("bound", {"paper": 1.0, "sense": "at least"}, 1.0, 0.0, R),
        ("bound", {"paper": 1.0, "sense": "at least"}, 0.99, 0.0, D),
        ("bound", {"paper": 1.0, "sense": "at least"}, 0.99, 0.005, I),
        ("bound", {"paper": 1.0, "sense": "at least", "tolerance": 0.02}, 0.98, 0.0, R),
        ("order", {}, 0.1, 0.0, R),
        ("order", {}, 0.0, 0.0, D),  # strictly
        ("order", {}, -0.1, 0.0, D),
        ("order", {}, 0.2, 0.05, I),
        ("order", {}, 0.21, 0.05, R),
        ("trend", {}, -0.21, 0.05, D),
        ("order", {}, math.inf, 0.0, D),
        ("value", {"paper": 0.0}, math.nan, 0.0, D),
        ("value", {"paper": 0.0}, 0.0, math.nan, D),
        ("value", {"paper": 0.0}, 0.0, math.inf, D),
    ],
)
def test_the_interval_against_the_statement(kind, fields, measured, stderr, expected):
    assert verdicts.judged(statement(kind, **fields), measured, stderr) == expected


def test_few_runs_make_the_interval_wider():
    bound = statement("bound", 0.0)
    assert verdicts.judged(bound, -5, 1.0) == R
    assert verdicts.judged(bound, -5, 1.0, dof=9) == I
    assert verdicts.width(10**6) == pytest.approx(verdicts.Z, rel=1e-4)
    assert verdicts.width(1) > 1000


def test_no_case_at_all_decides_nothing():
    assert verdicts.judged(statement("bound", 0), 0, cases=0) == I
    assert verdicts.judged(statement("bound", 0), 0, cases=1) == R


CORRECTED = {"corrected": statement("bound", 2.0)}


@pytest.mark.parametrize(
    ("more", "measures", "expected"),
    [
        ({}, {}, "not run"),
        ({}, {"other": (1.0, 0.0)}, "not run"),
        ({}, {"c": (1.0, 0.0)}, "reproduced"),
        ({}, {"c": (1.5, 0.0)}, "differs"),
        ({"reason": "known"}, {"c": (1.5, 0.0)}, "differs"),
        ({"reason": "known"}, {"c": (0.5, 0.0)}, "reproduced"),
        ({"checkable": False, "reason": "a proof"}, {"c": (1.0, 0.0)}, "not checkable"),
        (CORRECTED, {"c": (1.5, 0.0), "c.corrected": (1.5, 0.0)}, "corrected"),
        (CORRECTED, {"c": (1.5, 0.0), "c.corrected": (2.5, 0.0)}, "differs"),
        (CORRECTED, {"c": (1.5, 0.0)}, "differs"),
        (CORRECTED, {"c": (0.5, 0.0), "c.corrected": (2.5, 0.0)}, "reproduced"),
        (CORRECTED, {"c.corrected": (1.0, 0.0)}, "not run"),
        (CORRECTED, {"c": (1.5, 0.0), "c.corrected": (2.0, 0.1)}, "inconclusive"),
        (CORRECTED, {"c": (1.1, 0.1), "c.corrected": (0.0, 0.0)}, "inconclusive"),
        ({"trivial": 0.5}, {"c": (0.0, 0.0)}, "vacuous"),
        ({"trivial": 0.5}, {"c": (1.5, 0.0)}, "vacuous"),
        ({"trivial": 1.5}, {"c": (0.0, 0.0)}, "reproduced"),
        ({"trivial": 0.5}, {}, "not run"),
        ({}, {"c": (1.5, 0.0), "c.corrected": (0.0, 0.0)}, "differs"),
    ],
)
def test_the_verdict(more, measures, expected):
    claim = Claim("c", "Theorem 1", statement("bound", 1.0), **more)
    assert verdicts.verdict(claim, measures) == expected
    assert expected in verdicts.ALL


def test_an_identity_is_not_counted_as_reproduced():
    claim = Claim("c", "Lemma 1", statement("identity", 0.0, tolerance=1e-9), reason="arithmetic")
    assert verdicts.verdict(claim, {"c": (1e-12,)}) == "identity"
    assert verdicts.verdict(claim, {"c": (0.1,)}) == "differs"


def test_every_verdict_has_a_meaning():
    assert tuple(verdicts.MEANING) == verdicts.ALL


@pytest.mark.parametrize("kind", ["order", "trend"])
def test_what_was_found_of_a_statement_without_a_number(kind):
    assert verdicts.as_found(statement(kind), (-13.6, 4.8), -13.0, 4.5)
    assert not verdicts.as_found(statement(kind), (-13.6, 0.1), -12.0, 0.1)

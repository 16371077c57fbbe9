import math

import pytest

from reproduce.scoring import verdicts
from reproduce.scoring.ledger import Claim, Statement


def statement(kind, paper=None, **more):
    return Statement("says", kind, paper, **more)


@pytest.mark.parametrize(
    ("kind", "fields", "measured", "stderr", "expected"),
    [
        ("value", {"paper": 0.45}, 0.45, 0.0, True),
        ("value", {"paper": 0.45}, 0.4500001, 0.0, False),
        ("value", {"paper": 0.45, "tolerance": 0.005}, 0.455, 0.0, True),  # binary rounding at the edge
        ("value", {"paper": 0.45, "tolerance": 0.005}, 0.4551, 0.0, False),
        ("value", {"paper": 0.45}, 0.47, 0.01, True),
        ("value", {"paper": 0.45}, 0.4701, 0.01, False),
        ("value", {"paper": 0.45, "paper_stderr": 0.03}, 0.54, 0.04, True),  # 2 sqrt(.03^2 + .04^2) = 0.1
        ("value", {"paper": 0.45, "paper_stderr": 0.03}, 0.56, 0.04, False),
        ("value", {"paper": 0.45, "tolerance": 0.2}, 0.6, 0.01, True),  # the larger of the two
        ("exact", {"paper": 13}, 13, 0.0, True),
        ("exact", {"paper": 13}, 14, 5.0, False),  # a standard error is no excuse
        ("exact", {"paper": 0.3}, 0.1 + 0.2, 0.0, True),
        ("exact", {"paper": 1.2, "tolerance": 0.05}, 1.2499, 0.0, True),
        ("bound", {"paper": 1.0}, 1.0, 0.0, True),
        ("bound", {"paper": 1.0}, 1.01, 0.0, False),
        ("bound", {"paper": 1.0}, 1.01, 0.005, True),
        ("bound", {"paper": 1.0, "tolerance": 0.01}, 1.01, 0.0, True),
        ("bound", {"paper": 1.0}, -math.inf, 0.0, False),
        ("bound", {"paper": 1.0, "sense": "at least"}, 1.0, 0.0, True),
        ("bound", {"paper": 1.0, "sense": "at least"}, 0.99, 0.0, False),
        ("bound", {"paper": 1.0, "sense": "at least"}, 0.99, 0.005, True),
        ("bound", {"paper": 1.0, "sense": "at least", "tolerance": 0.02}, 0.98, 0.0, True),
        ("order", {}, 0.1, 0.0, True),
        ("order", {}, 0.0, 0.0, False),  # strictly
        ("order", {}, -0.1, 0.0, False),
        ("order", {}, 0.1, 0.05, False),
        ("order", {}, 0.11, 0.05, True),
        ("trend", {}, 0.11, 0.05, True),
        ("trend", {}, 0.09, 0.05, False),
        ("order", {}, math.inf, 0.0, False),
        ("value", {"paper": 0.0}, math.nan, 0.0, False),
        ("value", {"paper": 0.0}, 0.0, math.nan, False),
        ("value", {"paper": 0.0}, 0.0, math.inf, False),
    ],
)
def test_when_a_statement_holds(kind, fields, measured, stderr, expected):
    assert verdicts.holds(statement(kind, **fields), measured, stderr) is expected


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
        ({}, {"c": (1.5, 0.0), "c.corrected": (0.0, 0.0)}, "differs"),
    ],
)
def test_the_verdict(more, measures, expected):
    claim = Claim("c", "Theorem 1", statement("bound", 1.0), **more)
    assert verdicts.verdict(claim, measures) == expected
    assert expected in verdicts.ALL


def test_every_verdict_is_in_the_legend():
    assert all(f"**{name}**" in verdicts.LEGEND for name in verdicts.ALL)


@pytest.mark.parametrize("kind", ["order", "trend"])
def test_what_was_found_of_a_statement_without_a_number(kind):
    assert verdicts.as_found(statement(kind), (-13.6, 4.8), -13.0, 4.5)
    assert not verdicts.as_found(statement(kind), (-13.6, 0.1), -12.0, 0.1)

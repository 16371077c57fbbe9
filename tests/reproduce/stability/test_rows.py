"""Claims judged over seeds, from measures that no run has made."""

import math

import pytest

from reproduce.publication.results import Measure
from reproduce.scoring.ledger import Claim, Statement
from reproduce.stability import rows

NOISE = [-1.5, -0.7, -0.2, 0.3, 0.8, 1.3]  # of about one standard deviation


def claim(name, paper=0.0, kind="value", **more):
    return Claim(name, "Table 1", Statement("says", kind, paper, tolerance=0.5), **more)


def made(claims, **measures):
    """Judge claims of which each has a list of measures, one for each seed."""
    seeds = range(1, 1 + max(map(len, measures.values())))
    measured = {
        seed: {name.replace("_", "."): found[seed - 1] for name, found in measures.items() if found[seed - 1]}
        for seed in seeds
    }
    return rows.stability_of_rows("alpha", claims, measured)


def test_what_flips_what_is_constant_and_what_states_too_small_an_error_are_told_apart():
    found = made(
        [claim(name, 0.0) for name in ("good", "flips", "same", "small")],
        good=[Measure(0.02 * x, 0.02) for x in NOISE],
        flips=[Measure(float(x > 1)) for x in NOISE],
        same=[Measure(0.25)] * len(NOISE),
        small=[Measure(0.04 * x, 0.01) for x in NOISE],
    )
    good, flips, same, small = found.rows
    assert [row.id for row in found.rows] == ["good", "flips", "same", "small"]
    assert flips.verdicts == {"reproduced": [1, 2, 3, 4, 5], "differs": [6]}
    assert list(good.verdicts) == list(same.verdicts) == list(small.verdicts) == ["reproduced"]
    assert [row.constant for row in found.rows] == [False, False, True, False]
    assert 0.9 < good.ratio < 1.2 and good.fits
    assert 3.6 < small.ratio < 4.8 and not small.fits
    assert (flips.ratio, same.ratio) == (None, None)
    assert flips.fits and same.fits
    assert (same.mean, same.spread, same.stderr) == (0.25, 0.0, None)
    assert found.failing == {6: ["flips"]}


def test_a_stated_error_of_what_never_changes():
    [row] = made([claim("same")], same=[Measure(0.25, 0.1)] * 3).rows
    assert (row.constant, row.ratio, row.fits) == (True, 0.0, False)


@pytest.mark.parametrize(("ratio", "fits"), [(0.4, False), (0.6, True), (1.9, True), (2.2, False)])
def test_the_ratio_is_near_one(ratio, fits):
    spread = math.sqrt(sum(x * x for x in NOISE) / (len(NOISE) - 1))
    [row] = made([claim("a")], a=[Measure(x, spread / ratio) for x in NOISE]).rows
    assert row.ratio == pytest.approx(ratio)
    assert row.fits is fits


def test_a_corrected_statement_has_a_row_of_its_own():
    corrected = claim("a", 0.0, corrected=Statement("c", "exact", 5.0, tolerance=0.5))
    found = made([corrected], a=[Measure(9.0)] * 3, a_corrected=[Measure(5.0), Measure(5.0), Measure(6.0)])
    printed, other = found.rows
    assert printed.verdicts == {"corrected": [1, 2], "differs": [3]}
    assert (other.id, other.verdicts, other.constant) == ("a.corrected", {}, False)
    assert found.failing == {3: ["a"]}


def test_what_is_measured_with_some_seeds_only_or_is_no_number():
    found = made(
        [claim("a"), claim("b"), claim("c")], a=[Measure(0.1), None], b=[Measure(math.nan), Measure(0.2)]
    )
    a, b = found.rows
    assert a.verdicts == {"not run": [2], "reproduced": [1]}
    assert (a.mean, a.spread) == (0.1, None)
    assert b.verdicts == {"differs": [1], "reproduced": [2]}
    assert (b.mean, b.constant) == (0.2, False)


def test_what_rows_are_judged_by_all_seeds_together():
    found = made(
        [claim("a"), claim("b"), claim("c"), claim("d")],
        a=[Measure(0.1, cases=3), Measure(0.0, cases=0), Measure(-0.2, cases=4)],
        b=[Measure(math.nan), Measure(0.2), Measure(0.2)],
        c=[Measure(0.0, cases=0)] * 3,
        d=[Measure(math.inf), Measure(0.2), Measure(0.2)],
    )
    a, b, c, d = found.rows
    assert (a.least, a.largest, a.cases, a.counted) == (-0.2, 0.1, 7, 2)
    assert a.mean == pytest.approx(-0.05)  # the 0 of a seed without a case stands for nothing
    assert a.verdicts == {"reproduced": [1, 3], "inconclusive": [2]}
    assert math.isnan(b.least) and math.isnan(b.largest) and (b.cases, b.counted) == (None, 3)
    assert (c.mean, c.spread, c.least, c.largest, c.cases, c.counted) == (None, None, None, None, 0, 0)
    assert c.constant
    assert (d.least, d.largest) == (0.2, math.inf)


def test_a_measure_that_no_ledger_has_fails_the_check():
    found = rows.stability_of_rows(
        "alpha", [claim("a")], {1: {"a": Measure(0.0)}, 2: {"a": Measure(0.0), "b": Measure(1)}}
    )
    assert list(found.failing) == [2]
    assert "measured 'b'" in found.failing[2][0]

"""Rows judged by all seeds together, from measures that no run has made."""

import math
import statistics
from dataclasses import replace

import pytest

from reproduce.library import verdicts
from reproduce.publication.results import Measure
from reproduce.scoring import judgement, pooling, scoreboard
from reproduce.scoring.ledger import Claim, Statement
from reproduce.stability import rows

NOISE = [0.4, -1.5, -0.7, -0.2, 0.3, 0.8, 1.3, -0.4]  # of the committed seed and of seven others
REPRODUCED, DIFFERS, INCONCLUSIVE = verdicts.REPRODUCED, verdicts.DIFFERS, verdicts.INCONCLUSIVE


def claim(kind="bound", paper=0.0, name="a", **more):
    numbers = {key: more.pop(key) for key in ("tolerance", "sense", "refutes") if key in more}
    return Claim(name, "Table 1", Statement("says", kind, paper, **numbers), **more)


def others(claims, found):
    """What the table of seeds says of claims with a list of measures each."""
    count = max(map(len, found.values()))
    runs = {seed: {name: its[seed] for name, its in found.items()} for seed in range(count)}
    return {
        row.id: pooling.OtherSeeds(
            row.mean, row.spread, row.stderr, row.least, row.largest, row.cases, row.counted
        )
        for row in rows.stability_of_rows("alpha", claims, runs).rows
    }


def judged(its, *measures, corrected=()):
    """Judge a claim by the first measure and by all of them, `corrected` being those of the corrected one."""
    found = {its.id: measures} | ({its.corrected_id: corrected} if corrected else {})
    own = {name: each[0] for name, each in found.items()}
    [alone] = judgement.of_claims([its], {"bundled": own})
    table = others([its], {name: each[1:] for name, each in found.items()})
    return alone, judgement.by_all_seeds(alone, {"bundled": table})


def runs(centre, stderr, scale=1.0, dof=9):
    return [Measure(centre + scale * stderr * x, stderr, dof, 10) for x in NOISE]


def test_seeds_that_divide_the_same_data_are_not_pooled():
    alone, all_seeds = judged(claim(pooled=False), *runs(-5.0, 1.0))
    assert all_seeds == alone and all_seeds.verdict == INCONCLUSIVE


@pytest.mark.parametrize(
    ("centre", "alone", "together"),
    [
        (-5.0, INCONCLUSIVE, REPRODUCED),  # 7 standard errors to either side alone, 7.5 / sqrt(8) of all
        (5.0, INCONCLUSIVE, DIFFERS),
        (0.5, INCONCLUSIVE, INCONCLUSIVE),
        (-9.0, REPRODUCED, REPRODUCED),
    ],
)
def test_a_row_with_an_error_is_judged_by_the_mean_over_seeds(centre, alone, together):
    one, all_seeds = judged(claim(), *runs(centre, 1.0))
    assert (one.verdict, all_seeds.verdict) == (alone, together)
    measure = all_seeds.measures["bundled"]["a"]
    values = [centre + x for x in NOISE]
    assert measure.value == pytest.approx(statistics.mean(values))
    assert measure.stderr == pytest.approx(statistics.stdev(values) / math.sqrt(8))
    assert (measure.dof, measure.cases) == (7, 80)
    assert all_seeds.pooled == {"bundled": {"a": 8}}


def test_the_spread_decides_and_not_the_error_that_is_stated():
    _, wide = judged(claim(), *runs(-5.0, 1.0, scale=8.0))
    assert wide.verdict == INCONCLUSIVE
    _, narrow = judged(claim(), *runs(-2.0, 1.0, scale=0.1))
    assert narrow.verdict == REPRODUCED


@pytest.mark.parametrize(
    ("statement", "values", "worst", "together"),
    [
        ({"paper": 1.0}, [0.5, 0.9, 0.7], 0.9, REPRODUCED),
        ({"paper": 1.0}, [0.5, 1.1, 0.7], 1.1, DIFFERS),
        ({"paper": 1.0, "tolerance": 0.2}, [0.5, 1.1, 0.7], 1.1, REPRODUCED),
        ({"paper": 1.0, "sense": "at least"}, [1.5, 1.1, 1.7], 1.1, REPRODUCED),
        ({"paper": 1.0, "sense": "at least"}, [1.5, 0.9, 1.7], 0.9, DIFFERS),
        ({"kind": "value", "paper": 1.0, "tolerance": 0.3}, [1.0, 0.8, 1.1], 0.8, REPRODUCED),
        ({"kind": "value", "paper": 1.0, "tolerance": 0.3}, [1.0, 0.8, 1.4], 1.4, DIFFERS),
        ({"kind": "exact", "paper": 1.0}, [1.0, 1.0, 0.0], 0.0, DIFFERS),
        ({"kind": "order", "paper": None}, [0.3, 0.1, 0.2], 0.1, REPRODUCED),
        ({"kind": "order", "paper": None}, [0.3, 0.0, 0.2], 0.0, DIFFERS),
        ({"kind": "trend", "paper": None}, [0.3, -0.1, 0.2], -0.1, DIFFERS),
        # A rival that the seeds lie around, and one beyond them.
        ({"kind": "value", "paper": 1.0, "tolerance": 0.5, "refutes": 0.9}, [1, 0.8, 1.1], 0.9, INCONCLUSIVE),
        ({"kind": "value", "paper": 1.0, "tolerance": 0.5, "refutes": 0.7}, [1, 0.8, 1.1], 0.8, REPRODUCED),
        ({"kind": "value", "paper": 1.0, "tolerance": 0.5, "refutes": 0.9}, [1, 0.8, 1.6], 1.6, DIFFERS),
    ],
)
def test_an_extreme_is_judged_by_the_worst_of_all_seeds(statement, values, worst, together):
    found = [Measure(value, cases=5) for value in values]
    for order in (found, found[1:] + found[:1], found[2:] + found[:2]):  # the committed seed is one of them
        _, all_seeds = judged(claim(**statement), *order)
        assert all_seeds.verdict == together
        assert all_seeds.measures["bundled"]["a"] == Measure(worst, cases=15)


def test_a_count_that_fails_with_another_seed():
    failures = [Measure(0, cases=100), Measure(0, cases=100), Measure(2, cases=100)]
    alone, all_seeds = judged(claim(), *failures)
    assert (alone.verdict, all_seeds.verdict) == (REPRODUCED, DIFFERS)
    assert all_seeds.unexplained == ["bundled"]
    assert scoreboard.measured(all_seeds, "bundled") == "2 (worst of 3 seeds)"
    assert scoreboard.cases(all_seeds) == "300"


@pytest.mark.parametrize("error", [0.0, 0.1])
def test_what_is_the_same_with_every_seed_is_judged_by_the_one_run(error):
    alone, all_seeds = judged(claim(), *[Measure(-0.1, error, 9, 10)] * 5)
    assert all_seeds == alone
    changed = [Measure(-0.2, error, 9, 10), *[Measure(-0.1, error, 9, 10)] * 5]
    assert judged(claim(), *changed)[1].pooled == {"bundled": {"a": 6}}


def test_shares_that_have_an_error_with_some_seeds_only():
    """A share of 0 has none, and is no extreme for that."""
    _, all_seeds = judged(claim(paper=0.5), *[Measure(x, x / 2) for x in (0.0, 0.02, 0.0, 0.01)])
    assert all_seeds.measures["bundled"]["a"].value == pytest.approx(0.0075)
    assert all_seeds.verdict == REPRODUCED


def test_a_value_that_is_no_number_with_some_seed():
    for bad in (math.nan, math.inf):
        for error in (0.0, 0.1):
            found = [Measure(-1.0, error), Measure(-2.0, error), Measure(bad, error)]
            assert [judged(claim(), *order)[1].verdict for order in (found, found[::-1])] == [DIFFERS] * 2


def test_seeds_without_a_case_do_not_count():
    none, some = Measure(0.0, cases=0), [Measure(x, cases=3) for x in (1.2, 1.5)]
    its = claim(paper=1.0, sense="at least")
    _, all_seeds = judged(its, some[0], none, some[1])
    assert (all_seeds.verdict, all_seeds.pooled) == (REPRODUCED, {"bundled": {"a": 2}})
    assert all_seeds.measures["bundled"]["a"] == Measure(1.2, cases=6)
    for lone in ([none, *some], [some[0], none, none]):
        alone, all_seeds = judged(its, *lone)
        assert all_seeds == alone


def test_a_corrected_statement_is_pooled_likewise():
    corrected = Statement("less than 3", "bound", 3.0)
    its = claim(paper=1.0, corrected=corrected)
    found = [Measure(2.0), Measure(2.5), Measure(2.2)]
    alone, all_seeds = judged(its, *found, corrected=[Measure(2.0), Measure(2.9), Measure(2.2)])
    assert (alone.verdict, all_seeds.verdict) == ("corrected", "corrected")
    assert scoreboard.explanation(all_seeds)[0][1] == "less than 3 (measured 2.9 (worst of 3 seeds))."
    _, all_seeds = judged(its, *found, corrected=[Measure(2.0), Measure(3.1), Measure(2.2)])
    assert all_seeds.verdict == DIFFERS
    errors = [Measure(each.value, 1.0, 9) for each in found]
    alone, all_seeds = judged(its, *errors, corrected=errors)
    assert (alone.verdict, all_seeds.verdict) == (INCONCLUSIVE, INCONCLUSIVE)
    spread = [Measure(2 + 0.01 * x, 1.0, 9) for x in NOISE]
    alone, all_seeds = judged(its, *spread, corrected=spread)
    assert (alone.verdict, all_seeds.verdict) == (INCONCLUSIVE, "corrected")


@pytest.mark.parametrize(("found", "alarms"), [(0.5, []), (0.2, ["bundled"])])
def test_what_was_found_has_to_come_out_of_all_seeds(found, alarms):
    its = claim(reason="another optimiser", found={"": (found, 0.0)})
    alone, all_seeds = judged(its, *[Measure(0.5 + 0.04 * x, 0.1) for x in NOISE])
    assert (alone.verdict, alone.unexplained) == (DIFFERS, [])  # its error is too large to tell
    assert (all_seeds.verdict, all_seeds.unexplained) == (DIFFERS, alarms)


def test_a_vacuous_row_stays_vacuous():
    _, all_seeds = judged(claim(trivial=-1.0), *runs(-9.0, 1.0))
    assert all_seeds.verdict == verdicts.VACUOUS


def test_each_kind_of_data_has_its_own_seeds():
    its = claim()
    found = runs(-5.0, 1.0)
    [alone] = judgement.of_claims([its], {"bundled": {"a": found[0]}, "full": {"a": found[0]}})
    table = others([its], {"a": found[1:]})
    assert judgement.by_all_seeds(alone, {"full": table}).by_data == {
        "bundled": INCONCLUSIVE, "full": REPRODUCED
    }  # fmt: skip
    both = {"bundled": REPRODUCED, "full": REPRODUCED}  # the same digits: one measurement
    assert judgement.by_all_seeds(alone, {"bundled": table}).by_data == both
    [other] = judgement.of_claims([its], {"bundled": {"a": found[0]}, "full": {"a": found[1]}})
    assert judgement.by_all_seeds(other, {"bundled": table}).by_data["full"] == INCONCLUSIVE
    assert judgement.by_all_seeds(alone, {}) == alone


def test_the_scoreboard_says_that_all_seeds_decide_and_what_each_says_alone():
    _, all_seeds = judged(claim(), *runs(-5.0, 1.0))
    few = replace(all_seeds, other_seeds=(1, 7))
    assert (few.depends_on_seed, few.verdict) == (False, REPRODUCED)
    its = scoreboard.Evidence(seeds={"a": (1, 7, False)})
    text = scoreboard.markdown({"alpha": [few]}, found={"alpha": its})
    assert "| says | -5 ± 0.31 (8 seeds) | 80 | 1 of 7 |  | **reproduced** |" in text

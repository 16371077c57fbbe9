import json
from dataclasses import replace

import pytest

from reproduce.errors import InvalidLedger, InvalidResults
from reproduce.paths import Family, Project
from reproduce.power import evidence
from reproduce.scoring import judgement, scoreboard, scores
from reproduce.scoring.ledger import Claim, Statement


def claim(name, kind="exact", paper=1.0, says="one", **more):
    return Claim(name, f"Table {name}", Statement(says, kind, paper), **more)


CLAIMS = [
    claim("good"),
    claim("bad"),
    claim("known", reason="the optimiser is <not> stated | at all", found={"": (0.5, 0.1)}),
    claim("fixed", corrected=Statement("two", "exact", 2.0, tolerance=0.05), counterexample="n = 3"),
    claim("absent", needs="torch"),
    claim("proof", checkable=False, reason="about all of R^d"),
]
MEASURES = {
    "good": (1.0, 0.0),
    "bad": (1.23456789, 0.0),
    "known": (0.69, 0.0),
    "fixed": (2.0, 0.0),
    "fixed.corrected": (2.0, 0.01),
}


@pytest.fixture
def judged():
    return {"alpha": judgement.of_claims(CLAIMS, {"bundled": MEASURES})}


def test_one_verdict_each(judged):
    assert [j.verdict for j in judged["alpha"]] == [
        "reproduced", "differs", "differs", "corrected", "not run", "not checkable"
    ]  # fmt: skip


def test_ours_are_counted_apart(judged):
    ours = judgement.of_claims([claim("own", ours=True)], {"bundled": {"own": (1.0, 0.0)}})
    counts = scoreboard.summary({"alpha": [*judged["alpha"], *ours], "beta": judged["alpha"]})
    assert list(counts) == ["alpha", "beta", "all", "our own beside them"]
    assert counts["alpha"] == counts["beta"] == {
        "reproduced": 1, "corrected": 1, "differs": 2, "not run": 1, "not checkable": 1
    }  # fmt: skip
    assert counts["all"]["differs"] == 4
    assert counts["our own beside them"] == {"reproduced": 1}


def test_the_console(judged):
    head, row, total, *differ = scoreboard.totals_lines(judged)
    assert head.split()[2:5] == ["statements", "reproduced", "corrected"]
    assert row.split() == ["alpha", "1", "1", "2", "0", "0", "0", "1", "1"]
    assert total.split() == ["all", "1", "1", "2", "0", "0", "0", "1", "1"]
    assert len(head) == len(row)
    assert differ[1:] == [
        "What differs, of the papers' statements:", "alpha bad (Table bad)", "alpha known (Table known)"
    ]  # fmt: skip
    assert scoreboard.unexplained_lines(judged) == [
        "alpha: bad differs: measured 1.235, the paper says one (Table bad)"
    ]


def test_markdown(judged):
    text = scoreboard.markdown(judged)
    assert "| alpha | 0 | 1 | 1 | 2 | 0 | 0 | 0 | 1 | 1 |" in text
    assert text.index("What the verdicts mean") < text.index("## alpha")
    assert "| Table good<br>`good` | one | 1 |  |  |  | **reproduced** |" in text
    assert "| Table bad<br>`bad` | one | 1.235 |  |  |  | **differs** [1] |" in text
    assert "1. `bad`: No reason is known: this must hold." in text
    assert "2. `known`: the optimiser is &lt;not&gt; stated &#124; at all" in text
    assert "3. `fixed`: Corrected: two (measured 2 ± 0.01). Counterexample: n = 3" in text
    assert "| needs torch |  |  |  | **not run** [4] |" in text
    assert "5. `proof`: about all of R^d" in text
    assert "must hold" in text


def test_markdown_is_safe_in_a_table():
    wild = claim("w", says="a | b <b>*x*</b>\n_y_ & z")
    text = scoreboard.markdown({"alpha": judgement.of_claims([wild], {})})
    [row] = [line for line in text.splitlines() if "`w`" in line]
    assert "a &#124; b &lt;b&gt;\\*x\\*&lt;/b&gt; \\_y\\_ &amp; z" in row
    assert row.count("|") == 8


def test_each_data_has_its_own_column_and_the_worst_decides():
    measures = {"bundled": {"good": (7.0, 0.0), "bad": (1.0, 0.0)}, "full": {"good": (1.0, 0.0)}}
    judged = {"alpha": judgement.of_claims(CLAIMS[:2], measures)}
    assert [j.verdict for j in judged["alpha"]] == ["differs", "reproduced"]
    text = scoreboard.markdown(judged)
    assert (
        "| claim | says | measured, bundled data | measured, full data | cases | seeds | faults | verdict |"
        in text
    )
    assert "| one | 7 | 1, reproduced |  |  |  | **differs** [1] |" in text
    assert "| one | 1 |  |  |  |  | **reproduced** |" in text


def test_hostile_text_stays_text():
    wild = claim("w", says="[a](x) ![b](y) $c$ `d` @e #1 \u202egnp")
    [row] = [
        x for x in scoreboard.markdown({"alpha": judgement.of_claims([wild], {})}).splitlines() if "`w`" in x
    ]
    assert not set("[]!$@#\u202e") & set(row.replace("&#", "").replace("[1]", ""))


def test_cases_and_what_may_still_fail():
    claims = [claim("good", "bound", 0.0), claim("bad", "bound", 0.0)]
    measures = {"good": (0.0, 0.0, None, 7610), "bad": (0.0, 0.0, None, 3)}
    text = scoreboard.markdown({"alpha": judgement.of_claims(claims, {"bundled": measures})})
    assert "| 7,610, at most 0.0004 |" in text and "| 3, at most 1 |" in text


def test_rows_that_a_fault_turns_are_counted_apart(judged):
    rows = [claim("good", faults=("a", "b")), claim("also"), claim("own", ours=True, faults=("a",))]
    measures = {"bundled": {"good": (1.0, 0.0), "also": (1.0, 0.0), "own": (1.0, 0.0)}}
    marks = {("good", "a"): "X", ("good", "b"): ".", ("own", "a"): "~"}
    keys = dict.fromkeys(["-", "a", "b"], "key")
    power = evidence.Evidence("smoke", keys, marks, {})
    its = scoreboard.Evidence(power, seeds={"good": (19, 20, False)}, profile_of_seeds="tiny")
    text = scoreboard.markdown({"alpha": judgement.of_claims(rows, measures)}, found={"alpha": its})
    assert "| all | 1 | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 0 |" in text
    assert "| our own beside them | 0 | 1 |" in text
    assert "| Table good<br>`good` | one | 1 |  | 19 of 20 | 1 | **reproduced** |" in text
    assert "2 deliberate errors were tried, in the profile smoke; no row notices `b`." in text
    assert "The other seeds were run in the profile tiny." in text
    noticed = scoreboard.Evidence(evidence.Evidence("smoke", keys, marks | {("good", "b"): "X"}, {}))
    assert "; each turns a row." in scoreboard.markdown(judged, found={"alpha": noticed})
    assert "on older sources" not in text
    assert "on older sources" in scoreboard.markdown(judged, found={"alpha": scoreboard.Evidence(None, True)})


def test_what_other_seeds_do_not_share_is_not_decided():
    measures = {"bundled": {"good": (1.0, 0.0), "bad": (2.0, 0.0)}}
    judged = judgement.of_claims(CLAIMS[:2], measures)

    def with_seeds(same):
        return [replace(j, other_seeds=(same, 20)) for j in judged]

    assert [j.verdict for j in with_seeds(18)] == ["reproduced", "differs"]
    assert [j.verdict for j in with_seeds(17)] == ["inconclusive", "inconclusive"]
    both = judgement.of_claims(CLAIMS[:2], measures | {"full": measures["bundled"] | {"good": (2.0, 0.0)}})
    assert [replace(j, other_seeds=(17, 20)).verdict for j in both] == ["differs", "inconclusive"]
    text = scoreboard.markdown({"alpha": with_seeds(17)})
    assert "1. `good`: On bundled data it holds, and with 17 of 20 other seeds." in text
    assert "2. `bad`: On bundled data it fails, and with 17 of 20 other seeds." in text
    [complaint] = scoreboard.unexplained_lines({"alpha": with_seeds(17)})
    assert complaint.startswith("alpha: bad differs: measured 2")
    assert "fewer than 90% of the other seeds" in text


def test_what_is_undecided_has_its_reason_beside_it():
    near = claim("near", "bound", 0.0, reason="Five runs do not decide it.", found={"": (0.1, 0.1)})
    judged = judgement.of_claims([near], {"bundled": {"near": (0.1, 0.1)}})
    text = scoreboard.markdown({"alpha": judged})
    assert "**inconclusive** [1] |" in text
    assert "1. `near`: Five runs do not decide it." in text


@pytest.mark.parametrize(
    ("is_stale", "profile", "verdict"),
    [(False, "paper", "inconclusive"), (True, "paper", "inconclusive"), (False, "smoke", "reproduced")],
)
def test_seeds_of_the_same_scale_count_and_those_of_older_sources_too(
    monkeypatch, is_stale, profile, verdict
):
    seeds = {"good": (3, 20, False)}
    monkeypatch.setattr("reproduce.stability.read_stability", lambda *_, shown: (seeds, is_stale, profile))
    monkeypatch.setattr("reproduce.stability.for_judging", lambda *_: {})
    judged = judgement.of_claims(CLAIMS[:1], {"bundled": {"good": (1.0, 0.0)}})
    [found] = judgement._with_other_seeds(None, "alpha", judged, "paper")
    assert found.verdict == verdict


def test_nothing_at_all():
    [head] = scoreboard.totals_lines({})
    assert head.split("  ")[:3] == ["the papers' statements", "reproduced", "corrected"]
    assert scoreboard.markdown({}).startswith("# Scoreboard")


# scores.write, over files


def put(mini, value, folder="figures/alpha", name="one", **more):
    measures = [{"claim": name, "value": value, "stderr": None, "context": {}}]
    content = {"paper": "alpha", "data": [], "figures": [], "tables": [], "measures": measures} | more
    mini.write(f"{folder}/results.json", json.dumps(content))


@pytest.fixture
def check(project):
    return lambda *family: scores.write_scores(Project(project.root), Family(*family))


def test_a_claim_that_holds(project, check):
    put(project, 13)
    outcome = check()
    assert not outcome.failed
    assert "**reproduced**" in project.read("figures/SCOREBOARD.md")


def test_a_claim_that_must_hold(project, check):
    put(project, 14)
    outcome = check()
    assert outcome.failed
    assert "alpha: one differs: measured 14, the paper says the value is 13 (Table 1)" in outcome.lines


def test_a_difference_with_a_reason(project, check):
    put(project, 14)
    reason = 'reason = "another optimiser"\nfound = [14, 0]\n'
    project.write("reproduce/claims/alpha.toml", project.LEDGER + reason)
    assert not check().failed
    assert "another optimiser" in project.read("figures/SCOREBOARD.md")


def test_a_row_that_holds_against_its_reason_is_an_alarm(project, check):
    put(project, 13)
    reason = 'reason = "another optimiser"\nfound = [14, 0]\n'
    project.write("reproduce/claims/alpha.toml", project.LEDGER + reason)
    outcome = check()
    assert outcome.failed
    assert "alpha: one holds: measured 13, and its reason says that it differs (Table 1)" in outcome.lines


@pytest.mark.parametrize(("value", "fails"), [(13, False), (13.8, False), (12, True)])
def test_a_value_near_the_limit_may_fall_on_either_side(project, check, value, fails):
    put(project, value)
    ledger = project.LEDGER + 'tolerance = 0.5\nreason = "close"\nfound = [13.4, 0.2]\n'
    project.write("reproduce/claims/alpha.toml", ledger)
    assert check().failed == fails


def test_a_vacuous_row_fails(project, check):
    put(project, 13)
    project.write("reproduce/claims/alpha.toml", project.LEDGER + "trivial = 13\n")
    outcome = check()
    assert outcome.failed
    assert (
        "alpha: one is vacuous: 13, which needs no method at all, would hold as well (Table 1)"
        in outcome.lines
    )
    assert "**vacuous**" in project.read("figures/SCOREBOARD.md")


@pytest.mark.parametrize("value", [15, float("nan")])
def test_a_difference_other_than_the_one_explained(project, check, value):
    put(project, value)
    reason = 'reason = "another optimiser"\nfound = [14, 0.2]\n'
    project.write("reproduce/claims/alpha.toml", project.LEDGER + reason)
    outcome = check()
    assert outcome.failed
    assert outcome.lines[-1].endswith(", and the reason given is for another value (Table 1)")


def test_not_run_does_not_fail(project, check):
    assert not check().failed
    assert "**not run**" in project.read("figures/SCOREBOARD.md")


def test_a_measure_that_no_ledger_has(project, check):
    put(project, 13, name="onne")
    outcome = check()
    assert outcome.failed
    assert "alpha: measured 'onne', which no ledger has: did you mean one?" in outcome.lines
    (project.root / "reproduce/claims/alpha.toml").unlink()
    assert "alpha: measured 'onne', which no ledger has: there are none" in check().lines


def test_other_parameters_are_shown_and_do_not_fail(project, check):
    put(project, 14, folder="build/runs/alpha-smoke-bundled")
    outcome = check("smoke")
    assert not outcome.failed
    assert not any("differs: measured" in line for line in outcome.lines)
    assert not (project.root / "figures").exists()
    assert "**differs**" in project.read("build/runs/SCOREBOARD-smoke-bundled.md")


def test_the_scoreboard_is_rewritten_only_when_it_changes(project, check):
    put(project, 13)
    check()
    path = project.root / "figures/SCOREBOARD.md"
    before = path.stat().st_ino
    check()
    assert path.stat().st_ino == before
    put(project, 14)
    check()
    assert path.stat().st_ino != before
    files = {p.name for p in (project.root / "figures").iterdir() if p.is_file()}
    assert files == project.SCOREBOARD


def test_a_ledger_without_a_notebook_is_listed(project, check):
    project.write("reproduce/claims/later.toml", project.LEDGER)
    check()
    assert "## later" in project.read("figures/SCOREBOARD.md")


def test_what_cannot_be_read(project, check):
    put(project, "x")
    with pytest.raises(InvalidResults, match=r"alpha/results\.json is malformed"):
        check()
    project.write("reproduce/claims/alpha.toml", "[[claim]]")
    with pytest.raises(InvalidLedger):
        check()

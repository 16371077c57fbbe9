"""What `Recorder.show` shows of claims."""

import pytest

from paperlib.experiments import ledger, publishing
from paperlib.experiments.claim_table import ClaimTable, belonging, expected
from paperlib.experiments.ledger import Claim, Statement

BOUND = Statement("no more than 2 < 3", "bound", 2.0)


def claim(id, statement=BOUND, **more):
    return Claim(id, "Lemma 1", statement, **more)


def table(one, **measure):
    rows = {one.id: publishing.measure_row(one.id, **measure)} if measure else {}
    return ClaimTable([one], rows, ["lemma-1"])


CLAIMS = [
    claim("lemma-3.1.size", shown="sizes"),
    claim("lemma-3.1.n"),
    claim("section-3.told"),
    claim("section-3.1.svm-perf"),
    claim("section-3.1.svm-perf-fast"),
    claim("section-3.10"),
    claim("sizes-of-others"),
]


@pytest.mark.parametrize(
    "names, expected",
    [
        (["lemma-3.1"], ["lemma-3.1.size", "lemma-3.1.n"]),
        (["sizes"], ["lemma-3.1.size", "sizes-of-others"]),
        (["section-3"], ["section-3.told"]),
        (["section-3.1"], ["section-3.1.svm-perf", "section-3.1.svm-perf-fast"]),
        (["section-3.1.svm-perf-fast"], ["section-3.1.svm-perf-fast"]),
        (
            ["section-3.told", "sizes", "lemma-3.1.size"],
            ["lemma-3.1.size", "section-3.told", "sizes-of-others"],
        ),
    ],
)
def test_claims_belong_to_names(names, expected):
    assert [each.id for each in belonging(CLAIMS, names)] == expected


@pytest.mark.parametrize("name", ["lemma-3", "lemma-3.1.si", "section-3.1.svm-perf.fast", ""])
def test_a_name_that_no_claim_belongs_to_is_an_error(name):
    with pytest.raises(ValueError, match=f"no claim of the ledger belongs to '{name}'"):
        belonging(CLAIMS, ["sizes", name])


def test_the_closest_name_is_suggested():
    with pytest.raises(ValueError, match=r"'lema-3.1': did you mean lemma-3.1\?"):
        belonging(CLAIMS, ["lema-3.1"])


def test_no_name_at_all_is_an_error():
    with pytest.raises(ValueError, match="got none"):
        belonging(CLAIMS, [])


@pytest.mark.parametrize(
    "statement, words",
    [
        (BOUND, "at most 2"),
        (Statement("", "bound", 0.5, sense="at least"), "at least 0.5"),
        (Statement("", "order"), "more than 0"),
        (Statement("", "trend"), "more than 0"),
        (Statement("", "value", 0.45, 0.02), "0.45 ± 0.02"),
        (Statement("", "value", 0.45), "0.45"),
        (Statement("", "exact", 0.0, tolerance=1e-9), "0"),
        (Statement("", "identity", 1.0), "1"),
        (Statement("not checkable", "value"), ""),
    ],
)
def test_what_is_expected_is_said_in_words(statement, words):
    assert expected(statement) == words


@pytest.mark.parametrize(
    "measure, here, verdict",
    [
        ({"value": 1.23456, "stderr": 0.0123}, "1.235 ± 0.012", "reproduced"),
        ({"value": 1.9, "stderr": 0.1, "cases": 1200}, "1.9 ± 0.1 (1,200 cases)", "inconclusive"),
        ({"value": 0.0, "resolution": 1e-9, "cases": 3}, "below 1e-09 (3 cases)", "reproduced"),
        ({"value": 0, "cases": 500}, "0 of 500", "reproduced"),
        ({"value": 7, "cases": 1500}, "7 of 1,500", "differs"),
        ({"value": 0.0, "cases": 0}, "no case", "inconclusive"),
        ({"value": 2.5}, "2.5", "differs"),
        ({}, "", "not run"),
    ],
)
def test_what_came_out_is_said_in_words(measure, here, verdict):
    assert table(claim("lemma-1"), **measure).rows() == [
        ("Lemma 1: no more than 2 < 3", "", "at most 2", here, verdict)
    ]


def test_degrees_of_freedom_decide_as_on_the_scoreboard():
    assert table(claim("a"), value=1.0, stderr=0.2, cases=9).rows()[0][-1] == "reproduced"
    assert table(claim("a"), value=1.0, stderr=0.2, cases=9, dof=3).rows()[0][-1] == "inconclusive"


def test_a_corrected_claim_shows_both_statements():
    one = claim("a", corrected=Statement("no more than 9", "bound", 9.0))
    rows = {name: publishing.measure_row(name, 5.0) for name in ("a", "a.corrected")}
    assert ClaimTable([one], rows, ["a"]).rows() == [
        ("Lemma 1: no more than 2 < 3", "", "at most 2", "5", "corrected"),
        ("corrected: no more than 9", "", "at most 9", "5", ""),
    ]


def test_what_is_ours_or_cannot_be_measured_here_is_said():
    assert table(claim("a", ours=True), value=1.0).rows()[0][0].endswith(" (ours)")
    assert table(claim("a", needs="full data")).rows()[0][3:] == ("needs full data", "not run")
    assert table(claim("a", checkable=False)).rows()[0][3:] == ("", "not checkable")


def test_what_is_measured_stands_apart_in_small_letters():
    one = table(claim("a", Statement("no more (than n) (most steps (of all), < 9)", "bound", 2.0)), value=1.0)
    assert one.rows()[0][:2] == ("Lemma 1: no more (than n)", "most steps (of all), < 9")
    assert "no more (than n)<br><small>measured: most steps (of all), &lt; 9</small>" in one.html()


def test_html_is_escaped_and_has_no_colours():
    text = table(claim("a"), value=1.0).html()
    assert "no more than 2 &lt; 3" in text and "2 < 3" not in text
    assert "color" not in text and "background" not in text
    assert text.count("<th ") == text.count("<td ") == 4


def test_the_output_bears_what_it_was_asked_for_and_is_the_same_each_time():
    one = table(claim("a"), value=1.0, cases=3)
    content, metadata = one._repr_mimebundle_()
    assert set(content) == {"text/plain", "text/html"}
    assert metadata == {"reproduce": {"show": ["lemma-1"]}}
    assert (content, metadata) == table(claim("a"), value=1.0, cases=3)._repr_mimebundle_()
    assert content["text/plain"] == (
        "Lemma 1: no more than 2 < 3\n    expected: at most 2 | here: 1 (3 cases) | verdict: reproduced"
    )


@pytest.mark.parametrize("path", sorted(ledger.FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_each_claim_of_the_papers_can_be_shown(path):
    claims = ledger.load(path)
    for each in claims:
        assert each in belonging(claims, [each.id])
        assert ClaimTable([each], {}, [each.id]).rows()

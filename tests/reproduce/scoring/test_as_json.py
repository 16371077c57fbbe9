"""The scoreboard for programs: what it holds, and that it is what its schema says."""

import json
import math
import re
from pathlib import Path

import jsonschema
import pytest

from reproduce.publication.results import Measure
from reproduce.scoring import as_json, judgement, scoreboard
from reproduce.scoring.ledger import Claim, Statement

ROOT = Path(__file__).resolve().parents[3]
CLAIMS = [
    Claim("good", "Lemma 1", Statement("no more than 2", "bound", 2.0), trivial=3.0, faults=("off",)),
    Claim("odd", "Lemma 2", Statement("1", "exact", 1.0), reason="a slip", found={"": (math.pi, 0.0)}),
    Claim(
        "fixed",
        "Lemma 3",
        Statement("one", "exact", 1.0),
        corrected=Statement("two", "exact", 2.0),
        counterexample="n = 3",
    ),
    Claim("none", "Lemma 4", Statement("more", "order"), ours=True),
    Claim("nan", "Lemma 5", Statement("1", "exact", 1.0)),
]
MEASURES = {
    "good": Measure(1.0, 0.01, dof=4, cases=5),
    "odd": Measure(math.pi),
    "fixed": Measure(2.0),
    "fixed.corrected": Measure(2.0),
    "nan": Measure(math.nan),
}


@pytest.fixture
def written():
    judged = {"alpha": judgement.of_claims(CLAIMS, {"bundled": MEASURES})}
    found = {"alpha": scoreboard.Evidence(seeds={"good": (3, 4, False)})}
    return [json.loads(text) for text in as_json.texts(judged, "Scoreboard", found)]


def test_numbers_and_verdicts_of_each_row(written):
    good, odd, fixed, none, nan = written[0]["papers"]["alpha"]["claims"]
    assert good["measured"]["bundled"] == {
        "verdict": "reproduced",
        "of_statement": {"value": 1.0, "stderr": 0.01, "dof": 4, "cases": 5},
    }
    assert (good["paper"], good["trivial"], good["verdict"]) == (2.0, 3.0, "reproduced")
    assert good["other_seeds"] == {"same": 3, "of": 4, "constant": False}
    assert odd["measured"]["bundled"]["of_statement"]["value"] == 3.141593  # seven digits
    assert (odd["verdict"], odd["why"]) == ("differs", "a slip")
    assert fixed["corrected"]["says"] == "two" and "Counterexample: n = 3" in fixed["why"]
    assert fixed["measured"]["bundled"]["of_corrected"]["value"] == 2.0
    assert none["measured"]["bundled"] == {"verdict": "not run"} and none["ours"]
    assert nan["measured"]["bundled"]["of_statement"]["value"] is None
    assert written[0]["totals"]["alpha"]["differs"] == 2


def test_it_is_what_the_schema_says(written):
    content, schema = written
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(content, schema)
    content["papers"]["alpha"]["claims"][0]["verdict"] = "proved"
    with pytest.raises(jsonschema.ValidationError, match="'proved' is not one of"):
        jsonschema.validate(content, schema)


def test_what_is_committed_agrees_with_the_scoreboard():
    content, schema = (
        json.loads((ROOT / "figures" / name).read_text()) for name in ("scoreboard.json", as_json.SCHEMA_NAME)
    )
    jsonschema.validate(content, schema)
    page = (ROOT / "figures" / "SCOREBOARD.md").read_text()
    for paper, its in content["papers"].items():
        rows = page.split(f"\n## {paper.replace('_', chr(92) + '_')}\n")[1].split("\n## ")[0].splitlines()
        verdicts = {
            re.search(r"<br>`(.*?)` \|", row)[1]: re.search(r"\*\*(.*?)\*\*(?: \[\d+\])? \|$", row)[1]
            for row in rows
            if "<br>`" in row
        }
        assert verdicts == {row["id"]: row["verdict"] for row in its["claims"]}

import json

import pytest

from reproduce.errors import InvalidResults
from reproduce.publication import results

GOOD = {"paper": "alpha", "data": [], "figures": ["f"], "tables": ["t"], "measures": []}


@pytest.fixture
def folder(tmp_path):
    for name in ("f.svg", "f.png", "t.csv"):
        (tmp_path / name).write_text("x")
    return tmp_path


def put(folder, content):
    text = content if isinstance(content, str) else json.dumps(content)
    (folder / "results.json").write_text(text)


def measure(**fields):
    return GOOD | {"measures": [{"claim": "a", "value": 1, "stderr": None, "context": {}} | fields]}


def test_accepted(folder):
    put(folder, measure(value=0.5, stderr=0.1))
    assert results.measures(results.accept(folder, "alpha")) == {"a": (0.5, 0.1, None, None, None)}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "malformed"),
        ("[]", "malformed: it must be an object, got"),
        ({}, "`paper` is missing"),
        (GOOD | {"figures": {}}, "`figures` must be a list"),
        (GOOD | {"tables": [3]}, r"`tables`\[0\] must be a text, got 3"),
        (GOOD | {"paper": "beta"}, "must name the paper 'alpha', got 'beta'"),
        (GOOD | {"figures": ["f", "g"]}, "names g.svg, g.png, which the notebook did not write"),
        (GOOD | {"tables": ["u"]}, "names u.csv"),
        (GOOD | {"measures": [3]}, r"`measures`\[0\] must be an object, got 3"),
        (measure(claim=3), "`claim` must be a text, got 3"),
        (measure(value="1"), "`value` must be a number or null, got"),
        (measure(value=True), "`value` must be a number or null, got"),
        (measure(stderr=-1), "stderr of a must be >= 0, got -1"),
        (measure(resolution=0), "resolution of a must be > 0, got 0"),
        (GOOD | {"measures": [{"claim": "a", "value": 1}] * 2}, "a is measured twice"),
    ],
)
def test_malformed(folder, content, says):
    put(folder, content)
    with pytest.raises(InvalidResults, match=says):
        results.accept(folder, "alpha")


def test_none_at_all(folder):
    assert results.read_results(folder) is None
    with pytest.raises(InvalidResults, match=r"wrote no results\.json"):
        results.accept(folder, "alpha")


@pytest.mark.parametrize("value", ["NaN", "Infinity", "null"])
def test_a_measure_that_is_no_number_is_kept_as_such(folder, value):
    put(folder, json.dumps(measure(value=7)).replace("7", value))
    measured, *_ = results.measures(results.accept(folder, "alpha"))["a"]
    assert not abs(measured) < float("inf")


def test_the_same_content_gives_the_same_bytes(folder):
    results.add_provenance(folder, {"b": 1, "a": [0.1]}, {"key": "k"})
    first = (folder / "results.json").read_bytes()
    results.add_provenance(folder, {"a": [0.1], "b": 1}, {"key": "k"})
    assert (folder / "results.json").read_bytes() == first
    assert first.endswith(b"}\n")

"""Which tests are named beside a claim."""

import json
from pathlib import Path

import pytest

from reproduce.paths import Family, Project
from reproduce.planning import traces
from reproduce.scoring import ledger
from reproduce.site import notebooks, tested_by

REPOSITORY = Project(Path(__file__).resolve().parents[3])
TESTS = """
import pytest
from paperlib.experiments.alpha import lemmas
from paperlib.experiments.alpha.lemmas import counted as n_of
CASES = ["gamma"]
def helper():
    return lemmas.slope([1])
def test_slope():
    assert helper() == 1
def test_count():
    assert n_of(3) == 3
def test_slope_and_count():
    assert lemmas.slope([n_of(3)]) == 3
@pytest.mark.parametrize("claim", CASES)
def test_by_name(claim):
    assert claim
def test_bad_input_is_named():
    lemmas.slope(None)
def test_local_names():
    slope = counted = 1
"""
LEMMAS = """
def slope(x): return x[0]
def counted(x): return x
def listed(): return "delta"
"""


@pytest.fixture
def found(project):
    """Names of tests beside the claims of a small notebook."""
    cells = [
        project.prose("# Title"),
        project.computed("from paperlib.experiments.alpha import lemmas\nrows = [1]"),
        project.computed("first = lemmas.slope(rows)\nsecond = lemmas.counted(7)"),
        project.computed('record.measure("alpha", first)\nrecord.measure("beta", second)'),
        project.computed('record.measure("alone", 3)'),
    ]
    project.write("notebooks/alpha.ipynb", json.dumps({"cells": cells, "metadata": {}}))
    project.results(measures=[(name, 1) for name in ("alpha", "beta", "gamma", "delta", "alone")])
    project.write("paperlib/alpha/__init__.py", "")
    project.write("paperlib/experiments/alpha/lemmas.py", LEMMAS)
    project.write("tests/paperlib/experiments/alpha/test_lemmas.py", TESTS)
    root = Project(project.root)
    shown = notebooks.load(root, "alpha", Family())
    return {claim: [t.name for t in near] for claim, near in tested_by.load(root, "alpha", shown).items()}


def test_tests_use_what_the_claim_comes_from(found):
    assert found["alpha"] == ["test_slope", "test_slope_and_count"]
    assert found["beta"] == ["test_count", "test_slope_and_count"]


def test_tests_may_name_the_claim(found):
    assert found["gamma"] == ["test_by_name"]


def test_else_there_is_none(found):
    assert "alone" not in found
    assert "delta" not in found  # no test uses what knows of it


def test_without_a_notebook_or_tests(project):
    assert tested_by.load(Project(project.root), "alpha", None) == {}
    shown = notebooks.load(Project(project.root), "alpha", Family())
    assert tested_by.load(Project(project.root), "alpha", shown) == {}


@pytest.mark.parametrize("paper", [p for p in REPOSITORY.papers if not traces.has_steps(REPOSITORY, p)])
def test_nearly_every_claim_of_a_known_cell_has_a_test_that_is_there(paper):
    shown = notebooks.load(REPOSITORY, paper, Family())
    found = tested_by.load(REPOSITORY, paper, shown)
    known = {claim.id for claim in ledger.load_all(REPOSITORY)[paper] if claim.id in shown.measures}
    assert len(known & found.keys()) >= 0.9 * len(known)
    for tests in found.values():
        assert f"def {tests[0].name}(" in (REPOSITORY.root / tests[0].file).read_text()

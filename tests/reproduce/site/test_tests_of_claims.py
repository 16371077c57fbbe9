"""Which tests are chosen for the claims of a paper with steps."""

import json
import subprocess

import pytest

from reproduce.errors import ReproduceError
from reproduce.library import identifier
from reproduce.paths import Project
from reproduce.scoring import ledger, measures
from reproduce.site import tests_of_claims
from tests.papers import PAPERS

CLAIMS = "def one(sizes):\n    return sizes\n"
WORK = "def sizes(seed):\n    return shared(seed)\ndef shared(seed):\n    pass\ndef other():\n    pass\n"
TRACE = {
    "run": {},
    "calls": [
        {"step": "sizes", "arguments": "", "inputs": [], "entered": {"paperlib.work": "sizes shared"}},
        {"step": "other", "arguments": "", "inputs": [], "entered": {"paperlib.work": "other"}},
    ],
    "tables": {"sizes": 0, "others": 1},
}
ENTERED = {
    "test_sizes": {"paperlib.work": "sizes shared"},
    "test_all": {"paperlib.work": "sizes shared other"},
    "test_other": {"paperlib.work": "other"},
    "test_one": {"paperlib.experiments.alpha.claims": "one"},
    "test_gone": {"paperlib.work": "sizes shared", "paperlib.experiments.alpha.claims": "one"},
}
FILE = "tests/paperlib/experiments/alpha/test_work.py"


@pytest.fixture
def stepped(project, monkeypatch):
    """A paper with steps, of which the tests ran."""
    project.write("paperlib/work.py", WORK)
    project.write("paperlib/experiments/alpha/claims.py", CLAIMS)
    project.write("figures/alpha/trace.json", json.dumps(TRACE))
    project.write(FILE, "".join(f"def {test}():\n    pass\n" for test in ENTERED if test != "test_gone"))
    known = {f"{FILE}::{test}": {"digest": "", "items": items} for test, items in ENTERED.items()}
    known["tests/paperlib/beta/test_work.py::test_sizes"] = known[f"{FILE}::test_sizes"]
    project.write("build/tests/traces.json", json.dumps(known))
    project.returncode = 0
    monkeypatch.setattr(
        tests_of_claims.subprocess,
        "run",
        lambda command, cwd: subprocess.CompletedProcess(command, project.returncode),
    )
    return project


def test_the_table_of_a_paper(stepped):
    root = Project(stepped.root)
    path = tests_of_claims.write_tests(root, "alpha")
    assert path.read_text() == f"claim,test\none,{FILE}::test_one\none,{FILE}::test_sizes\n"
    assert tests_of_claims.read_tests(root, "alpha") == {
        "one": [(FILE, "test_one", 7), (FILE, "test_sizes", 1)]
    }
    stepped.write(FILE, "def test_one():\n    pass\ndef test_sizes_of_others():\n    pass\n")
    assert tests_of_claims.read_tests(root, "alpha") == {"one": [(FILE, "test_one", 1)]}
    path.unlink()
    assert tests_of_claims.read_tests(root, "alpha") == {}


def test_nothing_is_chosen_without_a_trace_or_where_tests_fail(stepped):
    root = Project(stepped.root)
    stepped.returncode = 1
    with pytest.raises(ReproduceError, match="while some fail"):
        tests_of_claims.write_tests(root, "alpha")
    (stepped.root / "figures/alpha/trace.json").unlink()
    with pytest.raises(ReproduceError, match="reproduce run alpha"):
        tests_of_claims.write_tests(root, "alpha")


def test_rare_items_count_more_and_a_second_test_adds_to_the_first():
    depended = {"one": {"common", "rare", "measure"}, "two": {"common"}, "none": {"untested"}}
    entered = {
        "broad": {"common", "rare", "a", "b", "c"},
        "step": {"common", "rare"},
        "measure": {"measure"},
        "base": {"common"},
    }
    chosen = tests_of_claims.choose(depended, entered)
    assert chosen == {"one": ["measure", "step"], "two": ["base"], "none": []}


def test_a_test_that_adds_next_to_nothing_is_not_named():
    entered = {"step": {"a", "b"}} | {f"test_{number}": {"often"} for number in range(50)}
    assert tests_of_claims.choose({"one": {"a", "b", "often"}}, entered) == {"one": ["step"]}


@pytest.mark.parametrize("paper", PAPERS)
def test_nearly_every_measured_claim_has_a_test_that_is_there(paper):
    read = measures.arguments(Project(), paper)
    claims = [claim.id for claim in ledger.load_all(Project())[paper]]
    known = {claim for claim in claims if identifier(claim) in read}
    assert len(known & tests_of_claims.read_tests(Project(), paper).keys()) >= 0.9 * len(known)

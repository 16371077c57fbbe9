"""Measures that `check` computes again from the published tables."""

import json
import shutil
import subprocess

import pytest

from reproduce import errors
from reproduce.paths import Family, Project
from reproduce.planning import runs
from reproduce.publication import record, results
from reproduce.publication.lock import Lock
from reproduce.scoring import measuring
from tests.reproduce.conftest import Mini

MEASURES = Mini.MEASURES
# What the `Recorder` does with a table and at `record.show`, in a project without it.
SHOW = """\
import json, pathlib
from IPython.display import display
from paperlib.experiments import claims
from paperlib.experiments.claim_table import ClaimTable, belonging
out, paper = pathlib.Path(out_dir), claims.of("alpha")
(out / "table-1.csv").write_text(f"noise,value\\n{noise},{value}\\n")
rows = paper.rows(claims.Folder(out))
results = {"paper": "alpha", "data": [], "figures": [], "tables": ["table-1"], "measures": rows}
(out / "results.json").write_text(json.dumps(results))
print("the value is", value)
for names in (["one"], ["table-1", "one"]):
    display(ClaimTable(belonging(paper.claims, names), {row["claim"]: row for row in rows}, names))
"""


@pytest.fixture
def measured(project):
    """A project that measures from tables, with results whose measures are of an older claims.py."""
    project.with_measures()
    provenance = {"key": "k", "platform": "Linux-x86_64"}
    project.results(tables=["table-1"], measures=[("one", 12.0), ("gone", 1.0)], provenance=provenance)
    return project


@pytest.fixture(scope="module")
def shown_once(make_mini, tmp_path_factory):
    """A project whose notebook shows its claims, as it was run; not to be changed."""
    mini = make_mini(tmp_path_factory.mktemp("shown") / "project")
    mini.with_measures()
    mini.write("reproduce/claims/alpha.toml", mini.LEDGER + 'shown = "table-1"\ntolerance = 0.5\n')
    mini.notebook("alpha", record=SHOW)
    done = mini.call("run")
    assert done.code == 0, done
    return mini


@pytest.fixture
def shown(shown_once, tmp_path):
    """A copy of `shown_once` to change at will."""
    root = tmp_path / "shown"
    shutil.copytree(shown_once.root, root)
    return type(shown_once)(root)


def stale_because(project):
    project = Project(project.root)
    [run] = runs.make(project, ["alpha"])
    return record.stale_because(project, run)


def outputs(project):
    """Outputs of the published notebook that show claims."""
    cells = json.loads(project.read("figures/alpha/notebook.ipynb"))["cells"]
    found = [output for cell in cells for output in cell.get("outputs", ())]
    return [output for output in found if "reproduce" in output.get("metadata", {})]


def values(project, folder="figures/alpha"):
    return {
        row["claim"]: row["value"] for row in json.loads(project.read(f"{folder}/results.json"))["measures"]
    }


def test_measures_are_those_of_the_tables_and_nothing_else_changes(measured):
    before = json.loads(measured.read("figures/alpha/results.json"))
    [changed] = measuring.refresh(Project(measured.root), Family())
    assert changed.folder == measured.root / "figures/alpha"
    after = json.loads(measured.read("figures/alpha/results.json"))
    assert values(measured) == {"one": 13.0}
    assert after["measures"][0]["cases"] == 1
    del before["measures"], after["measures"]
    assert before == after
    assert measuring.refresh(Project(measured.root), Family()) == []


def test_both_kinds_of_data_and_other_families_in_one_process_each(measured, monkeypatch):
    run, calls = subprocess.run, []
    monkeypatch.setattr(measuring.subprocess, "run", lambda *a, **k: calls.append(a) or run(*a, **k))
    measured.results(tables=["table-1"], folder="figures/full/alpha")
    measured.write("figures/full/alpha/table-1.csv", "noise,value\n0.1,17\n")
    measured.results(tables=["table-1"], folder="build/runs/alpha-smoke-bundled")
    project = Project(measured.root)
    assert len(measuring.refresh(project, Family())) == 2
    assert len(calls) == 1
    assert (values(measured), values(measured, "figures/full/alpha")) == ({"one": 13.0}, {"one": 17.0})
    assert values(measured, "build/runs/alpha-smoke-bundled") == {}
    measuring.refresh(project, Family("smoke"))
    assert values(measured, "build/runs/alpha-smoke-bundled") == {"one": 13.0}


@pytest.mark.parametrize("has_measures", [True, False])
def test_where_there_is_nothing_to_measure_no_process_starts(project, monkeypatch, has_measures):
    monkeypatch.setattr(measuring.subprocess, "run", None)
    if has_measures:
        project.with_measures()
    else:
        project.results(measures=[("one", 12.0)])
    assert measuring.refresh(Project(project.root), Family()) == []


def test_the_run_stays_up_to_date(shown):
    """Results that the driver measures anew are still those of the run, and any other edit is seen."""
    project = Project(shown.root)
    [run] = runs.make(project, ["alpha"])
    shown.write("figures/alpha/table-1.csv", "noise,value\n0.1,14\n")
    assert len(measuring.refresh(project, Family())) == 1
    assert record.stale_because(project, run) == "figures/alpha/table-1.csv was changed or removed"
    shown.write("figures/alpha/table-1.csv", "noise,value\n0.1,13\n")
    assert len(measuring.refresh(project, Family())) == 1
    assert record.stale_because(project, run) is None


def test_results_that_somebody_edited_do_not_pass_for_those_of_the_run(shown):
    project = Project(shown.root)
    [run] = runs.make(project, ["alpha"])
    folder = shown.root / "figures/alpha"
    results.write_results(folder, results.read_results(folder) | {"data": ["other"]})
    measuring.refresh(project, Family())
    assert record.stale_because(project, run) == "figures/alpha/results.json was changed or removed"


def test_what_is_being_published_is_left_alone(measured):
    project = Project(measured.root)
    lock = Lock(project.lock(project.destination("alpha", Family())))
    assert lock.acquire()
    assert measuring.refresh(project, Family()) == []
    lock.release()
    assert len(measuring.refresh(project, Family())) == 1


def test_check_measures_first(measured):
    done = measured.call("check")
    assert done.code == 0, done
    assert "Measured anew: figures/alpha\n" in done.out
    assert "13" in measured.read("figures/SCOREBOARD.md")
    measured.write("figures/alpha/table-1.csv", "noise,value\n0.1,12.5\n")
    done = measured.call("check")
    assert done.code == 1
    assert "alpha: one differs: measured 12.5, the paper says the value is 13 (Table 1)" in done.out


def test_right_after_a_run_nothing_changes(shown):
    before = shown.published(), shown.published("build/state")
    assert len(outputs(shown)) == 2
    done = shown.call("check")
    assert done.code == 0 and "Measured anew" not in done.out, done
    assert (shown.published(), shown.published("build/state")) == before
    assert stale_because(shown) is None


def test_another_verdict_comes_into_the_notebook_and_nowhere_else(shown):
    ledger, page = "reproduce/claims/alpha.toml", "figures/alpha/notebook.ipynb"
    before = shown.published()
    assert shown.read(page).count("reproduced") == 4  # two outputs, as text and as HTML
    shown.write(ledger, shown.read(ledger).replace("paper = 13", "paper = 14"))
    done = shown.call("check")
    assert "Measured anew: figures/alpha\n" in done.out and done.code == 1, done
    after = shown.published()
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"SCOREBOARD.md", "scoreboard.json", "alpha/notebook.ipynb"}
    expected = before["alpha/notebook.ipynb"].decode()
    for old, new in (("reproduced", "differs"), (">13<", ">14<"), ("expected: 13", "expected: 14")):
        expected = expected.replace(old, new)
    assert shown.read(page) == expected
    assert stale_because(shown) is None
    assert "Measured anew" not in shown.call("check").out
    shown.write(ledger, shown.read(ledger).replace("tolerance = 0.5", "tolerance = 1.5"))
    assert shown.call("check").code == 0
    assert shown.read(page).count("reproduced") == 4 and "differs" not in shown.read(page)
    assert stale_because(shown) is None


def test_other_numbers_come_into_the_notebook_with_those_of_results_json(shown):
    """A notebook that somebody edited gets them too, and does not pass for that of the run."""
    shown.write("paperlib/experiments/alpha/claims.py", MEASURES.replace(".value", ".value + 4"))
    assert len(measuring.refresh(Project(shown.root), Family())) == 1
    assert values(shown) == {"one": 17.0}
    assert shown.read("figures/alpha/notebook.ipynb").count("17 (1 case)") == 4
    assert stale_because(shown) is None
    edited = shown.read("figures/alpha/notebook.ipynb").replace("the value is", "a value is")
    shown.write("figures/alpha/notebook.ipynb", edited)
    shown.write("paperlib/experiments/alpha/claims.py", MEASURES)
    measuring.refresh(Project(shown.root), Family())
    assert shown.read("figures/alpha/notebook.ipynb").count("13 (1 case)") == 4
    assert stale_because(shown) == "figures/alpha/notebook.ipynb was changed or removed"


def test_a_notebook_that_shows_no_claims_is_left_as_it_is(published):
    published.with_measures()
    page = "figures/alpha/notebook.ipynb"
    untidy = json.dumps(json.loads(published.read(page)))  # in other bytes than the driver's
    published.write(page, untidy)
    assert len(measuring.refresh(Project(published.root), Family())) == 1  # for results.json
    assert published.read(page) == untidy
    assert measuring.refresh(Project(published.root), Family()) == []


@pytest.mark.parametrize(
    ("measures", "code", "says"),
    [
        ("def two(table_1):\n    return 3", 1, "claims.two has the name of no claim in the ledger"),
        ("def one(:", 1, "SyntaxError: "),
    ],
)
def test_a_mistake_in_a_measure_is_one_clear_line(measured, measures, code, says):
    measured.write("paperlib/experiments/alpha/claims.py", measures)
    before = measured.read("figures/alpha/results.json")
    done = measured.call("check")
    assert done.code == code
    assert done.err.startswith("reproduce: measures cannot be computed: alpha, ") and says in done.err
    assert len(done.err.splitlines()) == 1
    assert measured.read("figures/alpha/results.json") == before


def test_a_measure_that_fails_on_present_results_is_one_clear_line(measured, monkeypatch):
    measured.write("paperlib/experiments/alpha/claims.py", "def one(table_1):\n    return table_1.x")
    project, before = Project(measured.root), measured.read("figures/alpha/results.json")
    monkeypatch.setattr(measuring, "_is_present", lambda *_: False)
    assert measuring.refresh(project, Family()) == []  # of other sources, which have other tables
    monkeypatch.setattr(measuring, "_is_present", lambda *_: True)
    with pytest.raises(errors.InvalidMeasures, match="alpha: one cannot be measured: AttributeError"):
        measuring.refresh(project, Family())
    assert measured.read("figures/alpha/results.json") == before


def test_a_mistake_in_a_ledger_is_that_of_the_ledger(measured):
    measured.write("reproduce/claims/alpha.toml", "[[claim]]\nid = 'one'")
    with pytest.raises(errors.InvalidLedger, match="`where` is missing"):
        measuring.refresh(Project(measured.root), Family())

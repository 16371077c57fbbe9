"""Results made here beside those that are committed."""

import json
import subprocess

import pytest


def git(project, *args):
    subprocess.run(["git", "-C", str(project.root), *args], check=True, capture_output=True)


@pytest.fixture
def committed(project):
    """A project whose results were made here and committed."""
    project.write(".gitignore", "build/\n__pycache__/\n")
    git(project, "init", "--quiet")
    git(project, "config", "user.email", "a@b.example")
    git(project, "config", "user.name", "a")
    assert project.call("run").code == 0
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message", "results")
    return project


def commit_another(project, name, change):
    """Commit another version of a published file, and put back the one that was made here."""
    path = project.root / "figures" / "alpha" / name
    here = path.read_text()
    path.write_text(change(here))
    git(project, "commit", "--quiet", "--message", "from another machine", "--", str(path))
    path.write_text(here)


def test_the_same_results_are_said_to_be_the_same(committed):
    assert "The same results as committed: alpha\n" in committed.call("check").out
    assert "The same results as committed: alpha\n" in committed.call("run", "--force").out


def test_rows_that_moved_are_named_with_the_processor(committed):
    def moved(text):
        content = json.loads(text)
        content["measures"][0]["value"] = 13.5
        return json.dumps(content, sort_keys=True, indent=2) + "\n"

    commit_another(committed, "results.json", moved)
    commit_another(committed, "table-1.csv", lambda text: text + "1,2\n")
    out = committed.call("check").out
    [line] = [line for line in out.splitlines() if line.startswith("alpha: one 13.5 -> 13")]
    assert "other bytes in table-1.csv" in line and ", on " in line
    assert "The same results" not in out
    record = json.loads(committed.read("build/state/figures-alpha.json"))
    assert record["processor"] and line.endswith(f"on {record['processor']}")


def test_results_of_other_sources_are_not_compared(committed):
    commit_another(committed, "results.json", lambda text: text.replace('"key": "', '"key": "0'))
    out = committed.call("check").out
    assert "same results" not in out and "->" not in out


@pytest.mark.drawn(1)
@pytest.mark.parametrize("text", ["", "[]", '{"provenance": {}}', '{"measures": [], "provenance": []}'])
def test_what_is_committed_may_be_damaged(committed, text):
    commit_another(committed, "results.json", lambda _: text)
    done = committed.call("check")
    assert done.code == 0 and "same results" not in done.out


def test_nothing_is_said_without_git_and_where_nothing_was_run(project):
    assert project.call("run").code == 0
    assert "committed" not in project.call("check").out

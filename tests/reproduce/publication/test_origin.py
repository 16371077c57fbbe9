"""Published results beside the sources as they are now; nothing is executed here."""

import json
import shutil

import pytest

from reproduce.paths import Family, Project
from reproduce.publication import origin


@pytest.fixture
def cloned(published):
    """The project as somebody else gets it: without what git ignores."""
    shutil.rmtree(published.root / "build")
    return published


def edit(mini, **fields):
    path = mini.root / "figures/alpha/results.json"
    content = json.loads(path.read_text())
    content["provenance"] |= fields
    path.write_text(json.dumps(content))


def notes(mini, **options):
    return origin.notes(Project(mini.root), Family(**options))


OLDER = (
    "alpha: its results on bundled data were made from other sources, "
    "`python -m reproduce run alpha` makes them anew"
)


def test_a_fresh_clone(cloned):
    assert notes(cloned) == []
    done = cloned.call("list")
    assert "alpha -> figures/alpha (as committed)\n" in done.out
    assert "beta -> figures/beta (as committed)\n" in done.out
    assert "alpha-smoke-bundled (stale: never run here)" in cloned.call("list", "--profile", "smoke").out


def test_a_comment_makes_nothing_older(cloned):
    cloned.write("paperlib/tools.py", "base = 10  # a comment\n")
    assert notes(cloned) == []


@pytest.mark.slow
def test_results_of_other_sources(cloned):
    cloned.notebook("alpha", "value = 13")
    assert notes(cloned) == [OLDER]
    assert notes(cloned, profile="smoke") == []
    done = cloned.call("check")
    assert done.code == 0, done
    assert f"\n{OLDER}\n" in done.out
    assert "alpha -> figures/alpha (stale: never run here)" in cloned.call("list").out
    assert cloned.call("site").code == 0
    page = cloned.read("build/site/claims/index.html")
    assert "alpha: its results on bundled data were made from other sources" in page
    cloned.notebook("alpha")
    assert cloned.call("site").code == 0
    assert "other sources" not in cloned.read("build/site/claims/index.html")


def test_the_same_sources_with_other_versions(cloned):
    made = json.loads(cloned.read("figures/alpha/results.json"))["provenance"]
    cloned.write("pyproject.toml", '[project]\nname = "mini"\ndependencies = ["numpy", "scipy"]\n')
    assert notes(cloned) == []
    assert "alpha -> figures/alpha (as committed, made with other versions)\n" in cloned.call("list").out
    edit(cloned, packages={"numpy": "0"})
    assert notes(cloned) == [OLDER]
    edit(cloned, packages=made["packages"], python="2.7")
    assert notes(cloned) == [OLDER]


def test_what_says_nothing_of_where_it_comes_from(cloned):
    cloned.results("alpha")
    assert notes(cloned) == []
    assert "alpha -> figures/alpha (stale: never run here)" in cloned.call("list").out
    cloned.write("figures/alpha/results.json", "{")
    assert "alpha -> figures/alpha (stale: never run here)" in cloned.call("list").out


def test_a_notebook_that_cannot_be_read(cloned):
    cloned.write("notebooks/alpha.ipynb", "{")
    [line] = notes(cloned)
    assert line.startswith(
        "alpha: cannot tell whether its results were made from these sources: notebooks/alpha.ipynb"
    )


def test_a_run_that_was_made_here_and_what_was_committed_since(published):
    """As after `git pull`: the record is of an older run than the results."""
    path = published.root / "build/state/figures-alpha.json"
    record = json.loads(path.read_text())
    path.write_text(
        json.dumps(record | {"key": "older", "components": record["components"] | {"notebook": "x"}})
    )
    assert "alpha -> figures/alpha (as committed)" in published.call("list").out
    path.write_text(json.dumps(record | {"files": record["files"] | {"figure-1.svg": "x"}}))
    assert "figures/alpha/figure-1.svg was changed or removed" in published.call("list").out

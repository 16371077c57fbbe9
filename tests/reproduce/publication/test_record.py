"""Reasons to run again, and changes that are none; nothing is executed here."""

import json

import pytest

from reproduce.paths import Project
from reproduce.planning import runs
from reproduce.publication import record


@pytest.fixture
def why(published):
    """Reason for which alpha would run again; None when it is up to date."""

    def why(paper="alpha", **options):
        project = Project(published.root)
        [run] = runs.make(project, [paper], **options)
        return record.stale_because(project, run)

    return why


def test_up_to_date_also_in_another_folder(why):
    assert why("alpha") is None
    assert why("beta") is None


def test_a_notebook_edit(why, published):
    published.notebook("alpha", "from paperlib.tools import base\nvalue = n_trials + base")
    assert why() == "the notebook changed"
    assert why("beta") is None


def test_a_new_default_is_a_notebook_edit(why, published):
    published.notebook("alpha", parameters=published.PARAMETERS.replace("n_trials = 3", "n_trials = 4"))
    assert why() == "the notebook changed"


def test_comments_docstrings_format_and_prose(why, published):
    work = published.WORK.replace("base + n_trials", "(\n    base + n_trials  # why\n)")
    published.notebook("alpha", work, parameters=published.PARAMETERS.replace("in [1, 1000000]", "in [1, 9]"))
    published.write("paperlib/tools.py", '"""What it is."""\n\nbase = 10  # of all\n')
    assert (why("alpha"), why("beta")) == (None, None)


def test_saving_from_jupyterlab(why, published):
    path = published.root / "notebooks/alpha.ipynb"
    content = json.loads(path.read_text())
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            cell |= {
                "execution_count": 7,
                "outputs": [{"output_type": "stream", "name": "stdout", "text": "x"}],
            }
    path.write_text(json.dumps(content))
    assert why() is None


def test_a_module_for_all_papers(why, published):
    published.write("paperlib/tools.py", "base = 11\n")
    assert (why("alpha"), why("beta")) == ("its modules changed", "its modules changed")


def test_what_is_no_source_does_not_count(why, published):
    published.write("paperlib/__pycache__/tools.pyc", "x")
    published.write("paperlib/alpha/notes.md", "x")
    assert why() is None


def test_pinned_versions(why, published):
    published.write("requirements.lock", "numpy==3\n")
    assert why() == "environment changed"


def test_a_direct_dependency(why, published):
    published.write("pyproject.toml", '[project]\nname = "mini"\ndependencies = ["numpy", "scipy"]\n')
    assert why() == "environment changed"


def test_parameters_of_a_record(why, published):
    path = published.root / "build/state/figures-alpha.json"
    content = json.loads(path.read_text())
    content["components"]["parameters"] = "other"
    path.write_text(json.dumps(content))
    assert why() == "parameters changed"


@pytest.mark.parametrize("name", ["table-1.csv", "figure-1.svg", "results.json"])
def test_a_published_file_that_was_touched(why, published, name):
    published.write(f"figures/alpha/{name}", "edited")
    assert why() == f"figures/alpha/{name} was changed or removed"
    (published.root / "figures/alpha" / name).unlink()
    assert why() == f"figures/alpha/{name} was changed or removed"


def test_other_parameters_have_another_place(why):
    assert why(profile="smoke") == "never run here"
    assert why(assignments=["n_trials=3"]) == "never run here"
    assert why(data="full") == "never run here"


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"components": 3, "files": {}}'])
def test_a_damaged_record_is_none(why, published, content):
    published.write("build/state/figures-alpha.json", content)
    assert why() == "never run here"


def test_a_fresh_clone_executes(why, published):
    (published.root / "build/state/figures-alpha.json").unlink()
    assert why() == "never run here"

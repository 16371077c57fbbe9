import json
import platform
import subprocess
from importlib import metadata

import pytest

from reproduce.paths import Project
from reproduce.planning import key
from reproduce.planning.notebook import read_notebook
from reproduce.publication import provenance


def git(mini, *args):
    identity = ["-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", *identity, *args], cwd=mini.root, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def repository(make_project):
    mini = make_project("alpha", "beta")
    git(mini, "init", "-q")
    git(mini, "add", "-A")
    git(mini, "commit", "-qm", "first")
    return mini


def commit_of(mini, paper="alpha"):
    project = Project(mini.root)
    return provenance.source_commit(
        project, read_notebook(project.notebook(paper)), key.library_files(project)
    )


def test_the_block_in_a_published_result(run_once):
    content = json.loads(run_once.read("figures/alpha/results.json"))
    block = content["provenance"]
    assert block | {"key": "", "platform": ""} == {
        "profile": "paper",
        "data": "bundled",
        "parameters": {
            "seed": 0,
            "n_trials": 3,
            "noise": 0.1,
            "losses": ["hinge", "linear"],
            "label": "a # b",
            "exact": True,
        },
        "seed": 0,
        "packages": {"numpy": metadata.version("numpy")},
        "python": platform.python_version(),
        "platform": "",
        "source_commit": None,
        "key": "",
    }
    assert len(block["key"]) == 64
    assert block["platform"] == f"{platform.system()}-{platform.machine()}"
    assert list(content) == sorted(content)
    assert content["measures"][0]["value"] == 13


def test_committing_the_figures_changes_nothing(repository):
    first = git(repository, "rev-parse", "HEAD")
    assert commit_of(repository) == first
    repository.write("figures/alpha/results.json", "{}")
    assert commit_of(repository) == first
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "figures")
    assert commit_of(repository) == first


def test_a_commit_of_an_input(repository):
    first = git(repository, "rev-parse", "HEAD")
    repository.notebook("alpha", repository.WORK, "x = 1")
    git(repository, "commit", "-aqm", "notebook")
    last = git(repository, "rev-parse", "HEAD")
    assert (commit_of(repository), commit_of(repository, "beta")) == (last, first)
    repository.write("paperlib/alpha/deep/new.py", "")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "module")
    last = git(repository, "rev-parse", "HEAD")
    assert (commit_of(repository), commit_of(repository, "beta")) == (last, last)


@pytest.mark.parametrize("name", ["paperlib/__init__.py", "paperlib/tools.py", "paperlib/untracked.py"])
def test_a_tree_that_differs(repository, name):
    repository.write("paperlib/tools.py", "import paperlib.untracked\n")
    git(repository, "commit", "-aqm", "import")
    repository.write(name, "x = 1")
    assert commit_of(repository) == git(repository, "rev-parse", "HEAD") + "+modified"


def test_a_notebook_that_differs(repository):
    repository.notebook("alpha", repository.WORK + "  # a comment")
    assert commit_of(repository) == git(repository, "rev-parse", "HEAD") + "+modified"


def test_a_notebook_that_was_only_read(repository):
    """JupyterLab saves outputs, counts and ids by itself."""
    path = repository.root / "notebooks" / "alpha.ipynb"
    content = json.loads(path.read_text())
    for cell in content["cells"]:
        cell["id"] = "another"
        if cell["cell_type"] == "code":
            stream = {"output_type": "stream", "name": "stdout", "text": "1"}
            cell |= {"execution_count": 3, "outputs": [stream]}
    path.write_text(json.dumps(content, indent=4))
    assert git(repository, "status", "--porcelain") != ""
    assert commit_of(repository) == git(repository, "rev-parse", "HEAD")


def test_a_project_in_a_folder_of_a_larger_checkout(tmp_path, make_mini):
    mini = make_mini(tmp_path / "project" / "companion")
    above = type(mini)(tmp_path / "project")
    git(above, "init", "-q")
    git(above, "add", "-A")
    git(above, "commit", "-qm", "first")
    assert commit_of(mini) == git(above, "rev-parse", "HEAD")
    mini.write("paperlib/tools.py", "base = 11")
    assert commit_of(mini).endswith("+modified")


def test_another_papers_edit_does_not_show(repository):
    repository.notebook("beta", "from paperlib.beta import x")
    assert not commit_of(repository).endswith("+modified")


@pytest.mark.slow
def test_a_comment_changes_no_result(repository):
    """A new commit of the same code: the results of the old one are made again to the byte."""

    def published():
        path = repository.root / "figures" / "alpha" / "results.json"
        return path.read_bytes(), json.loads(path.read_text())["provenance"]["source_commit"]

    repository.write(".gitignore", "build/\n__pycache__/\n")
    assert repository.call("run", "alpha").code == 0
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "results")
    first, commit = published()
    repository.write("paperlib/tools.py", "# a comment\nbase = 10\n")
    assert repository.call("run", "alpha", "--force").code == 0
    assert published() == (first, commit)
    git(repository, "commit", "-qam", "comment")
    assert repository.call("run", "alpha", "--force").code == 0
    assert published() == (first, commit)
    repository.write("paperlib/tools.py", "base = 4 + 6\n")
    assert repository.call("run", "alpha").code == 0
    assert published()[1] == git(repository, "rev-parse", "HEAD") + "+modified"
    git(repository, "commit", "-qam", "code")
    assert repository.call("run", "alpha", "--force").code == 0
    assert published()[1] == git(repository, "rev-parse", "HEAD")


def test_no_checkout_and_no_git(project, monkeypatch):
    assert commit_of(project) is None
    monkeypatch.setenv("PATH", "")
    assert commit_of(project) is None

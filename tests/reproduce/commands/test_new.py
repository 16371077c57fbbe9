"""Bad input for `new`, and a paper that is added to a project of this library."""

import ast
import json
import os

import pytest


def files(root):
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())


def refused(project, *arguments):
    """The one line of a call that writes nothing."""
    before = files(project.root)
    done = project.call("new", *arguments)
    assert (done.code, done.out) == (2, ""), done
    assert files(project.root) == before
    [line] = done.err.splitlines()
    return line.removeprefix("reproduce: ")


def test_a_companion_has_one_of_each(project, tmp_path):
    done = project.call("new", tmp_path / "coin")
    assert done.code == 0 and "python -m reproduce run" in done.out, done
    found = files(tmp_path / "coin")
    assert {"Makefile", "pyproject.toml", "notebooks/coin.ipynb", "coin/steps.py", "tests/test_coin.py"} <= {
        *found
    }
    assert (tmp_path / "coin/reproduce/claims/coin.toml").read_text().count("[[claim]]") == 3
    assert (tmp_path / "coin/reproduce/faults/coin.toml").read_text().count("[[fault]]") == 1
    for name in found:
        text = (tmp_path / "coin" / name).read_text()
        assert "paperlib" not in text and not {
            word for word in text.split() if word.strip(",.:\"'")[:1] == "@"
        } - {"@step", '@pytest.mark.parametrize("bias",'}, name
        if name.endswith(".py"):
            ast.parse(text)


def test_an_empty_folder_and_another_name_will_do(project, tmp_path):
    (tmp_path / "my-paper").mkdir()
    assert project.call("new", tmp_path / "my-paper", "--paper", "my_paper").code == 0
    assert (tmp_path / "my-paper" / "my_paper" / "steps.py").is_file()


def test_a_folder_that_is_not_empty(project):
    assert refused(project, "notebooks", "--paper", "coin") == (
        "notebooks is not empty: name a folder that is not there yet"
    )


def test_a_file_in_the_place_of_the_folder(project):
    assert refused(project, "pyproject.toml", "--paper", "coin") == (
        "pyproject.toml is a file: name a folder that is not there yet"
    )


@pytest.mark.parametrize("name", ["my-paper", "2nd", "Coin", "_coin", "a b", "class", "für"])
def test_a_name_that_is_none(project, name):
    line = refused(project, name)
    assert line.startswith(f"{name!r} is no name of a package: ") and line.endswith("as in --paper my_paper")


@pytest.mark.parametrize("name", ["json", "numpy", "reproduce", "notebooks", "full", "tests"])
def test_a_name_that_is_taken(project, name):
    assert refused(project, "somewhere", "--paper", name).startswith(
        f"{name!r} is the name of something else"
    )


def test_a_folder_that_cannot_be_written(project):
    assert refused(project, "pyproject.toml/inside/coin").startswith(
        f"{project.root}/pyproject.toml/inside/coin"
    )
    if os.geteuid():
        project.root.chmod(0o555)
        try:
            assert "cannot be written: Permission denied" in refused(project, "coin")
        finally:
            project.root.chmod(0o755)


def test_neither_a_folder_nor_a_name(project):
    assert refused(project) == (
        "new takes the folder of a companion, or --paper NAME to add a paper to this project"
    )


def test_a_paper_is_added_to_the_library(project):
    done = project.call("new", "--paper", "tiny")
    assert done.code == 0, done
    *written, last = done.out.splitlines()
    assert last == "Now: python -m reproduce run tiny"
    assert {"paperlib/tiny/fair_coin.py", "paperlib/experiments/tiny/steps.py", "notebooks/tiny.ipynb"} <= {
        *written
    }
    assert all((project.root / name).is_file() for name in written)
    code = "".join(
        line for cell in json.loads(project.read("notebooks/tiny.ipynb"))["cells"] for line in cell["source"]
    )
    assert "from paperlib.experiments.tiny import steps" in code
    assert "paperlib.tiny.fair_coin:fair_flips" in project.read("reproduce/faults/tiny.toml")


def test_a_paper_without_a_project(project):
    (project.root / "notebooks").rename(project.root / "notes")
    assert refused(project, "--paper", "tiny").startswith(f"no notebooks in {project.root}: name the FOLDER")


def test_a_paper_that_is_there_stays(project):
    assert refused(project, "--paper", "alpha") == (
        "notebooks/alpha.ipynb is there already: choose another name for the paper"
    )

"""The reference knows every public name."""

import importlib
import inspect
from pathlib import Path
from types import ModuleType

import pytest

from reproduce.errors import UsageError
from reproduce.paths import Project
from reproduce.site import reference
from tests.papers import PAPERS

REPOSITORY = Path(__file__).resolve().parents[3]


def kind(name):
    module, _, last = name.rpartition(".")
    thing = getattr(importlib.import_module(module), last)
    return "module" if isinstance(thing, ModuleType) else "class" if inspect.isclass(thing) else "function"


def test_every_public_name_is_in_one_group():
    listed = [entry for group in reference.groups(Project(REPOSITORY)) for entry in group.names]
    assert len({name for name, _ in listed}) == len(listed)
    public = {
        f"paperlib.{paper}.{name}"
        for paper in PAPERS
        for name in importlib.import_module(f"paperlib.{paper}").__all__
    }
    assert {name for name, _ in listed} == public


def test_each_is_what_it_is_called():
    for group in reference.groups(Project(REPOSITORY)):
        for name, called in group.names:
            if name.endswith("FocusedSampler"):
                pytest.importorskip("torch")
            assert kind(name) == called, name


@pytest.mark.parametrize("text", ["[[group]]\ntitle = 'x'", "group = 3", "[[", ""])
def test_a_file_that_cannot_be_read_is_named(project, text):
    project.write("docs/reference.toml", text)
    with pytest.raises(UsageError, match=r"docs/reference\.toml"):
        reference.groups(Project(project.root))


def test_a_project_may_have_none(project, tmp_path):
    assert not reference.write_reference(tmp_path / "reference", Project(project.root))
    assert not (tmp_path / "reference").exists()

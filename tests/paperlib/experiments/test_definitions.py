"""Edits of one definition each: where it begins and ends, and what is refused."""

import ast
import importlib
import inspect
import sys
from pathlib import Path

import pytest

from paperlib.experiments import definitions
from reproduce.execution.edited_modules import EditedModules

ROOT = Path(__file__).resolve().parents[3]
TEXT = '''\
"""A module: value = 1."""

import abc

value = 1


@abc.abstractmethod
def first(value=1):
    """Return value = 1."""

    def inner():
        value = 1
        return value

    return inner() + 7


class Box:
    """Holds value = 1."""

    size = 2

    @property
    def height(self):
        return 3

    @height.setter
    def height(self, value):
        self.size = value + 4

    class Lid:
        def open(self):
            return 3


if value:

    async def second():
        return 5

else:
    other = 6
'''


def edited(name, old, new="new"):
    return definitions.edited(TEXT, "m", [(f"m:{name}", old, new)])


@pytest.mark.parametrize(
    ("name", "old", "place"),
    [
        ("", "value = 1\n\n\n@", None),  # up to the decorator, which is the function's
        ("", "other = 6", 0),
        ("", "if value", 0),
        ("first", "@abc", 0),
        ("first", "Return value = 1", 0),
        ("first", "return value", 0),
        ("Box", "size = 2", 0),
        ("Box.height", "return 3", 0),
        ("Box.height", "value + 4", 0),
        ("Box.height", "    @property", 0),
        ("Box.Lid.open", "return 3", -1),
        ("Box.Lid", "return 3", -1),
        ("second", "    async def", 0),
    ],
)
def test_a_text_is_looked_for_in_its_definition_alone(name, old, place):
    if place is None:
        with pytest.raises(ValueError, match="0 times"):
            edited(name, old)
        return
    before, after = (TEXT.split(old, 1), TEXT.rsplit(old, 1))[place]
    assert edited(name, old) == f"{before}new{after}"


@pytest.mark.parametrize(
    ("name", "old", "says"),
    [
        (
            "first",
            "value = 1",
            r"`old` must stand in m:first exactly once, it stands there 2 times: 'value = 1'",
        ),
        ("Box", "return 3", "in m:Box exactly once, it stands there 2 times"),
        ("Box.height", "size = 2", "0 times"),
        ("", "return 5", "in m outside of all functions and classes exactly once, it stands there 0 times"),
        ("", "size = 2", "0 times"),
        ("first.inner", "return value", r"m has no definition 'first.inner'"),
        ("open", "return 3", r"m has no definition 'open': did you mean Box.Lid.open\?"),
        ("Box.heigth", "return 3", r"did you mean Box.height\?"),
        ("first", "", "stands there .* times"),
        ("first", "x" * 99, r"0 times: 'x{56}'\.\.\.$"),
    ],
)
def test_what_is_refused(name, old, says):
    with pytest.raises(ValueError, match=says):
        edited(name, old)


def test_edits_are_all_of_the_text_as_it_stands():
    edits = [("m:second", "return 5", "return 6"), ("n:first", "x", "y"), ("m:", "other = 6", "return 5")]
    expected = TEXT.replace("return 5", "return 6").replace("other = 6", "return 5")
    assert definitions.edited(TEXT, "m", edits) == expected
    assert definitions.edited(TEXT, "m", edits[::-1]) == expected
    with pytest.raises(ValueError, match="two edits change the same text of m: 'turn'"):
        definitions.edited(TEXT, "m", [("m:second", "return", ""), ("m:second", "turn 5", "")])


@pytest.mark.parametrize("path", ["reproduce/power/faults.py", "paperlib/coresets/coreset_svc.py", "m"])
def test_definitions_and_what_is_outside_make_up_the_text(path):
    text = TEXT if path == "m" else (ROOT / path).read_text()
    spans = definitions.spans(text)
    for name, node in definitions.definitions(ast.parse(text)):
        assert any(ast.get_source_segment(text, node) in text[a:b] for a, b in spans[name])
    outer = [span for name in spans if "." not in name for span in spans[name]]
    assert "".join(text[a:b] for a, b in sorted(outer)) == text


def test_what_asks_for_the_text_of_an_edited_module_sees_the_edit(tmp_path, monkeypatch):
    file = tmp_path / "edited_on_import.py"
    file.write_text("def f():\n    return 1\n\n\ndef g():\n    return 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    hook = EditedModules([["edited_on_import:g", "return 1", "return 2"]])
    monkeypatch.setattr(sys, "meta_path", [hook, *sys.meta_path])
    module = importlib.import_module("edited_on_import")
    assert (module.f(), module.g()) == (1, 2)
    assert inspect.getsource(module.g) == "def g():\n    return 2\n"
    edited_text = file.read_text().replace("return 1", "return 2").replace("return 2", "return 1", 1)
    assert module.__loader__.get_source("edited_on_import") == edited_text
    assert hook.texts == {"edited_on_import": edited_text}
    assert "return 2" not in file.read_text() and not (tmp_path / "__pycache__").exists()
    del sys.modules["edited_on_import"]

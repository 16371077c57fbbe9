from types import SimpleNamespace

import pytest

from reproduce.errors import InvalidParameter, UsageError
from reproduce.library import Parameter, read_cell
from reproduce.planning import parameters


@pytest.mark.parametrize(
    ("default", "text", "value"),
    [
        (3, "5", 5),
        (3, " -5 ", -5),
        (0.5, "2", 2.0),
        (0.5, "1e-3", 0.001),
        (0.5, "-.5", -0.5),
        (True, "false", False),
        (False, "True", True),
        ("a", "b", "b"),
        ("a", "", ""),
        ("a", "3", "3"),
        ("a", " x=y, 'z' # ü", " x=y, 'z' # ü"),
        ([0.0, 0.1], "0, 0.2,1e-1", [0.0, 0.2, 0.1]),
        ([0.0, 0.1], "[0, 0.2]", [0.0, 0.2]),
        ([0.0, 0.1], "0.3", [0.3]),
        ([0.0], "[]", []),
        ([0.0], "", []),
        ([1, 2], "3,4", [3, 4]),
        (["a"], "b,c", ["b", "c"]),
        (["a"], "['b, c', 'd']", ["b, c", "d"]),
        ([True], "true,false", [True, False]),
        (None, "2", 2),
        (None, "None", None),
        (None, "text", "text"),
    ],
)
def test_text_becomes_the_type_of_the_default(default, text, value):
    found = parameters.parse(Parameter("x", default), text)
    assert found == value
    assert type(found) is type(value)
    if isinstance(value, list):
        assert [type(x) for x in found] == [type(x) for x in value]


@pytest.mark.parametrize(
    ("default", "text"),
    [
        (3, "5.0"),
        (3, "1e3"),
        (3, "x"),
        (3, ""),
        (3, "True"),
        (3, "[3]"),
        (3, "__import__('os')"),
        (3, "(" * 5000),
        (0.5, "nan"),
        (0.5, "inf"),
        (0.5, "-Infinity"),
        (0.5, "1e999"),
        (0.5, "1" + "0" * 400),
        (0.5, "true"),
        (0.5, "1j"),
        (True, "1"),
        (True, "yes"),
        (True, ""),
        ("a", "bad \udcff byte"),
        ("a", "two\nlines"),
        ([0.0], "a,b"),
        ([0.0], "0,nan"),
        ([0.0], "[0, [1]]"),
        ([0.0], "[0, 1"),
        ([0.0], "0,,1"),
        ([1], "1,2.5"),
        (None, "1e999"),
    ],
)
def test_a_value_of_another_type_is_one_clear_line(default, text):
    with pytest.raises(InvalidParameter, match=r"^x takes an? ") as caught:
        parameters.parse(Parameter("x", default), text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("text", ["a", "=3", "", " =3", "ü", "x" * 100_000])
def test_an_assignment_needs_a_name_and_a_value(text):
    with pytest.raises(UsageError, match="-p takes name=value") as caught:
        parameters.split_assignments([text])
    assert len(str(caught.value)) < 200


def test_assignments():
    assert parameters.split_assignments(["a=1", " b =x=y", "c="]) == {"a": "1", "b": "x=y", "c": ""}
    with pytest.raises(UsageError, match="'a' is given twice"):
        parameters.split_assignments(["a=1", "a=2"])


@pytest.mark.parametrize("value", [1.5, "1", True, [1], None, {"a": 1}])
def test_a_typed_value_is_held_to_the_same_rule(value):
    with pytest.raises(InvalidParameter):
        parameters.check_value(Parameter("n", 3), value)


def test_several_mistakes_are_a_line_each():
    given = {"n": Parameter("n", 3), "eps": Parameter("eps", 0.5), "name": Parameter("name", "a")}
    notebook = SimpleNamespace(parameters=given)
    texts = {"m": "1", "eps": "many", "name": "b", "n": "0.5", "data": "full"}
    with pytest.raises(InvalidParameter) as caught:
        parameters.from_text(notebook, texts, "alpha")
    lines = str(caught.value).splitlines()
    assert [line.split()[0] for line in lines] == ["unknown", "eps", "n", "data"]
    assert parameters.from_text(notebook, {"n": "5", "name": "b"}, "alpha") == {"n": 5, "name": "b"}


@pytest.mark.parametrize(
    ("annotation", "default", "text", "value"),
    [
        ("int | None", None, "5", 5),
        ("int | None", 3, "None", None),
        ("float | None", None, "2", 2.0),
        ("float", 1, ".5", 0.5),
        ("int | float", 1, "2", 2),
        ("bool | None", None, "true", True),
        ("str", "a", " 3", " 3"),
        ("str | None", None, "3", "3"),
        ("str | None", "a", "None", None),
        ("int | str", 3, "auto", "auto"),
        ("int | str", "auto", "3", 3),
        ("list[int]", [], "3,4", [3, 4]),
        ("list[int]", [], "", []),
        ("list[int]", [], "[3]", [3]),
        ("list[float] | None", None, "1,0.5", [1.0, 0.5]),
        ("list[float] | None", None, "None", None),
        ("list[str]", [], "b,c", ["b", "c"]),
        ("list[str]", [], "3", ["3"]),
        ("Any", None, "text", "text"),
    ],
)
def test_text_becomes_a_type_of_the_annotation(annotation, default, text, value):
    cell = read_cell(f"x: {annotation} = {default!r}")
    found = parameters.parse(cell["x"], text)
    assert found == value
    assert type(found) is type(value)
    if isinstance(value, list):
        assert [type(x) for x in found] == [type(x) for x in value]


@pytest.mark.parametrize(
    ("annotation", "default", "text"),
    [
        ("int | None", None, "x"),
        ("int | None", None, "0.5"),
        ("int | None", None, "True"),
        ("int | None", None, "[3]"),
        ("int", 3, "None"),
        ("float | None", None, "nan"),
        ("float | None", None, "1e999"),
        ("float | None", None, "1" + "0" * 400),
        ("bool | None", None, "yes"),
        ("str | None", None, "two\nlines"),
        ("list[int]", [], "a"),
        ("list[int]", [], "1,2.5"),
        ("list[int]", [], "None"),
        ("list[float]", [], "0,1e999"),
    ],
)
def test_a_value_that_its_annotation_does_not_have_is_one_clear_line(annotation, default, text):
    cell = read_cell(f"x: {annotation} = {default!r}")
    with pytest.raises(InvalidParameter, match=r"^x takes ") as caught:
        parameters.parse(cell["x"], text)
    assert annotation in str(caught.value) and "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200

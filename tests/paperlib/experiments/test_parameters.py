import pytest

from paperlib.experiments import parameters
from paperlib.experiments.parameters import InvalidCell, check_parameters, mistakes, read_cell, read_comment

CELL = """
# Every number a reader may want to change.
seed = 0  # of every random draw; integer in [0, 4294967295]
out_dir = None  # folder; None only shows them
data = "bundled"  # which data; "bundled" or "full"
n = 10  # points; integer in [2, 100]
k = 3  # of them removed; integer in [1, n - 1]
eps = 0.1  # share that may be missed; number in (0, 1)
sizes = [10, 20]  # growing samples; integers in [5, 10 * n], ascending, 2 or more
rates = [0.0, 0.5]  # of noise; numbers in [0, 0.5]
exact = True  # solved exactly; true or false
free = "text"  # anything; as one likes
"""


def test_a_cell_is_read_line_by_line():
    cell = read_cell(CELL)
    assert list(cell) == ["seed", "out_dir", "data", "n", "k", "eps", "sizes", "rates", "exact", "free"]
    assert cell["n"].meaning == "points" and cell["n"].default == 10
    assert cell["eps"].allowed.text == "number in (0, 1)"
    assert cell["free"].meaning == "anything; as one likes" and cell["free"].allowed is None
    assert cell["out_dir"].allowed is None
    assert mistakes(cell, {}) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("seed", 4294967295),
        ("data", "full"),
        ("n", 2),
        ("n", 100),
        ("k", 9),
        ("eps", 1e-300),
        ("eps", 0.999),
        ("sizes", [5, 100]),
        ("sizes", [5, 6, 7]),
        ("rates", [0.5, 0.0]),
        ("rates", []),
        ("rates", [0, 0.25]),
        ("exact", False),
        ("free", "other"),
    ],
)
def test_what_is_allowed_passes(name, value):
    values = {"n": 10, "k": 1} | {name: value}
    assert mistakes(read_cell(CELL), values) == []


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("seed", -1, "seed must be an integer in [0, 4294967295], got -1"),
        ("seed", True, "got True"),
        ("seed", "0", "got '0'"),
        ("data", "Full", 'data must be "bundled" or "full", got \'Full\''),
        ("n", 1, "n must be an integer in [2, 100], got 1"),
        ("n", 5.0, "got 5.0"),
        ("n", None, "got None"),
        ("k", 10, "k must be an integer in [1, n - 1] where n - 1 is 9, got 10"),
        ("eps", 0, "eps must be a number in (0, 1), got 0"),
        ("eps", 1.0, "got 1.0"),
        ("eps", float("nan"), "got nan"),
        ("eps", [0.1], "got [0.1]"),
        (
            "sizes",
            [20, 10],
            "sizes must be integers in [5, 10 * n], ascending, 2 or more where 10 * n is 100",
        ),
        ("sizes", [10, 10], "got [10, 10]"),
        ("sizes", [10], "got [10]"),
        ("sizes", 10, "got 10"),
        ("sizes", [10, 101], "got [10, 101]"),
        ("rates", [0.6], "rates must be numbers in [0, 0.5], got [0.6]"),
        ("rates", ["a"], "got ['a']"),
        ("exact", 1, "exact must be true or false, got 1"),
    ],
)
def test_what_is_not_allowed_is_one_line(name, value, words):
    found = mistakes(read_cell(CELL), {name: value})
    [line] = [line for line in found if line.startswith(f"{name} must be ")]
    assert words in line


def test_every_mistake_has_its_line():
    found = mistakes(read_cell(CELL), {"n": 1000, "eps": 2, "k": 0})
    assert [line.partition(" ")[0] for line in found] == ["n", "k", "eps"]


def test_a_bound_that_depends_on_a_mistake_does_not_hide_it():
    found = mistakes(read_cell(CELL), {"n": "many"})
    assert found[0] == "n must be an integer in [2, 100], got 'many'"


def test_bounds_are_parsed_when_the_cell_is_read_and_not_for_each_set_of_values(monkeypatch):
    cell = read_cell(CELL)

    def fails(*_, **__):
        raise AssertionError("parsed again")

    monkeypatch.setattr(parameters.ast, "parse", fails)
    assert mistakes(cell, {"n": 20, "k": 19, "sizes": [10, 200]}) == []
    assert "where n - 1 is 19" in mistakes(cell, {"n": 20, "k": 20})[0]


@pytest.mark.parametrize(
    "comment",
    [
        "points; integer in [2, ]",
        "points; integer in 2 to 3",
        "points; integers in [2, 3",
        "points; integer in [2, __import__('os')]",
        "points; integer in [2, f(3)]",
        "points; integer in [2, 1 / 0]",
        "points; integer in [2, 3] ascending",
        'data; "a", "b"',
        "exact; true or not",
    ],
)
def test_a_range_that_cannot_be_read_is_refused(comment):
    with pytest.raises(ValueError, match=r"does not say what is allowed|neither a number nor"):
        read_comment(comment)
    with pytest.raises(InvalidCell, match="x: "):
        read_cell(f"x = 1  # {comment}")


@pytest.mark.parametrize(
    ("source", "line", "words"),
    [
        ("n = 1\nn = 2", 2, "n is assigned twice"),
        ("n = 1\nimport os", 2, "only `name = literal`"),
        ("n = f(1)", 1, "the default of n must be a literal"),
        ("n = [[1]]", 1, "the default of n must be a literal"),
        ("n = 1 +", 1, "invalid syntax"),
        ("n = 1  # points; integer in [0, m]", 1, "m is no parameter"),
    ],
)
def test_a_cell_of_another_form_says_where(source, line, words):
    with pytest.raises(InvalidCell, match=words) as found:
        read_cell(source)
    assert found.value.line == line


def namespace(**changes):
    values = {name: parameter.default for name, parameter in read_cell(CELL).items()}
    return {"In": ["", CELL, "n = 5", "import numpy as np\nx = 1"]} | values | changes


def test_a_notebook_checks_what_its_cell_says():
    check_parameters(namespace())
    with pytest.raises(ValueError, match=r"^n must be an integer in \[2, 100\], got 1\nk must be"):
        check_parameters(namespace(n=1))


def test_a_cell_that_was_edited_and_run_again_is_the_one_that_counts():
    given = namespace(n=150)
    given["In"].append(CELL.replace("[2, 100]", "[2, 200]"))
    check_parameters(given)


def test_without_ipython_nothing_is_checked():
    check_parameters({"n": 1})


ANNOTATED = """
seed: int = 0  # of every random draw; integer in [0, 9]
out_dir: str | None = None  # folder
data: "str" = "bundled"  # which data; "bundled" or "full"
n: int | None = None  # points, all for None; integer in [2, 100]
rate: Optional[float] = 1  # of noise
sizes: list[int] = []  # points
names: typing.Union[list[str], None] = ["a"]  # of samples
free: Any = 0
"""


@pytest.mark.parametrize(
    ("name", "allowed", "refused"),
    [
        ("n", [None, 2, 100], [1, "3", 3.0, True, [3]]),
        ("rate", [None, 1, 0.5], ["1", True, [0.5]]),
        ("sizes", [[], [1, 2]], [[0.5], ["a"], None, 1, [None], [True]]),
        ("names", [None, [], ["b"]], [[1], "b"]),
        ("out_dir", [None, "here"], [1, ["here"]]),
        ("data", ["full"], [None, "other", 1]),
        ("free", [1, "a", None, [1, "a"]], []),
    ],
)
def test_an_annotation_says_what_types_are_allowed(name, allowed, refused):
    cell = read_cell(ANNOTATED)
    assert mistakes(cell, {}) == []
    for value in allowed:
        assert mistakes(cell, {name: value}) == []
    for value in refused:
        [line] = mistakes(cell, {name: value})
        assert line.startswith(f"{name} must be ") and line.endswith(f"got {value!r}")


def test_a_notebook_checks_its_annotations():
    values = {name: each.default for name, each in read_cell(ANNOTATED).items()}
    check_parameters({"In": [ANNOTATED]} | values)
    with pytest.raises(ValueError, match=r"^n must be int \| None, got 'many'$"):
        check_parameters({"In": [ANNOTATED]} | values | {"n": "many"})


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("n: int = None", "n: its default None is no int"),
        ("n: int = 'a'", "n: its default 'a' is no int"),
        ("n: list[int] = [0.5]", "is no list"),
        ("n: np.ndarray = None", "must be made of bool, int"),
        ("n: dict[str, int] = None", "must be made of bool, int"),
        ("n: list[list[int]] = []", "list within a list"),
        ("n: int[3] = 1", "must be made of bool, int"),
        ("n: 'a b' = 1", "must be made of bool, int"),
    ],
)
def test_an_annotation_that_cannot_be_checked_is_refused(source, words):
    with pytest.raises(InvalidCell, match=words):
        read_cell(source)

import math
import time

import pytest

from reproduce.errors import UsageError
from reproduce.library import Parameter
from reproduce.planning.notebook import Notebook
from reproduce.sweeps import grid

DEFAULTS = {
    "seed": 0,
    "n": 200,
    "noise": 0.1,
    "rates": [0.0, 0.1],
    "label": "a",
    "exact": True,
    "extra": None,
    "out_dir": None,
    "data": "bundled",
}
NOTEBOOK = Notebook(None, b"", (), 0, {name: Parameter(name, x) for name, x in DEFAULTS.items()})


def read(*options, **more):
    """`"n=1,2"` is a grid, `"+n=1,2"` a zip."""
    axes = [("zip", o[1:]) if o.startswith("+") else ("grid", o) for o in options]
    return grid.read_grid(NOTEBOOK, "alpha", axes, **more)


def values(option):
    return [value for (value,) in read(option).points]


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("noise=0:0.45:0.05", [0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45]),
        ("noise=0:0.44:0.05", [0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4]),
        ("noise=0.3:0:-0.1", [0.3, 0.2, 0.1, 0.0]),
        ("noise=-0.1:0.1:0.1", [-0.1, 0.0, 0.1]),
        ("noise=1e-3:3e-3:1e-3", [0.001, 0.002, 0.003]),
        ("noise=2:2:1", [2.0]),
        ("noise=0,0.1:0.3:0.1, 0.9", [0.0, 0.1, 0.2, 0.3, 0.9]),
        ("noise=1_0, .5", [10.0, 0.5]),
        ("n=200:800:200", [200, 400, 600, 800]),
        ("n= 3 : 1 : -1 ", [3, 2, 1]),
        ("n=0:9007199254740993:9007199254740993", [0, 9007199254740993]),
        ("rates=[0,0.1],[0.2],[]", [[0.0, 0.1], [0.2], []]),
        ("label=a,b c, it's", ["a", "b c", " it's"]),
        ("label='a,b',\"c:d:e\",[x", ["a,b", "c:d:e", "[x"]),
        ("label=,x", ["", "x"]),
        ("exact=true,False", [True, False]),
        ("extra=1:2:0.5", [1, 1.5, 2.0]),
        ("extra=1:3:1,None,x", [1, 2, 3, None, "x"]),
    ],
)
def test_values(option, expected):
    found = values(option)
    assert found == expected
    default = DEFAULTS[option.partition("=")[0]]
    assert default is None or {type(value) for value in found} == {type(default)}
    assert not any(math.copysign(1, value) < 0 for value in found if value == 0 and value != "")


def test_a_product_and_what_is_walked_together():
    found = read("noise=0,0.2", "+n=1,2", "exact=true,false", "+label=a,b")
    assert found.names == ("noise", "n", "label", "exact")
    assert found.axes == (("noise",), ("n", "label"), ("exact",))
    assert found.points[:5] == [
        (0.0, 1, "a", True),
        (0.0, 1, "a", False),
        (0.0, 2, "b", True),
        (0.0, 2, "b", False),
        (0.2, 1, "a", True),
    ]
    assert len(found.points) == 8
    assert read("+n=1,1", "+label=a,b").points == [(1, "a"), (1, "b")]  # the pairs differ


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "nothing to sweep"),
        (["noise"], "--grid takes name=value,value"),
        (["=1"], "--grid takes name=value,value"),
        (["noise="], "--grid noise= must be followed by a value"),
        (["nois=1"], "unknown parameter of alpha 'nois': did you mean noise?"),
        (["out_dir=/tmp"], "out_dir is set by the driver"),
        (["data=full"], "data is chosen with --data"),
        (["noise=0,x"], "noise takes a float, as in noise=0.1, not 'x'"),
        (["noise=0,,1"], "noise takes a float"),
        (["noise=0,nan"], "noise takes a float (finite)"),
        (["n=0.5"], "n takes an int"),
        (["n=0:1:0.5"], "n takes an int"),
        (["exact=0:1:1"], "exact takes a bool"),
        (["noise=0:1"], "noise: a range must be start:stop:step"),
        (["noise=0:1:0.5:2"], "noise: a range must be start:stop:step"),
        (["noise=0:1:0"], "the step of a range must not be zero, got '0:1:0'"),
        (["noise=0:1:1e-999999999"], "must not be zero"),
        (["noise=0:1:-0.1"], "the step of a range must lead from start to stop, got '0:1:-0.1'"),
        (["n=2:1:1"], "must lead from start to stop, got '2:1:1'"),
        (["noise=0:inf:1"], "noise takes a float (finite)"),
        (["noise=0x1:4:1"], "in decimal numbers"),
        (["noise=1e-999999999:1e308:1"], "a grid of about 10^308 points"),
        (["seed=0:1" + "0" * 2000 + ":1"], "seed takes an int (too large)"),
        (["rates=0,0.1"], "rates takes a list: write each of its values in brackets"),
        (["rates=[0,0.1"], "is not closed"),
        (["label='a,b"], "is not closed"),
        (["noise=0,1", "noise=2"], "noise is swept twice"),
        (["noise=0,1", "+noise=2"], "noise is swept twice"),
        (["noise=0,0.0"], "'noise=0.0' is among the values twice"),
        (["noise=0:0.2:0.1,0.2"], "'noise=0.2' is among the values twice"),
        (["+n=1,2,1", "+label=a,b,a"], "'n=1 label=a' is among the values twice"),
        (["+n=1,2", "+label=a"], "must have equally many values: n has 2, label has 1"),
        (["seed=0:10000:1"], "a grid of 10,001 points: give --yes"),
        (["seed=0:999:1", "n=0:10:1"], "a grid of 11,000 points"),
        (
            ["seed=0:999999999:1"],
            "a grid of 1,000,000,000 points: give --limit N to run the first N, at most 1,000,000",
        ),
        (["noise=0:1:1e-300"], "a grid of about 10^300 points"),
        (["seed=0:999999999:1"] * 1 + ["n=0:999999999:1"], "a grid of about 10^18 points"),
    ],
)
def test_one_clear_line(options, says):
    start = time.monotonic()
    with pytest.raises(UsageError) as error:
        read(*options)
    assert says in str(error.value)
    assert len(str(error.value)) < 300
    assert "\n" not in str(error.value)
    assert time.monotonic() - start < 5  # nothing of that size was made


def test_given_and_swept():
    with pytest.raises(UsageError, match="noise is given with -p or -f and swept"):
        read("noise=1", fixed={"noise"})


def test_the_first_points_of_a_grid_of_any_size():
    assert read("seed=0:999999999:1", "n=0:999999999:1", limit=3).points == [(0, 0), (0, 1), (0, 2)]
    assert len(read("seed=0:99999:1", limit=20_000, large=True).points) == 20_000
    with pytest.raises(UsageError, match="20,000 points: give --yes"):
        read("seed=0:99999:1", limit=20_000)


def test_titles_are_told_apart():
    pairs = [("a b=c", "d"), ("a", "b=c"), ("1", 1), ("true", True), ("null", None), ("", [])]
    titles = {grid.title(("x", "y"), pair) for pair in pairs}
    singles = {grid.text(value) for pair in pairs for value in pair}
    assert len(titles) == len(pairs)
    assert len(singles) == 2 * len(pairs)
    assert grid.title(("noise", "label"), (0.2, "linear")) == "noise=0.2 label=linear"

"""What changes a run's key, and what does not; nothing is executed here."""

import json

import pytest

from reproduce.paths import Project
from reproduce.planning import key, runs

TOOLS = '''\
"""What the tools are for."""

import math


class Scale:
    """A scale."""

    factor = 2.0
    """Of all things."""

    def of(self, x):
        """Return `x` on it.

        >>> Scale().of(1)
        2.0
        """
        return self.factor * x


def base(n: int = 3) -> int:
    """Return the base."""
    assert n >= 0, "n must be >= 0"
    return n + math.floor(Scale().of(1))
'''
WORK = (
    "from paperlib.tools import base\n\n\ndef twice(x):\n    return 2 * x\n\n\nvalue = twice(base(n_trials))"
)


@pytest.fixture
def mini(make_project):
    """Two papers whose runs are not traced, so that all of the library counts for each."""
    mini = make_project("alpha", "beta")
    mini.write("paperlib/tools.py", TOOLS)
    mini.notebook("alpha", WORK)
    mini.notebook("beta", WORK)
    return mini


@pytest.fixture
def changed(mini):
    """The papers whose keys an edit changes, each compared with those before it."""
    keys = {}

    def changed():
        before = dict(keys)
        keys.update({run.paper: run.key for run in runs.make(Project(mini.root))})
        return {paper for paper in before if before[paper] != keys[paper]}

    assert changed() == set()
    return changed


def test_packages_are_those_direct_ones_that_are_installed(project):
    project.write(
        "pyproject.toml",
        '[project]\ndependencies = ["numpy>=2", "dask[array,distributed]>=2025.1", "no-such-package"]\n'
        '[project.optional-dependencies]\ncompanion = ["scipy"]\ntorch = ["rich"]\ndev = ["pytest"]\n',
    )
    assert list(key.packages(Project(project.root))) == ["dask", "numpy", "scipy"]
    (project.root / "pyproject.toml").unlink()
    assert key.packages(Project(project.root)) == {}


# What is no change


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("import math\n", "import math  # floor\n"),
        ("factor = 2.0", "# why\n    factor = 2.0"),
        ("factor = 2.0", "factor = 2.00"),
        ("    return n + math", "\n\n    return n + math"),
        ("n + math.floor(Scale().of(1))", "(\n        n\n        + math.floor((Scale()).of(1,))\n    )"),
        ('"n must be >= 0"', "'n must ' 'be >= 0'"),
        ('"""What the tools are for."""', '"""Other words."""'),
        ('"""What the tools are for."""\n', ""),
        ('    """A scale."""\n', '    """A scale,\n\n    in other words.\n    """\n'),
        ('    """Return the base."""\n', ""),
        ("2.0\n        ", "3.0\n        "),  # a doctest
        ("(n: int = 3)", "(n: int=3)"),
    ],
)
def test_an_edit_of_a_module_that_changes_nothing(mini, changed, old, new):
    assert old in TOOLS
    mini.write("paperlib/tools.py", TOOLS.replace(old, new))
    assert changed() == set()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("value = ", "# why\nvalue = "),
        ("value = twice(base(n_trials))", "value = twice(\n    base( n_trials ),\n)"),
        ("    return 2 * x", '    """Return it twice."""\n    return 2 * x'),
    ],
)
def test_an_edit_of_a_cell_that_changes_nothing(mini, changed, old, new):
    assert old in WORK
    mini.notebook("beta", WORK.replace(old, new))
    assert changed() == set()


def test_prose_and_the_comments_of_parameters(mini, changed):
    path = mini.notebook("beta", WORK, parameters=mini.PARAMETERS.replace("in [1, 1000000]", "in [2, 9]"))
    content = json.loads(path.read_text())
    content["cells"][0]["source"] = "# Another title"
    content["cells"][2:2] = [mini.prose("More words"), {"cell_type": "raw", "source": "x", "metadata": {}}]
    path.write_text(json.dumps(content))
    assert changed() == set()


# What is one


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("factor = 2.0", "factor = 3.0"),
        ("factor = 2.0", "factor = 2"),
        ("factor * x", "factor / x"),
        ("factor * x", "x * self.factor"),
        ("n: int = 3", "n: int = 4"),
        ("n: int", "n: float"),  # may be read
        ("n >= 0", "n > 0"),
        ("n must be", "n has to be"),
        ("class Scale:", "class Scale(object):"),
        ("class Scale:", "@print\nclass Scale:"),
        ("import math", "import math, sys"),
        ("import math\n", ""),
        ('    """Return the base."""\n', '    n += 1\n    """Return the base."""\n'),
        ('"""What the tools are for."""', 'b"What the tools are for."'),
        ('"""What the tools are for."""', 'f"What the tools are for."'),
        ("    return n + math.floor(Scale().of(1))\n", "    return n + math.floor(Scale().of(-1))\n"),
        ("    assert n >= 0", "    if n:\n        assert n >= 0"),
        ("def base(", "async def base("),
        ("def base(", "def base_("),
    ],
)
def test_an_edit_of_a_module_that_may_change_something(mini, changed, old, new):
    assert old in TOOLS
    mini.write("paperlib/tools.py", TOOLS.replace(old, new))
    assert changed() == {"alpha", "beta"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("2 * x", "3 * x"),
        ("value = ", '"""shown"""\nvalue = '),
        ("def twice", '"""the first text of a cell"""\ndef twice'),
        ("value = ", "%time value = "),
    ],
)
def test_an_edit_of_a_cell_that_may_change_something(mini, changed, old, new):
    mini.notebook("beta", WORK.replace(old, new))
    assert changed() == {"beta"}


def test_a_statement_that_moves_between_blocks(mini, changed):
    mini.write(
        "paperlib/tools.py",
        "def base(n):\n    for i in range(3):\n        n += i\n    n += 1\n    return n\n",
    )
    changed()
    mini.write(
        "paperlib/tools.py",
        "def base(n):\n    for i in range(3):\n        n += i\n        n += 1\n    return n\n",
    )
    assert changed() == {"alpha", "beta"}


def test_a_module_that_is_no_python(mini, changed):
    mini.write("paperlib/tools.py", "def base(:\n")
    assert changed() == {"alpha", "beta"}
    mini.write("paperlib/tools.py", "def base(: # a comment\n")
    assert changed() == {"alpha", "beta"}
    mini.write("paperlib/tools.py", "x = " + "-" * 5000 + "1\n")  # too deep for a tree
    assert changed() == {"alpha", "beta"}

"""What changes a run's key, and what does not; nothing is executed here."""

import json

import pytest

from reproduce.paths import HOME, Project
from reproduce.planning import key, reach, runs, syntax
from reproduce.planning.notebook import read
from tests.papers import PAPERS

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
    """Two papers: alpha reaches the tools, and through its own package a kernel; beta reaches the tools."""
    mini = make_project("alpha", "beta")
    mini.write("paperlib/tools.py", TOOLS)
    mini.write("paperlib/alpha/__init__.py", "from paperlib.alpha.solver import solve\n")
    mini.write("paperlib/alpha/solver.py", "from ._kernels.loops import loop\n\n\ndef solve():\n    loop()\n")
    mini.write("paperlib/alpha/_kernels/__init__.py", "")
    mini.write("paperlib/alpha/_kernels/loops.py", "def loop():\n    return 1\n")
    mini.notebook("alpha", WORK, "from paperlib.alpha import solve")
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


def test_modules_that_a_notebook_does_not_reach(mini, changed):
    mini.write("paperlib/alpha/_kernels/loops.py", "def loop():\n    return 2\n")
    assert changed() == {"alpha"}
    mini.write("paperlib/beta/unused.py", "x = 1\n")
    mini.write("paperlib/gamma/__init__.py", "x = 1\n")
    mini.write("paperlib/notes.txt", "x")
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
    mini.write("paperlib/gamma.py", "it = 'may be imported by what nobody can read'")
    assert changed() == {"alpha", "beta"}


# Docstrings and source that a run reads


@pytest.mark.parametrize(
    "reader",
    [
        "says = base.__doc__",
        "says = getattr(base, '__doc__')",
        "import inspect\nsays = inspect.getdoc(base)",
        "from inspect import getdoc as words",
    ],
)
def test_docstrings_count_where_they_are_read(mini, changed, reader):
    mini.notebook("beta", WORK, reader)
    changed()
    mini.write("paperlib/tools.py", TOOLS.replace("Return the base", "Give the base"))
    assert changed() == {"beta"}
    mini.write("paperlib/tools.py", TOOLS.replace("Return the base", "Give the base") + "# a comment\n")
    assert changed() == set()


def test_a_module_that_reads_docstrings_makes_all_count_that_reach_it(mini, changed):
    mini.write("paperlib/alpha/solver.py", "def solve(x):\n    return x.__doc__\n")
    changed()
    mini.write("paperlib/tools.py", TOOLS.replace("A scale.", "Some scale."))
    assert changed() == {"alpha"}
    twice = "    return 2 * x"
    mini.notebook(
        "alpha", WORK.replace(twice, f'    """Words."""\n{twice}'), "from paperlib.alpha import solve"
    )
    assert changed() == {"alpha"}


@pytest.mark.parametrize(
    "reader",
    ["import inspect\nsays = inspect.getsource(base)", "import linecache", "print(__file__)", "In[0]"],
)
def test_comments_count_where_source_is_read(mini, changed, reader):
    mini.notebook("beta", WORK, reader)
    changed()
    mini.write("paperlib/tools.py", TOOLS + "# a comment\n")
    assert changed() == {"beta"}


@pytest.mark.parametrize(
    ("reader", "affected"),
    [("value", set()), ("import paperlib\npaperlib.__version__", {"beta"})],
)
def test_the_release_counts_where_it_is_read(mini, changed, reader, affected):
    mini.notebook("beta", WORK, reader)
    mini.write("paperlib/__init__.py", '__version__ = "1.0.0"\n')
    changed()
    mini.write("paperlib/__init__.py", '__version__ = "1.0.1"\n')
    assert changed() == affected
    mini.write("paperlib/__init__.py", '__version__ = "1.0.1"\nother = "1.0.1"\n')
    assert changed() == {"alpha", "beta"}


def test_no_result_of_this_project_depends_on_its_comments_or_its_release():
    project = Project(HOME)
    for paper in project.papers:
        assert reach.of(project, read(project.notebook(paper))).level == syntax.CODE, paper


# What is reached


@pytest.mark.parametrize(
    ("statement", "module"),
    [
        ("import paperlib.deep.one", "deep/one.py"),
        ("import paperlib.deep.one as other", "deep/one.py"),
        ("import paperlib.deep.one", "deep/__init__.py"),
        ("from paperlib.deep import one", "deep/one.py"),
        ("from paperlib.deep.one import *", "deep/one.py"),
        ("from paperlib.deep import *", "deep/one.py"),
        ("def f():\n    from paperlib.deep import one", "deep/one.py"),
        ("try:\n    import paperlib.deep.one\nexcept ImportError:\n    pass", "deep/one.py"),
        ("import importlib\nimportlib.import_module('paperlib.deep.one')", "deep/one.py"),
        ("from importlib import import_module\nimport_module('paperlib.deep.one')", "deep/one.py"),
        ("__import__('paperlib.deep.one')", "deep/one.py"),
        ("import importlib\nimportlib.import_module('paperlib.' + label)", "deep/one.py"),
        ("import importlib\nload = importlib.import_module", "deep/one.py"),
        ("from importlib import import_module as load", "deep/one.py"),
        ("import runpy\nrunpy.run_path('paperlib/deep/one.py')", "deep/one.py"),
        ("exec('import paperlib.deep.one')", "deep/one.py"),
        ("%run paperlib/deep/one.py", "deep/one.py"),
        ("import paperlib.deep.one", "__init__.py"),
    ],
)
def test_the_ways_to_import(mini, changed, statement, module):
    mini.write("paperlib/deep/__init__.py", "")
    mini.write("paperlib/deep/one.py", "x = 1\n")
    mini.notebook("beta", WORK, statement)
    changed()
    mini.write(f"paperlib/{module}", "x = 2\n")
    assert "beta" in changed()
    assert ("alpha" in changed()) is False


@pytest.mark.parametrize(
    "statement",
    ["from . import two", "from .two import x", "from ..deep.two import x", "from .. import deep"],
)
def test_relative_imports(mini, changed, statement):
    mini.write("paperlib/deep/__init__.py", "from .one import x\n")
    mini.write("paperlib/deep/one.py", f"{statement}\nx = 1\n")
    mini.write("paperlib/deep/two.py", "x = 1\n")
    mini.notebook("beta", WORK, "import paperlib.deep")
    changed()
    mini.write("paperlib/deep/two.py", "x = 2\n")
    assert changed() == ({"beta"} if "two" in statement else set())


def test_a_module_that_is_reached_through_another_only(mini, changed):
    mini.write("paperlib/alpha/_kernels/__init__.py", "x = 1\n")
    assert changed() == {"alpha"}
    mini.write("paperlib/alpha/solver.py", "def solve():\n    pass\n")
    assert changed() == {"alpha"}
    mini.write("paperlib/alpha/_kernels/loops.py", "x = 3\n")
    assert changed() == set()


def test_a_new_module_in_the_place_of_another(mini, changed):
    mini.write("paperlib/tools/__init__.py", TOOLS)  # Python takes the package
    assert changed() == {"alpha", "beta"}
    mini.write("paperlib/tools.py", "x = 1\n")
    assert changed() == set()


def test_a_module_beside_the_library(mini, changed):
    mini.notebook("beta", WORK, "import helper")
    changed()
    mini.write("helper.py", "x = 1\n")
    assert changed() == {"beta"}


# Packages that import on demand

ON_DEMAND = (
    "import importlib\n\n\ndef __getattr__(name):\n    return importlib.import_module(f'{}.{{name}}')\n"
)


@pytest.mark.parametrize("package", ["paperlib", "{__name__}"])
@pytest.mark.parametrize(
    ("statement", "reached"),
    [
        ("from paperlib.tools import base", False),
        ("import paperlib", False),
        ("import paperlib\npaperlib.deep", True),
        ("import paperlib as p\np.deep.one.x", True),
        ("import paperlib.tools\npaperlib.deep", True),
        ("from paperlib import deep", True),
        ("from paperlib import *", True),
        ("import paperlib\ngetattr(paperlib, 'deep')", True),
        ("import paperlib\nprint(paperlib)", True),
        ("import importlib\nimportlib.import_module('paperlib').deep", True),
    ],
)
def test_a_package_that_imports_what_it_is_asked_for(mini, changed, package, statement, reached):
    mini.write("paperlib/__init__.py", ON_DEMAND.format(package))
    mini.write("paperlib/deep/__init__.py", "x = 1\n")
    mini.notebook("beta", WORK, statement)
    changed()
    mini.write("paperlib/deep/__init__.py", "x = 2\n")
    assert changed() == ({"beta"} if reached else set())


@pytest.mark.parametrize(
    "function",
    [
        ON_DEMAND.format("other"),
        ON_DEMAND.format("paperlib").replace("{name}", "{name.lower()}"),
        ON_DEMAND.format("paperlib").replace("    return", "    name = {'a': 'deep'}[name]\n    return"),
        ON_DEMAND.format("paperlib").replace("__getattr__", "load"),
    ],
)
def test_a_package_that_may_import_anything(mini, changed, function):
    mini.write("paperlib/__init__.py", function)
    mini.write("paperlib/deep/__init__.py", "x = 1\n")
    changed()
    mini.write("paperlib/deep/__init__.py", "x = 2\n")
    assert changed() == {"alpha", "beta"}


@pytest.mark.parametrize("paper", PAPERS)
def test_no_paper_of_this_project_reaches_a_module_of_another(paper):
    project = Project(HOME)
    files = reach.of(project, read(project.notebook(paper))).files
    others = set(project.papers) - {paper}
    assert not [path for path in files if others & set(path.relative_to(HOME).parts)]
    assert project.library / "_common" / "jit.py" in files

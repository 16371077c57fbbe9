"""What a piece of work depends on, found in the texts of a package."""

import pytest

from paperlib._common.code_digest import read
from paperlib._common.code_reach import GONE, Sources, sources_of

TEXTS = {
    "": "from pack.lazy import thing as renamed\n",
    "lazy": "def __getattr__(name):\n    return helper(name)\n\ndef helper(name):\n    return name\n",
    "kernels": """
from numba.extending import overload
from paperlib._common.jit import jit
from pack.constants import RATE
from pack import other

@jit
def outer(x):
    return inner(x) * RATE + other.far(x)

@jit
def inner(x):
    return x

@jit
def alone(x):
    return x

def power(x):
    raise NotImplementedError

@overload(power)
def any_power(x):
    return lambda x: x * x
""",
    "constants": "RATE = 2\n\ndef unused():\n    return 1\n",
    "other": """
from paperlib._common.jit import jit

@jit
def far(x):
    return near(x)

@jit
def near(x):
    return x
""",
    "work": """
from pack import kernels
from pack.kernels import outer as aliased

def by_alias(x):
    return aliased(x)

def by_module(x):
    return kernels.alone(x)

def locally(x):
    from pack.constants import unused
    return unused()

def plain(x):
    return helper(x)

def helper(x):
    return x
""",
}


@pytest.fixture
def sources(tmp_path):
    folder = tmp_path / "pack"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / f"{name or '__init__'}.py").write_text(text)
    return Sources({"pack": folder})


def reached(sources, *names, called=()):
    return {
        item.removeprefix("pack.") for item in sources.reached([f"pack.{n}" for n in names], called=called)
    }


OPTIONS = "paperlib._common.jit:jit"


def test_a_kernel_that_is_mentioned_brings_all_that_it_can_call(sources):
    found = reached(sources, "work:by_alias")
    assert found - {OPTIONS} == {
        *("work:", "work:by_alias", "constants:", "other:", "other:far", "other:near"),
        *("kernels:", "kernels:outer", "kernels:inner", "kernels:power", "kernels:any_power"),
    }
    assert OPTIONS not in reached(Sources(sources.roots), "work:plain")


def test_a_module_brings_only_what_is_mentioned_of_it(sources):
    found = reached(sources, "work:by_module")
    assert {"kernels:alone", "kernels:any_power"} <= found
    assert not {"kernels:outer", "kernels:inner", "other:"} & found


def test_a_python_function_that_is_mentioned_is_no_entry(sources):
    """It counts where it was entered: of what is not compiled the tracer sees all."""
    assert reached(sources, "work:plain") == {"work:", "work:plain"}
    assert "constants:unused" not in reached(sources, "work:locally")
    assert "constants:" in reached(sources, "work:locally")
    assert "constants:unused" in reached(sources, called=["pack.work:locally"])


def test_what_is_not_there_has_a_digest_of_its_own(sources):
    assert sources.digest("pack.work:gone") == sources.digest("pack.nowhere:f") == GONE
    (sources.path("pack.other")).write_text("def far(:\n")
    assert Sources(sources.roots).digest("pack.other:far") == "unreadable"


def test_an_edited_text_stands_in_the_place_of_the_file(sources):
    edited = Sources(sources.roots, {"pack.constants": "RATE = 3\n"})
    assert edited.digest("pack.constants:") != sources.digest("pack.constants:")
    assert edited.digest("pack.work:plain") == sources.digest("pack.work:plain")


SAME = [
    ("def f(x):\n    return x", 'def f(x):  # what\n    "It."\n    return (x)'),
    ("def f(x):\n    return x", "def f(x: int) -> int:\n    return x"),
    ("def f():\n    raise ValueError(f'at {x} no')", "def f():\n    raise ValueError(f'{x}, and no')"),
    ("x = 1\n\ndef f(): pass", "x = 1\n\ndef f(): pass\n\ndef g(): pass"),
    ("__version__ = '1'\n", "__version__ = '2'\n"),
    (
        "import a\n\ndef f():\n    return a.b",
        "import a\nimport c\n\ndef g():\n    return c\n\ndef f():\n    return a.b",
    ),
]
BOTH = "if A:\n    def f(): return 1\nelse:\n    def f(): return {}"
OTHER = [
    ("def f(x):\n    return x", "def f(x=1):\n    return x"),
    ("def f(x):\n    return 1", "def f(x):\n    return 1.0"),
    ("def f(x):\n    return 'a'", "def f(x):\n    return 'b'"),
    ("def f():\n    raise ValueError(x)", "def f():\n    raise ValueError(y)"),
    ("def f():\n    raise ValueError('a')", "def f():\n    raise TypeError('a')"),
    ("from a import b\n\ndef f():\n    return b", "from c import b\n\ndef f():\n    return b"),
    ("class A:\n    x: int = 1", "class A:\n    x: float = 1"),
    ("class A:\n    pass", "class A:\n    def f(self): pass"),
    ("def f(): pass", "import f2\n\ndef sum(): pass\n\ndef f(): pass"),
    ("X = {}\n\n@put(X)\ndef f(): pass", "X = {}\n\n@put(X)\ndef g(): pass"),
    (BOTH.format(2), BOTH.format(3)),
]


def digests(text):
    return {name: each.digest for name, each in read(text, "m").definitions.items()}


@pytest.mark.parametrize(("one", "two"), SAME)
def test_what_changes_no_value_changes_no_digest(one, two):
    found = digests(two)
    assert {name: found[name] for name in digests(one)} == digests(one)


@pytest.mark.parametrize(("one", "two"), OTHER)
def test_what_may_change_a_value_changes_a_digest(one, two):
    found = digests(two)
    assert {name: found.get(name) for name in digests(one)} != digests(one)


def test_the_sources_of_a_package_are_read_once():
    assert sources_of("paperlib") is sources_of("paperlib")


def test_every_kernel_is_known_to_be_one():
    """What compiled code calls is found in the texts: under whatever name `jit` was asked for."""
    import importlib
    import pkgutil

    from numba.core.dispatcher import Dispatcher

    import paperlib

    sources, kernels = sources_of("paperlib"), 0
    for found in pkgutil.walk_packages(paperlib.__path__, "paperlib."):
        try:
            module = importlib.import_module(found.name)
        except ImportError:  # of a package that need not be there
            continue
        for thing in vars(module).values():
            if isinstance(thing, Dispatcher) and thing.py_func.__module__ == found.name:
                kernels += 1
                assert sources.text(found.name).definitions[thing.py_func.__qualname__].untraced, thing
    assert kernels > 250
    reached = sources.reached(["paperlib.max_loss._tree.sumtree:update_one"])
    assert "paperlib.max_loss._tree.sumtree:give_all_a_leaf" in reached

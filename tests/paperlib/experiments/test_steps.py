"""Steps: what is kept, what an edit makes old, and what happens to damaged files."""

import json
import os
import signal
import subprocess
import sys
import threading
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paperlib._common.code_reach import sources_of
from paperlib.experiments import own_code, steps, store
from paperlib.experiments.steps import step
from paperlib.experiments.tracing import Tracer
from tests.paperlib.experiments.toy_package import ToyPackage

TOY = {
    "kernels": """
from paperlib._common.jit import jit

SCALE = 2

@jit
def inner(x):
    return SCALE * x

@jit
def kernel(x):
    return inner(x) + 1

@jit
def other_kernel(x):
    return 10 * x
""",
    "helpers": """
from functools import cache

LIMIT = 5
UNUSED = 1

def plain(x):
    "Return a number."
    if x < 0:
        raise ValueError("x must be positive, got nothing good")
    return min(x, LIMIT)

def never(x):
    return 7

@cache
def kept():
    return made(3)

def made(x):
    return 2 * x

def double(function):
    def run(x):
        return 2 * function(x)
    return run

@double
def decorated(x):
    return x + 1

class Base:
    offset = 1

    def shift(self, x):
        return x + self.offset

class Own(Base):
    def call(self, x, by=3):
        return self.shift(x) * by
""",
    "tables": """
from toy import helpers

def square(x):
    return x * x

def cube(x):
    return x * x * x

def build():
    return {"square": square, "cube": cube}

WAYS = build()
COUNTS = {"few": helpers.made(1)}
""",
    "work": """
from paperlib.experiments.steps import step
from toy import helpers, kernels, tables
from toy.helpers import Own
from toy.kernels import kernel

@step
def by_kernel(x):
    return float(kernel(x))

@step
def by_helper(x):
    return helpers.plain(x)

@step
def by_table(x, way="square"):
    return tables.WAYS[way](x) + tables.COUNTS["few"]

@step
def by_class(x):
    return Own().call(x) + helpers.decorated(x)

@step
def by_cache(x):
    return helpers.kept() + x

@step
def nested(x):
    return by_helper(x) + by_class(x)
""",
}
HELPERS = {"by_helper", "by_table", "by_class", "by_cache", "nested"}  # all that use the module
ALL = ("by_kernel", "by_helper", "by_table", "by_class", "by_cache", "nested")


@pytest.fixture
def toy(tmp_path, monkeypatch):
    monkeypatch.setenv(steps.FOLDER, str(tmp_path / "steps"))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    own_code.requirements.cache_clear()  # the packages of all tests have one name
    (tmp_path / "pyproject.toml").write_text('[project]\ndependencies = ["numpy>=2"]\n')
    return ToyPackage(tmp_path, dict(TOY))


def ran(toy, names=ALL, x=4):
    """The values of steps, and the names of those that were computed."""
    work = toy.load("work")
    before = len(steps.calls())
    values = {name: getattr(work, name)(x) for name in names}
    return values, {call.name.partition(":")[2] for call in steps.calls()[before:] if not call.is_kept}


def test_a_step_within_a_step_reads_no_file(toy):
    assert toy.load("work").nested(4) == ran(toy, ["nested"])[0]["nested"]


def test_nothing_is_computed_a_second_time(toy):
    first, computed = ran(toy)
    assert computed == set(ALL)
    assert ran(toy) == (first, set())


# fmt: off
EDITS = {  # what is edited -> module, old, new, the steps that run again
    "a comment": ("helpers", "LIMIT = 5", "# The most.\nLIMIT = 5", set()),
    "a docstring": ("helpers", "Return a number.", "Return some number.", set()),
    "the words of an error": ("helpers", "positive, got", "positive: got", set()),
    "an annotation": ("helpers", "def plain(x):", "def plain(x: int) -> int:", set()),
    "what is never called": ("helpers", "return 7", "return 8", set()),
    "a new function": ("helpers", "def never(x):", "def another(x):\n    return x\n\ndef never(x):", set()),
    "a new import": ("helpers",
         "from functools import cache", "import os\nfrom functools import cache", HELPERS),
    "a kernel": ("kernels", "inner(x) + 1", "inner(x) + 2", {"by_kernel"}),
    "a kernel in a kernel": ("kernels", "SCALE * x", "SCALE * x * 3", {"by_kernel"}),
    "a kernel's constant": ("kernels", "SCALE = 2", "SCALE = 3", {"by_kernel"}),
    "a kernel that is not used": ("kernels", "10 * x", "11 * x", set()),
    "a helper": ("helpers", "min(x, LIMIT)", "max(x, LIMIT)", {"by_helper", "nested"}),
    "a constant": ("helpers", "LIMIT = 5", "LIMIT = 3", HELPERS),
    "a decorator": ("helpers", "2 * function(x)", "3 * function(x)", HELPERS),
    "a function in a table": ("tables", "return x * x\n", "return x + x\n", {"by_table"}),
    "the table": ("tables", '"square": square', '"square": cube', {"by_table"}),
    "what an import calls": ("helpers", "return 2 * x", "return 3 * x", {"by_table", "by_cache"}),
    "a default argument": ("helpers", "by=3", "by=4", {"by_class", "nested"}),
    "a base class": ("helpers", "x + self.offset", "x - self.offset", {"by_class", "nested"}),
    "a class attribute": ("helpers", "offset = 1", "offset = 2", HELPERS),
    "another base": ("helpers", "class Own(Base):", "class Own(Base, object):", HELPERS),
    "an override": ("helpers",
        "    def call(self, x, by=3):",
        "    def shift(self, x):\n        return x\n\n    def call(self, x, by=3):", HELPERS),
    "a builtin's name": ("helpers",
         "def never(x):", "def min(x, y):\n    return y\n\ndef never(x):", HELPERS),
    "where a name is imported from": ("work",
         "from toy.kernels import kernel", "from toy.kernels import other_kernel as kernel", {"by_kernel"}),
    "the step itself": ("work", "helpers.kept() + x", "helpers.kept() - x", {"by_cache"}),
}
# fmt: on


@pytest.mark.parametrize("what", EDITS)
def test_an_edit_costs_the_steps_that_it_can_change(toy, what, monkeypatch):
    """Those whose value changes run again, and none beside those that are named here."""
    *edit, expected = EDITS[what]
    before, _ = ran(toy)
    toy.edit(*edit)
    found, computed = ran(toy)
    monkeypatch.setenv(steps.FOLDER, "")
    truth, _ = ran(toy)
    assert found == truth
    assert {name for name in ALL if truth[name] != before[name]} <= computed
    assert computed == expected


PIECES = st.one_of(
    st.tuples(st.just("number"), st.integers(0, 8), st.integers(0, 9)),
    st.tuples(st.just("target"), st.integers(0, 8), st.integers(0, 8)),
    st.tuples(
        st.just("kind"), st.integers(0, 8), st.sampled_from(["plain", "cached", "decorated", "default"])
    ),
    st.tuples(st.just("entry"), st.integers(0, 1), st.integers(0, 8)),
    st.tuples(st.just("constant"), st.integers(0, 2), st.integers(0, 9)),
    st.tuples(st.just("import"), st.integers(0, 2), st.booleans()),
)


def written(model):
    """The texts of a package of nine functions in three modules, from what random edits have made of it."""
    texts = {}
    for place in range(3):
        others = "\n".join(f"from toy import m{i}" for i in range(place))
        lines = [f"from functools import cache, partial\n{others}\nC = {model['constant'][place]}"]
        lines.append("def twice(f):\n    return lambda x: 2 * f(x)")
        for i in range(3 * place, 3 * place + 3):
            target, kind, number = model["target"][i], model["kind"][i], model["number"][i]
            # Only earlier functions are called, so that every package ends.
            inner = "0"
            if target < i:
                inner = f"f{target}(x)" if target // 3 == place else f"m{target // 3}.f{target}(x)"
            head = {"plain": "", "default": "", "cached": "@cache\n", "decorated": "@twice\n"}[kind]
            default = f", c=C + {number}" if kind == "default" else ""
            value = "c" if kind == "default" else number
            lines.append(f"{head}def f{i}(x{default}):\n    return {value} * x + C + {inner}")
        texts[f"m{place}"] = "\n\n".join(lines) + "\n"
    entries = [f"m{i // 3}.f{i}" for i in model["entry"]]
    names = "\n".join(f"from toy.m{i} import f{3 * i} as g{i}" for i in range(3) if model["import"][i])
    names += "\n" + "\n".join(f"g{i} = m{i}.f{3 * i + 1}" for i in range(3) if not model["import"][i])
    texts["work"] = f"""
from paperlib.experiments.steps import step
from toy import m0, m1, m2
{names}
TABLE = dict(first={entries[0]}, second={entries[1]})

@step
def first(x):
    return TABLE["first"](x)

@step
def second(x):
    return TABLE["second"](x) + g0(x)

@step
def third(x):
    return sum(map(g1, range(x))) + [g2][0](x)
"""
    return texts


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(edits=st.lists(PIECES, min_size=1, max_size=5))
def test_random_edits_of_a_package_never_leave_an_old_value(toy, edits, tmp_path_factory):
    """Whatever is edited, a value from the store is what would be computed without one."""
    names = ("first", "second", "third")
    model = {
        "number": list(range(1, 10)),
        "target": [8, 0, 1, 2, 8, 3, 5, 6, 4],
        "kind": ["plain", "cached", "plain", "decorated", "default"] + ["plain"] * 4,
        "entry": [7, 5],
        "constant": [1, 2, 3],
        "import": [True, True, False],
    }
    folder = tmp_path_factory.mktemp("random")
    with pytest.MonkeyPatch.context() as patch:
        for edit in [None, *edits]:
            if edit:
                what, place, value = edit
                model[what][place] = value
            toy.texts = {"": ""} | written(model)
            patch.setenv(steps.FOLDER, str(folder))
            found, _ = ran(toy, names)
            patch.setenv(steps.FOLDER, "")
            truth, _ = ran(toy, names)
            assert found == truth


def test_what_a_test_puts_in_the_place_of_something_is_seen(toy, monkeypatch):
    ran(toy)
    work = toy.load("work")
    helpers, kernels = sys.modules["toy.helpers"], sys.modules["toy.kernels"]
    for owner, name, other, call, expected in (
        (work, "kernel", kernels.other_kernel, work.by_kernel, 40.0),
        (helpers, "plain", lambda x: -1, work.by_helper, -1),
        (helpers, "LIMIT", 2, work.by_helper, 2),
        (helpers.Base, "shift", lambda self, x: 100, work.by_class, 310),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, other)
            assert call(4) == expected
    assert work.by_helper(4) == 4  # and nothing of it was kept


def test_sources_that_are_newer_than_the_process_are_not_trusted(toy):
    work = toy.load("work")
    (toy.folder / "helpers.py").touch()
    with pytest.warns(UserWarning, match="start it anew"):
        steps._history.told.clear()
        work.by_helper(4)
    before = len(steps.calls())
    work.by_helper(4)
    assert not steps.calls()[before].is_kept


def test_steps_keep_threads_apart_and_see_into_them(toy):
    toy.texts["work"] += """
from concurrent.futures import ThreadPoolExecutor

@step
def threaded(x):
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(helpers.plain, [x, x]))
"""
    ran(toy, ["threaded"])
    toy.edit("helpers", "min(x, LIMIT)", "max(x, LIMIT)")
    assert ran(toy, ["threaded"]) == ({"threaded": [5, 5]}, {"threaded"})


def test_a_thread_that_begins_meanwhile_hides_nothing(toy):
    """A function that calls a step, and is not left when the step begins, is seen by an outer tracer."""
    work = toy.load("work")
    helpers = sys.modules["toy.helpers"]
    with Tracer(sources_of("toy")) as tracer:
        threads = [threading.Thread(target=helpers.made, args=(1,))]
        threads[0].start()
        threads[0].join()
        helpers.double(work.by_helper)(3)
        assert {"toy.helpers:double", "toy.helpers:made", "toy.helpers:plain"} <= tracer.entered


class Pair(NamedTuple):
    table: pd.DataFrame
    array: np.ndarray


def test_tables_and_arrays_come_back_as_they_were_and_know_their_step(toy):
    toy.texts["work"] += """
import numpy as np, pandas as pd
from typing import NamedTuple

class Pair(NamedTuple):
    table: pd.DataFrame
    array: np.ndarray

@step
def pair(n):
    table = pd.DataFrame({"x": np.arange(n), "y": np.arange(n) / 3, "name": ["a"] * n})
    return Pair(table, np.asfortranarray(np.ones((n, 2), dtype=np.float32)))

@step
def total(array):
    return pd.DataFrame({"sum": [array.sum()]})
"""
    made = [toy.load("work").pair(3) for _ in range(2)]
    assert [steps.made_by(each.table).is_kept for each in made] == [False, True]
    pd.testing.assert_frame_equal(made[0].table, made[1].table)
    assert made[1].array.flags.f_contiguous and made[1].array.dtype == np.float32
    total = sys.modules["toy.work"].total
    assert steps.made_by(total(made[1].array)).inputs == (steps.made_by(made[1].array),)
    assert steps.made_by(total(made[1].array + 1)).inputs is None
    assert steps.made_by(made[1].table.copy()) is None


@pytest.mark.parametrize("damage", ["cut", "empty", "other format", "garbage", "removed", "not a pickle"])
def test_a_damaged_file_is_a_recomputation(toy, tmp_path, damage):
    before, _ = ran(toy, ["by_helper"])
    [path] = (tmp_path / "steps").glob("*.step")
    whole = path.read_bytes()
    header, _, content = whole.partition(b"\n")
    if damage == "removed":
        path.unlink()
    else:
        path.write_bytes(
            {
                "cut": whole[:-3],
                "empty": b"",
                "other format": whole.replace(b'"format": ', b'"format": 9'),
                "garbage": b"\x80" + whole[::-1],
                "not a pickle": header + b"\n" + content[:4] + b"?" * 20,
            }[damage]
        )
    assert ran(toy, ["by_helper"]) == (before, {"by_helper"})
    assert ran(toy, ["by_helper"]) == (before, set())


def test_the_driver_takes_no_value_of_another_processors_routines(toy, monkeypatch):
    monkeypatch.delenv("OPENBLAS_CORETYPE", raising=False)  # as in JupyterLab
    before, computed = ran(toy, ["by_helper"])
    assert computed == {"by_helper"}
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Nehalem")  # as in the driver's kernels
    assert ran(toy, ["by_helper"]) == (before, {"by_helper"})
    assert ran(toy, ["by_helper"]) == (before, set())
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")  # elsewhere its values are as good as any
    assert ran(toy, ["by_helper"]) == (before, set())


def test_the_oldest_values_go_first(tmp_path):
    small = store.Store(tmp_path, limit=3900)
    other = tmp_path / "notes.txt"  # older than all of them, in a folder of the user's choice
    other.write_text("mine" * 900)
    for i in range(4):
        random = np.random.default_rng(i).bytes(900)
        small.keep(f"s{i}", random, entered=[], digests={}, versions="", seconds=0)
        next(small.find("s0", ""), None) and next(small.find("s0", "")).value()  # in use all the time
    assert [bool(list(small.find(f"s{i}", ""))) for i in range(4)] == [True, False, True, True]
    assert other.exists() and not list(tmp_path.glob(".*"))


def test_what_cannot_be_kept_is_computed_and_said_once(toy):
    toy.texts["work"] += "\n@step\ndef odd(x):\n    return lambda: x\n"
    work = toy.load("work")
    with pytest.warns(UserWarning, match="toy.work:odd is not kept") as said:
        assert [work.odd(3)() for _ in range(2)] == [3, 3]
    assert len(said) == 1


def test_what_stands_in_no_file_is_computed_each_time(toy):
    """As a step in a docstring: nobody could tell that it was edited."""
    work = toy.load("work")
    for by in (2, 3):
        exec(f"@step\ndef free(x):\n    return {by} * helpers.plain(x)", vars(work))
        assert work.free(4) == by * 4


def test_a_folder_that_cannot_be_written_is_said_once(toy, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(steps.FOLDER, str(tmp_path / "file" / "steps"))
    with pytest.warns(UserWarning, match="not kept"):
        assert ran(toy, ["by_helper"])[0] == {"by_helper": 4}


def test_force_computes_and_keeps(toy, monkeypatch):
    ran(toy, ["by_helper"])
    monkeypatch.setenv(steps.FORCE, "1")
    assert ran(toy, ["by_helper"])[1] == {"by_helper"}
    monkeypatch.delenv(steps.FORCE)
    assert ran(toy, ["by_helper"])[1] == set()


def test_an_error_is_not_kept(toy):
    work = toy.load("work")
    for _ in range(2):
        with pytest.raises(ValueError, match="must be positive"):
            work.by_helper(-1)


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState, np.random.SeedSequence])
@pytest.mark.parametrize("wrap", [lambda g: g, lambda g: [g], lambda g: {"a": (g,)}])
def test_a_generator_is_refused(make, wrap):
    @step
    def draw(source):
        raise AssertionError

    with pytest.raises(TypeError, match="source must not be or hold a"):
        draw(wrap(make(0)))


def test_the_order_of_a_dict_counts(toy):
    toy.texts["work"] += "\n@step\ndef keys(d):\n    return list(d)\n"
    work = toy.load("work")
    assert [work.keys({"a": 1, "b": 2}), work.keys({"b": 2, "a": 1})] == [["a", "b"], ["b", "a"]]


def test_two_at_once(toy):
    work = toy.load("work")
    threads = [threading.Thread(target=work.by_class, args=(i % 2,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [work.by_class(i) for i in range(2)] == [5, 10]


@pytest.mark.slow
def test_a_step_that_does_not_end_ends_its_process(toy):
    """Even in a kernel, which hears no signal."""
    kernels = """
from paperlib._common.jit import jit

@jit
def spin(n):
    total = 0
    while n >= 0:
        total += n
        n = (n * 3 + 1) % 1000003
    return total
"""
    work = """
from paperlib.experiments.steps import step
from toy.kernels import spin

@step
def short(x):
    return x

@step
def endless(x):
    return spin(x)
"""
    toy.texts |= {"kernels": kernels, "work": work}
    toy.load("work")
    code = "from toy import work; print(work.short(1), flush=True); work.endless(1)"
    env = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(toy.folder.parent), *sys.path]),
        steps.SECONDS: json.dumps({"": 100, "toy.work:endless": 5}),
        steps.FOLDER: "",
    }
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("1\n", -signal.SIGXCPU)


def test_the_driver_is_told_how_far_a_long_step_is(tmp_path, monkeypatch):
    told = tmp_path / "told"
    monkeypatch.setenv(steps.PROGRESS, str(told))
    clock = iter(range(0, 100, 2))
    monkeypatch.setattr(steps.time, "monotonic", lambda: next(clock))
    assert list(steps.progress("abcd", "letters")) == list("abcd")
    assert told.read_text() == "0.75"

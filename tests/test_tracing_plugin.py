"""The plugin that notes what tests depend on, over a file of toy tests."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
KERNELS = """\
from paperlib._common.jit import jit
@jit
def half(x):
    return x / 2
@jit
def quarter(x):
    return half(half(x))
class Scale:
    def __init__(self, by):
        self.by = by
    def of(self, x):
        return self.by * x
"""
TESTS = """\
import pytest
from paperlib.experiments.random_streams import stream
from paperlib.experiments.statistics import mean_and_stderr, to_resolution
from tests.kernels import Scale, quarter
@pytest.fixture(scope="module")
def shared():
    return stream(0, "shared")
def helper():
    return Scale(2)
def test_first(shared):
    pass
def test_second(shared):
    pass
def test_kernel():
    assert callable(quarter)
@pytest.mark.parametrize("scaled", [False, True])
def test_in_cases(scaled):
    helper().of(2) if scaled else mean_and_stderr([1.0, 3.0])
def test_failing():
    assert not helper()
"""


@pytest.fixture
def run(tmp_path):
    """A function that runs the toy tests, and returns `{test: (digest, items)}` of their file."""
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "kernels.py").write_text(KERNELS)
    (tmp_path / "tests" / "test_toy.py").write_text(TESTS)

    def call(*args):
        command = [sys.executable, "-m", "pytest", "--import-mode=importlib", "-p", "tests.tracing_plugin"]
        env = os.environ | {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        done = subprocess.run([*command, *args], cwd=tmp_path, env=env, capture_output=True, text=True)
        assert "1 failed" in done.stdout, done.stdout + done.stderr
        content = json.loads((tmp_path / "build" / "tests" / "traces.json").read_text())
        return {
            test.removeprefix("tests/test_toy.py::"): (
                known["digest"],
                {f"{module}:{name}" for module, names in known["items"].items() for name in names.split()},
            )
            for test, known in content.items()
        }

    return call


def test_items_of_each_test(run, tmp_path):
    found = run("-p", "xdist", "-n", "2", "--dist", "load")
    assert found.keys() == {"test_first", "test_second", "test_kernel", "test_in_cases"}  # not what fails
    items = {test: each for test, (_, each) in found.items()}
    for test in ("test_first", "test_second"):  # a fixture of a module is set up for the first of them
        assert {f"tests.test_toy:{test}", "paperlib.experiments.random_streams:stream"} <= items[test]
    assert items["test_kernel"] >= {"tests.kernels:half", "tests.kernels:quarter"}
    cases = {"paperlib.experiments.statistics:mean_and_stderr", "tests.test_toy:helper"}
    cases |= {f"tests.kernels:Scale.{name}" for name in ("__init__", "of")}
    assert items["test_in_cases"] >= cases
    for test in ("test_first", "test_second", "test_kernel"):
        assert items[test].isdisjoint(cases | {"tests.test_toy:test_in_cases"})
    assert not any("to_resolution" in item for each in items.values() for item in each)

    (tmp_path / "tests" / "kernels.py").write_text(KERNELS.replace("x / 2", "0.5 * x"))
    later = run("-k", "kernel or failing")
    assert {test for test in later if later[test] != found.get(test)} == {"test_kernel"}
    assert later["test_kernel"][1] == items["test_kernel"]

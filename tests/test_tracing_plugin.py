"""The plugin that notes what tests depend on, over a file of toy tests."""

import json
import os
import re
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
import os, subprocess, sys
import pytest
from paperlib.experiments.random_streams import stream
from paperlib.experiments.statistics import mean_and_stderr, to_resolution
from tests.kernels import Scale, quarter
@pytest.fixture(scope="module")
def shared():
    return stream(0, "shared")
def helper():
    return Scale(2)
def test_reading():
    assert open("tests/data/numbers.txt").read()
def test_listing():
    assert os.listdir("tests/data")
def test_process():
    assert not subprocess.run([sys.executable, "-c", ""]).returncode
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
    (tmp_path / "tests" / "data").mkdir()
    (tmp_path / "tests" / "data" / "numbers.txt").write_text("1")
    (tmp_path / "reproduce").mkdir()
    (tmp_path / "reproduce" / "driver.py").write_text("steps = 1")
    (tmp_path / "notebooks").mkdir()

    def call(*args):
        command = [sys.executable, "-B", "-m", "pytest", "--import-mode=importlib", *args]
        env = os.environ | {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
        assert "1 failed" in done.stdout, done.stdout + done.stderr
        return done

    def traced(*args):
        call("-p", "tests.tracing_plugin", *args)
        content = json.loads((tmp_path / "build" / "tests" / "traces.json").read_text())
        return {
            test.removeprefix("tests/test_toy.py::"): (
                known["digest"],
                {f"{module}:{name}" for module, names in known["items"].items() for name in names.split()},
            )
            for test, known in content.items()
        }

    traced.call = call
    return traced


@pytest.mark.slow
def test_items_of_each_test(run, tmp_path):
    found = run("-p", "xdist", "-n", "2", "--dist", "load")
    of_files = {"test_reading", "test_listing", "test_process"}  # and what fails is not there
    assert (
        found.keys() == {"test_first", "test_second", "test_kernel", "test_in_cases"} | of_files
    )  # none that fails
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


@pytest.mark.slow
def test_only_what_an_edit_touches_runs_again(run, tmp_path):
    """What failed runs each time, and what was edited back is as it was."""

    def again(file, text):
        path = tmp_path / file
        before = path.read_text() if path.exists() else None
        path.write_text(text)
        done = run.call("-p", "tests.changed", "-v")
        path.unlink() if before is None else path.write_text(before)
        run.call("-p", "tests.tracing_plugin")
        return set(re.findall(r"::(test_\w+)\S* PASSED", done.stdout))

    run.call("-p", "tests.tracing_plugin")
    assert again("tests/kernels.py", KERNELS.replace("x / 2", "0.5 * x")) == {"test_kernel"}
    assert again("tests/kernels.py", KERNELS + "# a comment") == set()
    assert again("tests/kernels.py", KERNELS.replace("self.by * x", "x * self.by")) == {"test_in_cases"}
    assert again("tests/data/numbers.txt", "2") == {"test_reading"}
    assert again("tests/data/letters.txt", "a") == {"test_listing"}
    assert again("reproduce/driver.py", "steps = 2") == {"test_process"}
    assert again("tests/test_toy.py", TESTS.replace("assert open", "assert 1, open")) >= {"test_reading"}

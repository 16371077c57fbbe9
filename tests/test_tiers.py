"""Which tests are in which tier, over a file of toy tests."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MARKERS = "slow", "drawn(n)", "release"
TESTS = """\
import pytest
from sklearn.linear_model import Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks
SETTINGS = [GaussianNB(), GaussianNB(var_smoothing=0.1), Perceptron()]
@parametrize_with_checks(SETTINGS)
def test_contract(estimator, check):
    pass
def test_plain():
    pass
@pytest.mark.slow
def test_slow():
    pass
@pytest.mark.release
def test_release():
    pass
@pytest.mark.drawn(2)
@pytest.mark.parametrize("case", range(8))
def test_long(case):
    pass
def test_cases(sampled):
    print("drawn", *sampled(list("abcdefgh")))
"""


@pytest.fixture
def run(tmp_path):
    """A function that runs the toy tests: the passed ones, the cases drawn, and all that is printed."""
    lines = ["[pytest]", "addopts = -m 'not release'", "markers =", *(f"    {name}: ..." for name in MARKERS)]
    (tmp_path / "pytest.ini").write_text("\n".join(lines))
    (tmp_path / "test_toy.py").write_text(TESTS)

    def call(*args, seed=None):
        env = os.environ | {"PYTHONPATH": str(ROOT)}
        env.pop("PAPERLIB_TEST_SEED", None)
        env |= {"PAPERLIB_TEST_SEED": seed} if seed else {}
        command = [sys.executable, "-m", "pytest", "-p", "conftest", "-p", "no:cacheprovider", "-vs", *args]
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        names = re.findall(r"^test_toy.py::(\S+)", done.stdout, re.MULTILINE)
        drawn = re.search(r"drawn (.*)$", done.stdout, re.MULTILINE)
        return names, drawn and drawn[1].removesuffix("PASSED").split(), done.stdout

    return call


def settings(names):
    return {name.partition("[")[2].rpartition("-")[0] for name in names if "contract" in name}


def plain(names):
    return [name for name in names if "[" not in name]


@pytest.mark.slow
def test_the_quick_tier_and_the_rest_are_all(run):
    quick, drawn, printed = run(seed="1")
    assert plain(quick) == ["test_plain", "test_cases"]
    assert sum("long" in name for name in quick) == 2
    assert settings(quick) == {"GaussianNB()", "Perceptron()"}
    assert "PAPERLIB_TEST_SEED=1" in printed and len(drawn) == 1
    assert run("-k", "cases", seed="1")[1] == drawn != run("-k", "cases", seed="2")[1]
    assert re.search(r"PAPERLIB_TEST_SEED=\d+", run("-k", "plain")[2])

    rest, drawn, _ = run("--tier", "rest")
    assert plain(rest) == ["test_slow", "test_cases"]
    assert sum("long" in name for name in rest) == 8
    assert settings(rest) == {"GaussianNB(var_smoothing=0.1)"}
    assert drawn == list("abcdefgh")

    everything, drawn, _ = run("--tier", "all")
    assert set(everything) == {*quick, *rest}
    assert drawn == list("abcdefgh")


@pytest.mark.slow
def test_what_is_asked_for_by_its_name_runs(run):
    assert run("test_toy.py::test_slow")[0] == ["test_slow"]
    assert run("--tier", "quick", "test_toy.py::test_slow", "test_toy.py::test_plain")[0] == ["test_plain"]

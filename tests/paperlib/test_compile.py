"""`python -m paperlib.compile`: what it compiles is not compiled again, and it leaves nothing out."""

import importlib
import inspect
import subprocess
import sys

import pytest

import paperlib
from paperlib import compile as ahead
from tests.programs import environment

# What others return, or are given.
WITHOUT = {
    "BoostingStep", "FatLine", "FocusedRun", "KernelSelection", "LeaveOneOut", "LikelihoodWeights",
    "OptimalHyperplane", "OptimalPlane", "OptimalSeparator", "Perceptron", "SparseExpansion",
    "SparseKernelClassifier",
}  # fmt: skip


def call(*args, **variables):
    command = [sys.executable, *args]
    return subprocess.run(command, env=environment(**variables), capture_output=True, text=True)


@pytest.mark.parametrize("part", paperlib.__all__)
def test_every_public_name_is_used(part):
    names = importlib.import_module(f"paperlib.{part}").__all__
    found = getattr(paperlib, part)
    public = {
        name for name in names if name != "FocusedSampler" and not inspect.ismodule(getattr(found, name))
    }
    assert {name for name, *_ in ahead.USES[part]} - {"FocusedSampler"} == public - WITHOUT


def test_an_unknown_subpackage_is_one_clear_error():
    done = call("-m", "paperlib.compile", "coreset")
    assert done.returncode == 2
    assert "unknown subpackage 'coreset' (known: boosting2d, coresets, " in done.stderr


@pytest.mark.slow
def test_a_process_that_comes_later_compiles_nothing(tmp_path):
    done = call("-m", "paperlib.compile", "feature_deletion", NUMBA_CACHE_DIR=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    before = {path.name for path in tmp_path.rglob("*.nbc")}
    code = """
import numpy as np
from paperlib.feature_deletion import FeatureDeletionLP, FeatureDeletionPerceptron, robustness_curve
X = np.random.default_rng(1).normal(size=(300, 5))
y = (X[:, 0] > 0) * 1
for clf in FeatureDeletionLP(2), FeatureDeletionPerceptron(random_state=1):
    robustness_curve(clf.fit(X, y), X, y, [0, 2])
"""
    done = call("-c", code, NUMBA_CACHE_DIR=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert {path.name for path in tmp_path.rglob("*.nbc")} == before != set()

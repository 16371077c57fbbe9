"""With `NUMBA_DISABLE_JIT=1` kernels are plain Python functions, and the library gives the same."""

import copy
import pickle
from functools import partial

import numpy as np
import pytest

from tests.paperlib.fuzzing.recipes import RECIPES
from tests.papers import PAPERS
from tests.programs import printed

IMPORT_ALL = """
import importlib, pkgutil
from numba.core.dispatcher import Dispatcher
import paperlib
found = pkgutil.walk_packages(paperlib.__path__, "paperlib.")
modules = [importlib.import_module(each.name) for each in found]
variables = [pair for each in modules for pair in vars(each).items()]
compiled = [name for name, kernel in variables if isinstance(kernel, Dispatcher)]
assert len(modules) > 100 and not compiled, compiled
"""
CALL_ALL = """
import copy, pickle, sys, warnings
from tests.paperlib.fuzzing.recipes import RECIPES
warnings.simplefilter("error", RuntimeWarning)
values = {each.name: each.call(**copy.deepcopy(each.good)) for each in RECIPES}
with open(sys.argv[1], "wb") as file:
    pickle.dump(values, file)
"""
# What plain Python does in a few seconds: tests that call kernels with little, and all examples.
QUICK = [
    *(f"tests/paperlib/_common/test_{name}.py" for name in ("spread", "stable_sort", "weighted_variance")),
    *(f"tests/paperlib/boosting2d/test_{name}.py" for name in ("cells", "hulls", "predicates_3d")),
    *(f"tests/paperlib/coresets/test_{name}.py" for name in ("tables", "working_set")),
    *(f"tests/paperlib/feature_deletion/test_{name}.py" for name in ("adversary", "linear_programme")),
    *(f"tests/paperlib/kernel_mean/test_{name}.py" for name in ("expansion_norm", "losses")),
    *(f"tests/paperlib/max_loss/test_{name}.py" for name in ("bad_input", "slack")),
    *(f"paperlib/{name}" for name in ("_common", *PAPERS)),
]


in_plain_python = partial(printed, NUMBA_DISABLE_JIT="1")  # with kernels that are not compiled


def flat(value):
    """The numbers and arrays of a value, one by one."""
    return [each for part in value for each in flat(part)] if isinstance(value, tuple | list) else [value]


def are_alike(a, b):
    """Whether two values are of one type and the same, floats but for rounding.

    A compiled kernel may fuse a multiplication and an addition, or add up in another order.
    """
    if type(a) is not type(b) or np.asarray(a).dtype != np.asarray(b).dtype or np.shape(a) != np.shape(b):
        return False
    if np.asarray(a).dtype.kind != "f":
        return bool(np.all(a == b))
    return np.allclose(a, b, rtol=1e-12, atol=1e-12 * np.max(np.abs(a), initial=0.0), equal_nan=True)


@pytest.mark.slow
def test_all_modules_are_imported_and_nothing_is_compiled():
    in_plain_python("-c", IMPORT_ALL)


@pytest.mark.slow
def test_every_public_name_gives_the_same(tmp_path):
    in_plain_python("-c", CALL_ALL, str(tmp_path / "values"))
    plain = pickle.loads((tmp_path / "values").read_bytes())
    others = []
    for recipe in RECIPES:
        compiled = recipe.call(**copy.deepcopy(recipe.good))
        pairs = zip(flat(compiled), flat(plain[recipe.name]), strict=True)
        if not all(are_alike(a, b) for a, b in pairs):
            others.append((recipe.name, compiled, plain[recipe.name]))
    assert not others


@pytest.mark.slow
def test_tests_and_examples_pass():
    done = in_plain_python("-m", "pytest", "-n0", "-p", "no:cacheprovider", "--timeout=60", *QUICK)
    assert " passed" in done

"""Arrays of any numeric type and layout in every argument of every public name: the native array's answer.

Or one clear error, where the type is one that the argument does not take.
"""

import numpy as np
import pytest

from tests.paperlib.fuzzing.layouts import LAYOUTS, OF_MATRICES, of_all
from tests.paperlib.fuzzing.recipes import RECIPES
from tests.paperlib.fuzzing.test_fuzz import complaint_of_error, parts, run

TABLES = {"training", "rows", "set", "pool"}
NARROW = {"f2", "f4"}  # what is computed in single precision stays in it
# Arguments that hold lists of numbers: arrays of them are tried.
LISTS = {"rows", "labels", "classes", "known", "budgets", "iterates", "votes", "losses", "i", "factor", "x"}


def native(recipe, argument):
    """The argument with arrays for its lists of numbers, or None where it holds no array."""
    good = recipe.good[argument]
    if argument in LISTS and isinstance(good, tuple | list):
        good = type(good)(map(np.asarray, good)) if np.ndim(good[0]) else np.asarray(good)
    return good if of_all(good, lambda array: (array, array)) else None


ARGUMENTS = [
    (recipe, argument)
    for recipe in RECIPES
    for argument in recipe.good
    if native(recipe, argument) is not None and f"{recipe.name} {argument}" != "max_loss.TorchLearner X"
]  # which is a tensor


def tolerance(name):
    return 1e-5 if name.rpartition("_")[2] in NARROW or name.startswith("dask_single") else 1e-9


def complaint(recipe, argument, name, layout):
    """What is wrong with the answer to an argument in this layout, or None."""
    other, equivalent = of_all(native(recipe, argument), layout)
    expected = run(recipe.call, {**recipe.good, argument: equivalent})
    found = run(recipe.call, {**recipe.good, argument: other})
    if isinstance(expected, str) or isinstance(found, str):
        return None if found == expected else f"{found}, and not {expected}"
    if "error" in found:
        if "error" in expected or argument not in recipe.kinds:
            return None
        if not name.startswith("type_"):
            return f"{found['error']!r}, and not {expected}"
        return complaint_of_error(found["error"], recipe, argument, "refuse")
    if "error" in expected:  # a type of integers may be taken where floats are not
        return None if name.startswith("type_") else f"is taken, and not {expected['error']!r}"
    for piece, wanted in zip(parts(found["answer"]), parts(expected["answer"]), strict=True):
        if recipe.many_optima and piece.dtype.kind == "f":
            continue
        same = piece.shape == wanted.shape
        if same and piece.dtype.kind in "biuf" and wanted.dtype.kind in "biuf":
            most = tolerance(name)
            same = np.allclose(piece.astype(float), wanted.astype(float), most, most, equal_nan=True)
        if not same:
            return f"answers {np.ravel(piece)[:3].tolist()}, not {np.ravel(wanted)[:3].tolist()}"
    return None


def layouts(recipe, argument):
    """``(name, layout)`` of those to be tried."""
    tables = OF_MATRICES if recipe.kinds.get(argument) in TABLES and np.ndim(recipe.good[argument]) else {}
    return [each for each in (LAYOUTS | tables).items() if each[0] not in recipe.without]


@pytest.mark.drawn(29)
@pytest.mark.parametrize(
    ("recipe", "argument"), ARGUMENTS, ids=[f"{recipe.name} {argument}" for recipe, argument in ARGUMENTS]
)
def test_any_layout_gives_the_native_answer(recipe, argument, sampled):
    tried = sampled(layouts(recipe, argument), 2)
    wrong = {name: complaint(recipe, argument, name, layout) for name, layout in tried}
    assert not {name: words for name, words in wrong.items() if words}

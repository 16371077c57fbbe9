"""Every public name with every argument broken, one at a time: one clear error, or a right answer.

What fails today stands in `known.txt`, which must shrink: a mended case that stands there fails, too.
"""

import dataclasses
import importlib
import inspect
import re
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from tests.paperlib.fuzzing.breakers import BREAKERS
from tests.paperlib.fuzzing.recipes import NEED_TORCH, RECIPES, TORCH
from tests.papers import PAPERS

REMEDY = "take it out of known.txt, by python -m tests.paperlib.fuzzing.test_fuzz"
SECONDS = 60.0  # for one case, compilation included
AT_LEAST = 500
# ``name argument: inputs``, a line for each argument; an input with "!" does not end and is not tried.
PAGE = Path(__file__).with_name("known.txt")
LINES = PAGE.read_text().splitlines()
KNOWN = {line.split(":")[0]: set(line.split(":")[1].split()) for line in LINES if not line.startswith("#")}
# What an argument may be called in a message, beside its name.
WORDS = {
    **dict.fromkeys(
        ["training", "rows", "rows_or_none", "set", "pool"],
        "X|data|array|row|sample|feature|column|point|entries",
    ),
    **dict.fromkeys(["labels", "signs", "signs_alone", "codes"], "y|Y|label|class|classes|target|sample"),
    "weights": "weight|sample",
    "object": "estimator|classifier|learner|kernel|label|row",
    "cv": "cv|cross-validation|split|fold",
}
# What scikit-learn's validation, and every estimator with it, says of data that are no numbers.
OF_SCIKIT_LEARN = [
    "could not convert string to float",
    "setting an array element with a sequence",
    "float() argument must be a string or a real number",
    "Complex data not supported",
    "Found array with dim",
    "Input should have at least 1 dimension",
    "Singleton array",
]
DATA = set(WORDS) - {"object", "cv"}
# What numpy or Python say from deep inside, to somebody who does not know the code.
FROM_INSIDE = [
    "not supported between",
    "core dimension",
    "unsupported operand",
    "ufunc",
    "could not be broadcast",
    "setting an array element",
    "NoneType",
    "has no attribute",
    "not subscriptable",
    "not iterable",
    "truth value",
    "object of type",
    "unhashable",
    "only integer scalar",
    "only length-1",
    "argument must be",
    "must be real number, not",
    "cannot unpack",
    "not callable",
    "Cannot cast",
    "No matching definition",
    "zero-size array",
    "division by zero",
    "SVD did not converge",
    "array must not contain infs",
]


def cases(recipe, argument):
    """``(name, change, outcome)`` of the ways to break this argument."""
    for name, change, outcome in BREAKERS.get(recipe.kinds[argument], ()):
        if name in recipe.without or (name == "none" and argument in recipe.optional):
            continue
        if outcome == "one_class":
            outcome = "either" if recipe.one_class else "refuse"
        if outcome == "three_classes":
            outcome = "either" if recipe.several_classes else "refuse"
        yield name, change, outcome


ARGUMENTS = [(recipe, argument) for recipe in RECIPES for argument in recipe.kinds]
CASES = {f"{recipe.name} {argument}": list(cases(recipe, argument)) for recipe, argument in ARGUMENTS}


def run(call, arguments):
    """What a call gives, raises and warns of, within the time that it has."""
    result = {}

    def work():
        try:
            result["answer"] = call(**arguments)
        except BaseException as error:
            result["error"] = error

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        thread.join(SECONDS)
    if thread.is_alive():
        return f"no end after {SECONDS:.0f} s"
    # scikit-learn's own are left to it: those of its validation, and of the classifiers that are boosted.
    ours = [each for each in said if "sklearn" not in each.filename]
    leaks = [each for each in ours if issubclass(each.category, RuntimeWarning | DeprecationWarning)]
    if leaks:
        return f"{leaks[0].category.__name__} leaks: {str(leaks[0].message)[:90]}"
    return result


def parts(answer):
    """The arrays of an answer."""
    pieces = answer if isinstance(answer, tuple) else (answer,)
    return [np.asarray(piece.toarray() if sparse.issparse(piece) else piece) for piece in pieces]


def complaint_of_error(error, recipe, argument, outcome):
    """What is wrong with an error, or None."""
    text = f"{type(error).__name__}: {str(error)[:160]}"
    if not isinstance(error, ValueError | TypeError | IndexError):
        return f"not a ValueError or TypeError, but {text}"
    if isinstance(error, IndexError) and recipe.kinds[argument] != "index":
        return text
    kind = recipe.kinds[argument]
    if kind in DATA and any(words in str(error) for words in OF_SCIKIT_LEARN):
        return None
    names = "|".join([re.escape(argument), WORDS.get(kind, argument)])
    if re.match(rf"({names}) must ", str(error)):
        return None
    if kind == "scores" and "could not be broadcast together with shapes" in str(error):
        return None  # elementwise, as NumPy's own functions are
    if any(words in str(error) for words in FROM_INSIDE):
        return f"from inside: {text}"
    if outcome != "refuse":  # it may be too large for another one
        names = "|".join([names, *map(re.escape, recipe.good)])
    if not re.search(rf"(?<![A-Za-z_])({names})s?(?![A-Za-z_])", str(error)):
        return f"does not name {argument}: {text}"
    return None


def complaint_of_answer(answer, recipe, expected):
    """What is wrong with an answer; `expected` is one whose shapes it has to have."""
    for piece, other in zip(parts(answer), parts(expected), strict=True):
        kind = piece.dtype.kind
        bad = not np.isfinite(piece).all() if kind in "fc" else False
        bad = bad or (kind == "O" and not all(isinstance(each, str | int) for each in piece.flat))
        if recipe.unbounded and kind == "f":
            bad = np.isnan(piece).any()
        if bad:
            return f"answers {np.ravel(piece)[:3].tolist()}"
        if piece.ndim != other.ndim and not recipe.several_classes:
            return f"answers in shape {piece.shape}, not {other.shape}"
    return None


def complaint(recipe, argument, change, outcome):
    """What is wrong with the case, or None."""
    broken, good = change(recipe.good[argument]), recipe.good[argument]
    if outcome in ("same", "equal"):
        broken, good = broken
    found = run(recipe.call, {**recipe.good, argument: broken})
    if isinstance(found, str):
        return found
    if "error" in found:
        wrong = complaint_of_error(found["error"], recipe, argument, outcome)
        if wrong is None and outcome == "equal":
            # It has to be taken, unless what it stands for is not taken either.
            other = run(recipe.call, {**recipe.good, argument: good})
            wrong = f"refused: {found['error']}" if isinstance(other, dict) and "answer" in other else None
        return wrong
    if outcome == "refuse":
        return f"is taken, and answered by {str(found['answer'])[:80]}"
    expected = run(recipe.call, {**recipe.good, argument: good})
    if isinstance(expected, str) or "error" in expected:
        return f"is taken, and what it stands for is not: {expected}"
    wrong = complaint_of_answer(found["answer"], recipe, expected["answer"])
    if wrong or outcome == "either":
        return wrong
    for piece, other in zip(parts(found["answer"]), parts(expected["answer"])):
        same = piece.shape == other.shape
        if recipe.many_optima and piece.dtype.kind == "f":
            continue
        if same and piece.dtype.kind in "fiub" and other.dtype.kind in "fiub":
            same = np.allclose(piece, other, rtol=1e-6, atol=1e-9) or piece.dtype.kind == "b"
        if not same:
            return f"answers {np.ravel(piece)[:3].tolist()}, not {np.ravel(other)[:3].tolist()}"
    return None


def tried(key):
    """The cases of an argument but for those that do not end."""
    return [case for case in CASES[key] if f"{case[0]}!" not in KNOWN.get(key, ())]


def failures(recipe, argument, cases):
    """What is wrong with this argument: ``{name: complaint}``."""
    wrong = {name: complaint(recipe, argument, *case) for name, *case in cases}
    return {name: text for name, text in wrong.items() if text}


@pytest.mark.parametrize(("recipe", "argument"), ARGUMENTS, ids=CASES)
def test_a_broken_argument_is_named_or_the_answer_is_right(recipe, argument, sampled):
    key = f"{recipe.name} {argument}"
    cases = sampled(tried(key))
    known, failed = KNOWN.get(key, set()), failures(recipe, argument, cases)
    new = {name: text for name, text in failed.items() if name not in known}
    assert not new, new
    mended = known & {name for name, *_ in cases} - set(failed)
    assert not mended, f"{key}: {' '.join(sorted(mended))} is mended: {REMEDY}"


@pytest.mark.parametrize("recipe", RECIPES, ids=[recipe.name for recipe in RECIPES])
def test_the_good_arguments_are_good(recipe):
    found = run(recipe.call, recipe.good)
    assert isinstance(found, dict), found
    assert "error" not in found, repr(found["error"])
    assert complaint_of_answer(found["answer"], recipe, found["answer"]) is None


def public_names():
    """The functions and classes of the five subpackages, and of the modules among their names."""
    for paper in PAPERS:
        package = importlib.import_module(f"paperlib.{paper}")
        for name in set(package.__all__) - (set() if TORCH else NEED_TORCH):
            thing = getattr(package, name)
            if inspect.ismodule(thing):
                own = {k: v for k, v in vars(thing).items() if getattr(v, "__module__", "") == thing.__name__}
                yield from ((f"{paper}.{name}.{k}", v) for k, v in own.items() if not k.startswith("_"))
            else:
                yield f"{paper}.{name}", thing


def is_record(thing):
    """A result that users get and do not make."""
    return hasattr(thing, "_fields") or (
        dataclasses.is_dataclass(thing) and not hasattr(thing, "decision_function")
    )


def test_every_public_name_has_a_recipe():
    known = {recipe.covers.rsplit(".", 1)[-1] for recipe in RECIPES}
    wanted = {
        name.rsplit(".", 1)[-1]
        for name, thing in public_names()
        if (inspect.isclass(thing) or inspect.isfunction(thing)) and not is_record(thing)
    }
    assert wanted - known == set(), "give them a recipe in tests/paperlib/fuzzing/recipes.py"


def test_every_parameter_of_an_estimator_is_broken():
    """A new parameter comes in by itself; one of a new name needs a kind."""
    broken = {
        (recipe.covers, name) for recipe in RECIPES for name, kind in recipe.kinds.items() if kind in BREAKERS
    }
    made = {recipe.covers: recipe.good for recipe in RECIPES}
    for name, thing in public_names():
        if hasattr(thing, "get_params") and not hasattr(thing, "expansion"):
            for each in set(inspect.signature(thing).parameters) & set(made.get(name, ())):
                assert (name, each) in broken, f"{name} has {each}, which no recipe breaks"


def test_there_are_enough_cases():
    assert len(CASES) == len(ARGUMENTS), "two recipes of one name"
    assert sum(map(len, CASES.values())) >= AT_LEAST
    for key, names in KNOWN.items():
        there = {name for name, *_ in CASES.get(key, ())}
        assert {name.rstrip("!") for name in names} <= there, f"known.txt: {key} has no such case"


def shrink():
    """Take out of known.txt what is mended."""
    kept = []
    for recipe, argument in ARGUMENTS:
        key = f"{recipe.name} {argument}"
        if key in KNOWN:
            failed = failures(recipe, argument, tried(key))
            names = sorted(name for name in KNOWN[key] if name in failed or name.endswith("!"))
            kept += [f"{key}: {' '.join(names)}"] if names else []
    PAGE.write_text("\n".join([LINES[0], *sorted(kept)]) + "\n")
    print(f"{sum(len(line.split(':')[1].split()) for line in kept)} inputs are left in {PAGE}")


if __name__ == "__main__":
    sys.exit(shrink())

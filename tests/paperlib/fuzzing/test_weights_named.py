"""Weights of a wrong shape, or that leave one class: an error in the same words from every public name."""

import inspect
import re

import numpy as np
import pytest

from tests.paperlib.fuzzing.recipes import LABELS, RECIPES, X
from tests.paperlib.fuzzing.test_fuzz import public_names, run

WEIGHTED = [recipe for recipe in RECIPES if "sample_weight" in recipe.good]
PARTLY = [(name, thing) for name, thing in public_names() if hasattr(thing, "partial_fit")]
SHAPES = {
    "one less": np.ones(15),
    "one more": np.ones(17),
    "a list": [1.0] * 15,
    "none": [],
    "a number": 2.0,
    "0d": np.array(2.0),
    "a column": np.ones((16, 1)),
}
ONE_CLASS = np.where(LABELS > 0, 0.0, 1.0)
WORDS = r"y must have two classes( or more)? of positive weight.*, got one class only: -1"


@pytest.mark.parametrize("recipe", WEIGHTED, ids=[recipe.name for recipe in WEIGHTED])
def test_weights_of_a_wrong_shape(recipe, sampled):
    for name, wrong in sampled([*SHAPES.items()], 2):
        error = run(recipe.call, {**recipe.good, "sample_weight": wrong})["error"]
        assert isinstance(error, ValueError), name
        assert re.match(r"sample_weight must have shape \(16,\), one entry per row of X, got", str(error)), (
            name
        )


@pytest.mark.parametrize("recipe", WEIGHTED, ids=[recipe.name for recipe in WEIGHTED])
def test_weights_that_leave_one_class(recipe):
    error = run(recipe.call, {**recipe.good, "sample_weight": ONE_CLASS})["error"]
    assert isinstance(error, ValueError)
    # The exact methods of two dimensions take no weight of zero.
    assert re.match(WORDS, str(error)) or "sample_weight must be > 0, got 0.0" in str(error)


@pytest.mark.parametrize(("name", "thing"), PARTLY, ids=[name for name, _ in PARTLY])
def test_a_first_part_whose_weights_leave_one_class(name, thing):
    """It does not blame `classes`, which were not given; with them it is one part among others."""
    with pytest.raises(ValueError, match=WORDS):
        thing().partial_fit(X, LABELS, sample_weight=ONE_CLASS)
    with pytest.raises(ValueError, match=r"y must have two classes.* got one class only: -1"):
        thing().partial_fit(X[:8], LABELS[:8])
    taken = thing(random_state=0).partial_fit(X, LABELS, classes=[-1, 1], sample_weight=ONE_CLASS)
    alone = thing(random_state=0).partial_fit(X[:8], LABELS[:8], classes=[-1, 1])
    assert np.array_equal(taken.coef_, alone.coef_)


def test_every_name_that_takes_weights_is_here():
    """Of a stream of losses, or of structured outputs, weights are those of other things than rows of X."""
    covered = {recipe.covers.rpartition(".")[2] for recipe in WEIGHTED}
    other = {"focused_online_learning", "StructuredCoresetSVM", "SparseKernelClassifier"}
    for name, thing in public_names():
        takes = thing.fit if hasattr(thing, "fit") else thing
        if callable(takes) and "sample_weight" in inspect.signature(takes).parameters:
            assert name.rpartition(".")[2] in covered | other, name

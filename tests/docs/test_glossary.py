"""`docs/glossary.md` has what several public names share; what only one has is in its docstring."""

import inspect
import re
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from tests.docs.test_estimators_page import ESTIMATORS, THREE, X, Y, things

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "glossary.md").read_text()
ROWS = [line.split(" | ") for line in TEXT.splitlines() if re.match(r"\| `", line)]
ENTRIES = [name for row in ROWS for name in re.findall(r"`(\w+)`", row[0])]
# Kept for those that will print progress, as scikit-learn's do.
RESERVED = {"verbose"}
LISTED = re.compile(r"^(?:Attributes|Parameters)\n-+\n(.*?)(?=\n\n?[A-Z][\w ]+\n-{3}|\Z)", re.S | re.M)


def documented(thing):
    """The names that its docstring lists as parameters or attributes, those of its bases as well."""
    found = set()
    for each in inspect.getmro(thing) if inspect.isclass(thing) else [thing]:
        for section in LISTED.findall(inspect.getdoc(each) or ""):
            for line in section.splitlines():
                if re.match(r"\w", line):
                    found |= set(re.findall(r"\w+", line.split(" : ")[0]))
    return found


def shared():
    """Names that two or more public things have, with these."""
    where = defaultdict(set)
    for name, thing in things():
        own = set(inspect.signature(thing).parameters)
        for each in own | {entry for entry in documented(thing) if entry.endswith("_")}:
            where[each].add(name)
    return {name: users for name, users in where.items() if len(users) > 1}


def test_what_is_shared_is_in_the_glossary():
    missing = {name: sorted(users) for name, users in shared().items() if name not in ENTRIES}
    assert not missing, f"give them a row in docs/glossary.md: {missing}"


def test_the_glossary_names_what_there_is_and_each_once():
    assert len(ENTRIES) == len(set(ENTRIES))
    there = set()
    for _, thing in things():
        there |= set(inspect.signature(thing).parameters) | documented(thing)
        if inspect.isclass(thing) and hasattr(thing, "fit"):
            there |= set(inspect.signature(thing.fit).parameters)
    assert set(ENTRIES) - there - RESERVED == set()
    assert all(len(row) == 3 for row in ROWS)


def test_every_parameter_of_an_estimators_method_is_said():
    """In the method's docstring, in that of the class, or in the glossary."""
    for name, thing in things():
        for each, method in vars(thing).items() if hasattr(thing, "fit") else ():
            if inspect.isfunction(method) and not each.startswith("_"):
                words = {*ENTRIES, *re.findall(r"\w+", inspect.getdoc(method) or "")}
                said = {"self", *words, *documented(thing)}
                missing = set(inspect.signature(method).parameters) - said
                assert not missing, f"{name}.{each} does not say what {sorted(missing)} are"


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_fitted_attribute_is_said(name):
    estimator = ESTIMATORS[name]
    fits = [(X, Y)] + ([THREE] if name in ("FOLClassifier", "MulticlassCoresetSVC") else [])
    for data in fits:
        fitted = clone(estimator).fit(*data)
        found = {each for each in vars(fitted) if each.endswith("_") and not each.startswith("_")}
        missing = found - documented(type(estimator)) - {*ENTRIES}
        assert not missing, f"{name}: say what {sorted(missing)} are in its docstring or in docs/glossary.md"
        assert np.size(fitted.predict(X)) == len(X)

"""Integer weights are repeated rows, for every value of every parameter that has a list of them.

The values are those of the type hints. What is different, and the page says so, stands in `OTHERWISE`.
"""

import collections.abc
import inspect
import types
import typing
import warnings

import numpy as np
import pytest
from sklearn.base import clone

from paperlib.coresets import CoresetSVC, MulticlassCoresetSVC, OutlierCoresetSVC
from paperlib.feature_deletion import FeatureDeletionLP
from paperlib.kernel_mean import KernelMeanClassifier
from tests.docs.test_estimators_page import ESTIMATORS, PAGE, X, Y

RNG = np.random.default_rng(3)
WEIGHTS = RNG.integers(0, 4, len(Y))
WEIGHTS[:2] = 1
ROWS = np.repeat(np.arange(len(Y)), WEIGHTS)
SAMPLES = {"apart": Y, "one wrong": np.where(np.arange(len(Y)) == 0, 1 - Y, Y)}
SAMPLES["mixed"] = np.where(RNG.random(len(Y)) < 0.1, 1 - Y, Y)
SAMPLES["by chance"] = RNG.integers(0, 2, len(Y))
HARD = CoresetSVC, MulticlassCoresetSVC, OutlierCoresetSVC  # elsewhere they warn, and promise nothing
EXACTLY = {"eps": 1e-7, "tol": 1e-9, "random_state": 0}  # so that what is found is what is looked for
CHANCE = "random_state", "verbose"  # of no seed there are no two equal runs
OTHERWISE = {
    (KernelMeanClassifier, "threshold", "error"),
    (KernelMeanClassifier, "threshold", "balanced_error"),
}


def values(hint):
    """The values that a type hint lists."""
    if hint is bool:
        return [False, True]
    if hint is type(None):
        return [None]
    kind, inner = typing.get_origin(hint), typing.get_args(hint)
    if kind is typing.Literal:
        return list(inner)
    if kind in (typing.Union, types.UnionType):
        return [value for one in inner for value in values(one)]
    return [{1: 2.7}] if kind is collections.abc.Mapping else []


def settings():
    for name, estimator in ESTIMATORS.items():
        if "sample_weight" in inspect.signature(estimator.fit).parameters:
            hints = typing.get_type_hints(type(estimator).__init__)
            listed = {
                each: values(hint) for each, hint in hints.items() if each in estimator.get_params(deep=False)
            }
            yield from (
                (name, each, value) for each in listed for value in listed[each] if each not in CHANCE
            )


def judged(clf, rows):
    """What the fit promises: the optimum where there may be several classifiers, else every score."""
    if isinstance(clf, FeatureDeletionLP):
        return clf.objective_
    if isinstance(clf, CoresetSVC) and clf.C is not None:
        return clf.objective_
    return clf.margin_ if isinstance(clf, OutlierCoresetSVC) else clf.decision_function(rows)


def fitted(estimator, y, params, rows=None):
    """Fitted with weights, or to repeated rows; what it says of all rows, or the words of its error."""
    data, given = (X, {"sample_weight": WEIGHTS}) if rows is None else (X[rows], {})
    new = X
    if params.get("kernel") == "precomputed":
        rows = np.arange(len(X)) if rows is None else rows
        data, new = (X @ X.T)[np.ix_(rows, rows)], (X @ X.T)[:, rows]
    clf = clone(estimator).set_params(**params)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return judged(clf.fit(data, y if len(data) == len(y) else y[rows], **given), new)
        except ValueError as error:
            return str(error).partition(":")[0]


def differs(name, parameter, value, class_weight, labels):
    estimator = ESTIMATORS[name]
    params = {key: each for key, each in EXACTLY.items() if key in estimator.get_params(deep=False)}
    params |= {"n_outliers": int(WEIGHTS[0])} if isinstance(estimator, OutlierCoresetSVC) else {}
    params |= {"class_weight": class_weight, parameter: value}
    one, other = (fitted(estimator, SAMPLES[labels], params, rows) for rows in (None, ROWS))
    if isinstance(one, str) or isinstance(other, str):
        return one != other
    return not np.allclose(one, other, rtol=1e-6, atol=1e-6 * np.abs(other).max() + 1e-7)


@pytest.mark.drawn(44)
@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("name, parameter, value", list(settings()))
def test_an_integer_weight_is_so_many_rows(name, parameter, value, class_weight):
    kind = type(ESTIMATORS[name])
    mixed = kind not in HARD or getattr(ESTIMATORS[name], "C", None) is not None
    labels = (
        ["apart", "mixed"] if mixed else ["apart", "one wrong"] if kind is OutlierCoresetSVC else ["apart"]
    )
    different = [each for each in labels if differs(name, parameter, value, class_weight, each)]
    assert not different or (kind, parameter, value) in OTHERWISE


@pytest.mark.parametrize("kind, parameter, value", sorted(OTHERWISE, key=str))
def test_what_is_otherwise_is_so_and_the_page_says_it(kind, parameter, value):
    names = [name for name, estimator in ESTIMATORS.items() if type(estimator) is kind]
    assert any(differs(name, parameter, value, None, "by chance") for name in names)
    assert f'`{parameter}="{value}"`' in PAGE.read_text()


def test_there_are_settings_of_every_estimator():
    found = {name for name, *_ in settings()}
    assert found == set(ESTIMATORS)
    assert {(parameter, value) for _, parameter, value in settings() if parameter == "output"} == {
        ("output", each) for each in ("average", "last", "majority")
    }

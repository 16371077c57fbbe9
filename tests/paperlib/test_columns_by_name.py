"""Wherever a table with named columns meets another, or what was fitted to one, names are checked.

As scikit-learn does: other names, or the same in another order, are an error; names on one side a warning.
"""

import copy
import importlib
import inspect
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.svm import SVC

from paperlib import boosting2d, coresets, feature_deletion, kernel_mean, max_loss
from tests.paperlib.fuzzing.recipes import LABELS, RECIPES, VALUES, X
from tests.paperlib.fuzzing.test_fuzz import is_record, public_names

FRAME = pd.DataFrame(X, columns=["a", "b", "c"])
TURNED = FRAME[["c", "a", "b"]]
# What holds rows with columns, or was fitted to them.
TABLES = {"X", "x", "xa", "xb", "positives", "negatives", "chunks", "stream", "w", "feature_values"}
TABLES |= {"estimator", "clf", "classifier", "learner", "X_list"}
VALUES_OF = pd.Series(VALUES, index=FRAME.columns)
CODES = (LABELS > 0).astype(int)


def rows_of(frame):
    return [row for _, row in frame.iterrows()]


def structured(first, other, decoder=None, Y=CODES):
    model = coresets.StructuredCoresetSVM(decoder or coresets.MulticlassDecoder(2))
    return model.fit(first, Y).predict(other)


def chains(first, other):
    return structured(first, other, coresets.ChainDecoder(2), [CODES, CODES])


def active_stream(first, other):
    labels, learner = np.tile(LABELS, 20), coresets.ActiveCoresetSVC(random_state=0)
    return learner.fit_stream([first, other] * 10, lambda i: labels[i], [-1, 1])


def stream(first, other, y=None):
    return coresets.CoresetSVC().fit_stream(lambda: [first, other], y)


def logistic(frame):
    return LogisticRegression().fit(frame, LABELS)


def thinned(frame):
    return kernel_mean.sparsify_classifier(SVC().fit(frame, LABELS), 4, random_state=0)


def played(first, other):
    estimator = SGDClassifier(random_state=0).fit(first, LABELS)
    return max_loss.PartialFitLearner(estimator, other, LABELS)


def margin_loss(table, w, feature_values):
    return feature_deletion.theory.margin_loss(w, table, LABELS, 1, 1.0, feature_values)


def worst(table, w, feature_values):
    return feature_deletion.worst_case_deletion(w, 0.0, table, LABELS, 1, feature_values)[0]


def valued(made, **params):
    return lambda a, b: made(feature_values=VALUES_OF[a.columns], **params).fit(b, LABELS).coef_


def warm(made, **params):
    return lambda a, b: made(warm_start=True, **params).fit(a, LABELS).fit(b, LABELS).coef_


sparsify, mixed = kernel_mean.sparsify, kernel_mean.noise.contaminate_mutually
robust, curve = feature_deletion.robust_score, feature_deletion.robustness_curve
# All meetings but those of an estimator's methods with what it was fitted to: a public name, and a function
# of the table that comes first and the other.
MEETINGS = {
    "boosting2d.max_margin_line": lambda a, b: boosting2d.max_margin_line(a.iloc[8:, :2], b.iloc[:8, :2]),
    "coresets.ActiveCoresetSVC.fit_stream": active_stream,
    "coresets.ActiveCoresetSVC.fit_stream, of rows": lambda a, b: active_stream(a, b.iloc[0]),
    "coresets.CoresetSVC.fit_stream": lambda a, b: stream((a, LABELS), (b, LABELS)),
    "coresets.CoresetSVC.fit_stream, y": lambda a, b: stream(a.assign(y=LABELS), b.assign(y=LABELS), "y"),
    "coresets.StructuredCoresetSVM.fit": lambda a, b: chains([a, b], [a]),
    "coresets.StructuredCoresetSVM.predict": structured,
    "coresets.StructuredCoresetSVM.predict, of rows": lambda a, b: structured(a, rows_of(b)),
    "coresets.StructuredCoresetSVM.predict, of sequences": lambda a, b: chains([a, a], [a, b]),
    "feature_deletion.FeatureDeletionLP.fit": valued(feature_deletion.FeatureDeletionLP),
    "feature_deletion.FeatureDeletionPerceptron.fit": valued(
        feature_deletion.FeatureDeletionPerceptron, random_state=0
    ),
    "feature_deletion.robust_score": lambda a, b: robust(logistic(a), b, LABELS, 1),
    "feature_deletion.robust_score, values": lambda a, b: robust(
        logistic(a), X, LABELS, 1, feature_values=VALUES_OF[b.columns]
    ),
    "feature_deletion.robustness_curve": lambda a, b: curve(logistic(a), b, LABELS, [1]),
    "feature_deletion.theory.margin_loss": lambda a, b: margin_loss(a, VALUES_OF[b.columns], None),
    "feature_deletion.theory.margin_loss, values": lambda a, b: margin_loss(a, VALUES, VALUES_OF[b.columns]),
    "feature_deletion.worst_case_deletion": lambda a, b: worst(a, VALUES_OF[b.columns], None),
    "feature_deletion.worst_case_deletion, values": lambda a, b: worst(a, VALUES, VALUES_OF[b.columns]),
    "kernel_mean.SparseExpansion.decision_function": lambda a, b: sparsify(a, LABELS, 4).decision_function(b),
    "kernel_mean.gaussian_sums": lambda a, b: kernel_mean.gaussian_sums(a, b, LABELS),
    "kernel_mean.noise.contaminate_mutually": lambda a, b: mixed(a, b, 0.1, 0.1, 4)[0],
    "kernel_mean.sparsify_classifier": lambda a, b: thinned(a).predict(b),
    "kernel_mean.TLogisticRegression.fit": warm(kernel_mean.TLogisticRegression),
    "max_loss.FOLClassifier.fit": warm(max_loss.FOLClassifier, random_state=0),
    "max_loss.PartialFitLearner": played,
}
# A single table, or tables that carry no names; what `fit` meets is above.
ALONE = {
    "boosting2d.optimal_separator boosting2d.optimal_plane boosting2d.optimal_hyperplane",
    "boosting2d.leave_one_out kernel_mean.select_kernel kernel_mean.sparsify",
    "kernel_mean.noise.flip_by_instance feature_deletion.mutual_information_values",
    "feature_deletion.theory.theorem_1 feature_deletion.theory.theorem_2 feature_deletion.theory.corollary_1",
    "max_loss.Perceptron max_loss.LogisticSGD max_loss.PassiveAggressive",
    "max_loss.TorchLearner max_loss.TorchLearner.predict max_loss.TorchLearner.errors",  # of tensors
    "coresets.ActiveCoresetSVC.start kernel_mean.SparseKernelClassifier.fit",
    "max_loss.focused_online_learning max_loss.PassiveAggressive.losses",  # of a learner that has its table
    "max_loss.SumTree.update_log",  # of numbers
    # A model tells its decoder, which keeps nothing, what it may take.
    *(
        f"coresets.{kind}Decoder.{name}"
        for kind in ("Chain", "Multiclass")
        for name in dir(coresets.ChainDecoder)
    ),
}


def made(name):
    """The estimator of the good call of this name, fitted to the frame."""
    thing = getattr(importlib.import_module(f"paperlib.{name.split('.')[0]}"), name.split(".")[1])
    if name.endswith("SparseKernelClassifier"):
        return thinned(FRAME)
    good = next(recipe.good for recipe in RECIPES if recipe.name == name)
    estimator = thing(**{each: copy.deepcopy(good[each]) for each in inspect.signature(thing).parameters})
    return estimator.fit(FRAME, CODES if name.endswith("StructuredCoresetSVM") else LABELS)


def takers():
    """``(name, function)`` of all that is public and takes a table, the methods of classes as well."""
    for name, thing in public_names():
        found = {name: thing} if inspect.isfunction(thing) else {}
        if inspect.isclass(thing):
            methods = inspect.getmembers(thing, inspect.isfunction)
            found = {f"{name}.{key}": each for key, each in methods if not key.startswith(("_", "set_"))}
            if not hasattr(thing, "get_params") and not is_record(thing):
                found[name] = thing.__init__
        yield from (
            (key, each) for key, each in found.items() if TABLES & {*inspect.signature(each).parameters}
        )


TAKERS = dict(takers())
FITTED = [name for name, thing in public_names() if hasattr(thing, "get_params")]
METHODS = sorted(
    name
    for name in TAKERS
    if name.rpartition(".")[0] in FITTED and name.rpartition(".")[2] not in ("fit", "start", "fit_stream")
)


def test_every_public_name_that_takes_a_table_is_here():
    covered = {name.partition(",")[0] for name in MEETINGS} | {*METHODS} | {*" ".join(ALONE).split()}
    covered |= {f"{name}.fit" for name in FITTED}  # which no earlier fit has a part in, but for those above
    assert TAKERS.keys() - covered == set(), "say in MEETINGS what it meets, or that it is ALONE"


@pytest.mark.parametrize("name", METHODS)
def test_a_method_checks_the_names_that_its_estimator_was_fitted_to(name):
    estimator, method = made(name.rpartition(".")[0]), name.rpartition(".")[2]
    takes = inspect.signature(getattr(estimator, method)).parameters
    labels = {key: CODES if key == "Y" else LABELS for key in ("y", "Y") if key in takes}
    getattr(estimator, method)(FRAME, **labels)
    with pytest.raises(ValueError, match="feature names should match"):
        getattr(estimator, method)(TURNED, **labels)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        getattr(estimator, method)(X, **labels)


@pytest.mark.drawn(4)
@pytest.mark.parametrize("name", MEETINGS)
def test_tables_that_meet_have_the_same_names_in_order(name):
    MEETINGS[name](FRAME, FRAME)
    with pytest.raises(ValueError, match=r"[Nn]ames|columns"):
        MEETINGS[name](FRAME, TURNED)
    other = FRAME.set_axis(["a", "b", "d"], axis=1)
    if name != "boosting2d.max_margin_line":  # of the first two
        with pytest.raises((ValueError, KeyError), match=r"[Nn]ames|columns|'d'"):
            MEETINGS[name](FRAME, other)


@pytest.mark.parametrize("name", [name for name in MEETINGS if "fit_stream" in name or "Structured" in name])
def test_names_on_one_side_only_are_a_warning_at_most(name):
    """NumPy's arrays among tables are taken in their order, as by scikit-learn."""
    if ", y" in name or "rows" in name or name.endswith(".fit"):
        return
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        MEETINGS[name](FRAME, X)
    assert any("feature names" in str(each.message) for each in said)


def test_a_stream_tells_the_names_that_it_was_fitted_to():
    for clf in (stream((FRAME, LABELS), (FRAME, LABELS)), active_stream(FRAME, FRAME.iloc[0])):
        assert list(clf.feature_names_in_) == ["a", "b", "c"]
        with pytest.raises(ValueError, match="feature names should match"):
            clf.predict(TURNED)

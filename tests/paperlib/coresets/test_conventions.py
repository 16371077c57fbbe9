"""Scikit-learn's tools around the classifiers, progress, time limits, warm starts, and structured inputs."""

import re
import time
import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.preprocessing import StandardScaler

from paperlib._common import progress
from paperlib.coresets import (
    ActiveCoresetSVC,
    ChainDecoder,
    CoresetSVC,
    MulticlassCoresetSVC,
    MulticlassDecoder,
    OutlierCoresetSVC,
    StructuredCoresetSVM,
)
from tests.paperlib.weighting import check_routing

X, Y = make_blobs(120, 3, centers=[[-2] * 3, [2] * 3], cluster_std=1.0, random_state=0)
BINARY = [
    CoresetSVC(C=1.0, fit_intercept=True),
    CoresetSVC(kernel="rbf", on_nonseparable="warn"),
    OutlierCoresetSVC(6, fit_intercept=True, on_nonseparable="warn"),
    ActiveCoresetSVC(fit_intercept=True, kernel="rbf", on_nonseparable="warn", random_state=0),
]
WEIGHED = [
    CoresetSVC(C=1.0, random_state=0),
    OutlierCoresetSVC(4, on_nonseparable="warn"),
    MulticlassCoresetSVC(on_nonseparable="warn"),
]
ignored = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@ignored
@pytest.mark.parametrize("estimator", BINARY, ids=repr)
@pytest.mark.parametrize("wrapper", [OneVsRestClassifier, OneVsOneClassifier])
def test_many_classes_by_two_at_a_time(estimator, wrapper):
    rows, species = load_iris(return_X_y=True)
    scores = cross_val_score(wrapper(estimator), rows, species, error_score="raise", cv=3)
    assert np.mean(scores) > 0.75  # no line has the middle one of three species apart


@ignored
@pytest.mark.parametrize("estimator", [*BINARY, MulticlassCoresetSVC(on_nonseparable="warn")], ids=repr)
@pytest.mark.parametrize("ensemble", [True, False])
def test_probabilities(estimator, ensemble):
    words = np.array(["no", "yes"])[Y]
    clf = CalibratedClassifierCV(estimator, ensemble=ensemble, cv=3).fit(X, words)
    probabilities = clf.predict_proba(X)
    assert probabilities.shape == (120, 2) and np.allclose(probabilities.sum(axis=1), 1.0)
    assert clf.score(X, words) > 0.95
    scores = clf.calibrated_classifiers_[0].estimator.decision_function(X)
    assert scores.shape == (120,) and (np.corrcoef(scores, Y)[0, 1] > 0.5)


def test_a_class_that_is_never_asked_for_has_scores_below_zero():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [400, 400, 2])
    rows = 6.0 * np.eye(3)[y] + 0.3 * rng.normal(size=(802, 3))
    clf = ActiveCoresetSVC(delta=None, random_state=0).fit(rows[:800], np.repeat([1, 0], [1, 799]), None)
    assert clf.classes_.tolist() == [0, 1] and set(clf.queried_labels_) <= {0, 1}
    for seed in range(5):
        many = OneVsRestClassifier(ActiveCoresetSVC(fit_intercept=True, random_state=seed)).fit(rows, y)
        assert many.score(rows[:800], y[:800]) == 1.0
        assert all(each.classes_.tolist() == [0, 1] for each in many.estimators_)
    only = ActiveCoresetSVC(random_state=0).fit(rows, lambda row: "a")  # nobody knows of another one
    assert only.classes_.tolist() == ["a"]


@ignored
@pytest.mark.parametrize("estimator", WEIGHED, ids=repr)
@pytest.mark.routes_weights
def test_weights_are_routed(estimator):
    weights = np.where(np.arange(120) % 3, 1.0, 0.0)
    fitted = check_routing(estimator, X, Y, weights, eps=[0.1, 0.01])
    assert fitted.score(StandardScaler().fit_transform(X), Y, weights) > 0.9
    assert all(weights[i] > 0 for i in getattr(fitted, "coreset_indices_", []))


def test_an_active_learner_has_no_weights():
    with pytest.raises(TypeError, match="sample_weight"):
        ActiveCoresetSVC().fit(X, Y, sample_weight=np.ones(120))


# Progress and time


def structured(**parameters):
    svm = StructuredCoresetSVM(MulticlassDecoder(2), 1e-6, on_nonseparable="warn", **parameters)
    return svm.fit(np.column_stack([X, np.ones(120)]), Y)


def wide(clf):
    return clf.fit(np.tile(X, 200), Y)


FITS = {
    "CoresetSVC": lambda **p: CoresetSVC(1e-6, on_nonseparable="warn", random_state=0, **p).fit(X, Y),
    "CoresetSVC, C": lambda **p: CoresetSVC(1e-9, C=100.0, random_state=0, **p).fit(X, Y),
    "CoresetSVC, wide": lambda **p: wide(CoresetSVC(1e-9, on_nonseparable="warn", random_state=0, **p)),
    "CoresetSVC, rbf": lambda **p: CoresetSVC(1e-6, kernel="rbf", on_nonseparable="warn", **p).fit(X, Y),
    "MulticlassCoresetSVC": lambda **p: MulticlassCoresetSVC(1e-6, on_nonseparable="warn", **p).fit(X, Y),
    "StructuredCoresetSVM": structured,
    "OutlierCoresetSVC": lambda **p: OutlierCoresetSVC(3, 1e-6, on_nonseparable="warn", **p).fit(X, Y),
}


@ignored
@pytest.mark.parametrize("name", FITS)
def test_lines_of_progress(name, capsys, monkeypatch):
    silent = FITS[name]()
    assert capsys.readouterr().out == ""
    monkeypatch.setattr(progress, "EVERY", 0.0)
    told = FITS[name](verbose=True)
    lines = capsys.readouterr().out.splitlines()
    who = name.partition(",")[0]
    assert lines and all(re.match(rf"\[{who}\] \d+\.\d s: .*\d", line) for line in lines)
    assert silent.margin_ == told.margin_
    if name != "OutlierCoresetSVC":
        with pytest.raises(ValueError, match="verbose must be an integer >= 0, got -1"):
            FITS[name](verbose=-1)


def test_lines_are_a_second_apart(capsys):
    lines = progress.Progress(1, "name")
    for _ in range(100):
        lines.tell(lambda: "words")
    assert capsys.readouterr().out == ""
    lines._next = time.monotonic()
    for _ in range(100):
        lines.tell(lambda: "words")
    assert len(capsys.readouterr().out.splitlines()) == 1


@pytest.mark.parametrize("name", sorted(FITS.keys() - {"CoresetSVC, wide", "OutlierCoresetSVC"}))
def test_the_time_ends_a_search(name):
    with pytest.warns(ConvergenceWarning, match="time_limit=1e-09 seconds|not separable"):
        clf = FITS[name](time_limit=1e-9)
    assert clf.n_iter_ <= 2 and np.isfinite(clf.margin_) and clf.margin_ <= clf.margin_upper_bound_
    assert FITS[name](time_limit=1e9, max_iter=50_000).n_iter_ >= clf.n_iter_
    with pytest.raises(ValueError, match="time_limit must be a finite number > 0, got 0"):
        FITS[name](time_limit=0)


# Warm starts


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_a_path_over_C_ends_at_the_same_objectives(form):
    rng = np.random.default_rng(0)
    rows = form(np.column_stack([rng.normal(size=(500, 10)), np.ones(500)]))
    y = rng.normal(size=500) + rows @ rng.normal(size=11) > 0
    warm = CoresetSVC(1e-4, warm_start=True, random_state=0)
    for C in (10.0, 3.0, 0.3, 1.0):
        cold = CoresetSVC(1e-4, C=C, random_state=0).fit(rows, y)
        warm.set_params(C=C).fit(rows, y)
        assert warm.gap_ <= 1e-4 * warm.objective_
        assert np.isclose(warm.objective_, cold.objective_, rtol=1e-4)
    assert warm.fit(rows, y).n_passes_ < cold.n_passes_ / 2  # it is there already
    few = warm.set_params(C=100.0, eps=0.1).fit(rows[:100], y[:100])
    assert few.gap_ <= 0.1 * few.objective_


@pytest.mark.parametrize("parameters", [{}, {"kernel": "rbf"}, {"selection": "worst"}], ids=str)
@pytest.mark.parametrize("d", [3, 600])
def test_a_path_over_eps(parameters, d):
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(300, d))
    rows[:, 0] += np.where(rows[:, 0] > 0, 1.0, -1.0)
    y = rows[:, 0] > 0
    clf = CoresetSVC(warm_start=True, **parameters)
    for eps in (0.5, 0.1, 0.01, 0.3):
        clf.set_params(eps=eps).fit(rows, y)
        margins = np.where(y, 1, -1) * clf.decision_function(rows)
        assert np.isclose(margins.min(), clf.margin_, rtol=1e-9)
        assert clf.margin_ >= (1 - eps) * clf.margin_upper_bound_ * (1 - 1e-11)
    clf.fit(rows[:50], ~y[:50])  # other data: what is left of the last fit is no more than a guess
    assert clf.score(rows[:50], ~y[:50]) == 1.0
    if not parameters:  # and from a hard margin to a soft one
        assert clf.set_params(C=1.0).fit(rows, y, y + 0.5).score(rows, y) > 0.9


# Structured inputs


@cache  # not made on import: a fit that never ends would keep pytest from its time limit
def chain_svm():
    inputs = [np.array([[1.0], [-2.0], [1.5]]), np.array([[-1.0], [-1.0]])]
    return StructuredCoresetSVM(ChainDecoder(2), eps=0.01).fit(inputs, [[1, 0, 1], [0, 0]])


REFUSED = {
    "nan": ([np.array([[np.nan]])], "with NaN or infinity at position 0"),
    "inf": ([np.array([[1.0]]), np.array([[np.inf]])], "with NaN or infinity at position 1"),
    "complex": ([np.array([[1j]])], "finite real numbers, got something else at position 0"),
    "words": ([np.array([["a"]])], "finite real numbers, got something else"),
    "ragged": ([[[1.0], [2.0, 3.0]]], "finite real numbers, got something else"),
    "wide": ([np.ones((2, 2))], "X must have 1 features throughout, got 2 at position"),
    "flat": ([np.ones(2)], r"sequences \(T, d\)"),
    "empty": ([np.ones((0, 1))], r"got shape \(0, 1\)"),
    "none": (None, "X must be a sequence as the decoder takes it, got NoneType"),
    "iterator": (iter([]), "X must be a sequence"),
    "text": ("ab", "X must be a sequence"),
    "sparse": (sparse.csr_matrix(np.ones((2, 2))), "MulticlassCoresetSVC takes sparse matrices"),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("method", ["predict", "decision_function", "score", "fit"])
def test_inputs_that_no_decoder_takes(name, method):
    inputs, words = REFUSED[name]
    if name == "wide" and method == "fit":
        inputs = [np.ones((1, 1)), *inputs]
    n = len(inputs) if isinstance(inputs, list) else 1
    outputs = ([[0]] * n,) if method in ("score", "fit") else ()
    svm = StructuredCoresetSVM(ChainDecoder(2)) if method == "fit" else chain_svm()
    with pytest.raises(ValueError, match=words):
        getattr(svm, method)(inputs, *outputs)


@pytest.mark.parametrize("method", ["predict", "decision_function", "score"])
@pytest.mark.parametrize("inputs", [[], np.empty((0, 3, 1)), pd.DataFrame(columns=["a"])], ids=type)
def test_no_inputs_have_no_outputs(method, inputs):
    with pytest.raises(ValueError, match=r"^X must have one input at least, got none"):
        getattr(chain_svm(), method)(inputs, *([[]] if method == "score" else []))


def test_the_rows_of_a_data_frame_are_its_entries():
    svm = StructuredCoresetSVM(MulticlassDecoder(2))
    rows = np.column_stack([X, np.ones(120)])
    frame = pd.DataFrame(rows, columns=["a", "b", "c", "one"], index=np.arange(120)[::-1])
    one, other = clone(svm).fit(rows, Y), clone(svm).fit(frame, pd.Series(Y, index=frame.index))
    np.testing.assert_array_equal(one.coef_, other.coef_)
    assert one.predict(rows) == other.predict(frame) and one.score(rows, Y) == other.score(frame, Y)
    np.testing.assert_array_equal(one.decision_function(rows), other.decision_function(frame))


def test_inputs_whose_sums_are_beyond_the_floats():
    inputs = [np.ones((9, 1)), 1e308 * np.ones((9, 1))]
    words = r"^X must hold sequences.*with a number beyond 1e\+300 at position 1"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=words):
            StructuredCoresetSVM(ChainDecoder(2)).fit(inputs, [[0] * 9, [1] * 9])
        with pytest.raises(ValueError, match=words):
            chain_svm().predict(inputs)
        assert len(chain_svm().predict([1e299 * np.ones((9, 1)), np.ones((9, 1), dtype=np.float32)])) == 2


@ignored
@pytest.mark.parametrize("estimator", [*BINARY, MulticlassCoresetSVC(on_nonseparable="warn")], ids=repr)
def test_scores_are_finite_or_refused(estimator):
    clf = clone(estimator).fit(np.tile(X, 4), Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if getattr(clf, "kernel", "linear") == "rbf":  # so far away that it is zero
            assert np.isfinite(clf.decision_function(np.full((2, 12), 1e308))).all()
            return
        with pytest.raises(ValueError, match=r"^X must have finite scores, got -?(inf|nan) for row 1"):
            clf.predict(np.sign(clf.coef_[-1]) * [[1.0], [1e308]])


def test_scores_of_a_polynomial_are_finite_or_refused():
    for each in (CoresetSVC, OutlierCoresetSVC):
        clf = each(kernel="polynomial", on_nonseparable="warn").fit(X[:30:3], Y[:30:3])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(ValueError, match=r"^X must have finite scores, got (-?inf|nan) for row 0"):
                clf.decision_function([[1e200] * 3])
            with pytest.raises(ValueError, match=r"finite values|too large"):
                clone(clf).set_params(coef0=1e308).fit(X, Y)


def test_by_how_much_an_output_wins():
    rng = np.random.default_rng(0)
    inputs = [rng.normal(size=(T, 1)) for T in (1, 2, 3, 4)]
    for x, won in zip(inputs, chain_svm().decision_function(inputs)):
        outputs = np.array(np.meshgrid(*[[0, 1]] * len(x))).reshape(len(x), -1).T
        scores = np.sort([chain_svm().decoder.features(x, y) @ chain_svm().coef_ for y in outputs])
        assert np.isclose(won, scores[-1] - scores[-2])
    with pytest.raises(ValueError, match="X and Y must be of the same length"):
        chain_svm().score(inputs, [[0]])
    with pytest.raises(ValueError, match="Y must hold integers from 0 to 1"):
        chain_svm().score(inputs[:1], [["a"]])


# Bad arguments, each one clear error

START = ActiveCoresetSVC(random_state=0).start(X)
BAD = {
    "kernel and C": (
        lambda: CoresetSVC(C=1.0, kernel="x").fit(X, Y),
        "kernel must be one of 'rbf', 'linear'",
    ),
    "selection and C": (lambda: CoresetSVC(C=1.0, selection="x").fit(X, Y), "selection must be one of"),
    "gamma and C": (lambda: CoresetSVC(C=1.0, gamma=-1).fit(X, Y), "gamma must be a finite number > 0"),
    "degree": (lambda: CoresetSVC(degree=1.5).fit(X, Y), "degree must be an integer >= 1, got 1.5"),
    "coef0": (lambda: OutlierCoresetSVC(coef0=-1).fit(X, Y), "coef0 must be a finite number >= 0, got -1"),
    "chunks": (
        lambda: CoresetSVC().fit_stream(lambda: 3),
        r"chunks\(\) must return an iterator of chunks, got int",
    ),
    "class of a stream": (
        lambda: CoresetSVC(class_weight={5: 1.0}, on_nonseparable="warn").fit_stream(lambda: [(X, Y)]),
        "class_weight must name classes of y",
    ),
    "stream": (lambda: ActiveCoresetSVC().fit_stream(3, Y), "stream must be an iterable of points"),
    "no sequence": (
        lambda: StructuredCoresetSVM(MulticlassDecoder(2)).fit(np.array(1.0), Y),
        r"^X must be a sequence as the decoder takes it, got an array of shape \(\)",
    ),
    "large C": (lambda: CoresetSVC(C=1e308).fit(X, Y), "^C must be so small that the sum of C .* got 1e.308"),
    "labels": (lambda: START.tell([0], 1), "labels must be a list of labels, as many as rows, got 1"),
    "classes": (
        lambda: ActiveCoresetSVC().fit(X, Y, "ab"),
        "classes must be two distinct labels of one type, got 'ab'",
    ),
    "types": (
        lambda: ActiveCoresetSVC().fit(X, Y, [1, "a"]),
        "classes must be two distinct labels of one type",
    ),
    "no classes": (
        lambda: ActiveCoresetSVC().fit(X, Y, 3),
        "classes must be two distinct labels of one type, got 3",
    ),
    "known": (lambda: ActiveCoresetSVC().start(X, known=3), r"known must be a pair \(rows, labels\), got 3"),
    "decoder": (
        lambda: StructuredCoresetSVM(ChainDecoder).fit([X], [Y]),
        "decoder must be an object, got the class",
    ),
    "all weight": (
        lambda: OutlierCoresetSVC(60).fit(X, Y, np.full(120, 0.5)),
        "n_outliers must be < the sum of the weights, got 60 for 60.0",
    ),
    "a rounding more": (
        lambda: OutlierCoresetSVC(60).fit(X, Y, np.append(np.full(119, 0.5), 0.5 + 1e-12)),
        "n_outliers must be < the sum of the weights, got 60 for 60.0",
    ),
    "weights": (
        lambda: OutlierCoresetSVC(9).fit(X, Y, np.full(120, 0.01)),
        "n_outliers must be < the sum of the weights",
    ),
}


@ignored
@pytest.mark.parametrize("name", BAD)
def test_bad_arguments(name):
    call, words = BAD[name]
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize("make", [ActiveCoresetSVC, MulticlassCoresetSVC])
@pytest.mark.parametrize("scale, words", [(1e160, "too large in size"), (1e-160, "too small in size")])
def test_data_that_cannot_be_squared(make, scale, words):
    with pytest.raises(ValueError, match=words):
        make().fit(scale * np.array([[1.0, 2.0], [-1.0, 1.0]]), np.array([0, 1]))


# Fits that fail


APART = X + np.where(Y == 1, 5.0, -5.0)[:, None]
SAME, ABC = np.ones((3, 3)), ["a", "b", "c"]
WIDE = np.hstack([APART, np.zeros((120, 600))])  # for coordinate steps
FAILING = {  # a fit, and one that fails after it has looked at the data
    "hard": (CoresetSVC(), lambda c: c.fit(APART, Y), lambda c: c.fit(SAME, ["a", "b", "b"])),
    "columns": (
        CoresetSVC(),
        lambda c: c.fit(pd.DataFrame(APART), Y),
        lambda c: c.fit(SAME[:, :2], [1, 0, 0]),
    ),
    "steps": (CoresetSVC(), lambda c: c.fit(WIDE, Y), lambda c: c.fit(np.ones((2, 603)), ["a", "b"])),
    "soft": (CoresetSVC(C=1.0), lambda c: c.fit(APART, Y), lambda c: c.fit(1e155 * SAME, ["a", "b", "b"])),
    "stream": (
        CoresetSVC(),
        lambda c: c.fit_stream(lambda: iter([(APART, Y)])),
        lambda c: c.fit_stream(lambda: iter([(SAME[:, :2], ["a", "b", "b"])])),
    ),
    "classes": (MulticlassCoresetSVC(), lambda c: c.fit(APART, Y), lambda c: c.fit(SAME, ABC)),
    "one class": (MulticlassCoresetSVC(), lambda c: c.fit(APART, Y), lambda c: c.fit(SAME, [7, 7, 7])),
    "outliers": (OutlierCoresetSVC(0), lambda c: c.fit(APART, Y), lambda c: c.fit(SAME, ["a", "b", "b"])),
    "outputs": (
        StructuredCoresetSVM(MulticlassDecoder(2)),
        lambda c: c.fit(APART, Y),
        lambda c: c.fit(SAME, [0, 1, 1]),
    ),
}


@pytest.mark.parametrize("name", FAILING)
@pytest.mark.parametrize("fitted", [False, True])
def test_a_fit_that_fails_leaves_the_estimator_as_it_was(name, fitted):
    estimator, fit, fail = FAILING[name]
    clf = clone(estimator)
    if fitted:
        fit(clf)
    before = dict(vars(clf))
    with pytest.raises(ValueError):
        fail(clf)
    assert vars(clf).keys() == before.keys() and all(vars(clf)[key] is before[key] for key in before)
    if fitted:
        assert len(clf.predict(WIDE if name == "steps" else APART)) == 120

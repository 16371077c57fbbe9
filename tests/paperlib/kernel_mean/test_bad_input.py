"""Bad input of the mean's functions and estimators: one error each, which names the argument."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from paperlib.kernel_mean import (
    KernelMeanClassifier,
    TLogisticRegression,
    flip_labels,
    losses,
    noise,
    select_kernel,
    sparsify,
    sparsify_classifier,
    theory,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(20, 3))
Y = np.repeat([0, 1], 10)
SIGNS = 2 * Y - 1
WITH_NAN = np.where(np.arange(60).reshape(20, 3) == 4, np.nan, X)
WITH_INF = np.where(np.arange(60).reshape(20, 3) == 4, np.inf, X)
MIXED = np.array([1, "a"] * 10, dtype=object)
BIG = 10**400


@pytest.mark.parametrize(
    "clf", [KernelMeanClassifier(), KernelMeanClassifier("linear"), TLogisticRegression()]
)
@pytest.mark.parametrize(
    "rows, message",
    [
        (WITH_NAN, "X contains NaN"),
        (WITH_INF, "X contains infinity"),
        (X * 1j, "Complex data not supported"),
        (X[:, :2], "X has 2 features, but .* is expecting 3"),
        (sparse.csr_matrix(WITH_NAN), "X contains NaN"),
        (X[0], "Expected 2D array, got 1D array"),
        (X[:0], "0 sample"),
    ],
)
def test_bad_rows(clf, rows, message):
    clf.fit(X, Y)
    thin = sparsify_classifier(KernelMeanClassifier().fit(X, Y), 3, random_state=0)
    calls = [clf.predict, clf.decision_function]
    calls += [] if sparse.issparse(rows) else [thin.predict]
    for call in calls:
        with pytest.raises(ValueError, match=message):
            call(rows)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("factor", [1e200, 1e308])
def test_a_linear_mean_whose_kernel_overflows(form, factor):
    with pytest.raises(ValueError, match=r"K.x, x. must be finite for every row x of X, got inf: scale X"):
        KernelMeanClassifier("linear").fit(form(np.sign(X) * factor), Y)
    clf = KernelMeanClassifier("linear").fit(form(1e150 * X), Y)
    with pytest.raises(ValueError, match="X has rows whose kernel values overflow: scale the data"):
        clf.predict(form(np.sign(X) * factor))


@pytest.mark.parametrize(
    "kernels, message",
    [
        (None, "kernels must be a sequence of kernels, got None"),
        ("rbf", "kernels must be a sequence of kernels, got 'rbf': put a single one in a list"),
        ({"gamma": 1.0}, "kernels must be a sequence of kernels, got {'gamma': 1.0}"),
        (3, "kernels must be a sequence of kernels, got 3"),
        ([], "kernels must hold at least one kernel"),
        ([{1: 2, "a": 3}], r"kernels\[0\] has the unknown parameter"),
        ([{"kernel": "precomputed", "K": (X @ X.T) * 1j}], r"kernels\[0\]: Complex data not supported"),
        (
            [{"kernel": "precomputed", "K": np.eye(3)}],
            r"kernels\[0\]: K must be a.*finite matrix of shape \(20, 20\), got \(3",
        ),
        (["rbf", {"gamma": -1}], r"kernels\[1\]: gamma must be a finite number > 0"),
        (["rbf", "gauss"], r"kernels\[1\]: kernel must be one of"),
        ([{"width": 1}], r"kernels\[0\] has the unknown parameter 'width'"),
        (["precomputed"], "must have K"),
    ],
)
def test_bad_kernels_to_choose_from(kernels, message):
    with pytest.raises(ValueError, match=message):
        select_kernel(X, Y, kernels)


@pytest.mark.parametrize(
    "labels, shown",
    [
        (MIXED, "'a'"),
        ([None, 1] * 10, "None"),
        (["a", "b"] * 10, "'a'"),
        (Y, "0"),
        ([1.0, np.nan] * 10, "nan"),
    ],
)
def test_labels_that_are_no_signs(labels, shown):
    calls = [
        lambda: flip_labels(labels, 0.1),
        lambda: noise.flip_by_label(labels, 0.1, 0.2),
        lambda: noise.flip_by_instance(X, labels, lambda X, y: np.full(len(y), 0.1)),
        lambda: theory.margin_for_error(labels, np.ones(20)),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=f"y must hold the labels -1 and .1 only, got {shown} too"):
            call()


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: noise.flip_by_instance(X, SIGNS, 0.1), "noise must be a function, got 0.1"),
        (lambda: noise.flip_by_instance(X[:5], SIGNS, max), "X must have a row for each label of y, got"),
        (lambda: noise.flip_by_instance(None, SIGNS, max), "Expected 2D array"),
        (lambda: noise.flip_by_instance(WITH_NAN, SIGNS, max), "Input X contains NaN"),
        (lambda: noise.corrected_loss("hinge", 0.1), "loss must be a function, got 'hinge'"),
        (lambda: noise.contaminate_mutually(WITH_NAN, X, 0.1, 0.1, 3), "Input positives contains NaN"),
        (lambda: noise.contaminate_mutually(X, WITH_INF, 0.1, 0.1, 3), "Input negatives contains infinity"),
        (lambda: noise.contaminate_mutually(X * 1j, X, 0.1, 0.1, 3), "Complex data not supported"),
        (
            lambda: noise.contaminate_mutually(X, X[:, :1], 0.1, 0.1, 3),
            "negatives must be rows of one width, got",
        ),
        (lambda: losses.hinge("abc", 1.0), "y must be real numbers, got dtype <U3"),
        (lambda: losses.linear(1, None), "v must be real numbers, got dtype object"),
        (lambda: losses.zero_one(SIGNS * 1j, 1.0), "y must be real numbers, got dtype complex128"),
        (lambda: theory.lemma_22([1.0], [BIG]), r"errors must be finite and >= 0, got \[1000"),
        (lambda: theory.lemma_22([1.0], ["a"]), r"errors must be finite and >= 0, got \['a'\]"),
        (lambda: theory.theorem_21(BIG, 3, 0.1), "diameter must be finite and >= 0, got 1000"),
        (lambda: theory.theorem_21("x", 3, 0.1), "diameter must be finite and >= 0, got 'x'"),
        (lambda: theory.margin_for_error(SIGNS, [BIG] * 20), "scores must be a vector of finite numbers"),
        (lambda: theory.margin_for_error(SIGNS, SIGNS * 1j), "scores must be a vector of finite numbers"),
        (lambda: theory.corollary_8(BIG), "margin_for_error must be a finite number >= 0, got 1000"),
        (lambda: theory.corollary_8("x"), "margin_for_error must be a finite number >= 0, got 'x'"),
        (lambda: sparsify(X, np.ones(20), 3, n_jobs=0), "n_jobs must be None or an integer other than 0"),
        (lambda: select_kernel(X, Y, ["rbf"], n_jobs="all"), "n_jobs must be None or an integer"),
        (lambda: select_kernel(sparse.csr_matrix(X), Y, ["poly"]), r"kernels\[0\]: X must be dense but for"),
    ],
)
def test_other_bad_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_length_in_a_list_is_an_array():
    expected = theory.theorem_21(np.array([0.5, 1.0]), 16, 0.05)
    np.testing.assert_array_equal(theory.theorem_21([0.5, 1.0], 16, 0.05), expected)


def test_a_thinned_classifier_is_not_fitted():
    thin = sparsify_classifier(KernelMeanClassifier().fit(X, Y), 3, random_state=0)
    for arguments in ([X, Y], [X], [X, Y, np.ones(20)]):
        with pytest.raises(TypeError, match="SparseKernelClassifier cannot be fitted: fit a classifier and"):
            thin.fit(*arguments)


@pytest.mark.parametrize("kind", ["DataFrame", "Series"])
def test_tables_of_dask_are_named(kind):
    dataframe = pytest.importorskip("dask.dataframe")
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 2)), columns=["a", "b"])
    clf = KernelMeanClassifier().fit(X, np.arange(20) % 2)
    given = dataframe.from_pandas(X if kind == "DataFrame" else X.a, npartitions=2)
    for method in (clf.decision_function, clf.predict, lambda rows: sparsify(rows, np.ones(20), 2)):
        with pytest.raises(ValueError, match=f"X must be a dask array, got a dask {kind}; it has"):
            method(given)

"""Real data under label noise (announced in Section 7): two-class problems, and errors on them."""

import math

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from paperlib._common.validation import check_number
from paperlib.experiments import datasets
from paperlib.experiments.kernel_mean.samples import check_counts, check_noise_rates
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import step
from paperlib.kernel_mean import KernelMeanClassifier, TLogisticRegression
from paperlib.kernel_mean.noise import flip_labels

MAX_TRAIN, MAX_TEST = 400, 1000


def two_digits(dataset, digits, pixels):
    """The images of two digits, averaged down to ``pixels x pixels``.

    Parameters
    ----------
    dataset : Dataset
        Square images as rows, and their digits.
    digits : pair of int
        The first is labelled +1, the second -1.
    pixels : int >= 1
        A divisor of the images' width.

    Returns
    -------
    X : ndarray of shape (n, pixels^2)
    y : ndarray of shape (n,), of -1 and +1

    Examples
    --------
    >>> from paperlib.experiments.datasets import load
    >>> X, y = two_digits(load("digits"), (3, 8), 4)
    >>> X.shape, int((y == 1).sum())
    ((357, 16), 183)
    """
    own = np.isin(dataset.y, digits)
    if len(set(digits)) != 2 or len(np.unique(dataset.y[own])) != 2:
        raise ValueError(f"digits must be two that the data hold, got {tuple(digits)}")
    return average_pixels(dataset.X[own], pixels), np.where(dataset.y[own] == digits[0], 1, -1)


def average_pixels(X, pixels):
    """Average square images, given as rows, over square blocks: down to ``pixels x pixels``, as floats.

    >>> average_pixels(np.array([[1, 3, 5, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8]]), 2).tolist()
    [[1.0, 3.0, 0.0, 2.0]]
    """
    width = math.isqrt(X.shape[1])
    pixels = check_number(pixels, "pixels", low=1, integer=True)
    if width**2 != X.shape[1] or width % pixels:
        raise ValueError(
            f"images must be squares whose width {pixels} divides, got rows of {X.shape[1]} pixels"
        )
    side = width // pixels
    blocks = X.reshape(len(X), pixels, side, pixels, side).astype(float)
    return blocks.mean(axis=(2, 4)).reshape(len(X), -1)


BUNDLED = ("breast_cancer", "faces", "digits", "mnist")
UCI = ("ionosphere", "sonar", "german", "spambase")  # of the full data


def problems(data):
    """Return the two-class problems ``{name: (X, y)}``: six that come bundled, and with full data four more.

    >>> list(problems("bundled"))[:3]
    ['breast cancer', 'faces', 'digits, 3 or 8']
    """
    cancer, faces, digits, mnist = (datasets.load(name) for name in BUNDLED)
    found = {
        "breast cancer": (cancer.X, cancer.y),
        "faces": (average_pixels(faces.X, 5), faces.y),
        "digits, 3 or 8": two_digits(digits, (3, 8), 8),
        "digits, 4 or 9": two_digits(digits, (4, 9), 8),
        "mnist, 3 or 5": two_digits(mnist, (3, 5), 7),
        "mnist, 4 or 9": two_digits(mnist, (4, 9), 7),
    }
    for name in UCI if data == "full" else ():
        loaded = datasets.load(name, data)
        found[name] = loaded.X, loaded.y
    return found


def classifiers():
    """Return what is compared, on standardised features.

    The penalties of the linear SVMs are cross-validated on the noisy labels; all else is as scikit-learn has
    it. The one without an intercept is, with the heaviest of its penalties, the linear mean (Section 3.1).
    """
    no_intercept = LinearSVC(loss="hinge", fit_intercept=False, random_state=0)
    plain = {
        "mean, linear": KernelMeanClassifier("linear"),
        "mean, Gaussian": KernelMeanClassifier("rbf"),
        "SVM, linear": GridSearchCV(SVC(kernel="linear"), {"C": [0.001, 0.03, 1.0]}, cv=3),
        "SVM, no intercept": GridSearchCV(no_intercept, {"C": [1e-5, 1e-4, 0.001, 0.03]}, cv=3),
        "SVM, Gaussian": SVC(kernel="rbf"),
        "t-logistic": TLogisticRegression(),
    }
    return {name: make_pipeline(StandardScaler(), each) for name, each in plain.items()}


@step
def noise_curves(noise_rates, n_splits, *, data, seed):
    """Error on clean test data after training on labels with symmetric noise.

    Parameters
    ----------
    noise_rates : sequence of float in [0, 1/2)
    n_splits : int >= 1
        Random stratified splits; every classifier and noise rate sees the same ones, and a larger noise rate
        flips the labels of a smaller one and some more.
    data : {"bundled", "full"}
    seed : int

    Returns
    -------
    DataFrame with a row per problem, classifier, noise rate and split: data, classifier, noise, split,
        zero_one
    """
    tables = [
        curves_of(X, y, classifiers(), noise_rates, n_splits, stream(seed, f"noise, {name}")).assign(
            data=name
        )
        for name, (X, y) in problems(data).items()
    ]
    columns = ["data", "classifier", "noise", "split", "zero_one"]
    return pd.concat(tables, ignore_index=True)[columns]


@step
def of_problem(curves, name):
    """Return the rows of one problem in `noise_curves`."""
    return curves[curves.data == name].reset_index(drop=True)


def curves_of(X, y, tried, noise_rates, n_splits, rng, max_train=MAX_TRAIN):
    """Return the rows of one problem in `noise_curves`, for the classifiers `tried`."""
    rows = []
    for split, noise, train, test in noisy_splits(X, y, noise_rates, n_splits, rng, max_train=max_train):
        for name, classifier in tried.items():
            rows.append((name, noise, split, error(clone(classifier), train, test)))
    return pd.DataFrame(rows, columns=["classifier", "noise", "split", "zero_one"])


def error(classifier, train, test):
    """Return the error on `test` of `classifier` fitted to `train`, both pairs (X, y)."""
    return np.mean(classifier.fit(*train).predict(test[0]) != test[1])


def noisy_splits(X, y, noise_rates, n_splits, rng, *, max_train=MAX_TRAIN, max_test=MAX_TEST):
    """Yield ``(split, noise, (X, noisy y) to train on, (X, y) to test on)``, as `noise_curves` says.

    A split trains on two thirds of the data and tests on the rest, but on no more examples than `max_train`
    and `max_test`.
    """
    noise_rates = check_noise_rates(noise_rates)
    check_counts(n_splits=n_splits, max_train=max_train, max_test=max_test)
    size = min(max_train, 2 * len(y) // 3)
    splitter = StratifiedShuffleSplit(
        n_splits,
        train_size=size,
        test_size=min(max_test, len(y) - size),
        random_state=int(rng.integers(2**31)),
    )
    for split, (train, test) in enumerate(splitter.split(X, y)):
        seed = int(rng.integers(2**31))
        for noise in noise_rates:
            labels = flip_labels(y[train], noise, random_state=seed)
            yield split, noise, (X[train], labels), (X[test], y[test])

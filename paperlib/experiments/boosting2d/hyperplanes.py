"""Beyond the plane: the optimal hyperplane against every d points, and what heuristics leave."""

from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import norm
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from paperlib._common.validation import check_number
from paperlib.boosting2d._geometry.gaps import best_threshold
from paperlib.boosting2d._hyperplanes.coordinates import as_vectors
from paperlib.boosting2d._hyperplanes.descent import descend
from paperlib.boosting2d.optimal_hyperplane import optimal_hyperplane
from paperlib.experiments import plotting
from paperlib.experiments.boosting2d.exact import wrong_side
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import progress, step

POINTS = {2: 60, 3: 36, 4: 26}  # of a sample: more than a box is finished with, few enough for every subset
APART = 2.5  # of the centers of two Gaussian clouds, in standard deviations: the Bayes error is 0.106
TURNS = 200  # of the local search
METHODS = ("LDA", "logistic regression", "LinearSVC", "logistic, best threshold", "local search")


@step
def hyperplanes(n_samples, *, seed):
    """Hold `optimal_hyperplane` against every hyperplane through d points, in general position.

    Parameters
    ----------
    n_samples : int >= 1
        In the plane, in space and in four dimensions, by turns.
    seed : int

    Returns
    -------
    DataFrame with a row per sample: sample, d, n, weight, least, lower_bound
        Weight of the errors of the hyperplane, the least there is, and the bound below it that is claimed.
    """
    rng, rows = stream(seed, "hyperplanes"), []
    for k in range(check_number(n_samples, "n_samples", low=1, integer=True)):
        d = list(POINTS)[k % len(POINTS)]
        X, positive = rng.normal(size=(POINTS[d], d)), rng.random(POINTS[d]) < 0.5
        weights = rng.integers(1, 5, size=POINTS[d]).astype(float)
        plane = optimal_hyperplane(X, positive, weights)
        least = _lightest_through_d(X, positive, weights)
        weight = weights[wrong_side(plane, X, positive)].sum()
        rows.append((k, d, POINTS[d], weight, least, plane.lower_bound))
    return pd.DataFrame(rows, columns=["sample", "d", "n", "weight", "least", "lower_bound"])


def _lightest_through_d(X, positive, weights):
    """Return the least weight of the hyperplanes through d points, tilted to be right about these."""
    n, d = X.shape
    rows = np.array(list(combinations(range(n), d)))
    vectors = np.column_stack([X, np.ones(n)])
    # Cofactors: the vector orthogonal to d others.
    minors = [np.linalg.det(np.delete(vectors, j, axis=1)[rows]) for j in range(d + 1)]
    planes = np.column_stack(minors) * (-1.0) ** np.arange(d + 1)
    signed = np.where(positive, 1.0, -1.0) * (planes @ vectors.T)
    np.put_along_axis(signed, rows, 0.0, axis=1)
    alike = min(weights[positive].sum(), weights[~positive].sum())
    return min(((signed < 0) @ weights).min(), ((signed > 0) @ weights).min(), alike)


class CloudTrials(NamedTuple):
    """Errors on clouds: columns d, the methods, "optimum"; one row a sample.

    Attributes
    ----------
    training : DataFrame
        The training errors.
    true : DataFrame
        The expected error.
    """

    training: pd.DataFrame
    true: pd.DataFrame


def all_hyperplanes(X, positive):
    """Return the hyperplane (normal, offset) of each method, and the optimal one; a dict."""
    ones = np.ones(len(X))
    lda = LinearDiscriminantAnalysis().fit(X, positive)
    found = {"LDA": (lda.coef_[0], lda.intercept_[0])}
    mean, scale = X.mean(axis=0), X.std(axis=0)
    for name, model in (("logistic regression", LogisticRegression(C=1e3)), ("LinearSVC", LinearSVC())):
        model.fit((X - mean) / scale, positive)
        normal = model.coef_[0] / scale
        found[name] = normal, model.intercept_[0] - normal @ mean
    normal, offset = found["logistic regression"]
    better = best_threshold(X @ normal, positive, ones)
    found["logistic, best threshold"] = normal, offset if better is None else better
    points = as_vectors(X, positive, ones, 0.0)
    start = np.linalg.lstsq(points.sample.vectors, np.ones(len(points.ahead)))[0]
    normal = points.normal(descend(points.sample, start, TURNS)[0])
    found["local search"] = normal, best_threshold(X @ normal, positive, ones)
    plane = optimal_hyperplane(X, positive)
    return found | {"optimum": (plane.normal, plane.offset)}


def errors_of(hyperplanes, X, positive):
    """Return how many points each of `all_hyperplanes` misclassifies; a dict."""
    return {name: int(wrong_side(each, X, positive).sum()) for name, each in hyperplanes.items()}


@step
def cloud_trials(dimensions, n_trials, *, n=200, seed):
    """Compare methods on two overlapping Gaussian clouds, in several dimensions.

    Parameters
    ----------
    dimensions : list of int >= 1
    n_trials : int >= 1
        Samples of each dimension.
    n : int
        Points of a sample.
    seed : int

    Returns
    -------
    CloudTrials
    """
    rng = stream(seed, "clouds in space")
    training, true = [], []
    for d in progress(dimensions, "dimensions"):
        shift = np.full(d, APART / d**0.5)
        for _ in range(n_trials):
            positive = rng.random(n) < 0.5
            X = rng.normal(size=(n, d)) + positive[:, None] * shift
            found = all_hyperplanes(X, positive)
            training.append({"d": d} | errors_of(found, X, positive))
            true.append({"d": d} | {name: _true_error(w, b, shift) for name, (w, b) in found.items()})
    return CloudTrials(pd.DataFrame(training), pd.DataFrame(true))


def _true_error(normal, offset, shift):
    """Return the error that is expected on one Gaussian cloud about zero and one about `shift`."""
    at_zero, at_shift = np.array([offset, normal @ shift + offset]) / np.linalg.norm(normal)
    return (norm.cdf(at_zero) + norm.cdf(-at_shift)) / 2


def real_problems():
    """Yield names, points and classes of small problems that come with scikit-learn."""
    iris, cancer, wine = (load(return_X_y=True) for load in (load_iris, load_breast_cancer, load_wine))
    X, y = iris[0][50:], iris[1][50:]
    yield "iris, sepals", X[:, :2], y == 2
    yield "iris", X, y == 2
    yield "breast cancer, 3 columns", cancer[0][:, :3], cancer[1] == 1
    yield "breast cancer, 5 columns", cancer[0][:, :5], cancer[1] == 1
    yield "wine, 4 columns", wine[0][:, :4], wine[1] == 1


@step
def real_errors():
    """Return the training errors of all methods on `real_problems`, one row a problem."""
    rows = [
        {"problem": name, "n": len(X), "d": X.shape[1]} | errors_of(all_hyperplanes(X, positive), X, positive)
        for name, X, positive in real_problems()
    ]
    return pd.DataFrame(rows)


def excess(trials):
    """Return the errors of each method beyond the optimum, as shares of it: mean and standard error by d."""
    shares = trials[list(METHODS)].sub(trials["optimum"], axis=0).div(trials["optimum"], axis=0)
    return shares.groupby(trials["d"]).agg(["mean", "sem"])


def draw(training, real):
    """Draw what the heuristics leave: on clouds by dimension, on real data by problem."""
    fig, (left, right) = plotting.figure(2, height=3.6)
    shares, places = excess(training), np.arange(len(real))
    for k, method in enumerate(METHODS):
        mean, sem = 100 * shares[method, "mean"], 100 * shares[method, "sem"]
        style = {"color": plotting.COLOURS[k], "marker": plotting.MARKERS[k]}
        left.errorbar(shares.index, mean, sem, label=method, capsize=2, ls=plotting.LINES[k], **style)
        right.plot(real[method], places + 0.13 * (k - 2), ls="", **style)
    right.vlines(real["optimum"], places - 0.4, places + 0.4, color="black", label="optimum")
    left.set(xlabel="dimension", ylabel="errors beyond the optimum, %", xticks=list(shares.index))
    left.set_title("Two Gaussian clouds, 200 points")
    right.set(yticks=places, yticklabels=real["problem"], xlabel="training errors")
    right.set_title("Real data")
    right.invert_yaxis()
    fig.legend(loc="outside lower center", ncols=3)
    return fig

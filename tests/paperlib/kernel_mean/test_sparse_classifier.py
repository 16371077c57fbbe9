"""Thinned classifiers score like the ones they were made from."""

import pickle
import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_iris, make_moons
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, NuSVC

from paperlib.kernel_mean import KernelMeanClassifier, sparsify_classifier


@pytest.fixture
def moons():
    X, y = make_moons(120, noise=0.15, random_state=0)
    return X, np.array(["no", "yes"])[y]


CLASSIFIERS = {
    "svc": SVC(),
    "svc, poly": SVC(kernel="poly", degree=2, coef0=1.0),
    "svc, linear": SVC(kernel="linear"),
    "nusvc": NuSVC(nu=0.3, gamma=0.7),
    "mean": KernelMeanClassifier(gamma=2.0),
    "gp": GaussianProcessClassifier(RBF(0.6), optimizer=None),
    "pipeline": make_pipeline(StandardScaler(), SVC(gamma=0.9)),
}


def latent(classifier, X):
    if isinstance(classifier, GaussianProcessClassifier):
        fitted = classifier.base_estimator_
        return fitted.kernel_(fitted.X_train_, X).T @ (fitted.y_train_ - fitted.pi_)
    return classifier.decision_function(X)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_all_points_give_the_classifier_itself(moons, name):
    X, y = moons
    classifier = CLASSIFIERS[name].fit(X, y)
    points = latent(classifier, X)
    last = classifier[-1] if name == "pipeline" else classifier
    size = len(getattr(last, "support_", X))
    thin = sparsify_classifier(classifier, size, method="project", random_state=0)
    assert np.allclose(thin.decision_function(X), points, atol=1e-6)
    assert (thin.predict(X) == classifier.predict(X)).all()
    assert thin.score(X, y) == classifier.score(X, y)


def test_the_error_bounds_every_score(moons):
    X, y = moons
    svc = SVC(C=10).fit(X, y)
    for method in ("farthest_first", "random", "herding", "project"):
        thin = sparsify_classifier(svc, 8, method=method, random_state=0)
        off = np.abs(thin.decision_function(X) - svc.decision_function(X)).max()
        assert off <= thin.expansion_.error + 1e-9  # ||phi(x)|| = 1
        assert (svc.support_vectors_[thin.expansion_.support] == thin.expansion_.points).all()


def test_sparse_input_and_tol(moons):
    X, y = moons
    dense, sparse = SVC().fit(X, y), SVC().fit(csr_array(X), y)
    one, other = (
        sparsify_classifier(svc, tol=20.0, random_state=0, method="farthest_first") for svc in (dense, sparse)
    )
    assert np.allclose(one.decision_function(X), other.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("classifier", [SVC(), KernelMeanClassifier(gamma=2.0), CLASSIFIERS["gp"]])
def test_the_names_of_columns_are_kept(moons, classifier):
    pandas = pytest.importorskip("pandas")
    X, y = moons
    frame = pandas.DataFrame(X, columns=["wide", "high"])
    thin = sparsify_classifier(clone(classifier).fit(frame, y), 20, random_state=0)
    bare = sparsify_classifier(clone(classifier).fit(X, y), 20, random_state=0)
    assert not hasattr(bare, "feature_names_in_")
    for each in (thin, clone(thin), pickle.loads(pickle.dumps(thin))):
        assert each.feature_names_in_.tolist() == ["wide", "high"] and each.n_features_in_ == 2
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert (each.predict(frame) == bare.predict(X)).all()
        with pytest.raises(ValueError, match="feature names should match"):
            each.predict(frame[["high", "wide"]])


@pytest.mark.parametrize(
    "classifier, words",
    [
        (LogisticRegression(), "got LogisticRegression"),
        (SVC(kernel="sigmoid"), "got 'sigmoid'"),
        (SVC(kernel=lambda A, B: A @ B.T), "kernel must be 'rbf', 'linear' or 'poly'"),
    ],
)
def test_what_cannot_be_thinned_is_named(moons, classifier, words):
    X, y = moons
    with pytest.raises(ValueError, match=words):
        sparsify_classifier(classifier.fit(X, y), 3, method="farthest_first")


def test_three_classes_and_precomputed_are_named():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="two classes, got 3"):
        sparsify_classifier(SVC().fit(X, y), 3, method="farthest_first")
    mean = KernelMeanClassifier("precomputed").fit(X @ X.T, y > 0)
    with pytest.raises(ValueError, match="use sparsify on the kernel matrix"):
        sparsify_classifier(mean, 3, method="farthest_first")

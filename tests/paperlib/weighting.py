"""Weights that every estimator refuses, and scikit-learn's machinery around one that takes weights."""

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_blobs
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

# Of 20 rows; and what is said of them.
BAD_WEIGHTS = {
    "negative": (np.full(20, -1.0), "sample_weight must be >= 0, got -1.0"),
    "nan": (np.full(20, np.nan), "sample_weight must be finite, got nan"),
    "inf": (np.full(20, np.inf), "sample_weight must be finite, got inf"),
    "one less": (np.ones(19), r"sample_weight must have shape \(20,\).* got \(19,\)"),
    "a column": (np.ones((20, 1)), r"sample_weight must have shape \(20,\)"),
    "zeros": (np.zeros(20), "sample_weight must not be all zero"),
    "one class": (np.arange(20) % 2.0, "one class only"),
    "their sum": (np.full(20, 1e308), "have a finite sum"),
    "words": (["heavy"] * 20, "sample_weight must be real numbers"),
    "a number": (2.0, r"sample_weight must have shape \(20,\)"),
}
# Of the classes 0 and 1.
BAD_CLASS_WEIGHTS = {
    "a word": ("even", "class_weight must be 'balanced', a dict or None, got 'even'"),
    "a number": (2.0, "class_weight must be 'balanced', a dict or None, got 2.0"),
    "a list": ([1.0, 2.0], "class_weight must be 'balanced', a dict or None"),
    "negative": ({0: -1, 1: 1}, r"class_weight\[0\] must be a finite number > 0, got -1"),
    "zero": ({1: 0.0}, r"class_weight\[1\] must be a finite number > 0, got 0.0"),
    "nan": ({1: np.nan}, r"class_weight\[1\] must be a finite number > 0, got nan"),
    "inf": ({1: np.inf}, r"class_weight\[1\] must be a finite number > 0, got inf"),
    "words": ({1: "much"}, r"class_weight\[1\] must be a finite number > 0, got 'much'"),
    "another class": ({7: 1.0}, r"class_weight must name classes of y, \[0, 1\], got 7"),
    "their sum": ({1: 1e308, 0: 1e308}, "finite sum"),
}
X, Y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) % 2
bad_weights = pytest.mark.parametrize("weights, words", BAD_WEIGHTS.values(), ids=BAD_WEIGHTS)
bad_class_weights = pytest.mark.parametrize(
    "class_weight, words", BAD_CLASS_WEIGHTS.values(), ids=BAD_CLASS_WEIGHTS
)


def check_refused(estimator, words, weights=None, class_weight=None, method="fit"):
    """In `fit`, or in another method, and by one clear error."""
    clf = clone(estimator).set_params(class_weight=class_weight)
    with pytest.raises(ValueError, match=words):
        getattr(clf, method)(X, Y, sample_weight=weights)


def check_routing(estimator, X, y, weights, **grid):
    """A search over a pipeline hands weights on to `fit` and to `score`; return the fitted estimator."""
    with sklearn.config_context(enable_metadata_routing=True):
        asking = clone(estimator).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), asking)
        last = pipeline.steps[-1][0]
        search = GridSearchCV(pipeline, {f"{last}__{name}": values for name, values in grid.items()}, cv=3)
        search.fit(X, y, sample_weight=weights)
        score = search.score(X, y, sample_weight=weights)
    scaler, fitted = search.best_estimator_
    rows, chosen = scaler.transform(X), {name: fitted.get_params()[name] for name in grid}
    by_hand, without = (
        clone(estimator).set_params(**chosen).fit(rows, y, sample_weight=each) for each in (weights, None)
    )
    np.testing.assert_array_equal(fitted.decision_function(rows), by_hand.decision_function(rows))
    assert not np.array_equal(fitted.decision_function(rows), without.decision_function(rows))
    assert np.isclose(score, np.average(fitted.predict(rows) == y, weights=weights))
    return fitted


def check_many_classes(estimator, least=0.95):
    """One class against the rest, and probabilities by a calibration, which hands weights on as well."""
    X, y = make_blobs(180, 3, centers=[[-4, 0, 0], [4, 0, 0], [0, 6, 6]], random_state=0)
    y, weights = np.array(["a", "b", "c"])[y], np.linspace(0.5, 2.0, 180)
    many = OneVsRestClassifier(clone(estimator)).fit(X, y)
    assert many.score(X, y) > least and many.decision_function(X).shape == (180, 3)
    assert np.isfinite(many.decision_function(X)).all()
    shares = CalibratedClassifierCV(many, cv=3).fit(X, y).predict_proba(X)
    assert np.allclose(shares.sum(axis=1), 1.0)
    two = y != "c"
    calibrated = CalibratedClassifierCV(clone(estimator), cv=3).fit(X[two], y[two], weights[two])
    assert calibrated.score(X[two], y[two]) > 0.95
    shares = calibrated.predict_proba(X[two])
    assert np.allclose(shares.sum(axis=1), 1.0) and (shares >= 0.0).all()

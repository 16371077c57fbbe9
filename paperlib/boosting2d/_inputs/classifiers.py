"""Classifiers seen as functions to the reals: the coordinates of the plane of scores (Section 1)."""

import inspect
from collections.abc import Iterable

import numpy as np
from sklearn import get_config
from sklearn.base import clone, is_regressor
from sklearn.model_selection import check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

_METHODS = ("decision_function", "predict_proba", "predict")


def named(estimators):
    """Return ``(name, classifier)`` pairs; plain classifiers are called g1, g2, ...; () if it is neither."""
    if not isinstance(estimators, list | tuple):
        return ()
    if all(isinstance(item, list | tuple) and len(item) == 2 for item in estimators):
        return tuple((name, classifier) for name, classifier in estimators)
    return tuple((f"g{i}", classifier) for i, classifier in enumerate(estimators, start=1))


def check_estimators(estimators, reserved, exactly=None):
    """Return the pairs of `named`, or raise ``ValueError`` saying what is wrong with them.

    Parameters
    ----------
    estimators : list or tuple
    reserved : iterable of str
        Names of parameters, which no classifier may have.
    exactly : int, optional
        How many there must be; at least one otherwise.
    """
    pairs = named(estimators)
    if len(pairs) == 0 or (exactly and len(pairs) != exactly):
        wanted = f"{exactly} classifiers" if exactly else "at least one classifier"
        got = f"{len(pairs)} of them" if isinstance(estimators, list | tuple) else repr(estimators)
        raise ValueError(f"estimators must be {wanted}, or as many (name, classifier) pairs, got {got}")
    names = [name for name, _ in pairs]
    for name, classifier in pairs:
        if not isinstance(name, str) or "__" in name or name in reserved or names.count(name) > 1:
            raise ValueError(
                "estimators must have distinct strings for names, without '__', and other than the "
                f"parameters' own ({', '.join(sorted(reserved))}), got {name!r}"
            )
        usable = hasattr(classifier, "fit") and not isinstance(classifier, type)
        if not usable or (hasattr(classifier, "__sklearn_tags__") and is_regressor(classifier)):
            raise ValueError(f"estimators must be classifiers, got {classifier!r} for {name}")
    return pairs


def classifier_scores(name, classifier, X, classes):
    """Return the score of each row by a fitted classifier, one finite number.

    That is its `decision_function`; without one, ``predict_proba[:, 1] - 1/2``, which stays finite at
    probabilities of 0 and 1 as the logit does not; without either, `predict` as -1 and +1.

    Parameters
    ----------
    name : str
        For messages.
    classifier : fitted classifier
    X : array-like of shape (n, d)
    classes : ndarray of shape (2,)

    Returns
    -------
    ndarray of shape (n,)

    Raises
    ------
    ValueError
        If the classifier knows other classes, or a score is not a finite number.
    """
    known = getattr(classifier, "classes_", classes)
    if not np.array_equal(known, classes):
        raise ValueError(
            f"every estimator must know the classes {classes.tolist()} of y, {name} was fitted to the "
            f"classes {np.asarray(known).tolist()}"
        )
    method = next((method for method in _METHODS if hasattr(classifier, method)), None)
    if method is None:
        raise ValueError(f"estimators must have one of {', '.join(_METHODS)}, {name} has none")
    answer = np.asarray(getattr(classifier, method)(X))
    if method == "predict":
        return np.where(answer == classes[1], 1.0, -1.0)
    scores = answer[:, 1] - 0.5 if method == "predict_proba" else answer.astype(np.float64)
    if scores.shape != (len(answer),) or not np.isfinite(scores).all():
        raise ValueError(f"{method} of {name} must give one finite number per row, got {scores[:5]}")
    return scores


def fit_and_score(pairs, X, y, weights, classes, cv):
    """Fit classifiers and give their scores on the sample that the line is to be found from.

    Parameters
    ----------
    pairs : sequence of (str, classifier)
    X : array-like of shape (n, d)
    y : ndarray of shape (n,)
    weights : ndarray of shape (n,) or None
        For the `fit` of every classifier.
    classes : ndarray of shape (2,)
    cv : None, "prefit", int, splitter or iterable of splits
        As in `PairBoostingClassifier`.

    Returns
    -------
    fitted : list of classifiers
    scores : ndarray of shape (n, k)

    Raises
    ------
    ValueError
        If `cv` is unusable, or weights are given for a classifier that would leave them out.
    """
    if isinstance(cv, str) and cv != "prefit":
        raise ValueError(f"cv must be None, 'prefit', an integer, a splitter or an iterable, got {cv!r}")
    if isinstance(cv, str):
        for _, classifier in pairs:
            check_is_fitted(classifier)
        fitted = [classifier for _, classifier in pairs]
    else:
        for name, classifier in pairs:
            if weights is not None and not _takes_weights(classifier):
                raise ValueError(
                    f"sample_weight or class_weight is given, and {name} does not support sample weights: "
                    f"{classifier!r}; "
                    "with fitted estimators and cv='prefit' the weights are for the line alone"
                )
        fitted = [_fit(classifier, X, y, weights, None) for _, classifier in pairs]
    if cv is None or isinstance(cv, str):
        columns = [
            classifier_scores(name, each, X, classes) for (name, _), each in zip(pairs, fitted, strict=True)
        ]
        return fitted, np.column_stack(columns)

    (X,) = indexable(X)
    rows = np.arange(len(y))
    given = isinstance(cv, Iterable) and not hasattr(cv, "split")
    splits = cv if given else check_cv(cv, y, classifier=True).split(X, y)
    splits = [_rows_of(split, rows) for split in splits]
    tested = np.sort(np.concatenate([np.arange(0), *(test for _, test in splits)]))
    if not np.array_equal(tested, rows):
        raise ValueError("cv must test every row exactly once, so that each gets one score")
    scores = np.empty((len(y), len(pairs)))
    for train, test in splits:
        held_out = _safe_indexing(X, test)
        for k, (name, classifier) in enumerate(pairs):
            each = _fit(classifier, X, y, weights, train)
            scores[test, k] = classifier_scores(name, each, held_out, classes)
    return fitted, scores


def _rows_of(split, rows):
    """Return the two parts of a split, given as indices or masks, as indices (k,)."""
    try:
        train, test = (rows[part] for part in split)
        if train.ndim != 1 or test.ndim != 1:
            raise ValueError(f"got shapes {train.shape} and {test.shape}")
    except (TypeError, ValueError, IndexError) as error:
        raise ValueError(
            f"cv must give pairs (train, test) of indices or masks of the {len(rows)} rows: {error}"
        ) from None
    return train, test


def _takes_weights(classifier):
    """Return whether `fit` uses `sample_weight`, or hands it on to what says itself that it cannot."""
    if isinstance(classifier, Pipeline):
        return get_config()["enable_metadata_routing"]  # then the steps say who of them takes it
    kinds = [parameter.kind for parameter in inspect.signature(classifier.fit).parameters.values()]
    return has_fit_parameter(classifier, "sample_weight") or inspect.Parameter.VAR_KEYWORD in kinds


def _fit(classifier, X, y, weights, rows):
    if rows is not None:
        X, y = _safe_indexing(X, rows), y[rows]
        weights = None if weights is None else weights[rows]
    classifier = clone(classifier)
    if weights is None:
        return classifier.fit(X, y)
    return classifier.fit(X, y, sample_weight=weights)

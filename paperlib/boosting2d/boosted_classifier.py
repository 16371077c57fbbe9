"""The base of all boosted classifiers: fitted classifiers, their scores, and a tree of fat lines."""

from abc import ABCMeta, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.utils import column_or_1d, get_tags
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from paperlib._common.all_or_nothing import whole
from paperlib._common.class_weights import ClassWeight, weigh_classes
from paperlib._common.classifier import BinaryClassifier
from paperlib._common.sklearn_checks import validate_data
from paperlib._common.typing import Flags, Floats
from paperlib._common.validation import check_binary_labels, check_sample_weight
from paperlib.boosting2d._inputs.classifiers import check_estimators, classifier_scores, fit_and_score, named
from paperlib.boosting2d._inputs.points import check_scales
from paperlib.boosting2d.optimal_separator import OptimalSeparator


class BoostingStep(NamedTuple):
    """Two scores made into one, ``line.normal[0] * left + line.normal[1] * right + line.offset``.

    Attributes
    ----------
    left, right : int
        Below the number k of classifiers: that classifier's score; else the result of step ``left - k``.
    line : OptimalSeparator

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from paperlib.boosting2d import GreedyPairBoosting
    >>> X, y = [[0.0, 1.0], [1.0, 3.0], [2.0, 0.0], [3.0, 2.0]], [0, 1, 0, 1]
    >>> clf = GreedyPairBoosting([GaussianNB(), DecisionTreeClassifier(random_state=0)]).fit(X, y)
    >>> [step] = clf.steps_
    >>> step.left, step.right, step.line.weight
    (0, 1, 0.0)
    """

    left: int
    right: int
    line: OptimalSeparator


def boosted(left: Floats, right: Floats, line: OptimalSeparator) -> Floats:
    """Return the boosted score (n,) of two scores (n,): the signed distance from the line."""
    return np.column_stack([left, right]) @ line.normal + line.offset


class BoostedClassifier(MetaEstimatorMixin, BinaryClassifier, BaseEstimator, metaclass=ABCMeta):
    """A classifier of the form ``w_0 + sum_k w_k g_k(z)`` over given classifiers (Definition 1.1).

    A subclass says how many classifiers it takes in `_exactly`, and in `_steps` which scores are boosted
    together.
    """

    _exactly: int | None = None

    def __init__(
        self, estimators: list[Any] | tuple[Any, ...], *, cv: Any = None, class_weight: ClassWeight = None
    ) -> None:
        self.estimators = estimators
        self.cv = cv
        self.class_weight = class_weight

    @abstractmethod
    def _steps(self, scores: Floats, positive: Flags, weights: Floats) -> list[BoostingStep]:
        """Return the list of `BoostingStep` for scores (n, k), of which the last one is the result."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; with `deep`, also each classifier and its ``name__parameter``."""
        params = super().get_params(deep=False)
        for name, classifier in named(self.estimators) if deep else ():
            params[name] = classifier
            if hasattr(classifier, "get_params") and not isinstance(classifier, type):
                inner = classifier.get_params(deep=True)
                params.update((f"{name}__{key}", value) for key, value in inner.items())
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters, replace a classifier by its name, or set ``name__parameter`` of one."""
        if "estimators" in params:
            self.estimators = params.pop("estimators")
        for i, (name, _) in enumerate(named(self.estimators)):
            if name in params:
                items, value = list(self.estimators), params.pop(name)
                items[i] = (name, value) if isinstance(items[i], list | tuple) else value
                self.estimators = type(self.estimators)(items)
        return super().set_params(**params)

    @whole
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the classifiers, unless they are, and find the lines in the space of their scores.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Handed on as it is: what the classifiers take may be given.
        y : array-like of shape (n,)
            Two distinct labels, of any type but fractions; the larger one is positive.
        sample_weight : array-like of shape (n,), optional
            Non-negative. The classifiers are fitted with it, times the weights of classes, unless they are
            fitted already, and so are the lines, in which a row of weight zero has no part. A classifier
            that does not support sample weights is refused; a Pipeline supports them where scikit-learn's
            metadata routing is enabled and its steps say which of them take weights. An integer is as many
            equal rows, but for `cv` and errors by leaving out, which take a row for one.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            As the class says, and if weights are given for a classifier that does not support them.
        """
        reserved = super().get_params(deep=False)
        pairs = check_estimators(self.estimators, reserved, self._exactly)
        if isinstance(X, Mapping) and not issparse(X):  # some sparse matrices are mappings, too
            raise ValueError(f"X must be an array-like of rows, got a {type(X).__name__}")
        if isinstance(X, Sequence) and len(X) == 0:  # it has no first row to count the columns of
            raise ValueError(f"X must have at least one row, got {X!r}")
        X, y = validate_data(self, X, y, skip_check_array=True)
        labels = column_or_1d(y, warn=True)
        check_consistent_length(X, labels)
        if len(labels) == 0:
            raise ValueError("X and y must have at least one row, got 0 samples")
        weights = check_sample_weight(sample_weight, len(labels))
        classes, signs = check_binary_labels(labels, weights)
        weights = weigh_classes(self.class_weight, classes, (signs > 0.0).astype(int), weights)
        # None, not ones, where nobody asked for weights: some classifiers do not take them.
        given = None if sample_weight is None and self.class_weight is None else weights
        self.estimators_, scores = fit_and_score(pairs, X, labels, given, classes, self.cv)

        self.classes_ = classes
        counted = weights > 0
        check_scales(scores[counted], "the scores of estimators")
        self.scores_ = scores[counted]
        self._positive, self._weights = signs[counted] > 0, weights[counted]
        self.steps_ = self._steps(self.scores_, self._positive, self._weights)
        self._write_as_one_line(len(pairs))
        # A cached property, of the fit before.
        self.__dict__.pop("loo_error_", None)
        return self

    def estimator_scores(self, X: Any) -> Floats:
        """Return the score of every classifier on every row of `X`, shape (m, k)."""
        check_is_fitted(self)
        names = (name for name, _ in named(self.estimators))
        columns = [
            classifier_scores(name, each, X, self.classes_) for name, each in zip(names, self.estimators_)
        ]
        validate_data(self, X, reset=False, skip_check_array=True)  # they say better what is wrong with X
        return np.column_stack(columns)

    def decision_function(self, X: Any) -> Floats:
        """Return the boosted score of each row of `X`, shape (m,); positive for ``classes_[1]``."""
        columns = list(self.estimator_scores(X).T)
        for left, right, line in self.steps_:
            columns.append(boosted(columns[left], columns[right], line))
        return columns[-1]

    def _write_as_one_line(self, k):
        # Each score by its coefficients: of the k classifiers, then the constant.
        rows = list(np.eye(k + 1)[:k])
        for left, right, (normal, offset, *_) in self.steps_:
            rows.append(normal[0] * rows[left] + normal[1] * rows[right])
            rows[-1][k] += offset
        self.score_coef_, self.score_intercept_ = rows[-1][None, :k], rows[-1][k:]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tagged = (each for _, each in named(self.estimators) if hasattr(each, "__sklearn_tags__"))
        inner = [get_tags(each).input_tags for each in tagged if not isinstance(each, type)]
        tags.input_tags.sparse = all(each.sparse for each in inner)
        tags.input_tags.allow_nan = all(each.allow_nan for each in inner)
        return tags

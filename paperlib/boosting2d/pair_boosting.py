"""The optimal linear boosting of two classifiers, as a scikit-learn meta-estimator (Theorem 1.4)."""

from functools import cached_property

from sklearn.utils.validation import check_is_fitted

from paperlib._common.typing import Flags, Floats
from paperlib.boosting2d.boosted_classifier import BoostedClassifier, BoostingStep
from paperlib.boosting2d.leave_one_out import leave_one_out
from paperlib.boosting2d.optimal_separator import optimal_separator


class PairBoostingClassifier(BoostedClassifier):
    """Combine two classifiers by the line of least misclassified weight in the plane of their scores.

    Of all functions ``w_0 + w_1 g_1(z) + w_2 g_2(z)`` the one with the fewest training errors, by weight; of
    several such, the one of largest margin. The score ``g_k`` of a classifier is its `decision_function`; if
    it has none, ``predict_proba[:, 1] - 1/2``; if it has neither, -1 or +1 for what it predicts.

    Parameters
    ----------
    estimators : list or tuple of two classifiers, or of two (name, classifier) pairs
        Plain classifiers are called ``g1`` and ``g2``, so that their parameters are ``g1__max_depth`` and
        the like.
    cv : None, "prefit", int, splitter or iterable of (train, test), default=None
        On which scores the line is found. ``None``: on those that the classifiers give to the data they were
        fitted to, as in the paper. An integer, splitter or iterable: on held-out scores, every row being
        tested exactly once; the classifiers are then fitted again to all data. ``"prefit"``: the classifiers
        are fitted already and are used as they are; cloning, as a grid search does, undoes that, unless they
        are wrapped in `sklearn.frozen.FrozenEstimator`.
    class_weight : "balanced", dict or None, default=None
        By which the weights of rows are multiplied, in the fits of the classifiers, too. A dict has the
        weights > 0 of classes, 1 where it has none; ``"balanced"`` gives both classes the same sum.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the positive class.
    estimators_ : list of two fitted classifiers
    line_ : OptimalSeparator
        In the plane of scores; `weight` is the misclassified training weight.
    score_coef_ : ndarray of shape (1, 2)
        Unit normal of the line: the weights ``w_1, w_2`` of the two scores.
    score_intercept_ : ndarray of shape (1,)
        ``w_0``
    steps_ : list of one BoostingStep
    scores_ : ndarray of shape (n, 2)
        The scores that the line was found from, of the rows with positive weight.
    loo_error_ : float
        Leave-one-out error of the line in the plane of scores, as a part in [0, 1] of the total weight
        (Theorem 1.5); the classifiers are not fitted again. Computed when first asked for.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only where `X` has names.

    Raises
    ------
    ValueError
        If there are not two classifiers, if `y` has not exactly two classes of positive weight, if a
        classifier was fitted to other classes, if a score is not finite, or for an unusable `cv`.

    Notes
    -----
    A point exactly on the line is predicted as ``classes_[0]``. While fitting, it counts as misclassified
    whatever its class (Section 1), so a fitted line only has training points on it where doubles leave no
    room beside them.

    References
    ----------
    V. Boyarshinov, M. Magdon-Ismail, "Efficient Optimal Linear Boosting of a Pair of Classifiers", 2005,
    Definition 1.1, Theorems 1.4 and 1.5.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = make_moons(60, noise=0.3, random_state=0)
    >>> pair = (LogisticRegression(), DecisionTreeClassifier(max_depth=2))
    >>> [round(float(g.fit(X, y).score(X, y)), 3) for g in pair]
    [0.85, 0.917]
    >>> round(PairBoostingClassifier(pair).fit(X, y).score(X, y), 3)
    0.933
    """

    _exactly = 2

    def _steps(self, scores: Floats, positive: Flags, weights: Floats) -> list[BoostingStep]:
        self.line_ = optimal_separator(scores, positive, weights)
        return [BoostingStep(0, 1, self.line_)]

    @cached_property
    def loo_error_(self) -> float:
        check_is_fitted(self, "line_")
        return float(leave_one_out(self.scores_, self._positive, self._weights).error / self._weights.mean())

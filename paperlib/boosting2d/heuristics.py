"""More than two classifiers, two at a time: the greedy and the hierarchical way (Section 4)."""

from itertools import combinations
from typing import Any, Literal

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from paperlib._common.class_weights import ClassWeight
from paperlib._common.typing import Flags, Floats
from paperlib._common.validation import check_choice
from paperlib.boosting2d.boosted_classifier import BoostedClassifier, BoostingStep, boosted
from paperlib.boosting2d.optimal_separator import OptimalSeparator, optimal_separator


class GreedyPairBoosting(BoostedClassifier):
    """Boost the best pair of classifiers optimally, put the result in its place, and so on until one is left.

    The best pair is the one whose optimal line misclassifies the least weight; of those that tie, the one
    with the largest margin; of those, the first. Margins of different pairs are in different units, so each
    is measured in standard deviations of its pair's boosted score: a pair has no advantage from scores that
    are all ten times as large. The training error never rises from one step to the next.

    Parameters
    ----------
    estimators : list or tuple of k >= 1 classifiers, or of (name, classifier) pairs
        Plain classifiers are called ``g1``, ``g2``, ... A single one keeps its own score.
    cv : None, "prefit", int, splitter or iterable of (train, test), default=None
        As in `PairBoostingClassifier`.
    class_weight : "balanced", dict or None, default=None
        As in `PairBoostingClassifier`.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the positive class.
    estimators_ : list of k fitted classifiers
    steps_ : list of k - 1 BoostingStep
        The tree that was built, in the order of building: ``left`` and ``right`` below k are classifiers,
        ``k + i`` is the result of ``steps_[i]``.
    score_coef_ : ndarray of shape (1, k)
    score_intercept_ : ndarray of shape (1,)
        Of the classifiers' scores, the tree multiplied out; `decision_function` follows the tree, which
        differs by rounding alone.
    scores_ : ndarray of shape (n, k)
        The scores that the lines were found from, of the rows with positive weight.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only where `X` has names.

    Raises
    ------
    ValueError
        As `PairBoostingClassifier` does.

    Notes
    -----
    Finds ``(k - 1)^2`` lines, each in O(n^2 log n). The paper gives no bound on how far the result is from
    the best combination of all k classifiers. A score of exactly zero is predicted as ``classes_[0]``.

    References
    ----------
    V. Boyarshinov, M. Magdon-Ismail, "Efficient Optimal Linear Boosting of a Pair of Classifiers", 2005,
    Section 4.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = make_moons(60, noise=0.3, random_state=0)
    >>> three = [LogisticRegression(), GaussianNB(), DecisionTreeClassifier(max_depth=2)]
    >>> clf = GreedyPairBoosting(three).fit(X, y)
    >>> [(step.left, step.right, step.line.weight) for step in clf.steps_]
    [(0, 2, 4.0), (1, 3, 4.0)]
    """

    def _steps(self, scores: Floats, positive: Flags, weights: Floats) -> list[BoostingStep]:
        columns = dict(enumerate(scores.T))
        lines: dict[tuple[int, ...], OptimalSeparator] = {}
        steps: list[BoostingStep] = []
        while len(columns) > 1:
            for pair in combinations(columns, 2):
                if pair not in lines:
                    both = np.column_stack([columns[i] for i in pair])
                    lines[pair] = optimal_separator(both, positive, weights)
            left, right = _best_pair(lines, columns, weights)
            step = BoostingStep(left, right, lines[left, right])
            columns[scores.shape[1] + len(steps)] = boosted(columns.pop(left), columns.pop(right), step.line)
            # Other lines stay as they are: the next round finds those with the new score only.
            lines = {pair: line for pair, line in lines.items() if not {left, right} & set(pair)}
            steps.append(step)
        return steps


def _best_pair(lines, columns, weights):
    """Return the first of the pairs whose lines misclassify the least and have the widest relative margin."""
    least = min(line.weight for line in lines.values())
    widths = {}
    for (left, right), line in lines.items():
        # Weights are correctly rounded sums: equal ones are equal in doubles.
        if line.weight == least:
            score = boosted(columns[left], columns[right], line)
            # Without this, squares of large scores could overflow.
            score, margin = score / np.abs(score).max(), line.margin / np.abs(score).max()
            variance = np.average((score - np.average(score, weights=weights)) ** 2, weights=weights)
            widths[left, right] = margin / np.sqrt(variance) if variance > 0 else np.inf
    # Margins that differ by rounding alone tie.
    return next(pair for pair, width in widths.items() if width >= max(widths.values()) * (1.0 - 1e-9))


class HierarchicalPairBoosting(BoostedClassifier):
    """Split the classifiers in two groups of similar ones, boost each recursively, then the two results.

    The groups are those of a hierarchical clustering of the scores, at distance one minus (weighted)
    correlation; a constant score is at distance one from every other.

    Parameters
    ----------
    estimators : list or tuple of k >= 1 classifiers, or of (name, classifier) pairs
        Plain classifiers are called ``g1``, ``g2``, ... A single one keeps its own score.
    cv : None, "prefit", int, splitter or iterable of (train, test), default=None
        As in `PairBoostingClassifier`.
    class_weight : "balanced", dict or None, default=None
        As in `PairBoostingClassifier`.
    linkage : {"average", "complete", "single"}, default="average"
        Distance of two groups: mean, largest or smallest distance of their members.

    Attributes
    ----------
    classes_, estimators_, steps_, score_coef_, score_intercept_, scores_, n_features_in_, feature_names_in_
        As in `GreedyPairBoosting`.
    linkage_ : ndarray of shape (k - 1, 4)
        The clustering as `scipy.cluster.hierarchy.linkage` writes it; row i became ``steps_[i]``.

    Raises
    ------
    ValueError
        As `PairBoostingClassifier` does, and for an unknown linkage.

    Notes
    -----
    Finds k - 1 lines, each in O(n^2 log n). A score of exactly zero is predicted as ``classes_[0]``.

    References
    ----------
    V. Boyarshinov, M. Magdon-Ismail, "Efficient Optimal Linear Boosting of a Pair of Classifiers", 2005,
    Section 4.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = make_moons(60, noise=0.3, random_state=0)
    >>> three = [LogisticRegression(), GaussianNB(), DecisionTreeClassifier(max_depth=2)]
    >>> clf = HierarchicalPairBoosting(three).fit(X, y)
    >>> [(step.left, step.right, step.line.weight) for step in clf.steps_]
    [(0, 1, 8.0), (2, 3, 4.0)]
    """

    def __init__(
        self,
        estimators: list[Any] | tuple[Any, ...],
        *,
        cv: Any = None,
        linkage: Literal["average", "complete", "single"] = "average",
        class_weight: ClassWeight = None,
    ) -> None:
        super().__init__(estimators, cv=cv, class_weight=class_weight)
        self.linkage = linkage

    def _steps(self, scores: Floats, positive: Flags, weights: Floats) -> list[BoostingStep]:
        check_choice(self.linkage, "linkage", ("average", "complete", "single"))
        k = scores.shape[1]
        distances = squareform(correlation_distances(scores, weights), checks=False)
        self.linkage_ = linkage(distances, self.linkage) if k > 1 else np.empty((0, 4))
        columns, steps = list(scores.T), []
        for left, right in self.linkage_[:, :2].astype(int).tolist():
            line = optimal_separator(np.column_stack([columns[left], columns[right]]), positive, weights)
            columns.append(boosted(columns[left], columns[right], line))
            steps.append(BoostingStep(left, right, line))
        return steps


def correlation_distances(scores, weights):
    """Return one minus the weighted correlation of every two columns, shape (k, k), in [0, 2]."""
    centred = scores - np.average(scores, axis=0, weights=weights)
    centred *= np.sqrt(weights)[:, None]
    lengths = np.linalg.norm(centred, axis=0)
    # What is left of a constant column is rounding.
    constant = lengths <= 1e-13 * np.linalg.norm(scores * np.sqrt(weights)[:, None], axis=0)
    centred[:, constant], lengths[constant] = 0.0, 1.0
    distances = 1.0 - (centred / lengths).T @ (centred / lengths)
    np.fill_diagonal(distances, 0.0)
    return np.clip(distances, 0.0, 2.0)

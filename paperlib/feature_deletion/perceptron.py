"""The modified perceptron of Section 3, converted from online to batch, as a scikit-learn classifier."""

import math
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from paperlib._common.all_or_nothing import whole
from paperlib._common.caller_warning import warn_caller
from paperlib._common.class_weights import ClassWeight, class_factors, copies_of_rows, weigh_classes
from paperlib._common.classifier import SparseLinearClassifier
from paperlib._common.random_state import RandomState, check_random_state
from paperlib._common.typing import Floats, Integers
from paperlib._common.validation import check_classes, check_flag, check_number, check_sample_weight
from paperlib.feature_deletion._deletion.knapsack import as_rows
from paperlib.feature_deletion._deletion.projected_perceptron import (
    Average,
    make_adversary,
    online_pass,
    online_pass_of_sparse,
)
from paperlib.feature_deletion._deletion.validation import (
    check_game,
    check_known_labels,
    check_size,
    check_weighted_training,
)

MOST_MEETINGS = 100_000_000  # of examples in a pass, where their weights say so


class _Meetings(NamedTuple):
    """A pass over weighted examples in their own order: which one is met, and by what share it counts."""

    rows: Integers
    shares: Floats | None  # None stands for ones


class _Progress(NamedTuple):
    """State of a run between calls; replaced whole, so that a call that fails does not change it."""

    average: Average
    tau: float
    rng: np.random.Generator
    n_updates: int
    n_iter: int
    sum_of_losses: float


class FeatureDeletionPerceptron(SparseLinearClassifier, BaseEstimator):
    """Average of the hypotheses of a perceptron that meets every example after its worst deletion.

    For each example the adversary leaves the features J that maximise the loss (Equation 12) ::

        [margin V(J) / P - y (b + sum_{j in J} w_j x_j)]_+

    exactly, and where that is not zero the perceptron adds ``tau y x_j`` to the weights of J, ``tau y`` to
    the bias, and projects both back onto the cube ``[-C, C]``.

    Parameters
    ----------
    n_deleted : float in [0, V), default=1
        The adversary's budget N, P = V - N: a number of features where all values are one.
    margin : float in [1e-100, 1e100], default=1.0
        The paper's gamma: when nothing is deleted, a margin of ``margin V / P`` is asked for.
    C : float in [1e-100, 1e100], default=1.0
        Largest weight, and largest bias.
    feature_values : array-like of shape (n_features,), optional
        What deleting a feature costs the adversary: >= 0, not all zero; ones by default. With other values
        than equal ones each example is a knapsack problem, and a pass takes longer.
    class_weight : dict, "balanced" or None, default=None
        Weights > 0 of the classes, as in scikit-learn, by which those of the examples are multiplied;
        ``"balanced"`` is for `fit` only.
    tau : float in [1e-100, 1e100], optional
        Step. ``C sqrt((n + 1) / (2 m))`` by default, which minimises Theorem 4's bound for one pass over the
        m examples of `fit`, or of the first call of `partial_fit`; m is the sum of their weights.
    n_passes : int >= 1, default=1
        Over the data; only the first is covered by the theory.
    shuffle : bool, default=True
        Go through the examples in random order, a new one in each pass, instead of their own.
    random_state : int, numpy.random.Generator, numpy.random.RandomState or None
        Of the orders.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        Average of the weights before each example.
    intercept_ : ndarray of shape (1,)
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the positive class.
    mean_loss_ : float
        Average over all examples met, each with the hypothesis before it: the left side of Theorem 4.
    tau_ : float
    n_updates_ : int
        Examples met with a loss.
    n_seen_ : int, or float where weights are not whole
        Sum of the weights of all examples met.
    n_iter_ : int
        Passes over data, calls of `partial_fit` included.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only where `X` has names.

    Raises
    ------
    ValueError
        For a parameter out of range, a budget that is not below the sum of the values, `X` that is not
        finite, lengths that differ, weights that are negative, not finite or so large that an example would
        be met some 100 million times, or `y` without exactly two classes of positive weight.

    Warns
    -----
    ConvergenceWarning
        As `worst_case_deletion`, for values that are not equal.

    Notes
    -----
    An example of weight k is met k times in a pass: it is exactly a pass over data in which k copies of it
    follow each other, in this order or shuffled. The last meeting of a weight that is not whole counts in
    part, 0.4 for 2.4: its step, its loss and its place in the average are multiplied by that. A weight below
    1 is one meeting with a shorter step. Each copy has the weight of its class: weights of 2 and 1.3 are two
    copies that are both met once, and once for 0.3.

    The bounds suppose ``|x|_1 <= 1``. For longer examples they grow with the square of that norm at worst,
    in ``tau / 2 |(x, 1)|^2``; the algorithm itself needs no scale.

    References
    ----------
    O. Dekel, O. Shamir, "Learning to Classify with Missing and Corrupted Features", ICML 2008, Section 3.

    Examples
    --------
    >>> import numpy as np
    >>> from paperlib.feature_deletion import FeatureDeletionPerceptron
    >>> rng = np.random.default_rng(0)
    >>> y = rng.choice([-1, 1], 400)
    >>> X = np.column_stack([y, y, y]) + 0.5 * rng.normal(size=(400, 3))
    >>> clf = FeatureDeletionPerceptron(n_deleted=1, random_state=0).fit(X, y)
    >>> clf.predict([[0.0, 1.0, 1.0], [-1.0, -1.0, 0.0]]).tolist()
    [1, -1]
    """

    def __init__(
        self,
        n_deleted: float = 1,
        *,
        margin: float = 1.0,
        C: float = 1.0,
        feature_values: ArrayLike | None = None,
        class_weight: ClassWeight = None,
        tau: float | None = None,
        n_passes: int = 1,
        shuffle: bool = True,
        random_state: RandomState = None,
    ) -> None:
        self.n_deleted = n_deleted
        self.margin = margin
        self.C = C
        self.feature_values = feature_values
        self.class_weight = class_weight
        self.tau = tau
        self.n_passes = n_passes
        self.shuffle = shuffle
        self.random_state = random_state

    @whole
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Start afresh and go through the data `n_passes` times.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
        y : array-like of shape (m,)
            Two distinct labels, of any type but fractions; the larger one is positive.
        sample_weight : array-like of shape (m,), optional
            Weights >= 0: how often each example is met in a pass. With a zero it is left out.

        Returns
        -------
        self
        """
        X, classes, signs, game, *weights = check_weighted_training(self, X, y, sample_weight, order="C")
        n_passes = check_number(self.n_passes, "n_passes", low=1, integer=True)
        return self._learn(X, signs, game, _meetings(signs, *weights), n_passes, classes, None)

    @whole
    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Go through some more examples once.

        Without `shuffle`, and with a `tau` of one's own, parts that follow each other give what one pass of
        `fit` over all of them does, to the bit.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
        y : array-like of shape (m,)
        classes : array-like of shape (2,), optional
            All labels; needed in the first call, unless `y` has both.
        sample_weight : array-like of shape (m,), optional
            As in `fit`.

        Returns
        -------
        self
        """
        first = not hasattr(self, "_progress")
        X, y = self._validate(X, y, order="C", reset=first)
        weights = check_sample_weight(sample_weight, len(y))
        if not weights.all():
            X, y, weights = X[weights > 0.0], y[weights > 0.0], weights[weights > 0.0]
        known, _ = check_classes(y)
        if first and classes is None and len(known) == 1:
            of_weight = "" if sample_weight is None else " of positive weight"
            raise ValueError(
                f"y must have two classes{of_weight} in the first call, or classes must name them, got one "
                f"class only: {known.tolist()[0]!r}"
            )
        if classes is not None:
            known, _ = check_classes(np.asarray(classes))
        if first and len(known) != 2:
            raise ValueError(f"classes must hold two labels in the first call, got {known.tolist()}")
        if not first and classes is not None and not np.array_equal(known, self.classes_):
            raise ValueError(f"classes must stay {self.classes_.tolist()}, got {known.tolist()}")
        known = known if first else self.classes_
        signs, game = check_known_labels(y, known), check_game(self, X.shape[1])
        if isinstance(self.class_weight, str) and self.class_weight == "balanced":
            raise ValueError(
                "class_weight='balanced' needs all examples at once: give partial_fit a dict or sample_weight"
            )
        codes = (signs > 0).astype(np.intp)
        weigh_classes(self.class_weight, known, codes, weights)  # says what is wrong with them
        meetings = _meetings(signs, weights, class_factors(self.class_weight, known, codes, weights)[codes])
        return self._learn(X, signs, game, meetings, 1, known, None if first else self._progress)

    def _fresh(self, m, n, C):
        tau = C * math.sqrt((n + 1) / (2 * m)) if self.tau is None else check_size(self.tau, "tau")
        rng = check_random_state(self.random_state)
        return _Progress(Average(np.zeros(n), np.zeros(n), np.zeros(3)), tau, rng, 0, 0, 0.0)

    def _learn(self, X, signs, game, meetings, n_passes, classes, progress):
        shuffle = check_flag(self.shuffle, "shuffle")
        rows, shares = meetings
        count = rows.size if shares is None else float(shares.sum())
        progress = self._fresh(count, X.shape[1], game.C) if progress is None else progress
        _, tau, rng, n_updates, n_iter, sum_of_losses = progress
        # Copies: a pass that is interrupted must leave the last state as it was.
        average = Average(*(part.copy() for part in progress.average))
        adversary, widest = make_adversary(game.values, game.budget, game.price), 0.0
        go_through = online_pass
        if sp.issparse(X):
            X, go_through = as_rows(X), online_pass_of_sparse
        for _ in range(n_passes):
            order = rng.permutation(rows.size) if shuffle else np.arange(rows.size)
            parts = () if shares is None else (shares[order],)
            done = go_through(X, signs, rows[order], average, adversary, game.C, tau, *parts)
            n_updates, sum_of_losses = n_updates + done.n_updates, sum_of_losses + done.losses
            n_iter, widest = n_iter + 1, max(widest, done.gap)
        if not (all(np.isfinite(part).all() for part in average) and math.isfinite(sum_of_losses)):
            raise ValueError(
                "X, C, margin and tau must be so small that all products are finite, got one that is not"
            )
        self._progress = _Progress(average, tau, rng, n_updates, n_iter, sum_of_losses)
        self.classes_, self.tau_, self.n_updates_, self.n_iter_ = classes, tau, n_updates, n_iter
        seen = float(average.bias[2])
        self.n_seen_ = int(seen) if seen.is_integer() else seen
        self.mean_loss_ = float(sum_of_losses / self.n_seen_)
        # Rounding may put an average of weights that are all C past it.
        self.coef_ = np.clip(average.w - average.late / self.n_seen_, -game.C, game.C)[None]
        self.intercept_ = np.clip(average.bias[:1] - average.bias[1] / self.n_seen_, -game.C, game.C)
        if widest > 0.0:
            warn_caller(
                "the search for the worst deletion of an example was cut short; its loss may have been up to "
                f"{widest:.3g} more",
                ConvergenceWarning,
            )
        return self


def _meetings(signs, weights, factors):
    """Return the `_Meetings` of examples: as many as a weight says, the last in part if it is not whole.

    Each copy that the weight of a row makes is met as often as the factor of its class says.
    """
    if (weights * factors == 1.0).all() and (weights == 1.0).all():
        return _Meetings(np.arange(signs.size), None)
    count = np.ceil(weights) @ np.ceil(factors)
    if count > max(MOST_MEETINGS, signs.size):
        raise ValueError(
            "sample_weight, times class_weight, says how often each example is met in a pass, at most "
            f"{MOST_MEETINGS} times in all, got {count:g}: divide it by its mean"
        )
    # Twice: a row into the copies that its weight stands for, and each of these into its meetings.
    copies, own = copies_of_rows(weights, factors)
    meetings, shares = copies_of_rows(own, np.ones(own.size))
    return _Meetings(copies[meetings], None if (shares == 1.0).all() else shares)

"""Focused online learning with the Perceptron, as a scikit-learn classifier."""

import math
import warnings
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from paperlib._common.random_state import RandomState, check_random_state
from paperlib._common.typing import Floats
from paperlib._common.validation import check_choice, check_classes, check_flag, check_number
from paperlib.max_loss._checks.inputs import check_slack
from paperlib.max_loss._rounds import slack as slacks
from paperlib.max_loss._rounds.linear import FAR, power_near_one
from paperlib.max_loss._rounds.play import Sample, play
from paperlib.max_loss.reservoir import Reservoir
from paperlib.max_loss.sum_tree import SumTree

CHECKED_EVERY = 1024
OUTPUTS = ("last", "average", "majority")


class FOLClassifier(ClassifierMixin, BaseEstimator):
    """A linear classifier without a mistake on its training set, by focused online learning.

    The Perceptron plays w; examples on which it errs are drawn more often. With C its mistake bound, of order
    ``m log m + C`` rounds of O(d + log m) suffice for a consistent majority, where uniform sampling needs of
    order m C. With more than two classes there is a vector for each, and one tree for all.

    Parameters
    ----------
    max_iter : int >= 1, optional
        Most rounds to play; it ends when the output makes no mistake, which is looked at about every m
        rounds. Default: ``100 m``, and at least 100,000.
    eta : float > 0, optional
        Rate of the p player, ``1 / (2 m)`` by default as in Theorem 1; ten times that is often faster.
    uniform_share : float in [0, 1], default=0.5
        Share of uniform sampling; 1 is the Perceptron on uniform draws.
    output : {"last", "average", "majority"}
        The last iterate, or the mean or majority vote of `n_voters` iterates drawn from all rounds.
    n_voters : int >= 1, optional
        Default: ``2 ceil(log m) + 1``.
    fit_intercept : bool, default=True
        Append a one to every row. True as for scikit-learn's linear classifiers, whose users bring data that
        are not centred; the learners of this package default to False, as the paper's halfspaces pass through
        the origin.
    slack_budget : float >= 0, optional
        Bound on the slack of all examples together, for outliers (Section 4.2); about their number.
    slack_norm : {"l1", "l2"}
    slack_rate : float > 0, optional
        Gradient step of the slack; ``sqrt(slack_budget / max_iter)`` by default.
    random_state : int, numpy.random.Generator, numpy.random.RandomState or None

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, d), or (n_classes, d) with more than two classes
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Of the last iterate when `output` is "majority".
    voters_ : ndarray of shape (n_voters, n_vectors, d + 1)
        The iterates that vote or are averaged, intercepts last; without rows for the last iterate.
    n_iter_ : int
        Rounds played.
    n_mistakes_ : int
        Rounds on which the iterate erred.
    training_error_ : float in [0, 1]
        Of the output; 0 unless there was a ConvergenceWarning.
    slack_ : ndarray of shape (m,) or None

    Notes
    -----
    Shalev-Shwartz and Wexler, Minimizing the Maximal Loss: How and Why, ICML 2016, Section 2. `fit` raises
    ``ValueError`` for a parameter out of its range, for one class, and for data that scikit-learn refuses;
    it warns with ``ConvergenceWarning`` when mistakes remain after `max_iter`.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 5))
    >>> y = np.where(X[:, 0] > 0.2 * X[:, 1], "right", "left")
    >>> clf = FOLClassifier(random_state=0).fit(X, y)
    >>> clf.score(X, y), clf.coef_.shape
    (1.0, (1, 5))
    """

    def __init__(
        self,
        max_iter: int | None = None,
        eta: float | None = None,
        uniform_share: float = 0.5,
        output: Literal["last", "average", "majority"] = "last",
        n_voters: int | None = None,
        fit_intercept: bool = True,
        *,
        slack_budget: float | None = None,
        slack_norm: Literal["l1", "l2"] = "l1",
        slack_rate: float | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.max_iter = max_iter
        self.eta = eta
        self.uniform_share = uniform_share
        self.output = output
        self.n_voters = n_voters
        self.fit_intercept = fit_intercept
        self.slack_budget = slack_budget
        self.slack_norm = slack_norm
        self.slack_rate = slack_rate
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Play until the output makes no mistake on `X` and `y`.

        Parameters
        ----------
        X : array-like of shape (m, d)
        y : array-like of shape (m,)
            Two labels or more, of any type.

        Returns
        -------
        self
        """
        data, labels = validate_data(self, X, y, dtype=np.float64, order="C")
        classes, codes = check_classes(labels)
        if len(classes) < 2:
            raise ValueError(f"y must have two classes or more, got one class only: {classes.tolist()[0]!r}")
        max_iter, eta, uniform_share, n_voters, slack = self._rules(len(data))
        fit_intercept = check_flag(self.fit_intercept, "fit_intercept")

        self.classes_ = classes
        binary = len(classes) == 2
        # The Perceptron's steps do not depend on the data's scale, but squares near the floats' ends do.
        scale = power_near_one(data)
        bias = min(scale, 2.0**FAR) * float(fit_intercept)
        units = np.append(np.full(data.shape[1], scale), bias)
        rows = data if scale == 1.0 else data * scale
        y_codes = codes.astype(np.float64)
        sample = Sample(rows, 2.0 * y_codes - 1.0 if binary else y_codes, bias)
        W = np.zeros((1 if binary else len(classes), data.shape[1] + 1))
        rng = check_random_state(self.random_state)
        tree = SumTree(len(data)).state
        reservoir = Reservoir(n_voters, rng.spawn(1)[0])

        # To look at all examples costs m rounds' time, so it is done once in about m rounds.
        t = mistakes = 0
        error = 1.0
        while t < max_iter and error > 0.0:
            us = rng.random(min(max(len(data), CHECKED_EVERY), max_iter - t))
            done = 0
            while done < len(us):
                # The kernel runs to the next round whose iterate the reservoir wants, and no further.
                reservoir.offer(t + 1, W.copy)
                until = int(min(len(us), done + reservoir.due - t - 1))
                played, erred = play(us[done:until], len(us), eta, uniform_share, sample, W, tree, slack)
                t, done, mistakes = t + played, done + played, mistakes + erred
            self._keep(W, reservoir, units)
            error = float((self._codes(data) != codes).mean())
        self.n_iter_, self.n_mistakes_, self.training_error_ = t, mistakes, error
        self.slack_ = None if self.slack_budget is None else slacks.values(slack)
        if error > 0.0:
            warnings.warn(
                f"after {t} rounds the output still errs on {error:.3g} of the training set; raise max_iter, "
                "or set slack_budget if some labels are wrong",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return the score of each row of `X`.

        Parameters
        ----------
        X : array-like of shape (n, d)

        Returns
        -------
        ndarray of shape (n,), or (n, n_classes) with more than two classes
            Positive for ``classes_[1]``. Of a majority, the share of votes; with two classes, the difference.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self._scores(X)

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Return the class of each row of `X` (n, d), shape (n,)."""
        check_is_fitted(self)
        return self.classes_[self._codes(validate_data(self, X, dtype=np.float64, reset=False))]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # The suite wants 83 % right on blobs that no line separates: what Section 4 says of the last iterate.
        tags.classifier_tags.poor_score = True
        return tags

    def _rules(self, m):
        """Return the checked ``(max_iter, eta, uniform_share, n_voters, slack)`` for m examples."""
        max_iter = max(100 * m, 100_000)
        if self.max_iter is not None:
            max_iter = check_number(self.max_iter, "max_iter", low=1, integer=True)
        eta = 0.5 / m if self.eta is None else check_number(self.eta, "eta", low=0, open_low=True)
        uniform_share = check_number(self.uniform_share, "uniform_share", low=0, high=1)
        check_choice(self.output, "output", OUTPUTS)
        n_voters = 2 * math.ceil(math.log(m)) + 1
        if self.n_voters is not None:
            n_voters = check_number(self.n_voters, "n_voters", low=1, integer=True)
        if self.output == "last":
            n_voters = 0
        rules = check_slack(self.slack_budget, self.slack_norm, self.slack_rate, max_iter)
        return max_iter, eta, uniform_share, n_voters, slacks.allocate(m, *rules)

    def _keep(self, last, reservoir, units):
        """Write the output as attributes; `units` take an iterate back to the data as they came."""
        voters = np.array(reservoir.items).reshape(-1, *last.shape) * units
        W = voters.mean(axis=0) if self.output == "average" else last * units
        self.voters_ = voters
        self.coef_, self.intercept_ = W[:, :-1], W[:, -1]

    def _scores(self, X):
        if self.output != "majority":
            scores = X @ self.coef_.T + self.intercept_
            return scores[:, 0] if len(self.coef_) == 1 else scores
        votes = np.zeros((len(X), max(2, len(self.coef_))))
        for voter in self.voters_:
            scores = X @ voter[:, :-1].T + voter[:, -1]
            chosen = (scores[:, 0] > 0.0).astype(int) if len(voter) == 1 else scores.argmax(axis=1)
            votes[np.arange(len(X)), chosen] += 1.0
        votes /= len(self.voters_)
        return votes[:, 1] - votes[:, 0] if len(self.coef_) == 1 else votes

    def _codes(self, X):
        scores = self._scores(X)
        return (scores > 0.0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)

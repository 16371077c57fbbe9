"""Players of w: each has ``step(i) -> loss``, the loss on example i before it learns from it.

`loss(i)` gives the loss alone (what slack needs), and `snapshot()` an iterate to keep. Indices may be a
number or an array, of which a step learns at once.
"""

import copy
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from paperlib._common.feature_names import check_same_names
from paperlib._common.typing import Floats
from paperlib._common.validation import check_classes, check_flag, check_number
from paperlib.max_loss._checks.inputs import check_signed_rows, checked_indices
from paperlib.max_loss._checks.rows import largest_entry
from paperlib.max_loss._rounds import linear

LARGEST, FASTEST = 1e100, 1e50  # entry and learning rate with which no iterate leaves the floats
SMALLEST_SQUARE = np.finfo(np.float64).tiny  # below it a division by it may leave the floats


class _LinearLearner:
    """Loss, iterates and mistakes of a learner with one vector w."""

    X: Floats
    y: Floats
    w: Floats
    bias: float

    def loss(self, i: ArrayLike) -> float | Floats:
        """Return the zero-one loss on example `i`, or on each of an array."""
        at = checked_indices(i, len(self.y))
        # Not "<= 0": a score that has left the floats is a mistake, as it is in a step.
        return (~(self.y[at] * self._scores(self.X[at]) > 0.0)).astype(float)[()]

    def snapshot(self) -> Floats:
        """Return a copy of w."""
        return self.w.copy()

    def errors(self) -> int:
        """Return the number of mistakes on all examples."""
        return int(np.sum(self.loss(np.arange(len(self.y)))))

    def _scores(self, X):
        return np.asarray(X @ self.w[:-1] + self.bias * self.w[-1])


def _check_rows(X, y):
    X, y = check_signed_rows(X, y)
    largest = largest_entry(X)
    if largest > LARGEST:
        raise ValueError(f"X must have entries of at most {LARGEST:g} in size, got {largest:.3g}: scale it")
    return X, y


class Perceptron(_LinearLearner):
    """Rosenblatt's Perceptron with the zero-one loss (Example 1), on labels of -1 and +1.

    Its mistakes on any sequence are at most ``||w*||^2 max_i ||x_i||^2`` if w* separates with a margin of 1.

    Parameters
    ----------
    X : ndarray of shape (m, d)
        Entries of at most 1e100 in size.
    y : ndarray of shape (m,)
        Labels -1 and +1.
    fit_intercept : bool, default=False
        Append a one to every row. False as in the paper, whose mistake bound is for halfspaces through the
        origin; `FOLClassifier` defaults to True, as scikit-learn does.

    Attributes
    ----------
    w : ndarray of shape (d + 1,)
        The bias is last.

    Examples
    --------
    >>> import numpy as np
    >>> learner = Perceptron(np.array([[2.0, 0.0], [0.0, 1.0]]), np.array([1, -1]))
    >>> learner.step(0), learner.step(0), learner.w.tolist()
    (1.0, 0.0, [2.0, 0.0, 0.0])
    """

    def __init__(self, X: ArrayLike, y: ArrayLike, *, fit_intercept: bool = False) -> None:
        self.X, self.y = _check_rows(X, y)
        self.w = np.zeros(self.X.shape[1] + 1)
        self.bias = float(check_flag(fit_intercept, "fit_intercept"))

    def step(self, i: ArrayLike) -> float | Floats:
        """Return the loss on example `i` and learn from it; of an array, one after another."""
        # The plain case first: `focused_online_learning` is here once in every round.
        if type(i) is int and 0 <= i < len(self.y):
            return linear.perceptron_step(self.X, self.y, i, self.bias, self.w)
        at = checked_indices(i, len(self.y))
        losses = [linear.perceptron_step(self.X, self.y, j, self.bias, self.w) for j in at.ravel().tolist()]
        return np.array(losses) if at.ndim else losses[0]


class LogisticSGD(_LinearLearner):
    """Stochastic gradient descent on the logistic loss with Nesterov's momentum, the w player of Section 5.

    `step` returns the zero-one loss. The gradient of a batch is the mean over it, without
    importance weights.

    Parameters
    ----------
    X : ndarray of shape (m, d)
        Entries of at most 1e100 in size.
    y : ndarray of shape (m,)
        Labels -1 and +1.
    learning_rate : float in (0, 1e50]
        At step t it is ``learning_rate (1 + decay t)^-0.75``.
    momentum : float in [0, 1)
    l2 : float >= 0
        The term ``l2 / 2 ||w||^2``; at most ``1 / learning_rate``, since w alone would grow without end under
        steps that are longer than 4/3 of that.
    decay : float >= 0
    fit_intercept : bool, default=False
        Append a one to every row.

    Attributes
    ----------
    w : ndarray of shape (d + 1,)
        The bias is last.

    Examples
    --------
    >>> import numpy as np
    >>> learner = LogisticSGD(np.array([[2.0], [-1.0]]), np.array([1, -1]), momentum=0.0, l2=0.0)
    >>> learner.step(0), learner.w.round(3).tolist()
    (1.0, [0.01, 0.0])
    """

    def __init__(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        learning_rate: float = 0.01,
        momentum: float = 0.9,
        l2: float = 0.0005,
        decay: float = 0.0001,
        fit_intercept: bool = False,
    ) -> None:
        self.X, self.y = _check_rows(X, y)
        self.learning_rate = check_number(learning_rate, "learning_rate", low=0, high=FASTEST, open_low=True)
        self.momentum = check_number(momentum, "momentum", low=0, high=1, open_high=True)
        self.l2 = check_number(l2, "l2", low=0)
        if self.l2 > 1.0 / self.learning_rate:
            raise ValueError(
                f"l2 must be at most 1 / learning_rate, or steps lead away, got {l2} with a learning_rate of "
                f"{learning_rate}"
            )
        self.decay = check_number(decay, "decay", low=0)
        self.bias = float(check_flag(fit_intercept, "fit_intercept"))
        self.w = np.zeros(self.X.shape[1] + 1)
        self.velocity = np.zeros_like(self.w)
        self.n_steps = 0

    def step(self, i: ArrayLike) -> float | Floats:
        """Return the zero-one loss on example `i`, or on each of an array, and learn from it."""
        at = checked_indices(i, len(self.y))
        rate = self.learning_rate * (1.0 + self.decay * self.n_steps) ** -0.75
        self.n_steps += 1
        rule = (rate, self.momentum, self.l2)
        batch = np.atleast_1d(at)
        losses = linear.logistic_step(self.X, self.y, batch, self.bias, self.w, self.velocity, *rule)
        return losses if at.ndim else float(losses[0])


class PassiveAggressive:
    """The passive-aggressive rule with its squared hinge loss, divided by what it can be: convex, in [0, 1].

    ``w += y x max(0, 1 - y <w, x>) / ||x||^2``. If u has a margin of 1 on all examples, the squared hinge
    losses of any sequence sum up to at most ``||u||^2 max ||x||^2`` (Crammer and others, 2006, Theorem 2),
    and ``||w|| <= 2 ||u||``. So it is a w player with a mistake bound for Corollary 2.

    Parameters
    ----------
    X : ndarray of shape (m, d)
        No row of zeros.
    y : ndarray of shape (m,)
        Labels -1 and +1.
    norm : float > 0
        ``||u||``.

    Attributes
    ----------
    w : ndarray of shape (d,)
    mistake_bound : float
        Bound on the sum of its losses.

    Examples
    --------
    >>> import numpy as np
    >>> learner = PassiveAggressive(np.array([[2.0, 0.0], [0.0, 1.0]]), np.array([1, -1]), norm=1.2)
    >>> round(learner.step(0), 4), learner.step(0), learner.w.tolist()
    (0.0297, 0.0, [0.5, 0.0])
    """

    def __init__(self, X: ArrayLike, y: ArrayLike, norm: float) -> None:
        self.X, self.y = check_signed_rows(X, y)
        norm = check_number(norm, "norm", low=0, open_low=True)
        if not self.X.any(axis=1).all():
            raise ValueError(f"X must have no row of zeros, got one at {np.argmin(self.X.any(axis=1))}")
        self.squares = np.einsum("ij,ij->i", self.X, self.X)
        radius = float(np.sqrt(self.squares.max()))
        # The square of the largest hinge loss there can be, as ||w|| <= 2 ||u||.
        self.largest = (1.0 + 2.0 * norm * radius) * (1.0 + 2.0 * norm * radius)
        if self.squares.min() < SMALLEST_SQUARE or not np.isfinite(self.largest):
            raise ValueError(
                "the squares of X and of norm * X must be floats: scale them, the rows' lengths are from "
                f"{np.sqrt(self.squares.min()):.3g} to {radius:.3g}, and norm is {norm:.3g}"
            )
        self.mistake_bound = norm**2 * radius**2 / self.largest
        self.w = np.zeros(self.X.shape[1])

    def step(self, i: int) -> float:
        """Return the loss on example `i` and learn from it."""
        i = int(checked_indices(i, len(self.y)))
        # A new array and not in place: `snapshot` hands w out as it is.
        hinge = max(0.0, 1.0 - self.y[i] * float(self.X[i] @ self.w))
        self.w = self.w + (self.y[i] * hinge / self.squares[i]) * self.X[i]
        return float(hinge**2 / self.largest)

    def losses(self, w: Floats) -> Floats:
        """Return the losses of `w` on all examples, shape (m,)."""
        return np.maximum(0.0, 1.0 - self.y * (self.X @ w)) ** 2 / self.largest

    def snapshot(self) -> Floats:
        """Return w; a step makes a new one."""
        return self.w


class PartialFitLearner:
    """Player of w made of a scikit-learn classifier with `partial_fit`, with the zero-one loss.

    Parameters
    ----------
    estimator : classifier with `partial_fit` and `predict`
        Changed in place.
    X : array-like or sparse matrix of shape (m, d)
    y : array-like of shape (m,)

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import Perceptron as Linear
    >>> learner = PartialFitLearner(Linear(), np.array([[2.0], [-1.0]]), np.array(["a", "b"]))
    >>> learner.step(0), learner.step(np.array([0, 1])).tolist()
    (1.0, [0.0, 0.0])
    """

    def __init__(self, estimator: Any, X: Any, y: ArrayLike) -> None:
        if not (hasattr(estimator, "partial_fit") and hasattr(estimator, "predict")):
            raise ValueError(f"estimator must have partial_fit and predict, got {type(estimator).__name__}")
        check_same_names(estimator=estimator, X=X)
        self.estimator, self.y = estimator, np.asarray(y)
        self.X = X.tocsr() if sp.issparse(X) else np.asarray(X)
        if self.X.ndim < 2 or self.y.shape != self.X.shape[:1] or not len(self.y):
            raise ValueError(
                f"X must have shape (m, d) and y (m,), with m >= 1, got {self.X.shape} and {self.y.shape}"
            )
        self.classes, _ = check_classes(self.y)
        self._fitted = False

    def step(self, i: ArrayLike) -> float | Floats:
        """Return the loss on example `i`, or on each of an array, and learn from it."""
        losses = self.loss(i)
        at = np.atleast_1d(checked_indices(i, len(self.y)))
        self.estimator.partial_fit(self.X[at], self.y[at], classes=self.classes)
        self._fitted = True
        return losses

    def loss(self, i: ArrayLike) -> float | Floats:
        """Return the zero-one loss on `i`, a number or an array; all is wrong before the first step."""
        at = np.atleast_1d(checked_indices(i, len(self.y)))
        wrong = np.ones(len(at))
        if self._fitted and len(at):
            wrong = self.estimator.predict(self.X[at]) != self.y[at]
        return np.asarray(wrong, dtype=float) if np.ndim(i) else float(wrong[0])

    def snapshot(self) -> Any:
        """Return a copy of the classifier."""
        return copy.deepcopy(self.estimator)

    def errors(self) -> int:
        """Return the number of mistakes on all examples."""
        return int(np.sum(self.loss(np.arange(len(self.y)))))

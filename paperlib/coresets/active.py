"""The active learner of Figure 2 with a pool or a stream of unlabelled points."""

import warnings
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import validate_data

from paperlib._common.classifier import LinearBinaryClassifier
from paperlib._common.random_state import RandomState, check_random_state
from paperlib._common.validation import check_number
from paperlib.coresets._active.learner import Learner, Pool, Stream
from paperlib.coresets._active.oracle import Oracle, contradiction
from paperlib.coresets._solver.sizes import check_size
from paperlib.coresets.theory import draws_of_round


class ActiveCoresetSVC(LinearBinaryClassifier, BaseEstimator):
    """Learn a hyperplane of large margin through the origin from few labels (ACTIVE CORESET SVM, Figure 2).

    The nearest unlabelled point is asked for as long as it is nearer to the hyperplane than ``(1 - eps)``
    times the margin of the coreset: whatever its label, it belongs into the coreset. When there is none,
    VERIFY asks for the labels of random points. A mistake joins the coreset; if none is among as many draws
    as Lemma 4.1 wants, the hyperplane is returned.

    `fit` takes an oracle where other classifiers take labels, so scikit-learn's ``check_estimator`` does not
    apply to this one.

    Parameters
    ----------
    eps : float in (0, 1), default=0.1
        The margin is within ``1 - eps`` of the optimum on all points but a fraction `error`.
    error : float in (0, 1), default=0.05
        Fraction of the points (of a stream: of its distribution) that may be misclassified.
    delta : float in (0, 1), default=0.05
        Probability that more are.
    random_state : int, numpy.random.Generator, RandomState or None
        Of the first point and of the verifications.

    Attributes
    ----------
    coef_ : ndarray of shape (1, d)
        Unit normal.
    intercept_ : ndarray of shape (1,)
        Zero.
    classes_ : ndarray of shape (2,), or (1,)
        ``classes_[1]`` is the positive one; a single entry if the oracle never said anything else.
    queried_indices_ : ndarray of shape (n_queries_,)
        Rows of X (positions in the stream) whose label was asked for, in order, each once.
    n_queries_ : int
    n_nearest_, n_drawn_ : int
        How many of them were asked as the nearest point (the first one among them), and by VERIFY.
    n_verifications_ : int
    coreset_indices_ : ndarray of shape (k,)
    margin_ : float
        Smallest margin of the points, if every one not asked for is on its right side; for a stream, of the
        coreset's points.
    margin_upper_bound_ : float
        Margin of the coreset, which no hyperplane that agrees with the oracle exceeds.
    halted_ : {"verified", "labelled", "stream ended"}
        Why it stopped: no mistake found, or every label known, so that nothing is left to chance. Where a
        stream ends before, a ``ConvergenceWarning`` says so, and there is no guarantee.
    n_seen_ : int
        Points looked at.

    Raises
    ------
    ValueError
        If an argument is out of its range, a point is the origin, or the oracle gives a third label or labels
        that no hyperplane through the origin separates.

    Notes
    -----
    With probability at least ``1 - delta`` at most a fraction `error` is misclassified, and all others have
    at least ``(1 - eps)`` times the margin that is best for all labels. The paper's words in Section 4.2, "it
    finds a (1 - eps)-approximation to this hypothesis", hold without exception only if all labels are known:
    a point that was not found may have any margin (Section 4.3, Figure 3).

    The paper leaves the number of draws to Lemma 4.1, which needs a mistake bound and so the unknown margin.
    Here round i may fail with probability ``delta / (i (i + 1))`` instead (`theory.draws_of_round`).
    Every label is paid for once: draws are without replacement among those not yet asked for, and a
    known label that turns out violated joins the coreset without a question.

    References
    ----------
    S. Har-Peled, D. Roth, D. Zimak, "Maximum Margin Coresets for Active and Noise Tolerant Learning", IJCAI
    2007, Section 4, Figure 2, Lemmas 4.1 and 4.2.

    Examples
    --------
    >>> import numpy as np
    >>> from paperlib.coresets import ActiveCoresetSVC
    >>> X = np.random.default_rng(0).normal(size=(2000, 3))
    >>> X = X[np.abs(X[:, 0]) > 0.3]
    >>> clf = ActiveCoresetSVC(random_state=0).fit(X, np.where(X[:, 0] > 0, "yes", "no"))
    >>> clf.n_queries_ < 200 < len(X), clf.halted_
    (True, 'verified')
    >>> clf.predict([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]).tolist()
    ['yes', 'no']
    """

    def __init__(
        self, eps: float = 0.1, error: float = 0.05, delta: float = 0.05, *, random_state: RandomState = None
    ) -> None:
        self.eps = eps
        self.error = error
        self.delta = delta
        self.random_state = random_state

    def fit(
        self, X: ArrayLike, oracle: Callable[[int], Any] | ArrayLike, classes: ArrayLike | None = None
    ) -> Self:
        """Ask for labels of a pool until the hyperplane is verified.

        Parameters
        ----------
        X : array-like of shape (n, d)
            No row at the origin.
        oracle : callable or array-like of shape (n,)
            ``oracle(i)`` is the label of row i; an array is looked at only where it is asked.
        classes : array-like of shape (2,), optional
            The two labels, if they are to stand in `classes_` whether the oracle gives them or not.

        Returns
        -------
        self
        """
        rng = self._check_parameters()
        X = check_size(validate_data(self, X, dtype=np.float64))
        _check_off_origin(X)
        oracle = Oracle(oracle, len(X), classes)
        pool = Pool(X, rng)
        return self._settle(self._learn(pool, oracle), oracle)

    def fit_stream(
        self,
        stream: Iterable[ArrayLike],
        oracle: Callable[[int], Any] | ArrayLike,
        classes: ArrayLike | None = None,
    ) -> Self:
        """Ask for labels of points that are seen once, in the order in which they come.

        The stream of Section 4.1: a point nearer to the hyperplane than ``(1 - eps)`` of the margin joins the
        coreset when it is met. Once as many points in a row as a verification takes were not near, the
        labels of the next ones are asked for, until one is misclassified or near, or the verification is
        full. Points must be independent draws of one distribution for the guarantee to mean something; only
        those of the coreset are kept.

        Parameters
        ----------
        stream : iterable of array-like of shape (d,) or (k, d)
            Points, or blocks of them.
        oracle : callable or array-like
            ``oracle(i)`` is the label of the i-th point.
        classes : array-like of shape (2,), optional

        Returns
        -------
        self
        """
        self._check_parameters()
        oracle = Oracle(oracle, None, classes)
        learner = self._learn(Stream(self._points(stream)), oracle)
        n_seen = learner.points.n_seen
        if n_seen == 0:
            raise ValueError("stream must have at least one point, got none")
        if learner.halted != "verified":
            warnings.warn(
                f"the stream ended after {n_seen} points, before the hyperplane was verified: more "
                "points, or a larger error, eps or delta, are needed for the guarantee",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self._settle(learner, oracle)

    def _check_parameters(self):
        for name in ("eps", "error", "delta"):
            check_number(getattr(self, name), name, low=0, high=1, open_low=True, open_high=True)
        return check_random_state(self.random_state)

    def _points(self, stream):
        first, count = True, 0
        for block in stream:
            block = np.asarray(block)
            block = block[None] if block.ndim == 1 else block
            block = validate_data(self, block, reset=first, dtype=np.float64)
            check_size(block)
            _check_off_origin(block, count)
            first, count = False, count + len(block)
            yield from block

    def _learn(self, points, oracle):
        learner = Learner(points, self.eps, partial(draws_of_round, error=self.error, delta=self.delta))
        while (question := learner.ask()) is not None:
            learner.tell(oracle(question.row))
            if learner.work.margin == 0.0:
                raise contradiction(*learner.core())
        return learner

    def _settle(self, learner, oracle):
        self.classes_, sign = oracle.classes()
        self.coef_ = sign * learner.work.normal[None]
        self.intercept_ = np.zeros(1)
        self.coreset_indices_ = np.array(learner.rows)
        self.margin_ = learner.points.margin(learner)
        self.margin_upper_bound_ = max(learner.work.margin, self.margin_)  # equal but for rounding, then
        self.queried_indices_ = np.array(oracle.asked)
        self.n_queries_, self.n_seen_ = len(oracle.asked), learner.points.n_seen
        self.n_drawn_, self.n_nearest_ = learner.n_drawn, self.n_queries_ - learner.n_drawn
        self.n_verifications_, self.halted_ = learner.n_verifications, learner.halted
        return self

    def predict(self, X: ArrayLike) -> NDArray:
        """Return the class of each row of `X`, shape (m,); the only one there is when there is only one."""
        positive = self.decision_function(X) > 0
        return self.classes_[positive * (len(self.classes_) - 1)]


def _check_off_origin(X, before=0):
    at_origin = np.flatnonzero(~X.any(axis=1))
    if at_origin.size:
        raise ValueError(
            f"X must have no point at the origin, got one in row {before + at_origin[0]}: it lies on every "
            "hyperplane through the origin"
        )

"""The active learner of Figure 2 with a pool or a stream of unlabelled points."""

import warnings
from collections.abc import Callable, Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from paperlib._common.typing import Floats, RandomState
from paperlib._common.validation import check_number
from paperlib.coresets.oracles import Oracle, contradiction
from paperlib.coresets.sizes import check_size
from paperlib.coresets.theory_active import draws_of_round
from paperlib.coresets.working_set import WorkingSet


class ActiveCoresetSVC(ClassifierMixin, BaseEstimator):
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
    random_state : int, numpy.random.Generator or None
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
    a point that was not found may have any margin (Section 4.3, `figure_3`).

    The paper leaves the number of draws to Lemma 4.1, which needs a mistake bound and so the unknown margin.
    Here round i may fail with probability ``delta / (i (i + 1))`` instead (`theory_active.draws_of_round`).
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
        self._check_parameters()
        X = check_size(validate_data(self, X, dtype=np.float64))
        _check_off_origin(X)
        oracle = Oracle(oracle, len(X), classes)
        rng = np.random.default_rng(self.random_state)
        work = WorkingSet(X.shape[1])
        rows: list[int] = []
        signs = np.zeros(len(X))  # zero where the label is not known
        in_coreset = np.zeros(len(X), dtype=bool)
        drawn = rounds = 0

        def ask(i):
            signs[i] = oracle(i)

        enters = int(rng.integers(len(X)))  # SVM of an empty coreset is any hyperplane: any point is nearest
        ask(enters)
        while True:
            in_coreset[enters] = True
            rows.append(enters)
            work.add(signs[enters] * X[enters])
            work.solve()
            if work.margin == 0.0:
                raise _contradiction(work, X, signs, rows)
            scores = X @ work.normal
            margins = np.where(signs == 0.0, np.abs(scores), signs * scores)
            outside = np.where(in_coreset, np.inf, margins)
            enters = int(outside.argmin())
            if outside[enters] < (1.0 - self.eps) * work.margin:
                ask(enters)
                continue
            unknown = np.flatnonzero(signs == 0.0)
            halted = "labelled"
            if len(unknown) == 0:
                break
            rounds += 1
            n_draws = draws_of_round(rounds, self.error, self.delta)
            for i in rng.permutation(unknown)[:n_draws]:
                ask(i)
                drawn += 1
                if signs[i] * scores[i] < 0.0:
                    enters = int(i)
                    break
            else:
                halted = "verified" if n_draws < len(unknown) else "labelled"
                break

        self.n_seen_ = len(X)
        self.margin_ = float(margins.min())
        return self._settle(work, rows, oracle, drawn, rounds, halted)

    def fit_stream(
        self,
        stream: Iterable[ArrayLike],
        oracle: Callable[[int], Any] | ArrayLike,
        classes: ArrayLike | None = None,
    ) -> Self:
        """Ask for labels of points that are seen once, in the order in which they come.

        The stream of Section 4.1: a point nearer to the hyperplane than ``(1 - eps)`` of the margin joins the
        coreset when it is met. After as many points in a row as a verification takes are none of
        that kind, the next ones are asked for, until one is misclassified, or near, or the number is full.
        Points must be independent draws of one distribution for the guarantee to mean something; only
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
        work = None
        rows: list[int] = []
        kept: list[Floats] = []
        drawn = rounds = in_a_row = 0
        verifying, halted, position = False, "stream ended", -1
        for position, x in enumerate(self._points(stream)):
            if work is None:
                work = WorkingSet(len(x))
            score = float(work.normal @ x)
            near = not rows or abs(score) < (1.0 - self.eps) * work.margin
            if verifying and not near:
                drawn += 1
            if near or (verifying and oracle(position) * score < 0.0):
                kept.append(oracle(position) * x)
                rows.append(position)
                work.add(kept[-1])
                work.solve()
                if work.margin == 0.0:
                    core = work.core()
                    raise contradiction(np.array(kept)[core], np.array(rows)[core])
                verifying, in_a_row = False, 0
                n_draws = draws_of_round(rounds + 1, self.error, self.delta)
                continue
            in_a_row += 1
            if in_a_row == n_draws:
                if verifying:
                    halted = "verified"
                    break
                verifying, in_a_row = True, 0
                rounds += 1
        if work is None:
            raise ValueError("stream must have at least one point, got none")
        if halted != "verified":
            warnings.warn(
                f"the stream ended after {position + 1} points, before the hyperplane was verified: more "
                "points, or a larger error, eps or delta, are needed for the guarantee",
                ConvergenceWarning,
                stacklevel=2,
            )
        self.n_seen_ = position + 1
        self.margin_ = work.margin
        return self._settle(work, rows, oracle, drawn, rounds, halted)

    def _check_parameters(self):
        for name in ("eps", "error", "delta"):
            check_number(getattr(self, name), name, low=0, high=1, open_low=True, open_high=True)

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

    def _settle(self, work, rows, oracle, drawn, rounds, halted):
        self.classes_, sign = oracle.classes()
        self.coef_ = sign * work.normal[None]
        self.intercept_ = np.zeros(1)
        self.coreset_indices_ = np.array(rows)
        self.margin_upper_bound_ = max(work.margin, self.margin_)  # equal but for rounding, then
        self.queried_indices_ = np.array(oracle.asked)
        self.n_queries_ = len(oracle.asked)
        self.n_drawn_, self.n_nearest_ = drawn, self.n_queries_ - drawn
        self.n_verifications_, self.halted_ = rounds, halted
        return self

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return the signed distance (m,) of each row of `X` (m, d) from the hyperplane."""
        check_is_fitted(self)
        return validate_data(self, X, reset=False, dtype=np.float64) @ self.coef_[0]

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


def _contradiction(work, X, signs, rows):
    core = np.array(rows)[work.core()]
    return contradiction(signs[core][:, None] * X[core], core)

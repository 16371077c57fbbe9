"""The active learner of Figure 2 with a pool or a stream of unlabelled points."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from paperlib._common.caller_warning import warn_caller
from paperlib._common.kernels import Gamma
from paperlib._common.progress import Progress
from paperlib._common.random_state import RandomState
from paperlib._common.sklearn_checks import validate_data
from paperlib._common.typing import Floats, Integers
from paperlib._common.validation import check_number
from paperlib.coresets._active.attributes import publish_labels
from paperlib.coresets._active.labels import Labels, answers, names_in
from paperlib.coresets._active.learner import Learner, Stream
from paperlib.coresets._active.points import of_stream
from paperlib.coresets._active.running import SessionClassifier
from paperlib.coresets._active.session import Session, pairs
from paperlib.coresets.theory import draws_of_round


class ActiveCoresetSVC(SessionClassifier, BaseEstimator):
    """Learn a hyperplane of large margin through the origin from few labels (ACTIVE CORESET SVM, Figure 2).

    The nearest unlabelled point is asked for as long as it is nearer to the hyperplane than ``(1 - eps)``
    times the margin of the coreset: whatever its label, it belongs into the coreset. When there is none,
    VERIFY asks for the labels of random points. A mistake joins the coreset; if none is among as many draws
    as Lemma 4.1 wants, the hyperplane is returned.

    `fit` takes an oracle where other classifiers take labels, so scikit-learn's ``check_estimator`` does not
    apply to this one; an array of labels will do, so that ``OneVsRestClassifier`` and the like take it. There
    are no sample weights: a label is asked for, or not.

    `start`, `ask` and `tell` are for labels that people give; `fit` calls them. A label that was paid for
    stands in `queried_labels_` from then on, whatever goes wrong, and a later `start` or `fit` takes it as
    known.

    Parameters
    ----------
    eps : float in (0, 1), default=0.1
        The margin is within ``1 - eps`` of the optimum on all points but a fraction `error`.
    error : float in (0, 1), default=0.05
        Fraction of the points (of a stream: of its distribution) that may be misclassified.
    delta : float in (0, 1) or None, default=0.05
        Probability that more are. With None nothing is verified: no label is asked for at random, it ends
        when no point is near, and nothing is promised about those that were not asked for; `error` does not
        matter then. It is margin sampling, stopped when no point is left within ``1 - eps`` of the margin;
        `known` should have both labels, as with one of them it may end before it meets the other.
    n_outliers : int >= 0, default=0
        Wrong answers that are tolerated: where answers contradict each other, as few as possible are left
        out, at most so many.
    fit_intercept : bool, default=False
        Whether to add a constant feature 1 to every point. `coef_` and `intercept_` are of unit norm together
        then, and the margin is that of the longer vectors, as in `CoresetSVC`.
    kernel : {"linear", "rbf", "polynomial"} or callable, default="linear"
        As in `CoresetSVC`; the hyperplane is one of the feature space. The Gram matrix of the pool is
        factored, which is exact but for rounding, and takes at most 4,000 distinct rows; not for streams.
    gamma, degree, coef0 : default=None, 3, 1.0
        Of the kernel, as in `CoresetSVC`.
    on_nonseparable : {"raise", "warn"}, default="raise"
        When no hyperplane agrees with the labels: an error, or a ``ConvergenceWarning`` and the last
        hyperplane that agreed with its coreset, without a guarantee.
    random_state : int, numpy.random.Generator, RandomState or None
        Of the first point and of the verifications.
    verbose : bool or int >= 0, default=0
        Whether `fit` and `fit_stream` print how far they are, about once a second.

    Attributes
    ----------
    coef_ : ndarray of shape (1, d)
        Unit normal; only for the linear kernel.
    intercept_ : ndarray of shape (1,)
        Zero without `fit_intercept`.
    support_, dual_coef_ : ndarray of shape (s,)
        Only for other kernels: rows of X and their weights in the decision function, which is ``sum_j
        dual_coef_[j] K(X[support_[j]], x) + intercept_``.
    classes_ : ndarray of shape (2,), or (1,)
        ``classes_[1]`` is the positive one; a single entry if a callable oracle never said anything else.
    queried_indices_, queried_labels_ : ndarray of shape (n_known_ + n_queries_,)
        Rows of X (positions in the stream) whose label was told, and these labels, each once: first those
        that were known at the start, then the others in order. Up to date after every `tell`, and after
        every error.
    n_known_, n_queries_ : int
        Labels known at the start, and told since.
    n_nearest_, n_drawn_ : int
        How many of the latter were asked as the nearest point (the first one among them), and by VERIFY.
    n_verifications_ : int
    coreset_indices_ : ndarray of shape (k,)
    outlier_indices_ : ndarray of shape (m,)
        Rows whose labels were left out, `n_outliers` at most.
    margin_ : float
        Smallest margin of the points but for outliers, if every one not asked for is on its right side; for a
        stream, of the coreset's points.
    margin_upper_bound_ : float
        Margin of the coreset, which no hyperplane that agrees with the oracle exceeds; ``inf`` with outliers.
    halted_ : {"verified", "labelled", "unverified", "stream ended", "not separable"} or None
        Why it stopped: no mistake found; every label known, so that nothing is left to chance; or, with
        ``delta=None``, no point near. Where a stream ends before, or labels contradict each other, a
        ``ConvergenceWarning`` says so, and there is no guarantee. None while labels are wanted: `margin_`,
        its bound and `coreset_indices_` come at the end.
    n_seen_ : int
        Points looked at.

    Raises
    ------
    ValueError
        If an argument is out of its range, a point is the origin, or the oracle gives a third label, two for
        one row, or labels that no such hyperplane separates (unless `on_nonseparable` is ``"warn"``).

    Notes
    -----
    With probability at least ``1 - delta`` at most a fraction `error` is misclassified, and all others have
    at least ``(1 - eps)`` times the margin that is best for all labels. The paper's words in Section 4.2, "it
    finds a (1 - eps)-approximation to this hypothesis", hold without exception only if all labels are known:
    a point that was not found may have any margin (Section 4.3, Figure 3).

    The paper leaves the number of draws to Lemma 4.1, which needs a mistake bound and so the unknown margin.
    Here round i may fail with probability ``delta / (i (i + 1))`` instead, which sums to `delta`. A round on
    a pool is the exact test without replacement, as all mistakes are among the labels that are not known
    (`theory.draws_from_pool`); one on a stream takes `theory.draws_of_round`. A round that ends with a
    mistake proves nothing about the next hyperplane, which depends on what was drawn: the next begins anew.

    With `n_outliers` the error is that against the oracle's answers, right or wrong. Those left out count,
    and the promise stays as it is (where they alone are more than ``error n``, all labels are asked for). The
    others have at least ``(1 - eps)`` times the coreset's own margin; another choice of outliers may have a
    larger one, on which no bound is known. In many dimensions some hyperplane agrees with wrong answers, too,
    and they are not left out: that takes all labels, and `OutlierCoresetSVC`.

    With a kernel, a coreset's margin up to 1e-6 of the largest norm is rounding, as in `CoresetSVC`: its
    labels contradict each other.

    Every label is paid for once, and a known label that turns out violated joins the coreset without a
    question.

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
        self,
        eps: float = 0.1,
        error: float = 0.05,
        delta: float | None = 0.05,
        *,
        n_outliers: int = 0,
        fit_intercept: bool = False,
        kernel: Literal["linear", "rbf", "polynomial"] | Callable[[Floats, Floats], ArrayLike] = "linear",
        gamma: Gamma = None,
        degree: int = 3,
        coef0: float = 1.0,
        on_nonseparable: Literal["raise", "warn"] = "raise",
        random_state: RandomState = None,
        verbose: bool | int = 0,
    ) -> None:
        self.eps = eps
        self.error = error
        self.delta = delta
        self.n_outliers = n_outliers
        self.fit_intercept = fit_intercept
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.on_nonseparable = on_nonseparable
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: ArrayLike,
        oracle: Callable[[int], Any] | ArrayLike,
        classes: ArrayLike | None = None,
        *,
        known: tuple[ArrayLike, Iterable[Any]] | None = None,
    ) -> Self:
        """Ask for labels of a pool until the hyperplane is verified.

        It is `start`, then `ask` and `tell` by turns. Whatever is raised on the way, by the oracle or by the
        keyboard, the labels so far stand in `queried_indices_` and `queried_labels_`.

        Parameters
        ----------
        X : array-like of shape (n, d)
            No row at the origin, unless with `fit_intercept`.
        oracle : callable or array-like of shape (n,)
            ``oracle(i)`` is the label of row i; an array is looked at only where it is asked, but for the
            names of its two labels.
        classes : array-like of shape (2,), optional
            The two labels, if they are to stand in `classes_` whether the oracle gives them or not.
        known : (rows, labels), optional
            Labels that need not be asked for, as `start` takes them.

        Returns
        -------
        self
        """
        rows = self._checked(X)
        source = answers(oracle, len(rows))
        session = self._begin(rows, classes, known)
        session.labels.names = names_in(oracle)
        progress = Progress(self.verbose, "ActiveCoresetSVC")
        try:
            self._advance(session)
            while len(rows := self.ask()):
                self.tell(rows, [source(int(rows[0]))])
                progress.tell(session.describe)
            progress.end(session.describe)
        except BaseException as error:
            publish_labels(self, session)
            session.note(error)
            raise
        self._session = None  # which holds X
        return self

    def start(
        self,
        X: ArrayLike,
        classes: ArrayLike | None = None,
        *,
        known: tuple[ArrayLike, Iterable[Any]] | None = None,
    ) -> Self:
        """Begin with a pool whose labels will be told; the estimator can be pickled at any time.

        Parameters
        ----------
        X : array-like of shape (n, d)
            No row at the origin, unless with `fit_intercept`.
        classes : array-like of shape (2,), optional
            The two labels, if they are to stand in `classes_` whether they are told or not.
        known : (rows, labels), optional
            Row numbers and labels that are known, as many of the one as of the other. Those of an earlier
            run, ``(queried_indices_, queried_labels_)``, go on from there.

        Returns
        -------
        self

        Examples
        --------
        >>> X = np.array([[2.0, 1.0], [1.0, 2.0], [-1.0, -3.0], [-2.0, 0.5]])
        >>> clf = ActiveCoresetSVC(random_state=0).start(X)
        >>> while len(rows := clf.ask()):
        ...     clf = clf.tell(rows, ["up" if X[row, 1] > 0.8 else "down" for row in rows])
        >>> clf.n_queries_, clf.predict(X).tolist()
        (4, ['up', 'up', 'down', 'down'])
        """
        self._advance(self._begin(self._checked(X), classes, known))
        return self

    def ask(self, max_rows: int = 1) -> Integers:
        """Return the rows whose labels are wanted next, the same ones until they are told.

        Parameters
        ----------
        max_rows : int >= 1, default=1
            Verification's draws can be asked for several at a time, though of those behind a mistake some
            might have been saved. A near point always comes alone: its label decides which is the next.

        Returns
        -------
        ndarray of shape (m,)
            Row numbers; none when no more labels are wanted.
        """
        check_number(max_rows, "max_rows", low=1, integer=True)
        if self.__dict__.get("_session") is None and self.__dict__.get("halted_") is not None:
            return np.zeros(0, dtype=np.int64)
        return np.array(self._running().wanted(max_rows), dtype=np.int64)

    def tell(self, rows: ArrayLike, labels: Iterable[Any]) -> Self:
        """Take in labels, of what was asked for or of any other rows of the pool.

        Parameters
        ----------
        rows : array-like of shape (m,)
            Row numbers.
        labels : iterable of length m
            Two distinct labels of any one type.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For a row that there is not, an answer that is no label, a third label, or another label than a
            row had before; the other labels of the call are kept. And if the labels contradict each other
            (unless `on_nonseparable` is ``"warn"``): all of them are kept.
        """
        session, refused, told = self._running(), None, []
        for row, label in pairs(rows, labels, session.learner.points.n_seen):
            try:
                told.append((row, session.labels.add(row, label)))
            except ValueError as error:
                refused = refused or error
        publish_labels(self, session)  # first of all: nothing that fails after this loses them
        self._advance(session, told)
        if refused is not None:
            raise ValueError(f"{refused}{session.kept()}")
        return self

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
        delta = self._check_stream()
        source = answers(oracle, None)
        points = of_stream(stream, partial(validate_data, self, dtype=np.float64), self.fit_intercept)
        enough = partial(draws_of_round, error=self.error, delta=delta)
        learner = Learner(Stream(points), self.eps, enough, self.n_outliers)
        session = self._new_session(Session(learner, Labels(classes)))
        session.labels.names = names_in(oracle)
        progress = Progress(self.verbose, "ActiveCoresetSVC")
        try:
            while (question := learner.ask()) is not None:
                learner.tell(session.labels.add(question.row, source(question.row)))
                progress.tell(session.describe)
            if learner.points.n_seen == 0:
                raise ValueError("stream must have at least one point, got none")
            publish_labels(self, session)
            self._advance(session)
        except BaseException as error:
            publish_labels(self, session)
            session.note(error)
            raise
        finally:
            self._session = None
        if learner.halted == "stream ended":
            warn_caller(
                f"the stream ended after {learner.points.n_seen} points, before the hyperplane was verified: "
                "more points, or a larger error, eps or delta, are needed for the guarantee",
                ConvergenceWarning,
            )
        return self

    def predict(self, X: ArrayLike) -> NDArray:
        """Return the class of each row of `X`, shape (m,); the only one there is when there is only one."""
        positive = self.decision_function(X) > 0
        return self.classes_[positive * (len(self.classes_) - 1)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self.on_nonseparable == "warn"
        return tags

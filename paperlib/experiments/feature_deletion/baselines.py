"""Baselines of the paper: FDROP of Globerson and Roweis, and a plain linear SVM."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC

from paperlib._common.caller_warning import warn_caller
from paperlib._common.classifier import LinearBinaryClassifier
from paperlib._common.random_state import RandomState, check_random_state
from paperlib._common.validation import check_number
from paperlib.experiments.feature_deletion.block_frank_wolfe import mean_loss, sweep
from paperlib.feature_deletion._deletion.validation import check_stopping, check_training


def hinge_svm(C: float = 1.0) -> SVC:
    """Linear SVM with the plain hinge loss and a free bias.

    Parameters
    ----------
    C : float > 0

    Returns
    -------
    sklearn.svm.SVC
        scikit-learn's LinearSVC squares the hinge by default, which spreads the weight over more
        features and so hides what Section 4's sanity check shows.

    Examples
    --------
    >>> hinge_svm(0.1).fit([[0.0], [1.0]], [0, 1]).coef_.tolist()
    [[0.1]]
    """
    return SVC(kernel="linear", C=C)


def hinge_svm_of_many(C: float, size: float) -> LinearSVC:
    """The SVM of `hinge_svm` for many examples, by LIBLINEAR: one coordinate of the dual at a time.

    Parameters
    ----------
    C : float > 0
    size : float > 0
        Root of the mean of ``|x|^2``. The bias counts as a weight, but of a feature of three times that size,
        which comes to a ninth of what it would cost otherwise.

    Returns
    -------
    sklearn.svm.LinearSVC
        On breast cancer and spam its value of the SVM's problem was within a thousandth of the least one
        from ``C = 0.01 / size**2`` on; below, where the bias is all that is learnt, within a third.

    Examples
    --------
    >>> clf = hinge_svm_of_many(0.1, 1.0).fit([[0.0], [1.0]], [0, 1])
    >>> round(float(clf.coef_[0, 0]), 6)
    0.1
    """
    return LinearSVC(
        loss="hinge", C=C, tol=1e-2, max_iter=10_000, intercept_scaling=3.0 * size, random_state=0
    )


class FDROP(LinearBinaryClassifier, BaseEstimator):
    """Linear SVM against the worst deletion of K features: FDROP of Globerson and Roweis (2006).

    Minimises ``(|w|^2 + b^2) / 2 + C sum_i [1 - y_i (w . x_i + b) + worst_i]_+``, where ``worst_i`` is the
    sum of the K largest positive ``y_i w_j x_ij``. By steps in the dual, one example at a time, with a
    certified gap; the adversary is exact.

    Parameters
    ----------
    n_deleted : int >= 0, default=1
        K, below the number of features.
    C : float in [1e-100, 1e100], default=1.0
    tol : float > 0, default=1e-3
        Gap, relative to the value, at which to stop.
    max_iter : int >= 1, default=2000
        Passes over the data.
    random_state : int, numpy.random.Generator, numpy.random.RandomState or None
        Of the order of the examples in each pass.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
    intercept_ : ndarray of shape (1,)
    classes_ : ndarray of shape (2,)
    objective_, dual_gap_ : float
        Divided by ``C m``; the least value is at least the difference.
    n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only where `X` has names.

    Raises
    ------
    ValueError
        For a parameter out of range, `X` that is not finite, lengths that differ, or `y` without exactly two
        classes.

    Warns
    -----
    ConvergenceWarning
        When `max_iter` passes were not enough; the message gives the gap.

    References
    ----------
    A. Globerson, S. Roweis, "Nightmare at Test Time: Robust Learning by Feature Deletion", ICML 2006.
    S. Lacoste-Julien, M. Jaggi, M. Schmidt, P. Pletscher, "Block-Coordinate Frank-Wolfe Optimization for
    Structural SVMs", ICML 2013: the solver.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 1.0, 1.0], [1.0, 0.8, 0.9], [-1.0, -1.0, -0.9], [-0.9, -1.0, -1.0]])
    >>> clf = FDROP(n_deleted=1, random_state=0).fit(X, [1, 1, 0, 0])
    >>> clf.predict([[0.0, 1.0, 1.0], [-1.0, 0.0, -1.0]]).tolist()
    [1, 0]
    """

    def __init__(
        self,
        n_deleted: int = 1,
        *,
        C: float = 1.0,
        tol: float = 1e-3,
        max_iter: int = 2000,
        random_state: RandomState = None,
    ) -> None:
        self.n_deleted = n_deleted
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Minimise.

        Parameters
        ----------
        X : array-like of shape (m, n_features)
        y : array-like of shape (m,)
            Two distinct labels, of any type but fractions; the larger one is positive.

        Returns
        -------
        self
        """
        count = check_number(self.n_deleted, "n_deleted", low=0, integer=True)
        X, classes, signs, game = check_training(self, X, y, order="C")
        tol, max_iter = check_stopping(self.tol, self.max_iter)
        m, n = X.shape
        rng, strength = check_random_state(self.random_state), 1.0 / (game.C * m)
        w, parts, levels = np.zeros(n + 1), np.zeros((m, n + 1)), np.zeros(m)
        best = np.inf
        for n_iter in range(1, max_iter + 1):  # noqa: B007
            sweep(X, signs, rng.permutation(m), count, strength, w, parts, levels)
            half = 0.5 * strength * (w @ w)
            value = half + mean_loss(X, signs, count, w)
            if value < best:
                best, chosen = value, w.copy()
            bound = levels.sum() - half
            if best - bound <= tol * best:
                break
        else:
            warn_caller(
                f"{max_iter} passes came to a gap of {best - bound:.3g} at {best:.3g}, not tol={tol}",
                ConvergenceWarning,
            )
        self.classes_, self.coef_, self.intercept_ = classes, chosen[None, :-1], chosen[-1:]
        self.objective_, self.dual_gap_, self.n_iter_ = float(best), max(float(best - bound), 0.0), n_iter
        return self

"""Solvers as they come, for Table 1: what they return where the exact minimisers are known.

The paper names no solver.
"""

import warnings

import numpy as np
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from paperlib.kernel_mean.losses import t_logistic, t_logistic_slope


def liblinear(points, counts, *, penalty, random_state=None):
    """Minimise the hinge loss by LIBLINEAR, its tolerance and its limit of 1,000 passes left as they are.

    With so small a penalty it does not converge, and where it stands after the last pass is chance.

    Parameters
    ----------
    points : ndarray of shape (k, d)
    counts : ndarray of shape (t, k), of whole numbers
    penalty : float > 0
        lambda, of the squared norm.
    random_state : int, numpy.random.Generator or None
        Draws the order of the examples and the seeds of LIBLINEAR.

    Returns
    -------
    ndarray of shape (t, d)

    Examples
    --------
    >>> points = np.array([[1.0, -1.0], [1.0, 3.0], [30.0, 0.0]])
    >>> w = liblinear(points, np.array([[2, 1, 1]]), penalty=1e-16, random_state=0)[0]
    >>> bool((points @ w > 0).all())
    True
    """
    rng = np.random.default_rng(random_state)
    samples = (np.repeat(points, row.astype(int), axis=0) for row in counts)
    return np.array([_one_by_liblinear(examples, penalty, rng) for examples in samples])


def _one_by_liblinear(examples, penalty, rng):
    examples = rng.permutation(examples)
    # A margin is that of the example turned round with the other label, and LIBLINEAR wants both labels.
    labels = np.where(np.arange(len(examples)) % 2 == 0, 1.0, -1.0)
    C = 1.0 / (len(examples) * penalty)
    solver = LinearSVC(loss="hinge", C=C, fit_intercept=False, random_state=int(rng.integers(2**31)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return solver.fit(labels[:, None] * examples, labels).coef_[0]


def descend(points, counts, *, method, penalty, max_iter=None):
    """Minimise the t-logistic loss by a method of `scipy.optimize.minimize` from zero, as it comes.

    Parameters
    ----------
    points : ndarray of shape (k, d)
    counts : ndarray of shape (t, k)
    method : {"L-BFGS-B", "BFGS", "CG", "TNC"}
    penalty : float >= 0
        lambda, of half the squared norm.
    max_iter : int, optional
        Steps after which it is stopped; the method's own limit by default.

    Returns
    -------
    ndarray of shape (t, d)

    Examples
    --------
    >>> w = descend(np.array([[1.0, 0.0], [0.0, -1.0]]), np.ones((1, 2)), method="BFGS", penalty=0.0)[0]
    >>> bool(w[0] > 0 > w[1])
    True
    """
    ends, options = [], {} if max_iter is None else {"maxiter": max_iter}
    for shares in counts / counts.sum(axis=1, keepdims=True):

        def risk_and_slope(w, shares=shares):
            margins = points @ w
            risk = shares @ t_logistic(1.0, margins) + penalty / 2 * (w @ w)
            return risk, (shares * t_logistic_slope(margins)) @ points + penalty * w

        ends.append(
            minimize(risk_and_slope, np.zeros(points.shape[1]), jac=True, method=method, options=options).x
        )
    return np.array(ends)

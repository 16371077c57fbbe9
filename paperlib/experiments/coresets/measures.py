"""Measures of several sections: radius, optimal margin, exponent of a power law."""

import numpy as np

from paperlib.coresets import CoresetSVC

SLACK = 1e-9  # relative: what rounding may take from an inequality
NARROW = 1e-6  # eps of what is taken for the optimal margin


def radius(X):
    """Return R, the largest norm of a row of `X` (n, d).

    >>> float(radius(np.array([[3.0, 4.0], [1.0, 0.0]])))
    5.0
    """
    return np.sqrt(np.einsum("ij,ij->i", X, X).max())


def optimal_margin(X, y):
    """Find the optimal margin to six digits.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,)

    Returns
    -------
    float
        The coreset's margin, which is not below it.
    """
    return CoresetSVC(NARROW, selection="batch", random_state=0).fit(X, y).margin_upper_bound_


def fitted_exponent(x, y):
    """Slope of ``log y`` against ``log x``, by least squares, with its standard error.

    >>> [round(float(number), 9) + 0.0 for number in fitted_exponent([1, 2, 4], [3, 12, 48])]
    [2.0, 0.0]
    """
    x, y = np.log(np.asarray(x, float)), np.log(np.asarray(y, float))
    x = x - x.mean()
    slope = x @ y / (x @ x)
    rest = y - y.mean() - slope * x
    return float(slope), float(np.sqrt(rest @ rest / max(len(x) - 2, 1) / (x @ x)))

"""What the paper compares with and no library offers."""

import numpy as np


def subgradient_descent(slope, points, counts, steps):
    """Minimise ``sum_k counts[k] l(<w, points[k]>) / sum(counts)`` by subgradient steps from zero.

    The last iterate of plain full-batch descent: no averaging, no line search, no convergence test. Stopped
    early it is the setting that comes closest to the hinge column of Table 1, whose optimiser the paper does
    not state.

    Parameters
    ----------
    slope : callable
        Derivative of the loss in the margin, elementwise.
    points : ndarray of shape (k, d)
        Signed points ``y_k x_k``.
    counts : ndarray of shape (t, k)
        How often each point occurs; one row per sample, all followed side by side.
    steps : sequence of float
        The step sizes, in order.

    Returns
    -------
    ndarray of shape (t, d)

    Examples
    --------
    >>> from paperlib.kernel_mean.losses import hinge_slope
    >>> points = np.array([[1.0, 0.0], [0.0, 2.0]])
    >>> subgradient_descent(hinge_slope, points, np.array([[1.0, 1.0]]), [1.0]).tolist()
    [[0.5, 1.0]]
    """
    shares = counts / counts.sum(axis=1, keepdims=True)
    w = np.zeros((len(counts), points.shape[1]))
    for step in steps:
        w -= step * (shares * slope(w @ points.T)) @ points
    return w

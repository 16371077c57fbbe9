"""Label noise (Section 4.3): flip labels, mix classes, and correct a loss for what the noise does to it."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paperlib._common.feature_names import check_same_names
from paperlib._common.random_state import RandomState, check_random_state
from paperlib._common.sklearn_checks import check_array
from paperlib._common.typing import Floats
from paperlib._common.validation import check_binary_signs, check_number
from paperlib.kernel_mean._validation.parameters import check_contamination, check_label_noise
from paperlib.kernel_mean.losses import Loss


def flip_labels(y: ArrayLike, noise: float, *, random_state: RandomState = None) -> NDArray[Any]:
    """Flip each label with probability `noise`, independently (symmetric label noise, Section 4.3).

    Parameters
    ----------
    y : array-like of shape (n,), of -1 and +1
    noise : float in [0, 1]
    random_state : int, numpy.random.Generator, RandomState or None

    Returns
    -------
    ndarray of shape (n,)
        A copy; as many random numbers are drawn whatever `noise` is, so that with one seed a larger noise
        flips the same labels and some more.

    See Also
    --------
    paperlib.kernel_mean.noise.flip_by_label : At a rate for each label.
    paperlib.kernel_mean.noise.flip_by_instance : At rates that depend on the instance, too.

    Examples
    --------
    >>> flip_labels([1, -1, 1], 1.0).tolist()
    [-1, 1, -1]
    """
    noise = check_number(noise, "noise", low=0, high=1)
    return _flip(y, lambda signs: np.full(signs.shape, noise), random_state)


def flip_by_label(
    y: ArrayLike, noise_negative: float, noise_positive: float, *, random_state: RandomState = None
) -> NDArray[Any]:
    """Flip labels with a probability that depends on the label (label-conditional noise, Section 4.3.4).

    Parameters
    ----------
    y : array-like of shape (n,), of -1 and +1
    noise_negative, noise_positive : float in [0, 1]
        ``sigma_-`` and ``sigma_+``; the paper's corrections need a sum below 1.
    random_state : int, numpy.random.Generator, RandomState or None

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> flip_by_label([1, -1, 1], 0.0, 1.0).tolist()
    [-1, -1, -1]
    """
    negative = check_number(noise_negative, "noise_negative", low=0, high=1)
    positive = check_number(noise_positive, "noise_positive", low=0, high=1)
    return _flip(y, lambda signs: np.where(signs > 0, positive, negative), random_state)


def flip_by_instance(
    X: ArrayLike,
    y: ArrayLike,
    noise: Callable[[NDArray[Any], NDArray[Any]], ArrayLike],
    *,
    random_state: RandomState = None,
) -> NDArray[Any]:
    """Flip labels with a probability that depends on the instance and on the label (Section 4.3.4).

    Parameters
    ----------
    X : array-like of shape (n, d)
    y : array-like of shape (n,), of -1 and +1
    noise : callable
        ``noise(X, y)`` returns the flip probabilities (n,), each in [0, 1]; Lemma 19 needs them below 1/2.
    random_state : int, numpy.random.Generator, RandomState or None

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> flip_by_instance([[0.0], [2.0]], [1, 1], lambda X, y: (X[:, 0] > 1).astype(float)).tolist()
    [1, -1]
    """
    rows, labels = np.asarray(check_array(X, input_name="X")), np.asarray(y)
    if labels.ndim != 1 or len(rows) != len(labels):
        raise ValueError(f"X must have a row for each label of y, got shapes {rows.shape} and {labels.shape}")
    _check_callable(noise, "noise")

    def rates(signs):
        values = np.asarray(noise(rows, labels), dtype=float)
        if values.shape != signs.shape or not ((values >= 0) & (values <= 1)).all():
            raise ValueError(f"noise must return {signs.size} probabilities in [0, 1], got {values!r}")
        return values

    return _flip(y, rates, random_state)


def _check_callable(function, name):
    if not callable(function):
        raise ValueError(f"{name} must be a function, got {function!r}")


def _flip(y, rates, random_state):
    y = np.array(y)
    signs = check_binary_signs(y)
    if y.dtype.kind not in "if":  # unsigned integers and booleans have no -1
        y = signs.astype(int)
    flipped = check_random_state(random_state).random(y.shape) < rates(signs)
    return np.where(flipped, -y, y)


def contaminate_mutually(
    positives: ArrayLike,
    negatives: ArrayLike,
    alpha: float,
    beta: float,
    size: int,
    *,
    random_state: RandomState = None,
) -> tuple[Floats, Floats]:
    """Draw from mutually contaminated class distributions (Section 4.3.4).

    ``P~+ = (1 - alpha) P+ + alpha P-`` and ``P~- = beta P+ + (1 - beta) P-``, each of the given points being
    equally likely in its class.

    Parameters
    ----------
    positives, negatives : array-like of shapes (p, d), (q, d)
    alpha, beta : float in [0, 1], with a sum below 1
    size : int >= 1
        Points to draw from each of the two.
    random_state : int, numpy.random.Generator, RandomState or None

    Returns
    -------
    positives, negatives : ndarrays of shape (size, d)

    Examples
    --------
    >>> contaminate_mutually([[1.0]], [[0.0]], 0.0, 0.5, 400, random_state=0)[0].mean()
    np.float64(1.0)
    """
    alpha, beta = check_contamination(alpha, beta)
    size = check_number(size, "size", low=1, integer=True)
    given = {"positives": positives, "negatives": negatives}
    check_same_names(**given)
    classes = [check_array(points, dtype=np.float64, input_name=name) for name, points in given.items()]
    if classes[0].shape[1] != classes[1].shape[1]:
        raise ValueError(
            f"positives and negatives must be rows of one width, got shapes {classes[0].shape} and "
            f"{classes[1].shape}"
        )
    rng = check_random_state(random_state)

    def draw(share):
        # Both classes are drawn for every place, so how many numbers are taken does not depend on the share.
        own = np.where(rng.random(size) < share, 0, 1)
        drawn = [points[rng.integers(len(points), size=size)] for points in classes]
        return np.where(own[:, None] == 0, *drawn)

    return draw(1.0 - alpha), draw(beta)


def corrected_loss(loss: Loss, noise_negative: float, noise_positive: float | None = None) -> Loss:
    """Return the loss whose mean under label noise is that of `loss` without (Natarajan et al., Section 4.3).

    Parameters
    ----------
    loss : callable
        ``loss(y, v)``, elementwise, as those of `losses`.
    noise_negative, noise_positive : float >= 0, with a sum below 1
        ``sigma_-`` and ``sigma_+``; one number alone is symmetric noise, below 1/2.

    Returns
    -------
    callable
        ``((1 - sigma_{-y}) l(y, v) - sigma_y l(-y, v)) / (1 - sigma_- - sigma_+)``.

    Examples
    --------
    >>> from paperlib.kernel_mean.losses import linear
    >>> float(corrected_loss(linear, 0.25)(1, 0.5))
    0.0
    """
    negative, positive = check_label_noise(noise_negative, noise_positive)
    _check_callable(loss, "loss")

    def corrected(y, v):
        y = np.asarray(y)
        own, other = np.where(y > 0, positive, negative), np.where(y > 0, negative, positive)
        return ((1.0 - other) * loss(y, v) - own * loss(-y, v)) / (1.0 - negative - positive)

    return corrected

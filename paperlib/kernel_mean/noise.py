"""Label noise (Section 4): who flips which label, what that does to a loss, and how much of it is borne."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog

from paperlib._common.typing import Floats, Integers, RandomState
from paperlib._common.validation import check_binary_signs, check_number, check_sample_weight
from paperlib.kernel_mean.losses import Loss
from paperlib.kernel_mean.noise_checks import check_contamination, check_label_noise, check_noise


def flip_labels(y: ArrayLike, noise: float, *, random_state: RandomState = None) -> NDArray[Any]:
    """Flip each label with probability `noise`, independently (symmetric label noise, Section 4.3).

    Parameters
    ----------
    y : array-like of shape (n,), of -1 and +1
    noise : float in [0, 1]
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    ndarray of shape (n,)
        A copy; as many random numbers are drawn whatever `noise` is, so that with one seed a larger noise
        flips the same labels and some more.

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
    random_state : int, numpy.random.Generator or None

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
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> flip_by_instance([[0.0], [2.0]], [1, 1], lambda X, y: (X[:, 0] > 1).astype(float)).tolist()
    [1, -1]
    """
    X = np.asarray(X)

    def rates(signs):
        values = np.asarray(noise(X, np.asarray(y)), dtype=float)
        if values.shape != signs.shape or not ((values >= 0) & (values <= 1)).all():
            raise ValueError(f"noise must return {signs.size} probabilities in [0, 1], got {values!r}")
        return values

    return _flip(y, rates, random_state)


def _flip(y, rates, random_state):
    y = np.array(y)
    signs = check_binary_signs(y)
    if y.dtype.kind not in "if":  # unsigned integers and booleans have no -1
        y = signs.astype(int)
    flipped = np.random.default_rng(random_state).random(y.shape) < rates(signs)
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
    random_state : int, numpy.random.Generator or None

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
    classes = [np.asarray(positives, dtype=float), np.asarray(negatives, dtype=float)]
    for name, points in zip(("positives", "negatives"), classes):
        if points.ndim != 2 or len(points) == 0 or points.shape[1] != classes[0].shape[1]:
            raise ValueError(f"{name} must be rows of one width, at least one, got shape {points.shape}")
    rng = np.random.default_rng(random_state)

    def draw(share):
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

    def corrected(y, v):
        y = np.asarray(y)
        own, other = np.where(y > 0, positive, negative), np.where(y > 0, negative, positive)
        return ((1.0 - other) * loss(y, v) - own * loss(-y, v)) / (1.0 - negative - positive)

    return corrected


def balanced_error(loss: Loss, positive_scores: ArrayLike, negative_scores: ArrayLike) -> float:
    """``BER``, half the mean loss of the positive scores plus half that of the negative (Section 4.3.4).

    Examples
    --------
    >>> from paperlib.kernel_mean.losses import zero_one
    >>> balanced_error(zero_one, [1.0, -1.0], [-1.0])
    0.25
    """
    positive, negative = (
        _scores(positive_scores, "positive_scores"),
        _scores(negative_scores, "negative_scores"),
    )
    return float((np.mean(loss(1, positive)) + np.mean(loss(-1, negative))) / 2)


def area_under_curve(
    positive_scores: ArrayLike,
    negative_scores: ArrayLike,
    positive_shares: ArrayLike | None = None,
    negative_shares: ArrayLike | None = None,
) -> float:
    """Probability that a positive score is above a negative one, ties counting half.

    Parameters
    ----------
    positive_scores, negative_scores : array-like of shapes (p,), (q,)
    positive_shares, negative_shares : array-like of the same shapes, optional
        How likely each score is in its class; equally by default.

    Returns
    -------
    float in [0, 1]

    Examples
    --------
    >>> area_under_curve([1.0, 0.0], [0.0])
    0.75
    """
    positive, negative = (
        _scores(positive_scores, "positive_scores"),
        _scores(negative_scores, "negative_scores"),
    )
    p = check_sample_weight(positive_shares, len(positive))
    q = check_sample_weight(negative_shares, len(negative))
    order = np.argsort(negative, kind="stable")
    below = np.concatenate([[0.0], np.cumsum(q[order])])
    least, most = (np.searchsorted(negative[order], positive, side=side) for side in ("left", "right"))
    return float(p @ (below[least] + below[most]) / (2 * p.sum() * q.sum()))


def _scores(values, name):
    values = np.asarray(values, dtype=float)
    if values.ndim != 1 or values.size == 0 or not np.isfinite(values).all():
        raise ValueError(f"{name} must be a vector of finite numbers, got {values!r}")
    return values


def margin_for_error(y: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None) -> float:
    """``Gamma(P, f)``: the largest margin whose loss is the misclassification loss (Section 4.1).

    Parameters
    ----------
    y : array-like of shape (n,), of -1 and +1
    scores : array-like of shape (n,)
    weights : array-like of shape (n,), optional
        Probability of each example, up to a factor.

    Returns
    -------
    float
        The smallest positive ``y f(x)``; infinity where no example is right.

    Examples
    --------
    >>> margin_for_error([1, -1, 1], [0.5, -0.2, -3.0])
    0.2
    """
    signs, values = check_binary_signs(y), _scores(scores, "scores")
    if values.shape != signs.shape:
        raise ValueError(f"scores must be one a label, got {values.size} for {signs.size} labels")
    margins = signs * values
    right = margins[(check_sample_weight(weights, len(signs)) > 0) & (margins > 0)]
    return float(right.min()) if right.size else float("inf")


def contaminate(weights: ArrayLike, others: ArrayLike, sigma: float) -> Floats:
    """Weights of ``(1 - sigma) P + sigma Q``, two distributions over the same examples (Section 4.2).

    Examples
    --------
    >>> contaminate([1.0, 1.0], [0.0, 3.0], 0.5).tolist()
    [0.25, 0.75]
    """
    sigma = check_number(sigma, "sigma", low=0, high=1)
    p, q = (check_sample_weight(each, len(np.atleast_1d(each))) for each in (weights, others))
    if p.shape != q.shape:
        raise ValueError(f"weights and others must have one shape, got {p.shape} and {q.shape}")
    return (1.0 - sigma) * p / p.sum() + sigma * q / q.sum()


class OrderViolation(NamedTuple):
    """Two distributions over (label, score) pairs that a loss orders otherwise once labels are noisy.

    Attributes
    ----------
    labels, scores : ndarrays of shape (k,)
    first, second : ndarrays of shape (k,)
        Probabilities of the pairs under ``Q`` and ``Q'``.
    clean, noisy : float
        Expected loss of ``Q`` less that of ``Q'``; of opposite sign, or one of them zero and the other not.

    Examples
    --------
    >>> from paperlib.kernel_mean import losses, noise
    >>> found = noise.order_violation(losses.hinge, [-1.0, 0.5, 3.0], 0.2)
    >>> found.clean * found.noisy <= 0 and found.clean != found.noisy
    True
    """

    labels: Integers
    scores: Floats
    first: Floats
    second: Floats
    clean: float
    noisy: float


def order_violation(
    loss: Loss, scores: ArrayLike, noise: float, *, tol: float = 1e-9
) -> OrderViolation | None:
    """Search for two distributions whose order under `loss` is changed by symmetric noise (Definition 12).

    All distributions on the given scores are searched at once, by a linear programme in the difference
    ``Q - Q'``: with none found, the loss is robust as far as these scores go.

    Parameters
    ----------
    loss : callable
    scores : array-like of shape (k,)
    noise : float in [0, 1/2)
    tol : float > 0
        Differences of the expected loss, relative to the largest loss, that count as rounding.

    Returns
    -------
    OrderViolation or None

    Examples
    --------
    >>> from paperlib.kernel_mean.losses import hinge, linear
    >>> order_violation(linear, [-1.0, 0.5, 3.0], 0.2) is None
    True
    >>> order_violation(hinge, [-1.0, 0.5, 3.0], 0.2) is None
    False
    """
    noise, values = check_noise(noise), _scores(scores, "scores")
    labels, v = np.repeat([1, -1], values.size), np.tile(values, 2)
    clean = np.asarray(loss(labels, v), dtype=float)
    noisy = (1.0 - noise) * clean + noise * np.asarray(loss(-labels, v), dtype=float)
    size = max(np.abs(clean).max(), np.abs(noisy).max())
    if size == 0:
        return None
    for up, down in ((noisy, clean), (clean, noisy)):
        split = linprog(
            np.concatenate([-up, up]) / size,
            A_ub=np.concatenate([down, -down])[None] / size,
            b_ub=[0.0],
            A_eq=np.kron(np.eye(2), np.ones(v.size)),
            b_eq=[1.0, 1.0],
            method="highs",
        )
        if split.status == 0 and -split.fun > tol:
            first, second = split.x.reshape(2, -1)
            step = first - second
            return OrderViolation(labels, v, first, second, float(clean @ step), float(noisy @ step))
    return None

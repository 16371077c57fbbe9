"""Validation of indices, rows, learners, losses and slack; whatever is wrong is one clear error."""

import math

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from paperlib._common.typing import Floats, Integers
from paperlib._common.validation import check_binary_signs, check_choice, check_number
from paperlib.max_loss._rounds import slack as slacks

NORMS = {"l1": slacks.L1, "l2": slacks.L2}


def checked_indices(i: ArrayLike, m: int) -> Integers:
    """Return `i`, a number or an array, as int64, else raise ``IndexError``: kernels do not look."""
    indices = np.asarray(i)
    if indices.dtype.kind not in "iu" and (indices.size or not indices.ndim):
        raise IndexError(f"i must be integers, got dtype {indices.dtype}")
    if indices.ndim > 1:
        raise IndexError(f"i must be a number or an array of shape (k,), got shape {indices.shape}")
    outside = (indices < 0) | (indices >= m)
    if outside.any():
        raise IndexError(f"i must be in [0, {m}), got {indices[outside].flat[0]}")
    return indices.astype(np.int64)


def check_signed_rows(X: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    """Return ``(X, y)`` as floats, X contiguous and finite and the labels -1 and +1, else ``ValueError``."""
    if sp.issparse(X):
        raise ValueError(f"X must be a dense array, got {type(X).__name__}: use X.toarray()")
    if np.iscomplexobj(X):
        raise ValueError("X must hold real numbers, got complex ones")
    X, y = np.ascontiguousarray(X, dtype=np.float64), np.asarray(y)
    if X.ndim != 2 or y.shape != X.shape[:1] or not X.size:
        raise ValueError(
            f"X must have shape (m, d) and y (m,), with m and d >= 1, got {X.shape} and {y.shape}"
        )
    if not np.isfinite(X).all():
        raise ValueError("X must be finite, got NaN or infinity among its entries")
    return X, check_binary_signs(y)


def check_learner(learner):
    """Raise ``ValueError`` for what has no step to play."""
    if not callable(getattr(learner, "step", None)):
        raise ValueError(f"learner must have step(i), got {type(learner).__name__}")


def checked_loss(loss, i):
    """Return the loss of example `i` as a float in [0, 1], else raise ``ValueError`` that names both."""
    try:
        number = float(loss)
    except (TypeError, ValueError) as error:
        raise ValueError(f"step({i}) must return a loss in [0, 1], got {loss!r}") from error
    if not 0.0 <= number <= 1.0:
        raise ValueError(f"step({i}) must return a loss in [0, 1], got {number}")
    return number


def checked_losses(losses, indices):
    """Return the losses of a batch as floats in [0, 1], else raise ``ValueError`` that names an index."""
    try:
        losses = np.asarray(losses, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"step must return a loss in [0, 1] for each index, got {losses!r}") from error
    if losses.shape != indices.shape:
        raise ValueError(
            f"step must return a loss for each of {len(indices)} indices, got shape {losses.shape}"
        )
    wrong = ~((losses >= 0.0) & (losses <= 1.0))
    if wrong.any():
        raise ValueError(
            f"step must return losses in [0, 1], got {losses[wrong][0]} for index {indices[wrong][0]}"
        )
    return losses


def check_slack(budget, norm, rate, max_iter):
    """Return ``(rate, budget, norm)`` as the kernels take them, else raise ``ValueError``."""
    norm = NORMS[check_choice(norm, "slack_norm", tuple(NORMS))]
    if rate is not None:
        rate = check_number(rate, "slack_rate", low=0, open_low=True)
    if budget is None:
        return 0.0, 0.0, slacks.NO_SLACK
    budget = check_number(budget, "slack_budget", low=0)
    return math.sqrt(budget / max_iter) if rate is None else rate, budget, norm


def check_positive(**numbers):
    """Raise ``ValueError`` for a number that is not finite and > 0."""
    for name, number in numbers.items():
        check_number(number, name, low=0, open_low=True)


def check_share(**numbers):
    """Raise ``ValueError`` for a number that is not in (0, 1)."""
    for name, number in numbers.items():
        check_number(number, name, low=0, high=1, open_low=True, open_high=True)

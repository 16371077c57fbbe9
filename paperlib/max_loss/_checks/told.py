"""Validation of what a training loop tells a sampler."""

from typing import Any

import numpy as np

from paperlib._common.typing import Floats, Integers


def checked_told(indices: Any, losses: Any, m: int) -> tuple[Integers, Floats]:
    """Return indices in [0, m) and losses in [0, 1], shape (k,) each, else raise ``ValueError``."""
    indices, losses = np.atleast_1d(as_array(indices, "indices")), np.atleast_1d(as_array(losses, "losses"))
    if indices.dtype.kind not in "iu" and indices.size:
        raise ValueError(f"indices must be integers, got dtype {indices.dtype}")
    if losses.dtype.kind not in "buif":
        raise ValueError(f"losses must be numbers in [0, 1], got dtype {losses.dtype}")
    if indices.ndim > 1 or indices.shape != losses.shape:
        raise ValueError(
            f"indices and losses must have one shape, (k,), got {indices.shape} and {losses.shape}"
        )
    outside = (indices < 0) | (indices >= m)
    if outside.any():
        raise ValueError(f"indices must be in [0, {m}), got {indices[outside][0]}")
    indices, losses = indices.astype(np.int64), losses.astype(np.float64)
    wrong = ~((losses >= 0.0) & (losses <= 1.0))
    if wrong.any():
        raise ValueError(
            f"losses must be in [0, 1], got {losses[wrong][0]} for index {indices[wrong][0]}; to skip a "
            "step, leave out its update"
        )
    return indices, losses


def as_array(values: Any, name: str) -> np.ndarray:
    """Return numbers, or a tensor of them, as an array, else raise ``ValueError``."""
    if hasattr(values, "detach"):  # a tensor: NumPy does not know its types of half a float, nor its devices
        values = values.detach().cpu()
        values = (values.double() if values.is_floating_point() else values).numpy()
    try:
        return np.asarray(values)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numbers, of shape (k,), got {values!r}") from error

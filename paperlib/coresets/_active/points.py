"""Points as the learner wants them: off the origin, or with a constant feature."""

import numpy as np

from paperlib._common.feature_names import as_table, names_of
from paperlib.coresets._search.inputs import check_size


def prepared(X, constant, before=0):
    """Return the rows of `X` (n, d), with a last feature of 1 if `constant`, else none of them the origin.

    `before` is how many rows came earlier, for the error message.
    """
    if constant:
        return np.column_stack([X, np.ones(len(X))])
    at_origin = np.flatnonzero(~X.any(axis=1))
    if at_origin.size:
        raise ValueError(
            f"X must have no point at the origin, got one in row {before + at_origin[0]}: it lies on every "
            "hyperplane through the origin (fit_intercept=True has others)"
        )
    return X


def of_stream(blocks, check, constant):
    """Yield the prepared rows of `blocks`, each a point or several; ``check(block, reset=...)`` checks."""
    if isinstance(blocks, str) or not hasattr(blocks, "__iter__"):
        raise ValueError(f"stream must be an iterable of points, or of blocks of them, got {blocks!r}")
    count = 0
    for block in blocks:
        block = as_table(block)
        if names_of(block) is None:
            block = np.asarray(block)
            block = block[None] if block.ndim == 1 else block
        block = check_size(check(block, reset=count == 0))
        yield from prepared(block, constant, count)
        count += len(block)

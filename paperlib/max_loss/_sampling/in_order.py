"""What a loop usually tells: the losses of one whole batch, in the order in which it was drawn."""

import numpy as np

from paperlib._common.jit import jit
from paperlib.max_loss._rounds.play import LARGEST


@jit
def rows_of_whole_block(indices, losses, drawn, p, eta, epoch, number, rows):
    """Fill `rows` (n, 4) with the updates of a block's losses, and return how many there are.

    A row has the epoch and the number of a draw, its index and the logarithm of its weight's factor; losses
    of zero have none. Returns -1 where something else was told: other indices than `drawn` (n,), or losses
    that are not in [0, 1].
    """
    n_rows = 0
    for k in range(drawn.size):
        if indices[k] != drawn[k] or not 0.0 <= losses[k] <= 1.0:
            return -1
        x = min(eta * losses[k] / p[k], LARGEST)
        if x != 0.0:
            rows[n_rows, 0], rows[n_rows, 1], rows[n_rows, 2], rows[n_rows, 3] = (
                epoch,
                number + k,
                drawn[k],
                x,
            )
            n_rows += 1
    return n_rows


@jit
def split_ordered(rows, indices, x):
    """Fill `indices` and `x` (n,) from `rows` (n, 4), and return whether these are in the order of draws."""
    is_ordered = True
    for k in range(len(rows)):
        if k and (rows[k, 0], rows[k, 1]) < (rows[k - 1, 0], rows[k - 1, 1]):
            is_ordered = False
        indices[k], x[k] = np.int64(rows[k, 2]), rows[k, 3]
    return is_ordered

"""Parallel means (Lemma 22): approximating an expansion whose points do not fit on one machine.

A mean of means, each known to a tolerance, is known to that tolerance. So every chunk is approximated on its
own and the approximations are added up. The sum may be denser than it needs to be, as when two chunks hold
the same points (Section 5.4); a second round approximates it in turn.
"""

import numpy as np

from paperlib._common.chunks import n_chunks, over_chunks, over_pairs
from paperlib._common.kernels import not_negative
from paperlib.kernel_mean._sparsify.approximations import approximate


def approximate_chunks(kernel, X, weights, *, m, tol, delta, method, rng, second_round):
    """As `approximate`, over the chunks of a dask array; also returns the support's points (k, d).

    With `tol` each round gets half of the tolerance and of the failure probability, and each chunk its share
    of both: by Lemma 22 and a union bound the result is within `tol` with probability ``1 - delta``.
    """
    chunks, total = n_chunks(X), np.abs(weights).sum()
    rounds = 2 if second_round else 1
    streams = rng.spawn(chunks)
    options = {"m": m, "delta": delta / rounds, "method": method}

    def first(start, block, rows, stream):
        if not np.isfinite(block).all():
            raise ValueError(f"X must be finite, got NaN or infinity in the chunk that starts at row {start}")
        block = block.astype(np.float64, copy=False)
        support, kept, diameter = _chunk(kernel, block, rows, stream, chunks, total, tol, rounds, options)
        return start + support, kept, block[support], diameter

    parts = over_chunks(first, X, weights, per_chunk=[streams])
    support, kept, points = (np.concatenate([part[i] for part in parts]) for i in range(3))
    diameter = max(part[3] for part in parts)
    if not second_round or chunks == 1 or (m is not None and len(support) <= m):
        return support, kept, diameter, points
    half = None if tol is None else tol / 2
    chosen, kept, diameter = approximate(kernel, points, kept, tol=half, rng=rng, **options)
    return support[chosen], kept, diameter, points[chosen]


def _chunk(kernel, block, weights, rng, chunks, total, tol, rounds, options):
    share = np.abs(weights).sum() / total
    if share == 0:
        return np.zeros(0, dtype=int), np.zeros(0), 0.0
    options = options | {"delta": options["delta"] / chunks}
    if tol is not None:
        options["tol"] = tol / rounds * share
    elif options["method"] in ("farthest_first", "project"):
        options["m"] = min(options["m"], len(block))
    return approximate(kernel, block, weights, rng=rng, **options)


def quadratic_form_of_chunks(kernel, X, weights):
    """``sum_ij weights_i weights_j K(x_i, x_j)`` over a dask array, a pair of chunks at a time."""

    def pair(same, one, other, one_weights, other_weights):
        if not (one_weights.any() and other_weights.any()):
            return 0.0
        value = one_weights @ kernel.sums(one, other, other_weights)
        return value if same else 2.0 * value

    size = sum(
        over_chunks(lambda _, block, rows: np.abs(rows) @ np.sqrt(np.abs(kernel.diagonal(block))), X, weights)
    )
    return not_negative(sum(over_pairs(pair, X, weights)), size)

"""Parallel means (Lemma 22): approximating an expansion whose points do not fit on one machine.

A mean of means, each known to a tolerance, is known to that tolerance. So every chunk is approximated on its
own and the approximations are added up. The sum may be denser than it needs to be, as when two chunks hold
the same points (Section 5.4); a second round approximates it in turn.
"""

import numpy as np

from paperlib._common.chunks import n_chunks, over_chunks, over_pairs
from paperlib._common.kernels import not_negative
from paperlib.kernel_mean._sparsify.reduction import Reduction, reduce


def reduce_chunks(kernel, X, weights, *, m, tol, delta, rng, second_round, **options):
    """As `reduce`, over the chunks of a dask array.

    With `tol` each round gets half of the tolerance and of the failure probability, and each chunk its share
    of both: by Lemma 22 and a union bound the result is within `tol` with probability ``1 - delta``.
    """
    chunks, total = n_chunks(X), np.abs(weights).sum()
    rounds = 2 if second_round else 1
    streams = rng.spawn(chunks)
    options = {"m": m, "tol": None if tol is None else tol / rounds, "delta": delta / rounds} | options

    def first(start, block, rows, stream):
        if not np.isfinite(block).all():
            raise ValueError(f"X must be finite, got NaN or infinity in the chunk that starts at row {start}")
        found = _chunk(kernel, block.astype(np.float64, copy=False), rows, stream, chunks, total, options)
        return found._replace(support=None if found.support is None else start + found.support)

    whole = _joined(over_chunks(first, X, weights, per_chunk=[streams]))
    if not second_round or chunks == 1 or (m is not None and len(whole.points) <= m):
        return whole
    found = reduce(kernel, whole.points, whole.weights, rng=rng, **options)
    if found.support is None or whole.support is None:
        return found._replace(support=None)
    return found._replace(support=whole.support[found.support])


def _joined(parts):
    rows = [part.support for part in parts]
    support = None if any(each is None for each in rows) else np.concatenate(rows)
    points, weights = (np.concatenate([part[i] for part in parts]) for i in (1, 2))
    return Reduction(support, points, weights, max(part.diameter for part in parts))


def _chunk(kernel, block, weights, rng, chunks, total, options):
    share = np.abs(weights).sum() / total
    # `reduce` divides by the sum of the absolute weights.
    if share == 0:
        return Reduction(np.zeros(0, dtype=int), block[:0], np.zeros(0), 0.0)
    options = options | {"delta": options["delta"] / chunks}
    if options["tol"] is not None:
        options["tol"] *= share
    elif options["method"] not in ("random", "herding"):
        options["m"] = min(options["m"], len(block))
    return reduce(kernel, block, weights, rng=rng, **options)


def norm_of_chunks(kernel, X, weights):
    """``||sum_i weights[i] phi(x_i)||`` over the rows of a dask array, a pair of chunks at a time."""

    def pair(same, one, other, one_weights, other_weights):
        if not (one_weights.any() and other_weights.any()):
            return 0.0
        value = one_weights @ kernel.sums(one, other, other_weights)
        return value if same else 2.0 * value

    size = sum(
        over_chunks(lambda _, block, rows: np.abs(rows) @ np.sqrt(np.abs(kernel.diagonal(block))), X, weights)
    )
    return float(np.sqrt(not_negative(sum(over_pairs(pair, X, weights)), size)))

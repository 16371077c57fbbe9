"""Passes over rows of data that need not fit in memory, or on one machine.

A data matrix is a numpy array, a memory map, or a dask array chunked along its rows. A pass calls a function
with whole chunks, on the active dask scheduler, and holds only the chunks that are being processed.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from paperlib._common.typing import Floats, Integers

ROWS = 65_536  # rows in a chunk of an in-memory array or a memory map


def is_dask(X: Any) -> bool:
    """Return whether `X` is a dask array, without importing dask.

    >>> is_dask(np.zeros((3, 2)))
    False
    """
    return type(X).__module__.partition(".")[0] == "dask"


def check_dask_array(X: Any) -> None:
    """Raise ``ValueError`` if `X`, of dask, is no array: a data frame does not know its rows."""
    if not hasattr(X, "chunks"):
        raise ValueError(f"X must be a dask array, got a dask {type(X).__name__}; it has to_dask_array()")


def is_mapped(X: Any) -> bool:
    """Return whether `X` lies in a memory map, which may be larger than memory."""
    while X is not None:
        if isinstance(X, np.memmap):
            return True
        # A view of a memory map may be a plain array whose base is the map.
        X = getattr(X, "base", None)
    return False


def n_rows(X: Any) -> int:
    """Return the number of rows; unknown chunk lengths of a dask array are computed.

    >>> n_rows(np.zeros((3, 2)))
    3
    """
    return int(offsets(X)[-1])


def offsets(X: Any) -> Integers:
    """Return the row number at which each chunk begins, followed by the number of rows.

    >>> offsets(np.zeros((70_000, 1))).tolist()
    [0, 65536, 70000]
    """
    if not is_dask(X):
        return np.append(np.arange(0, len(X), ROWS), len(X)) if len(X) else np.zeros(1, dtype=int)
    if np.isnan(X.shape[0]):
        X = X.compute_chunk_sizes()
    return np.concatenate([[0], np.cumsum(X.chunks[0])])


def n_chunks(X: Any) -> int:
    """Return the number of chunks of rows.

    >>> n_chunks(np.zeros((70_000, 1)))
    2
    """
    return len(offsets(X)) - 1


def over_chunks(
    function: Callable[..., Any], X: Any, *per_row: Any, per_chunk: Sequence[Sequence[Any]] = ()
) -> list[Any]:
    """Call ``function(start, block, *rows, *items)`` for each chunk of rows; return the results in order.

    Parameters
    ----------
    function : callable
        Called with the number of the chunk's first row, the chunk as an ndarray (rows, d), the same rows of
        each array in `per_row`, and one item of each sequence in `per_chunk`. On a cluster it is pickled.
    X : ndarray, memmap or dask array of shape (n, d)
        A dask array is chunked along its rows; chunks along its columns are joined.
    *per_row : ndarray of shape (n, ...)
    per_chunk : sequence of sequences of length n_chunks(X)

    Returns
    -------
    list of length n_chunks(X)

    Examples
    --------
    >>> over_chunks(lambda start, block: float(block.sum()), np.ones((3, 2)))
    [6.0]
    """
    spans = _spans(X)
    given = [[rows[span] for rows in per_row] for span in spans]
    calls = [[span.start, *rows, *items] for span, rows, *items in zip(spans, given, *per_chunk)]
    if not is_dask(X):
        return [function(start, np.asarray(X[span]), *rest) for span, (start, *rest) in zip(spans, calls)]
    import dask

    call = dask.delayed(function, pure=False)
    tasks = [call(start, block, *rest) for block, (start, *rest) in zip(_blocks(X), calls)]
    return list(dask.compute(*tasks))


def over_pairs(function: Callable[..., Any], X: Any, values: np.ndarray) -> list[Any]:
    """Call ``function(same, block, other, rows, other_rows)`` for each pair of chunks ``i <= j``.

    `same` is True for ``i == j``; `rows` and `other_rows` are the entries of `values` (n,) that belong to
    the two chunks. `X` is a dask array. Returns a list of the results, ordered by the pairs.

    >>> import dask.array
    >>> X = dask.array.from_array(np.array([[1.0], [2.0], [4.0]]), chunks=(2, 1))
    >>> over_pairs(lambda same, block, other, *_: float((block @ other.T).sum()), X, np.ones(3))
    [9.0, 12.0, 16.0]
    """
    import dask

    blocks, rows, call = _blocks(X), [values[span] for span in _spans(X)], dask.delayed(function, pure=False)
    pairs = [(i, j) for i in range(len(blocks)) for j in range(i, len(blocks))]
    return list(dask.compute(*[call(i == j, blocks[i], blocks[j], rows[i], rows[j]) for i, j in pairs]))


def moments(block: np.ndarray) -> tuple[int, float, float]:
    """Return number, mean, and sum of squared deviations from the mean, of all entries of a block."""
    block = np.asarray(block)
    if not block.size:
        return 0, 0.0, 0.0
    first = np.float64(block.flat[0])
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        # The first entry is subtracted, so that equal entries have a variance of exactly 0: their mean itself
        # may be rounded.
        centred = np.subtract(block, first, dtype=np.float64)
        mean = centred.mean()
        centred -= mean
        return block.size, float(first + mean), float(np.square(centred, out=centred).sum())


def pooled_variance(parts: Iterable[tuple[int, float, float]]) -> float:
    """Return the variance of the entries of several blocks from the `moments` of each; 0 without entries.

    >>> pooled_variance([moments(np.array([1.0, 2.0])), moments(np.array([3.0, 4.0]))])
    1.25
    """
    count, mean, squares = 0, 0.0, 0.0
    for more, its_mean, its_squares in parts:  # Chan, Golub and LeVeque's update
        if more:
            apart, total = its_mean - mean, count + more
            squares += its_squares + apart * (count * more / total) * apart
            mean += apart * (more / total)
            count = total
    return squares / count if count else 0.0


def _spans(X):
    return [slice(int(start), int(end)) for start, end in pairwise(offsets(X))]


def _blocks(X):
    return X.rechunk({1: -1}).to_delayed()[:, 0]


def smallest_rows(
    score: Callable[..., Any], X: Any, *per_row: Any, count: int = 1
) -> tuple[Integers, Floats, np.ndarray]:
    """Find the rows of smallest score in one pass.

    Parameters
    ----------
    score : callable
        ``score(block, *rows)`` returns one number for each row of the block; NaN leaves the row out.
    X : ndarray, memmap or dask array of shape (n, d)
    *per_row : ndarray of shape (n, ...)
        Arrays such as labels, whose rows are passed to `score` with those of `X`.
    count : int >= 1
        Number of rows to find.

    Returns
    -------
    indices : ndarray of shape (k,), k <= count
        Row numbers by ascending score. Of equal scores the smaller row number comes first, so the result
        does not depend on the chunking of the rows.
    scores : ndarray of shape (k,)
    rows : ndarray of shape (k, d)
        The rows themselves.

    Examples
    --------
    >>> X = np.array([[3.0], [1.0], [2.0], [1.0]])
    >>> indices, scores, rows = smallest_rows(lambda block: block[:, 0], X, count=2)
    >>> indices.tolist(), scores.tolist()
    ([1, 3], [1.0, 1.0])
    """

    def best(start, block, *rows):
        scores = np.asarray(score(block, *rows), dtype=np.float64)
        # What is not among the best of its own chunk is not among the best of all.
        order = np.lexsort([np.arange(len(scores)), scores])[:count]  # NaN sorts last
        order = order[~np.isnan(scores[order])]
        return start + order, scores[order], block[order]

    found = over_chunks(best, X, *per_row)
    if not found:
        return np.zeros(0, dtype=int), np.zeros(0), np.zeros((0, *X.shape[1:]))
    indices, scores, rows = (np.concatenate(parts) for parts in zip(*found))
    order = np.lexsort([indices, scores])[:count]
    return indices[order], scores[order], rows[order]

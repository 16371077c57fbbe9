"""The two best labellings of a chain."""

import numpy as np

from paperlib._common.jit import jit
from paperlib._common.signals import hear


@jit
def two_best_paths(emissions, transitions):
    """Find the two label sequences of largest score, by dynamic programming.

    ``value[t, b]`` has the two largest scores of paths up to position t that end in label b. Both paths that
    are sought continue one of those two at each position, so no third one need be kept.

    Parameters
    ----------
    emissions : ndarray of shape (T, L), float64
        Score of each label at each position.
    transitions : ndarray of shape (L, L), float64
        Score of label ``b`` after label ``a`` at ``[a, b]``.

    Returns
    -------
    paths : ndarray of shape (2, T), int64
        Distinct when ``L^T >= 2``; the first one is best. Ties are settled by the lower labels.
    scores : ndarray of shape (2,)
        The second is ``-inf`` when there is only one path.
    """
    T, L = emissions.shape
    value = np.full((T, L, 2), -np.inf)
    back = np.zeros((T, L, 2), dtype=np.int64)  # 2 * previous label + its rank
    for b in range(L):
        value[0, b, 0] = emissions[0, b]  # one path only: the second stays at -inf
    for t in range(1, T):
        hear(4 * L * L)
        for b in range(L):
            for a in range(L):
                for rank in range(2):
                    score = value[t - 1, a, rank] + transitions[a, b]
                    if score > value[t, b, 0]:
                        value[t, b, 1], back[t, b, 1] = value[t, b, 0], back[t, b, 0]
                        value[t, b, 0], back[t, b, 0] = score, 2 * a + rank
                    elif score > value[t, b, 1]:
                        value[t, b, 1], back[t, b, 1] = score, 2 * a + rank
            for rank in range(2):
                value[t, b, rank] += emissions[t, b]
    ends, scores = np.zeros(2, dtype=np.int64), np.full(2, -np.inf)
    for b in range(L):
        for rank in range(2):
            score = value[T - 1, b, rank]
            if score > scores[0]:
                scores[1], ends[1] = scores[0], ends[0]
                scores[0], ends[0] = score, 2 * b + rank
            elif score > scores[1]:
                scores[1], ends[1] = score, 2 * b + rank
    paths = np.zeros((2, T), dtype=np.int64)
    for p in range(2):
        at = ends[p]
        for t in range(T - 1, -1, -1):
            paths[p, t] = at // 2
            at = back[t, at // 2, at % 2]
    return paths, scores

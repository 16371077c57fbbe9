"""The largest margin of a coreset exactly, by block principal pivoting (Portugal, Judice and Vicente).

Some points are guessed to bear weight. With their margins set to one, the weights follow from one Cholesky
factor. Those whose weights are negative leave, and others whose margins are below one join, all at a time;
where that does not lower the number of wrong ones for a while, one at a time.
"""

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

ROUNDS = 60  # at most; it takes two to six from a good guess
PATIENCE = 3  # rounds in which the number of wrong guesses may stay
EXACT = 1e-9  # of a margin of one: what a point may lack


def pivot(gram, bears, lack=EXACT):
    """Find ``a >= 0`` with ``gram a >= 1``, of which one or the other is an equality for each point.

    Parameters
    ----------
    gram : ndarray of shape (k, k)
    bears : ndarray of shape (k,), bool
        Which points bear weight, as a guess; at least one.
    lack : float > 0
        What a margin may lack of one.

    Returns
    -------
    ndarray of shape (k,), or None
        None where the points that bear weight are dependent, or it took too many rounds: where the hull
        holds the origin, or copies of a point are among them.
    """
    bears, fewest, patience = bears.copy(), len(gram) + 1, PATIENCE
    for _ in range(ROUNDS):
        at = np.flatnonzero(bears)
        if len(at) == 0:
            return None
        # The transpose of a symmetric matrix is the same one in Fortran's order: it is factored in place.
        factor, failed = dpotrf(gram[np.ix_(at, at)].T, lower=1, clean=0, overwrite_a=1)
        if failed:
            return None
        weights, _ = dpotrs(factor, np.ones(len(at)), lower=1)
        lacks = 1.0 - weights @ gram[at]
        wrong = (weights <= 0.0, ~bears & (lacks > lack))
        count = int(wrong[0].sum() + wrong[1].sum())
        if count == 0:
            a = np.zeros(len(gram))
            a[at] = weights
            return a
        changes = np.concatenate([at[wrong[0]], np.flatnonzero(wrong[1])])
        if count < fewest:
            fewest, patience = count, PATIENCE
        elif patience > 0:
            patience -= 1
        else:
            # The one of the largest index (Murty): with a definite matrix no guess then comes twice.
            changes = changes[[changes.argmax()]]
        bears[changes] = ~bears[changes]
    return None

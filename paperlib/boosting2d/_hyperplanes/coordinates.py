"""Points with labels as vectors of length one, spread evenly in all directions."""

from typing import NamedTuple

import numpy as np

from paperlib.boosting2d._hyperplanes.boxes import Sample

FLAT = 1e-9  # of the largest extent: less counts as none
_TURNS = 10  # of making the spread even


class Vectors(NamedTuple):
    """The distinct points that are of one class, or more of one than of the other.

    Attributes
    ----------
    sample : Sample
        Vectors (k, D) and the weight by which one class is heavier; D - 1 is the dimension of the points.
    base : float
        Weight that every hyperplane misclassifies: of coincident points of the lighter class.
    back : ndarray of shape (d, D)
        ``back @ w`` is the normal, in scaled columns, of the hyperplane w.
    exponents : ndarray of shape (d,), int
        Columns are scaled by ``2**-exponents``.
    of_row : ndarray of shape (n,), int64
        The vector of each row, -1 for none.
    ahead : ndarray of shape (k,), bool
        Whether the positive class is heavier.
    """

    sample: Sample
    base: float
    back: np.ndarray
    exponents: np.ndarray
    of_row: np.ndarray
    ahead: np.ndarray

    def normal(self, plane):
        """Return the normal (d,) of length one in the units of the points; None if there is none."""
        scaled = self.back @ plane
        mantissas, exponents = np.frexp(scaled)
        exponents = exponents - self.exponents
        if not mantissas.any():
            return None
        # Relative to the largest, for the powers themselves may be out of range; below 2**-2000 all is zero.
        exponents = np.maximum(exponents - exponents[mantissas != 0].max(), -2000)
        normal = np.ldexp(mantissas, exponents)
        return normal / np.linalg.norm(normal)

    def rows(self, correct, positive):
        """Return which rows (n,) a hyperplane has to classify correctly if it does so with vectors."""
        if len(correct) == 0:
            return np.zeros(len(self.of_row), dtype=bool)
        # An index of -1 looks up the last vector, and the first condition undoes that.
        return (self.of_row >= 0) & correct[self.of_row] & (self.ahead[self.of_row] == positive)


def as_vectors(X, positive, weights, slack):
    """Merge the rows of `X` into `Vectors`.

    Parameters
    ----------
    X : ndarray of shape (n, d), finite, n >= 1
    positive : ndarray of shape (n,), bool
    weights : ndarray of shape (n,), > 0
    slack : float
        A difference of weights that counts as none.
    """
    scaled, exponents = _in_range(X)
    _, first, place = np.unique(scaled, axis=0, return_index=True, return_inverse=True)
    place = place.reshape(-1)
    wp = np.bincount(place[positive], weights[positive], minlength=len(first))
    wn = np.bincount(place[~positive], weights[~positive], minlength=len(first))
    kept = np.abs(wp - wn) > slack
    number = np.where(kept, np.cumsum(kept) - 1, -1)
    base, ahead, net = float(np.minimum(wp, wn).sum()), (wp > wn)[kept], np.abs(wp - wn)[kept]
    vectors, back = _even(scaled[first[kept]], np.where(ahead, 1.0, -1.0))
    return Vectors(Sample(vectors, net), base, back, exponents, number[place], ahead)


def _in_range(X):
    """Return the columns less their middle, in [-1, 1], and the exponents by which they are scaled."""
    # In two steps: differences of the numbers as given may overflow.
    exponents = np.frexp(np.abs(X).max(axis=0))[1]
    scaled = np.ldexp(X, -exponents)
    low, high = scaled.min(axis=0), scaled.max(axis=0)
    scaled = scaled - (low / 2 + high / 2)
    extents = np.frexp(np.where(high > low, high - low, 1.0))[1]
    return np.ldexp(scaled, -extents) + 0.0, exponents + extents


def _even(points, signs):
    """Return vectors (k, D) of length one in the dimension of the `points` (k, d), and the way back.

    A linear map changes no classification. This one makes the mean of the vectors' outer products a multiple
    of the identity, or nearly (Tyler's estimate of scatter), so that no direction needs smaller boxes.
    """
    if len(points) == 0:
        return np.empty((0, 1)), np.zeros((points.shape[1], 1))
    mean = points.mean(axis=0)
    _, lengths, axes = np.linalg.svd(points - mean, full_matrices=False)
    # Singular values of equally wide points grow with the root of their number.
    axes = axes[lengths > FLAT * np.sqrt(len(points))].T
    vectors = np.column_stack([(points - mean) @ axes, np.ones(len(points))])
    whole, D = np.eye(axes.shape[1] + 1), axes.shape[1] + 1
    for _ in range(_TURNS):
        vectors /= np.linalg.norm(vectors, axis=1)[:, None]
        values, directions = np.linalg.eigh(vectors.T @ vectors * (D / len(vectors)))
        change = directions / np.sqrt(np.maximum(values, FLAT))
        vectors, whole = vectors @ change, whole @ change
    vectors /= np.linalg.norm(vectors, axis=1)[:, None]
    # The last row of `whole` belongs to the constant entry: it makes the offset, not the normal.
    return np.ascontiguousarray(vectors * signs[:, None]), axes @ whole[:-1]

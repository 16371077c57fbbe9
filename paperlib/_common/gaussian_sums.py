"""Sums of Gaussian kernels without the kernel matrix, of which one block exists at a time, in the cache.

BLAS computes a block of scaled inner products; one pass over it does exponential, weight and sum.

In units in which ``exp(-gamma ||x - y||^2) = 2**(<a, b> - ||a||^2 / 2 - ||b||^2 / 2)``, the two half squares
are factors of the target's sum and of the source's weight. Where they are small enough that nothing can
overflow, they are multiplied in once, outside the loop over pairs.
"""

import math

import numpy as np
from scipy.sparse import issparse

from paperlib._common.blocked_sums import blocked_sums, direct_sums, few_sums, plain_blocked_sums
from paperlib._common.threads import in_parts

LN2 = math.log(2.0)
_FAR = 2.0**17  # half squared length above which cancellation costs a kernel value more than 1e-10
_PLAIN = 500.0  # half squared length below which 2**half and its inverse cannot overflow, even multiplied
_SINGLE = 60.0  # the same in single precision
_FEW = 24  # with fewer targets the inner loop runs over the sources
_UNDERFLOW = 746.0  # exp of less than minus this is zero
_DENSE = 1 << 20  # entries of sparse targets that are dense at a time
_RUN = 2048  # sources at a time in that loop


class GaussianSums:
    """Sum ``sum_j weights[j] * exp(-gamma ||x - sources[j]||^2)`` as a function of `x`, for many calls.

    Parameters
    ----------
    sources : ndarray of shape (n, d), float64 or float32
        In float32 the sums are computed in single precision; in float64 each kernel value has a relative
        error of about 1e-15 times ``1 + h``, with ``h`` as below.
    weights : ndarray of shape (n,), float64
    gamma : float, > 0
    n_jobs : int >= 1, default=1
        Threads; the sums are the same for any number.

    Notes
    -----
    In single precision a sum is in error by at most ``2**-23 (d + 4) (1 + h) + 2**-16`` times
    ``sum_j |weights[j]| K_j``, where ``h`` is the sum of ``gamma ||x - c||^2`` of the target and the largest
    of a source, and ``c`` the sources' mean. Where ``gamma ||x - c||^2`` of a source or a target exceeds 41,
    the sums that it takes part in are computed in double precision.

    Rows so far from ``c`` that double precision would lose digits, too, are summed by `far_sums`; the other
    rows are as fast as without them.
    """

    def __init__(self, sources, weights, gamma, n_jobs=1):
        self.sources, self.weights, self.gamma, self.n_jobs = sources, weights, gamma, n_jobs
        self._scale = math.sqrt(2.0 * gamma / LN2)
        self._double = None  # the same in double precision, made when first needed
        if len(sources) == 0:
            return
        # The kernel is shift invariant; ||a||^2 + ||b||^2 - 2ab loses the fewest digits for centred points.
        with np.errstate(over="ignore", invalid="ignore"):
            self._centre = sources.mean(axis=0, dtype=np.float64)
        b, half = self._scaled(sources)
        near = half < _FAR
        if not near.all():  # outliers may have moved the mean away from all other rows
            self._centre = np.median(sources.astype(np.float64), axis=0)
            b, half = self._scaled(sources)
            near = half < _FAR
        self._far = np.flatnonzero(~near)
        if self._far.size:
            b, half, weights = b[near], half[near], weights[near]
        largest = half.max(initial=0.0)
        self._single = sources.dtype == np.float32 and largest < _SINGLE
        self._limit = _SINGLE if self._single else _FAR
        self._b, self._half, self._unit = np.ascontiguousarray(b), half, 1.0
        if self._single:
            # Weights of at most 1, since those of any size might leave single precision.
            self._b, self._unit = self._b.astype(np.float32), np.abs(weights).max(initial=0.0) or 1.0
        kind = self._b.dtype
        self._near_weights = (weights / self._unit).astype(kind)
        # Weights with the sources' half squares in them, for the quick sums; None where these could overflow.
        self._plain = None
        if largest < _PLAIN:
            self._plain = (weights / self._unit * np.exp2(-half)).astype(kind)

    def _scaled(self, points):
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = (points - self._centre) * self._scale
            return scaled, 0.5 * np.einsum("ij,ij->i", scaled, scaled)

    def __call__(self, targets):
        """Return the sums for `targets` (m, d), shape (m,), float64; time O(m n d), memory O((m + n) d).

        Sparse targets are made dense a block of rows at a time.
        """
        m, d = targets.shape
        if m == 0 or len(self.sources) == 0:
            return np.zeros(m)
        if issparse(targets):
            rows = max(1, _DENSE // max(1, d))
            return np.concatenate([self(targets[i : i + rows].toarray()) for i in range(0, m, rows)])
        a, half = self._scaled(targets)
        # False for NaN, too, which is what overflow leaves of rows that are very far away.
        near = half < self._limit
        if near.all():
            return self._near(targets, a, half)
        out = np.empty(len(targets))
        out[near] = self._near(targets[near], a[near], half[near])
        out[~near] = self._beyond(targets[~near])
        return out

    def _near(self, targets, a, half):
        blocks = _blocks(a.shape[1])
        # `some` computes the sums of a part of the targets. With a few targets each is summed by itself, so
        # that parts may begin anywhere; else they begin where blocks do.
        if len(a) < _FEW:
            a = np.ascontiguousarray(a, dtype=self._b.dtype)

            def some(part):
                return few_sums(a[part], self._b, half[part], self._half, self._near_weights, _RUN)

            blocks = 1, None, None
        elif self._plain is not None and half.max() < _PLAIN:

            def some(part):
                a_t = np.ascontiguousarray(a[part].T, dtype=self._b.dtype)
                return plain_blocked_sums(a_t, self._b, self._plain, *blocks) * np.exp2(-half[part])

        else:

            def some(part):
                a_t = np.ascontiguousarray(a[part].T)
                return blocked_sums(a_t, self._b, half[part], self._half, self._near_weights, *blocks[:2])

        out = in_parts(some, len(a), blocks[0], self.n_jobs) * self._unit
        # Far sources are in no block, and are added for near targets here; `_beyond` takes all sources.
        if self._far.size:
            out += self._direct(targets, self._far)
        return out

    def _beyond(self, targets):
        if not self._single:
            return self._direct(targets, slice(None))
        if self._double is None:
            self._double = GaussianSums(
                self.sources.astype(np.float64), self.weights, self.gamma, self.n_jobs
            )
        return self._double(targets.astype(np.float64))

    def _direct(self, targets, rows):
        targets, sources = (each.astype(np.float64, copy=False) for each in (targets, self.sources[rows]))
        return far_sums(targets, sources, self.weights[rows], self.gamma, self.n_jobs)

    def __getstate__(self):
        return self.sources, self.weights, self.gamma, self.n_jobs

    def __setstate__(self, state):
        self.__init__(*state)  # type: ignore[misc]  # it has no subclass


def gaussian_sums(targets, sources, weights, gamma, n_jobs=1):
    """Return ``sum_j weights[j] * exp(-gamma * ||targets[i] - sources[j]||^2)`` for every target.

    Time O(m n d), memory O((m + n) d): no m x n matrix is made.

    Parameters
    ----------
    targets : ndarray of shape (m, d), float64 or float32
    sources : ndarray of shape (n, d), float64 or float32
        Their type decides the precision, as `GaussianSums` states.
    weights : ndarray of shape (n,), float64
    gamma : float, > 0
    n_jobs : int >= 1, default=1
        Threads.

    Returns
    -------
    ndarray of shape (m,), float64
    """
    return GaussianSums(sources, weights, gamma, n_jobs)(targets)


def far_sums(targets, sources, weights, gamma, n_jobs=1):
    """Return the sums of `gaussian_sums` for rows that are so far apart that most kernel values are zero.

    Sorted along the coordinate in which they are most spread, only the sources within reach of a target have
    to be looked at. Every kernel value is exact to rounding, whatever the scale of the data.

    Parameters
    ----------
    targets, sources : ndarrays of shape (m, d) and (n, d), float64
    weights, gamma, n_jobs
        As for `gaussian_sums`.

    Returns
    -------
    ndarray of shape (m,), float64
    """
    if len(sources) == 0:
        return np.zeros(len(targets))
    with np.errstate(over="ignore"):
        along = np.argmax(np.ptp(sources, axis=0))
        order = np.argsort(sources[:, along], kind="stable")
        beyond = _UNDERFLOW / gamma
        # A little more, so that rounding leaves out no source that `beyond` lets in.
        reach = math.sqrt(beyond) * (1.0 + 1e-12)
        places, centres = sources[order, along], targets[:, along]
        first = np.searchsorted(places, centres - reach, "left")
        last = np.searchsorted(places, centres + reach, "right")
    sources, weights = sources[order], weights[order]

    def some(part):
        return direct_sums(targets[part], sources, weights, gamma, beyond, first[part], last[part])

    return in_parts(some, len(targets), 1, n_jobs)


def _blocks(d):
    """Return the numbers of targets and of sources in a block, and of sources summed at a time.

    A block fits into the L2 cache. Where its size allows ``m n k <= 10^6``, OpenBLAS multiplies without
    copying the operands first.
    """
    unpacked = 1_000_000 // (96 * d)
    if unpacked < 96:
        return 384, 384, 384
    if unpacked < 192:
        return 96, unpacked, unpacked
    return 192, 192 if unpacked >= 384 else 96, 192

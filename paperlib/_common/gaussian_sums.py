"""Sums of Gaussian kernels without the kernel matrix, of which one block exists at a time, in the cache.

BLAS computes a block of scaled inner products; one pass over it does exponential, weight and sum.

In units in which ``exp(-gamma ||x - y||^2) = 2**(<a, b> - ||a||^2 / 2 - ||b||^2 / 2)``, the two half squares
are factors of the target's sum and of the source's weight. Where they are small enough that nothing can
overflow, they are multiplied in once, outside the loop over pairs.
"""

import math

import numpy as np

from paperlib._common.blocked_sums import blocked_sums, direct_sums, few_sums, plain_blocked_sums

LN2 = math.log(2.0)
_FAR = 2.0**17  # half squared length above which cancellation costs a kernel value more than 1e-10
_PLAIN = 500.0  # half squared length below which 2**half and its inverse cannot overflow, even multiplied
_SINGLE = 60.0  # the same in single precision
_FEW = 24  # with fewer targets the inner loop runs over the sources
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

    Notes
    -----
    In single precision a sum is in error by at most ``2**-23 (d + 4) (1 + h) + 2**-16`` times
    ``sum_j |weights[j]| K_j``, where ``h`` is the sum of ``gamma ||x - c||^2`` of the target and the largest
    of a source, and ``c`` the sources' mean. Where ``gamma ||x - c||^2`` of a source or a target exceeds 41,
    the sums that it takes part in are computed in double precision.

    Rows so far from ``c`` that double precision would lose digits, too, are summed pair by pair; the other
    rows are as fast as without them.
    """

    def __init__(self, sources, weights, gamma):
        self.sources, self.weights, self.gamma = sources, weights, gamma
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
            self._b, self._unit = self._b.astype(np.float32), np.abs(weights).max() or 1.0
        kind = self._b.dtype
        self._near_weights = (weights / self._unit).astype(kind)
        self._plain = None
        if largest < _PLAIN:
            self._plain = (weights / self._unit * np.exp2(-half)).astype(kind)

    def _scaled(self, points):
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = (points - self._centre) * self._scale
            return scaled, 0.5 * np.einsum("ij,ij->i", scaled, scaled)

    def __call__(self, targets):
        """Return the sums for `targets` (m, d), shape (m,), float64; time O(m n d), memory O((m + n) d)."""
        if len(targets) == 0 or len(self.sources) == 0:
            return np.zeros(len(targets))
        a, half = self._scaled(targets)
        near = half < self._limit
        if near.all():
            return self._near(targets, a, half)
        out = np.empty(len(targets))
        out[near] = self._near(targets[near], a[near], half[near])
        out[~near] = self._beyond(targets[~near])
        return out

    def _near(self, targets, a, half):
        if len(a) < _FEW:
            a = np.ascontiguousarray(a, dtype=self._b.dtype)
            out = few_sums(a, self._b, half, self._half, self._near_weights, _RUN)
        elif self._plain is not None and half.max() < _PLAIN:
            a_t = np.ascontiguousarray(a.T, dtype=self._b.dtype)
            out = plain_blocked_sums(a_t, self._b, self._plain, *_blocks(a.shape[1])) * np.exp2(-half)
        else:
            a_t = np.ascontiguousarray(a.T)
            out = blocked_sums(a_t, self._b, half, self._half, self._near_weights, *_blocks(a.shape[1]))
        out *= self._unit
        if self._far.size:
            out += self._direct(targets, self._far)
        return out

    def _beyond(self, targets):
        if not self._single:
            return self._direct(targets, slice(None))
        if self._double is None:
            self._double = GaussianSums(self.sources.astype(np.float64), self.weights, self.gamma)
        return self._double(targets.astype(np.float64))

    def _direct(self, targets, rows):
        targets, sources = (each.astype(np.float64, copy=False) for each in (targets, self.sources[rows]))
        return direct_sums(targets, sources, self.weights[rows], self.gamma)

    def __getstate__(self):
        return self.sources, self.weights, self.gamma

    def __setstate__(self, state):
        self.__init__(*state)  # type: ignore[misc]  # it has no subclass


def gaussian_sums(targets, sources, weights, gamma):
    """Return ``sum_j weights[j] * exp(-gamma * ||targets[i] - sources[j]||^2)`` for every target.

    Time O(m n d), memory O((m + n) d): no m x n matrix is made.

    Parameters
    ----------
    targets : ndarray of shape (m, d), float64 or float32
    sources : ndarray of shape (n, d), float64 or float32
        Their type decides the precision, as `GaussianSums` states.
    weights : ndarray of shape (n,), float64
    gamma : float, > 0

    Returns
    -------
    ndarray of shape (m,), float64
    """
    return GaussianSums(sources, weights, gamma)(targets)


def _blocks(d):
    """Return the numbers of targets and of sources in a block.

    A block fits into the L2 cache. Where its size allows ``m n k <= 10^6``, OpenBLAS multiplies without
    copying the operands first.
    """
    unpacked = 1_000_000 // (96 * d)
    return (96, min(unpacked, 192)) if unpacked >= 32 else (192, 512)

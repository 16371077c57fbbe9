"""Sums of Gaussian kernels, fused: the kernel matrix exists only as one block in the cache.

A block of scaled inner products comes from BLAS; exponential, weight and sum follow in one pass over it.
The exponential is our own, because LLVM vectorises a polynomial and not a call to libm.
"""

import math

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

LN2 = math.log(2.0)
_ROUND = 1.5 * 2.0**52  # adding it rounds a double to an integer, left in its low bits
_SMALLEST = -1022.0  # 2**x below is denormal: taken as 0
_LARGEST_HALF = 2.0**17  # past it ||a||^2 + ||b||^2 - 2ab would cost a kernel value more than 1e-10


# 2**x on [-1/2, 1/2], interpolated at the Chebyshev nodes in 60 digits; the relative error is 3.1e-16.
_C0 = 1.0
_C1 = 0.69314718055995
_C2 = 0.24022650695910097
_C3 = 0.05550410866444772
_C4 = 0.009618129107606888
_C5 = 0.0013333558230164974
_C6 = 0.0001540353044173605
_C7 = 1.5252657260200837e-05
_C8 = 1.321544258792169e-06
_C9 = 1.0208690299958306e-07
_C10 = 7.072585949269223e-09


@intrinsic
def _bits(typingctx, x):
    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], ir.IntType(64))

    return types.int64(types.float64), codegen


@intrinsic
def _double(typingctx, x):
    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.int64), codegen


@intrinsic
def _prefer_wide_vectors(typingctx):
    """Let LLVM use 512-bit registers in the calling kernel, where the processor has them.

    On its own it stays at 256 bits, out of care for scalar code around short loops; here the loop is all
    there is, and BLAS uses the full width next to it. llvmlite has no name for the attribute, hence the
    step around its list of known ones.
    """

    def codegen(context, builder, signature, args):
        set.add(builder.function.attributes, '"prefer-vector-width"="512"')
        return context.get_dummy_value()

    return types.void(), codegen


# `contract` lets multiply-adds fuse, which only removes roundings; nothing else is relaxed.
@njit(cache=True, nogil=True, fastmath={"contract"})
def add_powers_of_two(products, row_half, column_half, weights, out):
    """``out[i] += sum_j weights[j] * 2**(products[j, i] - row_half[i] - column_half[j])``, in place."""
    _prefer_wide_vectors()
    for j in range(products.shape[0]):
        weight = weights[j]
        half = column_half[j]
        row = products[j]
        for i in range(products.shape[1]):
            x = row[i] - row_half[i] - half
            rounded = x + _ROUND
            r = x - (rounded - _ROUND)
            p = _C10 * r + _C9
            p = p * r + _C8
            p = p * r + _C7
            p = p * r + _C6
            p = p * r + _C5
            p = p * r + _C4
            p = p * r + _C3
            p = p * r + _C2
            p = p * r + _C1
            p = p * r + _C0
            power = _double(_bits(p) + (_bits(rounded) << 52))
            out[i] += weight * (power if x > _SMALLEST else 0.0)


@njit(cache=True, nogil=True)
def blocked_sums(targets_t, sources, target_half, source_half, weights, target_block, source_block):
    """Sums over `sources` (n, d) for every column of `targets_t` (d, m), block by block; returns (m,)."""
    _prefer_wide_vectors()  # the sums are inlined here
    m = targets_t.shape[1]
    n = sources.shape[0]
    out = np.zeros(m)
    buffer = np.empty(target_block * source_block)
    for i in range(0, m, target_block):
        i_end = min(m, i + target_block)
        block = np.ascontiguousarray(targets_t[:, i:i_end])
        for j in range(0, n, source_block):
            j_end = min(n, j + source_block)
            products = buffer[: (j_end - j) * (i_end - i)].reshape(j_end - j, i_end - i)
            np.dot(sources[j:j_end], block, products)
            add_powers_of_two(
                products, target_half[i:i_end], source_half[j:j_end], weights[j:j_end], out[i:i_end]
            )
    return out


@njit(cache=True, nogil=True)
def direct_sums(targets, sources, weights, gamma):
    """The same sums from differences, one pair at a time: slower, and exact at any scale."""
    m, d = targets.shape
    out = np.zeros(m)
    for i in range(m):
        total = 0.0
        for j in range(sources.shape[0]):
            squared = 0.0
            for k in range(d):
                difference = targets[i, k] - sources[j, k]
                squared += difference * difference
            total += weights[j] * math.exp(-gamma * squared)
        out[i] = total
    return out


def gaussian_sums(targets, sources, weights, gamma):
    """Return ``sum_j weights[j] * exp(-gamma * ||targets[i] - sources[j]||^2)`` for every target.

    Time O(m n d), memory O((m + n) d): no m x n matrix is made.

    Parameters
    ----------
    targets : ndarray of shape (m, d), float64
    sources : ndarray of shape (n, d), float64
    weights : ndarray of shape (n,), float64
    gamma : float, > 0

    Returns
    -------
    ndarray of shape (m,), float64
    """
    if len(sources) == 0 or len(targets) == 0:
        return np.zeros(len(targets))
    # The kernel is shift invariant; centred, ||a||^2 + ||b||^2 - 2ab loses the fewest digits.
    centre = sources.mean(axis=0)
    scale = math.sqrt(2.0 * gamma / LN2)
    with np.errstate(over="ignore", invalid="ignore"):
        a = (targets - centre) * scale
        b = (sources - centre) * scale
        a_half = 0.5 * np.einsum("ij,ij->i", a, a)
        b_half = 0.5 * np.einsum("ij,ij->i", b, b)
    if not max(a_half.max(), b_half.max()) < _LARGEST_HALF:
        return direct_sums(targets, sources, weights, gamma)
    return blocked_sums(
        np.ascontiguousarray(a.T), np.ascontiguousarray(b), a_half, b_half, weights, *_blocks(a.shape[1])
    )


def _blocks(d):
    """Targets and sources of a block: it stays in L2, and OpenBLAS packs no operand while m n k <= 10^6."""
    unpacked = 1_000_000 // (96 * d)
    return (96, min(unpacked, 192)) if unpacked >= 32 else (192, 512)

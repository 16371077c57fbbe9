"""Weighted sums of powers of two, the inner loop of the Gaussian sums.

The exponential is written as a polynomial, because LLVM can vectorise that, but not a call to libm.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import overload

from paperlib._common.intrinsics import intrinsic, no_effect
from paperlib._common.jit import jit

_ROUND = 1.5 * 2.0**52  # added to a double, it leaves the nearest integer in the low bits of the sum
_SMALLEST = -1022.0  # below it 2**x is subnormal, and is taken as 0

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

# The same for single precision; the relative error is 2.5e-9 before rounding.
_ROUND_SINGLE = np.float32(1.5 * 2.0**23)
_S0 = np.float32(1.0)
_S1 = np.float32(0.6931472067028326)
_S2 = np.float32(0.24022650922288757)
_S3 = np.float32(0.05550327226670302)
_S4 = np.float32(0.009618056678524637)
_S5 = np.float32(0.0013400428177615838)
_S6 = np.float32(0.0001546144469856913)


@intrinsic(lambda x: x.view(np.int64 if x.itemsize == 8 else np.int32))
def _bits(typingctx, x):
    """Return the bits of a float as an integer of the same width."""
    width = x.bitwidth

    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], ir.IntType(width))

    return (types.int64 if width == 64 else types.int32)(x), codegen


@intrinsic(lambda x: x.view(np.float64 if x.itemsize == 8 else np.float32))
def _float(typingctx, x):
    """Return the float that has these bits."""
    kind = ir.DoubleType() if x.bitwidth == 64 else ir.FloatType()

    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], kind)

    return (types.float64 if x.bitwidth == 64 else types.float32)(x), codegen


@intrinsic(no_effect)
def prefer_wide_vectors(typingctx):
    """Let LLVM use 512-bit registers in the calling kernel, where the processor has them.

    By default it stays at 256 bits, because wide registers can slow down the scalar code around a short
    loop. These kernels spend all their time in one long loop, beside a BLAS that uses the full width.
    """

    def codegen(context, builder, signature, args):
        # `set.add` avoids llvmlite's own `add`, which refuses attributes that it does not know.
        set.add(builder.function.attributes, '"prefer-vector-width"="512"')
        return context.get_dummy_value()

    return types.void(), codegen


def power_of_two(x):
    """Return ``2**x`` in the precision of `x`, which must be within +-1022 (double) or +-126 (single).

    For kernels; with ``NUMBA_DISABLE_JIT=1`` for Python, too.
    """
    return _single(x) if isinstance(x, np.float32) else _double(np.float64(x))


@overload(power_of_two, inline="always")
def _power_of_two_by_type(x):
    return _single if x == types.float32 else _double


def _double(x):
    # 2**x = 2**r * 2**n with n the nearest integer to x: the polynomial gives 2**r, and adding n to the
    # exponent bits multiplies by 2**n.
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
    return _float(_bits(p) + (_bits(rounded) << 52))


def _single(x):
    rounded = x + _ROUND_SINGLE
    r = x - (rounded - _ROUND_SINGLE)
    p = _S6 * r + _S5
    p = p * r + _S4
    p = p * r + _S3
    p = p * r + _S2
    p = p * r + _S1
    p = p * r + _S0
    return _float(np.int32(_bits(p) + (_bits(rounded) << 23)))  # int32, because numba adds in 64 bits


# `contract` fuses a multiplication and an addition into one operation with one rounding instead of two. No
# other rule of IEEE arithmetic is relaxed.
@jit(fastmath={"contract"})
def add_powers_of_two(products, row_half, column_half, weights, out):
    """Add ``sum_j weights[j] * 2**(products[j, i] - row_half[i] - column_half[j])`` to ``out[i]``."""
    prefer_wide_vectors()
    for j in range(products.shape[0]):
        weight, half, row = weights[j], column_half[j], products[j]
        for i in range(products.shape[1]):
            x = row[i] - row_half[i] - half
            out[i] += weight * (power_of_two(x) if x > _SMALLEST else 0.0)


@jit(fastmath={"contract"})
def add_plain_powers(products, weights, out):
    """Add ``sum_j weights[j] * 2**products[j, i]`` to ``out[i]``, for exponents that cannot overflow.

    They must be within +-1000 in double precision, within +-120 in single precision.
    """
    prefer_wide_vectors()
    for j in range(products.shape[0]):
        weight, row = weights[j], products[j]
        for i in range(products.shape[1]):
            out[i] += weight * power_of_two(row[i])


@jit(fastmath={"contract"})
def powers_of_two(products, row_half, column_half):
    """Replace ``products[j]`` by ``2**(products[j] - row_half - column_half[j])``."""
    prefer_wide_vectors()
    for j in range(products.shape[0]):
        x = products[j] - row_half - column_half[j]
        products[j] = power_of_two(x) if x > _SMALLEST else 0.0

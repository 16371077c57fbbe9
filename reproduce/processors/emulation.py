"""Older x86-64 processors, emulated: every library is told to use fewer instructions than there are.

Each chooses its code when it starts, by what the processor can do: NumPy's loops, OpenBLAS, LLVM under numba,
and the C library's `exp`, `log`, `sin` and `pow`.
"""

from importlib import import_module

THIS = "this"
_WIDE = ("AVX512F", "AVX512CD", "AVX512BW", "AVX512DQ", "AVX512VL")
_AVX2 = ("AVX", "AVX2", "FMA", "FMA4", "BMI1", "BMI2", "F16C", "LZCNT", "MOVBE")


def environments():
    """Return `{processor: environment variables}`; this processor comes first, with none.

    `avx2` is x86-64-v3, the processors since about 2015; `sse` is x86-64-v2, below which NumPy does not go.
    """
    return {
        THIS: {},
        "avx2": {
            "OPENBLAS_CORETYPE": "Haswell",
            "NPY_DISABLE_CPU_FEATURES": " ".join(_numpy_features(keep=("X86_V3", "AVX2", "FMA3"))),
            "NUMBA_CPU_NAME": "haswell",
            "NUMBA_CPU_FEATURES": "",
            "GLIBC_TUNABLES": _without(_WIDE),
        },
        "sse": {
            "OPENBLAS_CORETYPE": "Nehalem",
            "NPY_DISABLE_CPU_FEATURES": " ".join(_numpy_features()),
            "NUMBA_CPU_NAME": "nehalem",
            "NUMBA_CPU_FEATURES": "",
            "GLIBC_TUNABLES": _without((*_WIDE, *_AVX2)),
        },
    }


def _numpy_features(keep=()):
    """Return what NumPy has faster code for and this processor can do, as only that can be disabled."""
    umath = import_module("numpy._core._multiarray_umath")
    there = umath.__cpu_features__
    return [name for name in umath.__cpu_dispatch__ if there.get(name) and name not in keep]


def _without(features):
    return "glibc.cpu.hwcaps=" + ",".join(f"-{name}" for name in features)

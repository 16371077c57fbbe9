"""What kernels ask of LLVM, or of the processor, and numba has no name for."""

from collections.abc import Callable
from typing import Any

from numba import config, extending


def intrinsic(in_python: Callable[..., Any]) -> Callable[..., Any]:
    """Return a decorator that makes an intrinsic, as numba's does, for kernels that need not be compiled.

    Parameters
    ----------
    in_python : function
        What takes its place with ``NUMBA_DISABLE_JIT=1``, where a kernel is the plain Python function;
        `no_effect` for one that changes no value.

    Examples
    --------
    >>> from numba import types
    >>> from paperlib._common.jit import jit
    >>> @intrinsic(lambda x: x + x)
    ... def twice(typing_context, x):
    ...     return x(x), lambda context, builder, signature, arguments: builder.fadd(*arguments, *arguments)
    >>> @jit
    ... def four_times(x):
    ...     return twice(twice(x))
    >>> four_times(2.5)
    10.0
    """

    def decorate(build: Callable[..., Any]) -> Any:
        return in_python if config.DISABLE_JIT else extending.intrinsic(build)

    return decorate


def no_effect(*arguments: Any) -> None:
    """Do nothing."""

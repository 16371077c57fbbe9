"""Compilation of kernels, cached where a folder can be written; importing a kernel never fails."""

import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

from numba import config, njit, types


def jit(function: Any = None, /, **options: Any) -> Any:
    """Compile `function` in nopython mode, cached on disk; it releases the GIL while it runs.

    What is cached is compiled again when a source of the same paper, or of `_common`, changes.

    Numba looks for a cache folder beside the source, then in the home directory, and raises an error where
    it may write to neither, as in a container that runs under an arbitrary user. The kernel is then cached
    in a folder of the temporary directory, or, if that fails too, compiled again in each process.

    Parameters
    ----------
    function : function
        The kernel; left out where options are given.
    **options
        As for `numba.njit`, such as ``error_model="numpy"``. A kernel with ``"reassoc"`` that other kernels
        call needs ``forceinline=True``: in the process that compiles them a call finds the kernel as it was
        compiled alone, in one that loads them the copy that was compiled with its caller, and the two may add
        up in different orders.

    Returns
    -------
    numba dispatcher, or a decorator where `function` is left out

    Examples
    --------
    >>> @jit
    ... def double(x):
    ...     return 2 * x
    >>> double(21)
    42
    """
    if function is None:
        return partial(jit, **options)
    options = {"nogil": True} | options
    return _alike_for_constants(_stamped(_cached(function, options)))


def _stamped(kernel: Any) -> Any:
    """Have cached code count only while all sources that may be compiled into it are the same.

    Numba looks at the kernel's own file, and would not notice a change of a constant or of a kernel that
    comes from another one.
    """
    name, _, rest = kernel.py_func.__module__.partition(".")
    file = getattr(kernel._cache, "_cache_file", None)  # None where nothing is cached
    if name == "paperlib" and file is not None:
        part = rest.partition(".")[0]
        # A paper's kernels use those of the paper and of `_common`; those of experiments may use any.
        parts = (".",) if part == "experiments" else ("_common", part)
        file._source_stamp = file._source_stamp, _digest(parts)
    return kernel


@cache
def _digest(parts: tuple[str, ...]) -> bytes:
    """Return a digest of all sources in some folders of the package."""
    package, digest = Path(__file__).parents[1], hashlib.sha256()
    for path in sorted({path for part in parts for path in (package / part).rglob("*.py")}):
        digest.update(f"{path.relative_to(package)} {path.stat().st_size}\n".encode() + path.read_bytes())
    return digest.digest()


def _alike_for_constants(kernel: Any) -> Any:
    """Have a kernel that others call with constants compiled once, and not again for each constant."""
    template = kernel.get_call_template

    def without_constants(args: Any, kws: Any) -> Any:
        kws = {name: types.unliteral(value) for name, value in kws.items()}
        return template(tuple(map(types.unliteral, args)), kws)

    kernel.get_call_template = without_constants
    return kernel


def _cached(function: Any, options: dict[str, Any]) -> Any:
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError:  # "no locator available": numba found no folder that it may write to
        pass
    try:
        with _cached_in(_private_folder()):
            return njit(cache=True, **options)(function)
    except (OSError, RuntimeError):
        return njit(**options)(function)


def _private_folder() -> Path:
    """Return a folder in the temporary directory to which no other user can write compiled code."""
    folder = Path(tempfile.gettempdir()) / f"paperlib-kernels-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise PermissionError(f"{folder} must be a folder that only this user can open")
    return folder


@contextmanager
def _cached_in(folder: Path) -> Iterator[None]:
    """Have numba cache in `folder` the kernels that are decorated in the block."""
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        config.CACHE_DIR = before

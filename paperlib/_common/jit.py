"""Compilation of kernels, cached where a folder can be written; importing a kernel never fails."""

import hashlib
import inspect
import os
import pickle
import stat
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import config, njit, types
from numba.core.serialize import dumps

from paperlib._common.signals import keep_results_whole

DIGEST = 10  # bytes before what a cache file holds, and in its name
FORMAT = b"2"  # of cache files; those of another format are removed
RESULTS = "paperlib._common.signals:keep_results_whole"  # compiled into all kernels, and mentioned in none


def jit(function: Any = None, /, **options: Any) -> Any:
    """Compile `function` in nopython mode, cached on disk; it releases the GIL while it runs.

    What is cached is compiled again when the kernel's code changes, or that of something it mentions,
    directly or through others (`code_digest` says what counts); not for a comment.

    Numba looks for a cache folder beside the source, then in the home directory, and raises an error where
    it may write to neither, as in a container that runs under an arbitrary user. The kernel is then cached
    in a folder of the temporary directory, or, if that fails too, compiled again in each process.

    With ``NUMBA_DISABLE_JIT=1`` in the environment a kernel is the plain Python function, which warns of
    no overflow and no 0 / 0, as compiled code does not.

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
    numba dispatcher, or a function with ``NUMBA_DISABLE_JIT=1``; a decorator where `function` is left out

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
    if config.DISABLE_JIT:
        return np.errstate(all="ignore")(function)
    keep_results_whole()
    options = {"nogil": True} | options
    return _alike_for_constants(_stamped(_cached(function, options)))


def uncompiled(kernel: Any) -> Any:
    """Return the Python function that a kernel was made of, with ``NUMBA_DISABLE_JIT=1``, too."""
    return inspect.unwrap(kernel)


class _Files:
    """Stand-in for a kernel's cache files until they are asked for: they are named by the kernel's digest.

    Numba names them by the kernel's line and looks at the age of its own file. So a comment would have
    kernels compiled again, and the change of a constant, or of a kernel from another file, would not.
    """

    def __init__(self, cache: Any) -> None:
        self._cache = cache

    def __getattr__(self, name: str) -> Any:
        cache, function = self._cache, self._cache._py_func
        # Here, because nothing is compiled or loaded before a kernel is called.
        from paperlib._common.code_reach import sources_of

        sources = sources_of("paperlib")
        definition = function.__qualname__.partition(".<locals>")[0]
        items = sources.reached((), called=[f"{function.__module__}:{definition}", RESULTS])
        if sources.are_newer(items):  # an edit that this process has not imported
            cache._cache_file = _NoFiles()
        else:
            digests = "".join(item + sources.digest(item) for item in items)
            own = hashlib.blake2b(digests.encode(), digest_size=DIGEST, salt=FORMAT).hexdigest()
            # "wolfe.nearest-139.py311" -> "wolfe.nearest-<digest>.py311"
            base, dot, version = cache._impl.filename_base.rpartition(".")
            kernel = base.rpartition("-")[0]
            names = f"{kernel}-{own}{dot}{version}"
            if not config.CACHE_DIR:
                _remove_others(Path(cache.cache_path), f"{kernel}-", f"{dot}{version}.", names)
            cache._cache_file = _WholeFiles(Path(cache.cache_path), names, own)
        return getattr(cache._cache_file, name)


class _WholeFiles:
    """Cache files of a kernel, one for each signature, of which one that is damaged is as good as not there.

    A power cut or a full disk leaves files that are empty or cut short. Numba's own class would raise what
    unpickling them does, at every call until somebody deletes them. Its index may also name the file of
    another signature where two processes compile at once; there is none here.
    """

    def __init__(self, folder: Path, base: str, stamp: Any) -> None:
        self._folder, self._base = folder, base
        self._stamp = numba.__version__, stamp

    def load(self, key: Any) -> Any:
        """Return what was compiled for a signature, None where there is no whole file of it."""
        try:
            found = self._path(key).read_bytes()
            digest, content = found[:DIGEST], found[DIGEST:]
            if digest != _digest(content):
                return None
            stamp, known, data = pickle.loads(content)
        except Exception:  # whatever unpickling runs into, such as a class that has another name by now
            return None
        # The file's name has a digest of the key only, so the key itself is compared, too.
        return data if (stamp, known) == (self._stamp, key) else None

    def save(self, key: Any, data: Any) -> None:
        """Keep what was compiled, in a file that other processes see whole or not at all."""
        content = dumps((self._stamp, key, data))
        path = self._path(key)
        part = path.with_name(f".{path.name}.{uuid.uuid4().hex[:16]}")  # readable for all, as umask allows
        try:
            part.write_bytes(_digest(content) + content)
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise

    def flush(self) -> None:
        """Remove all that is kept of the kernel."""
        for path in self._folder.glob(f"{self._base}.*.nbc"):
            path.unlink(missing_ok=True)

    def _path(self, key: Any) -> Path:
        return self._folder / f"{self._base}.{_digest(repr(key).encode()).hex()}.nbc"


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=DIGEST).digest()


def _remove_others(folder: Path, start: str, end: str, but: str) -> None:
    """Remove what was compiled from other texts of a kernel."""
    for path in folder.glob(f"{start}*{end}*nb?"):
        if not path.name.startswith(but):
            with suppress(OSError):
                path.unlink()


class _NoFiles:
    """Cache files of a kernel that is compiled for this process only."""

    def load(self, _key: Any) -> None:
        """Find nothing."""

    def save(self, _key: Any, _data: Any) -> None:
        """Keep nothing."""

    def flush(self) -> None:
        """Remove nothing."""


def _stamped(kernel: Any) -> Any:
    """Have cached code count while what is compiled into it is the same, and no longer."""
    cache = kernel._cache
    if not hasattr(cache, "_cache_file"):
        return kernel  # where nothing is cached
    if kernel.py_func.__module__.partition(".")[0] == "paperlib":
        cache._cache_file = _Files(cache)
    else:
        base, stamp = cache._impl.filename_base, cache._impl.locator.get_source_stamp()
        cache._cache_file = _WholeFiles(Path(cache.cache_path), base, stamp)
    save = cache.save_overload

    def save_where_possible(sig: Any, data: Any) -> None:
        with suppress(OSError):  # a full disk, or a folder that cannot be written any more
            save(sig, data)

    cache.save_overload = save_where_possible
    return kernel


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

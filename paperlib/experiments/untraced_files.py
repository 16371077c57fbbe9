"""Refusal to read files that no trace tells of: what was made from them would outlive an edit of them.

An audit hook sees each file that Python opens. The code of a package may not read data that lie in its
folder beside the modules, be it in a step, in a function that a cell calls, or at an import. A step may read
no file at all but those of Python, of installed packages and of the system, of which the versions count, and
what `datasets.load` reads, of which a checksum stands in its code. What a library of C opens by itself is not
seen, nor another process.

Only the standard library may be imported here: the driver's kernels load this file before anything else.
"""

import contextlib
import os
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Iterator
from pathlib import PurePath
from types import FrameType

CODE = (".py", ".pyc", ".pyd", ".so", ".nbi", ".nbc", ".step")
LOADS = ".datasets"  # the end of the name of a module that may read data: the shared one, or a paper's own
SYSTEM = (
    *("/bin", "/dev", "/etc", "/lib", "/lib64", "/opt", "/proc", "/run", "/sys", "/usr", "/var"),
    *("/Library", "/System"),
)
HIDDEN = (".", "__pycache__")
PACKAGES = set(map(os.path.realpath, [sys.prefix, sys.base_prefix, *sysconfig.get_paths().values()]))
ADVICE = (
    "load it by paperlib/experiments/datasets.py, or a datasets.py that checks what it reads as that does"
)

_packages: list[str] = []  # their folders
_in_step = threading.local()


class UntracedFileError(RuntimeError):
    """File that must not be read, since nothing would be made again after an edit of it.

    >>> issubclass(UntracedFileError, RuntimeError)
    True
    """


def guard(package: str) -> None:
    """Have data in the folder of a package refused from here on, as long as the process lives."""
    if not _packages:
        # Once, for all packages: a hook cannot be removed.
        sys.addaudithook(_look)
    for folder in (os.path.abspath(package), os.path.realpath(package)):
        if folder not in _packages:
            _packages.append(folder)


@contextlib.contextmanager
def refused() -> Iterator[None]:
    """Have this thread read no data within the block."""
    before, _in_step.is_open = getattr(_in_step, "is_open", False), True
    try:
        yield
    finally:
        _in_step.is_open = before


def _look(event: str, args: tuple) -> None:
    if event != "open":
        return
    # What costs least is asked first: this sees every file that the process opens.
    path, _, flags = args
    if not isinstance(path, str | bytes) or not _is_read(flags) or os.fsdecode(path).endswith(CODE):
        return
    path = os.path.realpath(os.fsdecode(path))
    is_beside = any(_is_in(path, folder) and _is_visible(path, folder) for folder in _packages)
    in_step = getattr(_in_step, "is_open", False)
    if not (is_beside or (in_step and _is_data(path))) or not os.path.isfile(path):
        return
    frames = list(_frames())
    if any(str(frame.f_globals.get("__name__")).endswith(LOADS) for frame in frames):
        return
    if in_step or any(_is_in(frame.f_code.co_filename, folder) for frame in frames for folder in _packages):
        where = "beside a module" if is_beside else "in a step"
        raise UntracedFileError(f"{path} must not be read {where}, which would not notice an edit: {ADVICE}")


def _is_read(flags: object) -> bool:
    """Return whether a file is opened for what stands in it already."""
    if not isinstance(flags, int):
        return True
    return flags & os.O_ACCMODE != os.O_WRONLY and not flags & (os.O_TRUNC | os.O_EXCL)


def _is_data(path: str) -> bool:
    """Return whether a file belongs neither to a checkout's build nor to Python, a package or the system."""
    for folder in map(os.path.dirname, _packages):
        if _is_in(path, folder) and folder not in PACKAGES:
            inside = [os.path.join(folder, "build"), *(place for place in PACKAGES if _is_in(place, folder))]
            return _is_visible(path, folder) and not any(_is_in(path, place) for place in inside)
    places = (*PACKAGES, *SYSTEM, os.path.realpath(tempfile.gettempdir()))
    return not any(_is_in(path, place) for place in places) and _is_visible(path, "/")


def _is_in(path: str, folder: str) -> bool:
    return path.startswith(os.path.join(folder, ""))


def _is_visible(path: str, folder: str) -> bool:
    """Return whether no name below the folder is that of a cache, of settings, or of installed packages."""
    parts = PurePath(path).relative_to(folder).parts
    return not any(part.startswith(HIDDEN) or part.endswith(("-info", "-packages")) for part in parts)


def _frames() -> Iterator[FrameType]:
    own = sys._getframe().f_code.co_filename
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if frame.f_code.co_filename != own:
            yield frame
        frame = frame.f_back

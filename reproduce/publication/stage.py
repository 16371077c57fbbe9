"""Publication of a finished folder in one step, so that a reader never sees half of it."""

import ctypes
import errno
import os
import shutil
import sys
import tempfile
from pathlib import Path

from reproduce.errors import DiskError

AT_FDCWD = -100
RENAME_EXCHANGE = 2  # Linux, renameat2
RENAME_SWAP = 2  # macOS, renamex_np
PREVIOUS = "previous"


class Stage:
    """Temporary folder of one run; to be used under the destination's lock only.

    Attributes
    ----------
    folder : Path
        Folder in which each attempt at the run makes its own.
    out : Path
        The folder that will be published.
    """

    def __init__(self, project, destination):
        self.destination = destination
        self.base = project.stage(destination)
        self.discard()  # the remains of a killed run
        _require_writable(destination.folder)
        self.base.mkdir(parents=True, exist_ok=True)  # if that run still writes, it is elsewhere
        self.folder = Path(tempfile.mkdtemp(dir=self.base))
        self.out = self.folder / "out"
        self.out.mkdir()

    def publish(self):
        """Exchange `out` with the published folder, and remove the latter."""
        for path in self.out.rglob("*"):
            if path.is_file():
                _flush(path)
        target = self.destination.folder
        if not target.exists():
            os.rename(self.out, target)
        elif not exchange(self.out, target):
            os.rename(target, self.base / PREVIOUS)  # _recover undoes this after a kill
            os.rename(self.out, target)
        _flush(target.parent)
        self.discard()

    def discard(self):
        self._recover()
        shutil.rmtree(self.base, ignore_errors=True)

    def _recover(self):
        previous = self.base / PREVIOUS
        if previous.exists() and not self.destination.folder.exists():
            self.destination.folder.parent.mkdir(parents=True, exist_ok=True)
            os.rename(previous, self.destination.folder)


def exchange(one, other):
    """Exchange two paths in one step; return False where the system or the file system cannot."""
    libc = ctypes.CDLL(None, use_errno=True)
    a, b = os.fsencode(one), os.fsencode(other)
    try:
        if sys.platform == "darwin":
            failed = libc.renamex_np(a, b, RENAME_SWAP)
        else:
            failed = libc.renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE)
    except AttributeError:
        return False
    if not failed:
        return True
    code = ctypes.get_errno()
    if code in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
        return False
    raise OSError(code, os.strerror(code), str(other))


def _require_writable(target):
    """Raise DiskError before the run starts, rather than when it is published."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise DiskError(f"{target} must be a folder, not a file or a link: move it away and run again")
    for folder in (target.parent, target):
        if folder.exists() and not os.access(folder, os.W_OK):
            raise DiskError(f"cannot write: {folder}: make it writable and run again")


def _flush(path):
    """Write to the disk before the rename; else a power cut could leave a folder of empty files."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

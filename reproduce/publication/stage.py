"""A finished folder put in its place in one step, so that a reader never meets half of it."""

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
    """A temporary folder of one run; to be used under the destination's lock only.

    Attributes
    ----------
    folder : Path
        Where attempts at the run make their own folders.
    out : Path
        The folder that will be published.
    """

    def __init__(self, project, destination):
        self.destination = destination
        self.base = project.stage(destination)
        self.discard()  # the remains of a killed run
        _require_writable(destination.folder)
        self.base.mkdir(parents=True, exist_ok=True)  # such a run may write on, and does not disturb this one
        self.folder = Path(tempfile.mkdtemp(dir=self.base))
        self.out = self.folder / "out"
        self.out.mkdir()

    def publish(self):
        """Swap `out` with what is published now, and drop the latter."""
        for path in self.out.rglob("*"):
            if path.is_file():
                _flush(path)
        target = self.destination.folder
        if not target.exists():
            os.rename(self.out, target)
        elif not exchange(self.out, target):
            os.rename(target, self.base / PREVIOUS)  # a kill from here on is made good by _recover
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
    """Swap two paths in one step; False where the system or the file system cannot."""
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
    """Raise before an hour of computing, not after it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise DiskError(f"{target} is not a folder of its own: move it away and run again")
    for folder in (target.parent, target):
        if folder.exists() and not os.access(folder, os.W_OK):
            raise DiskError(f"cannot write: {folder}: make it writable and run again")


def _flush(path):
    """Write onto the disk before the rename, or a power cut could leave a whole folder of empty files."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

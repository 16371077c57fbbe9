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
        target = destination.folder
        self.beside = target.with_name(f".{target.name}.stage")  # where build/ is on another disk
        self.discard()  # the remains of a killed run
        _require_writable(target)
        self.base.mkdir(parents=True, exist_ok=True)  # if that run still writes, it is elsewhere
        self.folder = Path(tempfile.mkdtemp(dir=self.base))
        self.out = self.folder / "out"
        self.out.mkdir()

    def publish(self):
        """Exchange `out` with the published folder, and remove the latter.

        Where these are on different disks, or mounts, `out` is copied first: all that is seen of a
        publication is the exchange.
        """
        _flush_files(self.out)
        try:
            self._replace(self.out, self.base)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            copy = shutil.copytree(self.out, self.beside / "out", symlinks=True)
            _flush_files(copy)
            self._replace(copy, self.beside)
        # The new names are on the disk, too, before the old results are removed.
        _flush(self.destination.folder.parent)
        self.discard()

    def discard(self):
        """Put back results that a kill has left half replaced, then remove what is left of the stage."""
        for base in (self.base, self.beside):
            self._recover(base / PREVIOUS)
            shutil.rmtree(base, ignore_errors=True)

    def _replace(self, out, base):
        target = self.destination.folder
        if not target.exists():
            os.rename(out, target)
        # After an exchange the old results are at `out`, and go with the stage.
        elif not exchange(out, target):
            os.rename(target, base / PREVIOUS)  # _recover undoes this after a kill
            os.rename(out, target)

    def _recover(self, previous):
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
    # An older kernel, or a file system that renames but does not exchange.
    if code in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
        return False
    raise OSError(code, os.strerror(code), str(other))


def _require_writable(target):
    """Raise DiskError before the run starts, rather than when it is published."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise DiskError(f"{target} must be a folder, not a file or a link: move it away and run again")
    if _is_mounted(target):
        raise DiskError(
            f"{target} must not be a mount, which nothing can replace: mount {target.parent} instead"
        )
    for folder in (target.parent, target):
        if folder.exists() and not os.access(folder, os.W_OK):
            raise DiskError(f"cannot write: {folder}: make it writable and run again")


def _is_mounted(path):
    """Return whether something is mounted at a path, be it of the same disk."""
    try:
        mounts = Path("/proc/self/mountinfo").read_text(errors="surrogateescape").splitlines()
    except OSError:
        return os.path.ismount(path)
    # As the kernel writes it there; the backslash first, or those that stand for spaces would be replaced.
    shown = str(path.resolve()).replace("\\", r"\134").replace(" ", r"\040")
    return shown in {line.split()[4] for line in mounts}


def _flush_files(folder):
    for path in folder.rglob("*"):
        if path.is_file():
            _flush(path)


def _flush(path):
    """Write to the disk before the rename; else a power cut could leave a folder of empty files."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

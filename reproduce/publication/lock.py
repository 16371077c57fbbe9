"""Locks, so that one driver at a time writes to a destination."""

import fcntl
import os
from contextlib import contextmanager


class Lock:
    """Lock file, present while it is locked; the system releases it however this process ends."""

    def __init__(self, path):
        self.path = path
        self.handle = None

    def acquire(self, blocking=True):
        """Take the lock and return True; without `blocking`, return False if another process holds it."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        while True:
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | (0 if blocking else fcntl.LOCK_NB))
                # Else the last holder removed the file between `open` and `flock`: whoever comes next would
                # make another one, and both would hold a lock.
                if self._is_at_path(handle):
                    self.handle = handle
                    return True
            except BlockingIOError:
                return False
            finally:
                if self.handle != handle:
                    os.close(handle)

    def release(self):
        """Release the lock and remove its file, of which a sweep has thousands."""
        # While it is still locked: removed later, it could be a file that the next holder has locked.
        self.path.unlink(missing_ok=True)
        os.close(self.handle)
        self.handle = None

    def _is_at_path(self, handle):
        """Return whether the open file is still at its path; the last holder may have removed it."""
        try:
            return os.path.samestat(os.fstat(handle), os.stat(self.path))
        except FileNotFoundError:
            return False


@contextmanager
def held(path, on_wait=lambda: None):
    """Hold an exclusive lock on `path`; call `on_wait` first if another process holds it."""
    lock = Lock(path)
    if not lock.acquire(blocking=False):
        on_wait()
        lock.acquire()
    try:
        yield
    finally:
        lock.release()

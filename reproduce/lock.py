"""One driver at a time per destination."""

import fcntl
import os
from contextlib import contextmanager


@contextmanager
def held(path, on_wait=lambda: None):
    """Hold an exclusive lock on `path`; the kernel releases it however this process ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            on_wait()
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)

"""End a kernel whose result nobody waits for any more."""

import threading
from contextlib import contextmanager

EVERY = 0.5  # seconds


@contextmanager
def killed_when(unwanted):
    """Ask, while the block runs, and kill the kernels in the list that is yielded once the answer is yes.

    A worker of an existing cluster outlives the driver, and Python cannot end the thread that waits for the
    kernel; without its kernel it ends by itself.
    """
    kernels = []
    over = threading.Event()

    def ask():
        while not over.wait(EVERY):
            if unwanted():
                for process in kernels:
                    process.kill()

    thread = threading.Thread(target=ask, name="reproduce-watch", daemon=True)
    thread.start()
    try:
        yield kernels
    finally:
        over.set()
        thread.join()

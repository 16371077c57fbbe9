"""Ctrl-C and SIGTERM, held back while the workers start or end."""

import signal
from contextlib import contextmanager
from multiprocessing import resource_tracker

BOTH = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def deferred():
    """Hold both back until the block has ended; processes started in it never get Ctrl-C.

    A terminal sends Ctrl-C to the whole group of processes. Children inherit what is blocked here, so only
    this process gets it, and ends them in order.
    """
    noted = []
    resource_tracker.ensure_running()  # else multiprocessing starts it midway, and unblocks SIGINT after it
    with restored():
        for number in BOTH:
            signal.signal(number, lambda number, _: noted.append(number))
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    if noted:
        raise KeyboardInterrupt


@contextmanager
def restored():
    """Leave the handlers as they were."""
    handlers = {number: signal.getsignal(number) for number in BOTH}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def ignore():
    """Ignore both from here on: the end is in order already, and a second Ctrl-C must not cut it short."""
    for number in BOTH:
        signal.signal(number, signal.SIG_IGN)

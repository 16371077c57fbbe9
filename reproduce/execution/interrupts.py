"""Delayed Ctrl-C and SIGTERM while the workers start or end."""

import signal
from contextlib import contextmanager
from multiprocessing import resource_tracker

BOTH = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def deferred():
    """Delay both signals until the block has ended; processes started in the block never get Ctrl-C.

    A terminal sends Ctrl-C to the whole process group. Child processes inherit the blocked signals, so only
    this process gets Ctrl-C, and ends the others in order.
    """
    noted = []
    resource_tracker.ensure_running()  # else multiprocessing starts it in the block, and then unblocks SIGINT
    with restored():
        for number in BOTH:
            signal.signal(number, lambda number, _: noted.append(number))
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            # A Ctrl-C that came meanwhile is delivered here, while the handler still only notes it.
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    if noted:
        raise KeyboardInterrupt


@contextmanager
def restored():
    """Restore the signal handlers after the block."""
    handlers = {number: signal.getsignal(number) for number in BOTH}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def ignore():
    """Ignore both signals from now on: a second Ctrl-C must not interrupt an orderly end."""
    for number in BOTH:
        signal.signal(number, signal.SIG_IGN)

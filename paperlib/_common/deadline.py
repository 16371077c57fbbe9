"""A point in time, or an amount of work, by which a search is to end."""

import contextvars
import math
import threading
import time
from collections.abc import Callable
from typing import Any

from paperlib._common.validation import check_number

LOOK = 0.2  # seconds between two looks at the clock, and for signals on systems where a wait hears none


class LimitReached(Exception):
    """The time, or the work, that a search was given is used up; the message says which."""


class Deadline:
    """The end of a time limit that begins now; without one, of an amount of work, the same on any machine.

    Parameters
    ----------
    seconds : float > 0, or None
        None is no limit.
    work : float, optional
        What may be spent, in the searcher's own units. It counts only where there is no time limit.

    Attributes
    ----------
    on_spend : callable or None
        Called by `spend`, for lines of progress.

    Examples
    --------
    >>> Deadline(None).is_over(), Deadline(1e-9).is_over()
    (False, True)
    >>> Deadline(None).call(math.hypot, 3.0, 4.0)
    5.0
    >>> Deadline(0.1).call(time.sleep, 10.0)
    Traceback (most recent call last):
    ...
    paperlib._common.deadline.LimitReached: time limit
    >>> deadline = Deadline(None, work=10)
    >>> deadline.spend(8)
    >>> deadline.spend(8)
    Traceback (most recent call last):
    ...
    paperlib._common.deadline.LimitReached: work limit
    """

    def __init__(self, seconds: float | None, work: float = math.inf) -> None:
        if seconds is not None:
            seconds = check_number(seconds, "time_limit", low=0, open_low=True)
        self._end = None if seconds is None else time.monotonic() + seconds
        self._work = work if seconds is None else math.inf
        self.on_spend: Callable[[], None] | None = None

    def is_over(self) -> bool:
        """Return whether the time is up."""
        return self._end is not None and time.monotonic() >= self._end

    def left(self) -> float | None:
        """Return the seconds left, 0 if the time is up; None without a limit."""
        return None if self._end is None else max(self._end - time.monotonic(), 0.0)

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return ``function(*arguments)``, which may be deaf to the limit and to Ctrl-C, as LAPACK is.

        It runs in a thread of its own. Where the time is up first, that is left behind, to end by itself,
        and this raises `LimitReached`. A process that ends meanwhile waits for it: HiGHS has threads in C++,
        and a process that ends under them is aborted.
        """
        found: dict[str, Any] = {}

        def run() -> None:
            try:
                found["value"] = context.run(function, *arguments)
            except BaseException as error:
                found["error"] = error

        context = contextvars.copy_context()
        thread = threading.Thread(target=run)
        thread.start()
        while thread.is_alive():
            left = self.left()
            thread.join(LOOK if left is None else min(LOOK, left))
            # What was found by the end of the last wait still counts, though the time is up.
            if not found and self.is_over():
                raise LimitReached("time limit")
        if "error" in found:
            raise found["error"]
        return found["value"]

    def spend(self, work: float = 0.0) -> None:
        """Count work that was done, and raise `LimitReached` where that is too much, or the time is up."""
        self._work -= work
        if self.on_spend is not None:
            self.on_spend()
        if self._work < 0.0:
            raise LimitReached("work limit")
        if self.is_over():
            raise LimitReached("time limit")


NO_LIMIT = Deadline(None)

"""A point in time, or an amount of work, by which a search is to end."""

import math
import time
from collections.abc import Callable

from paperlib._common.validation import check_number


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

    def spend(self, work: float = 0.0) -> None:
        """Count work that was done, and raise `LimitReached` where that is too much, or the time is up."""
        self._work -= work
        if self.on_spend is not None:
            self.on_spend()
        if self._work < 0.0:
            raise LimitReached("work limit")
        if self.is_over():
            raise LimitReached("time limit")

"""How long a search for outliers may go on."""

import math
import time


class Spent(Exception):
    """The time, or the work, that a search was given is used up; `reason` says which."""

    def __init__(self, reason):
        super().__init__(reason)
        self.reason = reason


class Budget:
    """A time limit, and a limit on work that does not hang on the clock.

    Parameters
    ----------
    time_limit : float or None
        Seconds from now on.
    work : float
        Numbers of the data that may be read; only without a time limit.

    Examples
    --------
    >>> budget = Budget(None, work=10)
    >>> budget.use(8)
    >>> budget.use(8)
    Traceback (most recent call last):
    ...
    paperlib.coresets._outliers.budget.Spent: work limit
    """

    def __init__(self, time_limit=None, work=math.inf):
        self._end = math.inf if time_limit is None else time.monotonic() + time_limit
        self._work = work if time_limit is None else math.inf

    @property
    def seconds_left(self):
        return max(0.0, self._end - time.monotonic())

    def use(self, work=0.0):
        """Count work that was done; raise `Spent` when a limit is passed."""
        self._work -= work
        if self._work < 0.0:
            raise Spent("work limit")
        if self._end < math.inf and time.monotonic() >= self._end:
            raise Spent("time limit")

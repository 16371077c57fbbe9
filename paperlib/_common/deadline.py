"""A point in time by which a search is to end."""

import time

from paperlib._common.validation import check_number


class Deadline:
    """The end of a time limit that begins now.

    Parameters
    ----------
    seconds : float > 0, or None
        None is no limit.

    Examples
    --------
    >>> Deadline(None).is_over(), Deadline(1e-9).is_over()
    (False, True)
    """

    def __init__(self, seconds: float | None) -> None:
        if seconds is not None:
            seconds = check_number(seconds, "time_limit", low=0, open_low=True)
        self._end = None if seconds is None else time.monotonic() + seconds

    def is_over(self) -> bool:
        """Return whether the time is up."""
        return self._end is not None and time.monotonic() >= self._end

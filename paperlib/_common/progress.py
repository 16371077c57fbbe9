"""Lines about a search that takes long."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from paperlib._common.validation import check_number

EVERY = 1.0  # seconds between two lines, at least


def check_verbose(verbose: Any) -> bool:
    """Return whether to print, or raise ``ValueError`` unless `verbose` is True, False or an integer >= 0."""
    level = int(verbose) if isinstance(verbose, bool | np.bool_) else verbose
    return check_number(level, "verbose", low=0, integer=True) > 0


class Progress:
    """Print how far a search has come, at most about once a second.

    Parameters
    ----------
    verbose : bool or int >= 0
        Zero prints nothing.
    name : str
        Of the estimator, at the head of each line.

    Examples
    --------
    >>> progress = Progress(True, "Search")
    >>> progress.tell(lambda: "margin 0.5")  # not a second has passed
    >>> progress.end(lambda: "margin 0.7")
    [Search] 0.0 s: margin 0.7
    >>> Progress(False, "Search").end(lambda: "margin 0.7")
    """

    def __init__(self, verbose: bool | int, name: str) -> None:
        self._on = check_verbose(verbose)
        self._name, self._begin = name, time.monotonic()
        self._next = self._begin + EVERY

    def tell(self, words: Callable[[], str]) -> None:
        """Print ``words()``, unless the last line is less than a second old."""
        if self._on and time.monotonic() >= self._next:
            self.end(words)

    def end(self, words: Callable[[], str]) -> None:
        """Print ``words()``."""
        if self._on:
            now = time.monotonic()
            self._next = now + EVERY
            print(f"[{self._name}] {now - self._begin:.1f} s: {words()}", flush=True)

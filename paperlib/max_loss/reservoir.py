"""k iterates drawn uniformly from all rounds so far, with only those k in memory."""

from collections.abc import Callable
from typing import Any

import numpy as np

from paperlib._common.validation import check_number

NEVER = np.iinfo(np.int64).max
MOST = 1_000_000  # iterates


class Reservoir:
    """Hold k independent draws from rounds 1 to t, for every t, whatever the number of rounds will be.

    At round t each place takes the current iterate with probability 1/t. The next time that it does, after
    round t, is ``floor(t / u) + 1`` for a uniform u, so that only those rounds need looking at: about
    ``k log t`` of them.

    Parameters
    ----------
    k : int in [0, 1,000,000]
    rng : numpy.random.Generator

    Attributes
    ----------
    items : list of k objects
    times : ndarray of shape (k,)
        The round of each, from 1.

    Examples
    --------
    >>> import numpy as np
    >>> reservoir = Reservoir(2, np.random.default_rng(0))
    >>> for t in range(1, 11):
    ...     reservoir.offer(t, lambda: f"w_{t}")
    >>> reservoir.items
    ['w_4', 'w_3']
    """

    def __init__(self, k: int, rng: np.random.Generator) -> None:
        k = check_number(k, "k", low=0, high=MOST, integer=True)
        if not hasattr(rng, "random"):
            raise ValueError(f"rng must be a numpy.random.Generator, got {rng!r}")
        self.items: list[Any] = [None] * k
        self.times = np.zeros(k, dtype=np.int64)
        self._next = np.ones(k, dtype=np.int64)
        self._rng = rng
        self.due = 1 if k else NEVER

    def offer(self, t: int, snapshot: Callable[[], Any]) -> None:
        """Take what `snapshot()` returns at round `t`, if it is due.

        Parameters
        ----------
        t : int in [1, due]
            No round that is due may be left out.
        snapshot : callable
            Called without arguments, and only if the round is due.

        Raises
        ------
        ValueError
            For a `t` out of its range, or for a `snapshot` that cannot be called when it is due.
        """
        if type(t) is int and 0 < t < self.due:  # once in every round, so nothing else is looked at
            return
        if check_number(t, "t", low=1, high=self.due, integer=True) < self.due:
            return
        if not callable(snapshot):
            raise ValueError(f"snapshot must be callable, got {snapshot!r}")
        taken = snapshot()
        # Given round t, the next round r > t has P(next > r) = t / r, which floor(t / u) + 1 has. A round
        # beyond 2^62 will not be played.
        for place in np.flatnonzero(self._next == t):
            self.items[place], self.times[place] = taken, t
            self._next[place] = int(min(t / (1.0 - self._rng.random()), 2.0**62)) + 1
        self.due = int(self._next.min())

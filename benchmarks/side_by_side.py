"""Time two callables fairly, and the shape of a result."""

import statistics
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Comparison:
    """Medians in `unit`; `target` is the ratio peer / ours that the project wants, if it states one."""

    what: str
    ours: float
    peer: float
    peer_name: str
    target: float | None = None
    note: str = ""
    unit: str = "s"

    @property
    def ratio(self):
        return self.peer / self.ours

    @property
    def holds(self):
        return "" if self.target is None else ("yes" if self.ratio >= self.target else "no")


def seconds_of(call):
    """Return how long one call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def alternate(ours, peer, repeats=7):
    """Return the median seconds of each after one uncounted call, timed in turn: drift meets both alike."""
    ours(), peer()
    seconds = {ours: [], peer: []}
    for _ in range(repeats):
        for call in (ours, peer):
            seconds[call].append(seconds_of(call))
    return statistics.median(seconds[ours]), statistics.median(seconds[peer])

"""Work on the parts of a range on several threads, with the result of one thread."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from threading import Event, Lock

import numpy as np
from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

from paperlib._common.signals import ended_by
from paperlib._common.typing import Floats
from paperlib._common.validation import check_number


def check_n_jobs(n_jobs: int | None) -> int:
    """Return the number of threads: 1 for None, all cores for -1, all but one for -2, as in scikit-learn.

    >>> check_n_jobs(None), check_n_jobs(3)
    (1, 3)
    """
    if n_jobs is None:
        return 1
    try:
        if check_number(n_jobs, "n_jobs", integer=True) == 0:
            raise ValueError
    except ValueError:
        raise ValueError(f"n_jobs must be None or an integer other than 0, got {n_jobs!r}") from None
    return effective_n_jobs(int(n_jobs))


def in_parts(function: Callable[[slice], Floats], n: int, block: int, n_jobs: int) -> Floats:
    """Return ``function(slice(0, n))``, whose result for a slice is (its length,), by up to `n_jobs` threads.

    The parts begin at multiples of `block`. A function that works by such blocks gets the same blocks as on
    one thread, and so gives the same bytes. BLAS is kept to one thread meanwhile: two of its own for each of
    ours would wait for each other. That limit is the whole process's, so calls from several threads take
    turns: one that began within another's time would restore the other's one thread, for good.

    Examples
    --------
    >>> squares = np.arange(5.0) ** 2
    >>> in_parts(lambda part: squares[part], 5, 2, n_jobs=2).tolist()
    [0.0, 1.0, 4.0, 9.0, 16.0]
    """
    blocks = -(-n // block)
    threads = min(n_jobs, blocks)
    if threads <= 1:
        return function(slice(0, n))
    ends = [min(n, block * (blocks * i // threads)) for i in range(threads + 1)]
    broken_off = Event()

    def run(part: slice) -> Floats:
        with ended_by(broken_off):
            return function(part)

    with _turn, _controller().limit(limits=1, user_api="blas"), ThreadPoolExecutor(threads) as pool:
        try:
            return np.concatenate(list(pool.map(run, map(slice, ends, ends[1:]))))
        except BaseException:
            broken_off.set()  # Ctrl-C is heard here only, and the pool waits for its threads
            raise


_turn = Lock()


@lru_cache(1)
def _controller():
    return ThreadpoolController()  # looks through all libraries that are loaded, once

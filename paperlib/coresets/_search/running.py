"""A search from the first row to its end, by the rule that is asked for."""

import numpy as np

from paperlib.coresets._kernel_solver.growing import by_growing
from paperlib.coresets._kernel_solver.pool import KernelPool
from paperlib.coresets._search.reports import say
from paperlib.coresets._search.search import by_batches, by_first, by_worst


def run(clf, search, rng, seen=None):
    """Run `search` by the rule of `clf`, and raise or warn where it did not end as it should.

    `seen` are the rows to begin with, where there are any.
    """
    with np.errstate(under="ignore"):
        if clf.selection == "worst":
            stop = by_worst(search)
        elif clf.selection == "first":
            stop = by_first(search)
        elif isinstance(search.coreset, KernelPool):
            stop = by_growing(search, rng, seen)
        else:
            stop = by_batches(search, rng, seen)
    search.rows.meet_both_labels()
    search.coreset.check_size()
    say(clf, search, stop)
    search.limits.end(search.describe)

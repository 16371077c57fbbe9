"""CORESET SVM with a kernel: a coreset that grows by a share of itself from pass to pass."""

from paperlib.coresets._kernel_solver.pool import HELD
from paperlib.coresets._search.search import ABOVE, BATCH, CERTIFIED, FINER, STALLED, one_pass

FIRST = 256  # rows of the sample
FEW = 1024  # rows that are all taken in at once
NEARLY = 0.95  # share of a coreset that bears weight, from which on all data may as well join
LEAST = 128  # violators taken in after a pass


def by_growing(search, rng, seen=None):
    """Solve for a sample, read all data, take in the worst of them, and again.

    At most as many join as bear weight: a hyperplane far from the last one picks points that later ones have
    no use for. Where nearly all bear weight, all that violate join, if their matrix has room. Where `seen` is
    given, row numbers, these are the sample.
    """
    rows, coreset = search.rows, search.coreset
    if seen is not None:
        stop = search.take(rows.take(seen))
    elif hasattr(rows, "sample"):
        stop = search.take(rows.sample(FIRST if rows.n > FEW else FEW, rng))
    else:
        stop, clean = one_pass(search, BATCH)
        if clean and stop is None:
            return CERTIFIED
    while stop is None:
        batch = max(LEAST, len(coreset.support()))
        if batch >= NEARLY * len(coreset) and rows.n**2 <= HELD:
            batch = rows.n
        # The coreset's own points lie at its margin and come along, as do copies; `violators` drops both.
        found = rows.scan(coreset.plane, coreset.margin * ABOVE, len(coreset) + 2 * batch)
        if search.achieved(found.margins.min()):
            return CERTIFIED
        new = search.violators(found, FINER * search.eps, batch)
        if len(new.indices) == 0:
            return STALLED
        stop = search.take(new)
    return stop

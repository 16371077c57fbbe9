"""CORESET SVM (Figure 1): take in violators until the hyperplane of the coreset does for all data."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.exceptions import ConvergenceWarning

from paperlib._common.caller_warning import warn_caller
from paperlib._common.chunks import is_dask
from paperlib._common.deadline import Deadline
from paperlib._common.progress import Progress
from paperlib._common.rounding import ascending, first_smallest
from paperlib._common.validation import check_number
from paperlib.coresets._kernel_solver.pool import HELD, HeldRows, KernelPool
from paperlib.coresets._search.rows import ArrayRows, ChunkedRows, Found, Pool, SparseRows
from paperlib.coresets._solver.coresets import Coreset, KernelPlane, LinearPlane, required

BATCH = 64  # violators taken in between two solvings
ABOVE = 1.0 + 1e-9  # a scan looks this far above the coreset's margin, where its own points lie
FINER = 0.25  # share of eps that rows in memory are held to, so that the read of all data finds few others
ENTRIES = 1 << 20  # numbers that rows fetched in one scan may hold: 8 MB
# In the space of a kernel.
FIRST = 256  # rows of the sample
FEW = 1024  # rows that are all taken in at once
NEARLY = 0.95  # share of a coreset that bears weight, from which on all data may as well join
LEAST = 128  # violators taken in after a pass

CERTIFIED, ORIGIN, STALLED, BUDGET = "certified", "origin", "stalled", "budget"


class Limits:
    """Iterations and seconds that a search may take, from now on.

    Parameters
    ----------
    max_iter : int >= 1
    time_limit : float > 0, or None
    verbose : bool or int >= 0
    name : str
        Of the estimator.
    unit : str
        Of `max_iter`.

    Attributes
    ----------
    deadline : Deadline
    tell, end : callables
        Print what a function returns, `tell` about once a second at most.
    why : str
        The limit that was reached.
    """

    def __init__(self, max_iter, time_limit, verbose, name, unit="iterations"):
        self.max_iter = check_number(max_iter, "max_iter", low=1, integer=True)
        self.deadline = Deadline(time_limit)
        progress = Progress(verbose, name)
        self.tell, self.end = progress.tell, progress.end
        self.why = ""
        self._words = f"max_iter={max_iter} {unit}", f"time_limit={time_limit} seconds"

    def reached(self, n_iter):
        """Return whether a limit is reached after so many iterations."""
        if n_iter >= self.max_iter:
            self.why = self._words[0]
        elif self.deadline.is_over():
            self.why = self._words[1]
        return bool(self.why)


@dataclass
class Search:
    """One run of the algorithm.

    Attributes
    ----------
    coreset : Coreset
    rows : rows of all data
    eps : float in (0, 1)
    limits : Limits, of how often the coreset is solved, and of time
    margin, plane : the largest margin achieved on all data so far, and by what
    added : list of float
        Smallest margin of the points taken in at each iteration, to the hyperplane before.
    """

    coreset: Coreset
    rows: Any
    eps: float
    limits: Limits
    margin: float = -np.inf
    plane: LinearPlane | KernelPlane | None = None
    added: list[float] = field(default_factory=list)

    def take(self, found):
        """Add points to the coreset; return the reason to stop, None where there is none."""
        if len(found.margins):
            self.added.append(float(found.margins.min()))
        self.coreset.add(found.indices, found.rows, found.signs)
        if not self.coreset.separable:
            return ORIGIN
        self.limits.tell(self.describe)
        return BUDGET if self.limits.reached(len(self.coreset.path)) else None

    def describe(self):
        """Return words on how far it is."""
        coreset = self.coreset
        size = f"iteration {len(coreset.path)}, {len(coreset)} points, {self.rows.n_passes} passes"
        return f"{size}, margin {self.margin:.6g}, upper bound {coreset.margin:.6g}"

    def achieved(self, margin):
        """Keep the margin of the coreset's hyperplane on all data; return whether it is enough."""
        if margin > self.margin or self.plane is None:
            self.margin, self.plane = margin, self.coreset.plane
        # The coreset's own, whose certificate it is, though one before may have achieved more.
        if margin >= required(self.coreset.margin, self.eps):
            self.margin, self.plane = margin, self.coreset.plane
            return True
        return False

    def look_at_the_data(self):
        """Find what a hyperplane achieves on all data, when the search ended before it came to that."""
        coreset, plane = self.coreset, self.coreset.plane
        if plane is None:  # the first point was the origin itself: any hyperplane will do
            plane = coreset.some_plane(first_row(self.rows))
        self.margin, self.plane = float(self.rows.scan(plane, np.inf, 1).margins[0]), plane

    def violators(self, found, eps, batch):
        """Return at most `batch` of the rows found: those that violate, no copies, none of the coreset."""
        bad = found.margins < required(self.coreset.margin, eps)
        bad[bad] = self.coreset.new(found.indices[bad])
        at = np.flatnonzero(bad)
        if batch > 1 and len(at) > 1:  # copies of a point have one margin, so they come side by side
            signed = found.signs[at, None] * found.rows[at]
            at = at[np.append(True, (signed[1:] != signed[:-1]).any(axis=1))]
        return Found(*(part[at[:batch]] for part in found))

    def grow(self, rows, eps, batch, everything):
        """Take in the worst of `rows`, `batch` at a time, until none violates; return the reason to stop."""
        while True:
            most = batch if batch == 1 else max(batch, len(self.coreset) // 2)
            # More than are taken in, since copies, and points of the coreset, are dropped.
            found = rows.scan(
                self.coreset.plane, self.coreset.margin * ABOVE, most if most == 1 else 4 * most
            )
            if everything and self.achieved(found.margins.min()):
                return CERTIFIED
            new = self.violators(found, eps, most)
            if len(new.indices) == 0:
                # The worst of all data falls short, though it is in the coreset already: by rounding.
                return STALLED if everything else CERTIFIED
            if (stop := self.take(new)) is not None:
                return stop


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


def rows_of(X, signs, coreset, constant):
    """Return the rows of `X` (n, d) for a search that grows `coreset`.

    `signs` (n,), of int8, are -1, +1, or 0 for a row that is left out, and are taken over; `constant` is what
    the space of the normals adds to the squared norm of a row.
    """
    if is_dask(X):
        return ChunkedRows(X, signs)
    if issparse(X):
        return SparseRows(X, signs)
    if isinstance(coreset, KernelPool):
        return HeldRows(X, signs, coreset)
    return ArrayRows(X, signs, coreset, constant)


def by_worst(search):
    """Take in one point an iteration, the worst of all data: the rule of Figure 1."""
    stop = search.take(first_row(search.rows))
    return stop or search.grow(search.rows, search.eps, 1, everything=True)


def by_first(search):
    """Take in the first violator that is met, pass after pass (Corollary 3.2)."""
    while True:
        stop, clean = one_pass(search, 1)
        if stop is not None or clean:
            return stop or CERTIFIED


def by_batches(search, rng, seen=None):
    """Solve for a sample, read all data for what it missed, and again with that: few passes.

    A sample of r rows leaves about ``n d / r`` violators, which join it (Clarkson). Only scans of all data
    count for the certificate. Where `seen` is given, row numbers, these are the sample.
    """
    rows, width = search.rows, 0
    if hasattr(rows, "sample"):
        taken = None if seen is None else rows.take(seen)
        pool = Pool(taken or rows.sample(sample_size(rows.n, rows.X.shape[1]), rng))
        norms = search.coreset.norms(pool.rows)
        # No margin exceeds the norm of a point, so that the shortest one gives the lowest bound.
        at = [first_smallest(norms)]
        stop = search.take(Found(pool.indices[at], np.empty(0), pool.rows[at], pool.signs[at]))
        width = pool.rows.shape[1]
    else:
        stop, clean = one_pass(search, BATCH)
        if stop is not None or clean:
            return stop or CERTIFIED
        width = rows.n_features
        pool = Pool(Found(np.zeros(0, dtype=int), np.empty(0), np.zeros((0, width)), np.zeros(0)))
    count = max(4 * BATCH, ENTRIES // width)
    finer = FINER * search.eps
    solved = -1
    while stop is None:
        if len(pool.indices):
            stop = search.grow(pool, finer, BATCH, everything=False)
            if stop in (ORIGIN, BUDGET):
                return stop
        if len(search.coreset.path) == solved:  # what the scan below found was rounding
            return STALLED
        solved = len(search.coreset.path)
        found = rows.scan(search.coreset.plane, search.coreset.margin * ABOVE, count)
        if search.achieved(found.margins.min()):
            return CERTIFIED
        new = search.violators(found, finer, count)
        if len(new.indices) == 0:
            return STALLED
        pool.extend(new)
        # What `grow` certified is the pool alone.
        stop = None
    return stop


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


def one_pass(search, batch):
    """Take in violators where a pass meets them; return ``(reason to stop, whether there was none)``."""
    clean, least = True, np.inf
    for indices, rows, signs in search.rows.blocks():
        if len(indices) == 0:
            continue
        if len(search.coreset) == 0:
            clean = False
            first = 0 if batch == 1 else first_smallest(search.coreset.norms(rows))
            one = slice(first, first + 1)
            if (stop := search.take(Found(indices[one], np.empty(0), rows[one], signs[one]))) is not None:
                return stop, False
        while True:
            coreset = search.coreset
            margins = signs * coreset.plane.scores(rows)
            bad = margins < required(coreset.margin, search.eps)
            bad[bad] = coreset.new(indices[bad])
            at = np.flatnonzero(bad)
            if len(at) == 0:
                # It counts only where nothing joined: then all margins are to one hyperplane.
                least = min(least, margins.min(initial=np.inf))
                break
            clean = False
            if batch == 1:  # the rows before it are looked at again in the next pass
                indices, rows, signs, margins = (part[at[0] :] for part in (indices, rows, signs, margins))
                at = np.zeros(1, dtype=int)
            else:
                at = at[ascending(margins[at], coreset.margin)[: 4 * batch]]
            new = search.violators(Found(indices[at], margins[at], rows[at], signs[at]), search.eps, batch)
            if (stop := search.take(new)) is not None:
                return stop, False
    if clean and not search.achieved(least):
        return STALLED, True
    return None, clean


def first_row(rows):
    """Return the point that Figure 1 begins with."""
    indices, block, signs = rows.peek()
    return Found(indices[:1], np.empty(0), block[:1], signs[:1])


def sample_size(n, d):
    """Number of rows to sample, about as many as violators are then left: ``sqrt(n d)``, and some more."""
    return max(1024, int(2.0 * np.sqrt(n * (d + 1.0))))


def say(clf, search, stop):
    """Raise or warn, where a search did not end with a certificate; find what its hyperplane achieves."""
    coreset, words = search.coreset, ""
    if stop == ORIGIN:
        largest = coreset.indices[int(coreset.dual.argmax())]
        words = not_separable(len(coreset.support()), coreset.margin, coreset.radius, largest)
        if clf.on_nonseparable == "raise":
            raise ValueError(words)
    if search.plane is None:
        search.look_at_the_data()
    if words:
        warn_caller(words, ConvergenceWarning)
    if stop in (BUDGET, STALLED):
        what = f"margin {search.margin:.6g} and upper bound {coreset.margin:.6g}"
        warn_of_no_certificate(stop, search.limits, what, clf.eps)


def not_separable(size, margin, radius, row):
    """Return the message for data that no hyperplane separates; a combination of `size` points proves it."""
    return (
        f"the data are not separable by a hyperplane with a positive margin: a convex combination of "
        f"{size} signed points y_i x_i has the norm {margin:.3g}, beside a largest "
        f"norm of {radius:.3g} (row {row} weighs most). fit_intercept=True or a kernel may separate them; "
        "C gives a soft margin; OutlierCoresetSVC leaves points out"
    )


def warn_of_no_certificate(stop, limits, what, eps, helps=""):
    """Warn that rounding or a limit ended the search; `what` names the numbers that differ."""
    why = limits.why if stop == BUDGET else "rounding"
    words = f"no certificate, because of {why}: {what} differ by more than eps={eps}{helps}"
    warn_caller(words, ConvergenceWarning)

"""What no hyperplane exceeds: k + 1 disjoint conflicts, and a search for all sets of k points that hit them.

A *conflict* at t is a set of points with a convex combination no longer than t. No unit normal has a margin
above t on all of them, so that a hyperplane whose margin on all points but k is above t leaves out a point of
every conflict at t. Hence two things:

* where k + 1 conflicts are disjoint, k points do not hit all of them: no hyperplane exceeds t;
* else one conflict is taken, and each of its points in turn is what is left out of it. There are at most
  d + 1. When one has been tried it is kept from then on, and conflicts may share the kept points.

Conflicts are small where t is above what could be had, and those that hold an outlier are easy to find
beside a good hyperplane. So its k outliers come first, each in a conflict with no other outlier, then the
points that bear it, and then whatever is left.

Only a pool of points is looked at. A conflict among them is one among all. A hyperplane that is wider than t
on the pool is held against the data, and where it falls short, the points there join the pool.

Convex relaxations do not help here. The nearest point of a hull whose weights are capped by 1 / (k + 1) has
the length of the largest *average* of the k + 1 smallest margins, which is below what is looked for; and the
relaxation of a mixed-integer programme leaves out a share of every point.
"""

import math
from typing import NamedTuple

import numpy as np

from paperlib._common.rounding import TIED, ascending
from paperlib.coresets._outliers.conflicts import conflict
from paperlib.coresets._outliers.starts import VIOLATORS, retrim
from paperlib.coresets._solver.wolfe import ORIGIN

POOL = 400  # points at first, at least; half of them near to the hyperplane, half from everywhere
OVERHEAD = 5000  # of a step, beside the numbers that it reads
BISECTIONS = 16
CLOSE = 1.003  # how well the smallest t with k + 1 conflicts is found
SCARCE = 1.3  # times the margin; points below it are what conflicts need, and few
PRICE = 0.3  # of the scarcest, in squared lengths
LEVELS = (2.0, 1.5, 1.3)  # times the margin; conflicts of points that are far on the wrong side lie beyond
BEARS = 1e-7  # relative; a margin that much above the smallest one is the same


class Packing(NamedTuple):
    """Disjoint conflicts in a part of the tree.

    Attributes
    ----------
    closed : bool
        Whether they show that no hyperplane of that part exceeds t.
    largest : float
        Length of the longest of the convex combinations that were found anew.
    sets : list of ndarray
        Their rows of the pool that are not kept.
    normal : ndarray of shape (d,)
        Of the hyperplane, wider than t, of what was left; empty if there is none.
    """

    closed: bool
    largest: float
    sets: list
    normal: np.ndarray


NOTHING = np.zeros(0)


class Room:
    """What disjoint conflicts leave of the points' weights, and of the weight that may be left out.

    Of a conflict at least its lightest point is left out. So much is taken from each of its points; what a
    point weighs beyond that may serve another conflict, as a copy of the point would.

    Attributes
    ----------
    left : ndarray of shape (m,)
    may : float
        Negative when what was taken cannot all be left out.
    """

    def __init__(self, weights, budget, removed):
        self._crumb = TIED * weights
        self.left, self.may = weights, budget - weights[removed].sum()
        self.left[removed] = 0.0

    def has(self, rows):
        """Whether all of some points, one at least, have weight left."""
        return bool((self.left[rows] > 0.0).all())

    def take(self, rows):
        """Charge a conflict; return whether its points had weight left."""
        least = self.left[rows].min()
        self.may -= least
        left = self.left[rows] - least
        self.left[rows] = np.where(left > self._crumb[rows], left, 0.0)  # less is rounding
        return least > 0.0


class Cover:
    """Conflicts among a pool of the signed points, for the best hyperplane so far.

    Attributes
    ----------
    rows : ndarray of shape (m,)
        Of the data: the pool. It only grows, at the end.
    margins : ndarray of shape (m,)
        To the best hyperplane when the pool was settled.
    price : ndarray of shape (m,)
        What it costs a conflict to use a point; more near the hyperplane, where the others need them, too.
    outlier, bears : ndarray of shape (m,), bool
        The k points that it leaves out, and those of smallest margin among the others.
    """

    def __init__(self, best, deadline):
        self.best, self.deadline = best, deadline
        self.scale = float(np.linalg.norm(best.points, axis=1).max()) or 1.0
        self.rows = np.zeros(0, dtype=np.int64)
        self._in_pool = np.zeros(len(best.points), dtype=bool)
        self.settle()

    def settle(self):
        """Take in points about the best hyperplane, and note which are its outliers and which bear it."""
        best, n = self.best, len(self.best.points)
        margins = best.points @ best.normal
        order = ascending(margins, abs(best.margin))
        d = best.points.shape[1]
        # Enough near points for k + 1 disjoint conflicts of d + 1 each. Of the others one in `step` joins.
        near = max(POOL // 2, (best.most + 1) * max(40, d + 1))
        step = max(1, (n - near) // max(POOL // 2, 4 * d))
        self._take_in(np.concatenate([order[:near], order[near::step]]))
        self.margins = margins[self.rows]
        self.price = self._prices(self.margins)
        self.outlier = np.isin(self.rows, order[: best.cut(order)])
        self.bears = ~self.outlier & (self.margins <= best.margin + BEARS * abs(best.margin))

    def _prices(self, margins):
        far, near = SCARCE * self.best.margin, self.best.margin
        if near <= 0.0:
            return np.zeros(len(margins))
        return PRICE * np.clip((far - margins) / (far - near), 0.0, 1.0)

    def _take_in(self, rows):
        rows = rows[~self._in_pool[rows]]
        self._in_pool[rows] = True
        self.rows = np.concatenate([self.rows, rows])
        self._scaled = np.ascontiguousarray(self.best.points[self.rows] / self.scale)
        self._norms = np.linalg.norm(self._scaled, axis=1)
        return rows

    def conflict(self, price, first, limit):
        """Find points whose hull comes within `limit` of the origin, as `conflicts.conflict` does.

        Returns
        -------
        x : ndarray of shape (d,)
        rows : ndarray of shape (s,)
        length : float
            Of the convex combination, computed from the points; it bounds the margin on them.
        """
        x, rows, weights, steps = conflict(self._scaled, self._norms, price, first, limit / self.scale)
        self.best.n_looked_at += 1
        self.deadline.spend((steps + 1) * (self._scaled.size + 4 * x.size**2 + OVERHEAD))
        length = float(np.linalg.norm(weights @ self._scaled[rows]))
        return x, rows, length * self.scale if min(length, float(np.linalg.norm(x))) > ORIGIN else 0.0

    def _beyond(self, price, first, limit):
        """Find a conflict of an outlier without points near the hyperplane, if there is one.

        All others need these; a point on the wrong side has no need of them.
        """
        if self.margins[first[0]] <= 0.0 < self.best.margin:
            for level in LEVELS:
                far = np.where(self.margins < level * self.best.margin, np.inf, price)
                found = self.conflict(far, first, limit)
                if found[2] <= limit:
                    return found
        return self.conflict(price, first, limit)

    def pack(self, limit, removed=(), kept=(), known=(), sparing=True):
        """Find disjoint conflicts at `limit`, until they are one more than may still be left out.

        Parameters
        ----------
        limit : float
        removed, kept : sequence of int
            Rows of the pool: left out, and never left out.
        known : sequence of ndarray
            Disjoint conflicts to begin with; those that hold a removed row are none any more.
        sparing : bool
            Whether outliers are to leave the points near the hyperplane to others: more conflicts, but larger
            ones, which a tree branches on badly.

        Returns
        -------
        Packing
        """
        largest, stays = 0.0, np.zeros(len(self.rows), dtype=bool)
        stays[list(kept)] = True
        room = Room(self.best.weights_of(self.rows), self.best.budget, list(removed))
        sets = [rows[~stays[rows]] for rows in known if room.has(rows)]
        # A conflict of kept points alone: none of them may be left out, so nothing exceeds `limit` here.
        if any(len(rows) == 0 for rows in sets):
            return Packing(True, largest, sets, NOTHING)
        sets = [rows for rows in sets if room.take(rows)]
        used = room.left <= 0.0
        waits = (self.outlier | self.bears) & ~stays & ~used
        seeds = np.flatnonzero(self.outlier & waits)
        seeds = seeds[ascending(self.margins[seeds])].tolist()
        price = np.where(used | waits, np.inf, self.price)
        while room.may >= 0.0:
            seeded = bool(seeds)
            if not seeded:
                # All outliers had their turn. What was held back for them is for any conflict now.
                back = waits & (room.left > 0.0)
                price[back], waits[:] = self.price[back], False
            first = seeds.pop(0) if seeded else int(np.argmin(np.where(price < np.inf, self.margins, np.inf)))
            if not seeded and price[first] == np.inf:
                return Packing(False, largest, sets, NOTHING)
            find = self._beyond if seeded and sparing else self.conflict
            x, rows, length = find(price, np.array([first]), limit)
            if length <= limit:
                free = rows[~stays[rows]]
                sets.append(free)
                largest = max(largest, length)
                if not len(free):  # as above: of kept points alone
                    break
                room.take(free)
                price[free[room.left[free] <= 0.0]] = np.inf
                # A heavy outlier has weight for another conflict.
                if seeded and first in free and room.left[first] > 0.0:
                    seeds.insert(0, first)
            # Then x is the nearest point of all that are left. A seed without a conflict shows nothing.
            elif not seeded:
                return Packing(False, largest, sets, x)
        return Packing(True, largest, sets, NOTHING)

    def smallest(self, low, bound):
        """Return the smallest bound that disjoint conflicts show, below `bound`; `low` is none."""
        low = max(low, bound * 1e-9)
        for _ in range(BISECTIONS):
            if bound <= low * CLOSE:
                break
            # Bisection of the logarithm, but to no less than a tenth where `low` is next to nothing.
            limit = math.sqrt(low * bound) if low > 1e-3 * bound else 0.1 * bound
            packing = self.pack(limit)
            if packing.closed:
                bound = packing.largest
            else:
                low = limit
        return bound

    def proves(self, limit):
        """Search all sets of k points that matter, for a hyperplane that exceeds `limit`.

        Returns
        -------
        float or None
            What no hyperplane exceeds: `limit`, but for rounding. None where one was met that exceeds it, and
            is the best one now.
        """
        best = self.best
        stack: list[tuple[tuple, tuple, list]] = [((), (), [])]
        while stack:
            removed, kept, known = stack.pop()
            packing = self.pack(limit, removed, kept, known, sparing=False)
            while not packing.closed and not packing.sets:
                if not self._hold_against_data(packing.normal, limit):
                    # As wide as the limit, but for rounding: that is raised, and nothing is passed over.
                    limit = max(limit, np.linalg.norm(packing.normal) * self.scale) * (1.0 + TIED)
                if best.margin > limit:
                    return None
                packing = self.pack(limit, removed, kept, sparing=False)
            if packing.closed:
                continue
            # The smallest one has the fewest children. Each leaves out one point and keeps those before
            # it, so that no set of outliers is searched twice.
            chosen = min(packing.sets, key=len)
            chosen = chosen[ascending(-self.margins[chosen])].tolist()  # the likely outlier, last, goes first
            for i, row in enumerate(chosen):
                stack.append(((*removed, row), (*kept, *chosen[:i]), packing.sets))
        return float(limit)

    def _hold_against_data(self, normal, limit):
        """Offer a normal that is wider than `limit` on the pool; return whether that changed anything."""
        best, length = self.best, float(np.linalg.norm(normal))
        margins = best.offer(normal / length)
        self.deadline.spend(best.points.size)
        if best.margin > limit:
            return True
        short = np.flatnonzero((margins < length * self.scale * (1.0 - 1e-10)) & ~self._in_pool)
        new = self._take_in(short[ascending(margins[short], length * self.scale)[: VIOLATORS + best.most]])
        margins = best.points[new] @ best.normal
        self.margins = np.append(self.margins, margins)
        self.price = np.append(self.price, self._prices(margins))
        self.outlier = np.append(self.outlier, np.zeros(len(new), dtype=bool))
        self.bears = np.append(self.bears, np.zeros(len(new), dtype=bool))
        return len(new) > 0


def exchange(cover, rounds):
    """Leave out each point that bears the best hyperplane, for one of its outliers, while that helps."""
    best = cover.best
    for _ in range(rounds):
        before = best.margin * (1.0 + 1e-9)
        price = np.where(cover.outlier, np.inf, 0.0)
        bears = np.flatnonzero(cover.bears)
        for row in bears:
            rest = bears[bears != row]
            price[row] = np.inf
            first = rest if len(rest) else np.array([np.argmin(cover.margins + price)])
            # At a limit of zero this is the widest hyperplane of the pool without `row` and the outliers.
            x, _, length = cover.conflict(price, first, 0.0)
            price[row] = 0.0
            if length > 0.0:
                best.offer(x / np.linalg.norm(x))
                cover.deadline.spend(best.points.size)
            if best.margin > before:
                break
        if best.margin <= before:
            return
        retrim(best, cover.deadline)
        cover.settle()

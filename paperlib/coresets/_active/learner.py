"""ACTIVE CORESET SVM (Figure 2), one question at a time: the learner, and where its questions come from.

`Learner.ask` returns a point whose label is wanted, the same one until `Learner.tell` has its label.
Points come from a `Pool`, in which the nearest can be looked for, or a `Stream`, of which each is seen once.
Both look for a point near the hyperplane, which joins the coreset whatever its label, and where they find
none, verify with random points, of which a mistake joins.
"""

from typing import Any, NamedTuple

import numpy as np

from paperlib._common.rounding import first_smallest
from paperlib._common.typing import Floats
from paperlib.coresets._active.outliers import without_outliers
from paperlib.coresets._solver.coresets import required
from paperlib.coresets._solver.working_set import WorkingSet

CONTRADICTED = "not separable"


class Question(NamedTuple):
    """A point whose label is wanted: its row, the point, its score, and whether VERIFY drew it."""

    row: int
    point: Floats
    score: float
    drawn: bool


class Learner:
    """The coreset and its hyperplane, grown by answers.

    Parameters
    ----------
    points : Pool or Stream
    eps : float in (0, 1)
    draws_of_round : callable or None
        ``draws_of_round(i)`` is how many random points in a row must be right in verification i = 1, 2, ...
        None, where the points do not have their own, is no verification.
    n_outliers : int
        Answers that may be left out where they contradict the others.
    least : float
        Margins of a coreset up to this are rounding: its answers contradict each other.

    Attributes
    ----------
    work : WorkingSet
        Empty before the first answer.
    reach : float
        How near to the hyperplane a point joins the coreset whatever its label.
    rows, signed : list of int, list of ndarray
        Where the points that joined came from, and ``sign * point``.
    kept : list of int
        Positions among these of the points of `work`, in its order; the others are left out.
    n_drawn, n_verifications : int
        Answers that VERIFY asked for, and how often it was begun.
    normal : ndarray of shape (d,)
        Unit normal of the last hyperplane that agreed with the coreset.
    halted : str or None
        Reason that nothing more is asked for, None before; `CONTRADICTED` once the answers contradict each
        other.
    """

    def __init__(self, points, eps, draws_of_round, n_outliers=0, least=0.0):
        self.points, self.eps, self.draws_of_round = points, eps, draws_of_round
        self.n_outliers, self.least = n_outliers, least
        self.work, self.reach = WorkingSet(0), np.inf  # SVM of an empty coreset is any hyperplane
        self.rows: list[int] = []
        self.signed: list[Floats] = []
        self.kept: list[int] = []
        self.n_drawn = self.n_verifications = 0
        self.normal: Floats = np.zeros(0)
        self.halted: str | None = None
        self._question: Question | None = None

    def ask(self):
        """Return the next question, the last one until it is answered, or None when there is none."""
        while self._question is None and self.halted is None:
            question = self.points.look(self)
            sign = 0.0 if question is None else self.points.known(question.row)
            if sign == 0.0:
                self._question = question
                break
            self._join(question, sign)  # a known label that turns out violated costs nothing
            self.points.answered(self, question.row, sign, joined=True)
        return self._question

    def tell(self, sign):
        """Take in the answer, +1.0 or -1.0, to what was asked last."""
        question: Any = self._question
        self._question = None
        self.n_drawn += question.drawn
        # A near point violates with either label; a drawn one only where it lies on the wrong side.
        joins = not question.drawn or sign * question.score < 0.0
        if joins:
            self._join(question, sign)
        self.points.answered(self, question.row, sign, joins)

    def know(self, row, sign):
        """Take in the label, +1.0 or -1.0, of a row of the pool, whether it was asked for or not."""
        if self._question is not None and self._question.row == row:
            self.tell(sign)
            return
        was_drawn, violates = self.points.know(self, row, sign)
        self.n_drawn += was_drawn
        if violates:
            self._question = None
            if self.halted != CONTRADICTED:
                self.halted = None

    def core(self):
        """Return the signed points (k, d) that bear the hyperplane, and their rows (k,)."""
        core = np.array(self.kept)[self.work.core()]
        return np.array(self.signed)[core], np.array(self.rows)[core]

    def hull(self, sign):
        """Return rows (k,) and weights (k,), turned by `sign`, of the normal; None where there is none."""
        if self.work.margin <= self.least:
            return None
        rows = np.array(self.rows)[self.kept]
        signs = np.array([self.points.known(row) for row in rows])
        return rows, sign * signs * self.work.weights

    def outliers(self):
        """Return the rows (m,) of the answers that are left out, in order."""
        return np.sort(np.delete(np.array(self.rows, dtype=np.int64), self.kept))

    def _join(self, question, sign):
        if not self.rows:
            self.work = WorkingSet(len(question.point))
        self.kept.append(len(self.rows))
        self.rows.append(question.row)
        self.signed.append(sign * question.point)
        self.work.add(self.signed[-1])
        self.work.solve()
        if self.work.margin <= self.least and self.n_outliers > 0:
            self._leave_out()
        self.reach = required(self.work.margin, self.eps)
        if self.work.margin > self.least or len(self.rows) == 1:  # some hyperplane there must be
            self.normal = self.work.normal
        if self.work.margin <= self.least:
            self.halted = CONTRADICTED

    def _leave_out(self):
        """Choose anew which answers are left out: those that were may come back."""
        signed = np.array(self.signed)
        work = WorkingSet.of(signed)
        found = without_outliers(signed, work.core(), self.n_outliers, self.least)
        if found is not None:
            self.work, self.kept = found


class Pool:
    """All points at once: the nearest is asked for, and VERIFY draws from those without a label.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    rng : numpy.random.Generator
    draws_of_round : callable, optional
        ``draws_of_round(i, n_unknown, n_wrong)`` is how many points without a label, of `n_unknown`, must be
        right in verification i, where `n_wrong` of the others are not; the learner's own if not given.
    space : FeatureSpace, optional
        That `X` are the coordinates in. They are rounded, and steer; what is verified is the kernel's sum.
    """

    def __init__(self, X, rng, draws_of_round=None, space=None):
        self._X, self._rng, self.n_seen = X, rng, len(X)
        self._draws_of_round, self._space = draws_of_round, space
        self._signs = np.zeros(len(X))  # zero where the label is not known
        self._in_coreset = np.zeros(len(X), dtype=bool)
        self._scores = np.zeros(len(X))
        self._draws: list[int] | None = None  # that VERIFY is yet to ask for, last first; None before it

    def margin(self, learner, scores=None):
        """Smallest margin but for outliers, if every point whose label is not known is on its right side.

        `scores` (n,) are those of the learner's normal, where they are known better than from the points.
        """
        margins = self._margins(self._X @ learner.normal if scores is None else scores)
        margins[learner.outliers()] = np.inf
        return float(margins.min())

    def known(self, row):
        """Sign of a row whose label is known, else zero."""
        return self._signs[row]

    def pending(self, n):
        """Return up to `n` rows that VERIFY will ask for if all are right, those of known labels left out."""
        return [row for row in reversed(self._draws or []) if self._signs[row] == 0.0][:n]

    def look(self, learner):
        """Return the next question, or None."""
        if not learner.rows:
            known = np.flatnonzero(self._signs)
            first = int(self._rng.integers(len(known) or len(self._X)))
            return self._question(int(known[first]) if known.size else first, drawn=False)
        if self._draws is None:
            self._scores = self._X @ learner.work.normal
            unknown = self._signs == 0.0
            # Of a known label the signed margin counts, so that it joins where it is violated, too.
            outside = np.where(self._in_coreset, np.inf, self._margins(self._scores))
            nearest = first_smallest(outside, learner.work.margin)
            if outside[nearest] < learner.reach:
                return self._question(nearest, drawn=False)
            misjudged = self._misjudged(learner)
            if self._in_coreset[misjudged].any():
                learner.halted = CONTRADICTED  # by rounding
                return None
            if misjudged.size:
                return self._question(int(misjudged[0]), drawn=False)
            self._draws = self._drawn(np.flatnonzero(unknown), learner) if unknown.any() else []
        while self._draws and self._signs[self._draws[-1]] != 0.0:
            self._draws.pop()  # told before it was asked for, and right: `know` would have begun anew
        if self._draws:
            return self._question(self._draws.pop(), drawn=True)
        if (self._signs == 0.0).any():
            learner.halted = "verified" if learner.n_verifications else "unverified"
        else:
            learner.halted = "labelled"
        return None

    def answered(self, learner, row, sign, joined):
        """Keep a label; where the hyperplane has changed, all points are looked at anew."""
        self._signs[row] = sign
        if joined:
            self._in_coreset[row], self._draws = True, None

    def know(self, learner, row, sign):
        """Keep a label that was not the next one to be asked for.

        Returns
        -------
        was_drawn, violates : bool
            Whether VERIFY was going to ask for it, and whether all points have to be looked at anew.
        """
        self._signs[row] = sign
        if not learner.rows:
            return False, True  # the coreset begins with a known label
        if self._draws is None:
            return False, False
        was_drawn = row in self._draws
        violates = not self._in_coreset[row] and sign * self._scores[row] < learner.reach
        if violates:
            self._draws = None
        return was_drawn, violates

    def _misjudged(self, learner):
        """Return the rows, but for outliers, that lie on another side than the learner takes them to lie on.

        Those that joined are on the side of their label, and of the others the coordinates say it.
        """
        scores = self._scores
        if self._space is not None:
            plane, _ = self._space.of_hull(*learner.hull(1.0))
            scores = self._space.scores(plane)
        sides = np.where(self._in_coreset, self._signs, np.sign(self._scores))
        return np.setdiff1d(np.flatnonzero(np.sign(scores) != sides), learner.outliers())

    def _margins(self, scores):
        return np.where(self._signs == 0.0, np.abs(scores), self._signs * scores)

    def _drawn(self, unknown, learner):
        if self._draws_of_round is None and learner.draws_of_round is None:
            return []
        learner.n_verifications += 1
        if self._draws_of_round is None:
            n_draws = learner.draws_of_round(learner.n_verifications)
        else:
            n_wrong = np.count_nonzero(self._signs * self._scores < 0.0)  # outliers: the others would join
            n_draws = self._draws_of_round(learner.n_verifications, len(unknown), n_wrong)
        # Without replacement: a mistake is met at least as soon as with it, and no label is paid for twice.
        return self._rng.permutation(unknown)[:n_draws][::-1].tolist()

    def _question(self, row, drawn):
        return Question(row, self._X[row], float(self._scores[row]), drawn)


class Stream:
    """Points that are seen once: those that come near are asked for, and after a run of others all of them.

    Such a run is as long as the verification that follows it. A point that joins the coreset ends either.

    Parameters
    ----------
    points : iterator of ndarray of shape (d,)
    """

    def __init__(self, points):
        self._points, self.n_seen = points, 0
        self._verifying, self._in_a_row, self._n_draws = False, 0, 0

    def margin(self, learner, scores=None):
        """Margin of the coreset, since no other point is kept."""
        return float((np.array(learner.signed)[learner.kept] @ learner.normal).min())

    def known(self, row):
        """Zero: each point is met once."""
        return 0.0

    def look(self, learner):
        """Return the next question, or None."""
        for x in self._points:
            self.n_seen += 1
            score = float(learner.work.normal @ x) if learner.rows else 0.0
            near = abs(score) < learner.reach  # all are, before the first answer
            if near or self._verifying:
                return Question(self.n_seen - 1, x, score, drawn=not near)
            self._passed(learner)
        learner.halted = "stream ended"
        return None

    def answered(self, learner, row, sign, joined):
        """Begin a new run after a point that joined."""
        if joined:
            self._verifying, self._in_a_row = False, 0
            self._n_draws = learner.draws_of_round(learner.n_verifications + 1)
        else:
            self._passed(learner)

    def _passed(self, learner):
        """Count a point that did not join."""
        self._in_a_row += 1
        if self._in_a_row < self._n_draws:
            return
        if self._verifying:
            learner.halted = "verified"
        else:
            self._verifying, self._in_a_row = True, 0
            learner.n_verifications += 1

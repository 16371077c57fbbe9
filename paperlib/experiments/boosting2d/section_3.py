"""Section 3 on one small sample: each statement as a check against exhaustive search, as in `statements`."""

from itertools import combinations

import numpy as np

from paperlib.boosting2d.leave_one_out import leave_one_out
from paperlib.boosting2d.theory import leave_one_out_lower_bound
from paperlib.experiments.boosting2d.sections_1_and_2 import listed
from paperlib.experiments.boosting2d.subsets import separable, subsets


def lemma_3_2(sample, rng):
    """Points of an optimal set, left out, take their weight along and are still misclassified."""
    for removed in sample.sets[:3]:
        members = np.flatnonzero(removed)
        for size in range(1, len(members) + 1):
            for left_out in combinations(members, size):
                rows = np.ones(sample.n, dtype=bool)
                rows[list(left_out)] = False
                best, sets = subsets(sample.X[rows], sample.positive[rows], sample.weights[rows])
                yield best == sample.best - sample.weights[~rows].sum()
                for inner in sets:
                    kept = rows.copy()
                    kept[rows] = ~inner
                    yield all(sample.is_wrong(kept, i) for i in left_out)


def corollary_3_3(sample, rng):
    """The error is W(Q) / n plus the contributions of the points outside Q, for any optimal set Q."""
    found = leave_one_out(sample.X, sample.positive, sample.weights)
    for removed in sample.sets:
        total = sample.best + found.contribution[~removed].sum()
        yield abs(found.error - total / sample.n) < 1e-12


def lower_bound(sample, rng):
    """The error is at least W(Q) / n."""
    found = leave_one_out(sample.X, sample.positive, sample.weights)
    yield found.error >= leave_one_out_lower_bound(sample.best, sample.n) - 1e-12


def error_of_members(sample, rng, corrected=False):
    """Before Corollary 3.3: e_i = 1 for a point of an optimal set. By the definition of e_i it is w_i."""
    for i in np.flatnonzero(sample.sets.any(axis=0)):
        error = sample.weights[i] * sample.shares[i]
        yield error == (sample.weights[i] if corrected else 1.0)


def lemma_3_4(sample, rng):
    """A separator set of the others, together with the point left out, is one of all."""
    for i in range(sample.n):
        rows = np.arange(sample.n) != i
        x, y = np.ascontiguousarray(sample.X[rows].T)
        for mask in range(1 << (sample.n - 1)):
            if separable(x, y, sample.positive[rows], mask):
                removed = np.ones(sample.n, dtype=bool)
                removed[rows] = mask >> np.arange(sample.n - 1) & 1
                yield sample.is_separable(removed)


def _lemma_3_5(sample, sign, corrected):
    for i in np.flatnonzero(sample.positive == sign):
        _, weights = sample.lines_that_misclassify(i)
        near = ((sample.best <= weights) & (weights <= sample.best + sample.weights[i])).any()
        sets, wrong = sample.without[i]
        for removed in sets[wrong]:
            own = (sample.positive == sign) & (np.arange(sample.n) != i)
            if not corrected or not removed[own].all():
                yield bool(near)


def lemma_3_5(sample, rng, corrected=False):
    """If an optimal fat line without the positive point x_i errs on it, so does a line that passes through
    another positive point and weighs at most W_opt + w_i.

    Corrected: if the optimal set leaves another positive point.
    """
    yield from _lemma_3_5(sample, True, corrected)


def lemma_3_7(sample, rng, corrected=False):
    """The same for negative points."""
    yield from _lemma_3_5(sample, False, corrected)


def _lemma_3_6(sample, sign):
    for i in np.flatnonzero(sample.positive == sign):
        _, weights = sample.lines_that_misclassify(i)
        if (weights < sample.best + sample.weights[i]).any():
            yield sample.shares[i] == 1.0


def lemma_3_6(sample, rng):
    """A line as in Lemma 3.5 of less than W_opt + w_i makes all optimal fat lines without x_i err on it."""
    yield from _lemma_3_6(sample, True)


def lemma_3_8(sample, rng):
    """The same for negative points."""
    yield from _lemma_3_6(sample, False)


def lemma_3_9(sample, rng, corrected=False):
    """A line that labels x_i type III is optimal without x_i, or x_i is of type II and labelled so.

    Corrected, the two lines that predict everything alike are among those that label.
    """
    for i in range(sample.n):
        sets, weights = sample.lines_that_misclassify(i, all_alike=corrected)
        limit = sample.best + sample.weights[i]
        for removed in np.unique(sets[weights == limit], axis=0):
            removed = removed.copy()
            removed[i] = False
            second = sample.shares[i] == 1.0 and bool((weights < limit).any())
            yield listed(removed, sample.without[i][0]) or second


def lemma_3_10(sample, rng):
    """The fat line of what Q(l) leaves errs on S_3, on S_2 but for one point, and then on all of S_1."""
    for _, sets, _ in sample.lines:
        for removed in np.unique(sets, axis=0):
            excess = removed @ sample.weights - sample.best
            members = np.flatnonzero(removed)
            right = np.array([not sample.is_wrong(~removed, i) for i in members], dtype=bool)
            if removed.all():
                continue  # nothing is left to separate
            lighter, same, heavier = (
                right[compare(sample.weights[members], excess)] for compare in (np.less, np.equal, np.greater)
            )
            yield not heavier.any() and same.sum() <= 1 and not (lighter.any() and same.any())


def marking(sample, rng, corrected=False):
    """The marking algorithm: a point marked type II is always misclassified, an unmarked one never.

    Corrected, the two lines that predict everything alike are among those that mark. What is marked type III
    is left to the counters.
    """
    for i in range(sample.n):
        _, weights = sample.lines_that_misclassify(i, all_alike=corrected)
        lowest, limit = weights.min(initial=np.inf), sample.best + sample.weights[i]
        if lowest != limit:
            yield sample.shares[i] == (1.0 if lowest < limit else 0.0)


def leave_one_out_is_exact(sample, rng):
    """Theorem 3.1: every contribution is that of training anew without the point."""
    found = leave_one_out(sample.X, sample.positive, sample.weights)
    for i in range(sample.n):
        yield abs(found.contribution[i] - sample.weights[i] * sample.shares[i]) < 1e-12


def manifest(sample, rng, corrected=False):
    """After Lemma 3.9: every optimal set without x_i shows as a line that labels x_i type III.

    For points that no line labels type II. Corrected, the optimal sets of the whole sample count as well, and
    the two lines that predict everything alike.
    """
    for i in range(sample.n):
        sets, weights = sample.lines_that_misclassify(i, all_alike=True)
        limit = sample.best + sample.weights[i]
        if (weights < limit).any():
            continue
        if not corrected:
            sets, weights = sample.lines_that_misclassify(i)
        shown = sets[weights == limit].copy()
        shown[:, i] = False
        if corrected:
            shown = np.concatenate([shown, sample.sets])
        for removed in sample.without[i][0]:
            yield listed(removed, shown)

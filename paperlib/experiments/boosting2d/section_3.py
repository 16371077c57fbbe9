"""Section 3 on one sample: each statement as a check of the algorithm, as in `sections_1_and_2`."""

from itertools import combinations

import numpy as np

from paperlib.boosting2d._geometry.locations import merge
from paperlib.boosting2d._leave_out.fat_side import fat_side
from paperlib.boosting2d.optimal_separator import optimal_separator
from paperlib.boosting2d.theory import leave_one_out_lower_bound
from paperlib.experiments.boosting2d.exact import wrong_side
from paperlib.experiments.boosting2d.interval_tree import leave_one_out_by_intervals, mark
from paperlib.experiments.boosting2d.line_classes import distinct, misclassified
from paperlib.experiments.boosting2d.sections_1_and_2 import listed, separators
from paperlib.experiments.boosting2d.smaller_class import leave_one_out_by_smaller_class
from paperlib.experiments.boosting2d.subsets import subsets


def lemma_3_2(sample, rng):
    """Lemma 3.2: points of an optimal set, left out, take their weight along and are still misclassified.

    By every optimal set of the others: by its fat line and by random lines that separate what it leaves. And
    by the line that the algorithm finds for them.
    """
    for removed in sample.sets[:3]:
        members = np.flatnonzero(removed)
        for size in range(1, len(members) + 1):
            for left_out in combinations(members, size):
                rows = np.ones(sample.n, dtype=bool)
                rows[list(left_out)] = False
                X, positive, weights = sample.X[rows], sample.positive[rows], sample.weights[rows]
                best, sets = subsets(X, positive, weights)
                wrong = wrong_side(optimal_separator(X, positive, weights), sample.X, sample.positive)
                expected = sample.best - sample.weights[~rows].sum()
                yield best == expected
                yield wrong[rows] @ weights == expected and wrong[~rows].all()
                for inner in sets:
                    kept = rows.copy()
                    kept[rows] = ~inner
                    yield all(sample.is_wrong(kept, i) for i in left_out)
                    ahead, behind = sample.X[kept & sample.positive], sample.X[kept & ~sample.positive]
                    for normal, offset in separators(ahead, behind, rng, 4):
                        on = misclassified(sample.X @ normal + offset, sample.positive)
                        yield on[~rows].all()


def corollary_3_3(sample, rng):
    """Corollary 3.3: the error is W(Q) / n plus what the points outside the optimal set Q contribute."""
    _, error = sample.contributions
    for removed in sample.sets:
        total = sample.best + (sample.weights * sample.shares)[~removed].sum()
        yield abs(error - total / sample.n) < 1e-12


def lower_bound(sample, rng):
    """After Corollary 3.3: the error is at least W(Q) / n."""
    yield sample.contributions[1] >= leave_one_out_lower_bound(sample.best, sample.n) - 1e-12


def error_of_members(sample, rng, corrected=False):
    """Before Corollary 3.3: e_i = 1 for a point of an optimal set. By the definition of e_i it is w_i."""
    for i in np.flatnonzero(sample.sets.any(axis=0)):
        yield sample.contributions[0][i] == (sample.weights[i] if corrected else 1.0)


def lemma_3_4(sample, rng):
    """Lemma 3.4: a separator set of the others, together with the point left out, is one of all."""
    for i in range(sample.n):
        others = 1 << i
        for mask in range(1 << sample.n):
            # A conflict that x_i is part of is none among the others.
            if mask & others and not ((sample.conflicts & (mask | others)) == 0).any():
                yield sample.is_separable(mask >> np.arange(sample.n) & 1)


def _lemma_3_5(sample, sign):
    # By the definition, and by what the algorithm answers where every optimal set leaves both classes.
    for i in np.flatnonzero(sample.positive == sign):
        _, weights = sample.lines_that_misclassify(i)
        both, wrong = sample.leave_both_classes(i), sample.without[i][1]
        if (wrong & both).any() or (both.all() and sample.contributions[0][i] > 0):
            yield bool(((sample.best <= weights) & (weights <= sample.best + sample.weights[i])).any())


def lemma_3_5(sample, rng):
    """Lemma 3.5: if an optimal fat line without the positive x_i errs on it, so does a line near the optimum.

    That line passes through another positive point and weighs at most W_opt + w_i. Where the optimal set
    leaves one class alone no line is fattest, and the lemma says nothing.
    """
    yield from _lemma_3_5(sample, True)


def lemma_3_7(sample, rng):
    """Lemma 3.7: Lemma 3.5 for negative points."""
    yield from _lemma_3_5(sample, False)


def _lemma_3_6(sample, sign):
    for i in np.flatnonzero(sample.positive == sign):
        _, weights = sample.lines_that_misclassify(i)
        if (weights < sample.best + sample.weights[i]).any():
            yield sample.shares[i] == 1.0 and sample.contributions[0][i] == sample.weights[i]


def lemma_3_6(sample, rng):
    """Lemma 3.6: where a line as in Lemma 3.5 is lighter, all optimal fat lines without x_i err on it."""
    yield from _lemma_3_6(sample, True)


def lemma_3_8(sample, rng):
    """Lemma 3.8: Lemma 3.6 for negative points."""
    yield from _lemma_3_6(sample, False)


def lemma_3_9(sample, rng, corrected=False):
    """Lemma 3.9: a line that labels x_i type III is optimal without it, or x_i is of type II and labelled so.

    Corrected, the two lines that predict everything alike are among those that label, and so are all sets
    that the algorithm lists.
    """
    for i in range(sample.n):
        sets, weights = sample.lines_that_misclassify(i, all_alike=corrected)
        limit = sample.best + sample.weights[i]
        labelling = sets[weights == limit]
        if corrected:
            labelling = np.concatenate([labelling, _labelled_by_the_algorithm(sample, i)])
        for removed in distinct(labelling):
            removed = removed.copy()
            removed[i] = False
            second = sample.shares[i] == 1.0 and bool((weights < limit).any())
            yield listed(removed, sample.without[i][0]) or second


def _labelled_by_the_algorithm(sample, i):
    """Return the sets (s, n) that the algorithm lists with x_i in them, heavier than W_opt by its weight."""
    sets, excess = sample.near_optimal
    return sets[(excess == sample.weights[i]) & sets[:, i]]


def lemma_3_10(sample, rng):
    """Lemma 3.10: the fat line of what Q(l) leaves errs on S_3, on S_2 but for one point, and then on S_1."""
    for _, sets, _ in sample.lines:
        for removed in distinct(sets):
            if removed.all():
                continue  # nothing is left to separate
            excess = removed @ sample.weights - sample.best
            members = np.flatnonzero(removed)
            ahead, behind = sample.X[~removed & sample.positive], sample.X[~removed & ~sample.positive]
            sides = np.array([fat_side(ahead, behind, sample.X[i]) for i in members])
            right = sides == np.where(sample.positive[members], 1, -1)
            lighter, same, heavier = (
                right[compare(sample.weights[members], excess)] for compare in (np.less, np.equal, np.greater)
            )
            yield not heavier.any() and same.sum() <= 1 and not (lighter.any() and same.any())


def marking(sample, rng, corrected=False):
    """The marking algorithm: a point marked type II is always misclassified, an unmarked one never.

    By the definition, which is of fat lines: of optimal sets that leave both classes. Points of an optimal
    set are always misclassified, by Lemma 3.2, whatever is left. And by the answer of the algorithm, for
    points of which all sets leave both. What is marked type III is left to the counters. Corrected: of all
    points, with the two lines that predict everything alike among those that mark.
    """
    for i, share in _marked(sample, all_alike=corrected):
        answered = sample.contributions[0][i] == share * sample.weights[i]
        both = sample.leave_both_classes(i)
        if corrected:
            yield sample.shares[i] == share and answered
        elif sample.sets[:, i].any():
            yield share == 1.0
        elif both.any():
            yield sample.without[i][1][both].mean() == share and (answered or not both.all())


def _marked(sample, all_alike):
    """Yield the points that are not marked type III, with the share that their type says."""
    for i in range(sample.n):
        _, weights = sample.lines_that_misclassify(i, all_alike)
        lowest, limit = weights.min(initial=np.inf), sample.best + sample.weights[i]
        if lowest != limit:
            yield i, 1.0 if lowest < limit else 0.0


def opening_angles(sample, rng, corrected=False):
    """Step 6 of the marking: intervals that open in [0, pi) give the lightest set that holds each point.

    A line opens its interval where what it predicts negative begins, for a positive point; in [0, pi) do so
    the lines of one orientation. Corrected: intervals that open in [0, 2 pi), as the tree has them.
    """
    places = merge(sample.X, sample.positive, sample.weights)
    of_sign = {True: (places.wp, places.wn), False: (places.wn, places.wp)}
    marked = {sign: mark(places.x, places.y, *each)[0] for sign, each in of_sign.items()} if corrected else {}
    for i in range(sample.n):
        sign = bool(sample.positive[i])
        lightest = sample.lines_that_misclassify(i)[1].min(initial=np.inf)
        if corrected:
            yield marked[sign][places.of_row[i]] == lightest
            continue
        found = np.inf
        for a in np.flatnonzero((sample.positive == sign) & (np.arange(sample.n) != i)):
            _, sets, weights = sample.lines[a]
            # The orientations take turns; the second has its left side negative. Half a turn ends with the
            # class between the last point and pi, which is the first one of the other orientation.
            rows = np.arange(1, len(sets), 2) if sign else np.arange(0, len(sets), 2)
            rows = np.append(rows, 0 if sign else 1)
            found = min(found, weights[rows][sets[rows, i]].min(initial=np.inf))
        yield found == lightest


def leave_one_out_is_exact(sample, rng):
    """Theorem 3.1: every contribution is that of training anew, with a vote for each distinct set."""
    yield from np.abs(sample.contributions[0] - sample.weights * sample.shares) < 1e-12


def intervals_are_exact(sample, rng):
    """Theorem 1.5: so is every contribution that the tree of intervals finds."""
    found = leave_one_out_by_intervals(sample.X, sample.positive, sample.weights)
    yield from np.abs(found.contribution - sample.weights * sample.shares) < 1e-12


def smaller_class_is_exact(sample, rng):
    """Theorem 3.1: so is every contribution that lines through points of the smaller class find."""
    found = leave_one_out_by_smaller_class(sample.X, sample.positive, sample.weights)
    yield from np.abs(found.contribution - sample.weights * sample.shares) < 1e-12


def flipped(sample, rng):
    """Section 1: Theorem 3.1 and Lemmas 3.5 to 3.8, corrected, hold where points are flipped, too."""
    yield from np.abs(sample.contributions[0] - sample.weights * sample.shares_flipped) < 1e-12
    for i in range(sample.n):
        _, weights = sample.lines_that_misclassify(i, all_alike=True)
        lowest, limit = weights.min(initial=np.inf), sample.best + sample.weights[i]
        if lowest != limit:
            yield sample.shares_flipped[i] == (1.0 if lowest < limit else 0.0)


def manifest(sample, rng, corrected=False):
    """After Lemma 3.9: every optimal set without x_i shows as a line that labels x_i type III.

    As printed, for points of type III. Corrected, for all that no line labels type II: the optimal sets of
    the whole sample count as well, and the lines are those that the algorithm lists, the two that predict
    everything alike among them.
    """
    for i in range(sample.n):
        _, weights = sample.lines_that_misclassify(i, all_alike=True)
        limit = sample.best + sample.weights[i]
        if (weights < limit).any() or not (corrected or 0.0 < sample.shares[i] < 1.0):
            continue
        if corrected:
            shown = _labelled_by_the_algorithm(sample, i).copy()
        else:
            sets, weights = sample.lines_that_misclassify(i)
            shown = sets[weights == limit].copy()
        shown[:, i] = False
        if corrected:
            shown = np.concatenate([shown, sample.sets])
        for removed in sample.without[i][0]:
            yield listed(removed, shown)

"""Sections 1 and 2 on one sample: each statement as a check of the algorithm against exhaustive search.

A check takes a `Sample` and a generator, and yields a bool for each case it tried: True where it holds.
Errors and margins are those of the line that the algorithm gives, measured here, not what it says of itself.
"""

from functools import cached_property

import numpy as np

from paperlib.boosting2d._fattest.fat_sweep import fat_sweep, nothing_wide
from paperlib.boosting2d._fattest.ranked import sample_of
from paperlib.boosting2d._geometry.locations import merge
from paperlib.boosting2d._geometry.mirrored_order import mirrored_order
from paperlib.boosting2d._leave_out.near_optimal import near_optimal_sets
from paperlib.boosting2d._search.angular_sweep import collect, sweep
from paperlib.boosting2d._search.optimal_sets import Method, optimal_sets
from paperlib.boosting2d._search.witness import predicted_positive
from paperlib.boosting2d.leave_one_out import leave_one_out
from paperlib.boosting2d.likelihood import likelihood_weights
from paperlib.boosting2d.max_margin_line import max_margin_line
from paperlib.boosting2d.optimal_separator import optimal_separator
from paperlib.boosting2d.theory import n_line_classes
from paperlib.experiments.boosting2d import exact
from paperlib.experiments.boosting2d.line_classes import dichotomies, distinct, line_classes, misclassified
from paperlib.experiments.boosting2d.subsets import separable, subsets

METHODS: tuple[Method, ...] = ("branch", "sweep", "pairs")
_FEW = 12  # points up to which all subsets are tried; beyond, all the ways in which lines divide them
_DRAWS = 10  # of the probabilities for a larger sample: few of them tell one weight from another


class Sample:
    """A sample with what exhaustive search knows of it; weights are integers, so that sums are exact."""

    def __init__(self, X, positive, weights):
        self.X, self.positive, self.weights = X, np.asarray(positive, dtype=bool), weights
        self.n = len(X)
        self.turns = exact.turns(X)
        if self.n <= _FEW:
            self.best, self.sets = subsets(X, self.positive, weights)
        else:
            self.best, self.sets = _lightest(self.divisions != self.positive, weights)

    @cached_property
    def divisions(self):
        """The ways in which lines that avoid all points divide them (s, n): True for their positive side."""
        return dichotomies(self.X, self.turns)

    @cached_property
    def without(self):
        """For each point, the optimal sets of the others (s, n), and whose fat lines misclassify it (s,)."""
        found = []
        for i in range(self.n):
            rows = np.arange(self.n) != i
            sets = np.zeros((0, self.n), dtype=bool)
            if 1 < self.n <= _FEW:
                _, inner = subsets(self.X[rows], self.positive[rows], self.weights[rows])
                sets = np.zeros((len(inner), self.n), dtype=bool)
                sets[:, rows] = inner
            elif self.n > 1:
                _, sets = _lightest((self.divisions != self.positive) & rows, self.weights)
            found.append((sets, np.array([self.is_wrong(rows & ~removed, i) for removed in sets])))
        return found

    def leave_both_classes(self, i):
        """Return of each optimal set of the others whether it leaves points of both classes (s,)."""
        kept = ~self.without[i][0] & (np.arange(self.n) != i)
        return (kept & self.positive).any(axis=1) & (kept & ~self.positive).any(axis=1)

    @cached_property
    def shares(self):
        """Share of the optimal sets without it whose fat line misclassifies each point (n,)."""
        return np.array([wrong.mean() if len(wrong) else 1.0 for _, wrong in self.without])

    @cached_property
    def shares_flipped(self):
        """The same for fat lines that count what they misclassify with its class flipped."""
        found = np.ones(self.n)
        for i, (sets, _) in enumerate(self.without):
            others = np.arange(self.n) != i
            if len(sets):
                found[i] = np.mean([self.is_wrong(others, i, removed) for removed in sets])
        return found

    @cached_property
    def lines(self):
        """For each centre: sides (c, n), separator sets that spare its class (c, n), weights (c,)."""
        found = []
        for a in range(self.n):
            sides = line_classes(self.X, a, self.turns)
            sets = misclassified(sides, self.positive, self.positive[a])
            found.append((sides, sets, sets @ self.weights))
        return found

    @cached_property
    def conflicts(self):
        """The smallest sets of points that no line separates, as `exact.conflicts` lists them."""
        return exact.conflicts(self.X, self.positive, self.turns)

    @cached_property
    def contributions(self):
        """The answer of `leave_one_out`: what each point adds (n,), and the error."""
        found = leave_one_out(self.X, self.positive, self.weights)
        return found.contribution, found.error

    @cached_property
    def near_optimal(self):
        """The answer of `near_optimal_sets`: separator sets (s, n), and their excess over W_opt (s,)."""
        places = merge(self.X, self.positive, self.weights)
        found = near_optimal_sets(places, 0.0, float(self.weights.max()))
        sides = np.unpackbits(found.packed, axis=1, count=len(places.x)).astype(bool)
        return sides[:, places.of_row] != self.positive, found.excess

    def is_wrong(self, kept, i, flipped=False):
        """Return whether the fat line of the points `kept`, some of them flipped, misclassifies point i."""
        positive = self.positive ^ flipped
        side = exact.side(self.X[kept & positive], self.X[kept & ~positive], self.X[i])
        return side != (1 if self.positive[i] else -1)

    def is_separable(self, removed):
        """Return whether the points outside `removed` are linearly separable."""
        return bool(separable(self.conflicts, sum(1 << int(i) for i in np.flatnonzero(removed))))

    def lines_that_misclassify(self, i, all_alike=False):
        """Separator sets (k, n) and weights (k,) of the lines through others of i's class with i among them.

        With `all_alike` also of the line that predicts all points to be of the other class.
        """
        sets, weights = [np.zeros((0, self.n), dtype=bool)], [np.zeros(0)]
        for a in np.flatnonzero(self.positive == self.positive[i]):
            hit = self.lines[a][1][:, i]
            if a != i:
                sets.append(self.lines[a][1][hit])
                weights.append(self.lines[a][2][hit])
        if all_alike:
            sets.append((self.positive == self.positive[i])[None])
            weights.append(sets[-1] @ self.weights)
        return np.concatenate(sets), np.concatenate(weights)


def _lightest(sets, weights):
    """Return the least weight of some sets (s, n), and the distinct sets that have it."""
    totals = sets @ weights
    return float(totals.min()), distinct(sets[totals == totals.min()])


def listed(row, rows):
    """Return whether a row of booleans is among `rows`."""
    return bool((rows == row).all(axis=1).any())


def likelihood(sample, rng):
    """Section 1: the line of least weight log(p / (1 - p)) is the most likely one."""
    for _ in range(1 if sample.n <= _FEW else _DRAWS):
        p = rng.choice([0.1, 0.3, 0.6, 0.75, 0.9], size=sample.n)
        found = likelihood_weights(p)
        y = sample.positive ^ found.flip
        line = optimal_separator(sample.X, np.where(y, 1, -1), found.weights)
        predicted = np.vstack([sample.X @ line.normal + line.offset > 0, sample.divisions])
        logs = np.where(predicted == sample.positive, np.log(p), np.log1p(-p)).sum(axis=1)
        yield abs(logs[0] - logs[1:].max()) < 1e-9


def both_separable(sample, rng, corrected=False):
    """Section 1: the points of either class that a line misclassifies are separable, too.

    By the definition of Q(l), in which points on the line are. Corrected: for lines that avoid all points.
    """
    if corrected:
        sets = sample.divisions != sample.positive
    else:
        sets = np.concatenate([misclassified(sides, sample.positive) for sides, _, _ in sample.lines])
    for removed in distinct(sets):
        yield sample.is_separable(~removed)


def _about_the_smaller_class(sample):
    """Return the locations, whether negative points are fewer, and the least weight about each of the fewer.

    None without such a point, or where all points are at one place.
    """
    places = merge(sample.X, sample.positive, sample.weights)
    swapped = bool(2 * sample.positive.sum() > sample.n)
    own, other = (places.wn, places.wp) if swapped else (places.wp, places.wn)
    if len(places.x) == 1 or not own.any():
        return None
    return places, swapped, sweep(places.x, places.y, own, other)[0]


def optimal(sample, rng, corrected=False):
    """Theorems 1.4, 2.3: the best line through a point of the smaller class is optimal.

    Corrected: the best of these lines and of the two that predict everything alike. So the library has it:
    its line's separator set is optimal, and all such sets are found, by each method.
    """
    if not corrected:
        about = _about_the_smaller_class(sample)
        if about is not None:
            yield about[2].min() == sample.best
        return
    places = merge(sample.X, sample.positive, sample.weights)
    for method in METHODS:
        line = optimal_separator(sample.X, sample.positive, sample.weights, method=method)
        wrong = exact.wrong_side(line, sample.X, sample.positive)
        found = optimal_sets(places, 0.0, method)
        sides = [found.side(k)[places.of_row] for k in range(len(found.packed))]
        every = distinct(np.array(sides) != sample.positive)
        yield wrong @ sample.weights == sample.best and listed(wrong, sample.sets)
        yield np.array_equal(every, distinct(sample.sets))


def through_pairs(sample, rng, corrected=False):
    """Section 2: of the lines through two points, and those that predict everything alike, one is optimal.

    Positive points on a line count as right, which is kinder than Q(l). Corrected: each of these lines turned
    or shifted a little, so that the two points are next to it, as the library's ``"pairs"`` has them.
    """
    if corrected:
        line = optimal_separator(sample.X, sample.positive, sample.weights, method="pairs")
        yield exact.wrong_side(line, sample.X, sample.positive) @ sample.weights == sample.best
        return
    alike = np.array([sample.positive, ~sample.positive])
    for a, (sides, _, _) in enumerate(sample.lines):
        meets = ((sides == 0) & (sample.X[a] != sample.X).any(axis=1)).any(axis=1)
        alike = np.concatenate([alike, misclassified(sides[meets], sample.positive, True)])
    yield (alike @ sample.weights).min() == sample.best


def lemma_2_2(sample, rng):
    """Lemma 2.2: every line that separates the rest has just the optimal set on its wrong sides."""
    line = optimal_separator(sample.X, sample.positive, sample.weights)
    yield listed(exact.wrong_side(line, sample.X, sample.positive), sample.sets)
    for removed in sample.sets:
        kept = ~removed
        a, b = sample.X[kept & sample.positive], sample.X[kept & ~sample.positive]
        yield max_margin_line(a, b) is not None
        for normal, offset in separators(a, b, rng, 11):
            wrong = misclassified(sample.X @ normal + offset, sample.positive)
            yield np.array_equal(wrong, removed)


def separators(a, b, rng, n):
    """Yield lines that separate two sets of points: the fattest, and of n - 1 random ones those that do."""
    fat = max_margin_line(a, b)
    if fat is None:
        return
    for k in range(n):
        normal = fat.normal + (k > 0) * rng.normal(scale=0.5, size=2)
        offset = fat.offset + (k > 0) * rng.normal(scale=0.5)
        if k == 0 or ((a @ normal + offset > 0).all() and (b @ normal + offset < 0).all()):
            yield normal, offset


def lemma_2_5(sample, rng, corrected=False):
    """Lemma 2.5: an optimal set is that of a line through two positive points, or through one and no others.

    And the sweep, which looks at lines through positive points, meets it. Corrected: if the set leaves a
    positive point, and points that coincide counting as one.
    """
    of_row = np.unique(sample.X, axis=0, return_inverse=True)[1].reshape(-1)
    met = _met_by_the_sweep(sample)
    for removed in sample.sets:
        if corrected and removed[sample.positive].all():
            continue
        found = False
        for a in np.flatnonzero(sample.positive):
            sides, sets, _ = sample.lines[a]
            on_it = sides[(sets == removed).all(axis=1)] == 0
            several = on_it[:, sample.positive].sum(axis=1) >= 2
            alone = (on_it <= (of_row == of_row[a])).all(axis=1) if corrected else on_it.sum(axis=1) == 1
            found |= bool((several | alone).any())
        yield found and listed(removed, met)


def _met_by_the_sweep(sample):
    """Return the separator sets (s, n) of weight W_opt that the sweep about positive points meets."""
    places = merge(sample.X, sample.positive, sample.weights)
    if len(places.x) == 1:
        return sample.sets  # there is no line to turn
    x, y, wp, wn = places[:4]
    witnesses = collect(x, y, wp, wn, sweep(x, y, wp, wn)[0], sample.best, 100_000)
    predicted = [predicted_positive(x, y, *each)[places.of_row] for each in witnesses]
    return np.array(predicted, dtype=bool).reshape(-1, sample.n) != sample.positive


def lemma_2_6(sample, rng):
    """Lemma 2.6: the sweep finds the least weight over all lines through each positive point."""
    places = merge(sample.X, sample.positive, sample.weights)
    if len(places.x) > 1:
        lowest, _ = sweep(*places[:4])
        for a in np.flatnonzero(sample.positive):
            yield lowest[places.of_row[a]] == sample.lines[a][2].min()


def lemma_2_7(sample, rng):
    """Lemma 2.7: the order of the sweep gives at most 4 n - 2 classes of lines, and any line is in one."""
    for a in range(sample.n):
        classes = _swept_classes(sample, a)
        yield len(classes) <= n_line_classes(sample.n)
        for angle in rng.uniform(0, 2 * np.pi, size=3):
            cross = (sample.X - sample.X[a]) @ [-np.sin(angle), np.cos(angle)]
            yield listed(np.sign(cross).astype(int), classes)


def _swept_classes(sample, centre):
    """Return the classes of lines through a point as `line_classes` does, from the order of the algorithm."""
    places = merge(sample.X, sample.positive, sample.weights)
    n, a = len(places.x), places.of_row[centre]
    half, order = np.ones(n, dtype=np.int64), np.empty(n - 1, dtype=np.int64)
    level, scratch = np.empty(n - 1, dtype=np.bool_), np.empty((2, n), dtype=np.uint64)
    if n > 1:
        mirrored_order(places.x, places.y, a, half, *scratch, order, level)
    group = np.cumsum(~level) - 1
    position = np.arange(2 * (int(group[-1]) + 1) if n > 1 else 1)
    sides = np.zeros((len(position), n), dtype=np.int64)
    sides[:, order] = half[order] * np.sign(2 * group + 1 - position[:, None])
    return np.concatenate([sides, -sides])[:, places.of_row]


def lemma_2_8(sample, rng):
    """Lemma 2.8: a positive separator set is a separator set, so that the sweep finds nothing below W_opt."""
    places = merge(sample.X, sample.positive, sample.weights)
    lowest = sweep(*places[:4])[0]
    for a in np.flatnonzero(sample.positive):
        yield lowest[places.of_row[a]] >= sample.best
        for removed in distinct(sample.lines[a][1]):
            yield sample.is_separable(removed)


def fattest(sample, rng, corrected=False):
    """Theorem 2.13: of all optimal sets, these lines give the fattest; corrected as `optimal`."""
    widest = max(_margin(sample, removed) for removed in sample.sets)
    if not corrected:
        about = _about_the_smaller_class(sample)
        if about is not None and (about[2].min() > sample.best or np.isfinite(widest)):
            places, swapped, lowest = about
            optimal = lowest.min() == sample.best
            yield optimal and _is_swept(places, swapped, lowest < np.inf, sample.best, widest)
        return
    line = optimal_separator(sample.X, sample.positive, sample.weights)
    right = ~exact.wrong_side(line, sample.X, sample.positive)
    yield listed(~right, sample.sets) and _is_margin(widest, line, sample.X[right], sample.positive[right])
    if np.isfinite(widest):  # few sets are compared without the sweep
        places = merge(sample.X, sample.positive, sample.weights)
        yield _is_swept(places, False, places.wp > 0, sample.best, widest)


def lemma_2_14(sample, rng):
    """Lemma 2.14: of the lightest lines through each positive point, the sweep finds the largest margin."""
    places = merge(sample.X, sample.positive, sample.weights)
    for a in np.flatnonzero(sample.positive) if len(places.x) > 1 else ():
        _, sets, weights = sample.lines[a]
        margins = [_margin(sample, removed) for removed in distinct(sets[weights == weights.min()])]
        if np.isfinite(margins).all():
            about = np.arange(len(places.x)) == places.of_row[a]
            yield _is_swept(places, False, about, weights.min(), max(margins))


def _margin(sample, removed):
    """Return the margin of what a separator set leaves (Definition 2.12)."""
    return exact.margin(sample.X[~removed & sample.positive], sample.X[~removed & ~sample.positive])


def _is_swept(places, swapped, about, limit, widest):
    """Return whether the sweep about some centres finds the margin `widest` among lines of up to `limit`."""
    swept, exponent = sample_of(places, swapped=swapped, flip=False)
    found = fat_sweep(swept, about, limit, nothing_wide())[0]
    return _same(np.ldexp(found.known / 2, exponent), widest, np.column_stack([places.x, places.y]))


def fattest_flipped(sample, rng):
    """Section 2.1: the same where misclassified points have their class flipped, and are not removed.

    And each optimal set has the same margin either way: by Lemma 2.2 the same lines separate what is left.
    """
    labels, kept = sample.positive ^ sample.sets, ~sample.sets
    margins = [exact.margin(sample.X[each], sample.X[~each]) for each in labels]
    widest = max(margins)
    for margin, rows in zip(margins, kept):
        left = exact.margin(sample.X[rows & sample.positive], sample.X[rows & ~sample.positive])
        yield _same(left, margin, sample.X)
    line = optimal_separator(sample.X, sample.positive, sample.weights, on_misclassified="flip")
    wrong = exact.wrong_side(line, sample.X, sample.positive)
    yield listed(wrong, sample.sets) and _is_margin(widest, line, sample.X, sample.positive ^ wrong)


def _is_margin(widest, line, X, positive):
    """Return whether the distance of a line to points of two classes is `widest`, up to rounding."""
    both = positive.any() and not positive.all()
    margin = np.abs(X @ line.normal + line.offset).min() if both else np.inf
    return _same(margin, widest, X)


def _same(margin, other, X):
    """Return whether two margins are the same up to the rounding of points' coordinates."""
    return bool(margin == other or abs(margin - other) <= 1e-12 * np.abs(X).max())

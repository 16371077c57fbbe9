"""Sections 1 and 2 on one small sample: each statement as a check against exhaustive search.

A check takes a `Sample` and a generator, and yields a bool for each case it tried: True where it holds.
"""

from functools import cached_property

import numpy as np

from paperlib.boosting2d._geometry.locations import merge
from paperlib.boosting2d._leave_out.fat_side import fat_side
from paperlib.boosting2d._search.angular_sweep import sweep
from paperlib.boosting2d._search.optimal_sets import Method
from paperlib.boosting2d.likelihood import likelihood_weights
from paperlib.boosting2d.max_margin_line import max_margin_line
from paperlib.boosting2d.optimal_separator import optimal_separator
from paperlib.boosting2d.theory import n_line_classes
from paperlib.experiments.boosting2d.line_classes import dichotomies, line_classes, misclassified
from paperlib.experiments.boosting2d.subsets import separable, subsets

METHODS: tuple[Method, ...] = ("branch", "sweep", "pairs")


class Sample:
    """A sample with what exhaustive search knows of it; weights are integers, so that sums are exact."""

    def __init__(self, X, positive, weights):
        self.X, self.positive, self.weights = X, np.asarray(positive, dtype=bool), weights
        self.n = len(X)
        self.best, self.sets = subsets(X, self.positive, weights)

    @cached_property
    def without(self):
        """For each point, the optimal sets of the others (s, n), and whose fat lines misclassify it (s,)."""
        found = []
        for i in range(self.n):
            rows = np.arange(self.n) != i
            sets = np.zeros((0, self.n), dtype=bool)
            if self.n > 1:
                _, inner = subsets(self.X[rows], self.positive[rows], self.weights[rows])
                sets = np.zeros((len(inner), self.n), dtype=bool)
                sets[:, rows] = inner
            found.append((sets, np.array([self.is_wrong(rows & ~removed, i) for removed in sets])))
        return found

    @cached_property
    def shares(self):
        """Share of the optimal sets without it whose fat line misclassifies each point (n,)."""
        return np.array([wrong.mean() if len(wrong) else 1.0 for _, wrong in self.without])

    @cached_property
    def lines(self):
        """For each centre: sides (c, n), separator sets that spare its class (c, n), weights (c,)."""
        found = []
        for a in range(self.n):
            sides = line_classes(self.X, a)
            sets = misclassified(sides, self.positive, self.positive[a])
            found.append((sides, sets, sets @ self.weights))
        return found

    def is_wrong(self, kept, i):
        """Return whether the fat line of the points `kept` misclassifies point i."""
        ahead, behind = self.X[kept & self.positive], self.X[kept & ~self.positive]
        return fat_side(ahead, behind, self.X[i]) != (1 if self.positive[i] else -1)

    def is_separable(self, removed):
        """Return whether the points outside `removed` are linearly separable."""
        mask = sum(1 << int(i) for i in np.flatnonzero(removed))
        return bool(separable(*np.ascontiguousarray(self.X.T), self.positive, mask))

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


def listed(row, rows):
    """Return whether a row of booleans is among `rows`."""
    return bool((rows == row).all(axis=1).any())


def likelihood(sample, rng):
    """Section 1: the line of least weight log(p / (1 - p)) is the most likely one."""
    p = rng.choice([0.1, 0.3, 0.6, 0.75, 0.9], size=sample.n)
    found = likelihood_weights(p)
    y = sample.positive ^ found.flip
    line = optimal_separator(sample.X, np.where(y, 1, -1), found.weights)
    predicted = np.vstack([sample.positive ^ line.misclassified ^ found.flip, dichotomies(sample.X)])
    logs = np.where(predicted == sample.positive, np.log(p), np.log1p(-p)).sum(axis=1)
    yield abs(logs[0] - logs[1:].max()) < 1e-9


def optimal(sample, rng):
    """Theorems 1.4, 2.3: the line's separator set is optimal, by each of the methods."""
    for method in METHODS:
        line = optimal_separator(sample.X, sample.positive, sample.weights, method=method)
        yield (
            line.weight == sample.best
            and listed(line.misclassified, sample.sets)
            and line.n_optimal == len(sample.sets)
        )


def lemma_2_2(sample, rng):
    """Every line that separates the rest has just the optimal set on its wrong sides."""
    for removed in sample.sets:
        kept = ~removed
        a, b = sample.X[kept & sample.positive], sample.X[kept & ~sample.positive]
        fat = max_margin_line(a, b)
        if fat is None:
            continue
        for k in range(11):
            normal = fat.normal + (k > 0) * rng.normal(scale=0.5, size=2)
            offset = fat.offset + (k > 0) * rng.normal(scale=0.5)
            if (a @ normal + offset > 0).all() and (b @ normal + offset < 0).all():
                wrong = misclassified(sample.X @ normal + offset, sample.positive)
                yield np.array_equal(wrong, removed)


def lemma_2_5(sample, rng, corrected=False):
    """An optimal set is that of a line through two positive points, or through one and nothing else.

    Corrected: if it leaves a positive point, and points that coincide counting as one.
    """
    places = np.unique(sample.X, axis=0, return_inverse=True)[1].reshape(-1)
    for removed in sample.sets:
        if corrected and removed[sample.positive].all():
            continue
        found = False
        for a in np.flatnonzero(sample.positive):
            sides, sets, _ = sample.lines[a]
            on_it = sides[(sets == removed).all(axis=1)] == 0
            several = on_it[:, sample.positive].sum(axis=1) >= 2
            alone = (on_it <= (places == places[a])).all(axis=1) if corrected else on_it.sum(axis=1) == 1
            found |= bool((several | alone).any())
        yield found


def lemma_2_6(sample, rng):
    """The sweep finds the least weight over all lines through each positive point."""
    places = merge(sample.X, sample.positive, sample.weights)
    if len(places.x) > 1:
        lowest, _ = sweep(*places[:4])
        for a in np.flatnonzero(sample.positive):
            yield lowest[places.of_row[a]] == sample.lines[a][2].min()


def lemma_2_7(sample, rng):
    """There are at most 4 n - 2 classes of lines through a point, and any line through it is in one."""
    for a in range(sample.n):
        classes = line_classes(sample.X, a)
        yield len(classes) <= n_line_classes(sample.n)
        for angle in rng.uniform(0, 2 * np.pi, size=3):
            cross = (sample.X - sample.X[a]) @ [-np.sin(angle), np.cos(angle)]
            yield listed(np.sign(cross).astype(int), classes)


def lemma_2_8(sample, rng):
    """A positive separator set is a separator set."""
    for a in np.flatnonzero(sample.positive):
        for removed in np.unique(sample.lines[a][1], axis=0):
            yield sample.is_separable(removed)


def fattest(sample, rng):
    """Theorem 2.13: of all optimal separator sets the one with the largest margin."""
    margins = []
    for removed in sample.sets:
        fat = max_margin_line(sample.X[~removed & sample.positive], sample.X[~removed & ~sample.positive])
        assert fat is not None  # removing a separator set leaves what a line separates
        margins.append(fat.margin)
    line = optimal_separator(sample.X, sample.positive, sample.weights)
    yield line.margin == max(margins) or abs(line.margin / max(margins) - 1) < 1e-11

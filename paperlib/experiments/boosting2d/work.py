"""The work of each method, counted instead of timed: the same number on every machine.

The kernels count as they go. What a unit is depends on the method: a point that is judged, compared or moved,
a comparison, a node of a tree.
"""

from time import perf_counter

import numpy as np
import pandas as pd

from paperlib._common.validation import check_choice, check_number
from paperlib.boosting2d._fattest.fat_sweep import fat_sweep, nothing_wide
from paperlib.boosting2d._fattest.ranked import sample_of
from paperlib.boosting2d._geometry.locations import merge
from paperlib.boosting2d._search.angular_sweep import sweep, sweep_about
from paperlib.boosting2d._search.axis_sweep import axis_sweep
from paperlib.boosting2d._search.optimal_sets import branch
from paperlib.boosting2d._search.pairs import pairs
from paperlib.boosting2d.optimal_separator import optimal_separator
from paperlib.experiments.boosting2d.interval_tree import leave_one_out_by_intervals
from paperlib.experiments.boosting2d.samples import clouds
from paperlib.experiments.boosting2d.smaller_class import leave_one_out_by_smaller_class
from paperlib.experiments.boosting2d.subsets import subsets, subsets_tried
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import progress, step

CENTRES = 32  # that the work about one of them is averaged over
FEW = 8  # points of the smaller class, where it does not grow
METHODS = (
    "subsets",
    "pairs",
    "sweep",
    "branch",
    "leave-one-out",
    "leave-one-out, heavy tails",
    "leave-one-out, brute force",
    "smaller class",
)


def points_judged(X, y, method):
    """Count the work of a method on its way to the least number of errors.

    Parameters
    ----------
    X : array-like of shape (n, 2)
    y : array-like of shape (n,), of -1 and +1
        Both classes; the rows not all in line.
    method : str
        One of `METHODS`.

    Returns
    -------
    work : int
        ``"subsets"``: for each set that is tried, all points, n <= 24. ``"pairs"``: for each line, all
        points. ``"sweep"``: for each centre, the steps of its sort, and points weighed or passed.
        ``"branch"``: for each node, the points or cells active in it and its bins; in leaves, for each line
        that is tried, the points active there. ``"leave-one-out"``: the marking of
        `leave_one_out_by_intervals`, with unit weights, or with `heavy_tails`; by brute force, n sweeps.
        ``"smaller class"``: `leave_one_out_by_smaller_class`, votes and all, which asks the fat line of every
        set: as much as with any weights.
    least : float
        What was found; of the marking, the error.

    Examples
    --------
    >>> points_judged([[0, 0], [1, 0], [0, 1], [1, 1]], [-1, 1, 1, -1], "pairs")
    (48, 1.0)
    """
    check_choice(method, "method", METHODS)
    X, positive = np.asarray(X, dtype=np.float64), np.asarray(y) > 0
    places = merge(X, positive, np.ones(len(X)))
    x, y, wp, wn = places[:4]
    if np.count_nonzero(wp) > np.count_nonzero(wn):  # lines are turned about the smaller class
        wp, wn = wn, wp
    if method == "leave-one-out, brute force":
        others = [np.arange(len(x)) != i for i in range(len(x))]
        found = [_sweep(x[rows], y[rows], wp[rows], wn[rows]) for rows in others]
        return sum(work for work, _ in found), min(least for _, least in found)
    if method == "smaller class":
        marked = leave_one_out_by_smaller_class(X, positive, np.ones(len(X)), every=True)
        return marked.judged, float(marked.contribution.mean())
    if method.startswith("leave-one-out"):
        weights = heavy_tails(len(X)) if method.endswith("tails") else np.ones(len(X))
        marked = leave_one_out_by_intervals(X, positive, weights)
        return marked.judged, float(marked.contribution.mean())
    return {"subsets": _subsets, "pairs": _pairs, "sweep": _sweep, "branch": _branch}[method](x, y, wp, wn)


def heavy_tails(n):
    """Return integer weights (n,) of a Pareto distribution without a mean, always the same.

    >>> weights = heavy_tails(1000)
    >>> bool(weights.min() > 1000), bool(weights.max() > 100 * np.median(weights))
    (True, True)
    """
    return np.ceil(1000 * (1 + np.random.default_rng(0).pareto(1.0, size=n)))


def few_of_one_class(n, random_state=None):
    """Draw normal points (n, 2), the first `FEW` of which are of class -1, and labels (n,) of -1 and +1."""
    rng = np.random.default_rng(random_state)
    return rng.normal(size=(n, 2)), np.where(np.arange(n) < FEW, -1, 1)


def circle(n, m, random_state=None):
    """Draw points (n, 2) on a circle, the first m of class -1: hulls are as large as can be."""
    angles = np.random.default_rng(random_state).uniform(0.0, 2.0 * np.pi, size=n)
    return np.column_stack([np.cos(angles), np.sin(angles)]), np.where(np.arange(n) < m, -1, 1)


def planes_work(n, m=None, random_state=None):
    """Count the work of the search for the optimal plane, for n points of two clouds in space.

    Parameters
    ----------
    n : int >= 3
    m : int, optional
        Points of the class that planes are turned about; by default half of them.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    int
        For each pair of locations that is an axis, the comparisons that sort the others about it.

    Examples
    --------
    >>> planes_work(10, 1, random_state=0) < planes_work(10, random_state=0)
    True
    """
    rng = np.random.default_rng(random_state)
    positive = np.arange(n) % 2 == 0 if m is None else np.arange(n) < m
    points = rng.normal(size=(n, 3)) + np.where(positive, 0.5, -0.5)[:, None]
    n = len(points)
    return axis_sweep(points, positive.astype(float), (~positive).astype(float), 0, n * n, np.empty((n, n)))


def fat_work(n, n_centres=None, random_state=None):
    """Count the work of the sweep that compares margins (Lemma 2.14), where every line ties.

    The points are pairs of both classes at one place, and on either side one more of each class: every line
    between these two is optimal. The pairs are on a circle, so that hulls are as large as they can be. Of
    most lines the margin is never asked for: two points that an earlier one spans refute them.

    Parameters
    ----------
    n : int >= 6
        One less if it is odd.
    n_centres : int, optional
        How many of the positive points to turn the line about; all of them by default.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    float
        Points that are sorted about a centre, that a line passes, that are compared or moved in a hull or
        looked up there; the mean over these centres, of all of them the sum.

    Examples
    --------
    >>> fat_work(8, 2, random_state=0) < fat_work(8, random_state=0)
    True
    """
    n = n // 2 * 2
    angles = np.random.default_rng(random_state).uniform(0.0, 2.0 * np.pi, size=n // 2 - 1)
    pairs = np.column_stack([np.cos(angles), np.sin(angles)])
    X = np.vstack([pairs, pairs, [[-2.0, 0.0], [2.0, 0.0]]])
    positive = np.repeat([True, False, True], [len(pairs), len(pairs) + 1, 1])
    places = merge(X, positive, np.ones(n))
    sample, _ = sample_of(places, swapped=False, flip=False)
    centres = np.flatnonzero(sample.wp > 0)
    if n_centres is not None:
        centres = centres[:: -(-len(centres) // n_centres)]
    about = np.zeros(len(places.x), dtype=bool)
    about[centres] = True
    steps = fat_sweep(sample, about, float(len(pairs)), nothing_wide())[1]
    return float(steps / (1 if n_centres is None else len(centres)))


def fat_work_of_few(n, random_state=None):
    """Count the work of the same sweep about `FEW` positive points among n - `FEW` negative ones.

    All are on a circle, and all lines are compared, whatever they weigh.
    """
    X, y = circle(n, FEW, random_state)
    places = merge(X, y < 0, np.ones(n))
    sample, _ = sample_of(places, swapped=False, flip=False)
    return fat_sweep(sample, sample.wp > 0, float(n), nothing_wide())[1]


@step
def work_counts(sizes, n_samples, *, seed):
    """Count the work of each method on samples of `clouds`, with as many points of each class.

    Parameters
    ----------
    sizes : dict of str to list of int >= 2
        By method. A sample of one size is the same for all methods, and begins those of larger sizes, but
        for `OWN_SAMPLES`: ``"planes"`` (the work is that of `planes_work`), ``"fattest"`` and
        ``"one centre"`` (of `fat_work`, about all centres and about each of some), ``"sweep, far clusters"``;
        and with ``", few"`` behind a method, where the smaller class has `FEW` points.
    n_samples : int >= 1
        Of each size.
    seed : int

    Returns
    -------
    DataFrame with a row per sample, method and size: sample, method, n, work
    """
    n_samples = check_number(n_samples, "n_samples", low=1, integer=True)
    every_size = [check_number(n, "sizes", low=2, integer=True) for each in sizes.values() for n in each]
    rngs = {method: stream(seed, f"work, {method}").spawn(n_samples) for method in ("shared", *sizes)}
    rows = []
    for sample in progress(range(n_samples), "samples"):  # one at a time: those of all would fill gigabytes
        X, y = clouds(max(every_size), balanced=True, random_state=rngs["shared"][sample])
        for method, n in ((method, n) for method, each in sizes.items() for n in each):
            if method in OWN_SAMPLES:
                work = OWN_SAMPLES[method](n, rngs[method][sample])
            else:
                work = points_judged(X[:n], y[:n], method)[0]
            rows.append((sample, method, n, float(work)))
    return pd.DataFrame(rows, columns=["sample", "method", "n", "work"])


@step
def noise_subsets(sizes, n_samples, *, seed):
    """Count the subsets that the exponential search removes and tests, where labels are drawn by lot.

    Parameters
    ----------
    sizes : list of int in [2, 24]
    n_samples : int >= 1
        Of each size, each of normal points with half of the labels positive.
    seed : int

    Returns
    -------
    DataFrame with a row per sample and size: sample, n, tried

    Examples
    --------
    >>> noise_subsets([2, 4], 3, seed=0).shape
    (6, 3)
    """
    rows = []
    for sample, rng in enumerate(stream(seed, "subsets of noise").spawn(n_samples)):
        for n in sizes:
            positive = rng.permutation(n) < n // 2
            rows.append((sample, n, subsets_tried(rng.normal(size=(n, 2)), positive, np.ones(n))[0]))
    return pd.DataFrame(rows, columns=["sample", "n", "tried"])


def far_clusters(n, random_state=None):
    """Draw two normal clusters of n // 2 points, so far apart that each sees the other in one direction.

    The labels (n,) of -1 and +1 take turns in both. What is sorted by rounded angles is sorted wrongly here.
    """
    rng = np.random.default_rng(random_state)
    X = rng.normal(size=(n, 2))
    X[n // 2 :, 0] += 1e13
    return X, np.where(np.arange(n) % 2 == 0, -1, 1)


def one_centre(X, y):
    """Count the work of the sweep about the first positive point alone (Lemma 2.6).

    >>> one_centre(np.array([[0.0, 0.0], [1.0, 2.0], [2.0, 0.5]]), np.array([1, -1, 1]))
    16
    """
    places = merge(np.asarray(X, dtype=np.float64), y > 0, np.ones(len(X)))
    about = np.arange(len(places.x)) == places.of_row[np.argmax(y > 0)]
    return sweep_about(*places[:4], about)[1]  # type: ignore[call-arg]  # four of eight fields


def _few_judged(n, rng, method):
    X, y = few_of_one_class(n, rng)
    return points_judged(X, y, method)[0]


OWN_SAMPLES = {
    "planes": lambda n, rng: planes_work(n, None, rng),
    "planes, few": lambda n, rng: planes_work(n, FEW, rng),
    "sweep, few": lambda n, rng: _few_judged(n, rng, "sweep"),
    "leave-one-out, few": lambda n, rng: _few_judged(n, rng, "leave-one-out"),
    "smaller class, few": lambda n, rng: _few_judged(n, rng, "smaller class"),
    "smaller class, circle": lambda n, rng: points_judged(*circle(n, n // 2, rng), "smaller class")[0],  # type: ignore[call-arg]
    "smaller class, circle, few": lambda n, rng: points_judged(*circle(n, FEW, rng), "smaller class")[0],  # type: ignore[call-arg]
    "sweep, far clusters": lambda n, rng: points_judged(*far_clusters(n, rng), "sweep")[0],  # type: ignore[call-arg]
    "sweep, one centre": lambda n, rng: one_centre(*clouds(n, random_state=rng)),
    "sweep, one centre, far clusters": lambda n, rng: one_centre(*far_clusters(n, rng)),
    "fattest, few": fat_work_of_few,
    "fattest": lambda n, rng: fat_work(n, None, rng),
    "one centre": lambda n, rng: fat_work(n, CENTRES, rng),
}


@step
def branch_counts(sizes, *, seed):
    """Count the work of branch and bound on a sample of several kinds: easy ones, and labels that are noise.

    Parameters
    ----------
    sizes : list of int >= 10
        Of a kind, a sample of one size begins those of larger sizes.
    seed : int

    Returns
    -------
    DataFrame with a row per kind and size: method, sample, n, work
        `method` is the kind, so that `powers.of_samples` takes it.
    """
    rows = []
    for kind, draw in progress(list(KINDS.items()), "kinds"):
        X, y = draw(stream(seed, f"branch, {kind}"), max(sizes))
        rows += [(kind, 0, n, float(points_judged(X[:n], y[:n], "branch")[0])) for n in sizes]
    return pd.DataFrame(rows, columns=["method", "sample", "n", "work"])


def _coin(rng, n):
    return np.where(rng.random(n) < 0.5, 1, -1)


KINDS = {
    "two clouds": lambda rng, n: clouds(n, balanced=True, random_state=rng),
    "four quadrants": lambda rng, n: ((X := rng.normal(size=(n, 2))), np.where(X.prod(axis=1) > 0, 1, -1)),
    "pure noise": lambda rng, n: (rng.normal(size=(n, 2)), _coin(rng, n)),
    "noise on a circle": lambda rng, n: (
        (X := rng.normal(size=(n, 2))) / np.linalg.norm(X, axis=1)[:, None],
        _coin(rng, n),
    ),
    "noise with heavy tails": lambda rng, n: (rng.standard_cauchy((n, 2)), _coin(rng, n)),
}


def seconds(sizes, random_state=None):
    """Time the methods, each after a first call; these numbers differ from run to run and are for show.

    Parameters
    ----------
    sizes : dict of str to list of int
        By method: ``"subsets"`` (n at most 24) or a method of `optimal_separator`.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per method and size: method, n, seconds
    """
    X, y = clouds(max(max(each) for each in sizes.values()), random_state=random_state)
    rows = []
    for method, each in sizes.items():
        for n in each[:1] + each:
            start = perf_counter()
            if method == "subsets":
                subsets(X[:n], y[:n] > 0, np.ones(n))
            else:
                optimal_separator(X[:n], y[:n], method=method)
            rows.append((method, n, perf_counter() - start))
        del rows[-len(each) - 1]
    return pd.DataFrame(rows, columns=["method", "n", "seconds"])


def _subsets(x, y, wp, wn):
    tried, least = subsets_tried(np.column_stack([x, y]), wp > 0, wp + wn)
    return len(x) * tried, least


def _pairs(x, y, wp, wn):
    least, _, judged = pairs(x, y, wp, wn, 0.0)
    return judged, float(min(least, wp.sum(), wn.sum()))


def _sweep(x, y, wp, wn):
    lowest, judged = sweep(x, y, wp, wn)
    return judged, float(min(lowest.min(), wp.sum(), wn.sum()))


def _branch(x, y, wp, wn):
    least, _, judged = branch(x, y, wp, wn, 0.0)
    return judged, float(least)

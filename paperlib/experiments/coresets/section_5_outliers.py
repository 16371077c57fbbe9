"""Section 5: searches for outliers beside the true optimum (Lemma 5.2), and outliers that were planted."""

import itertools
import math
import warnings
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from paperlib._common.validation import check_number
from paperlib.coresets import OutlierCoresetSVC, theory
from paperlib.coresets._outliers.subsets import best_of_size
from paperlib.experiments.coresets import theory as unrounded
from paperlib.experiments.coresets.measures import best_hyperplane, radius, share_missed
from paperlib.experiments.coresets.mixed_integer import trimmed_optimum
from paperlib.experiments.coresets.samples import bunch, flipped, half_spaces, star
from paperlib.experiments.random_streams import stream
from paperlib.experiments.statistics import to_resolution
from paperlib.experiments.steps import progress, step

FIGURE_4 = ("exhaustive", "doubling")  # the library's searches of Figure 4 (a) and (b)
METHODS = (*FIGURE_4, "branch", "auto")
RESOLUTION = 1e-9  # of differences that are zero but for rounding
MAX_SETS = 1000  # of outliers that are removed one after the other


@step
def outlier_trials(kinds, eps, *, seed):
    """Hold each search for outliers against the true optimum (Lemma 5.2).

    That is found by removing all sets of k points, or where they are more than `MAX_SETS` by a mixed-integer
    programme.

    Parameters
    ----------
    kinds : list of (trials, n, d, counts)
        The last are the values of k.
    eps : float in (0, 1)
    seed : int

    Returns
    -------
    DataFrame with a row per kind, trial, k and method
        n, k, method, achieved (margin on all but k points over ``rho_k``), missed (share of `eps` that is),
        looked_at, c (points of a subset, by Lemma 5.2), told (how far `margin_` is from what is found, over
        ``rho_k``), short (how far `margin_upper_bound_` is below ``rho_k``, over that; it must not be)
    """
    rng = stream(seed, "outlier-trials")
    rows: list[tuple[Any, ...]] = []
    for n_trials, n, d, counts in kinds:
        check_number(n_trials, "n_trials", low=1, integer=True)
        for _, k in itertools.product(range(n_trials), counts):
            X, y, _ = flipped(n, d, 0.2, k, random_state=rng)
            best = _optimum_without(y[:, None] * X, k)
            rows += [(n, k, method, *_held_against(best, X, y, k, eps, method)) for method in METHODS]
    found = ["achieved", "missed", "looked_at", "c", "told", "short"]
    return pd.DataFrame(rows, columns=["n", "k", "method", *found])


def _held_against(best, X, y, k, eps, method):
    """What `outlier_trials` tells of one search, given the optimum."""
    fit = _fitted(X, y, k, eps, method)
    achieved = trimmed_margin(y[:, None] * X, fit.coef_[0], k)
    told = to_resolution(abs(fit.margin_ - achieved) / best, RESOLUTION)
    size = theory.lemma_5_2_size(radius(X) / best, eps)
    short = to_resolution(1.0 - fit.margin_upper_bound_ / best, RESOLUTION)
    return achieved / best, _missed(achieved / best, eps), fit.n_looked_at_, size, told, short


def _missed(achieved, eps):
    return to_resolution(share_missed(achieved, 1.0, eps), RESOLUTION)


def _fitted(X, y, k, eps, method):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a margin below zero says it
        return OutlierCoresetSVC(k, eps, method=method, on_nonseparable="warn").fit(X, y)


def trimmed_margin(points, w, k):
    """Return the (k+1)-th smallest margin of signed points (n, d) to the normal `w` (d,), of any length.

    >>> trimmed_margin(np.array([[1.0], [-3.0], [2.0]]), np.array([2.0]), 1)
    1.0
    """
    return float(np.sort(points @ w)[k] / np.linalg.norm(w))


def _optimum_without(points, k):
    if math.comb(len(points), k) > MAX_SETS:
        return trimmed_optimum(points, k).margin
    return _best_removal(points, k)[0]


def _best_removal(points, k):
    """Return the largest margin without k of the points, and the rows that are left: all sets are tried."""
    sets = itertools.combinations(range(len(points)), len(points) - k)
    return max(((best_hyperplane(points[list(rows)]).margin, list(rows)) for rows in sets), key=itemgetter(0))


def printed_figure_4(points, k, eps, part):
    """Run OUTLIER SVM (a) or SIMPLE OUTLIER SVM (b) as Figure 4 prints them, but for the constant of c.

    Figure 4 tries all subsets of exactly c points, and stops where the largest trimmed margin of their
    hyperplanes is above the guess. With its ``c = 32 (R / rho)^2 / eps`` no sample that can be tried has as
    many points. Its lemma has an O(.) there, so c is the number with nothing rounded up, by
    `theory.lemma_3_1_sharp`; all else is as printed. Part (a) halves the guess, (b) doubles c.

    Parameters
    ----------
    points : ndarray of shape (n, d)
        Signed points; some n up to twenty.
    k : int
    eps : float in (0, 1)
    part : {"a", "b"}

    Returns
    -------
    normal : ndarray of shape (d,)
        Zero where the loop has come to subsets of n points, of which there is one, and has not ended.
    size : int
        The last c.
    subsets : int
        That were tried, of all sizes.

    Examples
    --------
    >>> points = np.array([[1.0, 0.2], [1.0, -0.2], [-1.0, 0.0]])  # one is enough
    >>> normal, size, subsets = printed_figure_4(points, 1, 0.5, "b")
    >>> normal.round(2).tolist(), size, subsets
    ([0.98, 0.2], 1, 3)
    """
    n, R, i, subsets = len(points), radius(points), 0, 0
    while True:
        size = unrounded.lemma_3_1_sharp(2.0**i, eps) if part == "a" else 2**i
        guess = R / (2.0**i if part == "a" else unrounded.lemma_5_2_ratio(size, eps))
        if size >= n:
            return np.zeros(points.shape[1]), size, subsets
        normal = best_of_size(points, np.arange(size), float(k), math.comb(n, size), np.zeros(0))[1]
        subsets += math.comb(n, size)
        if normal.any() and trimmed_margin(points, normal, k) > guess:
            return normal, size, subsets
        i += 1


@step
def figure_4_trials(n_trials, counts, eps, *, seed):
    """Try Figure 4 as printed, but for the constant of c, where one point is not enough (Lemma 5.2).

    Points are a `samples.star` of which the first k are turned round. Its R is drawn from those with which no
    single point's hyperplane has ``1 - eps`` of the margin, while 8 points end part (b); where there is none,
    the c of its second guess, R / 2, ends part (a). There are more dimensions than points. The last run is on
    `two_sides`.

    Parameters
    ----------
    n_trials : int
    counts : list of int
        Numbers of outliers, k.
    eps : list of float
        Below 0.5, or nothing is left for part (a) either.

    Returns
    -------
    DataFrame with a row per trial, k and eps
        sample ("star" or "two sides"), part ("a" or "b"), eps, n, k, size (of the last subsets), subsets
        (that were tried), halted, achieved (margin on all points but k over the optimum; 0 where it has not
        halted), missed (share of eps that is), missed_rest (the same on all but V_k, the best set to leave
        out), single (the same as `missed` by the hyperplane of the best single point)
    """
    rng = stream(seed, "figure-4")
    rows = []
    for _, k, each in progress(list(itertools.product(range(n_trials), counts, eps)), "runs"):
        enough = 1.0 / (1.0 - each)  # R / rho* from which no single point is
        part, n, end = "b", 10, _width(8, unrounded.lemma_5_2_ratio(8, each))
        if _width(n, enough) > end:
            c = unrounded.lemma_3_1_sharp(2.0, each)
            part, n, end = "a", c + 1, _width(c, 2.0)
        least = _width(n, enough)
        X, y = star(n + k, least + rng.uniform(0.1, 0.9) * (end - least))
        y[:k] *= -1
        rows.append(_figure_4_row("star", y[:, None] * X, k, each, part))
    rows.append(_figure_4_row("two sides", two_sides(), 1, 0.8, "b"))
    found = ["subsets", "halted", "achieved", "missed", "missed_rest", "single"]
    return pd.DataFrame(rows, columns=["sample", "part", "eps", "n", "k", "size", *found])


def _width(n, ratio):
    """Return the R of a `samples.star` of n points whose R over the margin is `ratio`."""
    b = 1.0 - 1.0 / n  # R^2 (1 + (R^2 - 1) / n) = ratio^2
    return math.sqrt(n * (math.sqrt(b**2 + 4.0 * ratio**2 / n) - b) / 2.0)


def _figure_4_row(sample, points, k, eps, part):
    """What `figure_4_trials` tells of one run."""
    best, rest = _best_removal(points, k)
    normal, size, subsets = printed_figure_4(points, k, eps, part)
    achieved = trimmed_margin(points, normal, k) / best if normal.any() else 0.0
    on_rest = float((points[rest] @ normal).min()) / best
    single = max(trimmed_margin(points, each, k) for each in points) / best
    missed = (_missed(each, eps) for each in (achieved, on_rest, single))
    return sample, part, eps, len(points), k, size, subsets, bool(normal.any()), achieved, *missed


def two_sides():
    """Signed points of which either of two may be the outlier, and few points do not tell which (Lemma 5.2).

    Fifteen are a star; the last two are on opposite sides of it. Without the first of these the margin is
    hardly larger than without the other.

    >>> points = two_sides()
    >>> [round(best_hyperplane(np.delete(points, out, axis=0)).margin, 4) for out in (15, 16)]
    [0.6569, 0.6547]
    """
    points = np.hstack([np.ones((15, 1)), np.zeros((15, 1)), 0.9 * np.eye(15)])
    pair = np.zeros((2, 17))
    pair[:, :2] = [[0.0, 0.85], [-0.18, -1.0]]
    return np.vstack([points, pair])


@step
def halting_trials(n_trials, n, d, eps, *, seed):
    """Try the library's two searches of Figure 4 on samples that one removal does not make separable.

    Two of their points are there twice, with either label. The paper takes for granted that the other points
    can be separated; where they cannot, the printed loop does not end, as every guess is above zero.

    Parameters
    ----------
    n_trials, n, d : int
    eps : float in (0, 1)
    seed : int

    Returns
    -------
    DataFrame with a row per trial
        trial, exhaustive, doubling: whether that method returns, with a hyperplane that has no positive
        margin on all points but one, and says so
    """
    rng = stream(seed, "outlier-halting")
    ended = []
    for _ in range(n_trials):
        X, y = half_spaces(n, d, 0.2, random_state=rng)
        X, y = np.vstack([X, X[:2]]), np.append(y, -y[:2])  # of either pair one point is in the way
        points = y[:, None] * X
        ended.append([_ends(X, y, points, eps, method) for method in FIGURE_4])
    return pd.DataFrame(ended, columns=FIGURE_4).rename_axis("trial").reset_index()


@step
def rule_trials(n_trials, n, d, eps, *, seed):
    """Try the library's searches of Figure 4 on points of which their rule, and nothing else, can end them.

    Their rule is another than the figure's: the margin is at least ``1 - eps`` of the guess, and c is the
    smaller one of Lemma 5.2 and Corollary 3.2, which is 1 for the first guess. There are `n` points in a
    bunch, which few points are enough for, and one outlier. Subsets of d points are out of reach.

    Parameters
    ----------
    n_trials, n, d : int
    eps : list of float in (0, 1)
    seed : int

    Returns
    -------
    DataFrame with a row per trial, eps and method
        eps, method, halted (whether it was by the rule), achieved (margin on all points but one over the
        optimum), reached (whether that is ``1 - eps``)
    """
    rng = stream(seed, "outlier-rule")
    rows: list[tuple[float, str, bool, float, bool]] = []
    for _, each in itertools.product(range(n_trials), eps):
        X, y, outliers = bunch(n, d, each * rng.uniform(0.3, 1.0), random_state=rng)
        points = y[:, None] * X
        best = best_hyperplane(np.delete(points, outliers, axis=0)).margin
        for method in FIGURE_4:
            try:
                fit = _fitted(X, y, 1, each, method)
            except ValueError:  # more subsets than are allowed
                rows.append((each, method, False, 0.0, False))
                continue
            achieved = trimmed_margin(points, fit.coef_[0], 1) / best
            rows.append((each, method, fit.halted_ == "margin", achieved, achieved >= 1.0 - each))
    return pd.DataFrame(rows, columns=["eps", "method", "halted", "achieved", "reached"])


@step
def bound_trials(n_trials, kinds, eps, *, seed):
    """Hold the bound of the default search against the true optimum, where no point stands out.

    What is left out is then hard to choose, and the best hyperplane is often not met: a bound below it
    cannot hide behind the margin, which the bound is never below.

    Parameters
    ----------
    n_trials : int
        Samples of each kind.
    kinds : list of (n, d, k)
    eps : float in (0, 1)
    seed : int

    Returns
    -------
    DataFrame with a row per sample
        n, k, achieved (margin on all but k points over ``rho_k``), short (how far `margin_upper_bound_` is
        below ``rho_k``, over that)
    """
    rng = stream(seed, "outlier-bounds")
    rows = []
    for (n, d, k), _ in itertools.product(kinds, range(n_trials)):
        X, y = half_spaces(n, d, 0.05, random_state=rng)
        X *= rng.uniform(0.3, 1.0, size=(n, 1))
        points = y[:, None] * X
        best = _optimum_without(points, k)
        fit = _fitted(X, y, k, eps, "auto")
        achieved = trimmed_margin(points, fit.coef_[0], k) / best
        rows.append((n, k, achieved, to_resolution(1.0 - fit.margin_upper_bound_ / best, RESOLUTION)))
    return pd.DataFrame(rows, columns=["n", "k", "achieved", "short"])


def _ends(X, y, points, eps, method):
    try:
        fit = _fitted(X, y, 1, eps, method)
    except ValueError:  # of a guess at the margin too small for any subset: the search went on without end
        return False
    return trimmed_margin(points, fit.coef_[0], 1) <= 0.0 and fit.margin_upper_bound_ == 0.0


@step
def outlier_path(n, d, margin, n_planted, counts, eps, *, seed):
    """Trimmed margins of growing numbers of outliers that are allowed for, where some are planted.

    Parameters
    ----------
    n, d, margin, n_planted
        As in `samples.flipped`.
    counts : list of int
    eps : float in (0, 1)
    seed : int

    Returns
    -------
    DataFrame with a row per count: allowed, margin, upper, found (of the planted ones), looked_at
    """
    X, y, planted = flipped(n, d, margin, n_planted, random_state=stream(seed, "outlier-path"))
    rows = []
    for k in counts:
        fit = _fitted(X, y, k, eps, "branch")
        found = _n_found(fit, X, y, k, planted)
        rows.append((k, fit.margin_, fit.margin_upper_bound_, found, fit.n_looked_at_))
    return pd.DataFrame(rows, columns=["allowed", "margin", "upper", "found", "looked_at"])


def _n_found(fit, X, y, k, planted):
    """Count the planted outliers among the k points of smallest margin."""
    margins = (y[:, None] * X) @ fit.coef_[0]
    return len(np.intersect1d(np.argsort(margins, kind="stable")[:k], planted))


@step
def planted_missed(n_samples, n, d, margin, k, eps, *, seed):
    """Plant outliers in samples, and look for as many.

    Parameters
    ----------
    n_samples, n, d : int
    margin : float
        Of the others.
    k : int
        Outliers in each sample.
    eps : float in (0, 1)
    seed : int

    Returns
    -------
    DataFrame with a row per sample
        sample, planted, missed (how many of those are not among the k points of smallest margin)
    """
    rng = stream(seed, "outliers-planted")
    rows = []
    for sample in range(n_samples):
        X, y, planted = flipped(n, d, margin, k, random_state=rng)
        fit = _fitted(X, y, k, eps, "branch")
        rows.append((sample, k, k - _n_found(fit, X, y, k, planted)))
    return pd.DataFrame(rows, columns=["sample", "planted", "missed"])

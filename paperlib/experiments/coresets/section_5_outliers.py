"""Section 5: searches for outliers beside the true optimum (Lemma 5.2), and outliers that were planted."""

import itertools
import math
import warnings

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from paperlib._common.validation import check_number
from paperlib.coresets import OutlierCoresetSVC, theory
from paperlib.experiments.coresets.measures import best_hyperplane, radius
from paperlib.experiments.coresets.mixed_integer import trimmed_optimum
from paperlib.experiments.coresets.samples import bunch, flipped, half_spaces

GUESSES = 1000  # halvings of R: below the smallest number that is not zero
METHODS = ("exhaustive", "doubling", "branch", "auto")
MAX_SETS = 1000  # of outliers that are removed one after the other


def outlier_trials(n_trials, n, d, counts, eps, *, random_state=None):
    """Hold each search for outliers against the true optimum (Lemma 5.2).

    That is found by removing all sets of k points, or where they are more than `MAX_SETS` by a mixed-integer
    programme.

    Parameters
    ----------
    n_trials : int >= 1
    n, d : int
    counts : list of int
        The values of k.
    eps : float in (0, 1)
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per trial, k and method
        n, k, method, achieved (margin on all but k points over ``rho_k``), looked_at, c (points of a
        subset, by Lemma 5.2), told (how far `margin_` is from what is found, over ``rho_k``), short (how
        far `margin_upper_bound_` is below ``rho_k``, over that; it must not be)
    """
    rng = np.random.default_rng(random_state)
    rows = []
    for _, k in itertools.product(range(check_number(n_trials, "n_trials", low=1, integer=True)), counts):
        X, y, _ = flipped(n, d, 0.2, k, random_state=rng)
        points = y[:, None] * X
        best = _optimum_without(points, k)
        for method in METHODS:
            fit = _fitted(X, y, k, eps, method)
            achieved = trimmed_margin(points, fit.coef_[0], k)
            told = abs(fit.margin_ - achieved) / best
            size = theory.lemma_5_2_size(radius(X) / best, eps)
            short = 1.0 - fit.margin_upper_bound_ / best
            rows.append((n, k, method, achieved / best, fit.n_looked_at_, size, told, short))
    return pd.DataFrame(rows, columns=["n", "k", "method", "achieved", "looked_at", "c", "told", "short"])


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
    sets = itertools.combinations(range(len(points)), k)
    return max(best_hyperplane(np.delete(points, out, axis=0)).margin for out in sets)


def printed_figure_4(points, k, n_guesses):
    """Run the loop of Figure 4 (a) as it is printed, and tell whether it returns.

    Of the subsets of every size that of the largest trimmed margin is given to it at once: that is the
    optimum of Definition 5.1, or nothing above zero where no k removals make the points separable. So all
    that is left of the loop is its question whether that is above the guess.

    Parameters
    ----------
    points : ndarray of shape (n, d)
        Signed points.
    k : int
    n_guesses : int
        After which it is given up.

    Returns
    -------
    bool

    Examples
    --------
    >>> [printed_figure_4(np.array([[1.0], [second]]), 0, 9) for second in (2.0, -2.0)]
    [True, False]
    """
    largest, guess = _optimum_without(points, k), radius(points)
    for _ in range(n_guesses):
        if largest > guess:
            return True
        guess /= 2.0
    return False


def halting_trials(n_trials, n, d, eps, *, random_state=None):
    """Try Figure 4 on samples that one removal does not make separable, as printed and as we have it.

    Two of their points are there twice, with either label.

    Parameters
    ----------
    n_trials, n, d : int
    eps : float in (0, 1)
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per sample
        printed (whether it returns within `GUESSES` guesses), ours (whether both methods return, with a
        hyperplane that has no positive margin on all points but one, and say so)
    """
    rng = np.random.default_rng(random_state)
    rows: list[tuple[bool, bool]] = []
    for _ in range(n_trials):
        X, y = half_spaces(n, d, 0.2, random_state=rng)
        X, y = np.vstack([X, X[:2]]), np.append(y, -y[:2])  # of either pair one point is in the way
        points = y[:, None] * X
        ends = [_ends(X, y, points, eps, method) for method in ("exhaustive", "doubling")]
        rows.append((printed_figure_4(points, 1, GUESSES), all(ends)))
    return pd.DataFrame(rows, columns=["printed", "ours"])


def rule_trials(n_trials, n, d, eps, *, random_state=None):
    """Try Figure 4 on points of which its rule, and nothing else, can end the search.

    There are `n` of them in a bunch, which few points are enough for, and one outlier. Subsets of d points
    are out of reach.

    Parameters
    ----------
    n_trials, n, d : int
    eps : list of float in (0, 1)
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per trial, eps and method
        halted (whether it was by the rule), achieved (margin on all points but one over the optimum)
    """
    rng = np.random.default_rng(random_state)
    rows: list[tuple[float, str, bool, float]] = []
    for _, each in itertools.product(range(n_trials), eps):
        X, y, outliers = bunch(n, d, each * rng.uniform(0.3, 1.0), random_state=rng)
        points = y[:, None] * X
        best = best_hyperplane(np.delete(points, outliers, axis=0)).margin
        for method in ("exhaustive", "doubling"):
            try:
                fit = _fitted(X, y, 1, each, method)
            except ValueError:  # more subsets than are allowed
                rows.append((each, method, False, 0.0))
                continue
            achieved = trimmed_margin(points, fit.coef_[0], 1) / best
            rows.append((each, method, fit.halted_ == "margin", achieved))
    return pd.DataFrame(rows, columns=["eps", "method", "halted", "achieved"])


def bound_trials(n_trials, kinds, eps, *, random_state=None):
    """Hold the bound of the default search against the true optimum, where no point stands out.

    What is left out is then hard to choose, and the best hyperplane is often not met: a bound below it
    cannot hide behind the margin, which the bound is never below.

    Parameters
    ----------
    n_trials : int
        Samples of each kind.
    kinds : list of (n, d, k)
    eps : float in (0, 1)
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per sample
        n, k, achieved (margin on all but k points over ``rho_k``), short (how far `margin_upper_bound_` is
        below ``rho_k``, over that)
    """
    rng = np.random.default_rng(random_state)
    rows = []
    for (n, d, k), _ in itertools.product(kinds, range(n_trials)):
        X, y = half_spaces(n, d, 0.05, random_state=rng)
        X *= rng.uniform(0.3, 1.0, size=(n, 1))
        points = y[:, None] * X
        best = _optimum_without(points, k)
        fit = _fitted(X, y, k, eps, "auto")
        achieved = trimmed_margin(points, fit.coef_[0], k) / best
        rows.append((n, k, achieved, 1.0 - fit.margin_upper_bound_ / best))
    return pd.DataFrame(rows, columns=["n", "k", "achieved", "short"])


def _ends(X, y, points, eps, method):
    try:
        fit = _fitted(X, y, 1, eps, method)
    except ValueError:  # of a guess at the margin too small for any subset: the search went on without end
        return False
    return trimmed_margin(points, fit.coef_[0], 1) <= 0.0 and fit.margin_upper_bound_ == 0.0


def outlier_path(X, y, outliers, counts, eps):
    """Trimmed margins of growing numbers of outliers that are allowed for.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,)
    outliers : ndarray of shape (k,)
        The points that were planted.
    counts : list of int
    eps : float in (0, 1)

    Returns
    -------
    DataFrame with a row per count: allowed, margin, upper, found (of the planted ones), looked_at
    """
    rows = []
    for k in counts:
        fit = _fitted(X, y, k, eps, "branch")
        margins = (y[:, None] * X) @ fit.coef_[0]
        found = len(np.intersect1d(np.argsort(margins, kind="stable")[:k], outliers))
        rows.append((k, fit.margin_, fit.margin_upper_bound_, found, fit.n_looked_at_))
    return pd.DataFrame(rows, columns=["allowed", "margin", "upper", "found", "looked_at"])


def planted_missed(n_samples, n, d, margin, k, eps, *, random_state=None):
    """Plant outliers in samples, and look for as many.

    Parameters
    ----------
    n_samples, n, d : int
    margin : float
        Of the others.
    k : int
        Outliers in each sample.
    eps : float in (0, 1)
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    ndarray of shape (n_samples,)
        How many of the planted ones are not among the k points of smallest margin.
    """
    rng = np.random.default_rng(random_state)
    missed = []
    for _ in range(n_samples):
        X, y, planted = flipped(n, d, margin, k, random_state=rng)
        missed.append(k - int(outlier_path(X, y, planted, [k], eps).found[0]))
    return np.array(missed)

"""Section 3.2: typical and rare examples (Theorem 2)."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from paperlib.experiments.max_loss.samples import conjunction_sample


class Conjunctions(NamedTuple):
    """All conjunctions of features, with their errors on the two distributions of `conjunction_sample`.

    Attributes
    ----------
    members : boolean ndarray of shape (2**n_features, n_features)
        The features that each asks for.
    typical, rare : ndarray of shape (2**n_features,)
        Errors.
    """

    members: np.ndarray
    typical: np.ndarray
    rare: np.ndarray


def conjunctions(n_features=8, n_relevant=4):
    """Enumerate all conjunctions, with their exact errors.

    A conjunction that asks for j irrelevant features misses a face with probability ``1 - 2^-j``. One that
    asks for no relevant one accepts a typical other with probability ``2^-j``; one that asks for r of them
    accepts a rare other with probability ``2^-j (1 - r / n_relevant)``.

    Parameters
    ----------
    n_features, n_relevant : int

    Returns
    -------
    Conjunctions

    Examples
    --------
    >>> found = conjunctions(2, 1)
    >>> found.members.tolist()
    [[False, False], [True, False], [False, True], [True, True]]
    >>> found.typical.tolist(), found.rare.tolist()
    ([0.5, 0.0, 0.5, 0.25], [0.5, 0.0, 0.5, 0.25])
    """
    numbers = np.arange(2**n_features)
    members = (numbers[:, None] >> np.arange(n_features)) & 1 == 1
    relevant = members[:, :n_relevant].sum(axis=1)
    passed = 0.5 ** members[:, n_relevant:].sum(axis=1)
    missed = 0.5 * (1.0 - passed)
    typical = missed + 0.5 * passed * (relevant == 0)
    rare = missed + 0.5 * passed * (1.0 - relevant / n_relevant)
    return Conjunctions(members, typical, rare)


def theorem_2_terms(eps, found):
    """Compute what Theorem 2 asks about a class: its dimensions, at most, and c.

    Parameters
    ----------
    eps : float in (0, 1)
    found : Conjunctions

    Returns
    -------
    dict
        vc (n_features: so many points can be shattered by conjunctions), n_typical (hypotheses with a typical
        error of at most eps), vc_typical (at most, ``log2 n_typical``), c (least rare error above eps of one
        of these: the paper's maximum is a supremum, and this its value).

    Examples
    --------
    >>> theorem_2_terms(0.01, conjunctions())
    {'vc': 8, 'n_typical': 15, 'vc_typical': 3, 'c': 0.125}
    """
    left = found.rare[found.typical <= eps]
    above = left[left > eps]
    return {
        "vc": found.members.shape[1],
        "n_typical": len(left),
        "vc_typical": int(np.log2(len(left))) if len(left) else 0,
        "c": float(above.min()) if len(above) else 1.0,
    }


def theorem_2_runs(sizes, rare, eps, n_runs, *, n_features=8, n_relevant=4, random_state=0):
    """Draw samples and take the worst hypothesis that is consistent, and the worst that is nearly so.

    Parameters
    ----------
    sizes : list of int
    rare : float
        Share of the rare distribution.
    eps : float
    n_runs : int >= 1, or dict
        Samples of each size; a dict has a number for each.
    n_features, n_relevant : int
    random_state : int

    Returns
    -------
    DataFrame with a row per size and run
        m, run, n_rare (rare examples in the sample), typical_error, rare_error (largest of a consistent
        conjunction), failed (either is above eps), average_rare_error (largest rare error of a conjunction
        with a training error of at most eps).
    """
    found = conjunctions(n_features, n_relevant)
    wrong, rows = _mistakes(n_features), []
    for m in sizes:
        for run in range(n_runs[m] if isinstance(n_runs, dict) else n_runs):
            rng = np.random.default_rng([random_state, m, run])
            X, y, is_rare = conjunction_sample(m, rare, n_features, n_relevant, random_state=rng)
            # How often each pattern was drawn says all.
            counts = np.bincount(_patterns(X, y), minlength=len(wrong))
            errors = counts @ wrong / m
            consistent, nearly = errors == 0.0, errors <= eps
            typical, rare_error = found.typical[consistent].max(), found.rare[consistent].max()
            failed = typical > eps or rare_error > eps
            rows.append((m, run, int(is_rare.sum()), typical, rare_error, failed, found.rare[nearly].max()))
    names = ["m", "run", "n_rare", "typical_error", "rare_error", "failed", "average_rare_error"]
    return pd.DataFrame(rows, columns=names)


def rare_examples_needed(n_typical, n_rare, eps, n_runs, *, n_features=8, n_relevant=4, random_state=0):
    """Count the rare examples after which no consistent hypothesis errs more than eps on either distribution.

    Rare examples come one by one, beside typical ones that are there from the start.

    Parameters
    ----------
    n_typical : int >= 0
    n_rare : int >= 1
        Rare examples, at most.
    eps : float
    n_runs : int >= 1
    n_features, n_relevant : int
    random_state : int

    Returns
    -------
    ndarray of shape (n_runs,)
        From 0 to `n_rare`, or infinity where so many are not enough.

    Examples
    --------
    >>> float(np.quantile(rare_examples_needed(1000, 200, 0.05, 400), 0.95))
    34.0
    """
    found, mistakes = conjunctions(n_features, n_relevant), _mistakes(n_features)
    bad = (found.typical > eps) | (found.rare > eps)
    needed = np.empty(n_runs)
    for run in range(n_runs):
        rng = np.random.default_rng([random_state, run])
        left = bad
        if n_typical:
            X, y, _ = conjunction_sample(n_typical, 0.0, n_features, n_relevant, random_state=rng)
            left = bad & ~mistakes[_patterns(X, y)].any(axis=0)
        X, y, _ = conjunction_sample(n_rare, 1.0, n_features, n_relevant, random_state=rng)
        wrong = mistakes[_patterns(X, y)][:, left]
        needed[run] = np.where(wrong.any(axis=0), wrong.argmax(axis=0) + 1.0, np.inf).max(initial=0.0)
    return needed


def ratio_of_quantiles(one, other, share, *, n_resamples=200, random_state=0):
    """Return the quotient of a quantile of two samples, and its standard error, by the bootstrap.

    Parameters
    ----------
    one, other : ndarray
    share : float in (0, 1)
    n_resamples : int >= 2
    random_state : int

    Returns
    -------
    ratio, stderr : float
        NaN where a quantile of `other` is infinite.

    Examples
    --------
    >>> numbers = np.arange(1.0, 1001.0)
    >>> ratio, stderr = ratio_of_quantiles(numbers, 2.0 * numbers, 0.9)
    >>> ratio, 0.003 < stderr < 0.015
    (0.5, True)
    """
    rng = np.random.default_rng(random_state)
    ratios = [
        np.quantile(rng.choice(one, len(one)), share) / np.quantile(rng.choice(other, len(other)), share)
        for _ in range(n_resamples)
    ]
    return float(np.quantile(one, share) / np.quantile(other, share)), float(np.std(ratios, ddof=1))


def _patterns(X, y):
    """Return what each example is: features and label as the bits of a number."""
    bytes_ = 256 ** np.arange(-(-X.shape[1] // 8))
    return np.packbits(X, axis=1, bitorder="little").astype(np.int64) @ bytes_ * 2 + y


def _mistakes(n_features):
    """Return which of `_patterns` (the rows) are wrong by which conjunctions (the columns)."""
    # Conjunction h accepts pattern x if it asks for nothing that x lacks: h and x as bits of two numbers.
    numbers = np.arange(2**n_features)
    accepts = (numbers[None, :] & ~numbers[:, None]) == 0
    labels = np.tile([False, True], len(numbers))
    return np.repeat(accepts, 2, axis=0) != labels[:, None]

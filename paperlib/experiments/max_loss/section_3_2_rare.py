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
    # Conjunction h accepts pattern x if it asks for nothing that x lacks: h and x as bits of two numbers.
    numbers = np.arange(2**n_features)
    accepts = (numbers[None, :] & ~numbers[:, None]) == 0
    labels = np.tile([False, True], len(numbers))
    wrong = np.repeat(accepts, 2, axis=0) != labels[:, None]
    bytes_ = 256 ** np.arange(-(-n_features // 8))
    rows = []
    for m in sizes:
        for run in range(n_runs[m] if isinstance(n_runs, dict) else n_runs):
            rng = np.random.default_rng([random_state, m, run])
            X, y, is_rare = conjunction_sample(m, rare, n_features, n_relevant, random_state=rng)
            # Every row is one of 2^(n_features + 1) patterns: how often each was drawn says all.
            codes = np.packbits(X, axis=1, bitorder="little").astype(np.int64) @ bytes_ * 2 + y
            counts = np.bincount(codes, minlength=len(labels))
            errors = counts @ wrong / m
            consistent, nearly = errors == 0.0, errors <= eps
            typical, rare_error = found.typical[consistent].max(), found.rare[consistent].max()
            failed = typical > eps or rare_error > eps
            rows.append((m, run, int(is_rare.sum()), typical, rare_error, failed, found.rare[nearly].max()))
    names = ["m", "run", "n_rare", "typical_error", "rare_error", "failed", "average_rare_error"]
    return pd.DataFrame(rows, columns=names)

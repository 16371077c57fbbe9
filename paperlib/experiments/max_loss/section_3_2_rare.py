"""Section 3.2: typical and rare examples (Theorem 2)."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from paperlib.experiments.max_loss import theory_lemmas
from paperlib.experiments.max_loss.samples import conjunction_sample, shares_of_lacking
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import progress, step
from paperlib.max_loss import theory


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
    asks for no relevant one accepts a typical other with probability ``2^-j``, and a rare one with ``2^-j``
    times the share of those that lack a feature which it does not ask for.

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
    ([0.5, 0.0, 0.5, 0.25], [1.0, 0.0, 0.5, 0.0])
    """
    numbers = np.arange(2**n_features)
    members = (numbers[:, None] >> np.arange(n_features)) & 1 == 1
    relevant = members[:, :n_relevant].sum(axis=1)
    passed = 0.5 ** members[:, n_relevant:].sum(axis=1)
    typical = 0.5 * (1.0 - passed) + 0.5 * passed * (relevant == 0)
    rare = passed * (~members[:, :n_relevant] @ shares_of_lacking(n_relevant))
    return Conjunctions(members, typical, rare)


@step
def conjunction_errors(n_features=8, n_relevant=4):
    """Errors of all `conjunctions`: a table with a row for each, typical, rare."""
    found = conjunctions(n_features, n_relevant)
    return pd.DataFrame({"typical": found.typical, "rare": found.rare})


@step
def theorem_2_terms(eps, rare, delta):
    """Compute what Theorem 2 asks about the conjunctions: their dimensions, at most, c, and the sample size.

    Parameters
    ----------
    eps, rare, delta : float in (0, 1)

    Returns
    -------
    DataFrame with one row
        eps, rare, delta, vc (n_features: so many points can be shattered by conjunctions), n_typical
        (hypotheses with a typical error of at most eps), vc_typical (at most, ``log2 n_typical``), c (least
        rare error above eps of one of these: the paper's maximum is a supremum, and this its value), size
        (Theorem 2's m, with constants of 1), naive (the same with as many rare examples as the rare
        distribution alone would need).

    Examples
    --------
    >>> theorem_2_terms(0.01, 0.02, 0.05)[["vc", "n_typical", "vc_typical", "c"]].values.tolist()
    [[8.0, 15.0, 3.0, 0.125]]
    """
    found = conjunctions()
    left = found.rare[found.typical <= eps]
    above = left[left > eps]
    terms = {
        "vc": found.members.shape[1],
        "n_typical": len(left),
        "vc_typical": int(np.log2(len(left))) if len(left) else 0,
        "c": float(above.min()) if len(above) else 1.0,
    }
    size = theory.theorem_2_size(terms["vc"], terms["vc_typical"], eps, terms["c"], rare, delta)
    naive = theory_lemmas.theorem_2_naive_size(terms["vc"], eps, rare, delta)
    given = {"eps": eps, "rare": rare, "delta": delta}
    return pd.DataFrame([given | terms | {"size": round(size), "naive": round(naive)}])


@step
def theorem_2_runs(sizes, rare, eps, *, n_features=8, n_relevant=4, seed):
    """Draw samples and take the worst hypothesis that is consistent, and the worst that is nearly so.

    Parameters
    ----------
    sizes : dict of int to int
        How many samples of each size.
    rare : float
        Share of the rare distribution.
    eps : float
    n_features, n_relevant : int
    seed : int

    Returns
    -------
    DataFrame with a row per size and run
        m, run, n_rare (rare examples in the sample), typical_error, rare_error (largest of a consistent
        conjunction), failed (either is above eps), average_rare_error (largest rare error of a conjunction
        with a training error of at most eps).
    """
    found = conjunctions(n_features, n_relevant)
    wrong, rows = _mistakes(n_features), []
    for m, n_runs in sizes.items():
        for run, rng in enumerate(progress(stream(seed, f"Theorem 2, {m}").spawn(n_runs), f"m = {m}")):
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


@step
def rare_examples_needed(beside, n_rare, eps, n_runs, *, n_features=8, n_relevant=4, seed):
    """Count the rare examples after which no consistent hypothesis errs more than eps on either distribution.

    Rare examples come one by one, beside typical ones that are there from the start. Typical ones by
    themselves are counted until none errs more than eps on the typical distribution.

    Parameters
    ----------
    beside : list of int >= 0
        Numbers of typical examples.
    n_rare : int >= 1
        Rare examples, at most, and typical ones by themselves.
    eps : float
    n_runs : int >= 1
    n_features, n_relevant : int
    seed : int

    Returns
    -------
    DataFrame with a row per number of typical examples and run
        kind ("rare", or "typical" for those by themselves), typical, run, needed (from 0 to `n_rare`),
        enough (whether so many are).

    Examples
    --------
    >>> counts = rare_examples_needed([1000], 200, 0.05, 400, seed=0)
    >>> counts.groupby("kind").needed.median().to_dict(), bool(counts.enough.all())
    ({'rare': 10.0, 'typical': 6.0}, True)
    """
    found, mistakes = conjunctions(n_features, n_relevant), _mistakes(n_features)
    bad = {"rare": (found.typical > eps) | (found.rare > eps), "typical": found.typical > eps}
    rows = []
    for kind, n_typical in [*(("rare", n) for n in beside), ("typical", 0)]:
        for run, rng in enumerate(stream(seed, f"{kind} examples beside {n_typical}").spawn(n_runs)):
            left = bad[kind]
            if n_typical:
                X, y, _ = conjunction_sample(n_typical, 0.0, n_features, n_relevant, random_state=rng)
                left = left & ~mistakes[_patterns(X, y)].any(axis=0)
            X, y, _ = conjunction_sample(
                n_rare, float(kind == "rare"), n_features, n_relevant, random_state=rng
            )
            wrong = mistakes[_patterns(X, y)][:, left]
            enough = bool(wrong.any(axis=0).all())
            needed = int(wrong.argmax(axis=0).max() + 1) if enough and wrong.size else 0
            rows.append((kind, n_typical, run, needed if enough else n_rare, enough))
    return pd.DataFrame(rows, columns=["kind", "typical", "run", "needed", "enough"])


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

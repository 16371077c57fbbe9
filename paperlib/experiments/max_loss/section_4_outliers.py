"""Section 4: sub-samples that miss the outliers (Theorem 3), and labels that are wrong."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from paperlib.experiments.max_loss import theory_lemmas
from paperlib.experiments.max_loss.samples import flip_labels, separable_sample
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import progress, step
from paperlib.max_loss import theory
from paperlib.max_loss.fol_classifier import FOLClassifier

ROBUST: dict[str, dict[str, Any]] = {
    "uniform": {"uniform_share": 1.0, "output": "last"},
    "uniform, average": {"uniform_share": 1.0, "output": "average"},
    "FOL": {"output": "last"},
    "FOL, average": {"output": "average"},
    "FOL, slack l1": {"slack_norm": "l1", "output": "last"},
    "FOL, slack l1, average": {"slack_norm": "l1", "output": "average"},
    "FOL, slack l2, average": {"slack_norm": "l2", "output": "average"},
    "FOL, sub-sample, average": {"output": "average"},
}


@step
def theorem_3_runs(cases, n_trials, *, seed):
    """Draw sub-samples with repetition, and count those with outliers or too few rare examples.

    Parameters
    ----------
    cases : list of (n, m, outliers, rare)
    n_trials : int >= 1
    seed : int

    Returns
    -------
    DataFrame with a row per case
        n, m, outliers, rare, trials, bad (those with an outlier, or less than ``n rare / (2 m)`` rare ones),
        bad_as_printed (those with an outlier, or less than ``rare / 2``), bound (Theorem 3's), exact (the
        probability of a bad one), exact_as_printed.
    """
    rng = stream(seed, "sub-samples")
    rows = []
    for n, m, outliers, rare in cases:
        shares = [outliers / m, rare / m, 1.0 - (outliers + rare) / m]
        drawn = rng.multinomial(n, shares, size=n_trials)
        bad = [
            int(((drawn[:, 0] > 0) | (drawn[:, 1] < least)).sum()) for least in (n * rare / (2 * m), rare / 2)
        ]
        exact = [
            theory.theorem_3_probability(n, m, outliers, rare),
            theory.theorem_3_probability(n, m, outliers, rare, least=rare / 2.0),
        ]
        bound = theory.theorem_3_bound(n, m, outliers, rare)
        rows.append((n, m, outliers, rare, n_trials, *bad, bound, *exact))
    names = ["n", "m", "outliers", "rare", "trials", "bad", "bad_as_printed", "bound", "exact"]
    return pd.DataFrame(rows, columns=[*names, "exact_as_printed"])


@step
def appendix_d_margins(share, n_draws):
    """Hold ``(1 - share)^n`` against both bounds of `theory_lemmas.appendix_d_margins`, n = 1 ... n_draws.

    Returns
    -------
    DataFrame with a row per n
        n, printed, right (differences).
    """
    rows = [(n, *theory_lemmas.appendix_d_margins(share, n)) for n in range(1, n_draws + 1)]
    return pd.DataFrame(rows, columns=["n", "printed", "right"])


@step
def robustness_runs(
    m, d, margin, n_flipped, max_iter, n_runs, *, budget=None, sub_sample=100, n_test=5000, seed
):
    """Flip a few labels, and measure the error on clean test data with and without Section 4's remedies.

    Parameters
    ----------
    m, d : int
    margin : float
        Of `separable_sample`.
    n_flipped : int
    max_iter, n_runs : int >= 1
    budget : float, optional
        Slack; `n_flipped` by default.
    sub_sample : int
        Size of the sub-sample of Section 4.1.
    n_test : int
    seed : int

    Returns
    -------
    DataFrame with a row per run and method
        method, run, test_error, train_error (on the labels as they are given), slack_on_flipped (share of all
        slack; NaN without).
    """
    budget = float(n_flipped) if budget is None else budget
    rows = []
    for run, rng in enumerate(progress(stream(seed, "wrong labels").spawn(n_runs), "samples")):
        X, y, _ = separable_sample(m + n_test, d, margin, random_state=rng)
        X, X_test, y, y_test = X[:m], X[m:], y[:m], y[m:]
        given, flipped = flip_labels(y, n_flipped, random_state=rng)
        draws = int(rng.integers(2**31))
        for method, parameters in ROBUST.items():
            slack = {"slack_budget": budget} if "slack_norm" in parameters else {}
            clf = FOLClassifier(max_iter, fit_intercept=False, random_state=draws, **parameters, **slack)
            chosen = rng.integers(m, size=sub_sample) if "sub-sample" in method else slice(None)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                clf.fit(X[chosen], given[chosen])
            share = np.nan
            if clf.slack_ is not None and clf.slack_.sum() > 0.0:
                share = clf.slack_[flipped].sum() / clf.slack_.sum()
            rows.append(
                (method, run, 1.0 - clf.score(X_test, y_test), 1.0 - clf.score(X, given), float(share))
            )
    return pd.DataFrame(rows, columns=["method", "run", "test_error", "train_error", "slack_on_flipped"])

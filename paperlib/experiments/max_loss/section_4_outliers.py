"""Section 4: sub-samples that miss the outliers (Theorem 3), and labels that are wrong."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning

from paperlib.experiments.max_loss import theory_lemmas
from paperlib.experiments.max_loss.samples import flip_labels, separable_sample
from paperlib.experiments.random_streams import stream
from paperlib.experiments.statistics import to_resolution
from paperlib.experiments.steps import progress, step
from paperlib.max_loss import theory
from paperlib.max_loss.fol_classifier import FOLClassifier

ROUNDING = 1e-9  # of a linear programme on numbers near 1
ROBUST: dict[str, dict[str, Any]] = {
    "uniform": {"uniform_share": 1.0, "output": "last"},
    "uniform, average": {"uniform_share": 1.0, "output": "average"},
    "uniform, majority": {"uniform_share": 1.0, "output": "majority"},
    "FOL": {"output": "last"},
    "FOL, average": {"output": "average"},
    "FOL, majority": {"output": "majority"},
    "FOL, slack l1": {"slack_norm": "l1", "output": "last"},
    "FOL, slack l1, average": {"slack_norm": "l1", "output": "average"},
    "FOL, slack l2, average": {"slack_norm": "l2", "output": "average"},
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
def robustness_runs(m, d, margin, n_flipped, max_iter, n_runs, *, methods=None, n_test=5000, seed):
    """Flip a few labels, and measure the error on clean test data with and without Section 4's remedies.

    Parameters
    ----------
    m, d : int
    margin : float
        Of `separable_sample`.
    n_flipped : int
    max_iter, n_runs : int >= 1
    methods : list of str, optional
        Of `ROBUST`; all by default. Where there is slack, its budget is `n_flipped`.
    n_test : int
    seed : int

    Returns
    -------
    DataFrame with a row per run and method
        method, run, test_error, train_error (on the labels as they are given), slack_on_flipped (share of all
        slack; NaN without).
    """
    rows = []
    for run, rng in enumerate(progress(stream(seed, f"{n_flipped} wrong labels").spawn(n_runs), "samples")):
        X, y, _ = separable_sample(m + n_test, d, margin, random_state=rng)
        X, X_test, y, y_test = X[:m], X[m:], y[:m], y[m:]
        given, flipped = flip_labels(y, n_flipped, random_state=rng)
        draws = int(rng.integers(2**31))
        for method in methods or ROBUST:
            parameters = ROBUST[method]
            slack: dict[str, Any] = {"slack_budget": float(n_flipped)} if "slack_norm" in parameters else {}
            clf = FOLClassifier(max_iter, fit_intercept=False, random_state=draws, **parameters, **slack)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                clf.fit(X, given)
            share = np.nan
            if clf.slack_ is not None and clf.slack_.sum() > 0.0:
                share = clf.slack_[flipped].sum() / clf.slack_.sum()
            rows.append(
                (method, run, 1.0 - clf.score(X_test, y_test), 1.0 - clf.score(X, given), float(share))
            )
    return pd.DataFrame(rows, columns=["method", "run", "test_error", "train_error", "slack_on_flipped"])


@step
def least_maxima(m, d, margin, n_flipped, n_samples, *, seed):
    """Minimise the largest hinge loss of examples with wrong labels, as a linear programme.

    With their true labels a hyperplane separates them, so that it is 0.

    Parameters
    ----------
    m, d : int
    margin : float
        Of `separable_sample`.
    n_flipped, n_samples : int
    seed : int

    Returns
    -------
    DataFrame with a row per sample
        sample, loss (the least largest one), trivial (whether its w is 0).

    Examples
    --------
    >>> least_maxima(200, 3, 0.1, 1, 1, seed=0).values.tolist()
    [[0, 1.0, True]]
    """
    rows, objective = [], np.eye(d + 1)[d]
    for sample, rng in enumerate(progress(stream(seed, "largest hinge loss").spawn(n_samples), "programmes")):
        X, y, _ = separable_sample(m, d, margin, random_state=rng)
        given, _ = flip_labels(y, n_flipped, random_state=rng)
        # The least t >= 0 with y <w, x> + t >= 1 for every example.
        negative = -np.column_stack([given[:, None] * X, np.ones(m)])
        bounds = [(None, None)] * d + [(0.0, None)]
        found = linprog(objective, negative, -np.ones(m), bounds=bounds, method="highs")
        trivial = bool(abs(found.x[:d]).max() < ROUNDING)
        rows.append((sample, to_resolution(found.fun, ROUNDING), trivial))
    return pd.DataFrame(rows, columns=["sample", "loss", "trivial"])


@step
def sub_sample_runs(m, d, margin, n_flipped, sizes, n_passes, n_runs, *, n_test=5000, seed):
    """Flip a few labels of a large sample, and run FOL on all of it and on sub-samples (Section 4.1).

    Parameters
    ----------
    m, d : int
    margin : float
        Of `separable_sample`.
    n_flipped : int
    sizes : list of int
        n, examples of a sub-sample, drawn with repetition.
    n_passes : int >= 1
        Rounds over the number of examples. From ``2 log m`` on, an outlier can have half of all weight.
    n_runs : int >= 1
    n_test : int
    seed : int

    Returns
    -------
    DataFrame with a row per run and size, the last that of all
        run, n, m, hit (wrong labels that are among them), average_error and last_error (on clean test
        examples, of the mean of the iterates and of the last one).
    """
    rows = []
    for run, rng in enumerate(progress(stream(seed, "sub-samples of many").spawn(n_runs), "samples")):
        X, y, _ = separable_sample(m + n_test, d, margin, random_state=rng)
        given, flipped = flip_labels(y[:m], n_flipped, random_state=rng)
        draws = int(rng.integers(2**31))
        for n in [*sizes, m]:
            chosen = rng.integers(m, size=n) if n < m else np.arange(m)
            clf = FOLClassifier(n_passes * n, fit_intercept=False, output="average", random_state=draws)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                clf.fit(X[chosen], given[chosen])
            # One game gives both: its last iterate, and the mean of those that it drew.
            iterates = clf.coef_[0], clf._game.W[0, :-1]
            errors = [float(np.mean(y[m:] * (X[m:] @ w) <= 0.0)) for w in iterates]
            rows.append((run, n, m, int(np.isin(flipped, chosen).sum()), *errors))
    return pd.DataFrame(rows, columns=["run", "n", "m", "hit", "average_error", "last_error"])

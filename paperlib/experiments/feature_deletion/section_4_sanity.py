"""The sanity check of Section 4: two copies of the label among the features, and then without them.

The paper leaves open how the features are distributed and scaled, how far the separable data are from the
hyperplane, C, and (in our copy of its text) the number of examples. A `Reading` settles all five.
"""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import ClassifierMixin
from sklearn.linear_model import SGDClassifier
from sklearn.svm import LinearSVC

from paperlib._common.typing import Floats
from paperlib._common.validation import check_number
from paperlib.experiments.feature_deletion.baselines import hinge_svm
from paperlib.experiments.feature_deletion.samples import (
    COPY_VALUE,
    KIND,
    KINDS,
    MARGIN,
    N_NOISY,
    sanity_sample,
    sanity_values,
)
from paperlib.experiments.feature_deletion.tuning import TOL
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import progress, step
from paperlib.feature_deletion import FeatureDeletionLP

LP_C = 30.0  # with margin = 1: from 10 on the programme's errors hardly change
MARGINS = (0.0, 0.1, 0.2, 0.4)
STRENGTHS = (0.003, 0.01, 0.03, 0.1, 1.0, 10.0)
FROM_ZERO = "uniform in [0, 1]"
SCALES = (0.1, 0.05, 0.02, 0.01)


class Reading(NamedTuple):
    """What the paper leaves open: distribution, margin and number of the examples, and C."""

    kind: str = KIND  # one of `samples.KINDS`
    margin: float = MARGIN  # in standard deviations
    size: int = 1000  # of which half are to train on
    strength: float = 1.0  # C of both learners, in units of what `sanity_learners` takes for 1
    scale: float = 1.0  # of the 20 features, beside copies of -1 and 1


BASE = Reading()


def sanity_learners(
    X: Floats, strength: float, budget: float, scale: float = 1.0
) -> dict[str, ClassifierMixin]:
    """The LP and the SVM of the sanity check, by name.

    Parameters
    ----------
    X : ndarray of shape (m, 22)
    strength : float > 0
        C of the LP in units of 30, and C of the SVM in units of 1 / (mean of |x|^2), the default of the
        package that the paper used.
    budget : float
        The LP's N.
    scale : float > 0
        Of the features: the LP's C is divided by it.
    """
    values = sanity_values()
    return {
        "LP": FeatureDeletionLP(budget, C=LP_C * strength / scale, feature_values=values, tol=TOL),
        "SVM": hinge_svm(strength / (X**2).sum(axis=1).mean()),
    }


@step
def sanity_check(n_trials: int, n_of_one: int, *, seed: int) -> pd.DataFrame:
    """Run the sanity check on the reading that fits, with both copies removed and with one.

    Parameters
    ----------
    n_trials, n_of_one : int >= 1
        Samples for both copies, and for one.
    seed : int

    Returns
    -------
    DataFrame with a row per trial: removed, run, LP, SVM, SVM_one, copies
        See `_trials`.
    """
    parts = [
        _trials(BASE, count, stream(seed, f"sanity check, {removed} removed"), removed).assign(
            removed=removed
        )
        for removed, count in ((1, n_of_one), (2, n_trials))
    ]
    return pd.concat(parts, ignore_index=True)


def _trials(reading, n_trials, rng, removed=2):
    """Train on half of each sample, and take copies of the label away from the other half.

    The LP's budget is the value of what is missing. Rows are run, LP and SVM, the errors on the test half,
    SVM_one, that of the SVM with one copy missing, and copies, the share of the sum of the SVM's absolute
    weights that is on the two copies.
    """
    check_number(reading.size, "reading.size", low=40, integer=True)
    check_number(n_trials, "n_trials", low=1, integer=True)
    rows = []
    for run in range(n_trials):
        X, y = sanity_sample(reading.size, rng, reading.kind, reading.margin)
        X[:, :N_NOISY] *= reading.scale
        half = reading.size // 2
        found = {"run": run}
        learners = sanity_learners(X[:half], reading.strength, COPY_VALUE * removed, reading.scale)
        for name, learner in learners.items():
            learner.fit(X[:half], y[:half])
            found[name] = _error_without(learner, X[half:], y[half:], removed)
        found["SVM_one"] = _error_without(learners["SVM"], X[half:], y[half:], 1)
        weights = np.abs(learners["SVM"].coef_[0])
        found["copies"] = weights[N_NOISY:].sum() / max(weights.sum(), 1e-300)
        rows.append(found)
    return pd.DataFrame(rows)


def _error_without(learner, X, y, removed):
    """Share of mistakes where so many copies of the label are missing."""
    left = X.copy()
    left[:, N_NOISY : N_NOISY + removed] = 0.0
    return np.mean(y * learner.decision_function(left) <= 0)


def readings(sizes: Sequence[int]) -> list[Reading]:
    """Return each distribution with each margin, then other sizes with two margins, C's and scales."""
    of_data = [BASE._replace(kind=k, margin=g) for k, g in itertools.product(KINDS, MARGINS)]
    of_size = [BASE._replace(margin=g, size=m) for g, m in itertools.product((0.0, MARGIN), sizes)]
    of_strength = [BASE._replace(strength=s) for s in STRENGTHS]
    of_scale = [BASE._replace(kind=k, scale=s) for k, s in itertools.product((KIND, FROM_ZERO), SCALES)]
    return list(dict.fromkeys(of_data + of_size + of_strength + of_scale))


@step
def search(sizes: Sequence[int], n_trials: int, *, seed: int) -> pd.DataFrame:
    """Errors with both copies removed, at each of the `readings`.

    Parameters
    ----------
    sizes : sequence of int >= 40
    n_trials : int >= 3
        Of each reading of up to 1,000 examples; of more examples fewer, so that they are as many in total,
        but three at least.
    seed : int

    Returns
    -------
    DataFrame with a row per trial: kind, margin, size, strength, scale, run, LP, SVM, SVM_one,
        copies
    """
    check_number(n_trials, "n_trials", low=3, integer=True)
    rng, parts = stream(seed, "readings of the sanity check"), []
    for reading in progress(readings(sizes), "readings"):
        count = min(n_trials, max(3, n_trials * BASE.size // reading.size))
        rows = _trials(reading, count, rng)
        for at, (name, value) in enumerate(reading._asdict().items()):
            rows.insert(at, name, value)
        parts.append(rows)
    return pd.concat(parts, ignore_index=True)


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Return mean errors by reading, with standard errors as found and as a hundred trials would have them.

    Parameters
    ----------
    rows : DataFrame
        Of `search`.

    Returns
    -------
    DataFrame with a row per reading: its fields, trials, and for both learners error, stderr, of_100
    """
    groups = rows.groupby(list(Reading._fields), sort=False)
    found = groups.size().rename("trials").to_frame()
    for learner in ("LP", "SVM"):
        deviation = groups[learner].std()
        found[f"{learner}_error"] = groups[learner].mean()
        found[f"{learner}_stderr"] = deviation / np.sqrt(found.trials)
        found[f"{learner}_of_100"] = deviation / 10
    return found.reset_index()


def panels(rows: pd.DataFrame) -> dict[str, dict[str, pd.DataFrame]]:
    """Split the readings by what is changed along a curve: margin, size, strength or scale.

    Parameters
    ----------
    rows : DataFrame
        Of `search`.

    Returns
    -------
    dict
        For each of the four, the rows of `summary` by the name of a curve.
    """
    every = summary(rows)
    of_scale = every[(every[["margin", "size", "strength"]] == list(BASE[1:4])).all(axis=1)].sort_values(
        "scale"
    )
    of_scale = of_scale[of_scale.kind.isin((KIND, FROM_ZERO))]
    found = every[every["scale"] == BASE.scale]
    usual = {name: found[name] == value for name, value in BASE._asdict().items()}
    of_margin = found[usual["size"] & usual["strength"]]
    of_size = found[usual["kind"] & usual["strength"] & found.margin.isin((0.0, MARGIN))].sort_values("size")
    return {
        "margin": dict(list(of_margin.groupby("kind", sort=False))),
        "size": {f"margin {margin:g}": each for margin, each in of_size.groupby("margin", sort=False)},
        "strength": {"": found[usual["kind"] & usual["margin"] & usual["size"]].sort_values("strength")},
        "scale": dict(list(of_scale.groupby("kind"))),
    }


def solvers(X: Floats) -> dict[str, ClassifierMixin]:
    """SVMs of the sanity check that stop for different reasons, by name: with the same C, but for the last.

    Parameters
    ----------
    X : ndarray of shape (m, 22)
    """
    C = 1 / (X**2).sum(axis=1).mean()
    found = {f"pairs (libsvm), to {tol:g}": hinge_svm(C).set_params(tol=tol) for tol in (0.1, 1e-3, 1e-5)}
    found["coordinates (liblinear)"] = LinearSVC(loss="hinge", C=C, max_iter=100_000, random_state=0)
    for name, times in (("stochastic gradients", 1.0), ("the same, 100 C", 100.0)):
        found[name] = SGDClassifier(alpha=1 / (times * C * len(X)), random_state=0)
    return found


@step
def left_over(n_trials: int, n_samples: int = BASE.size, *, seed: int) -> pd.DataFrame:
    """What solvers of the SVM leave for the twenty features, whose best weights are zero.

    Parameters
    ----------
    n_trials : int >= 2
        The samples are the same for all solvers.
    n_samples : int >= 40
        Half of them to train on.
    seed : int

    Returns
    -------
    DataFrame with a row per trial and solver: features, run, solver, largest, one, error
        Distribution of the features; largest absolute weight of the twenty as a share of that of a copy, and
        the errors with one copy and with both removed.
    """
    check_number(n_trials, "n_trials", low=2, integer=True)
    rng, rows, half = stream(seed, "what solvers leave"), [], n_samples // 2
    cases = (KIND, KIND, 1.0), ("uniform in [0, 0.05]", FROM_ZERO, 0.05)
    for run, (features, kind, scale) in itertools.product(range(n_trials), cases):
        X, y = sanity_sample(n_samples, rng, kind)
        X[:, :N_NOISY] *= scale
        for name, svm in solvers(X[:half]).items():
            w = np.abs(svm.fit(X[:half], y[:half]).coef_[0])
            errors = [_error_without(svm, X[half:], y[half:], removed) for removed in (1, 2)]
            rows.append((features, run, name, w[:N_NOISY].max() / w[N_NOISY:].max(), *errors))
    return pd.DataFrame(rows, columns=["features", "run", "solver", "largest", "one", "error"])

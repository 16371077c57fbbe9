"""The sanity check of Section 4: two copies of the label among the features, and then without them."""

import itertools

import numpy as np
import pandas as pd
from sklearn.base import ClassifierMixin

from paperlib._common.random_state import RandomState
from paperlib._common.typing import Floats
from paperlib._common.validation import check_number
from paperlib.experiments.feature_deletion.baselines import hinge_svm
from paperlib.experiments.feature_deletion.samples import COPY_VALUE, N_NOISY, sanity_sample, sanity_values
from paperlib.experiments.feature_deletion.tuning import ninth
from paperlib.feature_deletion import FeatureDeletionLP

STRENGTHS = (0.01, 0.1, 1.0, 10.0, 100.0)


def sanity_learners(X: Floats, strength: float, budget: float) -> dict[str, ClassifierMixin]:
    """The LP and the SVM of the sanity check, by name.

    Parameters
    ----------
    X : ndarray of shape (m, 22)
    strength : float > 0
        C of the LP, at margin = 1, and C of the SVM in units of 1 / (mean of |x|^2), the default of the
        package that the paper used.
    budget : float
        The LP's N.
    """
    values = sanity_values()
    return {
        "LP": FeatureDeletionLP(budget, C=strength, feature_values=values, tol=1e-3),
        "SVM": hinge_svm(strength / (X**2).sum(axis=1).mean()),
    }


def sanity_check(n_samples: int, n_trials: int, random_state: RandomState = None) -> pd.DataFrame:
    """Train on half of a sample, and take copies of the label away from the other half.

    Both learners have five sizes of their C; a ninth of the training half is held out to choose among them.
    The LP's budget is the value of what is removed.

    Parameters
    ----------
    n_samples : int >= 40
    n_trials : int >= 1
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per run, learner, number of copies removed and strength: ..., error, held_out, copies
        Errors on the test half and on the ninth, with the same copies removed, and the share of the sum of
        all absolute weights that is on the two copies.
    """
    check_number(n_samples, "n_samples", low=40, integer=True)
    check_number(n_trials, "n_trials", low=1, integer=True)
    rng, rows = np.random.default_rng(random_state), []
    for run in range(n_trials):
        X, y = sanity_sample(n_samples, rng)
        train, test = np.split(rng.permutation(n_samples), [n_samples // 2])
        fit, held_out = ninth(y[train], run)
        fit, held_out = train[fit], train[held_out]
        for removed, strength in itertools.product(range(3), STRENGTHS):
            left = X.copy()
            left[:, N_NOISY : N_NOISY + removed] = 0.0
            learners = sanity_learners(X[fit], strength, COPY_VALUE * removed)
            for name, learner in learners.items():
                learner.fit(X[fit], y[fit])
                wrong = y * learner.decision_function(left) <= 0
                weights = np.abs(learner.coef_[0])
                copies = weights[N_NOISY:].sum() / max(weights.sum(), 1e-300)
                found = wrong[test].mean(), wrong[held_out].mean(), copies
                rows.append((run, name, removed, strength, *found))
    columns = ["run", "learner", "removed", "strength", "error", "held_out", "copies"]
    return pd.DataFrame(rows, columns=columns)


def tuned(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the row of least held-out error of each run, learner and number of copies removed.

    Parameters
    ----------
    rows : DataFrame
        Of `sanity_check`. The first of equally good rows is taken.
    """
    return rows.loc[rows.groupby(["run", "learner", "removed"], sort=False).held_out.idxmin()]


def residual_weights(
    n_samples: int, tol: float, n_trials: int = 5, random_state: RandomState = 0
) -> dict[str, float]:
    """Weights that an SVM of the sanity check leaves for the twenty features, at a tolerance of its solver.

    Parameters
    ----------
    n_samples : int >= 40
        All of them to train on, and as many to test.
    tol : float > 0
    n_trials : int >= 1
    random_state : int, numpy.random.Generator or None
        The samples are the same for every `tol` where this is an int.

    Returns
    -------
    dict
        tol; largest (absolute weight of the twenty, that of a copy being about 1/2) and error (with both
        copies removed), means over the trials.
    """
    rng, found = np.random.default_rng(random_state), []
    for _ in range(n_trials):
        X, y = sanity_sample(2 * n_samples, rng)
        svm = sanity_learners(X[:n_samples], 1.0, 0.0)["SVM"].set_params(tol=tol)
        svm.fit(X[:n_samples], y[:n_samples])
        X[:, N_NOISY:] = 0.0
        wrong = y * svm.decision_function(X) <= 0
        found.append((np.abs(svm.coef_[0, :N_NOISY]).max(), wrong[n_samples:].mean()))
    largest, error = np.mean(found, axis=0)
    return {"tol": tol, "largest": largest, "error": error}

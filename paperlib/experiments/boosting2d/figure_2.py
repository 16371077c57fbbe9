"""Figure 2: of two optimal separator sets, the one that leaves the larger margin."""

import numpy as np
import pandas as pd

from paperlib.boosting2d.optimal_separator import optimal_separator
from paperlib.experiments.boosting2d import exact
from paperlib.experiments.boosting2d.samples import two_optimal_sets
from paperlib.experiments.boosting2d.subsets import subsets
from paperlib.experiments.steps import step


def optimal_sets():
    """Return Figure 2's points, their labels, and its two optimal separator sets, that of discs first."""
    X, y = two_optimal_sets()
    _, sets = subsets(X, y > 0, np.ones(len(y)))
    return X, y, sorted(sets, key=lambda removed: removed[y > 0].sum())


@step
def figure_2_sets():
    """Weigh the two optimal separator sets of Figure 2, and say which one the algorithm takes.

    Returns
    -------
    DataFrame with a row per set: given_up ("discs" or "crosses"), weight, margin (of what is left), chosen
    """
    X, y, sets = optimal_sets()
    wrong = exact.wrong_side(optimal_separator(X, y), X, y > 0)
    rows = []
    for name, removed in zip(["discs", "crosses"], sets):
        margin = exact.margin(X[~removed & (y > 0)], X[~removed & (y < 0)])
        rows.append((name, float(removed.sum()), margin, bool(np.array_equal(wrong, removed))))
    return pd.DataFrame(rows, columns=["given_up", "weight", "margin", "chosen"])

"""Section 2.3: microseconds of a round, for a reader to see on his own machine."""

import math
import time

import numpy as np
import pandas as pd

from paperlib.experiments.max_loss.section_2_3_tree import PrintedTree
from paperlib.max_loss.sum_tree import SumTree

BATCH = 64


def seconds(sizes, n_rounds=2000, *, random_state=None):
    """Time rounds of sampling and updating, for a reader to see.

    Parameters
    ----------
    sizes : list of int
    n_rounds : int >= 1
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per size and method: m, method, microseconds (of a round)
    """
    rows = []
    for m in sizes:
        rng = np.random.default_rng(random_state)
        weights, printed, ours = np.ones(m), PrintedTree(m), SumTree(m)
        for method, play, arguments, per_call, calls in (
            ("cumulative sums", _sums_round, (weights, rng, m), 1, min(n_rounds, 200)),
            ("printed tree", _tree_round, (printed, rng, m), 1, n_rounds),
            ("paperlib", _tree_round, (ours, rng, m), 1, n_rounds),
            ("paperlib, batches", _batch_round, (ours, rng, m), BATCH, max(1, n_rounds // BATCH)),
        ):
            play(*arguments)
            start = time.perf_counter()
            for _ in range(calls):
                play(*arguments)
            rows.append((m, method, 1e6 * (time.perf_counter() - start) / (calls * per_call)))
    return pd.DataFrame(rows, columns=["m", "method", "microseconds"])


def _tree_round(tree, rng, m):
    i, p = tree.sample(rng)
    tree.update(i, math.exp(0.5 / (m * p)))


def _batch_round(tree, rng, m):
    i, p = tree.sample(rng, 0.5, BATCH)
    tree.update_log(i, 0.5 / (m * p))


def _sums_round(weights, rng, m):
    sums = np.cumsum(weights)
    i = min(int(np.searchsorted(sums, rng.random() * sums[-1])), m - 1)
    p = 0.5 / m + 0.5 * weights[i] / sums[-1]
    weights[i] *= math.exp(0.5 / (m * p))

"""Powers that rounds grow with, of the runs on gap samples."""

import numpy as np
import pandas as pd

from paperlib.experiments.verbs import exponent


def of_runs(runs, along="eps", by=(), log=0):
    """Power of 1 / eps, or 1 / alpha, in the rounds of each run, over its logarithm to some power.

    Where another column varies as well, `by`, it is the mean over its values.
    """
    rounds = runs.rounds / np.log(1 / runs[along]) ** log
    found: dict[int, list[float]] = {}
    for (run, *_), each in runs.assign(rounds=rounds).groupby(["run", *by]):
        power = exponent(1 / each[along], each.rounds)
        if power.cases:
            found.setdefault(run, []).append(power.value)
    return pd.Series({run: np.mean(powers) for run, powers in found.items()}, dtype=float)

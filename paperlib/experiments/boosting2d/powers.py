"""Powers of n that counted work grows with, of each sample by itself."""

import numpy as np
import pandas as pd

from paperlib.experiments.verbs import exponent


def of_samples(counts, method, log=0):
    """Power of n in the work of a method on each sample, over its work's logarithm of n to some power.

    Over the upper two thirds of the sizes, where lower-order terms are small.
    """
    found = {}
    for sample, each in counts[counts.method == method].groupby("sample"):
        upper = each.sort_values("n").iloc[len(each) // 3 :]
        found[sample] = exponent(upper.n, upper.work / np.log2(upper.n) ** log).value
    return pd.Series(found, dtype=float)


def as_text(counts, method, log=0):
    """Return the mean of `of_samples` as a formula, with the logarithms that were divided out.

    >>> counts = pd.DataFrame({"method": "sort", "sample": 0, "n": [8, 64], "work": [24.0, 384.0]})
    >>> as_text(counts, "sort", log=1)
    '$n^{1.00} \\\\log n$'
    """
    power, logarithms = of_samples(counts, method, log).mean(), ["", " \\log n", " \\log^2 n"]
    return f"$n^{{{power:.2f}}}{logarithms[log]}$"


def rises(counts):
    """Power of n over the upper half of the sizes, less that over the lower half, of each sample.

    Of a power of n this is 0, but for lower-order terms; of ``2 ** (c n)`` it is ``c log 2`` times the
    distance of the halves.
    """
    found = {}
    for sample, each in counts.groupby("sample"):
        each = each.sort_values("n")
        halves = each.iloc[: len(each) // 2], each.iloc[len(each) // 2 :]
        lower, upper = (exponent(half.n, half.tried).value for half in halves)
        found[sample] = upper - lower
    return pd.Series(found, dtype=float)

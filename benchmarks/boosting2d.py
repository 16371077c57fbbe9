"""The optimal line by branch and bound against what finds it otherwise, on one thread."""

import math
import time

import numpy as np
from scipy.optimize import LinearConstraint, milp

from benchmarks.side_by_side import Comparison, alternate
from paperlib.boosting2d import leave_one_out, optimal_separator
from paperlib.experiments import datasets


def classes(n, seed=0):
    """Two Gaussian classes, one standard deviation apart in each coordinate."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.5, 1, -1)
    return rng.normal(size=(n, 2)) + 0.5 * y[:, None], y


def milp_weight(X, y):
    """Least number of misclassified points by HiGHS: a binary for each point, big-M, margin one."""
    n, big = len(X), 1e4
    rows = np.column_stack([y[:, None] * X, y, big * np.eye(n)])
    result = milp(
        np.r_[np.zeros(3), np.ones(n)],
        constraints=LinearConstraint(rows, lb=1.0),
        integrality=np.r_[np.zeros(3), np.ones(n)],
        bounds=(np.r_[np.full(3, -big), np.zeros(n)], np.r_[np.full(3, big), np.ones(n)]),
    )
    return round(result.fun)


def against_milp(n=100):
    X, y = classes(n)
    ours, peer = optimal_separator(X, y).weight, milp_weight(X, y)
    seconds = alternate(lambda: optimal_separator(X, y), lambda: milp_weight(X, y), repeats=3)
    what = f"optimal line, n={n}"
    return Comparison(what, *seconds, "scipy.optimize.milp", 1_000.0, f"optimum {ours:g}, peer's {peer}")


def against_e01loss():
    """The exact 0-1 loss library of He and Little, which is no dependency: `pip install e01loss`."""
    try:
        from e01loss.exact_classify01loss import exact_classify01loss_cell

        voices = datasets.load("voicepath", data="full")
    except (ImportError, datasets.DataUnavailableError) as error:
        print(f"E01Loss: left out, {error}")
        return None
    X, y, found = voices.X, voices.y, []

    def peer():
        found.append(exact_classify01loss_cell(X, y)[1])

    seconds = alternate(lambda: optimal_separator(X, y), peer, repeats=1)
    note = f"optimum {optimal_separator(X, y).weight:g}, peer's {found[-1]}; 19 is published"
    return Comparison(f"optimal line, voice data, n={len(X)}", *seconds, "E01Loss, cells", 2_000.0, note)


def against_the_sweep(n=10_000):
    X, y = classes(n)
    sweep, branch = (optimal_separator(X, y, method=method) for method in ("sweep", "branch"))
    seconds = alternate(
        lambda: optimal_separator(X, y, method="branch"),
        lambda: optimal_separator(X, y, method="sweep"),
        repeats=3,
    )
    note = f"optimum {branch.weight:g}, the sweep's {sweep.weight:g}"
    return Comparison(f"optimal line, n={n:,}", *seconds, "the paper's sweep", 100.0, note)


def a_million(n=1_000_000):
    """Beside the sweep's time at n by its fitted exponent, and beside sorting n floats."""
    sizes, times = (1_000, 2_000, 5_000, 10_000), []
    for size in sizes:
        X, y = classes(size)
        optimal_separator(X, y, method="sweep")
        start = time.perf_counter()
        optimal_separator(X, y, method="sweep")
        times.append(time.perf_counter() - start)
    exponent, factor = np.polyfit(np.log(sizes), np.log(times), 1)
    extrapolated = math.exp(factor + exponent * math.log(n))

    X, y = classes(n)
    column = np.ascontiguousarray(X[:, 0])
    what = f"optimal line, n={n:,}"
    for tie_break in ("margin", "first"):
        ours, sort = alternate(
            lambda choice=tie_break: optimal_separator(X, y, tie_break=choice), lambda: np.sort(column)
        )
        note = f"{ours / sort:.0f} np.sort of n floats; tie_break={tie_break!r}"
        yield Comparison(what, ours, 60 * sort, "60 x np.sort", 1.0, note)
        if tie_break == "margin":
            note = f"fitted exponent {exponent:.2f}, over n = {sizes[0]:,} to {sizes[-1]:,}"
            yield Comparison(what, ours, extrapolated, "the sweep, extrapolated", 5_000.0, note)


def leave_one_out_error(n=5_000):
    X, y = classes(n)
    branch, sweep = (leave_one_out(X, y, method=method).error for method in ("branch", "sweep"))
    seconds = alternate(
        lambda: leave_one_out(X, y, method="branch"), lambda: leave_one_out(X, y, method="sweep"), repeats=3
    )
    note = f"error {branch:.4f}, the sweep's {sweep:.4f}"
    return Comparison(f"leave-one-out, n={n:,}", *seconds, "the paper's", 20.0, note)


def run():
    yield against_milp()
    if (comparison := against_e01loss()) is not None:
        yield comparison
    yield against_the_sweep()
    yield from a_million()
    yield leave_one_out_error()

"""The optimal line by branch and bound against what finds it otherwise, on one thread."""

import math

import numpy as np
from scipy.optimize import LinearConstraint, milp

from benchmarks.side_by_side import Comparison, alternate, seconds_of
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
        times.append(seconds_of(lambda X=X, y=y: optimal_separator(X, y, method="sweep")))
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


def hard_samples(n, seed=0):
    """Yield pure noise, and samples that cost branch and bound alone up to 200 times the sweep's time."""
    rng = np.random.default_rng(seed)
    angle = 2 * np.pi * np.arange(n) / n
    circle, noise = np.column_stack([np.cos(angle), np.sin(angle)]), rng.random(n) < 0.5
    half, first = rng.normal(size=(n // 2, 2)), np.arange(n) < n // 2
    yield "pure noise", rng.normal(size=(n, 2)), noise
    yield "noise over many scales", np.exp(5 * rng.normal(size=(n, 2))), noise
    yield "labels alternating along a spiral", angle[:, None] * circle[:, ::-1], np.arange(n) % 2 == 0
    for apart in (1e-3, 1e-6):
        yield f"pairs {apart:g} apart", np.concatenate([half, half + apart * circle[: n // 2]]), first
    yield "labels alternating along a circle", circle, np.arange(n) % 2 == 0


def never_slower_than_the_sweep(n=2_000):
    for kind, X, y in hard_samples(n):
        auto, sweep = (optimal_separator(X, y, method=method) for method in ("auto", "sweep"))
        seconds = alternate(
            lambda X=X, y=y: optimal_separator(X, y),
            lambda X=X, y=y: optimal_separator(X, y, method="sweep"),
            repeats=3,
        )
        note = f"optimum {auto.weight:g}, the sweep's {sweep.weight:g}"
        yield Comparison(f"optimal line, {kind}, n={n:,}", *seconds, "the paper's sweep", 1 / 1.2, note)


def the_fattest_of_many(n_pairs=500, seed=0):
    """Pairs of both classes between two outliers: every line that parts these is optimal."""
    pairs = np.random.default_rng(seed).normal(size=(n_pairs, 2))
    X = np.vstack([pairs, pairs, [[-4.0, 0.0], [4.0, 0.0]]])
    y = np.repeat([1, -1, -1, 1], [n_pairs, n_pairs, 1, 1])
    auto, sweep = (optimal_separator(X, y, method=method) for method in ("auto", "sweep"))
    seconds = alternate(
        lambda: optimal_separator(X, y), lambda: optimal_separator(X, y, method="sweep"), repeats=3
    )
    what = f"fattest of all optimal lines, {n_pairs} coinciding pairs, n={len(X):,}"
    note = f"margin {auto.margin:.4f}, the sweep's {sweep.margin:.4f}; {auto.n_optimal:,} sets and more tie"
    yield Comparison(what, *seconds, "the paper's sweep", 1 / 1.2, note)
    yield Comparison(what, seconds[0], 5.0, "five seconds", 1.0, note)


def pure_noise(n=100_000):
    """Labels by lot, beside two clouds of as many points; a million of them, beside ten seconds."""
    rng = np.random.default_rng(0)
    noise, coin = rng.normal(size=(n, 2)), rng.random(n) < 0.5
    X, y = classes(n)
    seconds = alternate(lambda: optimal_separator(noise, coin), lambda: optimal_separator(X, y))
    yield Comparison(f"optimal line, pure noise, n={n:,}", *seconds, "two clouds", 1 / 10, "exact, both")
    noise, coin = rng.normal(size=(10 * n, 2)), rng.random(10 * n) < 0.5
    found = []
    seconds = seconds_of(lambda: found.append(optimal_separator(noise, coin).weight))
    note = f"optimum {found[0]:g}; once"
    yield Comparison(f"optimal line, pure noise, n={10 * n:,}", seconds, 10.0, "10 s", 1.0, note)


def leave_one_out_with_heavy_tails(n=3_000):
    X, y = classes(n)
    weights = np.random.default_rng(1).pareto(1, n) + 1
    heavy, unit = alternate(lambda: leave_one_out(X, y, weights), lambda: leave_one_out(X, y), repeats=3)
    what = f"leave-one-out, weights Pareto(1), n={n:,}"
    return Comparison(what, heavy, unit, "unit weights", 1 / 20, "the exact error of both")


def run():
    yield against_milp()
    if (comparison := against_e01loss()) is not None:
        yield comparison
    yield against_the_sweep()
    yield from a_million()
    yield leave_one_out_error()
    yield from never_slower_than_the_sweep()
    yield from the_fattest_of_many()
    yield from pure_noise()
    yield leave_one_out_with_heavy_tails()

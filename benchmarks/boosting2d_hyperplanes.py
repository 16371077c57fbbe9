"""The optimal hyperplane in three dimensions and more beside other exact solvers, on one thread."""

import math

import numpy as np
from scipy.optimize import LinearConstraint, milp
from sklearn.svm import LinearSVC

from benchmarks.side_by_side import Comparison, alternate, seconds_of
from paperlib.boosting2d import optimal_hyperplane, optimal_plane, optimal_separator


def clouds(n, d, apart=2.5, seed=0):
    """Two Gaussian clouds, their centers `apart` standard deviations: Bayes error .11 for 2.5, .02 for 4."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.5, 1, -1)
    return rng.normal(size=(n, d)) + 0.5 * apart / math.sqrt(d) * y[:, None], y


def against_e01loss(n=60, more=200, d=4):
    """Cell enumeration of E01Loss, and what it would take for `more` points: it tries all subsets of d."""
    try:
        from e01loss.exact_classify01loss import exact_classify01loss_cell
    except ImportError as error:
        print(f"E01Loss: left out, {error}")
        return
    (X, y), found = clouds(n, d), []
    ours, peer = alternate(
        lambda: optimal_hyperplane(X, y), lambda: found.append(exact_classify01loss_cell(X, y)[1]), repeats=1
    )
    note = f"optimum {optimal_hyperplane(X, y).weight:g}, peer's {found[-1]}"
    yield Comparison(f"optimal hyperplane, d={d}, n={n}", ours, peer, "E01Loss, cells", 100.0, note)
    extrapolated = peer * math.comb(more, d) / math.comb(n, d)
    gigabytes = 8 * more * math.comb(more, d) / 1e9
    note = f"from its time per subset of {d} points; it would need {gigabytes:.0f} GB"
    X, y = clouds(more, d)
    ours = min(seconds_of(lambda: optimal_hyperplane(X, y)) for _ in range(3))
    what = f"optimal hyperplane, d={d}, n={more}"
    yield Comparison(what, ours, extrapolated, "E01Loss, extrapolated", None, note)  # no target: not measured


def milp_weight(X, y, time_limit):
    """Least number of misclassified points by HiGHS, and whether it was proved."""
    (n, d), big = X.shape, 1e3
    result = milp(
        np.r_[np.zeros(d + 1), np.ones(n)],
        constraints=LinearConstraint(np.column_stack([y[:, None] * X, y, big * np.eye(n)]), lb=1.0),
        integrality=np.r_[np.zeros(d + 1), np.ones(n)],
        bounds=(np.r_[np.full(d + 1, -big), np.zeros(n)], np.r_[np.full(d + 1, big), np.ones(n)]),
        options={"time_limit": time_limit},
    )
    return (None if result.x is None else round(result.fun)), result.status == 0


def against_milp(n=200, d=4, time_limit=120.0):
    (X, y), found = clouds(n, d), []
    peer = seconds_of(lambda: found.append(milp_weight(X, y, time_limit)))
    optimal_hyperplane(X, y)
    ours = min(seconds_of(lambda: optimal_hyperplane(X, y)) for _ in range(3))
    weight, proved = found[0]
    note = f"optimum {optimal_hyperplane(X, y).weight:g}, peer's {weight}{'' if proved else ', not proved'}"
    return Comparison(f"optimal hyperplane, d={d}, n={n}", ours, peer, "scipy.optimize.milp", 100.0, note)


def turned_labels(n, d, turned, seed=0):
    """Points on both sides of a hyperplane; some labels are turned, of which many columns forgive a few."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(X @ rng.normal(size=d) > 0, 1, -1)
    y[rng.choice(n, turned, replace=False)] *= -1
    return X, y


def tight_milp_weight(X, y, time_limit):
    """As `milp_weight` in its best form: rows of length one, for each the least constant that is enough."""
    (n, d), least = X.shape, 1e-5
    rows = np.column_stack([X, np.ones(n)]) * y[:, None]
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    result = milp(
        np.r_[np.zeros(d + 1), np.ones(n)],
        constraints=LinearConstraint(
            np.column_stack([rows, np.diag(np.abs(rows).sum(axis=1) + least)]), lb=least
        ),
        integrality=np.r_[np.zeros(d + 1), np.ones(n)],
        bounds=(np.r_[-np.ones(d + 1), np.zeros(n)], np.ones(n + d + 1)),
        options={"time_limit": time_limit},
    )
    return (None if result.x is None else round(result.fun)), result.status == 0


def in_many_columns(time_limit=60.0):
    """Few errors, where no hyperplane can be found by going through boxes of them."""
    for d, n, turned in ((8, 91, 8), (8, 179, 6), (20, 300, 3), (40, 200, 1), (50, 450, 1)):
        X, y = turned_labels(n, d, turned)
        times = alternate(
            lambda X=X, y=y: optimal_hyperplane(X, y, time_limit=time_limit),
            lambda X=X, y=y: tight_milp_weight(X, y, time_limit),
            repeats=3,
        )
        plane, (weight, proved) = optimal_hyperplane(X, y), tight_milp_weight(X, y, time_limit)
        note = f"optimum {plane.weight:g}, peer's {weight}{'' if proved else ', not proved'}"
        what = f"optimal hyperplane, {turned} labels turned, d={d}, n={n}"
        yield Comparison(what, *times, "scipy.optimize.milp", 1.0, note)


def plane_against_the_sweep(n=300):
    X, y = clouds(n, 3)
    branch, sweep = (optimal_plane(X, y, method=method) for method in ("branch", "sweep"))
    times = alternate(
        lambda: optimal_plane(X, y, method="branch"),
        lambda: optimal_plane(X, y, method="sweep"),
        repeats=1,
    )
    note = f"optimum {branch.weight:g}, the sweep's {sweep.weight:g}"
    return Comparison(f"optimal plane, n={n}", *times, "the sweep of Theorem 4.1", 50.0, note)


def a_large_plane(n=10_000):
    for apart in (4.0, 2.5):
        X, y = clouds(n, 3, apart)
        plane = optimal_plane(X, y)
        ours = seconds_of(lambda X=X, y=y: optimal_plane(X, y))
        note = f"optimum {plane.weight:g}, lower bound {plane.lower_bound:g}"
        yield Comparison(f"optimal plane, {apart:g} apart, n={n:,}", ours, 60.0, "a minute", 1.0, note)


def beside_a_heuristic(n=1_000):
    """What exactness costs, by dimension; and where we lose most: labels that are noise."""
    for what, d, apart in [*(("clouds", d, 2.5) for d in (2, 3, 4, 5)), ("pure noise", 4, 0.0)]:
        X, y = clouds(n, d, apart)
        ours = seconds_of(lambda X=X, y=y: optimal_hyperplane(X, y))
        svc = LinearSVC()
        peer = min(seconds_of(lambda X=X, y=y, svc=svc: svc.fit(X, y)) for _ in range(3))
        note = f"optimum {optimal_hyperplane(X, y).weight:g}, peer's {(svc.predict(X) != y).sum()}"
        yield Comparison(f"optimal hyperplane, {what}, d={d}, n={n:,}", ours, peer, "LinearSVC", None, note)


def in_the_plane(n=10_000):
    X, y = clouds(n, 2)
    times = alternate(lambda: optimal_hyperplane(X, y), lambda: optimal_separator(X, y), repeats=3)
    return Comparison(f"optimal hyperplane, d=2, n={n:,}", *times, "our own optimal_separator")


def run():
    yield from against_e01loss()
    yield against_milp()
    yield from in_many_columns()
    yield plane_against_the_sweep()
    yield from a_large_plane()
    yield from beside_a_heuristic()
    yield in_the_plane()

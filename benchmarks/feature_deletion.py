"""Equation (4) against libraries for linear programmes, and the perceptron against plain SGD, on one thread.

The data are spambase and MNIST, scaled to at most 1, where ``PAPERLIB_DATA`` has them, and otherwise made up
with as many features and zeros.
"""

import os
import shutil
import subprocess
import tempfile
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path

import cvxpy as cp
import numpy as np
from scipy.optimize import linprog, minimize
from scipy.sparse import csr_array, issparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, SGDClassifier
from threadpoolctl import threadpool_limits

from benchmarks.side_by_side import Comparison, alternate, seconds_of
from paperlib.experiments.datasets import FOLDER, load
from paperlib.feature_deletion import (
    FeatureDeletionLP,
    FeatureDeletionPerceptron,
    robustness_curve,
    worst_case_deletion,
)
from paperlib.feature_deletion._solver.linear_programme import equation_4


def dense(m):
    return *made_up(m, 57, 1.0), "made up, no zeros"


def spam(m, seed=0):
    if os.environ.get(FOLDER):
        data = load("spambase", "full")
        rows = np.random.default_rng(seed).permutation(len(data.y))[:m]
        return (data.X / data.X.max(axis=0))[rows], data.y[rows], "spambase"
    return *made_up(m, 57, 0.22, seed), "made up, 22 % non-zero"


def digits(m, seed=0):
    """4 against 7, at most `m` rows: of the 10,000 file as it is, or of the training images."""
    if os.environ.get(FOLDER):
        data = load("mnist", "full")
        part = slice(60_000, None) if m == 2010 else slice(60_000)
        X, y, name = data.X[part], data.y[part], "MNIST"
    else:
        data = load("mnist")
        X, y, name = data.X, data.y, "bundled MNIST"
    rows = np.flatnonzero((y == 4) | (y == 7))
    rows = rows[np.random.default_rng(seed).permutation(len(rows))[:m]]
    return X[rows] / 255.0, np.where(y[rows] == 7, 1, -1), name


def made_up(m, n, density, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(m, n)) * (rng.uniform(size=(m, n)) < density)
    return X, np.where(X @ rng.normal(size=n) + 0.5 * rng.normal(size=m) > 0, 1, -1)


def mails(m, n, each, seed=0):
    """Made up like counts of words, a few words in most mails, and one label in ten turned."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(1.25 * each, m) + 1
    rows, columns = np.repeat(np.arange(m), counts), (n * rng.random(counts.sum()) ** 3).astype(int)
    X = csr_array((np.ones(rows.size), (rows, columns)), shape=(m, n))
    X.sum_duplicates()
    X.data[:] = np.log1p(X.data)
    score = X @ rng.normal(size=n) + 0.3 * rng.normal(size=m)
    y = np.where(score > np.median(score), 1, -1) * np.where(rng.random(m) < 0.1, -1, 1)
    return X, y, f"made up, {X.nnz / m:.0f} words a mail"


def programme(X, y, n_deleted, zeros):
    """Equation (4) with every inner variable, or without those of zeros, which ours never has."""
    return equation_4(X, y.astype(float), np.ones(X.shape[1]), n_deleted, 1.0, 1.0, zeros=zeros)


def highs(X, y, n_deleted, zeros=False):
    cost, A, limits, bounds = programme(X, y, n_deleted, zeros)
    return linprog(cost, A, limits, bounds=bounds, method="highs-ipm").fun


def by_cvxpy(X, y, n_deleted, zeros, solver, **options):
    cost, A, limits, bounds = programme(X, y, n_deleted, zeros)
    z = cp.Variable(cost.size)
    low, high = (np.flatnonzero(np.isfinite(side)) for side in bounds.T)
    rows = [A @ z <= limits, z[low] >= bounds[low, 0], z[high] <= bounds[high, 1]]
    problem = cp.Problem(cp.Minimize(cost @ z), rows)
    problem.solve(solver, **options)
    if problem.status != cp.OPTIMAL:
        raise cp.SolverError(f"{solver} ended with: {problem.status}")
    return problem.value


def clarabel(X, y, n_deleted, zeros=False):
    return by_cvxpy(X, y, n_deleted, zeros, cp.CLARABEL, max_threads=1)


def scs(X, y, n_deleted, zeros=False):
    """To its own tolerance, 1e-5, which is coarser than the others'."""
    return by_cvxpy(X, y, n_deleted, zeros, cp.SCS, eps=1e-5, max_iters=100_000)


def pdlp(X, y, n_deleted, zeros=False):
    """HiGHS' first-order method, as it comes."""
    return by_cvxpy(X, y, n_deleted, zeros, cp.HIGHS, highs_options={"solver": "pdlp", "threads": 1})


def pdlp_of_or_tools(X, y, n_deleted, zeros=False):
    """OR-tools' first-order method, as it comes; in a process of its own, as it brings another HiGHS."""
    return _apart().submit(by_cvxpy, X, y, n_deleted, zeros, cp.PDLP).result()


@cache
def _apart():
    first = {"initializer": import_module, "initargs": ("ortools.pdlp.python.pdlp",)}
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"), **first)


def glpk(X, y, n_deleted, zeros=False):
    """The paper's solver, by its program `glpsol`, simplex as it comes; its own time without reading."""
    cost, A, limits, bounds = programme(X, y, n_deleted, zeros)
    A = A.tocoo()
    with tempfile.TemporaryDirectory() as folder:
        problem, answer = Path(folder) / "problem.glp", Path(folder) / "answer"
        lines = [f"p lp min {A.shape[0]} {A.shape[1]} {A.nnz}"]
        lines += [f"i {i} u {limit:.17g}" for i, limit in enumerate(limits, 1)]
        for j, (low, high) in enumerate(bounds, 1):
            if np.isfinite(low) and np.isfinite(high):
                lines.append(f"j {j} d {low:.17g} {high:.17g}")
            else:
                lines.append(f"j {j} l {low:.17g}" if np.isfinite(low) else f"j {j} f")
        lines += [f"a 0 {j + 1} {cost[j]:.17g}" for j in np.flatnonzero(cost)]
        lines += [f"a {i + 1} {j + 1} {a:.17g}" for i, j, a in zip(A.row, A.col, A.data)]
        problem.write_text("\n".join([*lines, "e o f", ""]))
        subprocess.run(
            ["glpsol", "--glp", problem, "-w", answer], check=True, stdout=subprocess.DEVNULL, timeout=3600
        )
        status = next(line for line in answer.read_text().splitlines() if line.startswith("s "))
    return float(status.split()[-1])


def compare(data, m, n_deleted, peer, name, target=None, zeros=False, tol=1e-6):
    """Ours, a median of repeated runs, beside one run of a peer, which takes long.

    The peer has Equation (4) reduced as ours is, or with the inner variables of zeros, too.
    """
    X, y, source = data(m)
    clf = FeatureDeletionLP(n_deleted, tol=tol)
    ours = lambda: clf.fit(X, y)  # noqa: E731
    with threadpool_limits(1):
        peer(X[:50], y[:50], n_deleted, zeros)  # loads what it needs
        first = alternate(ours, lambda: None, 3)[0]
        start = time.perf_counter()
        value = peer(X, y, n_deleted, zeros)
        theirs = time.perf_counter() - start
        seconds = (first + alternate(ours, lambda: None, 3)[0]) / 2, theirs
    note = f"{source}; {clf.n_iter_} iterations, value {clf.objective_:.8f}, gap {clf.dual_gap_:.1e}"
    note += f"; peer's value {value:.8f}"
    name += ", Equation 4 whole" if zeros else ", without zeros' variables"
    return Comparison(f"LP, m={len(X):,}, n={X.shape[1]}, N={n_deleted}", *seconds, name, target, note)


def within(data, n_deleted, limit, tol=1e-4):
    """One run on everything at once, on all cores, beside the time it may take."""
    X, y, source = data
    clf = FeatureDeletionLP(n_deleted, tol=tol, max_iter=4000 if issparse(X) else 200)
    clf.fit(X[:50], y[:50])  # compiles
    seconds = seconds_of(lambda: clf.fit(X, y))
    gap = clf.dual_gap_ / clf.objective_
    note = f"{source}; {clf.n_iter_} iterations, value {clf.objective_:.6f}, relative gap {gap:.1e}"
    what = f"LP, m={X.shape[0]:,}, n={X.shape[1]:,}, N={n_deleted}, gap {tol:g}"
    return Comparison(what, seconds, limit, "the time it may take", 1.0, note)


def epoch(n_deleted, m=100_000, n=57):
    X, y = made_up(m, n, 1.0)
    ours = FeatureDeletionPerceptron(n_deleted, random_state=0)
    peer = SGDClassifier(loss="hinge", max_iter=1, tol=None, random_state=0)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        seconds = alternate(lambda: ours.fit(X, y), lambda: peer.fit(X, y), 15)
    note = f"fit in random order; {ours.n_updates_ / m:.0%} of the examples with an update"
    return Comparison(
        f"perceptron, m={m:,}, n={n}, N={n_deleted}", *seconds, "SGDClassifier, hinge", 1.0, note
    )


def where_installed(solver, *args, **options):
    """Compare with a solver that cvxpy need not have."""
    if solver in cp.installed_solvers():
        yield compare(*args, **options)
    else:
        print(f"no comparison with {solver}: cvxpy does not find it")


def beside_a_sort(m=20_000, n=50, n_deleted=5, n_budgets=30):
    """The adversary against what one would write in NumPy: a sort and sums, for features of equal value."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(m, n))
    y = np.where(X @ rng.normal(size=n) + rng.normal(size=m) > 0, 1, -1)
    clf = LogisticRegression().fit(X, y)
    w, b, budgets = clf.coef_[0], clf.intercept_[0], np.arange(n_budgets)

    def curve():
        profits = np.sort(X * w * y[:, None], axis=1)[:, ::-1]
        taken = np.column_stack([np.zeros(m), np.cumsum(np.maximum(profits, 0.0), axis=1)])
        left = (profits.sum(axis=1) + y * b)[:, None] - taken[:, :n_budgets]
        return np.mean(left > 0, axis=0)

    def deletion():
        profits = X * w * y[:, None]
        worst = np.argsort(-profits, axis=1)[:, :n_deleted]
        harms = np.take_along_axis(profits, worst, axis=1)
        masks = np.zeros((m, n), dtype=bool)
        np.put_along_axis(masks, worst, harms > 0, axis=1)
        return profits.sum(axis=1) + y * b - np.maximum(harms, 0.0).sum(axis=1), masks

    assert np.array_equal(robustness_curve(clf, X, y, budgets), curve())
    times = alternate(lambda: robustness_curve(clf, X, y, budgets), curve)
    yield Comparison(
        f"robustness_curve, {n_budgets} budgets, {m:,} x {n}", *times, "NumPy: a sort, sums", 1.0
    )
    assert np.array_equal(worst_case_deletion(w, b, X, y, n_deleted)[1], deletion()[1])
    times = alternate(lambda: worst_case_deletion(w, b, X, y, n_deleted), deletion)
    yield Comparison(f"worst_case_deletion, N={n_deleted}, {m:,} x {n}", *times, "NumPy: argsort, sums", 1.0)


def against_smoothing(X, y, n_deleted, tol=1e-2):
    """Equation (4) for features of equal value, its corners rounded off, by L-BFGS-B: no certificate."""
    m, n = X.shape
    Z, width, price = y[:, None] * X, 1e-2, 1.0 / (n - n_deleted)  # what a deletion takes off the margin
    clf = FeatureDeletionLP(n_deleted, tol=tol)

    def peer():
        def value(v):
            w, b = v[:n], v[n]
            terms = Z * w - price
            worst = np.argpartition(terms, n - n_deleted, axis=1)[:, n - n_deleted :]
            picked = np.take_along_axis(terms, worst, axis=1)
            slack = np.maximum(picked, 0.0).sum(axis=1) - terms.sum(axis=1) - y * b
            slope = np.clip(slack / width, 0.0, 1.0) / m
            loss = np.where(slack > width, slack - width / 2, np.maximum(slack, 0.0) ** 2 / (2 * width))
            kept = np.ones_like(Z)
            np.put_along_axis(kept, worst, (picked <= 0.0).astype(float), axis=1)
            return loss.mean(), -np.append(slope @ (Z * kept), slope @ y)

        bounds = [(-clf.C, clf.C)] * n + [(None, None)]
        return minimize(value, np.zeros(n + 1), jac=True, method="L-BFGS-B", bounds=bounds)

    with threadpool_limits(1):
        seconds = alternate(lambda: clf.fit(X, y), peer, 3)
    note = f"value {clf.objective_:.5f}, gap {clf.dual_gap_ / clf.objective_:.1e}; peer's {peer().fun:.5f}, "
    what = f"LP, m={m:,}, n={n:,}, N={n_deleted}, gap {tol:g}"
    return Comparison(what, *seconds, "a smoothed loss, L-BFGS-B", 1.0, note + "smoothed")


def run():
    for n_deleted in (1, 5, 20):
        yield epoch(n_deleted)
    yield from beside_a_sort()
    yield compare(spam, 4000, 5, clarabel, "cvxpy, Clarabel", 20.0)
    yield compare(spam, 4000, 5, clarabel, "cvxpy, Clarabel", zeros=True)
    yield compare(dense, 4000, 5, clarabel, "cvxpy, Clarabel")
    yield compare(spam, 4000, 5, highs, "HiGHS, interior point", 60.0)
    yield compare(spam, 4000, 5, highs, "HiGHS, interior point", zeros=True)
    yield compare(dense, 4000, 5, highs, "HiGHS, interior point")
    for zeros in (False, True):
        yield compare(spam, 1000, 5, clarabel, "cvxpy, Clarabel", zeros=zeros)
        yield compare(spam, 1000, 5, highs, "HiGHS, interior point", zeros=zeros)
        yield from where_installed(cp.HIGHS, spam, 1000, 5, pdlp, "cvxpy, HiGHS' PDLP", zeros=zeros)
        yield from where_installed(
            cp.PDLP, spam, 1000, 5, pdlp_of_or_tools, "cvxpy, OR-tools' PDLP", zeros=zeros
        )
        yield from where_installed(cp.SCS, spam, 1000, 5, scs, "cvxpy, SCS", zeros=zeros)
    yield compare(digits, 500, 50, highs, "HiGHS, interior point", 10.0)
    yield compare(digits, 500, 50, highs, "HiGHS, interior point", zeros=True)
    yield within(digits(2010), 50, 60.0)
    yield within(digits(2010), 20, 60.0)
    yield within(digits(None), 50, 300.0)
    yield within(dense(60_000), 5, 1.0)
    yield against_smoothing(*dense(20_000)[:2], 5)
    yield against_smoothing(*made_up(1_000, 1_000, 1.0), 50)
    yield within(mails(5000, 10_000, 38), 5, 30.0, 1e-3)
    yield within(mails(20_000, 50_000, 35), 5, 60.0, 2e-3)
    if shutil.which("glpsol"):
        yield compare(spam, 500, 5, glpk, "GLPK, simplex", 700.0)
        yield compare(spam, 500, 5, glpk, "GLPK, simplex", zeros=True)

"""The largest margin on all points but k, with a bound on it, against what gives one of the two."""

import time
import warnings

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC
from threadpoolctl import threadpool_limits

from benchmarks.coresets import classes
from benchmarks.side_by_side import Comparison, alternate, seconds_of
from paperlib.coresets import OutlierCoresetSVC
from paperlib.experiments.coresets.mixed_integer import trimmed_optimum
from paperlib.experiments.coresets.samples import flipped


def mislabelled(n, d, k):
    """Points on the sphere with a gap of 0.1 about a hyperplane, k of them with the wrong label."""
    return flipped(n, d, 0.1, k, random_state=0)[:2]


def gaussian(n, d, k):
    """Gaussian points with the same gap, the first k with the wrong label."""
    X, y = classes(n, d)
    y[:k] *= -1
    return X, y


def trimmed_margin(X, y, w, k):
    return float(np.partition(y * (X @ w), k)[k] / np.linalg.norm(w))


def fitted(X, y, k, eps, time_limit=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the note says how far off it is
        return OutlierCoresetSVC(k, eps, time_limit=time_limit, on_nonseparable="warn").fit(X, y)


def told(clf):
    share = clf.margin_ / clf.margin_upper_bound_
    return f"margin {clf.margin_:.5f}, certified {share:.4f} of the largest ({clf.halted_})"


def within(X, y, k, eps, seconds, what):
    """Time beside the time that was allowed."""
    with threadpool_limits(1):
        fitted(X[:100], y[:100], 1, eps, 1.0)
        start = time.perf_counter()
        clf = fitted(X, y, k, eps)
        ours = time.perf_counter() - start
    return Comparison(what, ours, seconds, "seconds allowed", 1.0, told(clf))


def gap(X, y, k, seconds, wanted, what):
    """What is not certified after some seconds, beside what was wanted."""
    with threadpool_limits(1):
        clf = fitted(X, y, k, wanted, seconds)
    left = max(1.0 - clf.margin_ / clf.margin_upper_bound_, 1e-6)
    return Comparison(what, left, wanted, f"gap wanted after {seconds} s", 1.0, told(clf), "")


def programme(n, d, k, what):
    """HiGHS, until it proves the optimum: a big-M programme, with cuts for the norm."""
    X, y = mislabelled(n, d, k)
    found = []

    def theirs():
        found[:] = [trimmed_optimum(y[:, None] * X, k).margin]

    with threadpool_limits(1):
        seconds = alternate(lambda: fitted(X, y, k, 1e-6), theirs, 3)
        clf = fitted(X, y, k, 1e-6)
    note = f"{told(clf)}; peer's {found[0]:.5f}"
    return Comparison(what, *seconds, "milp (HiGHS), big-M, cuts for the norm", 1.0, note)


def first_programme(n, d, k, seconds, what):
    """HiGHS on the first big-M programme only, the norm replaced by the box: the least that it must do."""
    X, y = mislabelled(n, d, k)
    Z = y[:, None] * X
    norms = np.linalg.norm(Z, axis=1)
    bound = np.sort(norms)[k]
    margins = np.hstack([Z, -np.ones((n, 1)), np.diag(norms * np.sqrt(d) + bound)])
    out = np.append(np.zeros(d + 1), np.ones(n))
    with threadpool_limits(1):
        fitted(X[:100], y[:100], 1, 1e-6, 1.0)
        start = time.perf_counter()
        clf = fitted(X, y, k, 1e-6)
        ours, start = time.perf_counter() - start, time.perf_counter()
        found = milp(
            -np.eye(d + 1 + n)[d],
            integrality=out,
            bounds=Bounds(np.append(-np.ones(d), np.zeros(n + 1)), np.r_[np.ones(d), bound, np.ones(n)]),
            constraints=[
                LinearConstraint(margins, 0.0, np.inf),
                LinearConstraint(out[None], 0.0, k),
            ],
            options={"time_limit": seconds},
        )
        theirs = time.perf_counter() - start
    left = "" if found.mip_gap is None else f", gap {found.mip_gap:.3g}"
    note = f"{told(clf)}; peer: {'done' if found.status == 0 else 'not done'}{left}"
    return Comparison(what, ours, theirs, "milp (HiGHS), first big-M programme", 10.0, note)


def alternating(X, y, k, restarts, seed=0):
    """Fit LIBLINEAR, leave out the k worst, until they stay the same; from random halves. The best margin."""
    rng, best = np.random.default_rng(seed), -np.inf
    for restart in range(restarts):
        kept = rng.random(len(X)) < 0.5 if restart else np.ones(len(X), dtype=bool)
        for _ in range(20):
            svc = LinearSVC(C=1e4, fit_intercept=False, dual=False).fit(X[kept], y[kept])
            margins = y * (X @ svc.coef_[0])
            best = max(best, trimmed_margin(X, y, svc.coef_[0], k))
            before = kept.copy()
            kept[:] = True
            kept[np.argpartition(margins, k)[:k]] = False
            if (kept == before).all():
                break
    return best


def restarts(X, y, k, eps, times, repeats, what):
    """Alternating fits, which are quick and prove nothing."""
    found = []
    with threadpool_limits(1):
        fitted(X[:100], y[:100], 1, eps, 1.0)
        ours, theirs = (
            alternate(
                lambda: fitted(X, y, k, eps), lambda: found.append(alternating(X, y, k, times)), repeats
            )
            if repeats
            else once(lambda: fitted(X, y, k, eps), lambda: found.append(alternating(X, y, k, times)))
        )
        clf = fitted(X, y, k, eps)
    note = f"{told(clf)}; peer's {found[-1]:.5f}, not certified"
    return Comparison(what, ours, theirs, f"LinearSVC, trimmed in turn, {times} starts", None, note)


def once(ours, peer):
    """The seconds of one call of each, for what takes long."""
    return [seconds_of(call) for call in (ours, peer)]


def with_kernel(n, k, what):
    """A ring about a disc, k points of the wrong class: ours against SVC, fitted and trimmed in turn."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(n) < 0.5, 1, -1)
    lengths, angles = np.where(y > 0, 1.5, 0.5) + rng.uniform(-0.3, 0.3, n), rng.uniform(0, 2 * np.pi, n)
    X = lengths[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    y[:k] *= -1
    found = []

    def ours():
        found[:] = [OutlierCoresetSVC(k, 0.1, kernel="rbf", gamma=1.0).fit(X, y)]

    def trimmed():
        kept = np.ones(n, dtype=bool)
        for _ in range(20):
            svc = SVC(kernel="rbf", gamma=1.0, C=1e4).fit(X[kept], y[kept])
            before, worst = kept.copy(), np.argpartition(y * svc.decision_function(X), k)[:k]
            kept[:] = True
            kept[worst] = False
            if (kept == before).all():
                break
        right.append(int((worst < k).sum()))

    right: list[int] = []
    with threadpool_limits(1):
        seconds = alternate(ours, trimmed, 3)
    clf = found[0]
    ours_right = int((clf.outlier_indices_ < k).sum())
    note = f"{told(clf)}; {ours_right} of {k} found; peer's {right[-1]}, no certificate"
    return Comparison(what, *seconds, "SVC, rbf, trimmed in turn", None, note)


def run():
    medium, large = "n=2,000, d=20, k=5", "n=100,000, d=50, k=100"
    yield within(*mislabelled(2000, 20, 5), 5, 1e-6, 10.0, f"exact, {medium}, 5 wrong labels")
    yield within(*mislabelled(2000, 20, 2), 5, 1e-6, 10.0, f"exact, {medium}, 2 wrong labels")
    yield within(*gaussian(2000, 20, 0), 5, 0.1, 10.0, f"eps=0.1, {medium}, Gaussian, none wrong")
    yield within(*mislabelled(100_000, 50, 100), 100, 0.1, 60.0, f"eps=0.1, {large}, 100 wrong labels")
    yield gap(*mislabelled(100_000, 50, 60), 100, 60, 0.1, f"{large}, 60 wrong labels")
    yield gap(*mislabelled(100_000, 50, 0), 100, 60, 0.1, f"{large}, none wrong")
    yield gap(*gaussian(100_000, 50, 50), 100, 60, 0.1, f"{large}, Gaussian, 50 wrong")
    yield with_kernel(300, 5, "eps=0.1, rbf, n=300, d=2, k=5, 5 wrong labels")
    yield with_kernel(2000, 20, "eps=0.1, rbf, n=2,000, d=2, k=20, 20 wrong labels")
    yield programme(100, 4, 3, "exact, n=100, d=4, k=3")
    yield first_programme(2000, 20, 5, 60.0, f"exact, {medium}")
    yield restarts(*mislabelled(2000, 20, 5), 5, 0.1, 10, 3, f"eps=0.1, {medium}, 5 wrong labels")
    yield restarts(*gaussian(2000, 20, 3), 5, 0.1, 10, 3, f"eps=0.1, {medium}, Gaussian, 3 wrong")
    yield restarts(*gaussian(2000, 20, 0), 5, 0.1, 1, 0, f"eps=0.1, {medium}, Gaussian, none wrong")
    yield restarts(*mislabelled(100_000, 50, 100), 100, 0.1, 1, 0, f"eps=0.1, {large}, 100 wrong labels")

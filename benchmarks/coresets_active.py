"""Labels that active learners ask for: to be told to stop, and to reach an error on the pool."""

import statistics
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from benchmarks.side_by_side import Comparison
from paperlib._common.rounding import first_smallest
from paperlib.coresets import ActiveCoresetSVC
from paperlib.coresets._solver.working_set import WorkingSet
from paperlib.experiments.datasets import DataUnavailableError, load

ERRORS = (0.05, 0.02, 0.01)
EPS = 0.5
TWO_CLASSES = ("breast_cancer", "faces", "ionosphere", "sonar", "german", "spambase", "voicepath")
DIGITS = ((0, 1), (6, 7), (4, 9), (3, 5))


def pools():
    """Yield ``(name, X, y)`` with a constant feature, separable: what a linear SVM gets wrong is left out."""
    for name in TWO_CLASSES:
        try:
            data = load(name, "full")
        except DataUnavailableError as error:
            warnings.warn(f"left out: {error}", stacklevel=2)
            continue
        yield name, *separable(StandardScaler().fit_transform(data.X.astype(float)), data.y)
    try:
        images, source = load("mnist", "full"), ""
    except DataUnavailableError:
        images, source = load("mnist"), " (bundled)"
    for a, b in DIGITS:
        rows = np.flatnonzero(np.isin(images.y[:60_000], (a, b)))
        X, y = separable(images.X[rows] / 255.0, np.where(images.y[rows] == b, 1, -1))
        yield f"mnist {a}, {b}{source}", X, y


def separable(X, y):
    X = np.column_stack([X, np.ones(len(X))])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        svm = LinearSVC(C=10.0, fit_intercept=False, max_iter=2000, random_state=0).fit(X, y)
    right = svm.predict(X) == y
    return X[right], y[right]


def wrong(X, y, normal):
    return float((y * (X @ normal) <= 0.0).mean())


# A learner gives its path, pairs of a number of labels and the error on the pool then; one that stops stops.


def ours(X, y, error, seed, eps=EPS):
    clf = ActiveCoresetSVC(eps, error, random_state=seed).start(X, [-1, 1])
    while len(rows := clf.ask()):
        clf.tell(rows, y[rows])
        yield clf.n_queries_, wrong(X, y, clf.coef_[0])


def unverified(X, y, seed, eps):
    """Ours without verification, from the random labels that margin sampling begins with; its end only."""
    rows = both_classes(y, seed)
    clf = ActiveCoresetSVC(eps, delta=None, random_state=seed).fit(X, y, known=(rows, y[rows]))
    yield len(clf.queried_labels_), wrong(X, y, clf.coef_[0])


def margin_sampling(X, y, seed, stops):
    """Tong and Koller's simple margin; it stops when no point is left inside the margin (Schohn and Cohn)."""
    known, work = np.zeros(len(X), dtype=bool), WorkingSet(X.shape[1])
    for row in both_classes(y, seed):
        known[row] = True
        work.add(y[row] * X[row])
    work.solve()
    while not known.all():
        distances = np.where(known, np.inf, np.abs(X @ work.normal))
        yield int(known.sum()), wrong(X, y, work.normal)
        row = first_smallest(distances, work.margin)
        if stops and distances[row] >= (1.0 - 1e-9) * work.margin:
            return
        known[row] = True
        work.add(y[row] * X[row])
        work.solve()
    yield len(X), wrong(X, y, work.normal)


def uncertainty(X, y, seed):
    """Logistic regression, fitted anew for each label, and for each twentieth more of them from twenty on."""
    known = np.zeros(len(X), dtype=bool)
    known[both_classes(y, seed)] = True
    clf = LogisticRegression(C=10.0, fit_intercept=False, warm_start=True, max_iter=200)
    while not known.all():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            clf.fit(X[known], y[known])
        yield int(known.sum()), wrong(X, y, clf.coef_[0])
        distances = np.where(known, np.inf, np.abs(X @ clf.coef_[0]))
        known[np.argsort(distances, kind="stable")[: max(1, known.sum() // 20)]] = True


def passive(X, y, seed):
    """The hyperplane of largest margin of random labels, computed for each twentieth more of them."""
    order, count = np.random.default_rng(seed).permutation(len(X)), len(both_classes(y, seed))
    work = WorkingSet(X.shape[1])
    for i, row in enumerate(order, start=1):
        work.add(y[row] * X[row])
        if i == count:
            work.solve()
            yield i, wrong(X, y, work.normal)
            count += max(1, i // 20)


def both_classes(y, seed):
    """Return rows at random until both classes are among them."""
    order = np.random.default_rng(seed).permutation(len(y))
    return order[: 1 + int(np.argmax(y[order] != y[order[0]]))]


def reach(path, n):
    """Labels after which the error is first at or below each of `ERRORS`; `n` where it never is."""
    found = {}
    for labels, error in path:
        for wanted in ERRORS:
            if error <= wanted:
                found.setdefault(wanted, labels)
        if len(found) == len(ERRORS):
            break
    return [found.get(wanted, n) for wanted in ERRORS]


def median_reach(learner, n, seeds):
    return [statistics.median(column) for column in zip(*(reach(learner(seed), n) for seed in seeds))]


def ends(paths):
    """Median number of labels at the ends of paths, and the largest error there."""
    labels, errors = zip(*([*path][-1] for path in paths))
    return statistics.median(labels), max(errors)


def compare_stops(name, X, y, seeds):
    stopped, unproven = ends(margin_sampling(X, y, seed, stops=True) for seed in seeds)
    verified, proven = ends(ours(X, y, 0.05, seed, 1e-9) for seed in seeds)
    about = f"{name}, n={len(X):,}, d={X.shape[1]}"
    for eps, target in ((EPS, 1.0), (0.1, None)):
        labels, error = ends(unverified(X, y, seed, eps) for seed in seeds)
        what = f"labels when it stops, unverified, eps={eps:g}, {about}"
        note = f"largest error of {len(seeds)} runs {error:.4f}; peer's {unproven:.4f}; neither is promised"
        peer = "margin sampling, stopped when no point is inside the margin"
        yield Comparison(what, labels, stopped, peer, target, note, "labels")
    for eps in (EPS, 0.1):
        labels, error = ends(ours(X, y, 0.05, seed, eps) for seed in seeds)
        what = f"labels when it stops, verified, eps={eps:g}, {about}"
        note = f"largest error of {len(seeds)} runs {error:.4f}, at most 0.05 with probability 0.95; peer's "
        peer = "margin sampling, stopped when no point is inside the margin"
        yield Comparison(what, labels, stopped, peer, None, note + f"{unproven:.4f}, no promise", "labels")
        peer = "the same, then our verification until it is passed"
        yield Comparison(
            what, labels, verified, peer, None, note + f"{proven:.4f}, the same promise", "labels"
        )


def compare_errors(name, X, y, seeds):
    n = len(X)
    mine = median_reach(lambda seed: ours(X, y, 0.01, seed), n, seeds)
    peers = {
        "margin sampling": lambda seed: margin_sampling(X, y, seed, stops=False),
        "uncertainty, logistic regression": lambda seed: uncertainty(X, y, seed),
        "random": lambda seed: passive(X, y, seed),
    }
    for peer_name, learner in peers.items():
        theirs = median_reach(learner, n, seeds)
        each = ", ".join(f"{e:.0%}: {a:.0f} against {b:.0f}" for e, a, b in zip(ERRORS, mine, theirs))
        what = f"labels to 2 % error, eps={EPS:g}, {name}"
        yield Comparison(what, mine[1], theirs[1], peer_name, None, each, "labels")


def run():
    for name, X, y in pools():
        yield from compare_stops(name, X, y, range(9 if len(X) < 1000 else 3))
        yield from compare_errors(name, X, y, range(9 if len(X) < 1000 else 3))

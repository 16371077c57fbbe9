"""What the searches for lines, planes and hyperplanes promise of weights, margins and bounds."""

from contextlib import contextmanager
from itertools import product
from unittest import mock

import numpy as np
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from paperlib._common.deadline import Deadline, LimitReached
from paperlib.boosting2d import (
    PairBoostingClassifier,
    leave_one_out,
    likelihood_weights,
    max_margin_line,
    optimal_hyperplane,
    optimal_plane,
    optimal_separator,
)
from paperlib.boosting2d._hyperplanes import best_first, solve
from paperlib.boosting2d._search import optimal_sets
from tests.paperlib.certificates.optima import left_out, lightest, width
from tests.paperlib.certificates.promises import Case, at_most, exactly

WEIGHTS = {
    "ones": lambda n, rng: np.ones(n),
    "whole": lambda n, rng: rng.integers(1, 4, n).astype(float),
    "real": lambda n, rng: rng.random(n) + 0.1,
}


def points(rng, n, d, kind):
    """Points and labels; some may coincide, with one label or both."""
    X = rng.normal(size=(n, d)) if kind == "normal" else rng.integers(0, 3, (n, d)).astype(float)
    if kind == "pairs":
        X[1], X[3] = X[0], X[2]
    return X, rng.random(n) < 0.5


def as_it_is(found, X, positive, weights):
    """The weight that a hyperplane misclassifies, and its distance to the nearest of the other points."""
    scores = (X @ found.normal + found.offset) / np.linalg.norm(found.normal)
    wrong = np.where(positive, scores <= 0, scores >= 0)
    assert np.array_equal(wrong, found.misclassified)
    alike = (scores > 0).all() or (scores < 0).all()
    return weights[wrong].sum(), np.inf if alike else np.abs(scores[~wrong]).min(initial=np.inf)


@contextmanager
def after(looks, part=1):
    """Searches in small parts, from a poor start, whose time is over after so many looks at the clock."""
    left = iter(range(looks))

    def poor(sample, plane, tries, *_):
        plane = np.random.default_rng(0).normal(size=len(plane))
        plane /= np.linalg.norm(plane)
        return plane, float(sample.weights[sample.vectors @ plane <= 0.0].sum())

    with (
        mock.patch.object(Deadline, "is_over", lambda self: next(left, None) is None),
        mock.patch.multiple(best_first, PART=part, LOOKS=1),
        # "auto" goes on to the sweep at once, which looks at the clock at each centre.
        mock.patch.multiple(optimal_sets, PART=1, SET_UP=-1.0, SHARE=0.0, PART_OF_SWEEP=1),
        mock.patch.object(solve, "descend", poor),
    ):
        yield


def kinds(rng, seed, d):
    for kind, weighted in product(("normal", "grid", "pairs"), WEIGHTS):
        X, positive = points(rng, 8, d, kind)
        yield f"{kind} {weighted}", X, positive, WEIGHTS[weighted](8, rng)


def between(found, best):
    """What is promised of the bound: the optimum, or no more than that where the time was up."""
    return exactly(best) if found.status == "optimal" else at_most(best)


def separators(seed):
    rng = np.random.default_rng(seed)
    for label, X, positive, weights in kinds(rng, seed, 2):
        best, sides = lightest(X, positive, weights)
        for method, tie_break, flip in product(
            ("auto", "branch", "sweep", "pairs"), ("margin", "first"), (False, True)
        ):
            how = "flip" if flip else "remove"
            found = optimal_separator(
                X, positive, weights, method=method, tie_break=tie_break, on_misclassified=how
            )
            weight, near = as_it_is(found, X, positive, weights)
            own = np.where(found.misclassified, ~positive, positive)
            widths = [width(X, positive, each, flip) for each in (sides if tie_break == "margin" else [own])]
            promised = {
                "weight": (max(best, weight), min(best, weight)),
                "lower_bound": exactly(best),
                "n_optimal": exactly(len(sides)),
                "margin": exactly(max(widths)),
            }
            assert found.status == "optimal" and found.all_counted
            assert flip or np.isclose(near, found.margin, rtol=1e-9) or not np.isfinite(found.margin)
            yield Case(f"{label} {method} {tie_break} {how}", found, promised)
        for method, looks in product(("auto", "branch", "sweep"), (0, 1, 2, 4)):
            with after(looks):
                found = optimal_separator(X, positive, weights, method=method, time_limit=1.0)
            promised = {
                "weight": (max(best, as_it_is(found, X, positive, weights)[0]), np.inf),
                "lower_bound": between(found, best),
            }
            yield Case(f"{label} {method} after {looks}", found, promised)


def planes(seed):
    rng = np.random.default_rng(seed)
    for label, X, positive, weights in kinds(rng, seed, 3):
        best, sides = lightest(X, positive, weights)
        widest = max(width(X, positive, side) for side in sides)
        for method in ("auto", "sweep", "branch"):
            found = optimal_plane(X, positive, weights, method=method)
            weight, near = as_it_is(found, X, positive, weights)
            promised = {
                "weight": (max(best, weight), min(best, weight)),
                "lower_bound": exactly(best),
                "n_optimal": exactly(1 if method == "branch" else len(sides)),
                "margin": exactly(near if method == "branch" else widest),
            }
            assert np.isclose(near, found.margin, rtol=1e-9) or not np.isfinite(found.margin)
            yield Case(f"{label} {method}", found, promised)
        for looks in (0, 1, 3):
            with after(looks):
                found = optimal_plane(X, positive, weights, method="branch", time_limit=1.0)
            promised = {
                "weight": (max(best, as_it_is(found, X, positive, weights)[0]), np.inf),
                "lower_bound": between(found, best),
            }
            yield Case(f"{label} after {looks}", found, promised)


def hyperplanes(seed):
    rng = np.random.default_rng(seed)
    for d in (1, 2, 4):
        for label, X, positive, weights in kinds(rng, seed, d):
            best, _ = lightest(X, positive, weights)
            found = optimal_hyperplane(X, positive, weights)
            weight, _ = as_it_is(found, X, positive, weights)
            promised = {"weight": (max(best, weight), min(best, weight)), "lower_bound": exactly(best)}
            assert found.status == "optimal"
            yield Case(f"{d} {label}", found, promised)
            for looks in (0, 1, 3, 9) if d < 4 or "grid" not in label else range(20):
                with after(looks):
                    found = optimal_hyperplane(X, positive, weights, time_limit=1.0)
                least = max(best, as_it_is(found, X, positive, weights)[0])
                promised = {"weight": (least, np.inf), "lower_bound": between(found, best)}
                yield Case(f"{d} {label} after {looks}", found, promised)
            with mock.patch.object(solve, "LONG", 0), mock.patch.object(Deadline, "call", up):
                found = optimal_hyperplane(X, positive, weights, time_limit=1.0)
            assert found.status == "time limit"
            promised = {
                "weight": exactly(as_it_is(found, X, positive, weights)[0]),
                "lower_bound": at_most(best),
            }
            yield Case(f"{d} {label} before it begins", found, promised)


def up(*_):
    raise LimitReached("time limit")


def fat_lines(seed):
    rng = np.random.default_rng(seed)
    for n in (1, 4, 30):
        ahead, behind = rng.normal(4.0, 1.0, size=(n, 2)), rng.normal(-4.0, 1.0, size=(n + 3, 2))
        found = max_margin_line(ahead, behind)
        X, side = np.vstack([ahead, behind]), np.arange(2 * n + 3) < n
        distance = np.abs(X @ found.normal + found.offset).min()
        best = width(X, side, side)
        yield Case(f"{n}", found, {"margin": (max(best, distance), min(best, distance))})
    yield Case("one set", max_margin_line(ahead, []), {"margin": exactly(np.inf)})


def left_outs(seed):
    rng = np.random.default_rng(seed)
    for kind, weighted in product(("normal", "pairs"), WEIGHTS):
        X, positive = points(rng, 7, 2, "normal")
        if kind == "pairs":
            X[1] = X[0]
        weights = WEIGHTS[weighted](7, rng)
        added = left_out(X, positive, weights)
        for method in ("auto", "branch", "sweep", "pairs"):
            found = leave_one_out(X, positive, weights, method=method)
            promised = {"contribution": exactly(added), "error": exactly(added.mean())}
            yield Case(f"{kind} {weighted} {method}", found, promised)


def pairs_of_classifiers(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(9, 2))
    y = (X[:, 0] + rng.normal(size=9) > 0).astype(int)
    y[:2] = 0, 1
    for weighted, class_weight in product((False, True), (None, "balanced", {1: 3.0})):
        weights = rng.integers(1, 3, 9) / 2.0 if weighted else np.ones(9)
        both = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=1, random_state=0))]
        clf = PairBoostingClassifier(both, class_weight=class_weight).fit(X, y, weights if weighted else None)
        if class_weight == "balanced":
            weights = weights / np.bincount(y, weights)[y]
        elif class_weight:
            weights = weights * np.where(y == 1, 3.0, 1.0)
        added = left_out(clf.scores_, y > 0, weights)
        yield Case(f"{weighted} {class_weight}", clf, {"loo_error_": exactly(added.sum() / weights.sum())})


def likelihoods(seed):
    p = np.random.default_rng(seed).uniform(0.01, 0.99, 20)
    yield Case("", likelihood_weights(p), {"weights": exactly(np.abs(np.log(p / (1.0 - p))))})

"""What the learners of the maximal loss promise of mistakes, losses and slack."""

import warnings
from itertools import product

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from paperlib.max_loss import (
    FOLClassifier,
    LogisticSGD,
    PassiveAggressive,
    Perceptron,
    SumTree,
    focused_online_learning,
)
from tests.paperlib.certificates.promises import Case, exactly

LAYOUTS = {"C": np.asarray, "F": np.asfortranarray, "csr": sparse.csr_array}


def classifiers(seed):
    rng = np.random.default_rng(seed)
    for layout, weighted, output, k, budget in product(
        LAYOUTS, (False, True), ("average", "last", "majority"), (2, 3), (None, 3.0)
    ):
        y = np.arange(40) % k
        X = np.array([[3.0, 0.0], [-3.0, 1.0], [0.0, -4.0]])[y] + rng.normal(size=(40, 2)) * 2.0
        weights = rng.choice([0.0, 0.5, 1.0, 2.0], 40) if weighted else None
        clf = FOLClassifier(300, output=output, slack_budget=budget, random_state=seed)
        clf.set_params(slack_norm="l2" if seed % 2 else "l1")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            clf.fit(LAYOUTS[layout](X), y, weights)
        wrong = np.average(clf.predict(X) != y, weights=weights)
        promised = {"training_error_": exactly(wrong)}
        if budget is not None:
            left_out = weights is not None and weights == 0.0
            promised["slack_"] = (
                np.where(left_out, np.nan, np.zeros(40)),
                np.where(left_out, np.nan, np.ones(40)),
            )
            size = clf.slack_ if clf.slack_norm == "l1" else clf.slack_**2
            assert weighted or size.sum() <= budget * (1.0 + 1e-9)
        yield Case(f"{layout} {weighted} {output} {k} {budget}", clf, promised)


def played_by_hand(seed):
    """A halfspace through the origin, whose rounds are those of the meta-algorithm with the same draws."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 2)), np.arange(30) % 2  # which nothing separates: all rounds are played
    for weighted, norm in product((False, True), (None, "l1", "l2")):
        weights = rng.choice([0.0, 0.5, 1.0, 2.0], 30) if weighted else None
        options = {} if norm is None else {"slack_budget": 2.0, "slack_norm": norm}
        clf = FOLClassifier(200, output="last", fit_intercept=False, random_state=seed, **options)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            clf.fit(X, y, weights)
        kept = np.flatnonzero(np.ones(30) if weights is None else weights)
        watched = Watched(Perceptron(X[kept], 2 * y[kept] - 1))
        weights = None if weights is None else weights[kept]
        run = focused_online_learning(
            watched, len(kept), 200, sample_weight=weights, random_state=seed, **options
        )
        erred = watched.lost if norm is None else [loss for _, loss in watched.asked]  # whatever its slack
        promised = {"n_mistakes_": exactly(np.count_nonzero(erred))}
        if norm is not None:
            slack = np.full(30, np.nan)
            slack[kept] = run.slack
            promised["slack_"] = exactly(slack)
        yield Case(f"{weighted} {norm}", clf, promised)


class Watched:
    """A learner that writes down what it is asked, and what it loses."""

    def __init__(self, learner):
        self.learner, self.asked, self.lost = learner, [], []

    def loss(self, i):
        self.asked.append((i, self.learner.loss(i)))
        return self.asked[-1][1]

    def step(self, i):
        losses = self.learner.step(i)
        self.lost.append(float(np.mean(losses)))
        return losses


def runs(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 3)), np.where(rng.random(30) < 0.5, 1, -1)
    for weighted, size in product((False, True), (None, 3)):
        weights = rng.choice([0.0, 0.5, 1.0, 2.0], 30) if weighted else None
        watched = Watched(LogisticSGD(X, y) if size else Perceptron(X, y))
        found = focused_online_learning(
            watched, 30, 200, batch_size=size, sample_weight=weights, random_state=seed
        )
        yield Case(f"{weighted} {size}", found, {"losses": exactly(np.array(watched.lost))})
    for norm, halves in product(("l1", "l2"), (False, True)):
        watched = Watched(Perceptron(X, y))
        weights = np.arange(30) % 3 / 2.0 % 1.0 if halves else None  # one copy of a row, at the most
        options = {"slack_budget": 2.0, "slack_norm": norm, "sample_weight": weights}
        found = focused_online_learning(watched, 30, 200, **options, random_state=seed)
        losses, slack = with_slack(watched.asked, 30, 2.0, norm)
        slack[weights == 0.0 if halves else []] = np.nan
        yield Case(f"{norm} {halves}", found, {"losses": exactly(losses), "slack": exactly(slack)})


def with_slack(asked, m, budget, norm):
    """What is lost, and the slack at the end, by steps of gradient descent.

    Each is projected onto the cube and the budget: both at a time by bisection, or, for the squares, first
    onto the one and then onto the other, which is no farther from any point of both.
    """
    xi, losses, rate = np.zeros(m), [], np.sqrt(budget / len(asked))
    for i, loss in asked:
        losses.append(max(0.0, loss - xi[i]))
        if loss > xi[i]:
            xi[i] += rate
            if norm == "l2":
                xi = np.minimum(xi, 1.0)
                xi = xi * min(1.0, np.sqrt(budget / (xi**2).sum()))
                continue
            low, high = 0.0, float(np.minimum(xi, 1.0).sum() > budget)
            for _ in range(60):
                middle = (low + high) / 2.0
                within = np.clip(xi - middle, 0.0, 1.0).sum() <= budget
                low, high = (low, middle) if within else (middle, high)
            xi = np.clip(xi - high, 0.0, 1.0)
    return np.array(losses), xi


def aggressive(seed):
    """The bound of the paper, and the losses that it is for: of a sequence that some w of the norm fits."""
    rng = np.random.default_rng(seed)
    for norm in (1.5, 6.0):
        X = rng.normal(size=(40, 3))
        u = rng.normal(size=3)
        u *= norm / np.linalg.norm(u)
        X = X[np.abs(X @ u) >= 1.0]
        y = np.where(X @ u > 0, 1, -1)
        found = PassiveAggressive(X, y, norm)
        lost = sum(found.step(i) for i in rng.integers(len(X), size=300))
        R = np.linalg.norm(X, axis=1).max()
        bound = norm**2 * R**2 / (1.0 + 2.0 * norm * R) ** 2
        yield Case(f"{norm}", found, {"mistake_bound": (max(lost, bound), bound)})


def trees(seed):
    rng = np.random.default_rng(seed)
    for m in (1, 5, 64, 100):
        found = SumTree(m)
        for i in rng.integers(m, size=50):
            found.update(int(i), float(rng.uniform(0.5, 2.0)))
        values = np.array([found.value(i) for i in range(m)])
        yield Case(f"{m}", found, {"total": exactly(values.sum())})

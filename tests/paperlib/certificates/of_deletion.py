"""What feature deletion promises: values of Equation (4), their gaps, and accuracies under deletion."""

import warnings
from itertools import product
from types import SimpleNamespace
from unittest import mock

import numpy as np
from scipy import sparse
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning

from paperlib.feature_deletion import (
    FeatureDeletionLP,
    FeatureDeletionPerceptron,
    robust_score,
    robustness_curve,
    worst_case_deletion,
)
from paperlib.feature_deletion._solver import linear_programme, lopsided
from tests.paperlib.certificates.optima import robust_loss, robust_optimum
from tests.paperlib.certificates.promises import Case, exactly
from tests.paperlib.feature_deletion.helpers import best_of_all_subsets, sample, slow_perceptron

VALUES = {"ones": (None, 1), "others": (np.array([0.5, 1.0, 2.0, 0.0]), 0.8)}
LAYOUTS = {"C": np.asarray, "F": np.asfortranarray, "csr": sparse.csr_array}
WEIGHTS = {
    "none": lambda y, rng: None,
    "some": lambda y, rng: rng.integers(0, 3, len(y)) + (np.arange(len(y)) < 2),
    "heavy": lambda y, rng: np.where((y > 0) & (np.arange(len(y)) % 3 > 0), 30.0, 1.0),
    "lopsided": lambda y, rng: np.where((y > 0) & (np.arange(len(y)) % 3 > 0), 3e7, 1.0),
}


def rough(*programme, **options):
    """What HiGHS finds, but not quite: of any classifier, and multipliers, both sides have to be right."""
    found = linprog(*programme, **options)
    found.x, found.ineqlin.marginals = 0.97 * found.x, 0.95 * found.ineqlin.marginals
    return found


def programmes(seed):
    """Solved to the end, and stopped long before it, where value and bound are far apart."""
    rng = np.random.default_rng(seed)
    settings = product(("auto", "highs", "first_order"), LAYOUTS, VALUES, WEIGHTS, (1.0, 3.0), (0, 3, 9))
    for i, (solver, layout, valued, weighted, margin, short) in enumerate(settings):
        if (solver == "highs" and layout == "csr") or (i + seed) % 4:
            continue
        X, y = sample(18, 4, 31 * seed + i, density=0.8)
        weights = WEIGHTS[weighted](y, rng)
        values, budget = VALUES[valued]
        clf = FeatureDeletionLP(budget, margin=margin, C=0.7, feature_values=values, solver=solver)
        clf.set_params(class_weight=None if i % 5 else {1: 2.0, -1: 0.5})
        if short:
            clf.set_params(max_iter=short if solver == "auto" and layout != "csr" else 20 * short, tol=1e-9)
        # What is done for weights of which one class has nearly all is done for these, of which it has most.
        patched = mock.patch.object(lopsided, "LOPSIDED", 3.0 if weighted == "heavy" else lopsided.LOPSIDED)
        solved = mock.patch.object(linear_programme, "linprog", rough if short else linprog)
        with patched, solved, warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            clf.fit(LAYOUTS[layout](X), y, weights)
        weights = np.ones(18) if weights is None else weights
        weights = weights if i % 5 else weights * np.where(y > 0, 2.0, 0.5)
        game = X, y, np.ones(4) if values is None else values, budget, margin
        label = f"{solver} {layout} {valued} {weighted} {margin} {short}"
        yield Case(label, clf, of_programme(clf, game, 0.7, weights, short))


def warm_starts(seed):
    """As `programmes`, from where a fit with another budget, box, margin or weights has ended."""
    rng = np.random.default_rng(seed)
    now = {"n_deleted": 1, "margin": 1.0, "C": 0.3}
    others = [{"C": 3.0}, {"C": 0.1}, {"n_deleted": 2.5}, {"n_deleted": 0}, {"margin": 4.0}, {}]
    for solver, layout, other, short in product(("auto", "first_order"), ("C", "csr"), others, (1, 40, 0)):
        X, y = sample(18, 4, seed, density=0.8)
        y = -y if not other and seed % 2 else y
        clf = FeatureDeletionLP(**(now | other), solver=solver, warm_start=True).fit(LAYOUTS[layout](X), y)
        y, weights = sample(18, 4, seed, density=0.8)[1], rng.integers(1, 4, 18)  # no row is left out
        clf.set_params(**now, max_iter=short or None, tol=1e-9 if short else None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            clf.fit(LAYOUTS[layout](X), y, weights)
        promised = of_programme(clf, (X, y, np.ones(4), 1.0, 1.0), 0.3, weights, short)
        yield Case(f"{solver} {layout} {other} {short}", clf, promised)


def of_programme(clf, game, C, weights, short):
    losses = robust_loss(clf.coef_[0], clf.intercept_[0], *game)
    value = float(np.average(losses, weights=weights))
    best = robust_optimum(*game, C, weights)
    digits = 1e-8 * value + 1e-9  # which HiGHS leaves to be desired
    gap = (value - best - digits, np.inf if short else 2e-3 * max(value, game[-1]))
    assert value >= best - digits and np.abs(clf.coef_).max() <= C * (1.0 + 1e-7)
    return {"objective_": exactly(value), "gap_": gap, "dual_gap_": gap}


def perceptrons(seed):
    rng = np.random.default_rng(seed)
    for layout, valued, weighted, C, margin in product(
        LAYOUTS, VALUES, (False, True), (1.0, 0.2), (1.0, 0.3)
    ):
        X, y = sample(30, 4, seed)
        weights = rng.choice([0.0, 0.5, 1.0, 2.0], 30) if weighted else None
        if weighted:
            weights[:2] = 1.0
        values, budget = VALUES[valued]
        options = {"margin": margin, "C": C, "feature_values": values}
        clf = FeatureDeletionPerceptron(budget, n_passes=2, shuffle=False, **options)
        clf.fit(LAYOUTS[layout](X), y, weights)
        _, loss = slow_perceptron(X, y, budget, [*range(30)] * 2, weights=weights, tau=clf.tau_, **options)
        yield Case(f"{layout} {valued} {weighted} {C} {margin}", clf, {"mean_loss_": exactly(loss)})


def accuracies(seed):
    """Functions that return numbers, under their own names."""
    X, y = sample(40, 4, seed)
    clf = FeatureDeletionPerceptron(random_state=0).fit(X, y)
    w, b = clf.coef_[0], clf.intercept_[0]
    for layout, (valued, (values, budget)) in product(LAYOUTS, VALUES.items()):
        v = np.ones(4) if values is None else values
        budgets = [0.0, budget, 1.5 * budget]
        worst = [
            np.array([s * (x @ w + b) - best_of_all_subsets(s * w * x, v, each) for x, s in zip(X, y)])
            for each in budgets
        ]
        right = [float(np.mean(each > 0)) for each in worst]
        given = LAYOUTS[layout](X)
        options = {"feature_values": values}
        found = SimpleNamespace(
            worst_case_deletion=worst_case_deletion(w, b, given, y, budget, values)[0],
            robust_score=robust_score(clf, given, y, budget, "exact", **options),
            robustness_curve=robustness_curve(clf, given, y, budgets, adversary="exact", **options),
        )
        promised = {
            "worst_case_deletion": exactly(worst[1]),
            "robust_score": exactly(right[1]),
            "robustness_curve": exactly(right),
        }
        yield Case(f"{layout} {valued}", found, promised)

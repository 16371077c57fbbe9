"""What the coreset estimators promise of margins, bounds and gaps."""

import warnings
from itertools import product
from unittest import mock

import dask.array as da
import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from paperlib.coresets import (
    ActiveCoresetSVC,
    ChainDecoder,
    CoresetSVC,
    MulticlassCoresetSVC,
    MulticlassDecoder,
    OutlierCoresetSVC,
    StructuredCoresetSVM,
)
from paperlib.coresets._search import rows
from tests.paperlib.certificates.optima import (
    fattest,
    largest_margin,
    margin_of_first,
    soft_optimum,
    soft_value,
)
from tests.paperlib.certificates.promises import Case, at_least, at_most, exactly
from tests.paperlib.coresets.helpers import root

LAYOUTS = {
    "C": np.asarray,
    "F": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "csr": sparse.csr_array,
    "dask": lambda X: da.from_array(X, chunks=(37, -1)),
}
KERNELS = {
    "rbf": ({"kernel": "rbf", "gamma": 0.7}, lambda A: np.exp(-0.7 * ((A[:, None] - A) ** 2).sum(axis=2))),
    "poly": (
        {"kernel": "polynomial", "gamma": 0.5, "degree": 2, "coef0": 1.0},
        lambda A: (0.5 * A @ A.T + 1.0) ** 2,
    ),
}


def classes(rng, n, d, gap, offset=0.0, size=1.0):
    """Rows on either side of a street, that passes the origin at `offset`; as numbers that float32 has."""
    w = rng.normal(size=d)
    w /= np.linalg.norm(w)
    X = rng.normal(size=(n, d)) * size
    y = np.where(X @ w > 0, 1, 0)
    X += (gap * (2 * y - 1) + offset)[:, None] * w
    return X.astype(np.float32).astype(float), y


def signed(X, y, intercept):
    return np.column_stack([X, np.ones(len(X))] if intercept else [X]) * (2.0 * y - 1.0)[:, None]


def in_feature_space(gram, X, y, intercept):
    """Signed points whose inner products are the kernel's."""
    signs = 2.0 * y - 1.0
    return root((gram(X) + float(intercept)) * signs * signs[:, None])


def lowest(clf, X, y):
    """The smallest margin of rows, by the hyperplane's numbers where it has them, of unit norm."""
    if hasattr(clf, "coef_"):
        both = np.append(clf.coef_[0], clf.intercept_)
        scores = (X @ clf.coef_[0] + clf.intercept_[0]) / np.linalg.norm(both)
    else:
        scores = clf.decision_function(X)
    return (2.0 * y - 1.0) * scores


def hard(clf, label, X, y, Z, kept):
    """What a hard margin promises; `kept` are the rows that count, `Z` the signed points of all."""
    best, margins = largest_margin(Z[kept]), lowest(clf, X, y)
    hull = float(np.linalg.norm(clf.hull_weights_ @ Z[clf.coreset_indices_]))
    path, upper = clf.margin_path_, clf.margin_upper_bound_
    certified = margins[kept].min() / (1.0 - clf.eps) if clf.max_iter > 9 else np.inf
    assert kept[clf.coreset_indices_].all() and np.allclose(hull, upper, rtol=1e-7)
    promised = {
        "margin_": exactly(margins[kept].min()),
        "margin_upper_bound_": (max(best, hull), min(certified, hull)),
        "hull_weights_": exactly(np.abs(clf.hull_weights_) / np.abs(clf.hull_weights_).sum()),
        "margin_path_": (np.append(path[1:], upper), np.append(np.full(len(path) - 1, np.inf), upper)),
        "added_margin_path_": at_most(path[:-1]),
    }
    assert len(path) == clf.n_iter_
    return Case(label, clf, promised)


def coreset_svc(seed):
    rng = np.random.default_rng(seed)
    settings = product(("batch", "worst", "first"), (False, True), (False, True), LAYOUTS)
    for i, (selection, intercept, weighted, layout) in enumerate(settings):
        if (i + seed) % 3:  # all of them in three seeds
            continue
        X, y = classes(rng, 150, 3, 0.1, 0.3 * intercept, size=0.2 if i % 2 else 1.0)
        weights = rng.integers(0, 3, 150) if weighted and layout != "dask" else None
        kept = np.ones(150, bool) if weights is None else weights > 0
        clf = CoresetSVC(0.02, selection=selection, fit_intercept=intercept, random_state=seed)
        clf.fit(LAYOUTS[layout](X), da.from_array(y, chunks=37) if layout == "dask" else y, weights)
        yield hard(clf, f"{selection} {intercept} {weighted} {layout}", X, y, signed(X, y, intercept), kept)
    for intercept, form in product((False, True), ("C", "csr")):  # steps along coordinates
        X, y = classes(rng, 40, 520, 1.0, 0.3 * intercept)
        clf = CoresetSVC(0.05, fit_intercept=intercept, random_state=seed).fit(LAYOUTS[form](X), y)
        yield hard(clf, f"wide {intercept}", X, y, signed(X, y, intercept), np.ones(40, bool))
    for (name, (params, gram)), intercept, selection in product(
        KERNELS.items(), (False, True), ("batch", "worst", "first")
    ):
        X, y = classes(rng, 40, 2, 0.3)
        clf = CoresetSVC(0.05, **params, fit_intercept=intercept, selection=selection, random_state=seed)
        Z = in_feature_space(gram, X, y, intercept)
        yield hard(clf.fit(X, y), f"{name} {intercept} {selection}", X, y, Z, np.ones(40, bool))


def near_the_origin(seed):
    """Rows that are short beside the constant feature, of which scans that skip rows must know the length."""
    rng = np.random.default_rng(seed)
    for i, layout, size in product(range(16), ("C", "F"), (0.05, 0.2)):
        X, y = classes(rng, 150, 2, 0.1 * size, 0.3 * size, size)
        clf = CoresetSVC((0.02, 0.3)[i % 2], selection="worst", fit_intercept=True)
        with mock.patch.multiple(rows, ROWS=(64, 1000)[i % 3 // 2], BLOCK=16):  # in several blocks
            clf.fit(LAYOUTS[layout](X), y)
        yield hard(clf, f"{layout} {size}", X, y, signed(X, y, True), np.ones(150, bool))


def streamed(seed):
    """Streams; and fits that are ended before they are certified, or that nothing separates."""
    rng = np.random.default_rng(seed)
    for selection, intercept in product(("batch", "worst", "first"), (False, True)):
        X, y = classes(rng, 120, 3, 0.1, 0.3 * intercept, size=0.2)
        clf = CoresetSVC(0.02, selection=selection, fit_intercept=intercept)
        clf.fit_stream(lambda X=X, y=y: ((X[i : i + 50], y[i : i + 50]) for i in (0, 50, 100)))
        everything, Z = np.ones(120, bool), signed(X, y, intercept)
        yield hard(clf, f"stream {selection} {intercept}", X, y, Z, everything)
        met = -np.inf
        for steps in (3, 5, 7):  # the best hyperplane of those that were met, but of a pass that takes all in
            short = CoresetSVC(1e-6, selection=selection, fit_intercept=intercept, random_state=0)
            quietly(short.set_params(max_iter=steps).fit, X, y)
            case = hard(short, f"short {selection} {intercept}", X, y, Z, everything)
            met = short.margin_ if selection == "first" else max(met, short.margin_)
            if selection == "worst":  # whose points are in the order in which they joined
                met = max(met, margin_of_first(Z, short.coreset_indices_) - 1e-7)
            yield case._replace(promised=case.promised | {"margin_": (met, case.promised["margin_"][1])})
        noisy = np.where(rng.random(120) < 0.1, 1 - y, y)
        clf = CoresetSVC(0.1, selection=selection, fit_intercept=intercept, on_nonseparable="warn")
        clf = quietly(clf.fit, X, noisy)
        promised = {
            "margin_": exactly(lowest(clf, X, noisy).min()),
            "margin_upper_bound_": at_least(largest_margin(signed(X, noisy, intercept))),
        }
        yield Case(f"not separable {selection} {intercept}", clf, promised)


def soft(seed):
    rng = np.random.default_rng(seed)
    for intercept, weighted, layout, C in product(
        (False, True), (False, True), ("C", "F", "csr"), (0.1, 3.0)
    ):
        X, y = classes(rng, 60, 3, 0.0, 0.3 * intercept)
        y = np.where(rng.random(60) < 0.1, 1 - y, y)
        weights = rng.integers(0, 4, 60) / 2.0 if weighted else np.ones(60)
        clf = CoresetSVC(1e-3, C=C, fit_intercept=intercept, random_state=seed)
        clf.fit(LAYOUTS[layout](X), y, weights if weighted else None)
        Z, penalties = signed(X, y, intercept), C * weights
        w = np.append(clf.coef_[0], clf.intercept_)[: Z.shape[1]] / clf.margin_
        held = clf.coreset_indices_
        a = np.zeros(60)
        a[held] = clf.dual_coef_
        (best, of_best), dual = soft_optimum(Z, penalties), a.sum() - ((a @ Z) ** 2).sum() / 2.0
        value = soft_value(Z, penalties, w)
        digits = 1e-12 * value  # of a difference of two such values
        length = np.linalg.norm(Z.T @ a)
        least = length - np.sqrt(2.0 * max(0.0, value - dual))
        bound = 1.0 / least if least > 0.0 else np.inf
        promised = {
            "objective_": exactly(value),
            "dual_objective_": (dual, min(dual, best)),
            "gap_": (max(value - best, value - dual) - digits, min(1e-3 * value, value - dual + digits)),
            "gap_path_": (
                np.append(np.zeros(clf.n_iter_ - 1), value - dual - digits),
                np.append(np.full(clf.n_iter_ - 1, np.inf), value - dual + digits),
            ),
            "dual_coef_": (np.zeros(len(held)), penalties[held]),
            "hull_weights_": exactly(clf.dual_coef_ / clf.dual_coef_.sum()),
            "margin_": exactly(1.0 / length),
            "margin_upper_bound_": (max(1.0 / of_best, bound * (1.0 - 1e-7)), bound * (1.0 + 1e-7)),
        }
        assert np.isclose(np.linalg.norm(np.append(clf.coef_, clf.intercept_)), 1.0)
        assert np.allclose(w, Z.T @ a, atol=1e-9)
        yield Case(f"C={C} {intercept} {weighted} {layout}", clf, promised)


def quietly(fit, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return fit(*arguments)


def outliers(seed):
    rng = np.random.default_rng(seed)
    kernels = {"linear": ({}, None)} | KERNELS
    for method, intercept, weighted, kernel in product(
        ("auto", "branch", "exhaustive", "doubling", "sampled"), (False, True), (False, True), kernels
    ):
        if weighted != (kernel == "linear") and rng.random() < 0.7:
            continue
        X, y = classes(rng, 9, 2, 0.3, 0.3 * intercept)
        wrong = rng.choice(9, 2, replace=False)
        y[wrong] = 1 - y[wrong]
        if len(set(y)) < 2:
            continue
        weights = rng.choice([0.0, 1.0, 1.0, 1.5, 2.0], 9) if weighted else np.ones(9)
        if len(set(y[weights > 0])) < 2 or weights.sum() <= 2.0:
            continue
        params, gram = kernels[kernel]
        clf = OutlierCoresetSVC(
            2, method=method, fit_intercept=intercept, **params, random_state=0, on_nonseparable="warn"
        )
        clf = quietly(clf.fit, X, y, weights if weighted else None)
        Z = signed(X, y, intercept) if gram is None else in_feature_space(gram, X, y, intercept)
        kept = np.flatnonzero(weights)
        best = fattest(Z[kept], 2, weights[kept])
        margins = lowest(clf, X, y)[kept]
        order = np.argsort(margins, kind="stable")
        left = np.cumsum(weights[kept][order]) <= 2.0 + 1e-12
        value = margins[order][int(np.argmin(left))]  # of the first that may not be left out
        finished = clf.halted_ in ("margin", "complete", "certified", "searched") and value > 1e-5
        promised = {
            "margin_": exactly(value),
            "margin_upper_bound_": (best, value / 0.9 if finished and method != "sampled" else np.inf),
        }
        if kernel != "linear":
            points = X[clf.support_]
            scores = np.array([(gram(np.vstack([x, points]))[0, 1:]) @ clf.dual_coef_ for x in X])
            assert np.allclose(scores + clf.intercept_, clf.decision_function(X), atol=1e-9)
            of_unit = np.sqrt(clf.dual_coef_ @ (gram(points) + float(intercept)) @ clf.dual_coef_)
            promised["dual_coef_"] = exactly(clf.dual_coef_ / of_unit) if value > 1e-5 else at_most(np.inf)
        yield Case(f"{method} {intercept} {weighted} {kernel}", clf, promised)


def multiclass(seed):
    rng = np.random.default_rng(seed)
    ways = product(("C", "F", "csr"), (False, True), (2, 3), ("coreset", "steps"))
    for layout, weighted, k, solver in ways:
        centres = np.array([[3.0, 0.0], [-3.0, 1.0], [0.0, -4.0]])[:k]
        y = np.arange(30) % k
        X = centres[y] + rng.normal(size=(30, 2)) * 0.5
        weights = rng.integers(0, 3, 30) if weighted else np.ones(30)
        clf = MulticlassCoresetSVC(0.03, solver=solver)
        clf.fit(LAYOUTS[layout](X), y, weights if weighted else None)
        kept = np.flatnonzero(weights)
        Z = np.array([pair_of(X[i], y[i], c, k) for i in kept for c in range(k) if c != y[i]])
        yield Case(f"{layout} {weighted} {k} {solver}", clf, of_pairs(clf, Z, clf.coef_.ravel()))
    noisy = np.where(rng.random(30) < 0.2, (y + 1) % k, y)
    limits = ("not separable", noisy, {}), ("short", y, {"eps": 1e-6, "max_iter": 2})
    for (label, labels, options), solver in product(limits, ("coreset", "steps")):
        options["solver"] = solver
        clf = MulticlassCoresetSVC(on_nonseparable="warn", **options)
        quietly(clf.fit, X, labels)
        Z = np.array([pair_of(X[i], labels[i], c, k) for i in range(30) for c in range(k) if c != labels[i]])
        w, bound = clf.coef_.ravel(), at_least(largest_margin(Z))
        promised = {"margin_": exactly((Z @ w).min() / np.linalg.norm(w)), "margin_upper_bound_": bound}
        yield Case(f"{label} {solver}", clf, promised)


def of_pairs(clf, Z, w):
    value = (Z @ w).min() / np.linalg.norm(w)
    return {"margin_": exactly(value), "margin_upper_bound_": (largest_margin(Z), value / (1.0 - clf.eps))}


def pair_of(x, right, wrong, k):
    point = np.zeros((k, len(x)))
    point[right], point[wrong] = x, -x
    return point.ravel()


def structured(seed):
    rng = np.random.default_rng(seed)
    decoder = ChainDecoder(2)
    for selection, weighted, length in product(("worst", "first", "mean"), (False, True), (1, 3)):
        Y = [rng.integers(0, 2, length) for _ in range(12)]
        X = [np.column_stack([2.0 * y - 1.0, rng.normal(size=(length, 3)) * 2.0]) for y in Y]
        weights = rng.integers(0, 3, 12) if weighted else np.ones(12)
        svm = StructuredCoresetSVM(decoder, 0.05, selection=selection)
        svm.fit(X, Y, weights if weighted else None)
        Z = np.array(
            [
                decoder.features(X[i], Y[i]) - decoder.features(X[i], other)
                for i in np.flatnonzero(weights)
                for other in product((0, 1), repeat=length)
                if list(other) != list(Y[i])
            ]
        )
        yield Case(f"{selection} {weighted} {length}", svm, of_pairs(svm, Z, svm.coef_))
        met = -np.inf
        for passes in (2, 3, 4, 6):  # the best of those that were met
            short = StructuredCoresetSVM(decoder, 1e-6, selection=selection, max_iter=passes)
            quietly(short.fit, X, Y, weights if weighted else None)
            value = (Z @ short.coef_).min() / np.linalg.norm(short.coef_)
            met = max(met, value) if passes > 2 else value
            promised = {"margin_": (met, value), "margin_upper_bound_": at_least(largest_margin(Z))}
            yield Case(f"short {selection} {weighted} {length}", short, promised)
    X, y = np.vstack([np.eye(3) * 3.0] * 4) + 0.3 * rng.normal(size=(12, 3)), list(range(3)) * 4
    svm = StructuredCoresetSVM(MulticlassDecoder(3)).fit(list(X), y)
    Z = np.array([pair_of(X[i], y[i], c, 3) for i in range(12) for c in range(3) if c != y[i]])
    yield Case("classes", svm, of_pairs(svm, Z, svm.coef_))


def active(seed):
    rng = np.random.default_rng(seed)
    kernels = {"linear": ({}, None)} | KERNELS
    for kernel, intercept, wrong in product(kernels, (False, True), (0, 2)):
        X, y = classes(rng, 60, 2, 0.4, 0.3 * intercept)
        params, gram = kernels[kernel]
        told = y.copy()
        far = np.argsort(-np.abs(X).max(axis=1))[:wrong]
        told[far] = 1 - told[far]
        clf = ActiveCoresetSVC(
            0.1,
            n_outliers=wrong,
            fit_intercept=intercept,
            random_state=seed,
            on_nonseparable="warn",
            **params,
        )
        quietly(clf.fit, X, told)
        Z = signed(X, told, intercept) if gram is None else in_feature_space(gram, X, told, intercept)
        seen = np.array(
            clf.predict(X) == clf.classes_[1], dtype=int
        )  # one not asked for is taken to be right
        seen[clf.queried_indices_] = told[clf.queried_indices_]
        others = np.setdiff1d(np.arange(60), clf.outlier_indices_)
        of_coreset = largest_margin(Z[clf.coreset_indices_])
        bound = (max(of_coreset, largest_margin(Z)), of_coreset)
        if len(clf.outlier_indices_) or clf.halted_ == "not separable":
            bound = exactly(np.inf) if len(clf.outlier_indices_) else at_least(0.0)
        promised = {"margin_": exactly(lowest(clf, X, seen)[others].min()), "margin_upper_bound_": bound}
        if kernel != "linear":
            points = X[clf.support_]
            of_unit = np.sqrt(clf.dual_coef_ @ (gram(points) + float(intercept)) @ clf.dual_coef_)
            promised["dual_coef_"] = exactly(clf.dual_coef_ / of_unit)
        yield Case(f"{kernel} {intercept} {wrong}", clf, promised)
    for intercept in (False, True):
        X, y = classes(rng, 400, 2, 0.4, 0.3 * intercept)
        clf = ActiveCoresetSVC(0.1, fit_intercept=intercept, random_state=seed)
        quietly(clf.fit_stream, iter(X), lambda i, y=y: y[i])
        Z = signed(X, y, intercept)
        at = clf.coreset_indices_
        of_coreset = largest_margin(Z[at])
        promised = {
            "margin_": exactly(lowest(clf, X[at], y[at]).min()),
            "margin_upper_bound_": (max(of_coreset, largest_margin(Z)), of_coreset),
        }
        yield Case(f"stream {intercept}", clf, promised)

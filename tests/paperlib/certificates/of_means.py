"""What kernel means promise of lengths, errors and diameters."""

from itertools import product

import dask.array as da
import numpy as np
from scipy import sparse

from paperlib.kernel_mean import KernelMeanClassifier, select_kernel, sparsify
from tests.paperlib.certificates.promises import Case, at_most, exactly


def rbf(A, B):
    return np.exp(-0.4 * ((A[:, None] - B) ** 2).sum(axis=2))


KERNELS = {
    "rbf": ({"kernel": "rbf", "gamma": 0.4}, rbf),
    "linear": ({"kernel": "linear"}, lambda A, B: A @ B.T),
    "polynomial": (
        {"kernel": "polynomial", "gamma": 0.3, "degree": 2, "coef0": 0.5},
        lambda A, B: (0.3 * A @ B.T + 0.5) ** 2,
    ),
    "callable": ({"kernel": lambda A, B: np.minimum(rbf(A, B), 1.0)}, rbf),
}
LAYOUTS = {"C": np.asarray, "F": np.asfortranarray, "csr": sparse.csr_array}


def examples(rng, n):
    X, y = rng.normal(size=(n, 2)), np.arange(n) % 3 // 2
    return X + y[:, None], y, rng.integers(0, 4, n) + (np.arange(n) < 3)


def class_weights(y, weights, how):
    if how == "balanced":
        return weights / np.bincount(y, weights)[y]
    return weights if how is None else weights * np.where(y == 1, how[1], 1.0)


def settings():
    for (name, (params, gram)), layout, weighted, how in product(
        KERNELS.items(), LAYOUTS, (False, True), (None, "balanced", {1: 2.5})
    ):
        if layout != "csr" or name in ("rbf", "linear"):
            yield f"{name} {layout} {weighted} {how}", params, gram, LAYOUTS[layout], weighted, how


def means(seed):
    rng = np.random.default_rng(seed)
    for label, params, gram, layout, weighted, how in settings():
        X, y, weights = examples(rng, 25)
        weights = weights if weighted else np.ones(25)
        clf = KernelMeanClassifier(**params, class_weight=how).fit(
            layout(X), y, weights if weighted else None
        )
        a = (2.0 * y - 1.0) * class_weights(y, weights, how)
        a /= np.abs(a).sum()
        promised = {"norm_": exactly(np.sqrt(a @ gram(X, X) @ a)), "dual_coef_": exactly(a)}
        yield Case(label, clf, promised)
    K = rbf(X, X)
    clf = KernelMeanClassifier("precomputed").fit(K, y)
    a = (2.0 * y - 1.0) / 25.0
    yield Case("precomputed", clf, {"norm_": exactly(np.sqrt(a @ K @ a)), "dual_coef_": exactly(a)})


def left_out_error(K, y, weights, counted, how):
    """The weight of the examples that the mean of the others does not classify."""
    signs, wrong = 2.0 * y - 1.0, 0.0
    total = class_weights(y, weights, how)
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        of_others = class_weights(y[rest], weights[rest], how)
        score = (signs[rest] * of_others) @ K[rest, i]
        wrong += total[i] * (signs[i] * score <= 1e-12)
    return wrong / total.sum()


def selections(seed):
    rng = np.random.default_rng(seed)
    for layout, weighted, how, rule in product(
        LAYOUTS, (False, True), (None, "balanced", {1: 2.5}), ("max_norm", "leave_one_out")
    ):
        X, y, weights = examples(rng, 20)
        X[0] = 0.0  # whose score by the linear kernel is zero, an error
        weights = weights if weighted else np.ones(20)
        names = ("rbf", "linear") if layout == "csr" else KERNELS
        kernels = [KERNELS[name][0] for name in names] + [{"kernel": "precomputed", "K": rbf(X, X) ** 2}]
        grams = [KERNELS[name][1](X, X) for name in names] + [rbf(X, X) ** 2]
        found = select_kernel(
            LAYOUTS[layout](X), y, kernels, weights if weighted else None, class_weight=how, rule=rule
        )
        a = (2.0 * y - 1.0) * class_weights(y, weights, how)
        a /= np.abs(a).sum()
        promised = {"norms": exactly(np.sqrt([a @ K @ a for K in grams]))}
        if rule == "leave_one_out":
            promised["errors"] = exactly([left_out_error(K, y, weights, weights, how) for K in grams])
        yield Case(f"{layout} {weighted} {how} {rule}", found, promised)


def sparse_means(seed):
    rng = np.random.default_rng(seed)
    methods = ("greedy", "farthest_first", "random", "herding", "project", "kmeans", "moved")
    for method, (name, (params, gram)), reweight, form in product(
        methods, KERNELS.items(), (False, True), ("array", "dask", "tol")
    ):
        if (method == "moved" and name != "rbf") or rng.random() < 0.5:
            continue
        X, weights = rng.normal(size=(40, 2)), rng.normal(size=40)
        X[1], X[2] = X[0], X[0] + 1e-9
        given = da.from_array(X, chunks=(17, -1)) if form == "dask" else X
        size = {"tol": 0.5 * np.abs(weights).sum()} if form == "tol" else {"m": 6}
        found = sparsify(
            given, weights, **size, **params, method=method, reweight=reweight, random_state=seed
        )
        points = found.points
        if found.support is not None:
            assert np.array_equal(points, X[found.support])
        both, signed = np.vstack([X, points]), np.append(weights, -found.weights)
        K = gram(X, X)
        apart = np.diag(K)[:, None] + np.diag(K) - 2.0 * np.sign(np.outer(weights, weights)) * K
        promised = {
            "error": near(np.sqrt(max(signed @ gram(both, both) @ signed, 0.0)), 1e-5),
            "diameter": at_most((4.0 if form == "dask" else 2.0) * np.sqrt(apart.max())),
        }
        if form == "tol":
            promised["error"] = promised["error"][0], min(promised["error"][1], size["tol"])
        if method == "project" and form == "array":
            promised["diameter"] = near(2.0 * np.sqrt(apart[:, found.support].min(axis=1).max()), 1e-7)
        if form == "array" and (reweight or method not in ("random", "herding", "farthest_first")):
            inner = gram(points, points) @ found.weights, gram(points, X) @ weights
            assert np.allclose(*inner, atol=1e-6 * np.abs(inner[1]).max())  # no weights come closer
            promised["weights"] = exactly(found.weights)
        elif method in ("random", "herding") and form == "array":
            step = np.abs(weights).sum() / 6.0
            draws = np.rint(np.abs(found.weights) / step)
            promised["weights"] = exactly(np.sign(weights[found.support]) * draws * step)
            assert draws.sum() == 6
        elif form == "array":  # the weight of each part, and so of all
            sizes = np.abs(found.weights) * np.abs(weights).sum() / np.abs(found.weights).sum()
            promised["weights"] = exactly(np.sign(weights[found.support]) * sizes)
        yield Case(f"{method} {name} {reweight} {form}", found, promised)


def near(value, digits):
    """A length by a difference of squares, which has lost digits."""
    return value - digits, value + digits

"""Calls that run for many seconds, of every public name that can.

Each is made at two sizes: a small one, with which its kernels are compiled or loaded, and a large one.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from paperlib import boosting2d, coresets, feature_deletion, kernel_mean, max_loss


class Call(NamedTuple):
    """A long call.

    Attributes
    ----------
    covers : str
        The public name.
    make : callable
        ``make(size)`` gives the estimator, or None for a function, and a call that takes options.
    small, large : int
        Sizes.
    """

    covers: str
    make: object
    small: int
    large: int


CALLS = {}
# What has no long call: formulas, what goes through its input once, or takes a step of a game.
SHORT = {
    *(
        "BoostingStep",
        "likelihood_weights",
        "max_margin_line",
        "MulticlassDecoder",
        "mutual_information_values",
    ),
    *("SparseKernelClassifier", "flip_labels", "Reservoir", "average", "majority"),
    *("FocusedSampler", "TorchLearner"),
}
SHORT_MODULES = {"theory", "losses", "noise"}


def call(covers, small, large):
    """Register a function of the size under its name."""

    def keep(make):
        CALLS[make.__name__] = Call(covers, make, small, large)
        return make

    return keep


def fit(name, sizes, estimator, data):
    """Register the fit of an estimator: functions of the size make it and its data."""

    def make(size):
        made, given = estimator(size), data(size)
        return made, lambda **options: made.set_params(**options).fit(*given)

    made = type(estimator(sizes[0]))
    CALLS[name] = Call(f"{made.__module__.split('.')[1]}.{made.__name__}", make, *sizes)


def run(name, sizes, function, data):
    """Register a function of what `data` makes."""

    def make(size):
        given = data(size)
        return None, lambda **options: function(*given, **options)

    covers = f"{function.__module__.split('.')[1]}.{function.__name__}"
    CALLS[name] = Call(covers, make, *sizes)


def named(function, **fixed):
    """The function with some arguments given."""

    def other(*given, **options):
        return function(*given, **(fixed | options))

    other.__module__, other.__name__ = function.__module__, function.__name__
    return other


def mixed(d, shift=0.3):
    """A function of n: rows (n, d) and labels that nothing predicts well."""

    def make(n):
        rng = np.random.default_rng(0)
        y = rng.choice([-1, 1], n)
        return rng.normal(size=(n, d)) + shift * y[:, None], y

    return make


def apart(d, gap=0.02):
    """A function of n: two classes that a hyperplane through the origin keeps apart."""

    def make(n):
        rng = np.random.default_rng(0)
        X, w = rng.normal(size=(n, d)), rng.normal(size=d)
        w /= np.linalg.norm(w)
        y = np.where(X @ w > 0, 1, -1)
        return X + gap * y[:, None] * w, y

    return make


def as_sparse(data):
    """The same, with the rows as a CSR matrix."""
    return lambda n: (sparse.csr_matrix(data(n)[0]), data(n)[1])


def large(n):
    """Whether it is the large size."""
    return n > 60


# boosting2d

for method, most in (("auto", 1_000_000), ("branch", 1_000_000), ("sweep", 20_000), ("pairs", 4_000)):
    run(f"separator_{method}", (40, most), named(boosting2d.optimal_separator, method=method), mixed(2, 0.1))
# From 2,000 points on gaps are found in another way, which is to be compiled before the clock runs.
run("separator_100_000", (3_000, 100_000), named(boosting2d.optimal_separator, method="sweep"), mixed(2))
for method, most in (("auto", 500_000), ("sweep", 5_000)):
    run(f"leave_one_out_{method}", (40, most), named(boosting2d.leave_one_out, method=method), mixed(2, 0.1))
for method in ("auto", "sweep", "branch"):
    run(f"plane_{method}", (20, 3_000), named(boosting2d.optimal_plane, method=method), mixed(3, 0.1))
run("hyperplane", (20, 500), boosting2d.optimal_hyperplane, mixed(5))
run(
    "hyperplane_1_000",  # columns
    (2, 1_000),
    boosting2d.optimal_hyperplane,
    lambda d: mixed(d, 0.0)(3 * d),
)
PAIR = [("tree", DecisionTreeClassifier(max_depth=1)), ("bayes", GaussianNB())]
THREE = [*PAIR, ("logistic", LogisticRegression())]
for made, members in (
    (boosting2d.PairBoostingClassifier, PAIR),
    (boosting2d.GreedyPairBoosting, THREE),
    (boosting2d.HierarchicalPairBoosting, THREE),
):
    fit(made.__name__, (60, 300_000), lambda n, made=made, members=members: made(members), mixed(2))

# coresets

HARD = {"eps": 1e-7, "on_nonseparable": "warn", "max_iter": 10**6}


def svc(**params):
    """A function that makes a CoresetSVC."""
    return lambda n: coresets.CoresetSVC(**({**HARD, "random_state": 0} | params))


for selection in ("batch", "worst", "first"):
    fit(f"coreset_{selection}", (60, 20_000), svc(selection=selection, eps=1e-12), apart(200, 1e-4))
fit("coreset_steps", (60, 30_000), svc(eps=1e-12), apart(400, 1e-5))
fit("coreset_sparse", (60, 30_000), svc(eps=1e-12), as_sparse(apart(400, 1e-5)))
fit("coreset_soft", (60, 50_000), svc(C=1.0), mixed(40))
fit("coreset_soft_sparse", (60, 50_000), svc(C=1.0), as_sparse(mixed(40)))
fit("coreset_rbf", (60, 20_000), svc(kernel="rbf", gamma=5.0), mixed(5))
fit("coreset_polynomial", (60, 20_000), svc(kernel="polynomial", gamma=0.5), apart(5, 1e-6))


@call("coresets.CoresetSVC", 60, 20_000)
def coreset_stream(n):
    """The fit of a stream of chunks."""
    X, y = apart(200, 1e-4)(n)
    made = svc(eps=1e-12)(n)
    chunks = lambda: ((X[i : i + 1_000], y[i : i + 1_000]) for i in range(0, n, 1_000))  # noqa: E731
    return made, lambda **options: made.set_params(**options).fit_stream(chunks)


for method in ("auto", "exhaustive", "doubling", "branch", "sampled"):

    def outliers(n, method=method):
        """The learner with outliers, by a method."""
        return coresets.OutlierCoresetSVC(
            (60 if method == "auto" else 8) if large(n) else 1,
            1e-6,
            method=method,
            time_limit=1_000.0,
            n_samples=10**6 if large(n) else 3,
            on_nonseparable="warn",
            random_state=0,
        )

    sizes, d = ((12, 400), 6) if method == "auto" else ((12, 2_000), 4)
    fit(f"outliers_{method}", sizes, outliers, mixed(d))
fit(
    "multiclass",
    (60, 50_000),
    lambda n: coresets.MulticlassCoresetSVC(1e-9, on_nonseparable="warn", max_iter=10**6),
    lambda n: (np.random.default_rng(0).normal(size=(n, 50)), np.arange(n) % 10),
)


def structured(decoder):
    """A function that makes a structured learner."""
    return lambda n: coresets.StructuredCoresetSVM(
        decoder, 1e-9, on_nonseparable="warn", max_iter=10**6 if large(n) else 10
    )


def sequences(count, length, labels):
    """Sequences of random rows and labels."""
    rng = np.random.default_rng(0)
    X = [rng.normal(size=(length, 5)) for _ in range(count)]
    return X, [rng.integers(0, labels, length) for _ in range(count)]


fit(
    "structured",
    (20, 20_000),
    structured(coresets.MulticlassDecoder(10)),
    lambda n: (list(np.random.default_rng(0).normal(size=(n, 20))), list(np.arange(n) % 10)),
)
fit("chains", (20, 2_000), structured(coresets.ChainDecoder(10)), lambda n: sequences(n, 50, 10))
fit("long_chain", (20, 300_000), structured(coresets.ChainDecoder(20)), lambda n: sequences(1, n, 20))
CALLS["long_chain"] = CALLS["long_chain"]._replace(covers="coresets.ChainDecoder")


@call("coresets.ActiveCoresetSVC", 60, 100_000)
def active(n):
    """Asking for labels of a pool."""
    X, y = apart(40)(n)
    made = coresets.ActiveCoresetSVC(1e-6, error=1e-3, random_state=0)
    return made, lambda: made.fit(X, lambda rows: y[rows], [-1, 1])


@call("coresets.ActiveCoresetSVC", 200, 50_000)
def active_stream(n):
    """Asking for labels of a stream, which has no end."""
    X, y = apart(40)(n)
    made = coresets.ActiveCoresetSVC(1e-6, error=0.4 if n == 200 else 1e-7, random_state=0)
    return made, lambda: made.fit_stream((X[i % n] for i in range(10**9)), lambda i: y[i % n], [-1, 1])


# feature_deletion

for solver, most, d in (("auto", 10_000, 300), ("highs", 600, 100), ("first_order", 50_000, 100)):
    fit(
        f"lp_{solver}",
        (30, most),
        lambda n, solver=solver: feature_deletion.FeatureDeletionLP(2, solver=solver),
        lambda n, d=d: mixed(d if large(n) else 5)(n),
    )


def perceptron(n_deleted, n_passes):
    """A function that makes a perceptron."""
    return lambda n: feature_deletion.FeatureDeletionPerceptron(
        n_deleted if large(n) else 2, n_passes=n_passes if large(n) else 1, random_state=0
    )


def wide(n):
    """Many columns."""
    return mixed(400 if large(n) else 5)(n)


def with_copies(n):
    """Rows that are met often in one pass."""
    return *wide(n), np.full(n, 40.0 if large(n) else 1.0)


fit("perceptron", (30, 2_000), perceptron(2, 100_000), wide)
fit("perceptron_one_pass", (30, 20_000), perceptron(100, 1), with_copies)
fit("perceptron_sparse", (30, 5_000), perceptron(2, 100_000), as_sparse(wide))


def scored(n):
    """A game of `worst_case_deletion`."""
    X, y = wide(n)
    values = np.random.default_rng(0).uniform(0.5, 1.0, X.shape[1])
    return np.ones(X.shape[1]), 0.0, X, y, X.shape[1] / 3, values


def with_model(*more):
    """Data and a classifier that is fitted to a part of it."""

    def make(n):
        X, y = wide(n)
        return (LogisticRegression().fit(X[:500], y[:500]), X, y, *more)

    return make


run("worst_case", (30, 50_000), feature_deletion.worst_case_deletion, scored)
for adversary in ("greedy", "exact"):
    run(
        f"robustness_{adversary}",
        (30, 20_000),
        named(feature_deletion.robustness_curve, adversary=adversary),
        lambda n: (*with_model()(n), range(100 if large(n) else 3)),
    )
run(
    "robust_score",
    (30, 50_000),
    named(feature_deletion.robust_score, adversary="exact"),
    lambda n: (*with_model()(n), 200.5 if large(n) else 2),
)

# kernel_mean


def mean(**params):
    """A function that makes the mean classifier."""
    return lambda n: kernel_mean.KernelMeanClassifier(**params)


for name, params in (
    ("error", {"threshold": "error"}),
    ("balanced", {"threshold": "balanced_error"}),
    ("polynomial", {"threshold": "error", "kernel": "polynomial"}),
    ("two_threads", {"threshold": "error", "n_jobs": 2}),
):
    fit(f"mean_{name}", (60, 200_000), mean(**params), mixed(10))
fit("mean_200_columns", (60, 60_000), mean(threshold="error"), mixed(200))
fit("mean_sparse", (60, 60_000), mean(threshold="error"), as_sparse(mixed(10)))
fit("mean_far", (60, 60_000), mean(threshold="error", gamma=1e6), mixed(10))


@call("kernel_mean.KernelMeanClassifier", 60, 200_000)
def mean_predict(n):
    """The classifier's predictions."""
    X, y = mixed(10)(n)
    made = kernel_mean.KernelMeanClassifier().fit(X, y)
    return made, lambda: made.predict(X)


run(
    "select_kernel",
    (60, 200_000),
    named(kernel_mean.select_kernel, rule="leave_one_out"),
    lambda n: (*mixed(5)(n), [{"kernel": "rbf", "gamma": gamma} for gamma in (0.1, 1.0)]),
)


for width, gamma in (("wide", 0.5), ("narrow", 5e2)):
    run(
        f"gaussian_sums_{width}",
        (2_000, 1_000_000),
        named(kernel_mean.gaussian_sums, gamma=gamma, tol=1e-9),
        lambda n: (mixed(3)(n)[0], *mixed(3)(n)),
    )


def sparsify(X, weights, m, **options):
    """The function, and its error, which is worked out when it is asked for."""
    return kernel_mean.sparsify(X, weights, m, random_state=0, **options).error


sparsify.__module__, sparsify.__name__ = kernel_mean.sparsify.__module__, "sparsify"
for method in ("farthest_first", "random", "herding", "project", "greedy", "kmeans", "moved"):
    run(
        f"sparsify_{method}",
        (60, 200_000),
        named(sparsify, method=method),
        lambda n: (mixed(10)(n)[0], np.full(n, 1.0 / n), min(2_000, n // 4)),
    )
run(
    "expansion_error",
    (60, 200_000),
    lambda expansion: expansion.error,
    lambda n: (
        kernel_mean.sparsify(mixed(10)(n)[0], np.full(n, 1 / n), 10, method="random", random_state=0),
    ),
)
CALLS["expansion_error"] = CALLS["expansion_error"]._replace(covers="kernel_mean.SparseExpansion")
run(
    "sparsify_classifier",
    (60, 100_000),
    lambda model, m: kernel_mean.sparsify_classifier(model, m).expansion.error,
    lambda n: (kernel_mean.KernelMeanClassifier(gamma=0.1).fit(*mixed(10)(n)), min(2_000, n // 4)),
)
CALLS["sparsify_classifier"] = CALLS["sparsify_classifier"]._replace(covers="kernel_mean.sparsify_classifier")
fit(
    "t_logistic",
    (60, 300_000),
    lambda n: kernel_mean.TLogisticRegression(1e6),
    lambda n: mixed(100 if large(n) else 5)(n),
)

# max_loss


def fol(**params):
    """A function that makes a classifier that plays on."""
    return lambda n: max_loss.FOLClassifier(10**9 if large(n) else 100, random_state=0, **params)


for output in ("average", "last", "majority"):
    fit(f"fol_{output}", (60, 10_000), fol(output=output), mixed(20))
fit("fol_sparse", (60, 10_000), fol(), as_sparse(mixed(20)))
fit("fol_slack", (60, 10_000), fol(slack_budget=1.0), mixed(20))
fit("fol_many", (60, 1_000_000), fol(), mixed(20))


@call("max_loss.FOLClassifier", 60, 300_000)
def fol_partial_fit(n):
    """More rounds, of one call."""
    X, y = mixed(100)(n)
    made = max_loss.FOLClassifier(random_state=0).partial_fit(X[:50], y[:50], classes=[-1, 1])
    weights = np.full(n, 40.0 if large(n) else 1.0)
    return made, lambda **more: made.set_params(**more).partial_fit(X, y, sample_weight=weights)


def played(learner, **options):
    """A function that makes arguments of a game."""

    def play(learner, m, rounds, **more):
        return max_loss.focused_online_learning(learner, m, rounds, random_state=0, **options, **more)

    play.__module__, play.__name__ = "paperlib.max_loss", "focused_online_learning"
    return play, lambda n: (learner(*mixed(20)(n)), n, 10**8 if large(n) else 50)


for name, learner in (
    ("Perceptron", max_loss.Perceptron),
    ("LogisticSGD", max_loss.LogisticSGD),
    ("PassiveAggressive", lambda X, y: max_loss.PassiveAggressive(X, y, 10.0)),
    ("PartialFitLearner", lambda X, y: max_loss.PartialFitLearner(SGDClassifier(random_state=0), X, y)),
):
    run(f"played_{name}", (60, 10_000), *played(learner))
    CALLS[f"played_{name}"] = CALLS[f"played_{name}"]._replace(covers=f"max_loss.{name}")
run("played_in_batches", (60, 10_000), *played(max_loss.Perceptron, batch_size=8, n_voters=5))


@call("max_loss.SumTree", 60, 50_000_000)
def draws(n):
    """Very many draws at a time."""
    tree = max_loss.SumTree(10_000)
    return None, lambda: tree.sample(np.random.default_rng(0), size=n)

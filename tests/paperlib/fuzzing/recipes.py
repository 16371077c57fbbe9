"""A good call of every public name, argument by argument, and the kind of each argument.

`breakers` has for each kind the ways to break it. An argument's kind follows from its name (`KINDS`), since
one name has one meaning in the library; a recipe names the exceptions.
"""

import copy
import functools
import importlib.util
import inspect
from typing import NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from paperlib import boosting2d, coresets, feature_deletion, kernel_mean, max_loss

KINDS = {
    **dict.fromkeys(["X", "xa", "xb", "positives", "negatives"], "training"),
    **dict.fromkeys(["rows"], "rows"),
    **dict.fromkeys(["y"], "labels"),
    **dict.fromkeys(["sample_weight", "shares"], "weights"),
    **dict.fromkeys(["w", "feature_values", "weights", "errors"], "vector"),
    **dict.fromkeys(["b", "coef0", "threshold", "violation", "x", "weight"], "number"),
    **dict.fromkeys(
        ["eps", "error", "delta", "tol", "C", "margin", "radius", "eta", "norm", "rare"], "positive"
    ),
    **dict.fromkeys(["noise", "noise_negative", "noise_positive", "alpha", "beta", "max_noise"], "positive"),
    **dict.fromkeys(
        ["uniform_share", "slack_budget", "slack_rate", "time_limit", "floor", "tau"], "positive"
    ),
    **dict.fromkeys(["risk", "diameter", "ratio", "distance", "m_loss", "mean_loss", "factor"], "positive"),
    **dict.fromkeys(
        ["learning_rate", "momentum", "l2", "decay", "mistakes", "rounds", "c", "outliers"], "positive"
    ),
    **dict.fromkeys(["vc", "vc_typical", "constant", "least", "n_deleted", "margin_for_error"], "positive"),
    **dict.fromkeys(
        ["degree", "max_iter", "n_outliers", "n_samples", "n_passes", "n_voters", "m"], "integer"
    ),
    "n_jobs": "jobs",
    "verbose": "level",
    "callback": "callable",
    **dict.fromkeys(["size", "n", "k", "n_labels", "batch_size", "n_draws", "max_rows"], "integer"),
    **dict.fromkeys(["n_features", "dimension", "n_hypotheses", "n_unknown", "n_wrong", "epoch"], "integer"),
    **dict.fromkeys(["num_replicas", "rank", "n_mistakes", "t"], "integer"),
    **dict.fromkeys(["method", "tie_break", "on_misclassified", "on_nonseparable", "selection"], "choice"),
    **dict.fromkeys(["linkage", "solver", "output", "slack_norm", "adversary", "rule"], "choice"),
    **dict.fromkeys(
        ["fit_intercept", "shuffle", "warm_start", "reweight", "second_round", "printed"], "flag"
    ),
    **dict.fromkeys(["random_state"], "seed"),
    **dict.fromkeys(["rng"], "rng"),
    **dict.fromkeys(["i"], "index"),
    **dict.fromkeys(["gamma"], "gamma"),
    **dict.fromkeys(["kernel"], "kernel"),
    **dict.fromkeys(["class_weight"], "class_weight"),
    **dict.fromkeys(
        ["estimators", "estimator", "learner", "decoder", "kernels", "clf", "classifier"], "object"
    ),
    **dict.fromkeys(["module", "iterates", "votes", "state", "budgets", "X_list", "Y_list"], "object"),
    **dict.fromkeys(["loss", "oracle", "snapshot", "chunks"], "callable"),
    **dict.fromkeys(["v"], "scores"),
}
_rng = np.random.default_rng(7)
LABELS = np.repeat([-1, 1], 8)
# Two clouds that every hyperplane through the middle keeps apart, in three columns.
X = LABELS[:, None] * [2.0, 1.5, 1.0] + _rng.uniform(-0.7, 0.7, (16, 3))
NEW = X[::3] + 0.1
POINTS = _rng.normal(size=(16, 2)) + 0.5 * LABELS[:, None]  # in the plane, and mixed
WEIGHTS = _rng.uniform(0.5, 2.0, 16)
VALUES = np.array([1.0, 0.8, 1.2])
PAIR = [("tree", DecisionTreeClassifier(max_depth=1, random_state=0)), ("bayes", GaussianNB())]
THREE = [*PAIR, ("logistic", LogisticRegression())]


class Recipe(NamedTuple):
    """A call that works.

    Attributes
    ----------
    name : str
    call : callable
        Gives numbers for keyword arguments: an array, a number, or a tuple of them.
    good : dict
        The arguments.
    kinds : dict
        Of the arguments that are to be broken: their kinds.
    optional : set
        Of arguments for which None is allowed.
    covers : str
        The public name that it is about.
    several_classes, one_class : bool
        Whether these are allowed.
    unbounded : bool
        Whether infinity may be a right answer.
    many_optima : bool
        Whether the scores of equivalent inputs may differ, and their predictions may not.
    without : set
        Of breakers that do not break it.
    """

    name: str
    call: object
    good: dict
    kinds: dict
    optional: set
    covers: str
    several_classes: bool = False
    one_class: bool = False
    unbounded: bool = False
    many_optima: bool = False
    without: frozenset = frozenset()


RECIPES = []


TORCH = importlib.util.find_spec("torch") is not None
NEED_TORCH = {"FocusedSampler", "TorchLearner"}


def kind_of(name):
    """The kind of the arguments of this name."""
    assert name in KINDS, f"say in KINDS what kind of argument {name} is"
    return KINDS[name]


def add(covers, call, good, *, label="", kinds=(), skip=(), only=None, optional=(), **options):
    """Add a recipe; `skip` and `only` say which arguments are not to be broken."""
    broken = [name for name in good if name not in skip and (only is None or name in only)]
    kinds = {name: dict(kinds).get(name) or kind_of(name) for name in broken}
    optional = {name for name in good if good[name] is None} | set(optional)
    RECIPES.append(Recipe(covers + label, call, good, kinds, optional, covers, **options))


def answers(fitted, rows):
    """What a fitted estimator says of new rows."""
    return fitted.decision_function(rows), fitted.predict(rows)


def add_function(function, *, kinds=(), **good):
    """Add a function; what is not in `good` has its default."""
    parameters = inspect.signature(function).parameters
    optional = {name for name, each in parameters.items() if each.default is None}
    good = {name: good.pop(name, each.default) for name, each in parameters.items()} | good
    name = f"{function.__module__.removeprefix('paperlib.')}.{function.__name__}"
    add(name, function, good, kinds=kinds, optional=optional)


def the_last(n=1, **options):
    """Change the options of the last recipes."""
    RECIPES[-n:] = [recipe._replace(**options) for recipe in RECIPES[-n:]]


def add_theory(function, *, kinds=(), **good):
    add_function(function, kinds=kinds, **good)
    the_last(unbounded=True)


def add_estimator(made, *, X=X, y=LABELS, rows=NEW, label="", values=None, kinds=(), data=True, **options):
    """Add an estimator: its data, and each of its parameters (`values`: good ones beside the defaults).

    Without `data` only the parameters in `values` are broken.
    """
    params = made.get_params(deep=False)
    defaults = {
        name: each.default
        for name, each in inspect.signature(type(made)).parameters.items()
        if each.default is not inspect.Parameter.empty
    }
    optional = {name for name, default in defaults.items() if default is None}
    good = {**params, **(values or {})}
    weighted = "sample_weight" in inspect.signature(made.fit).parameters
    broken = list(params) if data else list(values)
    inputs = {"X": X, "y": y} | ({"sample_weight": np.ones(len(X))} if weighted else {})

    def call(rows, **arguments):
        given = {name: arguments.pop(name) for name in inputs}
        return answers(type(made)(**copy.deepcopy(arguments)).fit(**given), rows)

    @functools.cache
    def fitted():
        return type(made)(**copy.deepcopy(good)).fit(**inputs)

    name = f"{type(made).__module__.split('.')[1]}.{type(made).__name__}"
    only = [*broken, *inputs] if data else broken
    add(
        name,
        call,
        {**good, **inputs, "rows": rows},
        label=label,
        kinds=kinds,
        only=only,
        optional=optional | {"sample_weight"},
        **options,
    )
    if data:
        add(name, lambda rows: answers(fitted(), rows), {"rows": rows}, label=f"{label}.predict")
    if data and hasattr(made, "partial_fit"):
        parts = {"X": X, "y": y}
        add(
            name,
            lambda X, y: answers(type(made)(**good).partial_fit(X, y, classes=[-1, 1]), rows),
            parts,
            label=f"{label}.partial_fit",
            kinds={"y": "signs"},
            one_class=True,
        )


# Boosting pairs

add_estimator(boosting2d.PairBoostingClassifier(PAIR), kinds={"cv": "cv"})
add_estimator(boosting2d.GreedyPairBoosting(THREE), kinds={"cv": "cv"})
add_estimator(boosting2d.HierarchicalPairBoosting(THREE), kinds={"cv": "cv"})
# Of the first two the classifiers that are boosted warn; means of equal rows are rounded as these lie.
the_last(6, without={"huge", "largest", "near_largest", "alternating", "one_row"})
plane = {"X": POINTS, "y": LABELS, "sample_weight": WEIGHTS}
space = {"X": X, "y": LABELS, "sample_weight": WEIGHTS}
add_function(
    boosting2d.optimal_separator,
    **plane,
    method="auto",
    tie_break="margin",
    on_misclassified="remove",
    time_limit=5.0,
)
the_last(unbounded=True, one_class=True)  # a margin is infinite where all lie on one side
add_function(boosting2d.leave_one_out, **plane, method="auto")
the_last(one_class=True)
add_function(boosting2d.optimal_plane, **space, method="auto", time_limit=5.0)
the_last(unbounded=True, one_class=True)
add_function(boosting2d.optimal_hyperplane, **space, time_limit=5.0)
the_last(one_class=True)
add_function(boosting2d.likelihood_weights, p=WEIGHTS / 3.0, kinds={"p": "alone"})
add_function(
    boosting2d.max_margin_line, xa=POINTS[:8] + 5.0, xb=POINTS[8:] - 5.0, kinds={"xa": "set", "xb": "set"}
)
the_last(unbounded=True)
add_theory(boosting2d.theory.leave_one_out_lower_bound, weight=3.0, n=10)
add_theory(boosting2d.theory.n_line_classes, n=10)

# Coresets

KERNELS = {"kernel": "rbf", "gamma": 0.5}
POLYNOMIAL = {"kernel": "polynomial", "gamma": 0.5, "degree": 2, "coef0": 1.0}
linear_only = {"gamma", "degree", "coef0"}


def add_with_kernels(made):
    """Add it with its linear kernel, and with others: their parameters count for these only."""
    add_estimator(made)
    RECIPES[-2].kinds.update(dict.fromkeys(linear_only & set(RECIPES[-2].kinds), "ignored"))
    other = made.set_params(**KERNELS)
    add_estimator(other, label=".rbf", values=KERNELS, data=True)
    RECIPES[-2].kinds.update(dict.fromkeys(set(made.get_params()) - {"gamma"}, "ignored"))
    add_estimator(other, label=".polynomial", values=POLYNOMIAL, data=False)


add_with_kernels(coresets.CoresetSVC(random_state=0))
add_estimator(coresets.CoresetSVC(random_state=0), label=".soft", values={"C": 1.0}, data=False)
add_estimator(coresets.CoresetSVC(C=1.0, random_state=0), label=".soft_data")
RECIPES[-2].kinds.update(dict.fromkeys(coresets.CoresetSVC().get_params(), "ignored"))
add_with_kernels(coresets.OutlierCoresetSVC(random_state=0))
add_estimator(coresets.MulticlassCoresetSVC(), several_classes=True)


def stream(X):
    return coresets.CoresetSVC().fit_stream(lambda: [(X, LABELS)]).coef_


add("coresets.CoresetSVC", stream, {"X": X}, label=".fit_stream")
add(
    "coresets.CoresetSVC",
    lambda chunks: coresets.CoresetSVC().fit_stream(chunks).coef_,
    {"chunks": lambda: [(X, LABELS)]},
    label=".fit_stream_chunks",
)


def truth(rows):
    return LABELS[rows]


def active(X, oracle, classes, known, rows, **params):
    learner = coresets.ActiveCoresetSVC(**params).fit(X, oracle, classes, known=known)
    return answers(learner, rows)


active_defaults = coresets.ActiveCoresetSVC(random_state=0).get_params()
active_good = {
    "X": X,
    "oracle": truth,
    "classes": [-1, 1],
    "known": ([0, 8], [-1, 1]),
    "rows": NEW,
    **active_defaults,
}
add(
    "coresets.ActiveCoresetSVC",
    active,
    active_good,
    kinds={"X": "pool", "classes": "object", "known": "object"},
    optional={"classes", "known", "gamma", "delta"},
    skip=("gamma", "degree", "coef0"),
)
add(
    "coresets.ActiveCoresetSVC",
    lambda max_rows: coresets.ActiveCoresetSVC(random_state=0).start(X).ask(max_rows),
    {"max_rows": 1},
    label=".ask",
)


def told(rows, labels):
    learner = coresets.ActiveCoresetSVC(random_state=0).start(X)
    return learner.tell(rows, labels).queried_indices_


add(
    "coresets.ActiveCoresetSVC",
    told,
    {"rows": [0, 8], "labels": [-1, 1]},
    label=".tell",
    kinds={"rows": "object", "labels": "object"},
)
add(
    "coresets.ActiveCoresetSVC",
    lambda stream: (
        coresets.ActiveCoresetSVC(random_state=0).fit_stream(stream, lambda i: LABELS[i % 16], [-1, 1]).coef_
    ),
    {"stream": np.tile(X, (20, 1))},
    label=".fit_stream",
    kinds={"stream": "set"},
    without={"ragged"},  # its last row is not read
)

Y3 = np.arange(16) % 3
X3 = np.eye(3)[Y3] * 5.0 + _rng.uniform(-0.5, 0.5, (16, 3))


def structured(X, y, **params):
    params["decoder"] = params.get("decoder") or None
    model = coresets.StructuredCoresetSVM(**params).fit(X, y)
    return model.predict(X), model.coef_


structured_params = coresets.StructuredCoresetSVM(coresets.MulticlassDecoder(3)).get_params(deep=False)
add(
    "coresets.StructuredCoresetSVM",
    structured,
    {"X": X3, "y": Y3, **structured_params},
    kinds={"y": "codes"},
    several_classes=True,
    one_class=True,
)


@functools.cache
def fitted_structure():
    return coresets.StructuredCoresetSVM(coresets.MulticlassDecoder(3)).fit(X3, Y3)


add(
    "coresets.StructuredCoresetSVM",
    lambda rows: fitted_structure().predict(rows),
    {"rows": X3},
    label=".predict",
)
CHAINS, PATHS = [X3[:5], X3[5:9], X3[9:]], [Y3[:5], Y3[5:9], Y3[9:]]


def chains(first, path):
    """The first sequence of three, and its labels."""
    model = coresets.StructuredCoresetSVM(coresets.ChainDecoder(3))
    return np.concatenate(model.fit([first, *CHAINS[1:]], [path, *PATHS[1:]]).predict(CHAINS))


add(
    "coresets.ChainDecoder",
    chains,
    {"first": CHAINS[0], "path": PATHS[0]},
    kinds={"first": "pool", "path": "codes"},
    several_classes=True,
    one_class=True,
)
add(
    "coresets.ChainDecoder",
    lambda n_labels: coresets.ChainDecoder(n_labels).n_labels,
    {"n_labels": 3},
    label=".new",
)
add(
    "coresets.MulticlassDecoder",
    lambda n_labels: coresets.MulticlassDecoder(n_labels).n_labels,
    {"n_labels": 3},
)
# Their methods, which take what `check` has seen.
for decoder, x, y in (
    (coresets.MulticlassDecoder(3), X3[0], 0),
    (coresets.ChainDecoder(3), CHAINS[0], PATHS[0]),
):
    w, name = np.linspace(-1.0, 1.0, len(decoder.features(x, y))), f"coresets.{type(decoder).__name__}"
    add(name, decoder.decode, {"w": w, "x": x}, label=".decode", only=())
    add(name, decoder.argmax, {"w": w, "x": x, "y": y}, label=".argmax", only=())
    add(name, decoder.features, {"x": x, "y": y}, label=".features", only=())
theory = coresets.theory
for bound in (theory.equation_1, theory.equation_1_sharp):
    add_theory(bound, margin=1.0, violation=0.5, radius=2.0)
RECIPES[-2] = RECIPES[-2]._replace(without={"list"})  # elementwise
for bound in (theory.lemma_3_1, theory.corollary_3_2):
    add_theory(bound, radius=2.0, margin=1.0, eps=0.1)
counts = {"i": "integer"}
add_theory(theory.draws_per_hypothesis, error=0.1, delta=0.1, n_hypotheses=3)
add_theory(theory.draws_of_round, i=2, error=0.1, delta=0.1, kinds=counts)
add_theory(theory.draws_from_pool, i=1, n_unknown=50, n_wrong=0, n=100, error=0.1, delta=0.1, kinds=counts)
add_theory(theory.lemma_4_1, n_mistakes=3, error=0.1, delta=0.1)
add_theory(theory.lemma_4_2, ratio=2.0, eps=0.1, error=0.1, delta=0.1)
add_theory(theory.lemma_5_2_size, ratio=2.0, eps=0.1)
add_theory(theory.lemma_5_2_ratio, size=5000, eps=0.1)
add_theory(theory.branching_nodes, n_outliers=3, dimension=2)

# Feature deletion

add_estimator(feature_deletion.FeatureDeletionLP(), values={"feature_values": VALUES}, many_optima=True)
add_estimator(
    feature_deletion.FeatureDeletionLP(), values={"tol": 1e-6, "max_iter": 50}, label=".more", data=False
)
add_estimator(feature_deletion.FeatureDeletionPerceptron(random_state=0), values={"feature_values": VALUES})
add_estimator(
    feature_deletion.FeatureDeletionPerceptron(random_state=0), values={"tau": 0.1}, label=".more", data=False
)
add_function(feature_deletion.mutual_information_values, X=X, y=LABELS, floor=0.1)
add_function(
    feature_deletion.worst_case_deletion,
    w=VALUES,
    b=0.1,
    X=X,
    y=LABELS,
    n_deleted=1,
    feature_values=VALUES,
    kinds={"y": "signs"},
)
the_last(one_class=True)
LINEAR = LogisticRegression().fit(X, LABELS)
add_function(
    feature_deletion.robust_score,
    estimator=LINEAR,
    X=X,
    y=LABELS,
    n_deleted=1,
    adversary="greedy",
    feature_values=VALUES,
    random_state=0,
)
add_function(
    feature_deletion.robustness_curve,
    clf=LINEAR,
    X=X,
    y=LABELS,
    budgets=[0, 1, 2],
    feature_values=VALUES,
    adversary="greedy",
)
for each in RECIPES[-2:]:  # they score labels of known classes, which may be all of one class
    each.kinds["y"] = "signs"
the_last(2, one_class=True)
theory = feature_deletion.theory
alone = {"feature_values": "alone"}
add_theory(
    theory.theorem_1, n_deleted=1, margin=1.0, C=1.0, feature_values=VALUES, n_features=None, kinds=alone
)
add("feature_deletion.theory.theorem_1", theory.theorem_1, {"n_deleted": 1, "n_features": 3}, label=".alike")
add_theory(
    theory.margin_loss,
    w=VALUES,
    X=X,
    y=LABELS,
    n_deleted=1,
    margin=1.0,
    feature_values=VALUES,
    kinds={"y": "signs"},
)
the_last(one_class=True)
add_theory(
    theory.theorem_2,
    mean_loss=0.1,
    m=100,
    n_deleted=1,
    margin=1.0,
    C=1.0,
    delta=0.05,
    feature_values=VALUES,
    kinds=alone,
)
add_theory(theory.divergence, p=0.2, q=0.3, kinds={"p": "positive", "q": "positive"})
add_theory(theory.theorem_3, n_deleted=1, eps=0.1, C=1.0, printed=False, kinds={"n_deleted": "integer"})
add_theory(theory.theorem_4, n=10, m=100, C=1.0)
add_theory(theory.corollary_1, n=3, m=100, delta=0.05, n_deleted=1, margin=1.0, C=1.0, feature_values=VALUES)

# Kernel mean

add_estimator(kernel_mean.KernelMeanClassifier(gamma=0.5))
RECIPES[-2].kinds.update(dict.fromkeys(["degree", "coef0"], "ignored"))
weighted = {"class_weight": {1: 2.0, -1: 1.0}}
add_estimator(kernel_mean.KernelMeanClassifier(), values=weighted, label=".weighted", data=False)
add_estimator(kernel_mean.KernelMeanClassifier("linear"), label=".linear")
RECIPES[-2].kinds.update(dict.fromkeys(kernel_mean.KernelMeanClassifier().get_params(), "ignored"))
add_estimator(kernel_mean.KernelMeanClassifier(), values=POLYNOMIAL, label=".polynomial", data=False)
add_estimator(kernel_mean.TLogisticRegression())


def selected(**arguments):
    chosen = kernel_mean.select_kernel(**arguments)
    return chosen.norms, chosen.best


selected.__signature__ = inspect.signature(kernel_mean.select_kernel)
selected.__module__, selected.__name__ = "paperlib.kernel_mean", "select_kernel"
KERNEL_LIST = [{"kernel": "rbf", "gamma": 0.5}, "linear"]
add_function(
    selected, X=X, y=LABELS, kernels=KERNEL_LIST, sample_weight=WEIGHTS, class_weight=None, rule="max_norm"
)


for label, tol in (("", None), (".tol", 1e-9)):
    good = {"X": NEW, "points": X, "weights": WEIGHTS, "gamma": 0.5, "tol": tol, "n_jobs": None}
    kinds = {"X": "rows_or_none", "points": "training"}
    sums = kernel_mean.gaussian_sums
    add("kernel_mean.gaussian_sums", sums, good, label=label, kinds=kinds, optional={"tol"})


def sparsified(**arguments):
    sparse = kernel_mean.sparsify(**arguments)
    return sparse.decision_function(NEW), sparse.error


sparse_good = {
    "X": X,
    "weights": LABELS / 16.0,
    "m": 4,
    "delta": 0.05,
    "kernel": "rbf",
    "gamma": 0.5,
    "method": "auto",
    "reweight": False,
    "second_round": True,
    "random_state": 0,
}
add("kernel_mean.sparsify", sparsified, sparse_good)
add(
    "kernel_mean.sparsify",
    sparsified,
    {**sparse_good, **POLYNOMIAL},
    label=".polynomial",
    only=["degree", "coef0"],
)
add("kernel_mean.sparsify", sparsified, {**sparse_good, "m": None, "tol": 0.1}, label=".tol", only=["tol"])


@functools.cache
def expansion():
    return kernel_mean.sparsify(X, LABELS / 16.0, 4, gamma=0.5)


add("kernel_mean.SparseExpansion", lambda rows: expansion().decision_function(rows), {"rows": NEW})
MACHINE = SVC().fit(X, LABELS)


def thin(classifier, m):
    return answers(kernel_mean.sparsify_classifier(classifier, m), NEW)


@functools.cache
def thinned():
    return kernel_mean.sparsify_classifier(MACHINE, 2)


add("kernel_mean.sparsify_classifier", thin, {"classifier": MACHINE, "m": 2})
add("kernel_mean.SparseKernelClassifier", lambda rows: answers(thinned(), rows), {"rows": NEW})
noise = kernel_mean.noise
flips = {"y": LABELS, "random_state": 0}
add_function(noise.flip_labels, **flips, noise=0.2)
add_function(noise.flip_by_label, **flips, noise_negative=0.2, noise_positive=0.1)
add_function(
    noise.flip_by_instance, X=X, **flips, noise=lambda X, y: np.full(len(X), 0.2), kinds={"noise": "callable"}
)
for each in RECIPES[-3:]:  # nothing is learned: the labels may be all of one class
    each.kinds["y"] = "signs_alone"
the_last(3, one_class=True)
add_function(
    noise.contaminate_mutually,
    positives=X[:8],
    negatives=X[8:],
    alpha=0.1,
    beta=0.2,
    size=5,
    random_state=0,
    kinds={"positives": "set", "negatives": "set"},
)
losses = kernel_mean.losses
SCORES = np.linspace(-2.0, 2.0, 16)


def corrected(loss, noise_negative, noise_positive):
    return noise.corrected_loss(loss, noise_negative, noise_positive)(LABELS, SCORES)


add(
    "kernel_mean.noise.corrected_loss",
    corrected,
    {"loss": losses.linear, "noise_negative": 0.2, "noise_positive": 0.1},
    optional={"noise_positive"},
)
for loss in (losses.zero_one, losses.linear, losses.hinge, losses.logistic, losses.t_logistic):
    add_function(loss, y=LABELS, v=SCORES, kinds={"y": "scores"})
add_function(losses.margin, y=LABELS, v=SCORES, threshold=0.5, kinds={"y": "scores"})
for slope in (losses.hinge_slope, losses.t_logistic_slope):
    add_function(slope, margin=SCORES, kinds={"margin": "scores"})
    the_last(without={"one_less"})
theory = kernel_mean.theory
add_theory(theory.theorem_5, n=100, delta=0.05)
add_theory(theory.theorem_6, n=100, k=10, delta=0.05)
add_theory(
    theory.margin_for_error,
    y=LABELS,
    scores=SCORES,
    weights=WEIGHTS,
    kinds={"y": "signs", "scores": "vector"},
)
the_last(one_class=True)
add_theory(theory.corollary_8, margin_for_error=0.5, distance=2.0)
add_theory(theory.lemma_9, n=100, delta=0.05, noise=0.2)
add_theory(theory.lemma_19, risk=0.1, max_noise=0.2)
add_theory(theory.theorem_20, k=4, n=10)
add_theory(theory.theorem_21, diameter=0.5, m=16, delta=0.05)
the_last(without={"list"})  # elementwise
add_theory(
    theory.lemma_22, shares=np.array([1.0, 3.0]), errors=np.array([0.5, 0.1]), kinds={"errors": "lengths"}
)
add_theory(theory.section_5_5_1, diameter=0.5, k=32, delta=0.05)
the_last(without={"list"})  # elementwise
add_theory(theory.section_5_5_3, diameter=0.5, m=50, n=100)
the_last(without={"list"})  # elementwise
add_theory(theory.corollary_23, n=100, m=16, delta=0.1, noise=0.1, diameter=0.5)
the_last(without={"list"})  # elementwise

# Maximal loss

add_estimator(max_loss.FOLClassifier(random_state=0), values={"max_iter": 200}, several_classes=True)
fol = {"max_iter": 200, "eta": 0.1, "n_voters": 5, "slack_budget": 1.0, "slack_rate": 0.1}
add_estimator(max_loss.FOLClassifier(random_state=0), values=fol, label=".more", data=False)


def played(learner, X, y, **params):
    """A learner's iterate after five steps."""
    one = learner(X, y, **params)
    for i in range(5):
        one.step(i)
    return one.snapshot(), one.loss(1) if hasattr(one, "loss") else 0.0


signed = {"X": X, "y": LABELS}
signs = {"y": "signs"}
sgd = {"learning_rate": 0.01, "momentum": 0.9, "l2": 0.0005, "decay": 0.0001, "fit_intercept": False}
for made, params in ((max_loss.Perceptron, {"fit_intercept": False}), (max_loss.LogisticSGD, sgd)):
    name = f"max_loss.{made.__name__}"
    add(name, functools.partial(played, made), {**signed, **params}, kinds=signs, one_class=True)
    add(name, lambda i, made=made: made(X, LABELS).step(i), {"i": 0}, label=".step")
    add(name, lambda i, made=made: made(X, LABELS).loss(i), {"i": 0}, label=".loss")


def passive(X, y, norm):
    learner = max_loss.PassiveAggressive(X, y, norm)
    learner.step(0)
    return learner.snapshot(), learner.losses(learner.snapshot())


add(
    "max_loss.PassiveAggressive",
    passive,
    {"X": X, "y": LABELS, "norm": 10.0},
    kinds={"y": "signs"},
    one_class=True,
)
add(
    "max_loss.PassiveAggressive",
    lambda i: max_loss.PassiveAggressive(X, LABELS, 9.0).step(i),
    {"i": 0},
    label=".step",
)


def partial(estimator, X, y):
    learner = max_loss.PartialFitLearner(copy.deepcopy(estimator), X, y)
    return learner.step(0), learner.loss(1)


add(
    "max_loss.PartialFitLearner",
    partial,
    {"estimator": SGDClassifier(random_state=0), **signed},
    one_class=True,
    several_classes=True,
    without={"csr_long"},  # which scikit-learn's SGDClassifier does not take
)
add(
    "max_loss.PartialFitLearner",
    lambda i: max_loss.PartialFitLearner(SGDClassifier(random_state=0), X, LABELS).step(i),
    {"i": 0},
    label=".step",
)


def offered(t, snapshot):
    kept = max_loss.Reservoir(3, np.random.default_rng(0))
    kept.offer(t, snapshot)
    return float(kept.items[0] is not None)


add("max_loss.Reservoir", offered, {"t": 1, "snapshot": lambda: np.zeros(2)}, label=".offer")
add(
    "max_loss.Reservoir",
    lambda k, rng: max_loss.Reservoir(k, copy.deepcopy(rng)).offer(1, lambda: 1.0) or 0.0,
    {"k": 3, "rng": np.random.default_rng(0)},
)
add("max_loss.SumTree", lambda m: max_loss.SumTree(m).total, {"m": 8})
add(
    "max_loss.SumTree",
    lambda rng, uniform_share, size: max_loss.SumTree(8).sample(copy.deepcopy(rng), uniform_share, size),
    {"rng": np.random.default_rng(0), "uniform_share": 0.5, "size": 3},
    label=".sample",
    optional={"size"},
)
add(
    "max_loss.SumTree",
    lambda uniform_share: max_loss.SumTree(8).probabilities(uniform_share),
    {"uniform_share": 0.0},
    label=".probabilities",
)


def updated(how, **arguments):
    tree = max_loss.SumTree(8)
    getattr(tree, how)(*arguments.values())
    return tree.total, tree.probabilities()


for how, good in (("update", {"i": 1, "factor": 2.0}), ("update_log", {"i": 1, "x": 0.5})):
    add("max_loss.SumTree", functools.partial(updated, how), good, label=f".{how}")
    the_last(without=frozenset({"list"}))  # several updates of one item
add("max_loss.SumTree", lambda i: max_loss.SumTree(8).value(i), {"i": 1}, label=".value")


def focused(learner, m, max_iter, **options):
    run = max_loss.focused_online_learning(copy.deepcopy(learner), m, max_iter, **options)
    return run.losses


add(
    "max_loss.focused_online_learning",
    focused,
    {
        "learner": max_loss.Perceptron(X, LABELS),
        "m": 16,
        "max_iter": 50,
        "eta": 0.1,
        "uniform_share": 0.5,
        "batch_size": None,
        "n_voters": 2,
        "slack_budget": 1.0,
        "slack_norm": "l1",
        "slack_rate": 0.1,
        "callback": lambda t: None,
        "random_state": 0,
    },
    optional={"eta", "slack_budget", "slack_rate", "callback"},
)
add_function(max_loss.average, iterates=[np.zeros(2), np.ones(2)])
add_function(max_loss.majority, votes=[[1, -1], [1, 1]])


def add_those_of_torch():
    sampler_good = {
        "m": 16,
        "n_draws": 8,
        "eta": 0.1,
        "uniform_share": 0.5,
        "batch_size": 4,
        "num_replicas": 1,
        "rank": 0,
        "random_state": 0,
    }

    def drawn(**params):
        return np.concatenate([*max_loss.FocusedSampler(**params)])

    def sampler():
        return max_loss.FocusedSampler(16, batch_size=4, random_state=0)

    def sampler_update(indices, losses):
        one = sampler()
        one.update(next(iter(one)) if indices is None else indices, losses)
        return one.tree.total

    add(
        "max_loss.FocusedSampler",
        drawn,
        sampler_good,
        optional={"n_draws", "eta", "batch_size", "num_replicas", "rank"},
    )
    add(
        "max_loss.FocusedSampler",
        sampler_update,
        {"indices": None, "losses": [0.0, 1.0, 0.0, 1.0]},
        kinds={"losses": "vector"},
        skip=["indices"],
        label=".update",
    )
    add(
        "max_loss.FocusedSampler",
        lambda epoch: sampler().set_epoch(epoch) or 0,
        {"epoch": 1},
        label=".set_epoch",
    )
    add(
        "max_loss.FocusedSampler",
        lambda state: sampler().load_state_dict(state) or 0,
        {"state": sampler().state_dict()},
        label=".load_state_dict",
    )

    def torch_learner(module, X, y):
        import torch

        torch.manual_seed(0)
        made = torch.nn.Linear(3, 2) if module == "linear" else module
        X = torch.as_tensor(X, dtype=torch.float32) if isinstance(X, np.ndarray) and X.dtype == float else X
        return max_loss.TorchLearner(made, X, y).step([0, 1])

    add(
        "max_loss.TorchLearner",
        torch_learner,
        {"module": "linear", "X": X, "y": (LABELS > 0).astype(int)},
        skip=["module", "X"],
        kinds={"y": "signs"},
        one_class=True,
        several_classes=True,
    )


if TORCH:
    add_those_of_torch()
theory = max_loss.theory
sizes = {"m": "positive", "n": "positive"}
add_theory(theory.perceptron_mistakes, norm=3.0, radius=2.0)
add_theory(theory.theorem_1_loss, m=100, mistakes=50, rounds=1000, delta=0.05, kinds=sizes)
add_theory(theory.theorem_1_rounds, m=100, mistakes=50, eps=0.49, delta=0.05, kinds=sizes)
add_theory(theory.theorem_1_voters, m=100, eps=0.49, delta=0.05, kinds=sizes)
add_theory(theory.theorem_2_size, vc=8, vc_typical=4, eps=0.01, c=0.125, rare=0.005, delta=0.05, constant=1.0)
add_theory(theory.theorem_3_bound, n=1000, m=100_000, outliers=1, rare=4606, kinds=sizes)
counted = sizes | {"n": "integer"}
add_theory(theory.theorem_3_probability, n=1000, m=100_000, outliers=1, rare=4606, least=None, kinds=counted)

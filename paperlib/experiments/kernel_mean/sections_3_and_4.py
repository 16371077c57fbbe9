"""Sections 3 and 4 on random finite distributions: how far each statement is from holding.

Each `Check` in `EQUALITIES` measures how far the two sides are apart, in `INEQUALITIES` by how much the
smaller exceeds the larger, in `AVERAGES` a number that is on average what the statement says. Means are
those that `KernelMeanClassifier` learns; what they are held against is computed from the distribution.
"""

import numpy as np
from scipy.optimize import minimize

from paperlib.experiments.kernel_mean import theory_mean, theory_noise
from paperlib.experiments.kernel_mean.checks import AVERAGES, EQUALITIES, INEQUALITIES, check
from paperlib.experiments.kernel_mean.populations import gaussian_features, learned_mean
from paperlib.experiments.kernel_mean.section_4_3_orders import LOSSES, ROBUST, SCORES, kept_under_both
from paperlib.kernel_mean import KernelMeanClassifier, flip_labels, losses, noise, select_kernel, theory

RADII = (0.1, 0.01, 0.001)  # of the balls in which convex potentials are minimised
_NOISE = (0.1, 0.3, 0.49)
_LABELS = 4000  # a majority of 0.44 against 0.56 is then beyond seven standard errors


def least_in_ball(loss, slope, population):
    """Minimise the mean of ``loss(margin)`` over the unit ball, by a solver that knows nothing of the mean.

    Returns
    -------
    w : ndarray of shape (r,)
    value : float
    """
    signed = population.y[:, None] * population.features
    found = minimize(
        lambda w: population.p @ loss(signed @ w),
        np.zeros(signed.shape[1]),
        jac=lambda w: (population.p * slope(signed @ w)) @ signed,
        constraints={"type": "ineq", "fun": lambda w: 1.0 - w @ w, "jac": lambda w: -2.0 * w},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return found.x / max(1.0, np.linalg.norm(found.x)), float(found.fun)


def _direction(population):
    w = learned_mean(*population)
    return w / np.linalg.norm(w)


@check(EQUALITIES, "lemma-4", "The normalised mean's linear loss is 1 - ||Phi||.")
def _lemma_4(population, rng):
    left, right = theory_mean.lemma_4(population.gram, population.y, population.p)
    return abs(left - right)


@check(
    EQUALITIES,
    "lemma-4.minimum",
    "The learned mean, normalised, has the least linear loss that a solver finds in the unit ball.",
)
def _lemma_4_minimum(population, rng):
    _, value = least_in_ball(lambda u: 1.0 - u, lambda u: -np.ones_like(u), population)
    scores = population.features @ _direction(population)
    return abs(population.p @ losses.linear(population.y, scores) - value)


@check(
    EQUALITIES,
    "section-3.1",
    "The SVM over the unit ball, by a solver, is the learned mean, normalised.",
    resolution=1e-7,
)
def _section_3_1(population, rng):
    w, _ = least_in_ball(lambda u: np.maximum(0.0, 1.0 - u), losses.hinge_slope, population)
    return np.linalg.norm(w - _direction(population))


def _potentials(r):
    """The logistic and the exponential loss of margins r u, with slopes, as linear as r is small."""
    logistic = lambda u: np.log1p(np.expm1(-r * u) / 2.0) / r, lambda u: -1.0 / (1.0 + np.exp(r * u))
    return logistic, (lambda u: np.expm1(-r * u) / r, lambda u: -np.exp(-r * u))


def potential_distances(population, radii):
    """Distances (len(radii), 2) of `_potentials`' minimisers over balls from the mean, all of length 1."""
    found = np.array(
        [[least_in_ball(loss, slope, population)[0] for loss, slope in _potentials(r)] for r in radii]
    )
    found /= np.linalg.norm(found, axis=-1, keepdims=True)
    return np.linalg.norm(found - _direction(population), axis=-1)


@check(
    AVERAGES,
    "section-3.1.potentials.corrected",
    "Exponent of the radius in the distance of the logistic and the exponential minimiser from the mean.",
    resolution=1e-3,  # the solver's last digits differ between processors
)
def _section_3_1_potentials(population, rng):
    apart = potential_distances(population, RADII)
    return np.polyfit(np.log(RADII), np.log(apart), 1)[0].mean()


@check(EQUALITIES, "section-3.2", "The discrepancy of the classes is the length of their balanced mean.")
def _section_3_2(population, rng):
    left, right = theory_mean.section_3_2(population.gram, population.y)
    return abs(left - right)


@check(
    EQUALITIES,
    "section-3.3.corrected",
    "Kernel density estimates with a Gaussian give the mean's scores: all masses are sqrt(2 pi).",
)
def _section_3_3(population, rng):
    X, T = rng.normal(size=(len(population.y), 1)), rng.normal(size=(50, 1))
    mass = np.sqrt(2.0 * np.pi)
    left, _ = theory_mean.section_3_3(np.exp(-((T - X.T) ** 2) / 2), population.y, np.full(len(X), mass))
    scores = KernelMeanClassifier(gamma=0.5).fit(X, population.y).decision_function(T)
    return np.abs(left * mass - scores).max()


@check(
    EQUALITIES,
    "section-3.4",
    "The kernel that select_kernel takes has the least linear loss of all, 1 - max ||Phi_i||.",
)
def _section_3_4(population, rng):
    X, gammas = rng.normal(size=(len(population.y), 2)), (0.1, 1.0, 10.0)
    norms = [np.linalg.norm((population.p * population.y) @ gaussian_features(X, g)) for g in gammas]
    chosen = select_kernel(X, population.y, [{"gamma": g} for g in gammas], population.p)
    return abs(norms[chosen.best] - max(norms)) + np.abs(chosen.norms - norms).max()


@check(
    EQUALITIES,
    "section-4.2",
    "The means of P and of a mixture with any Q are sigma ||Phi(P) - Phi(Q)|| apart.",
)
def _section_4_2(population, rng):
    (features, y, p), q = population, rng.dirichlet(np.ones(len(population.p)))
    sigma = rng.random()
    mixed = learned_mean(features, y, theory_noise.contaminate(p, q, sigma))
    left = np.linalg.norm(learned_mean(features, y, p) - mixed)
    return abs(left - sigma * np.linalg.norm(population.mean() - population.mean(q)))


@check(
    EQUALITIES,
    "section-4.3.1",
    "Phi(P_sigma) = (1 - 2 sigma) Phi(P), the first as it is learned from noisy labels.",
)
def _section_4_3_1(population, rng):
    sigma, (features, y, p) = rng.choice(_NOISE), population
    shares = np.concatenate([(1 - sigma) * p, sigma * p])
    noisy = learned_mean(np.vstack([features, features]), np.concatenate([y, -y]), shares)
    return np.linalg.norm(noisy - (1 - 2 * sigma) * population.mean())


@check(EQUALITIES, "lemma-10", "Misclassification risk of the clean and of the noisy mean, on clean data.")
def _lemma_10(population, rng):
    left, right = theory_noise.lemma_10(population.gram, population.y, rng.choice(_NOISE), population.p)
    return abs(left - right)


@check(
    EQUALITIES,
    "proposition-11",
    "Bayes labels of clean distributions, and what the majority of many noisy labels says.",
)
def _proposition_11(population, rng):
    eta, sigma = np.array([0.0, 0.05, 0.35, 0.65, 0.95, 1.0]), rng.choice([0.1, 0.3])
    labels = np.where(rng.random((_LABELS, eta.size)) < eta, 1, -1)
    majority = np.sign(flip_labels(labels.ravel(), sigma, random_state=rng).reshape(labels.shape).sum(axis=0))
    spread = np.concatenate([rng.random(50), [0.0, 0.5, 1.0]])
    left, right = theory_noise.proposition_11(spread, rng.choice(_NOISE))
    return float((left != right).sum() + (majority != np.sign(2 * eta - 1)).sum())


@check(
    EQUALITIES,
    "section-4.3.3.argmin",
    "The least linear risk in a finite class of functions is at the same one with noise.",
)
def _section_4_3_3_argmin(population, rng):
    y, p, sigma = population.y, population.p, rng.choice(_NOISE)
    classes = rng.normal(size=(20, len(y)))
    clean = np.array([p @ losses.linear(y, f) for f in classes])
    noisy = [(1 - sigma) * (p @ losses.linear(y, f)) + sigma * (p @ losses.linear(-y, f)) for f in classes]
    return abs(clean[np.argmin(noisy)] - clean.min())


@check(
    EQUALITIES,
    "section-4.3.3.corrected-loss",
    "The corrected loss has, with noise, the mean of the loss without (all losses).",
)
def _section_4_3_3_corrected(population, rng):
    y, v, p, sigma = population.y, rng.choice(SCORES, len(population.y)), population.p, rng.choice(_NOISE)
    apart = []
    for loss in LOSSES.values():
        corrected = noise.corrected_loss(loss, sigma)
        noisy = (1 - sigma) * (p @ corrected(y, v)) + sigma * (p @ corrected(-y, v))
        clean = p @ loss(y, v)
        apart.append(abs(noisy - clean) * (1 - 2 * sigma) / max(1.0, abs(clean)))
    return max(apart)


@check(
    EQUALITIES,
    "theorem-17",
    "l(y, v) with sigma_+ l(-1, v) + sigma_- l(1, v) = C is affine in its corrected form.",
)
def _theorem_17(population, rng):
    negative, positive = np.sort(rng.uniform(0.05, 0.45, size=2))
    values = dict(zip(SCORES, rng.normal(size=len(SCORES))))

    def loss(y, v):
        own = np.vectorize(values.get, otypes=[float])(v)
        return np.where(np.asarray(y) > 0, positive * own, (1.0 - negative * positive * own) / positive)

    left, right = theory_noise.theorem_17(loss, SCORES, negative, positive)
    return np.abs(left - right).max() / np.abs(right).max()


@check(
    EQUALITIES,
    "theorem-18.corrected",
    "Balanced errors of mutually contaminated classes, for four robust losses that depend on the label.",
)
def _theorem_18(population, rng):
    alpha, beta = rng.dirichlet(np.ones(3))[:2]
    positive, negative = rng.choice(SCORES, 7), rng.choice(SCORES, 5)
    sides = [theory_noise.theorem_18(LOSSES[name], positive, negative, alpha, beta) for name in ROBUST]
    return max(abs(left - right) for left, right in sides)


@check(
    AVERAGES,
    "section-4.3.4.auc",
    "The area under the curve of contaminated classes, drawn, less (1 - a - b) AUC + (a + b) / 2.",
)
def _section_4_3_4_auc(population, rng):
    alpha, beta = rng.dirichlet(np.ones(3))[:2]
    positive, negative = rng.normal(1.0, size=7), rng.normal(-1.0, size=5)
    drawn = noise.contaminate_mutually(
        positive[:, None], negative[:, None], alpha, beta, 10_000, random_state=rng
    )
    found = theory_noise.area_under_curve(*(scores.ravel() for scores in drawn))
    clean = theory_noise.area_under_curve(positive, negative)
    return found - theory_noise.auc_under_contamination(clean, alpha, beta)


@check(
    INEQUALITIES,
    "lemma-3",
    "0-1 regret less linear regret, a score of zero counting half; many scores are zero, many eta 1/2.",
)
def _lemma_3_corrected(population, rng):
    eta, f = rng.choice([0.0, 0.3, 0.5, 0.9], 3), rng.uniform(-1, 1, 3) * rng.integers(0, 2, 3)
    regrets = theory_mean.lemma_3(eta, f, rng.dirichlet(np.ones(3)), zeros="half")
    return regrets.left - regrets.right


@check(
    INEQUALITIES,
    "section-3.4.hull",
    "The chosen kernel's least linear loss less that of random members of the kernels' convex hull.",
    resolution=1e-6,
)
def _section_3_4_hull(population, rng):
    X, gammas = rng.normal(size=(len(population.y), 2)), (0.1, 1.0, 10.0)
    weights = population.p * population.y
    features = [gaussian_features(X, gamma) for gamma in gammas]
    means = [weights @ each for each in features]
    chosen = select_kernel(X, population.y, [{"gamma": gamma} for gamma in gammas], population.p)
    best, found = 1.0 - np.linalg.norm(means[chosen.best]), []
    for alpha in rng.dirichlet(np.full(3, 0.3), size=20):
        risk = 0.0
        for share, mean, each in zip(alpha, means, features):
            # A combination of the points: coordinates of the features are arbitrary up to a rotation.
            other = rng.choice([0.0, 0.1, 1.0]) * rng.normal(size=len(X)) @ each
            w = mean / np.linalg.norm(mean) + other
            risk += share * (1.0 - w @ mean / max(1.0, np.linalg.norm(w)))
        found.append(best - risk)
    return max(found)


@check(
    INEQUALITIES,
    "theorem-7",
    "0-1 risk of an approximation less the margin risk of what it approximates; ties are frequent.",
)
def _theorem_7(population, rng):
    # Half of the scores move as far to the wrong side as they may.
    f, most = np.round(rng.normal(size=len(population.y)), 1), rng.choice([0.1, 0.5])
    near = f + most * np.where(rng.random(f.size) < 0.5, -population.y, rng.uniform(-1, 1, f.size))
    left, right = theory_noise.theorem_7(population.y, f, near, population.p)
    return left - right


@check(
    INEQUALITIES,
    "section-4.1",
    "0-1 risk of the worst approximation within the margin for error less the classifier's own.",
)
def _section_4_1(population, rng):
    y, p = population.y, population.p
    f = rng.normal(size=y.size)
    margin = theory.margin_for_error(y, f, p)
    near = f - 0.999 * min(margin, 10.0) * y
    return p @ losses.zero_one(y, near) - p @ losses.zero_one(y, f)


@check(
    INEQUALITIES,
    "corollary-8.corrected",
    "0-1 risk of the contaminated mean less that of the clean one, just below Corollary 8's bound.",
)
def _corollary_8_corrected(population, rng):
    (features, y, p), q = population, rng.dirichlet(np.full(len(population.p), 0.2))
    scores = features @ learned_mean(features, y, p)
    distance = float(np.linalg.norm(population.mean() - population.mean(q)))
    sigma = 0.999 * theory.corollary_8(theory.margin_for_error(y, scores, p), min(distance, 2.0))
    mixed = features @ learned_mean(features, y, theory_noise.contaminate(p, q, sigma))
    return p @ losses.zero_one(y, mixed) - p @ losses.zero_one(y, scores)


@check(
    INEQUALITIES,
    "lemma-19.corrected",
    "Clean risk of the best function for noisy data less Lemma 19's bound; losses that are not negative.",
)
def _lemma_19_corrected(population, rng):
    # In half of the cases one of the functions is right everywhere.
    y, p = population.y, population.p
    sigma, classes = rng.uniform(0, 0.45, y.size), rng.choice([-1.0, -0.7, 0.4, 1.0], size=(8, y.size))
    if rng.random() < 0.5:
        classes[0] = y
    loss = LOSSES[rng.choice(ROBUST)]
    clean = np.array([p @ loss(y, f) for f in classes])
    noisy = [p @ ((1 - sigma) * loss(y, f) + sigma * loss(-y, f)) for f in classes]
    return clean[np.argmin(noisy)] - theory.lemma_19(clean.min(), sigma.max())


@check(
    INEQUALITIES,
    "lemma-19.zero.corrected",
    "Clean risk of the best function for noisy data where some has none; losses that are not negative.",
)
def _lemma_19_zero(population, rng):
    y, p = population.y, population.p
    sigma = rng.choice([0.0, 0.3, 0.499], y.size)
    classes = rng.choice([-1.0, -0.7, 0.4, 1.0], size=(8, y.size))
    classes[rng.integers(8)] = y
    loss = LOSSES[rng.choice(["linear", "0-1", "ramp"])]
    noisy = [p @ ((1 - sigma) * loss(y, f) + sigma * loss(-y, f)) for f in classes]
    return p @ loss(y, classes[np.argmin(noisy)])


@check(
    INEQUALITIES,
    "section-3.2.variational",
    "The discrepancy of two distributions less their variational divergence; every other kernel attains it.",
)
def _section_3_2_variational(population, rng):
    features, q = population.features, rng.dirichlet(np.full(len(population.p), 0.3))
    if rng.random() < 0.5:
        features = np.where(population.p > q, 1.0, -1.0)[:, None]
    labels = np.repeat([1.0, -1.0], len(q))
    balanced = learned_mean(np.vstack([features, features]), labels, np.concatenate([population.p, q]) / 2)
    return np.linalg.norm(balanced) - theory_mean.variational_divergence(population.p, q)


@check(
    INEQUALITIES,
    "section-4.2.immune",
    "0-1 risk of the mean with a share just below Gamma / 2 of the worst single example, less without.",
)
def _section_4_2_immune(population, rng):
    (features, y, p), rest = population, np.eye(population.features.shape[1])[0]
    if rng.random() < 0.5:  # almost one point, where half of the distribution may be replaced
        features, y = features * 0.05 + rest, np.ones_like(y)
        features = features / np.linalg.norm(features, axis=1, keepdims=True)
    mean = learned_mean(features, y, p)
    sigma = 0.999 * theory.corollary_8(theory.margin_for_error(y, features @ mean, p))
    mixed = [(1 - sigma) * mean - sigma * label * point for point, label in zip(features, y)]
    before = p @ losses.zero_one(y, features @ mean)
    return max(p @ losses.zero_one(y, features @ each) for each in mixed) - before


@check(
    EQUALITIES,
    "section-4.3.4.conditional",
    "Losses of label and score that two noises of unequal rates leave in order: of five convex ones, of all.",
)
def _section_4_3_4_conditional(population, rng):
    one, other = rng.permutation([[0.0, 0.3], [0.3, 0.1], [0.45, 0.35]])[:2]
    kept = [
        all(theory_noise.same_order(LOSSES[name], SCORES, *rates) for rates in (one, other))
        for name in ("linear", "hinge", "logistic", "exponential", "squared")
    ]
    return float(sum(kept) + kept_under_both(one, other))

"""Every numbered statement, by simulation: failure rates, equalities to rounding, counterexamples."""

import inspect
import itertools

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.svm import SVC

from paperlib._common.kernels import bind_kernel
from paperlib.kernel_mean import KernelMeanClassifier, losses, noise, sparsify, theory
from paperlib.kernel_mean.farthest_first import farthest_first

SCORES = np.array([-2.0, -0.7, -0.1, 0.4, 1.0, 3.0])  # none of them zero


def holds(failures, trials, delta):
    """Whether a failure rate of at most delta is compatible with the count, at the 0.1 % level."""
    return binomtest(failures, trials, delta, alternative="greater").pvalue > 1e-3


@pytest.fixture
def population():
    """A finite distribution in the plane with a Gaussian kernel: true means are exact sums."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 2)), rng.choice([-1.0, 1.0], 12)
    p = rng.random(12)
    return np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(-1)), y, p / p.sum()


def lengths(K, y, p, counts):
    """``||Phi(P) - Phi(S)||`` for samples given as counts of the examples."""
    difference = (p - counts / counts.sum(axis=1, keepdims=True)) * y
    return np.sqrt(np.maximum(np.einsum("ti,ij,tj->t", difference, K, difference), 0))


def test_lemma_3_where_no_score_is_zero_and_where_zero_counts_half():
    rng = np.random.default_rng(1)
    for _ in range(300):
        eta, f, p = rng.random(5), rng.uniform(-1, 1, 5), rng.random(5)
        eta[rng.random(5) < 0.3] = 0.5
        regrets = theory.lemma_3(eta, f, p)
        assert -1e-12 <= regrets.left <= regrets.right + 1e-12
        f[rng.random(5) < 0.5] = 0.0
        regrets = theory.lemma_3(eta, f, p, zeros="half")
        assert regrets.left <= regrets.right + 1e-12


def test_lemma_3_as_printed_fails_at_zero():
    assert theory.lemma_3([0.5], [0.0]) == (0.5, 0.0)


def test_lemma_4_no_vector_of_the_ball_has_less_linear_loss(population):
    K, y, p = population
    left, right = theory.lemma_4(K, y, p)
    assert np.isclose(left, right, atol=1e-14)
    rng = np.random.default_rng(0)
    for _ in range(500):
        w = rng.normal(size=12) * rng.choice([0.0, 1.0], 12) + 5 * rng.random() * p * y
        length = np.sqrt(w @ K @ w)
        if length > 0:
            assert p @ losses.linear(y, K @ w / length) >= right - 1e-12


def test_theorem_5_and_lemma_9_by_their_failure_rates(population):
    K, y, p = population
    rng = np.random.default_rng(0)
    for sigma, n in itertools.product([0.0, 0.2, 0.4], [5, 200]):
        both, trials, delta = np.concatenate([p * (1 - sigma), p * sigma]), 2000, 0.3
        draws = rng.multinomial(n, both, size=trials) / n
        kept = (draws[:, :12] - draws[:, 12:]) / (1 - 2 * sigma)
        difference = (p - kept) * y
        error = np.sqrt(np.maximum(np.einsum("ti,ij,tj->t", difference, K, difference), 0))
        bound = theory.lemma_9(n, delta, sigma)
        assert holds(int((error > bound).sum()), trials, delta)
    assert theory.lemma_9(9, 0.1, 0.0) == theory.theorem_5(9, 0.1)


def test_theorem_6_all_kernels_together():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(10, 2)), rng.choice([-1.0, 1.0], 10)
    kernels = [np.exp(-g * ((X[:, None] - X) ** 2).sum(-1)) for g in (0.1, 1.0, 10.0)]
    n, delta, failures = 60, 0.3, 0
    for counts in rng.multinomial(n, np.full(10, 0.1), size=600) / n:
        worst = -np.inf
        for K in kernels:
            norm = np.sqrt((counts * y) @ K @ (counts * y))
            scores = K @ (counts * y) / norm
            worst = max(worst, np.mean(losses.linear(y, scores)) - (1 - norm))
        failures += worst > theory.theorem_6(n, 3, delta)
    assert holds(failures, 600, delta)
    assert theory.theorem_6(n, 3, delta) > theory.theorem_5(n, delta)


def test_theorem_7_and_the_margin_for_error():
    rng = np.random.default_rng(3)
    for _ in range(300):
        y, f = rng.choice([-1, 1], 8), np.round(rng.normal(size=8), 1)
        other = f + rng.choice([0.1, 0.5]) * rng.uniform(-1, 1, 8)
        left, right = theory.theorem_7(y, f, other)
        assert left <= right
        gamma = noise.margin_for_error(y, f)
        if np.abs(other - f).max() < gamma < np.inf:
            assert left <= losses.zero_one(y, f).mean()
            assert losses.margin(y, f, 0.999 * gamma).mean() == losses.zero_one(y, f).mean()
            assert losses.margin(y, f, gamma).mean() > losses.zero_one(y, f).mean()


def mean_scores(K, y, p):
    return K @ (p * y)


def test_corollary_8_contaminated_means_err_nowhere_new():
    rng = np.random.default_rng(4)
    met = 0
    for _ in range(400):
        X = rng.normal(size=(6, 2))
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        K, y = X @ X.T, rng.choice([-1, 1], 6)
        p, q = rng.dirichlet(np.ones(6)), rng.dirichlet(np.ones(6))
        clean = mean_scores(K, y, p)
        distance = np.linalg.norm(X.T @ ((p - q) * y))
        bound = theory.corollary_8(noise.margin_for_error(y, clean), min(distance, 2.0))
        mixed = noise.contaminate(p, q, 0.999 * bound)
        risk = p @ losses.zero_one(y, mean_scores(K, y, mixed))
        assert risk <= p @ losses.zero_one(y, clean) + 1e-12
        met += bound < 1
    assert met > 100


def test_corollary_8_is_no_equality():
    """The second example is wrong by a hair under P; a little of itself, mixed in, puts it right."""
    x = np.array([[1.0, 0.0], [-1 / 9 - 0.01, 0.0]])
    x[1, 1] = np.sqrt(1 - x[1, 0] ** 2)
    K, y, p, q = x @ x.T, np.array([1, 1]), np.array([0.9, 0.1]), np.array([0.0, 1.0])
    clean, sigma = mean_scores(K, y, p), 0.05
    assert sigma < theory.corollary_8(noise.margin_for_error(y, clean, p))
    assert p @ losses.zero_one(y, clean) == 0.1
    assert p @ losses.zero_one(y, mean_scores(K, y, noise.contaminate(p, q, sigma))) == 0.0


@pytest.mark.parametrize("sigma", [0.0, 0.1, 0.3, 0.49])
def test_lemma_10_and_proposition_11(population, sigma):
    K, y, p = population
    assert len(set(theory.lemma_10(K, y, sigma, p))) == 1
    eta = np.concatenate([np.random.default_rng(0).random(200), [0.0, 0.5, 1.0, np.nextafter(0.5, 1)]])
    clean, noisy = theory.proposition_11(eta[:-1], sigma)
    assert (clean == noisy).all() and clean[-2] == 0


ROBUST = {"linear": losses.linear, "zero_one": losses.zero_one, "probe": lambda y, v: np.tanh(-y * v)}
FRAGILE = {"hinge": losses.hinge, "logistic": losses.logistic, "t_logistic": losses.t_logistic}


@pytest.mark.parametrize("name", ROBUST)
@pytest.mark.parametrize("sigma", [0.1, 0.45])
def test_robust_losses_keep_the_order(name, sigma):
    """Definitions 12 and 13, Theorems 14 and 15, and random pairs of distributions besides."""
    loss = ROBUST[name]
    assert noise.order_violation(loss, SCORES, sigma) is None
    fit = theory.theorem_14(loss, SCORES, sigma)
    assert fit.deviation < 1e-12 and fit.slope > 0
    assert np.ptp(theory.theorem_15(loss, SCORES)) < 1e-12
    rng = np.random.default_rng(0)
    y, v = np.repeat([1, -1], 6), np.tile(SCORES, 2)
    for first, second in rng.dirichlet(np.full(12, 0.2), size=(200, 2)):
        clean = (first - second) @ loss(y, v)
        noisy = (first - second) @ ((1 - sigma) * loss(y, v) + sigma * loss(-y, v))
        assert clean * noisy > 0 or abs(clean) < 1e-12


@pytest.mark.parametrize("name", FRAGILE)
def test_other_losses_have_a_counterexample(name):
    loss, sigma = FRAGILE[name], 0.2
    found = noise.order_violation(loss, SCORES, sigma)
    for shares in (found.first, found.second):
        assert (shares >= 0).all() and np.isclose(shares.sum(), 1)
    step = found.first - found.second
    noisy = (1 - sigma) * loss(found.labels, found.scores) + sigma * loss(-found.labels, found.scores)
    assert np.isclose(step @ loss(found.labels, found.scores), found.clean)
    assert np.isclose(step @ noisy, found.noisy)
    assert (found.clean <= 1e-9 < found.noisy) or (found.noisy <= 1e-9 < found.clean)
    assert theory.theorem_14(loss, SCORES, sigma).deviation > 1e-3
    assert np.ptp(theory.theorem_15(loss, SCORES)) > 0.1


def test_misclassification_loss_is_not_robust_at_zero():
    """[[y v <= 0]] costs 1 at zero whatever the label, so zero and a wrong label change places."""
    assert np.ptp(theory.theorem_15(losses.zero_one, [0.0, 1.0])) == 1.0
    found = noise.order_violation(losses.zero_one, [0.0, 1.0], 0.2)
    assert found is not None


def test_theorem_15_needs_a_difference_at_some_score_only():
    assert losses.linear(1, 0.0) == losses.linear(-1, 0.0)  # excluded by the statement as printed
    assert noise.order_violation(losses.linear, [0.0, 1.0, -2.0], 0.3) is None
    # Without any difference a loss is robust with no constant sum.
    assert noise.order_violation(lambda y, v: v**2 + 0 * y, SCORES, 0.3) is None
    assert np.ptp(theory.theorem_15(lambda y, v: v**2 + 0 * y, SCORES)) > 1


def test_theorem_16_the_form_of_convex_robust_losses():
    fit = theory.theorem_16(lambda y, v: 3.0 - 0.5 * y * v + 0.25 * y, SCORES)
    assert fit.deviation < 1e-12 and fit.slope == -0.5 and np.isclose(fit.constant, 3.0)
    assert theory.theorem_16(losses.hinge, SCORES).deviation > 0.1
    assert theory.theorem_16(lambda y, v: v**2 + 0 * y, SCORES).deviation > 1  # robust, convex, not linear


@pytest.mark.parametrize("negative, positive", [(0.1, 0.4), (0.3, 0.3), (0.0, 0.7)])
def test_corrected_losses_are_unbiased_and_theorem_17(negative, positive):
    y, v = np.repeat([1, -1], 6), np.tile(SCORES, 2)
    flip = np.where(y > 0, positive, negative)
    for loss in (*ROBUST.values(), *FRAGILE.values()):
        corrected = noise.corrected_loss(loss, negative, positive)
        assert np.allclose((1 - flip) * corrected(y, v) + flip * corrected(-y, v), loss(y, v), atol=1e-12)

    def tilted(y, v):  # sigma_+ l(-1, v) + sigma_- l(1, v) = 1
        return np.where(y > 0, positive * v, 1 / max(positive, 0.1) - negative * v) * 1.0

    left, right = theory.theorem_17(tilted, SCORES, negative, positive)
    assert np.allclose(left, right, atol=1e-12)
    if negative != positive:
        with pytest.raises(ValueError, match="constant in v"):
            theory.theorem_17(losses.linear, SCORES, negative, positive)


@pytest.mark.parametrize("alpha, beta", [(0.0, 0.0), (0.2, 0.5), (0.6, 0.1)])
def test_theorem_18_and_the_area_under_the_curve(alpha, beta):
    rng = np.random.default_rng(0)
    positive, negative = rng.choice(SCORES, 9), rng.choice(SCORES, 7)
    for loss in ROBUST.values():
        left, right = theory.theorem_18(loss, positive, negative, alpha, beta)
        assert np.isclose(left, right, atol=1e-12)
    with pytest.raises(ValueError, match="constant"):
        theory.theorem_18(losses.hinge, positive, negative, alpha, beta)
    both = np.concatenate([positive, negative])
    shares = [np.repeat([own / 9, (1 - own) / 7], [9, 7]) for own in (1 - alpha, beta)]
    found = noise.area_under_curve(both, both, *shares)
    clean = noise.area_under_curve(positive, negative)
    assert np.isclose(found, theory.auc_under_contamination(clean, alpha, beta))


def test_lemma_19_over_finite_function_classes():
    rng = np.random.default_rng(5)
    for _ in range(200):
        p, y = rng.dirichlet(np.ones(6)), rng.choice([-1, 1], 6)
        sigma, classes = rng.uniform(0, 0.45, 6), rng.choice(SCORES[1:5], size=(5, 6))
        loss = losses.linear if rng.random() < 0.5 else losses.zero_one
        clean = np.array([p @ loss(y, f) for f in classes])
        noisy = np.array([p @ ((1 - sigma) * loss(y, f) + sigma * loss(-y, f)) for f in classes])
        assert clean[noisy.argmin()] <= theory.lemma_19(clean.min(), sigma.max()) + 1e-12


def test_lemma_19_fails_for_a_negative_loss():
    """l = -y v is robust, but -1 is not below -1 / (1 - 2 sigma)."""
    with pytest.raises(ValueError, match="risk must be a finite number >= 0"):
        theory.lemma_19(-1.0, 0.25)


def test_theorem_20_no_subset_of_an_orthonormal_sample_is_closer():
    n = 6
    for k in range(1, n + 1):
        best = np.inf
        for chosen in itertools.combinations(range(n), k):
            w = np.zeros(n)
            w[list(chosen)] = 1 / k
            best = min(best, np.linalg.norm(w - 1 / n))
            for other in np.random.default_rng(0).dirichlet(np.ones(k), size=20):
                w[list(chosen)] = other
                assert np.linalg.norm(w - 1 / n) >= theory.theorem_20(k, n) - 1e-12
        assert np.isclose(best, theory.theorem_20(k, n), atol=1e-12)


def test_theorem_21_and_algorithm_2_by_their_failure_rates():
    rng = np.random.default_rng(3)
    X = rng.integers(3, size=(120, 2)) + 0.1 * rng.normal(size=(120, 2))
    weights, delta, trials = rng.choice([-1.0, 1.0], 120) / 120, 0.3, 100
    over = missed = 0
    for seed in range(trials):
        sparse = sparsify(X, weights, 9, gamma=1.0, random_state=seed)
        over += sparse.error > theory.theorem_21(sparse.diameter, 9, delta)
        missed += sparsify(X, weights, tol=0.9, delta=delta, gamma=1.0, random_state=seed).error > 0.9
    assert holds(over, trials, delta) and holds(missed, trials, delta)


def test_algorithm_2_stops_at_the_first_diameter_that_will_do():
    rng = np.random.default_rng(0)
    X, n = rng.normal(size=(200, 2)), 200
    kernel, points = bind_kernel("rbf", X, 0.2)
    for seed in range(3):
        sparse = sparsify(X, np.full(n, 1 / n), tol=0.5, delta=0.1, gamma=0.2, random_state=seed)
        first = int(np.random.default_rng(seed).choice(n, p=np.full(n, 1 / n)))
        _, _, radii = farthest_first(kernel, points, np.ones(n), n, first)
        bounds = [theory.theorem_21(2 * radius, k, 0.1) for k, radius in enumerate(radii, 1)]
        stop = next(k for k, bound in enumerate(bounds) if bound <= 0.5)
        assert np.isclose(sparse.diameter, 2 * radii[stop])


def test_section_5_5_3_projection_keeps_its_guarantee():
    rng = np.random.default_rng(6)
    for seed in range(20):
        X = rng.normal(size=(60, 2))
        sparse = sparsify(X, np.full(60, 1 / 60), 12, gamma=0.5, method="project", random_state=seed)
        # The radius is at most D*; so is half of the diameter that is reported.
        assert sparse.error <= theory.section_5_5_3(sparse.diameter / 2, 12, 60) + 1e-12


def test_lemma_22_is_the_triangle_inequality():
    rng = np.random.default_rng(0)
    for _ in range(100):
        shares, exact, near = rng.dirichlet(np.ones(4)), rng.normal(size=(4, 3)), rng.normal(size=(4, 3))
        errors = np.linalg.norm(exact - near, axis=1)
        bound = theory.lemma_22(shares, errors)
        assert np.linalg.norm(shares @ exact - shares @ near) <= bound + 1e-12 <= errors.max() + 2e-12


def test_corollary_23_holds_scaled_and_fails_as_printed():
    """Four tight clusters: a sparse mean from a large noisy sample, with its own diameter in place of D*."""
    rng = np.random.default_rng(1)
    where = np.array([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0], [5.0, 5.0]])
    K, y, sigma, n, m, delta = (
        np.exp(-((where[:, None] - where) ** 2).sum(-1)),
        np.ones(4),
        0.3,
        20_000,
        400,
        0.3,
    )
    failures = printed = 0
    for seed in range(40):
        counts = rng.multinomial(n, np.repeat([(1 - sigma) / 4, sigma / 4], 4))
        X, weights = np.vstack([where, where]), counts * np.repeat([1.0, -1.0], 4) / n
        sparse = sparsify(X, weights, 8, gamma=1.0, random_state=seed)
        kept = np.zeros(8)
        kept[sparse.support] = sparse.weights
        found = kept[:4] + kept[4:]
        bound = theory.corollary_23(n, m, delta, sigma, 0.0)
        for scale, name in ((1 - 2 * sigma, "scaled"), (1.0, "printed")):
            difference = y / 4 - found / scale
            over = np.sqrt(max(difference @ K @ difference, 0)) > bound
            failures += over and name == "scaled"
            printed += over and name == "printed"
    assert holds(failures, 40, delta) and printed == 40
    assert theory.corollary_23(n, m, delta, 0.0, 0.5) > theory.corollary_23(n, m, delta, 0.0, 0.25)


def test_the_mean_is_the_svm_of_the_unit_ball(population):
    """Section 3.1, and a strongly regularised SVC: all its weights are equal, on balanced labels."""
    K, _, _ = population
    y = np.tile([1, -1], 6)
    rng = np.random.default_rng(0)
    for _ in range(50):
        w = rng.normal(size=12)
        w /= np.sqrt(w @ K @ w) * rng.uniform(1, 3)
        left, right = theory.section_3_1(y, K @ w)
        assert np.isclose(left, right)
    svc = SVC(C=1e-3, kernel="precomputed", tol=1e-8).fit(K, y)
    mean = KernelMeanClassifier("precomputed").fit(K, y)
    scores = svc.decision_function(K) - svc.intercept_
    assert np.allclose(scores / scores[0], mean.decision_function(K) / mean.decision_function(K)[0])


def test_mmd_and_its_witness(population):
    K, _, _ = population
    y = np.array([1, 1, 1, -1, -1, -1, -1, -1, 1, 1, -1, -1])
    left, right = theory.section_3_2(K, y)
    assert np.isclose(left, right, atol=1e-14)
    balanced = y / np.where(y > 0, (y > 0).sum(), (y < 0).sum()) / 2
    scores = K @ balanced / right
    assert np.isclose((scores[y > 0].mean() - scores[y < 0].mean()) / 2, left)


def test_kernel_density_estimates_give_the_same_rule_when_normalised_alike():
    rng = np.random.default_rng(7)
    X, T, y = rng.normal(size=(30, 1)), rng.normal(size=(20, 1)), np.repeat([1, -1], [10, 20])
    K = np.exp(-((T - X.T) ** 2) / 2)
    left, right = theory.section_3_3(K, y, np.full(30, np.sqrt(2 * np.pi)))
    assert np.allclose(left * np.sqrt(2 * np.pi), right)


def test_kernel_density_estimates_differ_when_normalised_otherwise():
    """g(x) K(x, x') g(x') has a bounded integral too, but another one for each example."""

    def g(x):
        return 1 / (1 + np.exp(-3 * x))

    X, y, T, grid = np.array([-1.0, 1.0]), [1, -1], np.array([[-0.1]]), np.linspace(-12, 12, 20_001)
    masses = np.trapezoid(g(grid) * np.exp(-((grid - X[:, None]) ** 2) / 2), grid, axis=1) * g(X)
    left, right = theory.section_3_3(g(T) * np.exp(-((T - X) ** 2) / 2) * g(X), y, masses)
    assert left[0] > 0 > right[0]


BAD = [
    (lambda: theory.lemma_3([1.5], [0.0]), "eta must be probabilities"),
    (lambda: theory.lemma_3([0.5], [2.0]), r"f must be in \[-1, 1\]"),
    (lambda: theory.lemma_4(np.eye(2), [1, 0]), "labels -1 and \\+1"),
    (lambda: theory.lemma_4(np.eye(3), [1, -1]), "K must be"),
    (lambda: theory.lemma_4(np.zeros((2, 2)), [1, -1]), "mean vector must not be zero"),
    (lambda: theory.theorem_5(0, 0.1), "n must be an integer >= 1, got 0"),
    (lambda: theory.theorem_5(10, 0), "delta must be a finite number > 0 and < 1, got 0"),
    (lambda: theory.theorem_6(10, 0, 0.1), "k must be"),
    (lambda: theory.theorem_7([1], [0.1, 0.2], [0.1]), "one a label"),
    (lambda: theory.corollary_8(-1.0), "margin_for_error must be"),
    (lambda: theory.lemma_9(10, 0.1, 0.5), "noise must be a finite number >= 0 and < 0.5, got 0.5"),
    (lambda: theory.theorem_14(losses.linear, [], 0.1), "scores must be"),
    (
        lambda: theory.theorem_17(losses.linear, [1.0], 0.5, 0.5),
        "noise_negative \\+ noise_positive must be < 1",
    ),
    (lambda: theory.theorem_18(losses.linear, [1.0], [1.0], 0.5, 0.5), "alpha \\+ beta must be < 1"),
    (lambda: theory.lemma_19(1.0, 0.5), "max_noise must be"),
    (lambda: theory.theorem_20(5, 4), "k must be an integer >= 1 and <= 4, got 5"),
    (lambda: theory.theorem_21(-1.0, 4, 0.1), "diameter must be"),
    (lambda: theory.theorem_21(1.0, 4, 1.0), "delta must be"),
    (lambda: theory.lemma_22([1.0], [0.1, 0.2]), "shape"),
    (lambda: theory.corollary_23(10, 0, 0.1, 0.1, 1.0), "m must be"),
    (lambda: theory.section_5_5_1(1.0, 3, 0.1), "k must be even"),
    (lambda: theory.section_3_1([1], [2.0]), "within"),
    (lambda: theory.section_3_2(np.eye(2), [1, 1]), "both labels"),
    (lambda: theory.section_3_3([[-1.0]], [1]), "kernel values >= 0"),
]


@pytest.mark.parametrize("call, words", BAD)
def test_bad_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_every_function_has_an_example():
    for name in theory.__all__:
        function = getattr(theory, name)
        if inspect.isfunction(function):
            assert ">>>" in function.__doc__, name
            assert name in theory.__doc__, name

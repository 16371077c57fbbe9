"""Every bound, by simulation: failure rates and counterexamples."""

import inspect
import itertools

import numpy as np
import pytest
from scipy.stats import binomtest

from paperlib._common.kernels import bind_kernel
from paperlib.experiments.kernel_mean import theory_noise
from paperlib.kernel_mean import losses, sparsify, theory
from paperlib.kernel_mean._sparsify.farthest_first import farthest_first
from tests.paperlib.kernel_mean.helpers import clustered, population

SCORES = np.array([-2.0, -0.7, -0.1, 0.4, 1.0, 3.0])


def holds(failures, trials, delta):
    """Whether a failure rate of at most delta is compatible with the count, at the 0.1 % level."""
    return binomtest(failures, trials, delta, alternative="greater").pvalue > 1e-3


def test_bounds():
    assert np.isclose(theory.theorem_5(100, np.exp(-2)), 0.2 + 0.2)
    assert np.isclose(theory.lemma_9(100, np.exp(-2), 0.25), 0.8)
    assert np.isclose(theory.theorem_21(3.0, 4, np.exp(-1)), 3.0)


def mean_scores(K, y, p):
    return K @ (p * y)


def test_theorem_5_and_lemma_9_by_their_failure_rates():
    K, y, p = population()
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
        bound = theory.corollary_8(theory.margin_for_error(y, clean), min(distance, 2.0))
        mixed = theory_noise.contaminate(p, q, 0.999 * bound)
        risk = p @ losses.zero_one(y, mean_scores(K, y, mixed))
        assert risk <= p @ losses.zero_one(y, clean) + 1e-12
        met += bound < 1
    assert met > 100


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
        sparse = clustered(X, weights, 9, gamma=1.0, random_state=seed)
        over += sparse.error > theory.theorem_21(sparse.diameter, 9, delta)
        missed += clustered(X, weights, tol=0.9, delta=delta, gamma=1.0, random_state=seed).error > 0.9
    assert holds(over, trials, delta) and holds(missed, trials, delta)


def test_algorithm_2_stops_at_the_first_diameter_that_will_do():
    rng = np.random.default_rng(0)
    X, n = rng.normal(size=(200, 2)), 200
    kernel, points = bind_kernel("rbf", X, 0.2)
    for seed in range(3):
        sparse = clustered(X, np.full(n, 1 / n), tol=0.5, delta=0.1, gamma=0.2, random_state=seed)
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
    assert theory.lemma_22([1.0, 3.0], [1e308, 1e308]) == 1e308


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
        sparse = clustered(X, weights, 8, gamma=1.0, random_state=seed)
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


BAD = [
    (lambda: theory.theorem_5(0, 0.1), "n must be an integer >= 1, got 0"),
    (lambda: theory.theorem_5(10, 0), "delta must be a finite number > 0 and < 1, got 0"),
    (lambda: theory.theorem_6(10, 0, 0.1), "k must be"),
    (lambda: theory.corollary_8(-1.0), "margin_for_error must be"),
    (lambda: theory.lemma_9(10, 0.1, 0.5), "noise must be a finite number >= 0 and < 0.5, got 0.5"),
    (lambda: theory.lemma_19(1.0, 0.5), "max_noise must be"),
    (lambda: theory.theorem_20(5, 4), "k must be an integer >= 1 and <= 4, got 5"),
    (lambda: theory.theorem_21(-1.0, 4, 0.1), "diameter must be"),
    (lambda: theory.theorem_21(1.0, 4, 1.0), "delta must be"),
    (lambda: theory.lemma_22([1.0], [0.1, 0.2]), "shape"),
    (lambda: theory.corollary_23(10, 0, 0.1, 0.1, 1.0), "m must be"),
    (lambda: theory.section_5_5_1(1.0, 3, 0.1), "k must be even"),
    (lambda: theory.margin_for_error([1, -1], [0.1]), "one for each of the 2 labels, got 1"),
]


@pytest.mark.parametrize("call, words", BAD)
def test_bad_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_every_function_has_an_example():
    for name, function in inspect.getmembers(theory, inspect.isfunction):
        if function.__module__ == theory.__name__ and not name.startswith(("_", "check_")):
            assert ">>>" in function.__doc__, name
            assert name in theory.__doc__, name

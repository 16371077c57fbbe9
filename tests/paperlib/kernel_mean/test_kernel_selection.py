"""The kernel of the longest mean."""

import numpy as np

from paperlib.experiments.kernel_mean.samples import checkerboard
from paperlib.kernel_mean import KernelMeanClassifier, losses, select_kernel


def test_norms_are_those_of_the_classifier_and_the_largest_wins():
    X, y, _ = checkerboard(400, random_state=0)
    kernels = [{"gamma": g} for g in (0.01, 5.0, 500.0)] + ["linear", {"kernel": "poly", "degree": 2}]
    chosen = select_kernel(X / 10, y, kernels)
    for options, norm in zip(kernels, chosen.norms):
        options = options if isinstance(options, dict) else {"kernel": options}
        assert np.isclose(KernelMeanClassifier(**options).fit(X / 10, y).norm_, norm)
    assert chosen.best == chosen.norms.argmax() and chosen.kernel is kernels[chosen.best]


def test_no_convex_combination_has_less_linear_loss():
    """Section 3.4: the least linear loss over the hull is at one kernel."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), rng.choice([-1, 1], 40)
    gammas = (0.1, 1.0, 10.0)
    chosen = select_kernel(X, y, [{"gamma": g} for g in gammas])
    scores = [KernelMeanClassifier(gamma=g).fit(X, y) for g in gammas]
    scores = np.array([clf.decision_function(X) / clf.norm_ for clf in scores])
    for alpha in rng.dirichlet(np.ones(3), size=100):
        assert losses.linear(y, alpha @ scores).mean() >= 1 - chosen.norms.max() - 1e-12


def test_precomputed_callable_weights_and_ties():
    rng = np.random.default_rng(1)
    X, y, counts = rng.normal(size=(20, 2)), np.tile(["a", "b"], 10), np.arange(20) % 3
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(-1))
    same = [
        {"gamma": 0.5},
        {"kernel": "precomputed", "K": K},
        lambda A, B: np.exp(-0.5 * ((A[:, None] - B) ** 2).sum(-1)),
    ]
    chosen = select_kernel(X, y, same, counts)
    assert np.allclose(chosen.norms, chosen.norms[0])
    repeated = select_kernel(np.repeat(X, counts, axis=0), np.repeat(y, counts), same[:1])
    assert np.allclose(repeated.norms, chosen.norms[0])
    assert select_kernel(X, y, ["linear", "linear"]).best == 0

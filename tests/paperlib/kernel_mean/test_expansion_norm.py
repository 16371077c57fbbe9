"""Lengths of expansions that nearly vanish, against fifty digits."""

import mpmath
import numpy as np
import pytest

from paperlib._common.kernels import bind_kernel
from paperlib.kernel_mean import sparsify
from paperlib.kernel_mean._sparsify.expansion_norm import expansion_norm


def twin_norm(X, weights, gamma):
    with mpmath.workdps(60):
        total = mpmath.mpf(0)
        for x, v in zip(X.tolist(), weights.tolist()):
            for z, w in zip(X.tolist(), weights.tolist()):
                squared = sum((mpmath.mpf(a) - mpmath.mpf(b)) ** 2 for a, b in zip(x, z))
                total += mpmath.mpf(v) * mpmath.mpf(w) * mpmath.exp(-mpmath.mpf(gamma) * squared)
        return float(mpmath.sqrt(abs(total)))


@pytest.mark.parametrize("apart", [1.0, 1e-3, 1e-6, 1e-9, 1e-13])
@pytest.mark.parametrize("gamma", [0.01, 1.0])
def test_near_duplicates_of_opposite_weight(apart, gamma):
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(7, 2)), 2, axis=0)
    X[::2] += apart * rng.normal(size=(7, 2))
    weights = np.repeat(rng.choice([0.25, -0.5, 1.0], 7), 2) * np.tile([1.0, -1.0], 7)
    kernel, points = bind_kernel("rbf", X, gamma)
    expected = twin_norm(X, weights, gamma)
    assert np.isclose(expansion_norm(kernel, points, weights), expected, rtol=1e-6, atol=0)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "polynomial"])
@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_in_general_it_is_the_root_of_the_form(kernel, scale):
    rng = np.random.default_rng(1)
    X, weights = rng.integers(3, size=(60, 2)) * 1.0, rng.normal(size=60)
    kernel, points = bind_kernel(kernel, X, 0.4)
    expected = scale * np.sqrt(weights @ kernel.matrix(X, X) @ weights)
    assert np.isclose(expansion_norm(kernel, points, scale * weights), expected)


def test_what_cancels_is_zero():
    X = np.random.default_rng(2).normal(size=(30, 3))
    X, weights = np.vstack([X, X]), np.repeat([0.1, -0.1], 30)
    for name in ("rbf", "linear", "polynomial"):
        kernel, points = bind_kernel(name, X, 0.5)
        assert expansion_norm(kernel, points, weights) == 0.0
        tenths = np.concatenate([weights, np.repeat([0.2, -0.3, 0.1], 10)])  # rounded, their sums are not
        assert tenths[30 + 30 :].reshape(3, 10).sum(axis=0).all()
        again = np.vstack([points, np.tile(points[:10], (3, 1))])
        assert expansion_norm(kernel, again, tenths) == 0.0
    assert expansion_norm(kernel, points, np.zeros(60)) == 0.0
    table, rows = bind_kernel("precomputed", np.ones((3, 3)))
    assert expansion_norm(table, rows, np.array([1.0, 1.0, -2.0])) == 0.0


def test_the_error_of_a_good_approximation_has_digits_left():
    """Two tight clusters and a centre each: the error is below what the plain sum resolves, and right."""
    rng = np.random.default_rng(3)
    X = np.repeat([[0.0, 0.0], [4.0, 1.0]], 10, axis=0) + 1e-10 * rng.normal(size=(20, 2))
    weights = np.full(20, 0.05)
    sparse = sparsify(X, weights, 2, gamma=0.5, random_state=0, method="farthest_first")
    difference = weights.copy()
    difference[sparse.support] -= sparse.weights
    assert 1e-12 < sparse.error < 1e-9
    assert np.isclose(sparse.error, twin_norm(X, difference, 0.5), rtol=1e-4)

"""The relatives: each against a plain twin, its own guarantee, and its bound."""

import math

import numpy as np
import pytest

from paperlib.experiments.coresets import baselines
from tests.paperlib.coresets.helpers import best_margin


def signed(n, d, gap, seed):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, d))
    Z[:, 0] = np.abs(Z[:, 0]) + gap
    return Z


CASES = [(seed, signed(60, 1 + seed % 5, (1.0, 0.3)[seed % 2], seed)) for seed in range(10)]


# Twins: the rules as their papers have them, in plain numpy


def twin_perceptron(Z):
    w, updates, passes = np.zeros(Z.shape[1]), 0, 0
    while True:
        before, passes = updates, passes + 1
        for z in Z:
            if w @ z <= 0:
                w, updates = w + z, updates + 1
        if updates == before:
            return w, updates, passes


def twin_kowalczyk(Z, eps):
    w, updates = Z[np.argmin((Z**2).sum(axis=1))], 0
    while (Z @ w).min() < (1 - eps) * (w @ w):
        z = Z[np.argmin(Z @ w)]
        taus = np.append(np.linspace(0, 1, 101), np.clip(w @ (w - z) / ((w - z) @ (w - z)), 0, 1))
        w = min(((1 - t) * w + t * z for t in taus), key=lambda v: v @ v)
        updates += 1
    return w, updates, updates + 1


def twin_romma(Z, eps):
    """The shortest w with two constraints, from its Lagrange multipliers."""
    w, updates, passes = np.zeros(Z.shape[1]), 0, 0
    while True:
        before, passes = updates, passes + 1
        for z in Z:
            if w @ z >= 1 - eps:
                continue
            alone = z / (z @ z)
            if w @ alone >= w @ w:
                w = alone
            else:
                A = np.array([z, w])
                w = A.T @ np.linalg.solve(A @ A.T, [1.0, w @ w])
            updates += 1
        if updates == before:
            return w, updates, passes


def twin_alma(Z, alpha):
    Z = Z / np.linalg.norm(Z, axis=1).max()
    w, k, passes = np.zeros(Z.shape[1]), 1, 0
    while True:
        before, passes = k, passes + 1
        for z in Z:
            gamma = (np.sqrt(8) / alpha) / np.sqrt(k)
            if w @ z <= (1 - alpha) * gamma:
                w = w + np.sqrt(2) / np.sqrt(k) * z
                w, k = w / max(1.0, np.linalg.norm(w)), k + 1
        if k == before:
            return w, k - 1, passes


@pytest.mark.parametrize("seed, Z", CASES)
@pytest.mark.parametrize(
    "run, twin",
    [
        (lambda Z: baselines.perceptron(Z, target=np.inf), twin_perceptron),
        (lambda Z: baselines.kowalczyk(Z, 0.2), lambda Z: twin_kowalczyk(Z, 0.2)),
        (lambda Z: baselines.romma(Z, 0.2), lambda Z: twin_romma(Z, 0.2)),
        (lambda Z: baselines.alma(Z, 0.3), lambda Z: twin_alma(Z, 0.3)),
    ],
    ids=["perceptron", "kowalczyk", "romma", "alma"],
)
def test_against_its_twin(seed, Z, run, twin):
    ours, (w, updates, passes) = run(Z), twin(Z)
    assert (ours.n_updates, ours.n_passes) == (updates, passes)
    assert np.allclose(ours.w, w, rtol=1e-8)
    assert math.isclose(ours.margin, (Z @ w).min() / np.linalg.norm(w), rel_tol=1e-8)


# What each promises


@pytest.mark.parametrize("seed, Z", CASES)
def test_the_mistake_bound_of_the_perceptron(seed, Z):
    run = baselines.perceptron(Z)
    assert run.margin > 0
    assert run.n_updates <= baselines.perceptron_bound(np.linalg.norm(Z, axis=1).max() / best_margin(Z))


@pytest.mark.parametrize("eps", [0.5, 0.1])
@pytest.mark.parametrize("seed, Z", CASES)
@pytest.mark.parametrize("name", ["kowalczyk", "romma", "alma"])
def test_within_eps_of_the_best_margin(name, seed, Z, eps):
    run = getattr(baselines, name)(Z, eps)
    assert run.margin >= (1 - eps) * best_margin(Z) * (1 - 1e-9)
    ratio = np.linalg.norm(Z, axis=1).max() / best_margin(Z)
    if name == "alma":
        assert run.n_updates <= baselines.alma_bound(ratio, eps)
    if name == "kowalczyk":
        assert run.n_updates <= baselines.kowalczyk_bound(ratio, eps)
    if name == "romma":
        assert np.linalg.norm(run.w) <= 1 / best_margin(Z) * (1 + 1e-9)


@pytest.mark.parametrize("name", ["kowalczyk", "romma", "alma"])
def test_a_target_stops_them_at_a_margin(name):
    Z = signed(200, 3, 0.3, 1)
    target = 0.8 * best_margin(Z)
    run, to_the_end = (getattr(baselines, name)(Z, 0.1, target=t) for t in (target, None))
    assert run.margin > target
    assert run.n_passes <= to_the_end.n_passes


@pytest.mark.parametrize("name", ["perceptron", "kowalczyk", "romma", "alma"])
@pytest.mark.parametrize(
    "Z",
    [[[1.0, 0.0], [-1.0, 0.0]], [[0.0, 0.0]], [[1.0], [2.0], [0.0]], [[1.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]],
)
def test_nothing_loops_for_ever_where_nothing_separates(name, Z):
    run = getattr(baselines, name)(Z, max_passes=50)
    assert run.n_passes <= 50 and not run.margin > 0


@pytest.mark.parametrize("name", ["perceptron", "kowalczyk", "romma", "alma"])
def test_bad_input_is_one_clear_error(name):
    learner = getattr(baselines, name)
    for bad in ([1.0, 2.0], [], np.zeros((2, 0)), [[np.nan]]):
        with pytest.raises(ValueError, match="points must be a matrix"):
            learner(bad)
    with pytest.raises(ValueError, match="max_passes must be"):
        learner([[1.0]], max_passes=0)
    if name != "perceptron":
        for eps in (0, 1, 2.0, "x"):
            with pytest.raises(ValueError, match="eps must be"):
                learner([[1.0]], eps)


def test_the_points_are_left_as_they_are():
    Z = signed(20, 2, 0.5, 0)
    before = Z.copy()
    for name in ("perceptron", "kowalczyk", "romma", "alma"):
        getattr(baselines, name)(Z)
    assert np.array_equal(Z, before)

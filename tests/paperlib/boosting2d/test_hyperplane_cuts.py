"""The search by inseparable subsets against every flag in exact arithmetic, and against boxes."""

import numpy as np
import pytest
from scipy.optimize import linprog

from paperlib._common.deadline import Deadline
from paperlib.boosting2d import optimal_hyperplane
from paperlib.boosting2d._hyperplanes.best_first import least_weight
from paperlib.boosting2d._hyperplanes.boxes import ON
from paperlib.boosting2d._hyperplanes.cuts import least_weight_by_cuts, nearest
from tests.paperlib.boosting2d.helpers import AfterLooks, check_result
from tests.paperlib.boosting2d.test_optimal_hyperplane import grid_sample, least, sample_of

WHOLE = 0.5  # a gain: weights are whole numbers


def margin(vectors):
    """The largest least product of a hyperplane within the unit cube."""
    n, D = vectors.shape
    programme = linprog(
        np.r_[np.zeros(D), -1.0],
        A_ub=np.column_stack([-vectors, np.ones(n)]),
        b_ub=np.zeros(n),
        bounds=[(-1.0, 1.0)] * D + [(None, 1.0)],
    )
    return programme.x[-1]


def check(found, sample):
    assert found.finished and found.lower_bound == found.weight
    assert sample.weights[sample.vectors @ found.plane <= ON].sum() == found.weight


@pytest.mark.drawn(1)
@pytest.mark.parametrize("D, n", [(1, 8), (2, 12), (3, 12), (4, 9), (5, 7)])
def test_against_every_flag_exactly(D, n):
    for seed in range(20):
        vectors, weights = grid_sample(D, n, seed, largest=1 + seed % 2)
        sample = sample_of(vectors, weights)
        found = least_weight_by_cuts(sample, 1e9, WHOLE, Deadline(None), [])
        check(found, sample)
        assert found.weight == least(vectors.tolist(), weights.tolist())


@pytest.mark.parametrize("D, n", [(3, 30), (5, 30), (7, 30)])
def test_against_boxes(D, n):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        vectors = rng.normal(size=(n, D)) + np.eye(D)[0]
        sample = sample_of(vectors, rng.integers(1, 4, size=n) / 1.0)
        found = least_weight_by_cuts(sample, 1e9, WHOLE, Deadline(None), [])
        check(found, sample)
        assert found.weight == least_weight(sample, 1e9, WHOLE, Deadline(None)).weight


def test_weights_that_are_not_whole():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        vectors, _ = grid_sample(3, 10, seed)
        weights = rng.random(len(vectors)) * 10.0 ** rng.integers(-3, 1, size=len(vectors))
        found = least_weight_by_cuts(sample_of(vectors, weights), 1e9, 1e-12, Deadline(None), [])
        best = float(least(vectors.tolist(), weights.tolist()))
        assert found.finished and best <= found.weight + 1e-12 <= best + 4e-6 * weights.sum()


@pytest.mark.parametrize("seed", range(40))
def test_the_nearest_point_tells_what_is_separable(seed):
    """Where it gives a hyperplane, all are in front; where a subset, a linear programme finds none."""
    rng = np.random.default_rng(seed)
    n, D = rng.integers(1, 200), rng.integers(1, 9)
    vectors = rng.normal(size=(n, D)) if seed % 2 else rng.integers(-1, 2, size=(n, D)) / 1.0
    vectors[~vectors.any(axis=1)] = 1.0
    vectors = vectors + rng.choice([0.0, 1.0, 3.0]) * np.eye(D)[0]
    vectors = vectors[np.linalg.norm(vectors, axis=1) > 0]
    vectors = vectors / np.linalg.norm(vectors, axis=1)[:, None]
    direction, support = nearest(vectors)
    if support is None:
        assert (vectors @ direction).min() > ON
        assert np.linalg.norm(direction) == pytest.approx(1.0)
    else:
        assert len(support) <= D + 1
        assert margin(vectors[support]) < 1e-8 and margin(vectors) < 1e-8
    assert (support is None) == (margin(vectors) > 1e-8)


def test_vectors_that_the_first_look_leaves_out():
    """Most are ahead, and those that are looked at first are all on one side."""
    rng = np.random.default_rng(0)
    ends = np.repeat([[1.0, 0.0, 0.2], [-0.5, 0.9, 0.2], [-0.4, -0.9, 0.2]], [150, 30, 20], axis=0)
    vectors = ends + rng.normal(size=ends.shape) / 100.0
    vectors /= np.linalg.norm(vectors, axis=1)[:, None]
    direction, support = nearest(vectors)
    assert support is None and (vectors @ direction).min() > ON


@pytest.mark.parametrize("gap", [1e-2, 1e-4, 1e-6, 1e-7])
def test_narrow_gaps(gap):
    vectors = np.array([[gap, 1.0], [gap, -1.0]])
    direction, support = nearest(vectors / np.linalg.norm(vectors, axis=1)[:, None])
    assert support is None and direction == pytest.approx([1.0, 0.0], abs=1e-8)


def test_a_limit_of_nodes_leaves_a_bound():
    rng = np.random.default_rng(0)
    sample = sample_of(rng.normal(size=(60, 5)), np.ones(60))
    best = least_weight(sample, 1e9, WHOLE, Deadline(None)).weight
    found = least_weight_by_cuts(sample, 60.0, WHOLE, Deadline(None), [], nodes=1)
    assert not found.finished and 0 < found.lower_bound < best < found.weight < 60


def test_what_is_known_is_not_found_again():
    vectors, weights = grid_sample(3, 12, 0)
    sample, cuts = sample_of(vectors, weights), []
    best = least_weight_by_cuts(sample, 1e9, WHOLE, Deadline(None), cuts).weight
    assert best > 0 and cuts
    number = len(cuts)
    found = least_weight_by_cuts(sample, best, WHOLE, Deadline(None), cuts)
    assert found.plane is None and found.weight == found.lower_bound == best
    assert len(cuts) >= number
    assert all(nearest(sample.vectors[cut])[1] is not None for cut in cuts)


def labelled(d, n, turned, seed=0):
    """Points of a hyperplane's two sides, some of them with the other label."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    positive = X @ rng.normal(size=d) > 0
    positive[rng.choice(n, turned, replace=False)] ^= True
    return X, positive


@pytest.mark.parametrize(
    "d, n, turned, wrong", [(20, 300, 3, 1), (40, 200, 1, 0), (50, 450, 1, 0), (30, 182, 4, 0)]
)
def test_few_errors_in_many_columns(d, n, turned, wrong):
    X, positive = labelled(d, n, turned)
    plane = optimal_hyperplane(X, positive)
    check_result(plane, X, positive, np.ones(n))
    assert (plane.weight, plane.lower_bound, plane.status) == (wrong, wrong, "optimal")


def test_a_time_limit_is_kept_in_many_columns():
    rng = np.random.default_rng(0)
    X, positive = rng.normal(size=(300, 20)), rng.random(300) < 0.5
    plane = optimal_hyperplane(X, positive, time_limit=0.5)
    check_result(plane, X, positive, np.ones(300))
    assert plane.status == "time limit" and 0 <= plane.lower_bound < plane.weight < 150


def test_a_search_that_is_ended_at_each_look_keeps_its_bounds():
    vectors, weights = grid_sample(3, 20, 1)
    sample = sample_of(vectors, weights)
    best = least_weight(sample, 1e9, WHOLE, Deadline(None)).weight
    ends = [least_weight_by_cuts(sample, 1e9, WHOLE, AfterLooks(looks), []) for looks in range(0, 12, 2)]
    assert all(found.lower_bound <= best <= found.weight for found in ends)
    assert ends[-1].weight < ends[0].weight == 1e9


def test_classes_of_one_label_and_fewer_points_than_columns():
    rng = np.random.default_rng(0)
    for d in (6, 9, 12):
        for n in (1, 2, d, 2 * d):
            X = rng.normal(size=(n, d))
            for positive in (np.ones(n, dtype=bool), np.arange(n) % 2 == 0):
                plane = optimal_hyperplane(X, positive)
                check_result(plane, X, positive, np.ones(n))
                assert plane.status == "optimal"


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1e9, 1e150, 1e300])
def test_units_duplicates_and_flat_points_in_many_columns(scale):
    X, positive = labelled(10, 60, 6)
    X = np.vstack([X, X[:20]])
    X[:, 7] = X[:, 2]  # a column twice: nine dimensions
    positive = np.r_[positive, positive[:10], ~positive[10:20]]
    best = optimal_hyperplane(X, positive)
    scaled = optimal_hyperplane(X * scale, positive)
    check_result(scaled, X * scale, positive, np.ones(80))
    assert scaled.weight == best.weight == best.lower_bound >= 10

"""How fast herding and Frank-Wolfe come near a mean, and how far the mean is from the edge of the hull."""

import itertools

import numpy as np
import pytest

from paperlib._common.kernels import Linear, bind_kernel
from paperlib.experiments.kernel_mean import section_5_5_2_herding as herding

BOARD = 80, 0.3, 0.4


def test_herding_falls_like_one_over_k_inside_the_hull_and_frank_wolfe_faster(monkeypatch):
    def powers():
        found = herding.errors_inside_the_hull([4, 16], 10, seed=0)
        errors = found.pivot(index=["method", "draw"], columns="size", values="error")
        return (np.log(errors[16] / errors[4]) / np.log(4)).groupby("method").mean()

    assert abs(powers()["herding"] + 1) < 0.2 and powers()["Frank-Wolfe"] < -3
    true = herding.sparsify
    monkeypatch.setattr(
        herding, "sparsify", lambda *args, **given: true(*args, **given | {"method": "random"})
    )
    assert powers()["herding"] > -0.8


def test_frank_wolfe_against_a_search_of_all_mixtures():
    """Two steps from the best vertex: no share of any second point is better."""
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(6, 3)), rng.dirichlet(np.ones(6)) * rng.choice([-1.0, 1.0], 6)
    signed, mean = np.sign(weights)[:, None] * X, weights @ X
    first = np.linalg.norm(signed - mean, axis=1).argmin()
    one, two = herding.frank_wolfe(Linear(), X, weights, [1, 2])
    assert np.isclose(one, np.linalg.norm(signed[first] - mean))
    towards = ((signed - mean) @ (mean - signed[first])).argmax()
    mixtures = [(1 - t) * signed[first] + t * signed[towards] for t in np.linspace(0, 1, 10_001)]
    assert np.isclose(two, min(np.linalg.norm(each - mean) for each in mixtures), atol=1e-6)


def test_frank_wolfe_never_falls_behind():
    rng = np.random.default_rng(1)
    errors = herding.frank_wolfe(Linear(), rng.normal(size=(50, 20)), np.full(50, 0.02), range(1, 40))
    assert (np.diff(errors) <= 1e-12).all() and errors[-1] < errors[0] / 3


def test_rates_have_every_method_and_draw():
    rates = herding.rates(BOARD, [4, 16], 3, data="bundled", seed=0)
    counts = rates.groupby(["data", "method"]).size().unstack().loc["checkerboard"]
    assert counts.to_dict() == {"Frank-Wolfe": 2, "clustered": 6, "herding": 2}
    assert (rates.error > 0).all() and rates.data.nunique() == 2 + 6
    assert "faces" not in herding._of_problems("bundled", 300)  # 200 of them


def test_an_error_by_known_sums_is_that_of_the_expansion():
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(60, 3)), rng.normal(size=60)
    kernel, points = bind_kernel("rbf", X, 0.5)
    sums = kernel.sums(points, points, weights)
    sparse = herding.sparsify(X, weights, 9, method="farthest_first", gamma=0.5, random_state=0)
    found = herding._error(sparse, kernel, points, sums, np.sqrt(weights @ sums))
    assert np.isclose(found, sparse.error / np.sqrt(weights @ sums))


def test_altitudes_against_least_squares():
    points = np.random.default_rng(2).normal(size=(5, 7))
    expected = []
    for i in range(5):
        others = np.delete(points, i, axis=0)
        basis = (others[1:] - others[0]).T
        step = points[i] - others[0]
        left = step - basis @ np.linalg.lstsq(basis, step, rcond=None)[0]
        expected.append(np.linalg.norm(left))
    assert np.allclose(herding.altitudes(points @ points.T), expected, atol=1e-5)


@pytest.mark.parametrize("share", [0.2, 0.5])
def test_the_distance_from_a_face_is_the_share_of_its_opposite_point(share):
    """Of a triangle in the plane, against the three lines through its sides."""
    triangle, alpha = np.array([[0.0, 0.0], [3.0, 0.5], [1.0, 2.0]]), np.array([share, 0.3, 0.7 - share])
    K = triangle @ triangle.T + 1.0  # a third coordinate, the same for all, makes them independent
    mean, distances = alpha @ triangle, []
    for a, b in itertools.combinations(triangle, 2):
        normal = np.array([a[1] - b[1], b[0] - a[0]])
        distances.append(abs((mean - a) @ normal) / np.linalg.norm(normal))
    assert np.isclose((alpha * herding.altitudes(K)).min(), min(distances), atol=1e-5)


def test_the_mean_is_far_from_the_edge_of_the_hull_in_few_dimensions_only():
    boundary = herding.boundary_distances(BOARD, data="bundled", seed=0).set_index("data")
    assert boundary.d["normal points"] > 0.2 and (boundary.d.drop("normal points") < 1e-3).all()

"""The working set: Wolfe's algorithm on points that are added one by one."""

import math

import numpy as np
import pytest

from paperlib.coresets._solver.working_set import WorkingSet
from tests.paperlib.coresets.helpers import best_margin


@pytest.mark.parametrize("seed", range(20))
def test_a_working_set_is_wolfe_on_its_points(seed):
    rng = np.random.default_rng(seed)
    d = rng.integers(1, 9)
    Z = rng.normal(size=(14, d)) + rng.choice([0.0, 3.0]) * np.eye(d)[0]
    Z[rng.integers(14)] = Z[0]
    work = WorkingSet(d)
    for k, z in enumerate(Z, 1):
        work.add(z)
        work.solve()
        assert len(work) == k
        assert math.isclose(work.margin, best_margin(Z[:k]), rel_tol=1e-9, abs_tol=1e-11)
        assert np.allclose(work.weights @ Z[:k], work.margin * work.normal, atol=1e-9)
        if work.margin > 0:
            assert math.isclose((Z[:k] @ work.normal).min(), work.margin, rel_tol=1e-9)


def test_a_working_set_of_the_origin_has_no_margin():
    work = WorkingSet(3)
    work.add(np.zeros(3))
    work.solve()
    assert work.margin == 0 and not work.normal.any()

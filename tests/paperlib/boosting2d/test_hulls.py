"""Which points the outline leaves out before a hull is built: those inside, and no vertex."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from paperlib.boosting2d._geometry.hulls import convex_hull, outline


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("draw", ["square", "disc", "turned"])
def test_the_outline_of_many_points_is_few_of_them_and_has_all_vertices(draw, seed):
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(-1.0, 1.0, (2, 2_000))
    if draw == "disc":
        inside = x * x + y * y < 1.0
        x, y = x[inside], y[inside]
    if draw == "turned":
        x, y = x + y, x - y
    kept = outline(x, y)
    vertices = set(ConvexHull(np.column_stack([x, y])).vertices.tolist())
    assert vertices <= set(kept.tolist())
    # The regular octagon in a disc leaves out nine tenths of it, that in a square more.
    assert len(kept) < 0.15 * len(x)
    assert set(convex_hull(x, y).tolist()) == vertices


def test_points_in_line_or_at_one_place_are_all_kept():
    line = np.arange(100.0)
    for x, y in [(line, line), (line, 0 * line), (0 * line, 0 * line)]:
        assert outline(x, y).tolist() == list(range(100))

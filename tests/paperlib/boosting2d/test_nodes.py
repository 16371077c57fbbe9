"""What a box is cut into, in rational arithmetic: no line is lost between two parts."""

from fractions import Fraction

import numpy as np
import pytest

from paperlib.boosting2d._geometry.locations import merge
from paperlib.boosting2d._search.boxes import Box, Grid, empty_bins
from paperlib.boosting2d._search.nodes import NODE, Active, box_of, split
from paperlib.boosting2d._search.optimal_sets import Branch

LIMIT = 1.0
BINS = 256


def draw(rng, kind):
    """A box with a few bins to keep, and what is said of its active points."""
    m0 = rng.uniform(-1.0, 0.9)
    m1, low, width, origin = m0 + 2.0 ** -rng.integers(2, 30), rng.normal(), 2.0 ** -rng.integers(0, 45), 0.0
    spread, lean = rng.uniform(0.1, 3.0), 0.0
    if kind == "wide":
        low, width = -(2.0 ** rng.integers(0, 30)) * rng.uniform(0.5, 1.0), 0.0
        width = -2.0 * low
    elif kind == "long in the intercepts":
        spread = 1e-9
    elif kind == "moved":
        lean = 0.95 * spread
        m1 = m0 + 2.0**-9 * width / spread
    elif kind == "moved back":
        origin = 10.0 ** rng.integers(3, 9) * rng.uniform(0.5, 1.0)
        lean, spread = -origin * (1.0 + 1e-9 * rng.normal()), 1.01 * origin
        low, m1 = m0 * origin + rng.normal(), m0 + 2.0**-9 * width / spread
    box = Box(m0, m1, low, low + width, origin, int(rng.integers(2)), bool(rng.integers(2)))
    bins = empty_bins()
    bins.lower[:] = 2.0 * LIMIT
    kept = np.zeros(BINS, dtype=bool)
    for start in rng.integers(0, BINS, size=rng.integers(1, 4)):
        kept[start : start + rng.integers(1, 200 if kind == "long in the intercepts" else 30)] = True
    bins.lower[:BINS][kept] = 0.5 * LIMIT
    grid = Grid(BINS, BINS // 4, 0, 1.0, 1)
    active = Active(0, 50, 1, 0.0, np.uint64(0), spread, lean, 50, 0.0, grid)
    return box, bins, kept, active


def holds(part, m, t, origin):
    """Whether a part has the line of slope m and intercept t, which belongs to another origin."""
    t = t + m * (Fraction(part.origin) - Fraction(origin))
    return Fraction(part.m0) <= m <= Fraction(part.m1) and Fraction(part.t0) <= t <= Fraction(part.t1)


@pytest.mark.drawn(1)
@pytest.mark.parametrize("kind", ["plain", "wide", "long in the intercepts", "moved", "moved back"])
def test_no_line_is_lost_between_two_parts(kind):
    """The corners of every bin that is kept are in a part; without `ROUNDING` some are in none."""
    rng = np.random.default_rng(0)
    more = 0
    for _ in range(300):
        box, bins, kept, active = draw(rng, kind)
        nodes, size = split(np.empty(8, dtype=NODE), 0, box, active, bins, LIMIT)
        parts = [box_of(nodes, i) for i in range(size)]
        more += any(part.origin != box.origin for part in parts)
        width = (Fraction(box.t1) - Fraction(box.t0)) / BINS
        for j in np.flatnonzero(kept).tolist():
            for m in (Fraction(box.m0), Fraction(box.m1)):
                for t in (Fraction(box.t0) + j * width, Fraction(box.t0) + (j + 1) * width):
                    assert any(holds(part, m, t, box.origin) for part in parts)
    assert (more > 0) == kind.startswith("moved")


@pytest.mark.parametrize("kind", ["tenths", "far away", "flat"])
def test_points_in_line_but_for_rounding_come_to_an_end(kind):
    """Boxes about such a line never have few active points: without `NARROWEST` they are halved for ever."""
    rng = np.random.default_rng(0)
    k = np.arange(60)
    X = np.column_stack([0.1 * k, 0.3 * k + 0.7])
    if kind == "far away":
        X[:, 0] += 1e8
    elif kind == "flat":
        X = np.vstack([np.column_stack([rng.random(60), 1.0 + k % 3 * 2.0**-52]), [[5.0, 3.0]]])
    positive = rng.random(len(X)) < 0.5
    branches = Branch(*merge(X, positive, np.ones(len(X)))[:4], 0.0, 1000)
    branches.go_on(300_000_000)
    assert branches.done

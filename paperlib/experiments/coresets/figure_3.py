"""Figure 3 (Section 4.3): points on a circle, one of them negative, so that every label is needed."""

import itertools
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from paperlib._common.typing import Floats, Integers
from paperlib._common.validation import check_number
from paperlib.coresets import ActiveCoresetSVC
from paperlib.coresets._solver.working_set import WorkingSet
from paperlib.experiments.coresets.figure_1 import hyperplanes_on_the_way
from paperlib.experiments.coresets.measures import best_hyperplane
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import step

ROUNDING = 1e-9  # of a score that is zero, as of a point opposite to the only one that is known
MOST_POINTS = 10_000_000  # 240 MB
PARTS: tuple[Literal["a", "b"], ...] = ("a", "b")
CIRCLES: tuple[tuple[Literal["a", "b"], bool], ...] = (("a", False), ("a", True), ("b", True))


def figure_3(
    part: Literal["a", "b"] = "a", n: int = 30, *, needle: int = 0, lifted: bool = True
) -> tuple[Floats, Integers]:
    """Make the points and labels of Figure 3.

    Part (a) is drawn in the plane with a line beside the origin, though the paper's hyperplanes run through
    it: with ``lifted=True`` the points get a third coordinate of 1, and with it that line its offset. Without
    it no hyperplane through the origin separates the needle from the rest. Part (b) has the same circle in
    the plane ``x_3 = 1``, and a second negative point ``(0, 0, -1)`` below the origin: both labels are to
    be seen, and the needle is no easier to find.

    Parameters
    ----------
    part : {"a", "b"}
    n : int, 3 <= n <= 10_000_000
        Points on the circle.
    needle : int, 0 <= needle < n
        The negative one.
    lifted : bool
        Part (a) only.

    Returns
    -------
    X : ndarray of shape (n, 3), (n, 2) when not lifted, (n + 1, 3) for part (b)
    y : ndarray, of -1 and +1

    Examples
    --------
    >>> X, y = figure_3("b", 4)
    >>> X.round(3).tolist()[3:], y.tolist()
    ([[-0.0, -1.0, 1.0], [0.0, 0.0, -1.0]], [-1, 1, 1, 1, -1])
    """
    if part not in ("a", "b"):
        raise ValueError(f"part must be 'a' or 'b', got {part!r}")
    n = check_number(n, "n", low=3, high=MOST_POINTS, integer=True)
    needle = check_number(needle, "needle", low=0, high=n - 1, integer=True)
    angles = 2.0 * np.pi * np.arange(n) / n
    X = np.column_stack([np.cos(angles), np.sin(angles), np.ones(n)])
    y = np.ones(n, dtype=int)
    y[needle] = -1
    if part == "b":
        return np.vstack([X, [0.0, 0.0, -1.0]]), np.append(y, -1)
    return (X if lifted else np.ascontiguousarray(X[:, :2])), y


class Points(NamedTuple):
    """Points and their labels.

    Attributes
    ----------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,), of -1 and +1
    """

    X: Floats
    y: Integers


@step
def drawn(part: Literal["a", "b"], n: int) -> Points:
    """Points of a part of `figure_3` with `n` points on the circle, to be drawn.

    >>> drawn("a", 4).y.tolist()
    [-1, 1, 1, 1]
    """
    return Points(*figure_3(part, n))


def figure_3_margin(n: int) -> float:
    """Return the optimal margin of `figure_3` with `n` points on the circle.

    The needle and the points on both sides of it bear it: with ``c = cos(2 pi / n)`` the normal is
    ``(-1, 0, (1 + c) / 2)`` up to its length, turned to the needle. It shrinks like ``1 / n^2``.

    Parameters
    ----------
    n : int
        At least 3; for part (b) at least 4.

    Returns
    -------
    float

    Examples
    --------
    >>> round(figure_3_margin(4), 4)
    0.4472
    """
    n = check_number(n, "n", low=3, high=MOST_POINTS, integer=True)
    c = np.cos(2.0 * np.pi / n)
    return float((1.0 - c) / 2.0 / np.hypot(1.0, (1.0 + c) / 2.0))


class Adversary:
    """The oracle of Section 4.3: "+" to every question until the last point of the circle is asked for.

    Parameters
    ----------
    n : int
        Points on the circle; a row past them, of part (b), is negative.

    Attributes
    ----------
    n : int
        As given.
    n_asked : int
        Questions about the circle so far.

    Examples
    --------
    >>> oracle = Adversary(3)
    >>> [oracle(i) for i in (2, 0, 2)], oracle.places().tolist()
    ([1, 1, 1], [1])
    >>> [oracle(i) for i in (1, 1)], oracle.places().tolist()
    ([-1, -1], [1])
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self._seen: set[int] = set()
        self._needle: int | None = None

    @property
    def n_asked(self) -> int:
        return len(self._seen)

    def __call__(self, index: int) -> int:
        """Return the label of row `index`."""
        if index >= self.n:
            return -1
        self._seen.add(index)
        if len(self._seen) == self.n and self._needle is None:
            self._needle = index
        return -1 if index == self._needle else 1

    def places(self) -> Integers:
        """Return the places (m,) where the needle may be, by what has been said: one, if that was "-"."""
        if self._needle in self._seen:
            return np.array([self._needle])
        return np.setdiff1d(np.arange(self.n), list(self._seen))


@step
def nightmare_labels(sizes, errors, eps, *, seed):
    """Stop learners before they have the last label of Figure 3's circle, and see whether they can be wrong.

    The needle may still be on any point that goes with the answers. Of the labels one learner has those that
    `ActiveCoresetSVC` asks for, and others random ones, from one on.

    Parameters
    ----------
    sizes : list of int >= 4
        Points on the circle.
    errors : list of float in (0, 1)
        Fractions that the active learner may get wrong; one below ``1 / n`` has it ask for all.
    eps : float in (0, 1)
    seed : int

    Returns
    -------
    DataFrame with a row per part of the figure, size and learner
        part, n, learner ("active" or "random"), error (of the former), asked (labels of the circle), places
        (where the needle may still be), right (of those, where the hyperplane says "-"), wrong (of those,
        with the needle there some label of the circle is wrong)
    """
    rng = stream(seed, "nightmare")
    rows = []
    for part, n in itertools.product(PARTS, sizes):
        X, _ = figure_3(part, n)
        for error in errors:
            oracle = Adversary(n)
            learner = ActiveCoresetSVC(eps, error, random_state=rng).fit(X, oracle, [-1, 1])
            places = _open_places(X, learner.coef_[0], oracle)
            rows.append((part, n, "active", error, oracle.n_asked, *places))
        for asked in sorted({1, 2, n // 2, n - 1}):
            oracle = Adversary(n)
            labelled = np.append(rng.permutation(n)[:asked], np.arange(n, len(X)))  # and the one below
            signs = np.array([oracle(int(row)) for row in labelled])
            normal = best_hyperplane(signs[:, None] * X[labelled]).normal
            rows.append((part, n, "random", None, asked, *_open_places(X, normal, oracle)))
    columns = ["part", "n", "learner", "error", "asked", "places", "right", "wrong"]
    return pd.DataFrame(rows, columns=columns)


def _open_places(X, normal, oracle):
    """Count the places that go with the answers, those said to be "-", and those that are an error."""
    places = oracle.places()
    says = np.where(X[: oracle.n] @ normal < -ROUNDING, -1, 1)
    wrong = sum((says != np.where(np.arange(oracle.n) == place, -1, 1)).any() for place in places)
    return len(places), int((says[places] < 0).sum()), int(wrong)


@step
def needles(sizes):
    """Tell for each position of Figure 3's needle whether a hyperplane through the origin separates it.

    Parameters
    ----------
    sizes : list of int >= 4

    Returns
    -------
    DataFrame with a row per size, kind of circle and position
        part, lifted (as in `figure_3`; part (b) always is), n, needle, separated
    """
    rows = []
    for n, (part, lifted) in itertools.product(sizes, CIRCLES):
        for needle in range(n):
            X, y = figure_3(part, n, needle=needle, lifted=lifted)
            points = y[:, None] * X
            normal = WorkingSet.of(points).normal
            rows.append((part, lifted, n, needle, bool((points @ normal).min() > 0.0)))
    return pd.DataFrame(rows, columns=["part", "lifted", "n", "needle", "separated"])


class Asked(NamedTuple):
    """The labels that an active learner asked for on Figure 3's circle, and the best hyperplane after each.

    Attributes
    ----------
    X : ndarray of shape (n, 3)
        Points of part (a), lifted.
    y : ndarray of shape (n,), of -1 and +1
    rows : ndarray of shape (k,)
        In the order in which their labels were asked for.
    normals : ndarray of shape (k, 3), of length one
        The hyperplane of largest margin for the labels so far.
    margins : ndarray of shape (k,)
        Its margin on these.
    """

    X: Floats
    y: Integers
    rows: Integers
    normals: Floats
    margins: Floats


@step
def asked_on_the_circle(n: int, needle: int, eps: float, *, seed: int) -> Asked:
    """Let `ActiveCoresetSVC` learn Figure 3's circle without an error, for a reader to step through.

    Parameters
    ----------
    n : int >= 4
    needle : int, 0 <= needle < n
    eps : float in (0, 1)
    seed : int

    Returns
    -------
    Asked

    Examples
    --------
    >>> asked = asked_on_the_circle(6, 2, 0.1, seed=0)
    >>> sorted(asked.rows.tolist()), asked.normals.shape
    ([0, 1, 2, 3, 4, 5], (6, 3))
    """
    X, y = figure_3("a", n, needle=needle)
    rng = stream(seed, "asked on the circle")
    rows = ActiveCoresetSVC(eps, 0.5 / n, random_state=rng).fit(X, y, [-1, 1]).queried_indices_
    normals, margins, _ = hyperplanes_on_the_way(X, y, rows)
    return Asked(X, y, rows, normals, margins)

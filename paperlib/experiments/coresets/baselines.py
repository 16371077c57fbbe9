"""The relatives that the paper names in Section 3.1, on signed points, up to a margin that is asked for.

Each takes points ``z_i = y_i x_i`` and returns a `Run`. Kowalczyk's rule, ROMMA and ALMA stop by themselves
once they are within ``1 - eps`` of the optimum. With `target` each of them stops as soon as its margin is
above that value, which makes them comparable: ``target = (1 - eps) rho``. The margin is looked at after every
pass; for Kowalczyk's rule every update is one.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from paperlib._common.typing import Floats
from paperlib._common.validation import check_number
from paperlib.experiments.coresets import online_updates
from paperlib.experiments.coresets.theory import lemma_3_1_sharp

TIE = 1e-12  # share of the margin: on a star the rule of Figure 1 ends where two numbers are equal


class Run(NamedTuple):
    """Result of a learner.

    Attributes
    ----------
    w : ndarray of shape (d,)
        As the rule leaves it, of any length.
    n_updates : int
    n_passes : int
        Over the data; unless `target` is reached before, with a last one that finds nothing to do.
    margin : float
        Smallest ``<w, z> / ||w||``; ``-inf`` for w = 0.

    Examples
    --------
    >>> run = perceptron([[1.0, 0.0]])
    >>> run.w.tolist(), run.n_updates, run.n_passes, run.margin
    ([1.0, 0.0], 1, 1, 1.0)
    """

    w: Floats
    n_updates: int
    n_passes: int
    margin: float


def perceptron(points: ArrayLike, *, target: float = 0.0, max_passes: int = 10_000) -> Run:
    """The perceptron: at most ``(R / rho)^2`` updates until all points are on the positive side.

    It promises no margin: a pass without a mistake ends it, whether `target` is reached or not.

    Parameters
    ----------
    points : array-like of shape (n, d)
        Signed points.
    target : float, default=0.0
        Stop once the margin is above this.
    max_passes : int >= 1

    Returns
    -------
    Run

    Examples
    --------
    >>> run = perceptron([[2.0, 1.0], [-1.0, 1.0]])
    >>> run.w.tolist(), run.n_updates, run.n_passes, round(run.margin, 3)
    ([1.0, 2.0], 2, 1, 0.447)
    """
    points, limit = _check(points, max_passes)

    def step(w, state):
        updates = online_updates.perceptron_pass(points, w)
        return updates, updates == 0

    return _run(points, np.zeros(points.shape[1]), step, target, limit)


def kowalczyk(
    points: ArrayLike, eps: float = 0.1, *, target: float | None = None, max_passes: int = 1_000_000
) -> Run:
    """Kowalczyk's minimum-margin update: towards the worst point, as near to the origin as that gets.

    Through the origin it is Gilbert's algorithm: w stays in the hull of the points, so that ``||w||`` bounds
    the optimal margin from above, and it stops when its margin is at least ``(1 - eps) ||w||``.

    Parameters
    ----------
    points : array-like of shape (n, d)
        Signed points.
    eps : float in (0, 1)
    target : float, optional
        Stop at this margin instead.
    max_passes : int >= 1

    Returns
    -------
    Run

    Examples
    --------
    >>> run = kowalczyk([[3.0, 0.0], [0.0, 4.0]], eps=1e-3)
    >>> run.w.round(2).tolist(), run.n_updates
    ([1.92, 1.44], 1)
    """
    points, limit = _check(points, max_passes)
    check_number(eps, "eps", low=0, high=1, open_low=True, open_high=True)

    def step(w, state):
        products = points @ w
        worst = products.argmin()
        squared = float(w @ w)
        if target is None and products[worst] >= (1.0 - eps - TIE) * squared > 0.0:
            return 0, True
        online_updates.nearest_on_segment(w, points[worst])
        return 1, squared == 0.0 or not w @ w < squared

    start = points[np.einsum("ij,ij->i", points, points).argmin()].copy()
    return _run(points, start, step, target, limit)


def romma(
    points: ArrayLike, eps: float = 0.1, *, target: float | None = None, max_passes: int = 10_000
) -> Run:
    """ROMMA (Li, Long), aggressive: the shortest w for the last constraint and the sum of those before.

    ``||w||`` never exceeds ``1 / rho``; once all points have ``<w, z> >= 1 - eps`` the margin is at least
    ``(1 - eps) rho``.

    Parameters
    ----------
    points : array-like of shape (n, d)
        Signed points.
    eps : float in (0, 1)
        A point with ``<w, z> < 1 - eps`` is an update.
    target : float, optional
        Stop at this margin, if it is reached before.
    max_passes : int >= 1

    Returns
    -------
    Run

    Examples
    --------
    >>> run = romma([[3.0, 0.0], [0.0, 4.0]], eps=1e-3)
    >>> (run.w * 12).round(6).tolist(), run.n_updates
    ([4.0, 3.0], 2)
    """
    points, limit = _check(points, max_passes)
    check_number(eps, "eps", low=0, high=1, open_low=True, open_high=True)
    squares = np.einsum("ij,ij->i", points, points)

    def step(w, state):
        updates = online_updates.romma_pass(points, squares, w, eps)
        return max(updates, 0), updates <= 0

    return _run(points, np.zeros(points.shape[1]), step, target, limit)


def alma(
    points: ArrayLike, eps: float = 0.1, *, target: float | None = None, max_passes: int = 1_000_000
) -> Run:
    """ALMA_2 (Gentile) with ``alpha = eps``: margin at least ``(1 - eps) rho`` when it stops updating.

    Its number of updates is at most `alma_bound`. Points are divided by the largest norm, which leaves the
    hyperplane of largest margin as it is; Gentile divides each point by its own norm, which does not.

    Parameters
    ----------
    points : array-like of shape (n, d)
        Signed points.
    eps : float in (0, 1)
    target : float, optional
        Stop at this margin, if it is reached before.
    max_passes : int >= 1

    Returns
    -------
    Run

    Examples
    --------
    >>> run = alma([[3.0, 0.0], [0.0, 4.0]], eps=0.1)
    >>> run.margin >= 0.9 * 2.4, run.n_updates <= alma_bound(4.0 / 2.4, 0.1)
    (True, True)
    """
    points, limit = _check(points, max_passes)
    check_number(eps, "eps", low=0, high=1, open_low=True, open_high=True)
    largest = np.sqrt(np.einsum("ij,ij->i", points, points).max())
    scaled = points / largest if largest > 0.0 else points

    def step(w, updates):
        after = online_updates.alma_pass(scaled, w, eps, updates + 1) - 1
        return after - updates, after == updates

    return _run(points, np.zeros(points.shape[1]), step, target, limit)


def perceptron_bound(ratio: float) -> float:
    """Novikoff: at most ``(R / rho)^2`` updates.

    Parameters
    ----------
    ratio : float
        ``R / rho``.

    Returns
    -------
    float

    Examples
    --------
    >>> perceptron_bound(3.0)
    9.0
    """
    return ratio**2


def kowalczyk_bound(ratio: float, eps: float) -> int:
    """Most updates of Kowalczyk's rule: one less than the points that Lemma 3.1 allows, nothing rounded up.

    The lemma's proof holds of this rule word for word. It uses no more of the coreset's hyperplane than that
    it is as near to the origin as the segment from the one before to the worst point; ``||w||`` begins at R
    or below, is never below rho, and the worst point is ``||w|| - rho`` below it, and ``eps ||w||``, or more.

    Parameters
    ----------
    ratio : float
        ``R / rho``.
    eps : float in (0, 1)

    Returns
    -------
    int

    Examples
    --------
    >>> kowalczyk_bound(1.0, 0.5), kowalczyk_bound(2.0, 0.1)
    (0, 95)
    """
    return lemma_3_1_sharp(ratio, eps) - 1


def alma_bound(ratio: float, eps: float) -> float:
    """Gentile's bound for ALMA_2: ``2 ratio^2 (2 / eps - 1)^2 + 8 / eps - 4`` updates.

    Parameters
    ----------
    ratio : float
        ``R / rho``.
    eps : float in (0, 1)

    Returns
    -------
    float

    Examples
    --------
    >>> alma_bound(1.0, 0.5)
    30.0
    """
    return 2.0 * ratio**2 * (2.0 / eps - 1.0) ** 2 + 8.0 / eps - 4.0


def smallest_margin(points: Floats, w: Floats) -> float:
    """Return the smallest ``<w, z> / ||w||``, ``-inf`` for w = 0.

    Parameters
    ----------
    points : ndarray of shape (n, d)
    w : ndarray of shape (d,)

    Returns
    -------
    float

    Examples
    --------
    >>> smallest_margin(np.array([[2.0, 1.0], [3.0, 0.0]]), np.array([0.0, 5.0]))
    0.0
    """
    length = np.linalg.norm(w)
    return float((points @ w).min() / length) if length > 0.0 else -np.inf


def _run(points, w, step, target, max_passes):
    updates = passes = 0
    done = False
    while not done and passes < max_passes:
        if target is not None and passes and smallest_margin(points, w) > target:
            break
        made, done = step(w, updates)
        updates += made
        passes += 1
    return Run(w, updates, passes, smallest_margin(points, w))


def _check(points: ArrayLike, max_passes: int) -> tuple[Floats, int]:
    points = np.array(points, dtype=np.float64, order="C")
    if points.ndim != 2 or 0 in points.shape or not np.isfinite(points).all():
        raise ValueError(
            "points must be a matrix (n, d) of finite numbers, with n and d at least 1, got shape "
            f"{points.shape}{'' if np.isfinite(points).all() else ' with NaN or infinity'}"
        )
    return points, check_number(max_passes, "max_passes", low=1, integer=True)

"""Figure 1: mirrored-radial coordinates, and the order that the algorithm has the points in."""

import numpy as np
import pandas as pd
from matplotlib.patches import Arc, Wedge

from paperlib.boosting2d._geometry.mirrored_order import mirrored_order
from paperlib.experiments import plotting
from paperlib.experiments.boosting2d.samples import clouds
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import step


def mirrored_radial(X, centre):
    """Return the mirrored-radial projections of points, and their coordinates (Lemma 2.6, Figure 1).

    Parameters
    ----------
    X : ndarray of shape (n, 2)
        Other points than the centre; the base vector points to the right.
    centre : ndarray of shape (2,)

    Returns
    -------
    projection : ndarray of shape (n, 2)
        On the upper half of the unit circle around the centre.
    angle : ndarray of shape (n,), in [0, pi)

    Examples
    --------
    >>> mirrored_radial(np.array([[0.0, -2.0]]), np.zeros(2))[1] / np.pi
    array([0.5])
    """
    offset = X - centre
    below = (offset[:, 1] < 0) | ((offset[:, 1] == 0) & (offset[:, 0] < 0))
    offset = np.where(below[:, None], -offset, offset)
    projection = centre + offset / np.hypot(*offset.T)[:, None]
    return projection, np.arctan2(offset[:, 1], offset[:, 0])


@step
def orders(n, n_samples, *, seed):
    """Count points that the algorithm has at another place than their mirrored-radial coordinate (Figure 1).

    Parameters
    ----------
    n : int >= 2
    n_samples : int >= 1
        Of `samples.clouds`, every other one on a grid, each with its first point as the central one.
    seed : int

    Returns
    -------
    DataFrame with a row per sample: sample, points, misplaced
    """
    rng, rows = stream(seed, "orders"), []
    for k in range(n_samples):
        X, _ = clouds(n, random_state=rng)
        if k % 2:  # on a grid, where many are in line with the centre, on either side of it
            X = (4 * X).round()
            X = np.concatenate([X[:1], np.unique(X[(X[0] != X).any(axis=1)], axis=0)])
        x, y = np.ascontiguousarray(X.T)
        half, order = np.ones(len(X), dtype=np.int64), np.empty(len(X) - 1, dtype=np.int64)
        scratch = np.empty((2, len(X)), dtype=np.uint64)
        mirrored_order(x, y, 0, half, *scratch, order, np.empty(len(X) - 1, dtype=np.bool_))
        _, angle = mirrored_radial(X[1:], X[0])
        # Points in line with the centre have one coordinate, in any order among them.
        rows.append((k, len(angle), int((angle[order - 1] != np.sort(angle)).sum())))
    return pd.DataFrame(rows, columns=["sample", "points", "misplaced"])


def draw(others, tilt):
    """Draw Figure 1: points about one at zero, their mirrored-radial projections, and a line.

    Parameters
    ----------
    others : ndarray of shape (n, 2)
    tilt : float in (0, pi)
        Of the line; what is on its left is shaded.
    """
    centre, ahead = np.zeros(2), np.array([np.cos(tilt), np.sin(tilt)])
    projected, angles = mirrored_radial(others, centre)
    fig, axis = plotting.figure(width=4.8, height=4.3)
    side = np.degrees(tilt) + 180
    axis.add_patch(Wedge(centre, 9, np.degrees(tilt), side, fc=plotting.SHADES[1], lw=0, zorder=0))  # type: ignore[arg-type]
    axis.add_patch(Wedge(centre, 1, 0, 180, fc=plotting.SHADES[0], ec="#444444", lw=0.8))  # type: ignore[arg-type]
    axis.annotate("base $u$", (2.1, 0), (-2.1, 0), arrowprops={"arrowstyle": "->"}, va="center", ha="right")
    for i, (point, shadow, angle) in enumerate(zip(others, projected, angles), start=1):
        start = centre if angle == np.arctan2(*point[::-1]) else shadow
        axis.plot(*np.array([point, start]).T, "k:", lw=0.9)
        axis.annotate(f"$x_{i}$", point, xytext=(6, 3), textcoords="offset points")
        axis.annotate(f"$s_{i}$", shadow, xytext=(4, 6), textcoords="offset points")
    axis.plot(*others.T, "s", color="black", ms=6)
    axis.plot(*projected.T, "o", mfc="white", mec="black", ms=5)
    arrow = {"arrowstyle": "->", "color": plotting.POSITIVE, "lw": 2}
    axis.annotate("", 2.2 * ahead, -2.2 * ahead, arrowprops=arrow)
    axis.annotate("$\\ell$, orientation +1", (1.4, 1.6), color=plotting.POSITIVE)
    axis.annotate("predicted +1", (-2.5, 1.55), color=plotting.POSITIVE)
    axis.add_patch(Arc(centre, 0.9, 0.9, theta2=np.degrees(tilt)))  # type: ignore[arg-type]
    axis.annotate("$\\theta_\\ell$", (0.46, 0.29))
    axis.plot(*centre, "X", color=plotting.POSITIVE, ms=9)
    axis.annotate("$a^+$", centre, xytext=(6, -14), textcoords="offset points")
    axis.set(title="Figure 1: mirrored-radial coordinates", xlim=(-2.7, 2.7), ylim=(-1.9, 1.9))
    axis.set_aspect("equal")
    axis.axis("off")
    return fig

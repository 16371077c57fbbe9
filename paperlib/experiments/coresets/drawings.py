"""The step of Lemma 3.1's proof, and the two panels of the figure with sliders: circle and version space."""

import numpy as np
from matplotlib.axes import Axes

from paperlib.experiments import plotting
from paperlib.experiments.coresets.figure_1 import Search
from paperlib.experiments.coresets.figure_3 import Asked

EPS = 0.1  # of the learner


def draw_step(axis: Axes, search: Search, k: int) -> None:
    """Draw a step of the algorithm as the proof of Lemma 3.1 sees it, among the points times their labels.

    The margin of the first k points of the coreset is the distance of their hull from the origin. The next
    point z is alpha below the line through the hull's nearest point, so that the segment from that to z comes
    closer to the origin.

    Parameters
    ----------
    axis : matplotlib Axes
    search : Search
    k : int >= 1
        Points that have joined; there must be one more.
    """
    signed = (search.y[:, None] * search.X)[:, ::-1]  # the second coordinate across: a wide picture
    hull, z = signed[search.joined[:k]], signed[search.joined[k]]
    nearest = search.of_coreset[k - 1] * search.normals[k - 1][::-1]
    apart = nearest - z
    nearer = nearest - (nearest @ apart) / (apart @ apart) * apart
    orange = plotting.COLOURS[1]
    axis.plot(*signed.T, "o", ms=3, color="#C8C8C8", label="points times labels")
    axis.plot(*hull.T, "-", lw=5, color="#A0A0A0", marker="o", label="hull of the coreset")
    axis.plot(*np.array([nearest, z]).T, "--", color=orange, marker="", label="segment to $z$")
    axis.plot(*np.array([nearest, 0 * nearest]).T, ":", color="black", marker="", lw=1)
    axis.plot(*np.array([nearer, 0 * nearer]).T, ":", color=orange, marker="", lw=1)
    normal = nearest / search.of_coreset[k - 1]
    above = z + (nearest @ normal - z @ normal) * normal
    axis.plot(*np.array([z, above]).T, "-", color="black", marker="", lw=1)
    axis.annotate(r"$\alpha_i$", (z + above) / 2, xytext=(-16, -4), textcoords="offset points")
    named = (nearest, r"$\rho_i$ away", (6, 6)), (nearer, "nearer", (-36, -20)), (z, "$z$", (-14, -4))
    for point, name, shift in named:
        axis.plot(*point, "o", ms=6, color=plotting.COLOURS[0])
        axis.annotate(name, point, xytext=shift, textcoords="offset points")
    axis.plot(0, 0, "k+", ms=10, label="origin")
    axis.set(aspect="equal", xlabel="$y\\,x_2$", ylabel="$y\\,x_1$")
    before, after = search.of_coreset[k - 1 : k + 1]
    axis.set_title(f"margin {before:.2f} before $z$ joins, {after:.2f} after")


def draw_circle(axis: Axes, asked: Asked, k: int, near: int) -> None:
    """Draw the circle with the first k labels, the hyperplane, and the point that is asked for next.

    Parameters
    ----------
    axis : matplotlib Axes
    asked : Asked
    k : int >= 1
    near : int
        Row of the next point; the number of points where there is none.
    """
    X, y, h = asked.X, asked.y, asked.normals[k - 1]
    known = np.isin(np.arange(len(X)), asked.rows[:k])
    axis.plot(*X[~known, :2].T, "o", mfc="none", color="#999999", label="label not known")
    for sign, colour, name in ((1, plotting.POSITIVE, "+"), (-1, plotting.NEGATIVE, "−")):
        axis.plot(*X[known & (y == sign), :2].T, "o", color=colour, label=name)
    axis.plot(*X[near : near + 1, :2].T, "D", mfc="none", mec="black", ms=11, label="asked for next")
    if np.hypot(*h[:2]) > 1e-9:  # else all of the circle is on one side
        foot = -h[2] * h[:2] / (h[:2] @ h[:2])
        axis.axline(foot, (foot[0] - h[1], foot[1] + h[0]), color="black", lw=1, marker="")
    axis.set(aspect="equal", xlim=(-1.4, 1.4), ylim=(-1.4, 1.4), xlabel="$x_1$", ylabel="$x_2$")
    is_near = near < len(X) and abs(X[near] @ h) < (1 - EPS) * asked.margins[k - 1]
    why = "near" if is_near else "drawn to verify" if near < len(X) else "none"
    axis.set_title(f"{k} labels of {len(X)}, next: {why}")


def draw_space(axis: Axes, asked: Asked, k: int, near: int) -> None:
    """Draw the version space of the first k labels as seen from the origin, and the largest ball in it.

    It is projected to the plane that touches the sphere where the hyperplane's normal is, where a label cuts
    along a straight line. Parameters are those of `draw_circle`.
    """
    X, y, h = asked.X / np.sqrt(2), asked.y, asked.normals[k - 1]
    across = np.cross(h, np.eye(3)[np.abs(h.round(9)).argmin()])
    plane = np.array([across / np.linalg.norm(across), np.cross(h, across) / np.linalg.norm(across)])
    radius = np.tan(np.arcsin(min(asked.margins[k - 1] / np.sqrt(2), 1 - 1e-9)))
    signed = y[asked.rows[:k], None] * X[asked.rows[:k]]

    def least(points):
        return (h + points @ plane) @ signed.T

    width = min(2.0, 8.0 * radius)
    x_limits = y_limits = -width, width
    inside = _grid(x_limits, y_limits)[(least(_grid(x_limits, y_limits)) > 0).all(axis=-1)]
    if np.isfinite(radius) and radius < width:  # as large as the space and the ball need it
        corners = np.vstack([inside, [[radius, radius], [-radius, -radius]]])
        middle = (corners.max(axis=0) + corners.min(axis=0)) / 2
        half = 0.6 * np.ptp(corners, axis=0).max()
        x_limits, y_limits = ((float(m - half), float(m + half)) for m in middle)
    points = _grid(x_limits, y_limits)
    levels = [-np.inf, 0, np.inf]
    shown = least(points).min(axis=-1).round(9)
    axis.contourf(*np.moveaxis(points, -1, 0), shown, levels, colors=["white", plotting.SHADES[0]])
    turn = np.linspace(0.0, 2.0 * np.pi, 200)
    ball = radius * np.cos(turn), radius * np.sin(turn)
    axis.plot(*ball, color="black", ls="-", lw=1, marker="", label="largest ball")
    if near < len(X) and np.abs(plane @ X[near]).max() > 1e-9:
        normal, height = plane @ X[near], h @ X[near]
        foot = -height * normal / (normal @ normal)
        end = foot[0] - normal[1], foot[1] + normal[0]
        axis.axline(foot, end, color="black", ls="--", lw=1, marker="", label="its cut")
    axis.plot(0, 0, "k+", label="normal")
    axis.set(aspect="equal", xlim=x_limits, ylim=y_limits, xticks=[], yticks=[])
    axis.set_title("version space")


def _grid(x_limits: tuple[float, float], y_limits: tuple[float, float]) -> np.ndarray:
    """Points (201, 201, 2) of a grid in the plane."""
    return np.stack(np.meshgrid(np.linspace(*x_limits, 201), np.linspace(*y_limits, 201)), axis=-1)

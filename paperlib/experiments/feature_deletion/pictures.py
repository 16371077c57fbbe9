"""What several figures are drawn with: one look for each learner, curves with bands, images of pixels."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from paperlib.experiments import plotting

LEARNERS = ("LP", "SVM", "perceptron", "FDROP", "LP, chunks", "L1 SVM")


def style(learner: str) -> dict[str, Any]:
    """Return the colour, marker and line of a learner; of chunks whatever their size.

    >>> style("LP, chunks of 100") == style("LP, chunks of 500")
    True
    """
    k = LEARNERS.index(learner.partition(" of ")[0])
    return {"color": plotting.COLOURS[k], "marker": plotting.MARKERS[k], "ls": plotting.LINES[k]}


def draw_errors(axis: Axes, rows: pd.DataFrame, learners: Sequence[str]) -> None:
    """Draw mean errors against the budget, with bands of two standard errors.

    Parameters
    ----------
    axis : Axes
    rows : DataFrame with learner, budget and error
    learners : sequence of str
        Those that are not among the rows are left out.
    """
    for learner in learners:
        each = rows[rows.learner == learner].groupby("budget").error
        _draw(axis, learner, each.mean(), each.sem())


def draw_leads(axis: Axes, rows: pd.DataFrame, learners: Sequence[str], over: str, by: str) -> None:
    """Draw what each learner errs less than another, `over`, in the same cases, as `draw_errors` does.

    Parameters
    ----------
    axis, rows, learners
        As for `draw_errors`.
    over : str
        A learner.
    by : str
        Column that tells the cases apart.
    """
    errors = rows.pivot_table(index=[by, "budget"], columns="learner", values="error")
    axis.axhline(0, **style(over) | {"marker": ""}, label=over)
    for learner in learners:
        if learner in errors:
            each = (errors[over] - errors[learner]).groupby("budget")
            _draw(axis, learner, each.mean(), each.sem())


def _draw(axis, learner, mean, stderr):
    if len(mean):
        axis.plot(mean.index, mean, label=learner, **style(learner))
        low, high = mean - 2 * stderr, mean + 2 * stderr
        axis.fill_between(mean.index, low, high, color=style(learner)["color"], alpha=0.15, lw=0)


def draw_constant(axis: Axes, y: np.ndarray) -> None:
    """Draw the error of a constant, which knows how common the classes are and nothing else."""
    constant = min(np.mean(y == label) for label in (-1, 1))
    axis.axhline(constant, color="black", ls=":", lw=1, marker="", label="always the larger class")


def draw_pixels(axis: Axes, pixels: np.ndarray, title: str, **colours: Any) -> Any:
    """Draw an image of 28 by 28 pixels, or of as many weights, and return it."""
    image = axis.imshow(pixels.reshape(28, 28, *pixels.shape[1:]), **colours)
    axis.set(xticks=[], yticks=[], title=title)
    axis.grid(False)
    axis.spines[:].set_visible(False)
    return image


def draw_deleted(axis: Axes, pixels: np.ndarray, deleted: np.ndarray, title: str) -> None:
    """Draw ink on white, and what was deleted in orange and crossed out."""
    shown = np.repeat(1 - 0.8 * pixels[:, None], 3, axis=1)
    shown[deleted] = [0.84, 0.37, 0.0]
    draw_pixels(axis, shown, title)
    rows, columns = np.nonzero(deleted.reshape(28, 28))
    axis.plot(columns, rows, ls="", marker="x", ms=3, mew=0.8, color="white")
    axis.set(xlim=(2.5, 25.5), ylim=(25.5, 2.5))

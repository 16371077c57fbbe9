"""Shared style of all figures: colour-blind safe, readable in grey, the same bytes on every run.

The two classes differ in marker and in lightness as well as in hue. Series cycle through `COLOURS`, `MARKERS`
and `LINES` together, so that line and marker alone identify each.
"""

import io
import os
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from cycler import cycler
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from paperlib.experiments import figure_backend
from paperlib.experiments.files import write_whole

# Okabe and Ito's palette, ordered so that consecutive colours differ in lightness (CIE L*) by at least 8.
COLOURS = ("#0072B2", "#D55E00", "#56B4E9", "#009E73", "#E69F00", "#CC79A7", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))
POSITIVE, NEGATIVE = COLOURS[1], COLOURS[0]
SHADES = ("#DCE9F2", "#FBE6D6")  # the regions of the negative and of the positive class
TEXT_WIDTH = 7.0  # inches, the largest width of a figure

STYLE: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": "#444444",
    "axes.grid": True,
    "axes.labelsize": 10,
    "axes.prop_cycle": cycler(color=COLOURS) + cycler(marker=MARKERS) + cycler(linestyle=LINES),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10.5,
    "figure.constrained_layout.use": True,
    "figure.dpi": 110,
    "font.family": "DejaVu Sans",  # comes with matplotlib, so it is the same everywhere
    "font.size": 9.5,
    "grid.color": "#E3E3E3",
    "grid.linewidth": 0.7,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.5,
    "svg.fonttype": "path",
    "svg.hashsalt": "paperlib",  # else the ids in an SVG are random
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
}


def use_style() -> None:
    """Apply this style to all figures from now on, whatever the user's own settings are.

    >>> use_style()
    >>> mpl.rcParams["axes.spines.top"]
    False
    """
    mpl.style.use(["default", STYLE])


def figure(
    columns: int = 1,
    rows: int = 1,
    *,
    width: float = TEXT_WIDTH,
    height: float | None = None,
    **kwargs: Any,
) -> tuple[Figure, Any]:
    """Return ``(figure, axes)`` as ``plt.subplots`` does, in this style.

    `width` and `height` are in inches; the default height gives each panel a ratio of 4 to 3.

    >>> fig, axes = figure(2)
    >>> len(axes)
    2
    """
    use_style()
    height = height or rows * width / columns * 0.75
    return plt.subplots(rows, columns, figsize=(width, height), **kwargs)


def scatter_classes(
    axis: Axes,
    X: np.ndarray,
    y: np.ndarray,
    *,
    size: float = 14,
    labels: tuple[str, str] = ("class −1", "class +1"),
    **kwargs: Any,
) -> None:
    """Draw the points of two classes: blue circles for y <= 0, orange crosses for y > 0.

    `X` has shape (n, 2) and `y` (n,); `size` is in points squared.

    >>> fig, axis = figure()
    >>> scatter_classes(axis, np.eye(2), np.array([-1, 1]))
    >>> axis.get_legend_handles_labels()[1]
    ['class −1', 'class +1']
    """
    negative, positive = y <= 0, y > 0
    style = {"s": size, "linewidths": 1.0, **kwargs}
    axis.scatter(
        X[negative, 0],
        X[negative, 1],
        marker="o",
        facecolors="white",
        edgecolors=NEGATIVE,
        label=labels[0],
        **style,
    )
    axis.scatter(X[positive, 0], X[positive, 1], marker="x", color=POSITIVE, label=labels[1], **style)


def save(fig: Figure, path: str | os.PathLike[str]) -> None:
    """Write `fig` as ``path.svg`` and ``path.png``, each atomically and without a date.

    `path` has no suffix. The bytes depend on the figure and on matplotlib's version only.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(figure()[0], pathlib.Path(folder, "empty"))
    ...     sorted(file.name for file in pathlib.Path(folder).iterdir())
    ['empty.png', 'empty.svg']
    """
    path = Path(path)
    engine = fig.get_layout_engine()
    try:
        _settle(fig)
        for suffix in ("svg", "png"):
            write_whole(path.with_name(f"{path.name}.{suffix}"), rendered(fig, suffix))
    finally:
        fig.set_layout_engine(engine)


def _settle(fig: Figure) -> None:
    """Lay the figure out, and put the axes on a grid: an image is resampled for the place that it has."""
    fig.draw_without_rendering()
    fig.set_layout_engine("none")
    for axes in fig.axes:
        if axes.get_subplotspec() is not None:
            # Shifted as in `figure_backend`: round numbers would lie on the edge between two steps.
            axes.set_position(np.rint(np.add(axes.get_position().bounds, 1.37e-7) * 1e6) / 1e6)


def rendered(fig: Figure, suffix: str) -> bytes:
    """Return the bytes that `save` writes for the suffix ``"svg"`` or ``"png"``.

    >>> rendered(figure()[0], "png")[1:4]
    b'PNG'
    """
    # In an SVG the resolution applies to rasterised parts only.
    dpi, metadata = _FORMATS[suffix]
    buffer = io.BytesIO()
    with mpl.style.context(["default", STYLE]):
        fig.savefig(buffer, format=suffix, dpi=dpi, metadata=metadata, backend=_BACKEND)
    return buffer.getvalue()


def shown_width(fig: Figure) -> int:
    """Return the width of a figure in a notebook, in pixels; its PNG has more, for high-resolution screens.

    >>> shown_width(figure(width=4)[0])
    440
    """
    return round(fig.get_figwidth() * STYLE["figure.dpi"])


_BACKEND = f"module://{figure_backend.__name__}"
_FORMATS = {"svg": (110, {"Date": None, "Creator": None}), "png": (150, {"Software": None})}

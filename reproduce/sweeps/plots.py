"""Plots of a sweep: each measure against each swept number."""

import math
import textwrap
from dataclasses import dataclass

from reproduce.library import write_whole
from reproduce.sweeps.grid import title

PANELS = 60  # in one figure, at most
LINES = 6  # combinations of the other parameters with a line each; with more, their mean is drawn
COLUMNS = 4
COLOURS = ("#0072B2", "#D55E00", "#56B4E9", "#009E73", "#E69F00", "#CC79A7")  # Okabe and Ito
MARKERS = "os^DvP"
# Line styles with gaps, so that a line shows through one drawn over it.
STROKES = ("-", (0, (5, 2)), "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)))
STYLE = {
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.edgecolor": "#444444",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 8.5,
    "font.family": "DejaVu Sans",  # comes with matplotlib, so it is the same everywhere
    "font.size": 8,
    "grid.color": "#E3E3E3",
    "grid.linewidth": 0.6,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "lines.linewidth": 1.3,
    "lines.markersize": 4,
    "svg.fonttype": "path",
    "svg.hashsalt": "reproduce",  # else the ids in an SVG are random
}


@dataclass(frozen=True)
class Figure:
    """Figure of one swept number: a panel for each measure, a line for each group of points.

    Attributes
    ----------
    panels : dict
        `{measure: {label: (xs, values, stderrs)}}`.
    note : str
        Remark on lines that are means over several points.
    """

    paper: str
    parameter: str
    meaning: str
    panels: dict
    note: str


@dataclass(frozen=True)
class Plan:
    """Figures to draw, and the measures that are in none of them."""

    figures: list
    constant: list
    too_many: list


def plan(sweep, table):
    """Return the figures for a table of `table.measured`."""
    names = sweep.grid.names
    varying, constant = _varying(table)
    figures = []
    for axis in sweep.grid.axes if varying else ():
        others = [i for i, name in enumerate(names) if name not in axis]  # zipped parameters change together
        for name in axis:
            x = names.index(name)
            if _is_numeric(row[x] for row in table):
                shown = varying[:PANELS]
                lines, note = _lines(names, others, x, table, set(shown))
                meaning = sweep.runs[0].notebook.parameters[name].meaning
                panels = {measure: lines[measure] for measure in shown}
                figures.append(Figure(sweep.paper, name, meaning, panels, note))
    return Plan(figures, constant, varying[PANELS:])


def draw(figure, folder):
    """Write `<parameter>.svg` and `.png`: the same bytes for the same figure and version of matplotlib."""
    import io

    from matplotlib import style

    with style.context(["default", STYLE]):
        canvas = _canvas(figure)
        for suffix, metadata in (("svg", {"Date": None, "Creator": None}), ("png", {"Software": None})):
            buffer = io.BytesIO()
            canvas.savefig(buffer, format=suffix, dpi=130, metadata=metadata)
            write_whole(folder / f"{figure.parameter}.{suffix}", buffer.getvalue())


def _varying(table):
    values = {}
    for *_, measure, value, _ in table:
        values.setdefault(measure, set()).add(value)
    varying = [measure for measure, found in values.items() if len(found - {None}) > 1]
    return varying, [measure for measure in values if measure not in varying]


def _is_numeric(values):
    values = list(values)
    return all(type(value) in (int, float) for value in values) and len(set(values)) > 1


def _lines(names, others, x, table, shown):
    """Return `{measure: {label: (xs, values, stderrs)}}` and a note."""
    labels = dict.fromkeys(title([names[i] for i in others], [row[i] for i in others]) for row in table)
    note = ""
    if len(labels) > LINES:
        note = f"mean over {len(labels)} combinations of {', '.join(names[i] for i in others)}"
    found = {measure: {} for measure in shown}
    for row in table:
        *values, measure, value, stderr = row
        if measure in shown and value is not None:
            label = "" if note else title([names[i] for i in others], [values[i] for i in others])
            found[measure].setdefault(label, {}).setdefault(values[x], []).append((value, stderr))
    order = [""] if note else list(labels)
    lines = {
        measure: {label: _means(groups[label]) for label in order if label in groups}
        for measure, groups in found.items()
    }
    return lines, note


def _means(at):
    """Return each x, the mean of its values, and the standard error of that mean, 0 if it is unknown."""
    xs = sorted(at)
    means = [math.fsum(value for value, _ in at[x]) / len(at[x]) for x in xs]
    errors = [math.sqrt(math.fsum((error or 0) ** 2 for _, error in at[x])) / len(at[x]) for x in xs]
    return xs, means, errors


def _canvas(figure):
    from matplotlib.figure import Figure as Canvas

    columns = min(COLUMNS, math.ceil(math.sqrt(len(figure.panels))))
    rows = math.ceil(len(figure.panels) / columns)
    labels = list(dict.fromkeys(label for lines in figure.panels.values() for label in lines))
    width = max(5.0, 3.0 * columns)
    canvas = Canvas(figsize=(width, 2.2 * rows + 0.9), layout="constrained")
    axes = canvas.subplots(rows, columns, squeeze=False).ravel()
    everywhere = sorted({x for lines in figure.panels.values() for xs, *_ in lines.values() for x in xs})
    handles = {}
    for axis, (measure, lines) in zip(axes, figure.panels.items()):
        handles |= _draw_lines(axis, lines, labels)
        axis.set_title(textwrap.fill(measure, 40 if columns > 1 else 70))
        _scale(axis, everywhere)
    for axis in axes[len(figure.panels) :]:
        axis.remove()
    said = f"{figure.parameter}: {figure.meaning}" if figure.meaning else figure.parameter
    canvas.supxlabel(textwrap.shorten(said, int(width * 13), placeholder=" ..."), fontsize=9)
    _head(canvas, figure, {label: handles[label] for label in labels if label}, int(width * 11))
    return canvas


def _draw_lines(axis, lines, labels):
    """Draw the lines of one panel, styled by the position of each label; return `{label: handle}`."""
    handles = {}
    for label, (xs, values, errors) in lines.items():
        i = labels.index(label)
        style = {
            "color": COLOURS[i],
            "marker": MARKERS[i],
            "linestyle": STROKES[i],
            "capsize": 2,
            "elinewidth": 1,
        }
        handles[label] = axis.errorbar(xs, values, errors if any(errors) else None, **style)
    return handles


def _scale(axis, xs):
    """Set the scale and the ticks of the axis of the swept number; `xs` are its values in order."""
    from matplotlib.ticker import MaxNLocator

    axis.ticklabel_format(axis="y", useOffset=False)
    if xs[0] > 0 and xs[-1] / xs[0] >= 50 and len(xs) > 2:
        axis.set_xscale("log")
    elif all(isinstance(x, int) for x in xs):
        axis.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    else:
        axis.xaxis.set_major_locator(MaxNLocator(5))


def _head(canvas, figure, handles, characters):
    """Write the heading above the panels, with the legend where there is more than one line."""
    heading = f"{figure.paper}: each measure against {figure.parameter}"
    if handles:
        shown = [textwrap.shorten(label, characters, placeholder=" ...") for label in handles]
        canvas.legend(
            list(handles.values()),
            shown,
            loc="outside upper left",
            ncols=max(1, characters // (max(map(len, shown)) + 8)),
            title=heading,
            title_fontsize=10,
            alignment="left",
        )
    else:
        said = "\n".join(filter(None, [heading, figure.note]))
        canvas.suptitle(textwrap.fill(said, characters), fontsize=10, x=0.01, ha="left")

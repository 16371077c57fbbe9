"""Plots of a sweep: each measure against each swept number."""

import math
import re
import statistics
import textwrap
from dataclasses import dataclass
from typing import NamedTuple

from reproduce.library import verdicts, write_whole
from reproduce.sweeps.grid import title

HOLDS = (verdicts.REPRODUCED, verdicts.IDENTITY, verdicts.CORRECTED, None)
ROUNDING = 1e-9  # of the largest value: what differs by less is the same
SURE = 0.95  # of the intervals of means over seeds
MEASURED = re.compile(r"\(((?:[^()]|\([^()]*\))+)\)$")
SEED = "seed"  # seeds have no order: they are averaged, or drawn as points, and never joined by a line
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


class Value(NamedTuple):
    """What one point measured."""

    value: float
    stderr: float | None
    holds: bool  # whether the statement does, at this point


class Place(NamedTuple):
    """The points of a line that have the same x."""

    x: float
    mean: float
    error: float  # half the length of its bar
    values: list  # of Value


@dataclass(frozen=True)
class Figure:
    """Figure of one swept number: a panel for each measure, a line for each group of points.

    Attributes
    ----------
    panels : dict
        `{measure: {label: [Place, ...]}}`.
    note : str
        Remark on what lines and bars are.
    statements : dict
        Of the measures that a claim stands for, its Statement.
    """

    paper: str
    parameter: str
    meaning: str
    panels: dict
    note: str
    statements: dict


@dataclass(frozen=True)
class Plan:
    """Figures to draw, and the measures that are in none of them."""

    figures: list
    constant: list
    too_many: list


def plan(sweep, table, claims):
    """Return the figures for a table of `table.measured`; `claims` are those of the ledger, by their ids."""
    names = sweep.grid.names
    varying = _moved([], len(names), table)
    constant = [each for each in dict.fromkeys(row[len(names)] for row in table) if each not in varying]
    statements = {name: claim.statement for name, claim in claims.items()}
    figures, too_many = [], {}
    for axis in sweep.grid.axes if varying else ():
        others = [i for i, name in enumerate(names) if name not in axis]  # zipped parameters change together
        for name in axis:
            x = names.index(name)
            if _is_numeric(row[x] for row in table):
                moved = _moved(others, len(names), table)
                too_many |= dict.fromkeys(moved[PANELS:])
                shown = moved[:PANELS]
                if not shown:
                    continue
                lines, note = _lines(names, others, x, table, set(shown))
                meaning = sweep.runs[0].notebook.parameters[name].meaning
                panels = {measure: lines[measure] for measure in shown}
                figures.append(Figure(sweep.paper, name, meaning, panels, note, statements))
    return Plan(figures, constant, list(too_many))


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


def _moved(others, first, table):
    """Return the measures that change by more than rounding while the numbers at `others` stay."""
    found = {}
    for row in table:
        if row[first + 1] is not None:
            at = repr([row[i] for i in others])
            found.setdefault(row[first], {}).setdefault(at, []).append(row[first + 1])
    return [measure for measure, groups in found.items() if any(map(_vary, groups.values()))]


def _vary(values):
    return max(values) - min(values) > ROUNDING * max(map(abs, values))


def _is_numeric(values):
    values = list(values)
    return all(type(value) in (int, float) for value in values) and len(set(values)) > 1


def _lines(names, others, x, table, shown):
    """Return `{measure: {label: [Place, ...]}}` and a note on what the lines and their bars are."""
    seeds = len({row[i] for row in table for i in others if names[i] == SEED})
    others = [i for i in others if names[i] != SEED]
    labels = dict.fromkeys(title([names[i] for i in others], [row[i] for i in others]) for row in table)
    is_mean = len(labels) > LINES
    over = [f"{len(labels)} combinations of {', '.join(names[i] for i in others)}"] if is_mean else []
    over += [f"{seeds} seeds"] if seeds > 1 else []
    note = "bars: the stated standard errors"
    if over:
        note = f"points, their mean over {' and '.join(over)}, and its {SURE:.0%} interval from their spread"
    note += "; hollow: the statement does not hold; dotted: what it says"
    found = {measure: {} for measure in shown}
    for row in table:
        measure, value, stderr, _, verdict, *_ = row[len(names) :]
        if measure in shown and value is not None:
            label = "" if is_mean else title([names[i] for i in others], [row[i] for i in others])
            at = found[measure].setdefault(label, {}).setdefault(row[x], [])
            at.append(Value(value, stderr, verdict in HOLDS))
    order = [""] if is_mean else list(labels)
    lines = {
        measure: {label: _places(groups[label]) for label in order if label in groups}
        for measure, groups in found.items()
    }
    return lines, note


def _places(at):
    """Return each x with the mean of its values and a bar: of one value what it states, else the interval.

    What each of several values states is of its own run: how far runs are apart is seen in their spread.
    """
    places = []
    for x in sorted(at):
        values = [each.value for each in at[x]]
        error = _interval(values) if len(values) > 1 else at[x][0].stderr or 0.0
        places.append(Place(x, statistics.fmean(values), error, at[x]))
    return places


def _interval(values):
    from scipy.stats import t

    n = len(values)
    return float(t.ppf(0.5 + SURE / 2, n - 1)) * statistics.stdev(values) / math.sqrt(n)


def _canvas(figure):
    from matplotlib.figure import Figure as Canvas

    columns = min(COLUMNS, math.ceil(math.sqrt(len(figure.panels))))
    rows = math.ceil(len(figure.panels) / columns)
    labels = list(dict.fromkeys(label for lines in figure.panels.values() for label in lines))
    width = max(5.0, 3.0 * columns)
    canvas = Canvas(figsize=(width, 2.2 * rows + 0.9), layout="constrained")
    axes = canvas.subplots(rows, columns, squeeze=False).ravel()
    everywhere = sorted({at.x for lines in figure.panels.values() for line in lines.values() for at in line})
    handles = {}
    for axis, (measure, lines) in zip(axes, figure.panels.items()):
        handles |= _draw_lines(axis, lines, labels, joined=figure.parameter != SEED)
        _entitle(axis, measure, figure.statements.get(measure), 44 if columns > 1 else 76)
        _scale(axis, everywhere)
    for axis in axes[len(figure.panels) :]:
        axis.remove()
    said = f"{figure.parameter}: {figure.meaning}" if figure.meaning else figure.parameter
    canvas.supxlabel(textwrap.shorten(said, int(width * 13), placeholder=" ..."), fontsize=9)
    _head(canvas, figure, {label: handles[label] for label in labels if label}, int(width * 11))
    return canvas


def _draw_lines(axis, lines, labels, joined):
    """Draw the lines of one panel, styled by the position of each label; return `{label: handle}`.

    Without `joined`, the points stand alone.
    """
    handles = {}
    for label, line in lines.items():
        i = labels.index(label)
        style = {"color": COLOURS[i], "linestyle": STROKES[i] if joined else "none", "capsize": 2}
        xs, means, errors = ([at[k] for at in line] for k in range(3))
        several = any(len(at.values) > 1 for at in line)
        handles[label] = axis.errorbar(
            xs, means, errors if any(errors) else None, marker="_" if several else "", elinewidth=1, **style
        )
        for holds, face in ((True, COLOURS[i]), (False, "white")):
            points = [(at.x, each.value) for at in line for each in at.values if each.holds == holds]
            look = {"s": 9 if several else 16, "color": COLOURS[i], "facecolor": face, "alpha": 0.8}
            if points:
                axis.scatter(*zip(*points), marker=MARKERS[i], linewidths=0.9, zorder=3, **look)
    return handles


def _measured(statement):
    """Return what a statement measures, which ledgers have in brackets behind what it says."""
    found = MEASURED.search(statement.says)
    return found[1] if found else statement.says


def _entitle(axis, measure, statement, characters):
    """Head a panel with what is measured, and draw what the statement says as a line."""
    what = _measured(statement) if statement else measure
    said = textwrap.fill(what, characters, max_lines=2, placeholder=" ...")
    axis.set_title(f"{said}\n", fontsize=8)
    axis.text(0.0, 1.02, measure if statement else "", transform=axis.transAxes, fontsize=6, color="#555555")
    if statement and statement.paper is not None:
        axis.axhline(statement.paper, color="#888888", linewidth=0.9, linestyle=(0, (1, 1)), zorder=1)


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
    heading = "\n".join(
        filter(None, [f"{figure.paper}: each measure against {figure.parameter}", figure.note])
    )
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
        filled = "\n".join(textwrap.fill(line, characters) for line in heading.splitlines())
        canvas.suptitle(filled, fontsize=10, x=0.01, ha="left")

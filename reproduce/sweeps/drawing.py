"""Pictures of a sweep: a panel for each measure, with what its statement says."""

import io
import itertools
import math
import textwrap

from reproduce.library import verdicts, write_whole
from reproduce.sweeps.plots import FAILS, HOLDS, SEED, UNDECIDED, WORST, place

COLUMNS = 4
COLOURS = ("#0072B2", "#D55E00", "#56B4E9", "#009E73", "#E69F00", "#CC79A7")  # Okabe and Ito
MARKERS = "os^DvP"
# Line styles with gaps, so that a line shows through one drawn over it.
STROKES = ("-", (0, (5, 2)), "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)))
DOTTED = (0, (1, 1))
ALLOWED = "#2E7D32"
NEAR = 2.0  # ranges of the values: farther away, what a statement says is not in the picture
MARKED = "hollow: undecided; cross: does not hold"
SAYS = f"dotted: the paper's number; shaded: allowed; {MARKED}"
PLAIN = "{x:.6g}"  # of ticks: a power of ten over the axis would stand on the id
APART = 5  # points between lines, where each has several values at the same x
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


def draw(figure, statements, folder):
    """Write the figure as .svg and .png: the same bytes for the same figure and version of matplotlib.

    Parameters
    ----------
    statements : dict
        Id -> Statement, of the measures for which the ledger has one.
    """
    from matplotlib import style

    with style.context(["default", STYLE]):
        canvas = on_canvas(figure, statements)
        for suffix, metadata in (("svg", {"Date": None, "Creator": None}), ("png", {"Software": None})):
            buffer = io.BytesIO()
            canvas.savefig(buffer, format=suffix, dpi=130, metadata=metadata)
            write_whole(folder / f"{figure.name}.{suffix}", buffer.getvalue())


def on_canvas(figure, statements):
    from matplotlib.figure import Figure as Canvas

    columns = min(COLUMNS, math.ceil(math.sqrt(len(figure.panels))))
    rows = math.ceil(len(figure.panels) / columns)
    labels = list(dict.fromkeys(label for lines in figure.panels.values() for label in lines))
    width = max(5.0, 3.0 * columns)
    canvas = Canvas(figsize=(width, 2.2 * rows + 0.9), layout="constrained")
    axes = canvas.subplots(rows, columns, squeeze=False).ravel()
    handles = {}
    for axis, (measure, lines) in zip(axes, figure.panels.items()):
        statement = statements.get(measure)
        _entitle(axis, measure, statement, 44 if columns > 1 else 76)
        if figure.is_map:
            _draw_map(axis, lines[""])
        else:
            handles |= _draw_lines(axis, lines, labels, figure)
            _draw_statement(axis, statement)
    for axis in axes[len(figure.panels) :]:
        axis.remove()
    places = [at for lines in figure.panels.values() for line in lines.values() for at in line]
    for axis in axes[: len(figure.panels)]:
        axis.yaxis.set_major_formatter(PLAIN)
        _scale(axis, axis.xaxis, sorted({at.x for at in places}))
        if figure.is_map:
            _scale(axis, axis.yaxis, sorted({at.y for at in places}))
    for label, (name, meaning) in zip((canvas.supxlabel, canvas.supylabel), figure.meanings.items()):
        said = f"{name}: {meaning}" if meaning else name
        label(textwrap.shorten(said, int(width * 13), placeholder=" ..."), fontsize=9)
    has_statement = any(measure in statements for measure in figure.panels)
    _head(
        canvas, figure, has_statement, {label: handles[label] for label in labels if label}, int(width * 11)
    )
    return canvas


def _draw_lines(axis, lines, labels, figure):
    """Draw the lines of one panel, styled by the position of each label; return `{label: handle}`."""
    from matplotlib.transforms import ScaledTranslation

    handles = {}
    several = any(len(at.values) > 1 for line in lines.values() for at in line)
    for label, line in lines.items():
        i = labels.index(label)
        style = {"color": COLOURS[i], "linestyle": STROKES[i] if figure.is_joined else "none", "capsize": 2}
        xs, means, errors = [at.x for at in line], [at.mean for at in line], [at.error for at in line]
        aside = APART * several * (i - (len(labels) - 1) / 2) / 72
        style["transform"] = axis.transData + ScaledTranslation(aside, 0, axis.figure.dpi_scale_trans)
        handles[label] = axis.errorbar(
            xs, means, errors if any(errors) else None, marker="_" if several else "", elinewidth=1, **style
        )
        if SEED in figure.meanings and len(line) > 1:
            over = place((None,), [each for at in line for each in at.values])
            look = {"color": COLOURS[i], "linestyle": STROKES[i], "linewidth": 1}
            handles[label] = axis.axhline(over.mean, **look)
            axis.axhspan(
                over.mean - over.error, over.mean + over.error, color=COLOURS[i], alpha=0.12, zorder=0
            )
        points = [(at.x, each.value, each.mark) for at in line for each in at.values]
        reached = [(at.x, at.mean + end) for at in line for end in (-at.error, at.error)]
        axis.update_datalim([*reached, *(point[:2] for point in points)])  # not seen through a transform
        look = {"color": COLOURS[i], "s": 9 if several else 16, "transform": style["transform"]}
        _mark(axis, points, MARKERS[i], **look)
    axis.autoscale_view()
    return handles


def _mark(axis, points, marker, color, **look):
    """Draw points `(x, y, mark)`, filled where the statement holds."""
    looks = {
        HOLDS: {"marker": marker, "facecolor": color},
        UNDECIDED: {"marker": marker, "facecolor": "white"},
        FAILS: {"marker": "x"},
    }
    for mark, own in looks.items():
        if at := [point[:2] for point in points if point[2] == mark]:
            axis.scatter(*zip(*at), color=color, linewidths=0.9, alpha=0.8, zorder=3, **own, **look)


def _draw_map(axis, places):
    """Draw a square at each place, coloured by the mean there; cross and ring where it does not hold."""
    across, along = len({at.x for at in places}), len({at.y for at in places})
    side = max(4.0, min(16.0, 130 / across, 100 / along))  # points
    squares = axis.scatter(
        [at.x for at in places], [at.y for at in places], c=[at.mean for at in places], s=side**2, marker="s"
    )
    axis.figure.colorbar(squares, ax=axis)
    axis.margins(0.5 / across, 0.5 / along)
    worst = [(at.x, at.y, min((v.mark for v in at.values), key=WORST.index)) for at in places]
    _mark(axis, [each for each in worst if each[2] != HOLDS], "o", "black", s=(side / 2) ** 2)


def _asks(statement):
    """Return what a statement asks of the value, in short."""
    if statement.paper is None:
        return "above 0"
    number = f"{statement.paper:.6g}"
    return f"{statement.sense} {number}" if statement.kind == "bound" else number


def _entitle(axis, measure, statement, characters):
    """Head a panel with what is measured; the id, and what is asked of it, stand below in small letters."""
    what = (statement.split()[1] or statement.says) if statement else measure
    said = textwrap.fill(what, characters, max_lines=2, placeholder=" ...")
    axis.set_title(f"{said}\n", fontsize=8)
    small = f"{measure}: {_asks(statement)}" if statement else ""
    axis.text(0.0, 1.02, small, transform=axis.transAxes, fontsize=6, color="#555555")


def _draw_statement(axis, statement):
    """Draw the paper's number as a line, and shade what the statement allows, where that is in sight."""
    if statement is None:
        return
    low, high = axis.get_ylim()
    bottom, top = verdicts.allowed(statement)
    ends = [end for end in (bottom, top) if math.isfinite(end)]
    at = ends if statement.paper is None else [statement.paper, *ends]
    reach = NEAR * (high - low)
    if all(low - reach <= y <= high + reach for y in at):
        axis.axhline(at[0], color="#888888", linewidth=0.9, linestyle=DOTTED, zorder=1)
        axis.update_datalim([(axis.get_xlim()[0], y) for y in at], updatex=False)
        axis.autoscale_view(scalex=False)
        low, high = axis.get_ylim()
    if bottom < high and top > low:
        axis.axhspan(max(bottom, low), min(top, high), color=ALLOWED, alpha=0.07, linewidth=0, zorder=0)
    axis.set_ylim(low, high)


def _scale(axis, which, values):
    """Set the scale and the ticks of the axis of a swept number; `values` are its values in order."""
    from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator

    is_log = values[0] > 0 and values[-1] / values[0] >= 50 and len(values) > 2
    if is_log:
        (axis.set_xscale if which.axis_name == "x" else axis.set_yscale)("log")
    places = [math.log(value) for value in values] if is_log else values
    gaps = [b - a for a, b in itertools.pairwise(places)]
    if gaps and min(gaps) >= (places[-1] - places[0]) / 6:
        which.set_major_locator(FixedLocator(values))  # few: each has its tick
        which.set_minor_locator(NullLocator())
        which.set_major_formatter(PLAIN)
    elif not is_log:
        which.set_major_locator(MaxNLocator(5, integer=all(isinstance(x, int) for x in values)))


def _head(canvas, figure, has_statement, handles, characters):
    """Write the heading above the panels, with the legend where there is more than one line."""
    said = [f"{figure.paper}: each measure against {' and '.join(figure.meanings)}", figure.note]
    said += [MARKED if figure.is_map else SAYS] if has_statement else []
    heading = "\n".join(textwrap.fill(line, characters) for line in said if line)
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
        canvas.suptitle(heading, fontsize=10, x=0.01, ha="left")

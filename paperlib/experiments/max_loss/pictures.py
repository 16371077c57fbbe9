"""Parts of figures that several cells draw: error curves of runs, and a dot for each run's epochs."""

import numpy as np

from paperlib.experiments.max_loss.method_colours import line_style, point_style
from paperlib.experiments.max_loss.section_5_curves import median_curves

LEAST = 0.01  # per cent: what is below, zero for instance, is drawn on the lower edge


def error_curves(axis, curves, part, methods, *, steps=None, n_thin=10):
    """Draw the error of some methods against epochs: some runs thin, their median thick.

    Parameters
    ----------
    axis : matplotlib Axes
    curves : DataFrame of `section_5_races.drawn_curves`, of one task
    part : {"train", "test"}
    methods : sequence of str
    steps : float, optional
        Of an epoch: the axis has iterations then.
    n_thin : int
        Runs that are drawn one by one.
    """
    curves = curves[curves.method.isin(methods) & (curves.epoch > 0)]
    per_epoch = steps or 1
    column = f"{part}_error"
    for (method, _), own in curves[curves.run < n_thin].groupby(["method", "run"], sort=False):
        axis.plot(
            per_epoch * own.epoch,
            100 * own[column].clip(lower=LEAST / 100),
            **line_style(method),
            lw=0.4,
            alpha=0.3,
        )
    for method, own in median_curves(curves).groupby("method", sort=False):
        axis.plot(
            per_epoch * own.epoch,
            100 * own[column].clip(lower=LEAST / 100),
            **line_style(method),
            lw=2,
            label=method,
        )
    ticks = [LEAST, 0.1, 1, 10]
    axis.set(xscale="log", yscale="log", xlabel="iterations" if steps else "epochs", ylim=(0.9 * LEAST, 20))
    axis.set_yticks(ticks, [f"≤ {LEAST}", "0.1", "1", "10"])
    axis.minorticks_off()


def printed(axis, value, method, at):
    """Mark a printed value: a dotted line in the method's colour, with the number at one end."""
    colour = line_style(method)["color"]
    axis.axhline(value, color=colour, ls=":", lw=1.2, marker="")
    axis.annotate(
        f"{value:g} % printed",
        (at, value),
        xytext=(0, 2),
        textcoords="offset points",
        color=colour,
        fontsize=7,
    )


def runs_and_medians(axis, at, values, method, *, stopped=None):
    """Draw a dot for each run on logarithmic axes, hollow if stopped, and a large mark at each median.

    Parameters
    ----------
    axis : matplotlib Axes
    at, values : Series
        Of each run.
    method : str
    stopped : boolean Series, optional
    """
    style = point_style(method)
    stopped = values.isna() if stopped is None else stopped
    for its, face in ((~stopped, style["color"]), (stopped, "none")):
        axis.loglog(at[its], values[its], **style, mfc=face, ms=3, alpha=0.25)
    medians = values.groupby(at).median()
    axis.loglog(medians.index, medians, **style, ms=9, mec="white", label=method)


def epochs_of_runs(axis, ends, rows, methods):
    """Draw a dot for each run's epochs, hollow where it did not end, and a bar at the median.

    Parameters
    ----------
    axis : matplotlib Axes
    ends : DataFrame
        With the columns row (one of `rows`), method, epochs, reached.
    rows : sequence of str
        Names of the rows, from above.
    methods : sequence of str
    """
    shifts = np.linspace(0.25, -0.25, len(methods))
    for method, shift in zip(methods, shifts, strict=True):
        style, own = point_style(method), ends[ends.method == method]
        for reached, face in ((True, style["color"]), (False, "white")):
            part = own[own.reached == reached]
            at = [shift - list(rows).index(row) for row in part.row]
            if len(part):
                label = method if reached else f"{method}, not yet"
                axis.semilogx(part.epochs, at, **style, mfc=face, ms=4, alpha=0.5, label=label)
        for row, each in own.groupby("row"):
            at = shift - list(rows).index(row)
            middle = each.epochs.median()
            axis.plot([middle, middle], [at - 0.11, at + 0.11], color="black", ls="-", lw=1.5, marker="")
    axis.set(xlabel="epochs", ylim=(0.5 - len(rows), 0.5))
    axis.set_yticks([-k for k in range(len(rows))], rows)
    shown = [each for each in (1, 2, 5, 10, 20, 50, 100, 200, 1000, 10_000) if within(axis.get_xlim(), each)]
    axis.set_xticks(shown, [f"{each:,}" for each in shown])
    axis.minorticks_off()


def within(limits, value):
    """Return whether a value lies between two limits."""
    return limits[0] <= value <= limits[1]

"""Plots of a sweep: what is drawn. Each measure against each swept number, or a map over two of them."""

import math
import statistics
from dataclasses import dataclass
from typing import NamedTuple

from reproduce.library import verdicts
from reproduce.sweeps.grid import title

HOLDS, UNDECIDED, FAILS = "holds", "undecided", "fails"
MARKS = {
    verdicts.INCONCLUSIVE: UNDECIDED,
    verdicts.VACUOUS: UNDECIDED,
    verdicts.CORRECTED: FAILS,  # as printed
    verdicts.DIFFERS: FAILS,
}
WORST = (FAILS, UNDECIDED, HOLDS)
ROUNDING = 1e-9  # of the largest value: what differs by less is the same
SURE = 0.95  # of the intervals of means over seeds
SEED = "seed"  # seeds have no order: they are averaged, and never joined by a line
PANELS = 60  # in one figure, at most
LINES = 6  # combinations of the other parameters with a line each; with more, their mean is drawn


class Value(NamedTuple):
    """What one point measured."""

    value: float
    stderr: float | None
    mark: str  # HOLDS, UNDECIDED or FAILS: the statement, at this point


class Place(NamedTuple):
    """The points of a line that have the same x, or of a map that have the same x and y."""

    x: float
    y: float | None
    mean: float
    error: float  # half the length of its bar
    values: list  # of Value


@dataclass(frozen=True)
class Figure:
    """Figure of one swept number, or map over two.

    Attributes
    ----------
    meanings : dict
        `{parameter: meaning}`: of the number at the lower axis and, in a map, of that at the left axis.
    panels : dict
        `{measure: {label: [Place, ...]}}`: a line for each label.
    is_joined : bool
        Whether there is something to see between the places.
    note : str
        Remark on what points, lines and bars are.
    """

    paper: str
    meanings: dict
    panels: dict
    is_joined: bool
    note: str

    @property
    def name(self):
        return ",".join(self.meanings)

    @property
    def is_map(self):
        return len(self.meanings) == 2


@dataclass(frozen=True)
class Plan:
    """Figures to draw, and the measures that are in none of them."""

    figures: list
    constant: list
    too_many: list


def plan(sweep, table):
    """Return the figures for a table of `table.measured`."""
    return _Planner(sweep, table).plan()


class _Planner:
    """The columns of the table's parameters by their numbers, and what is drawn so far."""

    def __init__(self, sweep, table):
        self.sweep = sweep
        self.table = table
        self.names = sweep.grid.names
        self.points = list({repr(row[: len(self.names)]): row[: len(self.names)] for row in table}.values())
        self.figures, self.too_many, self.drawn = [], {}, set()

    def plan(self):
        numbers = [i for i in range(len(self.names)) if self._is_numeric(i)]
        seed = [i for i in numbers if self.names[i] == SEED]
        swept = [i for i in numbers if i not in seed]
        wants_map = [self._against(x, len(swept) == 2) for x in swept]
        if len(swept) == 2 and any(wants_map):
            rest = [i for i in range(len(self.names)) if i not in swept + seed and self._several([i]) > 1]
            self._add(swept, [*rest, *seed], [], rest, False, self._note(rest, "colour"))
        for x in seed:
            held = [i for i in range(len(self.names)) if i != x]
            # What other numbers move is drawn already: the rest is the same at each of their values.
            rest = [i for i in held if i not in swept and self._several([i]) > 1]
            over = rest if self._several(rest) > LINES else []
            note = (
                f"line and band: mean over seeds, its {SURE:.0%} interval from their spread; bars: as stated"
            )
            self._add([x], held, [] if over else rest, over, False, note, but=self.drawn)
        varying = self._moved([])
        all_measures = dict.fromkeys(row[len(self.names)] for row in self.table)
        constant = [measure for measure in all_measures if measure not in varying]
        return Plan(self.figures, constant, list(self.too_many))

    def _against(self, x, may_be_map):
        """Plan the figure of one number; return whether a map over this and another one shows more."""
        free = [i for i in range(len(self.names)) if i != x and not self._goes_with(i, x)]
        others = [i for i in free if self.names[i] != SEED]
        labels = self._several(others)
        is_scattered = not self._is_walk(x) or (others and self._several([x, *others]) < 1.5 * labels)
        over = others if is_scattered or labels > LINES else []
        if over and may_be_map and not is_scattered:
            return True
        note = "other parameters change, too" if is_scattered else self._note(over, "line")
        self._add([x], free, [] if over else others, over, not is_scattered, note)
        return is_scattered

    def _add(self, axes, held, lines, over, is_joined, note, but=()):
        """Add a figure of the measures that change while the numbers at `held` stay."""
        moved = [measure for measure in self._moved(held) if measure not in but]
        self.drawn = self.drawn | set(moved)
        self.too_many |= dict.fromkeys(moved[PANELS:])
        panels = self._panels(axes, lines, not over, moved[:PANELS])
        if panels:
            parameters = self.sweep.runs[0].notebook.parameters
            meanings = {self.names[i]: parameters[self.names[i]].meaning for i in axes}
            self.figures.append(Figure(self.sweep.paper, meanings, panels, is_joined, note))

    def _note(self, over, what):
        seeds = self._several([i for i, name in enumerate(self.names) if name == SEED])
        if over:
            names = ", ".join(self.names[i] for i in over)
            text = f"{what}: mean over {self._several(over)} combinations of {names}"
            return f"{text} and {seeds} seeds" if seeds > 1 else text
        if what == "colour":
            return f"colour: mean over {seeds} seeds" if seeds > 1 else ""
        if seeds > 1:
            return f"points: single seeds; line and bars: mean, and its {SURE:.0%} interval from their spread"
        return "bars: the stated standard errors"

    def _panels(self, axes, lines, has_bars, measures):
        found = {measure: {} for measure in measures}
        for row in self.table:
            measure, value, stderr, _, verdict, *_ = row[len(self.names) :]
            if measure in found and value is not None:
                label = title([self.names[i] for i in lines], [row[i] for i in lines])
                at = found[measure].setdefault(label, {}).setdefault(tuple(row[i] for i in axes), [])
                if not (self.names[axes[0]] == SEED and at and has_bars):
                    at.append(Value(value, stderr, MARKS.get(verdict, HOLDS)))
        return {
            measure: {
                label: [place(at, each, has_bars) for at, each in sorted(line.items())]
                for label, line in groups.items()
            }
            for measure, groups in found.items()
        }

    def _moved(self, held):
        """Return the measures that change by more than rounding while the numbers at `held` stay."""
        found, first = {}, len(self.names)
        for row in self.table:
            if row[first + 1] is not None:
                at = repr([row[i] for i in held])
                found.setdefault(row[first], {}).setdefault(at, []).append(row[first + 1])
        return [measure for measure, groups in found.items() if any(map(_vary, groups.values()))]

    def _several(self, columns):
        """Return the number of combinations in these columns."""
        return len({repr([point[i] for i in columns]) for point in self.points})

    def _goes_with(self, i, x):
        """Return whether column i is constant, or is walked together with column x."""
        return self._several([x, i]) == self._several([x])

    def _is_walk(self, x):
        """Return whether each number that goes with x only rises, or only falls, along x."""
        for i in range(len(self.names)):
            if self.names[i] != SEED and self._is_numeric(i) and self._goes_with(i, x):
                along = [b for _, b in sorted({(point[x], point[i]) for point in self.points})]
                if along not in (sorted(along), sorted(along, reverse=True)):
                    return False
        return True

    def _is_numeric(self, i):
        values = [point[i] for point in self.points]
        return all(type(value) in (int, float) for value in values) and len(set(values)) > 1


def place(at, values, has_bar=True):
    """Return the place at (x,), or at (x, y) of a map, with its mean and a bar.

    The bar of one value is what it states. What each of several states is of its own run: how far runs are
    apart is seen in their spread, of which the bar is then the interval.
    """
    found = [each.value for each in values]
    error = interval(found) if len(found) > 1 else values[0].stderr or 0.0
    y = at[1] if len(at) > 1 else None
    return Place(at[0], y, statistics.fmean(found), error if has_bar else 0.0, values)


def interval(values):
    """Return half the length of the interval of a mean, by Student's t."""
    from scipy.stats import t

    n = len(values)
    return float(t.ppf(0.5 + SURE / 2, n - 1)) * statistics.stdev(values) / math.sqrt(n)


def _vary(values):
    return max(values) - min(values) > ROUNDING * max(map(abs, values))

"""Progress report while notebooks run: bars on a terminal, plain lines elsewhere."""

import sys
import time


def of_runs(runs):
    """Return the report on a few runs, each of another notebook."""
    totals = {run.name: len(run.notebook.cells) for run in runs}
    return Bars(totals, "cells") if sys.stdout.isatty() else Lines(totals)


def of_points(runs):
    """Return the report on the runs of a sweep, of which there may be thousands."""
    totals = {run.name: len(run.notebook.cells) for run in runs}
    return Bars(totals, "points") if sys.stdout.isatty() else Count(totals)


def of_jobs(names):
    """Report on many jobs that are not counted by cells."""
    totals = dict.fromkeys(names, 1)
    return Bars(totals, "runs") if sys.stdout.isatty() else Count(totals)


class Lines:
    """Report of one line when a notebook starts and one when it ends."""

    def __init__(self, totals):
        self.totals = totals
        self.started = set()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def cell(self, name, done):
        """Say that a notebook runs, once."""
        if name not in self.started:
            self.started.add(name)
            self.say(f"{name}: running ({self.totals[name]} cells)")

    def finished(self, name, lines, well):
        for line in lines:
            self.say(line)

    def say(self, text):
        print(text, flush=True)


class Count(Lines):
    """Report of one numbered line when a point ends, with the time that is left."""

    def __init__(self, totals):
        super().__init__(totals)
        self.start = time.monotonic()
        self.done = 0

    def cell(self, name, done):
        pass

    def finished(self, name, lines, well):
        """Print the lines about a point, the first with its number and the time that is left."""
        self.done += 1
        left = len(self.totals) - self.done
        rest = left * (time.monotonic() - self.start) / self.done
        first, *more = lines
        self.say(f"[{self.done}/{len(self.totals)}] {first}" + (f" ({_span(rest)} left)" if left else ""))
        for line in more:
            self.say(line)


class Bars:
    """Report of a bar for each notebook and one for all, with elapsed and remaining time.

    Parameters
    ----------
    totals : dict
        Number of cells of each run.
    unit : str
        The unit of the bar for all. With `cells` every run has its bar from start to end; with another one
        only the runs at work have one.
    """

    def __init__(self, totals, unit):
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        self.totals = totals
        self.by_points = unit != "cells"
        self.progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[unit]},"),
            TimeElapsedColumn(),
            TextColumn("elapsed,"),
            TimeRemainingColumn(elapsed_when_finished=False),
            TextColumn("left"),
            console=Console(highlight=False, markup=False, soft_wrap=True),
        )
        self.rows, self.done = {}, {}
        self.all = None
        if self.by_points:
            self.all = self.progress.add_task("all", total=len(totals), unit=unit)
            return
        for name in totals:
            self._add(name, start=False)
        if len(totals) > 1:
            self.all = self.progress.add_task("all", total=sum(totals.values()), unit=unit)

    def __enter__(self):
        self.progress.start()
        return self

    def __exit__(self, *_):
        self.progress.stop()

    def cell(self, name, done):
        """Move a notebook's bar to the number of its finished cells."""
        if name not in self.rows:
            self._add(name)
        if self.rows[name] is None:
            return  # an event that arrives after the end of its run
        self.progress.start_task(self.rows[name])
        self._advance(name, done)

    def finished(self, name, lines, well):
        """End the bar of a notebook, and print the lines about it."""
        if self.by_points:
            if name in self.rows:
                self.progress.remove_task(self.rows[name])
            self.rows[name] = None
            self.progress.advance(self.all)
        else:
            self.progress.stop_task(self.rows[name])
            if well:
                self._advance(name, self.totals[name])
        for line in lines:
            self.say(line)

    def say(self, text):
        self.progress.console.print(text)

    def _add(self, name, start=True):
        total = self.totals[name]
        self.rows[name] = self.progress.add_task(name, total=total, start=start, unit="cells")
        self.done[name] = 0

    def _advance(self, name, done):
        # Never back: a second attempt at a run begins with its first cell.
        self.done[name] = max(done, self.done[name])
        self.progress.update(self.rows[name], completed=self.done[name])
        if self.all is not None and not self.by_points:
            self.progress.update(self.all, completed=sum(self.done.values()))


def took(number, what, seconds):
    """Return the line at the end that says how long all runs together took."""
    return f"{number:,} {what}{'' if number == 1 else 's'} in {seconds:.0f} s"


def _span(seconds):
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.0f} h"

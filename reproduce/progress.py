"""What the user sees while notebooks run: bars on a terminal, plain lines elsewhere."""

import sys


def reporter(totals):
    """The one that suits stdout.

    Parameters
    ----------
    totals : dict
        Number of cells of each notebook that runs.
    """
    return Bars(totals) if sys.stdout.isatty() else Lines(totals)


class Lines:
    """One line when a notebook starts and one when it ends."""

    def __init__(self, totals):
        self.totals = totals
        self.started = set()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def cell(self, name, done):
        if name not in self.started:
            self.started.add(name)
            self.say(f"{name}: running ({self.totals[name]} cells)")

    def finished(self, name, well):
        pass

    def say(self, text):
        print(text, flush=True)


class Bars:
    """A bar per notebook and one for all, with elapsed and remaining time."""

    def __init__(self, totals):
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
        self.progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("cells,"),
            TimeElapsedColumn(),
            TextColumn("elapsed,"),
            TimeRemainingColumn(elapsed_when_finished=False),
            TextColumn("left"),
            console=Console(highlight=False, markup=False, soft_wrap=True),
        )
        self.rows = {name: self.progress.add_task(name, total=n, start=False) for name, n in totals.items()}
        self.all = self.progress.add_task("all", total=sum(totals.values())) if len(totals) > 1 else None
        self.done = dict.fromkeys(totals, 0)

    def __enter__(self):
        self.progress.start()
        return self

    def __exit__(self, *_):
        self.progress.stop()

    def cell(self, name, done):
        self.progress.start_task(self.rows[name])
        self._advance(name, done)

    def finished(self, name, well):
        self.progress.stop_task(self.rows[name])
        if well:
            self._advance(name, self.totals[name])

    def say(self, text):
        self.progress.console.print(text)

    def _advance(self, name, done):
        self.done[name] = max(done, self.done[name])
        self.progress.update(self.rows[name], completed=self.done[name])
        if self.all is not None:
            self.progress.update(self.all, completed=sum(self.done.values()))

"""`run`: execute what changed, publish it, and end with the scoreboard."""

import time

from reproduce.commands import options, progress
from reproduce.execution.driver import bring_up_to_date, split
from reproduce.planning import runs
from reproduce.publication import origin, record
from reproduce.scoring import ledger, scoreboard

HELP = "execute the notebooks that changed and publish their figures and tables"


def configure(parser):
    parser.add_argument("papers", nargs="*", metavar="PAPER", help="all of them if none is named")
    options.add(parser, "notebooks")


def main(project, args):
    planned = runs.make(project, args.papers, args.profile, args.assignments, args.data)
    ledger.load_all(project)  # a mistake in one is better reported before an hour of computing
    fresh, stale = split(project, planned, args.force)
    stale.sort(key=lambda run: _expected(project, run), reverse=True)
    for run in fresh:
        print(run.state(project, "up to date"))
    engine = options.engine(project, args)
    start = time.monotonic()
    failed = len(bring_up_to_date(project, stale, engine, progress.of_runs, args.force))
    if stale:
        print(progress.took(len(stale), "notebook", time.monotonic() - start))
    outcome = scoreboard.write(project, planned[0].family)
    older = origin.notes(project, planned[0].family)  # of papers that were not asked for, or failed
    print("", *outcome.lines, *older, "", sep="\n")
    if failed:
        print(f"{failed} of {len(planned)} notebooks failed; what they had published before stands as it was")
    print(f"Results: {', '.join(_places(project, planned))}; scoreboard: {project.shown(outcome.file)}")
    return 1 if failed or outcome.failed else 0


def _expected(project, run):
    """Estimate how long a run takes: the longest goes first, so that no core is idle at the end.

    A run that was never made here is measured by its number of cells and goes before the others.
    """
    seconds = record.seconds(project, run)
    return seconds is None, seconds or len(run.notebook.cells)


def _places(project, planned):
    folders = [run.destination.folder for run in planned]
    return [project.shown(folder) for folder in folders if folder.exists()] or ["none yet"]

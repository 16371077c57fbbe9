"""`run`: execute the notebooks that changed, publish their results, and print the scoreboard."""

import time

from reproduce.commands import options, progress
from reproduce.execution.driver import bring_up_to_date, split
from reproduce.planning import runs
from reproduce.publication import committed, committed_values, origin, record
from reproduce.scoring import ledger, measuring, scores

HELP = "execute the notebooks that changed, publish their figures and tables, print the scoreboard"


def configure(parser):
    parser.add_argument("papers", nargs="*", metavar="PAPER", help="papers to run (default: all)")
    options.add(parser, "notebooks")


def main(project, args):
    """Run what is stale, write the scoreboard, and return 1 if a run or the check failed."""
    planned = runs.make(project, args.papers, args.profile, options.assignments(args), args.data)
    committed_values.refuse_edited_defaults(project, planned)
    ledger.load_all(project)  # so that a mistake in a ledger is reported before an hour of computing
    fresh, stale = split(project, planned, args.force)
    stale.sort(key=lambda run: _expected(project, run), reverse=True)
    for run in fresh:
        print(run.state(project, "up to date"))
    engine = options.engine(project, args)
    start = time.monotonic()
    failed = len(bring_up_to_date(project, stale, engine, progress.of_runs, args.force))
    if stale:
        print(progress.took(len(stale), "notebook", time.monotonic() - start))
    measuring.refresh(project, planned[0].family)  # of papers that were up to date
    outcome = scores.write_scores(project, planned[0].family)
    # Of papers that were not asked for, or failed; and what another machine had made.
    older = origin.notes(project, planned[0].family) + committed.notes(project, planned[0].family)
    print("", *outcome.lines, *older, "", sep="\n")
    if failed:
        print(f"{failed} of {len(planned)} notebooks failed; their earlier results were kept")
    print(f"Results: {', '.join(_places(project, planned))}; scoreboard: {project.shown(outcome.file)}")
    return 1 if failed or outcome.failed else 0


def _expected(project, run):
    """Return a sort key for how long a run takes: the longest starts first, so no core idles at the end.

    In a fresh clone there is no record of a run yet, and the notebooks' own estimates stand in. Runs without
    either come first, ordered by their number of cells.
    """
    seconds = record.seconds(project, run) or run.notebook.seconds
    return seconds is None, seconds or len(run.notebook.cells)


def _places(project, planned):
    folders = [run.destination.folder for run in planned]
    return [project.shown(folder) for folder in folders if folder.exists()] or ["none yet"]

"""`run`: execute what changed, publish it, and end with the scoreboard."""

import time

from reproduce import ledger, plan, progress, record, score
from reproduce.commands import options
from reproduce.driver import bring_up_to_date, split

HELP = "execute the notebooks that changed and publish their figures and tables"


def configure(parser):
    parser.add_argument("papers", nargs="*", metavar="PAPER", help="all of them if none is named")
    options.add(parser, "notebooks")


def main(project, args):
    runs = plan.make(project, args.papers, args.profile, args.assignments, args.data)
    ledger.load_all(project)  # a mistake in one is better told before an hour of computing
    fresh, stale = split(project, runs, args.force)
    stale.sort(key=lambda run: _expected(project, run), reverse=True)
    for run in fresh:
        print(run.state(project, "up to date"))
    engine = options.engine(project, args)
    start = time.monotonic()
    failed = len(bring_up_to_date(project, stale, engine, progress.of_runs, args.force))
    if stale:
        print(progress.took(len(stale), "notebook", time.monotonic() - start))
    outcome = score.check(project, runs[0].family)
    print("", *outcome.lines, "", sep="\n")
    if failed:
        print(f"{failed} of {len(runs)} notebooks failed; what they had published before stands as it was")
    print(f"Results: {', '.join(_places(project, runs))}; scoreboard: {project.shown(outcome.file)}")
    return 1 if failed or outcome.failed else 0


def _expected(project, run):
    """How long a run may take: the longest goes first, so that no core is idle at the end.

    Where it was never made here, the number of cells has to do; that is no time, so it goes before others.
    """
    seconds = record.seconds(project, run)
    return seconds is None, seconds or len(run.notebook.cells)


def _places(project, runs):
    return [project.shown(run.destination.folder) for run in runs if run.destination.folder.exists()] or [
        "none yet"
    ]

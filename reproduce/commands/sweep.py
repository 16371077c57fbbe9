"""`sweep`: run a notebook once for each point of a grid of parameter values, and tabulate the results."""

import argparse
import time
from pathlib import Path

from reproduce.commands import options, progress
from reproduce.errors import InvalidGrid
from reproduce.execution.driver import bring_up_to_date, split
from reproduce.publication import record
from reproduce.sweeps import designs, points
from reproduce.sweeps.publish import publish

HELP = "run a notebook once for each point of a grid of parameters, and write one table of all results"
EPILOG = """\
Values are v1,v2,... or start:stop:step, or both mixed, as in noise=0,0.1:0.4:0.1. A range
includes its stop if a step lands on it. A value that is a list stands in brackets, as in
noise_rates=[0,0.1],[0.2].

Several --grid give all combinations, of which the last parameter changes fastest. Several --zip
are walked together: the first values of all, the second values of all, and so on.

A sweep that was interrupted goes on when the same command is given again; with --open, also while it
runs, it shows what there is so far."""


class _InOrder(argparse.Action):
    def __call__(self, parser, namespace, value, option_string=None):
        namespace.axes = [*namespace.axes, (option_string.lstrip("-"), value)]


def configure(parser):
    """Add the command's arguments to its parser."""
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("paper", metavar="PAPER", help="the paper whose notebook is run")
    for name, meaning in (
        ("--grid", "values of a parameter, combined with those of every other --grid"),
        ("--zip", "values of a parameter, walked together with those of the other --zip"),
    ):
        parser.add_argument(
            name, dest="axes", action=_InOrder, default=[], metavar="name=values", help=meaning
        )
    parser.add_argument(
        "--design",
        type=Path,
        metavar="FILE",
        help="a CSV file: names of parameters, then a row for each point",
    )
    for how, meaning in (
        (designs.LATIN, "a Latin hypercube of N points within the ranges of --between"),
        (designs.RANDOM, "N independent points within the ranges of --between"),
    ):
        parser.add_argument(f"--{how}", type=options.positive, metavar="N", help=meaning)
    parser.add_argument(
        "--between",
        action="append",
        default=[],
        metavar="name=low:high",
        help="the range of a parameter for --latin or --random; name=low:high:log for a logarithmic one",
    )
    parser.add_argument(
        "--draw",
        type=options.not_negative,
        default=0,
        metavar="SEED",
        help="seed of the points drawn (default: 0)",
    )
    options.add(parser, "points")
    parser.add_argument("--limit", type=options.positive, metavar="N", help="run the first N points only")
    parser.add_argument("--dry-run", action="store_true", help="print the points and run nothing")
    parser.add_argument(
        "--open",
        action="store_true",
        help="run nothing: make the table and the plots of the points that have run, also while others do, "
        "and print where they are",
    )
    parser.add_argument(
        "--no-notebooks", action="store_true", help="do not keep each point's notebook as it ran"
    )
    parser.add_argument("--yes", action="store_true", help="allow more than 10,000 points")


def main(project, args):
    """Run what is stale of all points, publish their tables, and return 1 if a run failed."""
    assignments = options.assignments(args)
    chosen = args.profile, assignments, args.data, args.limit, args.yes, not args.no_notebooks
    sweep = points.make(project, args.paper, _axes(args), *chosen)
    if args.dry_run:
        return _dry_run(project, sweep)
    fresh, stale = split(project, sweep.runs, args.force and not args.open)
    print(f"{sweep.paper}: {len(sweep.runs):,} points, {len(fresh):,} of them up to date", flush=True)
    if args.open:
        print(*publish(project, sweep, fresh), sep="\n")
        return 0
    engine = options.engine(project, args)
    start = time.monotonic()
    failed = bring_up_to_date(project, stale, engine, progress.of_points, args.force)
    if stale:
        print(progress.took(len(stale), "point", time.monotonic() - start))
    broken = {finished.run.name for finished in failed}
    done = [run for run in sweep.runs if run.name not in broken]
    print(*publish(project, sweep, done, failed), sep="\n")
    return 1 if failed else 0


def _axes(args):
    """Return what is to be swept, as `grid.read_grid` takes it."""
    if args.between and not (args.latin or args.random):
        raise InvalidGrid("--between says where points are drawn: give --latin N or --random N, too")
    axes = [(designs.FILE, args.design)] if args.design else []
    counts = {designs.LATIN: args.latin, designs.RANDOM: args.random}
    axes += [(how, (count, args.between, args.draw)) for how, count in counts.items() if count]
    return axes + args.axes  # the points of a design first, with all seeds of a grid at each


def _dry_run(project, sweep):
    stale = 0
    for i, run in enumerate(sweep.runs, 1):
        reason = record.stale_because(project, run)
        stale += bool(reason)
        print(f"{i:>{len(str(len(sweep.runs)))}}  {run.name}  {'to run' if reason else 'up to date'}")
    print(f"{len(sweep.runs)} points: {len(sweep.runs) - stale} up to date, {stale} to run; nothing was run")
    return 0

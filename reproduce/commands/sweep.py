"""`sweep`: one run per point of a grid of parameter values, in parallel, and one table of all results."""

import argparse
import time

from reproduce.commands import options, progress
from reproduce.execution.driver import bring_up_to_date, split
from reproduce.publication import record
from reproduce.sweeps import points
from reproduce.sweeps.publish import publish

HELP = "run a notebook over a grid of parameters, into one tidy table"
EPILOG = """\
values: v1,v2 or start:stop:step, where the stop belongs to it if a step lands on it, or both mixed.
Several --grid make a product, the last one fastest; all --zip together are one axis of it.
A list as a value stands in brackets: noise_rates=[0,0.1],[0.2]. Where a sweep was stopped, the
same call goes on."""


class _InOrder(argparse.Action):
    def __call__(self, parser, namespace, value, option_string=None):
        namespace.axes = [*namespace.axes, (option_string.lstrip("-"), value)]


def configure(parser):
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("paper", metavar="PAPER")
    for name, meaning in (("--grid", "values of a parameter"), ("--zip", "values to be walked together")):
        parser.add_argument(
            name, dest="axes", action=_InOrder, default=[], metavar="name=values", help=meaning
        )
    options.add(parser, "points")
    parser.add_argument("--limit", type=options.positive, metavar="N", help="only the first N points")
    parser.add_argument("--dry-run", action="store_true", help="print the points and run nothing")
    parser.add_argument("--yes", action="store_true", help="run more than 10,000 points")


def main(project, args):
    sweep = points.make(
        project, args.paper, args.axes, args.profile, args.assignments, args.data, args.limit, args.yes
    )
    if args.dry_run:
        return _dry_run(project, sweep)
    fresh, stale = split(project, sweep.runs, args.force)
    print(f"{sweep.paper}: {len(sweep.runs):,} points, {len(fresh):,} of them up to date", flush=True)
    engine = options.engine(project, args)
    start = time.monotonic()
    failed = bring_up_to_date(project, stale, engine, progress.of_points, args.force)
    if stale:
        print(progress.took(len(stale), "point", time.monotonic() - start))
    print(*publish(project, sweep, failed), sep="\n")
    return 1 if failed else 0


def _dry_run(project, sweep):
    stale = 0
    for i, run in enumerate(sweep.runs, 1):
        reason = record.stale_because(project, run)
        stale += bool(reason)
        print(f"{i:>{len(str(len(sweep.runs)))}}  {run.name}  {'to run' if reason else 'up to date'}")
    print(f"{len(sweep.runs)} points: {len(sweep.runs) - stale} up to date, {stale} to run; nothing was run")
    return 0

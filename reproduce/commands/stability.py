"""`stability`: the verdicts with other seeds than the committed one."""

import argparse
import time

from reproduce.commands import options, progress
from reproduce.errors import UsageError
from reproduce.execution.driver import bring_up_to_date, split
from reproduce.scoring import ledger
from reproduce.stability import evidence, rows, seeds, summary

HELP = "run each notebook with other seeds, and show which verdicts and standard errors depend on them"
SEEDS, MOST = 20, 1000


def configure(parser):
    """Add the command's arguments to its parser."""
    parser.add_argument(
        "papers", nargs="*", metavar="PAPER", help="papers to run (default: all that have a ledger)"
    )
    parser.add_argument(
        "--seeds",
        type=_count,
        default=SEEDS,
        metavar="N",
        help=f"number of other seeds than the notebook's own 0, up to {MOST}: 1, 2, ... (default: {SEEDS})",
    )
    options.add(parser, "runs", assignments=False)


def main(project, args):
    """Run what is stale of all seeds, write the tables, and return 1 if a run failed."""
    ledgers = ledger.load_all(project)
    papers = [p for p in project.choose(args.papers) if p in ledgers or p in args.papers]
    without = [p for p in papers if p not in ledgers]
    if without or not papers:
        raise UsageError(f"{without[0] if without else 'no paper'} has no ledger in {project.claims}")
    studies = [seeds.plan(project, paper, args.seeds, args.profile, args.data) for paper in papers]
    runs = [run for study in studies for run in study.runs.values()]
    fresh, stale = split(project, runs, args.force)
    count = f"{len(papers)} paper{'s' if len(papers) > 1 else ''}"
    print(f"{count}, {args.seeds} seeds: {len(fresh)} of {len(runs)} runs up to date", flush=True)
    engine = options.engine(project, args)
    start = time.monotonic()
    failed = bring_up_to_date(project, stale, engine, progress.of_points, args.force)
    if stale:
        print(progress.took(len(stale), "run", time.monotonic() - start))
    for study in studies:
        print("", *_report(project, study, ledgers[study.paper], failed), sep="\n")
    return 1 if failed else 0


def _report(project, study, claims, failed):
    lines = [line for finished in failed if finished.run.paper == study.paper for line in finished.lines]
    if lines:
        return [*lines, f"{study.paper}: no table, the same call runs again what failed"]
    found = rows.stability_of_rows(study.paper, claims, seeds.measured(study), study.data)
    place = evidence.write_stability(project, study, claims, found)
    return [*summary.lines(study, found), f"Stability: {project.shown(place)}"]


def _count(text):
    if not text.isdecimal() or not 2 <= int(text) <= MOST:
        raise argparse.ArgumentTypeError(f"must be a whole number in [2, {MOST}], not {text!r}")
    return int(text)

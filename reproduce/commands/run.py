"""`run`: execute what changed, publish it, and end with the scoreboard."""

import argparse

from reproduce import ledger, plan, score
from reproduce.driver import bring_up_to_date

HELP = "execute the notebooks that changed and publish their figures and tables"


def configure(parser):
    parser.add_argument("papers", nargs="*", metavar="PAPER", help="all of them if none is named")
    parser.add_argument(
        "--profile", default="paper", help="paper (default): the papers' own scale; smoke: seconds"
    )
    parser.add_argument(
        "-p",
        dest="assignments",
        action="append",
        default=[],
        metavar="name=value",
        help="another value for a parameter",
    )
    parser.add_argument(
        "--data", choices=["bundled", "full"], default="bundled", help="bundled works offline"
    )
    parser.add_argument(
        "--jobs", type=_positive, metavar="N", help="notebooks at a time (default: the cores)"
    )
    parser.add_argument("--force", action="store_true", help="run also what is up to date")


def main(project, args):
    runs = plan.make(project, args.papers, args.profile, args.assignments, args.data)
    ledger.load_all(project)  # a mistake in one is better told before an hour of computing
    failed = bring_up_to_date(project, runs, args.jobs, args.force)
    outcome = score.check(project, runs[0].family)
    print("", *outcome.lines, "", sep="\n")
    if failed:
        print(f"{failed} of {len(runs)} notebooks failed; what they had published before stands as it was")
    print(f"Results: {', '.join(_places(project, runs))}; scoreboard: {project.shown(outcome.file)}")
    return 1 if failed or outcome.failed else 0


def _places(project, runs):
    return [project.shown(run.destination.folder) for run in runs if run.destination.folder.exists()] or [
        "none yet"
    ]


def _positive(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number >= 1, not {text!r}")
    return int(text)

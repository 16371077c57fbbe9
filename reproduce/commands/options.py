"""Options that several commands share."""

import argparse
import re

from reproduce.errors import UnknownName
from reproduce.execution.pool import Engine
from reproduce.paths import Family
from reproduce.planning import profiles


def add(parser, what):
    """Add the options of a command that executes `what`."""
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
    parser.add_argument("--jobs", type=positive, metavar="N", help=f"{what} at a time (default: the cores)")
    parser.add_argument(
        "--scheduler",
        type=_address,
        metavar="ADDRESS",
        help="of a dask scheduler whose workers share this file system, as in tcp://host:8786",
    )
    parser.add_argument("--force", action="store_true", help="run also what is up to date")


def add_family(parser):
    """Add the options of a command that reads the results of runs."""
    parser.add_argument("--profile", default="paper", help="paper (default) or smoke")
    parser.add_argument(
        "--data", choices=["bundled", "full"], default="bundled", help="of the smoke runs; paper shows both"
    )


def family(project, args):
    """Return the family of runs that `add_family`'s options name."""
    known = profiles.load(project)
    if args.profile not in known:
        raise UnknownName("profile", args.profile, known)
    return Family(args.profile, args.data)


def engine(project, args):
    """Return the workers that were asked for."""
    from reproduce.planning.key import packages

    scheduler = getattr(args, "scheduler", None)
    needed = packages(project) if scheduler else {}
    return Engine(project.build / "dask", args.jobs, scheduler, needed)


def positive(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number >= 1, not {text!r}")
    return int(text)


def _address(text):
    found = re.fullmatch(r"(?:tcp|tls|ucx|wss?)://.+:(\d+)/?", text)
    if not found or int(found[1]) > 65535:
        raise argparse.ArgumentTypeError(f"is an address such as tcp://host:8786, not {text!r}")
    return text

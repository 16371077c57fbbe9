"""Shared options of the commands."""

import argparse
import json
import re
from pathlib import Path

from reproduce.errors import UnknownName, UsageError
from reproduce.execution.pool import Engine
from reproduce.paths import Family
from reproduce.planning import profiles

DATA = ["bundled", "full"]
PROFILES = "set of parameters: paper, the papers' own scale (default), or smoke, small examples"
KINDS_OF_DATA = (
    "bundled: the data sets that come with the packages (default); full: the papers' own, from the folder "
    "that PAPERLIB_DATA names or from OpenML"
)


def add(parser, what, assignments=True):
    """Add the options of a command that executes `what`, a noun in the plural; `-p` where it takes it."""
    parser.add_argument("--profile", default="paper", help=PROFILES)
    if assignments:
        parser.add_argument(
            "-p",
            dest="assignments",
            action="append",
            default=[],
            metavar="name=value",
            help="set a parameter to another value; can be given several times",
        )
        parser.add_argument(
            "-f",
            dest="values",
            type=Path,
            metavar="FILE",
            help="a YAML file with values of parameters, as papermill takes it; -p goes before it",
        )
    parser.add_argument("--data", choices=DATA, default="bundled", help=KINDS_OF_DATA)
    parser.add_argument(
        "--jobs",
        type=positive,
        metavar="N",
        help=f"number of {what} that run at the same time (default: the number of cores)",
    )
    parser.add_argument(
        "--scheduler",
        type=_address,
        metavar="ADDRESS",
        help="run on a dask cluster; its address, as in tcp://host:8786",
    )
    parser.add_argument("--force", action="store_true", help=f"run {what} that are up to date, too")


def add_family(parser):
    """Add the options of a command that reads the results of runs."""
    parser.add_argument("--profile", default="paper", help=PROFILES)
    parser.add_argument(
        "--data",
        choices=DATA,
        default="bundled",
        help="data of the runs to read (default: bundled); with the profile paper both are shown",
    )


def family(project, args):
    """Return the family of runs that `add_family`'s options name."""
    known = profiles.load_profiles(project)
    if args.profile not in known:
        raise UnknownName("profile", args.profile, known)
    return Family(args.profile, args.data)


def engine(project, args):
    """Return the workers that the options of `add` ask for."""
    from reproduce.planning.key import packages

    scheduler = getattr(args, "scheduler", None)
    needed = (packages(project), project.packages) if scheduler else ()
    return Engine(project.build / "dask", args.jobs, scheduler, *needed)


def assignments(args):
    """Return `name=value` of all values that are given: with -p, and of the file of -f those that are not."""
    named = {text.partition("=")[0].strip() for text in args.assignments}
    return [*(text for name, text in _of_file(args.values) if name not in named), *args.assignments]


def _of_file(path):
    if path is None:
        return []
    import yaml

    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UsageError(f"-f {path}: cannot be read: {' '.join(str(error).split())}") from None
    if not isinstance(content, dict) or not all(isinstance(name, str) for name in content):
        raise UsageError(f"-f {path}: must hold lines such as `noise: 0.1`, a value for each name")
    return [(name, f"{name}={_as_text(path, name, value)}") for name, value in content.items()]


def _as_text(path, name, value):
    try:
        return value if isinstance(value, str) else json.dumps(value)
    except (TypeError, ValueError):  # such as a date
        raise UsageError(
            f"-f {path}: {name} must be a number, a text, true, false, null or a list of these, got {value}"
        ) from None


def positive(text, least=1):
    """Read an integer that an option takes, of `least` or more."""
    if not text.isdecimal() or int(text) < least:
        raise argparse.ArgumentTypeError(f"must be an integer >= {least}, got {text!r}")
    return int(text)


def not_negative(text):
    return positive(text, 0)


def _address(text):
    found = re.fullmatch(r"(?:tcp|tls|ucx|wss?)://.+:(\d+)/?", text)
    if not found or int(found[1]) > 65535:
        raise argparse.ArgumentTypeError(f"must be an address such as tcp://host:8786, got {text!r}")
    return text

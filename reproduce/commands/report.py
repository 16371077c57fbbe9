"""`report`: everything on one page that works from the disk."""

from reproduce import profiles
from reproduce.errors import UnknownName
from reproduce.paths import Family

HELP = "one HTML page: the scoreboard, each claim beside its figure or table, the executed notebooks"


def configure(parser):
    parser.add_argument("--profile", default="paper", help="paper (default) or smoke")
    parser.add_argument(
        "--data", choices=["bundled", "full"], default="bundled", help="of the smoke runs; paper shows both"
    )


def main(project, args):
    from reproduce.report import build  # the other commands need neither nbconvert nor jinja2

    known = profiles.load(project)
    if args.profile not in known:
        raise UnknownName("profile", args.profile, known)
    file = build.write(project, Family(args.profile, args.data))
    print(f"Report: {project.shown(file)} ({_size(file.stat().st_size)})")
    return 0


def _size(count):
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{count / 1e3:.0f} kB"

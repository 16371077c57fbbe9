"""`check`: what was measured against what is printed; exit 1 if a claim that must hold does not."""

from reproduce import profiles, score
from reproduce.errors import UnknownName
from reproduce.paths import Family

HELP = "hold what was measured against what the papers print"


def configure(parser):
    parser.add_argument("--profile", default="paper", help="paper (default) or smoke")
    parser.add_argument(
        "--data", choices=["bundled", "full"], default="bundled", help="of the smoke runs; paper shows both"
    )


def main(project, args):
    known = profiles.load(project)
    if args.profile not in known:
        raise UnknownName("profile", args.profile, known)
    outcome = score.check(project, Family(args.profile, args.data))
    print(*outcome.lines, "", f"Scoreboard: {project.shown(outcome.file)}", sep="\n")
    return 1 if outcome.failed else 0

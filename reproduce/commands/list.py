"""`list`: print the papers, their parameters, and whether their results are up to date."""

from reproduce.commands import options
from reproduce.planning import runs
from reproduce.publication import record

HELP = "print each paper's parameters with type, value, range and meaning, and whether it is up to date"


def configure(parser):
    parser.add_argument("papers", nargs="*", metavar="PAPER", help="papers to list (default: all)")
    parser.add_argument("--profile", default="paper", help=options.PROFILES)
    parser.add_argument("--data", choices=options.DATA, default="bundled", help=options.KINDS_OF_DATA)


def main(project, args):
    for i, run in enumerate(runs.make(project, args.papers, args.profile, data=args.data)):
        reason = record.stale_because(project, run)
        state = f"stale: {reason}" if reason else "up to date"
        print(
            *([""] if i else []),
            f"{run.paper} -> {project.shown(run.destination.folder)} ({state})",
            sep="\n",
        )
        print(*_parameters(run), sep="\n")
    return 0


def _parameters(run):
    known = [run.notebook.parameters[name] for name in run.parameters]
    table = [
        [p.name, p.type_name, repr(run.parameters[p.name]), p.allowed.text if p.allowed else "", p.meaning]
        for p in known
    ]
    columns = [column for column in zip(*table) if any(column)]
    widths = [max(map(len, column)) for column in columns]
    return [("  " + "  ".join(x.ljust(w) for x, w in zip(row, widths))).rstrip() for row in zip(*columns)]

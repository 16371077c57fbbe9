"""`list`: print the papers, their parameters, and whether their results are up to date."""

from reproduce.commands import options
from reproduce.planning import runs
from reproduce.publication import origin, record

HELP = "print each paper's parameters with type, value, range and meaning, and whether it is up to date"


def configure(parser):
    """Add the command's arguments to its parser."""
    parser.add_argument("papers", nargs="*", metavar="PAPER", help="papers to list (default: all)")
    parser.add_argument("--profile", default="paper", help=options.PROFILES)
    parser.add_argument("--data", choices=options.DATA, default="bundled", help=options.KINDS_OF_DATA)


def main(project, args):
    """Print where each paper's results are, whether they are up to date, and its parameters."""
    for i, run in enumerate(runs.make(project, args.papers, args.profile, data=args.data)):
        print(
            *([""] if i else []),
            f"{run.paper} -> {project.shown(run.destination.folder)} ({_state(project, run)})",
            sep="\n",
        )
        print(*_parameters(run), sep="\n")
    return 0


def _state(project, run):
    reason = record.stale_because(project, run)
    if not reason:
        return "up to date"
    block = origin.of_run(project, run) if run.family.is_the_papers_own else {}
    known = record.read_record(project, run.destination) or {}
    if block and known.get("key") != block.get("key") and origin.is_of_these_sources(project, run, block):
        return "as committed" if block["key"] == run.key else "as committed, made with other versions"
    return f"stale: {reason}"


def _parameters(run):
    known = [run.notebook.parameters[name] for name in run.parameters]
    table = [
        [p.name, p.type_name, repr(run.parameters[p.name]), p.allowed.text if p.allowed else "", p.meaning]
        for p in known
    ]
    columns = [column for column in zip(*table) if any(column)]
    widths = [max(map(len, column)) for column in columns]
    return [("  " + "  ".join(x.ljust(w) for x, w in zip(row, widths))).rstrip() for row in zip(*columns)]

"""`report`: write all results to one HTML page that can be opened without a server."""

from reproduce.commands import options

HELP = "write one HTML page: scoreboard, each claim beside its figure or table, executed notebooks"


def configure(parser):
    options.add_family(parser)


def main(project, args):
    from reproduce.report import build  # the other commands need neither nbconvert nor jinja2

    file = build.write(project, options.family(project, args))
    print(f"Report: {project.shown(file)} ({_size(file.stat().st_size)})")
    return 0


def _size(count):
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{count / 1e3:.0f} kB"

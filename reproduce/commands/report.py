"""`report`: all results on one page that works from the disk."""

from reproduce.commands import options

HELP = "one HTML page: the scoreboard, each claim beside its figure or table, the executed notebooks"


def configure(parser):
    options.add_family(parser)


def main(project, args):
    from reproduce.report import build  # the other commands need neither nbconvert nor jinja2

    file = build.write(project, options.family(project, args))
    print(f"Report: {project.shown(file)} ({_size(file.stat().st_size)})")
    return 0


def _size(count):
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{count / 1e3:.0f} kB"

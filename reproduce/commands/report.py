"""`report`: the static site as one zip file, to pass on."""

from reproduce.commands import options

HELP = "make the static site as one zip file, to pass on"


def configure(parser):
    options.add_family(parser)


def main(project, args):
    """Build the site as one file."""
    from reproduce.site import build

    file = build.zipped(project, options.family(project, args))
    print(f"Report: {project.shown(file)} ({file.stat().st_size / 1e6:.1f} MB)")
    return 0

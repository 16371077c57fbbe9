"""`crate`: published results as an RO-Crate, for archives and for programs."""

from reproduce.paths import Family
from reproduce.publication import crate, origin

HELP = "put the published results into a folder as an RO-Crate, with what made each file"


def configure(parser):
    parser.add_argument("folder", metavar="FOLDER", help="a new or an empty folder")


def main(project, args):
    """Write the crate, and say where published results are older than the sources."""
    files, runs = crate.write_crate(project, args.folder)
    print(*origin.notes(project, Family()), f"RO-Crate: {args.folder} ({files} files, {runs} runs)", sep="\n")
    return 0

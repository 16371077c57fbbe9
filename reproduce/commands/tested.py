"""`tested`: choose the tests that the site names beside each claim."""

from reproduce.site import tests_of_claims

HELP = "run the tests of a paper, and choose those of each claim by what they and its steps enter"


def configure(parser):
    parser.add_argument("paper", metavar="PAPER")


def main(project, args):
    """Write the table of the tests that depend on what a paper's claims come from."""
    [paper] = project.choose([args.paper])
    print(project.shown(tests_of_claims.write_tests(project, paper)))
    return 0

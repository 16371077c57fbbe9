"""`processors`: the notebooks' results as older processors make them; exit 1 if a file differs."""

import os
import subprocess
import sys

from reproduce.commands import options
from reproduce.errors import UnknownName
from reproduce.paths import HOME
from reproduce.planning import runs
from reproduce.processors import copies, emulation

PROFILE = "smoke"
HELP = "make the results of small runs as older processors would, and list the files that differ"


def configure(parser):
    """Add the command's arguments to its parser."""
    parser.add_argument("papers", nargs="*", metavar="PAPER", help="all if none is named")
    parser.add_argument(
        "--only", metavar="PROCESSOR", default=None, help="avx2 or sse; both if it is not given"
    )
    parser.add_argument("--profile", default=PROFILE, help=f"default: {PROFILE}")
    parser.add_argument(
        "--jobs", type=options.positive, metavar="N", help="notebooks at a time (default: the cores)"
    )


def main(project, args):
    """Run the notebooks in a copy for each processor, and return 1 if a file differs."""
    papers = project.choose(args.papers)
    runs.make(project, papers, args.profile)  # a mistake is found before anything is copied
    environments = emulation.environments()
    if args.only not in {None, *environments} - {emulation.THIS}:
        raise UnknownName("processor", args.only, [name for name in environments if name != emulation.THIS])
    names = [emulation.THIS, *([args.only] if args.only else list(environments)[1:])]
    made = {}
    # All copies first: an edit while the first processor's notebooks run would look like a difference.
    projects = {name: copies.make_copy(project, name) for name in names}
    for name, copy in projects.items():
        print(f"{name}: {', '.join(papers)}", flush=True)
        _run(copy, papers, args.profile, environments[name], args.jobs)
        made[name] = {paper: copies.results(copy, paper, args.profile) for paper in papers}
    failed = False
    for name in names[1:]:
        for paper in papers:
            here, there = made[emulation.THIS][paper], made[name][paper]
            other = copies.differing(here, there)
            failed |= bool(other) or not here or not there
            print(f"{paper}, {name}: {_count(here and there, other)}")
    return 1 if failed else 0


def _run(copy, papers, profile, environment, jobs):
    """Run the driver on a copy, in a process of its own: libraries look at the processor when they start."""
    command = [sys.executable, "-m", "reproduce", "run", *papers, "--project", str(copy.root)]
    command += ["--profile", profile, *(["--jobs", str(jobs)] if jobs else [])]
    with subprocess.Popen(
        command, cwd=HOME, env=os.environ | environment, stdout=subprocess.PIPE, text=True
    ) as driver:
        try:
            printed, _ = driver.communicate()
        except KeyboardInterrupt:
            driver.terminate()  # it ends its kernels, which may take longer than `run` would give it
            driver.wait()
            raise
    # Small runs may leave claims that do not hold; what counts here are their files.
    if driver.returncode > 1:
        print(printed, end="")


def _count(here, other):
    if not here:
        return "no results"
    return f"{len(here)} files, {'the same bytes' if not other else 'other bytes in ' + ', '.join(other)}"

"""`power`: each notebook with each committed fault; exit 1 if a named fault does not turn its row."""

import time

from reproduce.commands import options, progress
from reproduce.errors import UnknownName, UsageError
from reproduce.execution import cluster
from reproduce.execution.outcomes import Failure
from reproduce.power import evidence, faults, matrix, trials

HELP = "run each notebook with each committed fault, and show which rows of the ledger notice"


def configure(parser):
    """Add the command's arguments to its parser."""
    parser.add_argument(
        "papers", nargs="*", metavar="PAPER", help="papers to try (default: all that have faults)"
    )
    parser.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="ID",
        help="id of a fault to try; can be given several times (default: all; on the full data, those that a "
        "row names and that do not turn it on the bundled data)",
    )
    parser.add_argument(
        "--all-rows",
        action="store_true",
        help="try each fault on all rows, to find out which notice it (default: on those that name it, which "
        "takes a fraction of the time, and on all of them where none does)",
    )
    parser.add_argument(
        "--profile",
        default=None,
        help="default: the paper's own profile `power`, or smoke where it has none; on the full data "
        "`power-full`, or paper",
    )
    parser.add_argument(
        "--jobs",
        type=options.positive,
        metavar="N",
        help="number of faults tried at the same time (default: the number of cores)",
    )
    parser.add_argument(
        "--seconds",
        type=options.positive,
        metavar="N",
        help=f"limit on processor time for each fault, in seconds (default: {trials.TIMES} times that of the "
        f"run without a fault, at least {trials.LEAST})",
    )
    parser.add_argument(
        "--data",
        choices=evidence.NAMES,
        default="bundled",
        help="full: the papers' own data, in a profile of its own or at the papers' scale (default: bundled)",
    )
    parser.add_argument("--force", action="store_true", help="run also what was run before")


def main(project, args):
    """Run what is missing, the sound notebooks first, and return 1 if a named fault does not turn its row."""
    papers = [p for p in project.choose(args.papers) if args.papers or faults.load_faults(project, p)]
    if not papers:
        raise UsageError("no paper has faults: reproduce/faults/PAPER.toml holds them")
    known = {fault.id for paper in papers for fault in faults.load_faults(project, paper)}
    for name in args.fault:
        if name not in known:
            raise UnknownName("fault", name, known)
    chosen = dict.fromkeys(papers, args.fault)
    if args.data == "full" and not args.fault:
        chosen = {paper: evidence.left_for_full(project, paper) for paper in papers}
        papers = [paper for paper in papers if chosen[paper]]
        if not papers:
            raise UsageError("all faults turn their rows on the bundled data; --fault tries one on the full")
    plans = [_plan(project, paper, chosen[paper], args) for paper in papers]
    for plan in plans:
        trials.prepare(plan)
    start = time.monotonic()
    engine = options.engine(project, args)
    sound = [plan.jobs[trials.SOUND] for plan in plans]
    # The sound runs first: their traces say which faults can change a table, and their times give the limits.
    done = _perform(project, [job for job in sound if args.force or not _is_done(job)], engine)
    for plan in plans:
        trials.sound_ending(plan)
    jobs = [
        trials.with_limits(plan, job, args.seconds)
        for plan in plans
        for job in trials.missing(plan, args.force)
        if job.fault
    ]
    done += _perform(project, jobs, engine)
    if done:
        print(progress.took(done, "run", time.monotonic() - start))
    return _report(project, plans)


def _plan(project, paper, chosen, args):
    if args.data == "full" and not args.all_rows:
        found = evidence.read_power(project, paper)
        return evidence.plan_of_full(project, paper, found, args.profile, chosen)
    asked = {} if args.all_rows else None
    return trials.plan(project, paper, args.profile, chosen, args.data, asked)


def _is_done(job):
    """Return whether the sound notebook ran to its end."""
    ended = trials.ending(job)
    return ended is not None and ended["status"] == "done"


def _perform(project, jobs, engine):
    """Run the jobs, each followed by a line, and return how many there were."""
    if not jobs:
        return 0
    by_name = {job.name: job for job in jobs}
    outcomes = cluster.execute_all(iter(jobs), len(jobs), engine, lambda *_: None, trials.perform)
    with progress.of_jobs(by_name) as bar:
        for job, outcome in outcomes:
            if isinstance(outcome, Failure):
                bar.finished(job.name, outcome.report(job.name, job.paper), False)
                continue
            status, message, seconds = outcome
            text = f"{status} in {seconds:.0f} s" if status == "done" else f"{status}: {message}"
            bar.finished(job.name, [f"{job.name}: {text}"], status == "done")
    return len(jobs)


def _report(project, plans):
    complaints = []
    for plan in plans:
        found = matrix.matrix_of_plan(project, plan)
        print("", *_lines(found), sep="\n")
        if len(found.keys) == len(plan.jobs):
            print(f"Matrix: {project.shown(evidence.write_power(project, found))}")
        [other] = evidence.NAMES.keys() - {plan.data}
        complaints += found.complaints(evidence.read_power(project, plan.paper, other))
    if complaints:
        print("", *complaints, sep="\n")
    return 1 if complaints else 0


def _lines(found):
    """Return the matrix as text: the faults with a number each, then a line for each row."""
    names = [name for name in found.keys if name != trials.SOUND]
    yield f"{found.paper}, profile {found.profile}" + (", full data" if found.data == "full" else "")
    for number, name in enumerate(names, 1):
        status, message = found.endings[name]
        trouble = "" if status == "done" else f" ({status}: {message})"
        yield f"  {number:>3}  {name} [{found.kinds[name]}]{trouble}"
    tens = "".join(str(n // 10 or " ") for n in range(1, len(names) + 1))
    units = "".join(str(n % 10) for n in range(1, len(names) + 1))
    width = max(map(len, found.claims), default=0)
    yield from (f"{'':{width}}  {tens}", f"{'':{width}}  {units}")
    for row in found.claims:
        marks = "".join(found.marks[row, name] or " " for name in names)
        yield f"{row:{width}}  {marks}  {found.verdicts[row]}"
    yield "  ".join(f"{mark or '(none)'} {meaning}" for mark, meaning in matrix.LEGEND.items())
    held = [row for row, mark in found.verdicts.items() if mark in ("reproduced", "corrected", "differs")]
    by_kind = {row: {found.kinds[fault] for fault in found.turned_by(row)} for row in held}
    algorithm = sum("algorithm" in kinds for kinds in by_kind.values())
    other = sum(bool(kinds) and "algorithm" not in kinds for kinds in by_kind.values())
    yield (
        f"Of {len(held)} rows, {algorithm} are turned by a fault of an algorithm, {other} by others only, "
        f"{len(held) - algorithm - other} by none"
    )

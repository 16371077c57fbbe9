"""Runs of a notebook with one fault each, through the driver's own workers; what was run once is kept."""

import json
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path

from reproduce import reading
from reproduce.errors import UsageError
from reproduce.execution.warm_process import Trial, WarmProcess
from reproduce.library import identifier, write_whole
from reproduce.paths import Project
from reproduce.planning import key, runs, traces
from reproduce.planning import profiles as named
from reproduce.power import affected, faults
from reproduce.publication import results
from reproduce.scoring import ledger, measures

FULL_PROFILE = "power-full"  # the same with the full data; else the paper's own scale
OWN_PROFILE = "power"  # where profiles.toml has one for a paper; else its smoke runs are enough
LEAST = 60  # seconds of processor time for a fault, which finds most steps kept,
TIMES = 3  # or, where that is more, that many times what it takes without a fault, all kernels to compile
# The same for one step, which an error may make far longer, or never end; kernels with an error are compiled.
LEAST_OF_STEP, TIMES_OF_STEP = 40, 8
ENDING = {
    "status": str,
    "message": str,
    "cell": (int, None),
    "results": (dict, None),
    "seconds": float,
    "modules": [str],
    "trace": (dict, None),
    "steps": ({str: float}, None),
    "kept": ([str], None),
    "digests": {str: str},
}
SOUND = "-"  # the name of the notebook without a fault, beside the faults' ids
_warm = {}  # in a worker: root -> its warm process


@dataclass(frozen=True)
class Job:
    """One notebook with one fault, or with none, as it is sent to a worker: the work of one core."""

    name: str
    paper: str
    key: str  # of all that decides what the rows say, the processor and the packages apart
    project: Project
    fault: faults.Fault | None  # None for the sound library
    trial: Trial
    kernels: Path  # compiled code, of the sound library and of all faults
    kept: Path


@dataclass(frozen=True)
class Plan:
    """All that is tried on one paper: the sound library first, then each fault.

    Attributes
    ----------
    asked : dict
        `{fault's id: names, in Python, of the tables that the rows read which name it}`. Of all other tables
        its run takes the sound values. A fault that is not in it is tried on all tables.
    """

    paper: str
    profile: str
    data: str
    run: runs.Run
    jobs: dict  # fault's id, or SOUND -> Job
    asked: dict

    @cached_property
    def trace(self):
        """The trace of the sound run."""
        return traces.of_content(ending(self.jobs[SOUND])["trace"])

    @cached_property
    def met(self):
        """The numbers of the calls of steps that depend on what each fault edits."""
        project = self.jobs[SOUND].project
        faulty = {name: job.fault for name, job in self.jobs.items() if job.fault}
        return {name: affected.calls(project, self.trace, fault) for name, fault in faulty.items()}

    @cached_property
    def untried(self):
        """The tables that each fault can change, but that nobody asks it for."""
        return {name: affected.tables(self.trace, met - self.wanted(name)) for name, met in self.met.items()}

    @cached_property
    def tables(self):
        """The tables that each fault can change, and is tried on."""
        return {name: affected.tables(self.trace, met) - self.untried[name] for name, met in self.met.items()}

    def until(self, name):
        """Return the tables of the run that a fault is asked for; none where it is tried on all."""
        return [table for table in self.trace.tables if identifier(table) in self.asked.get(name, ())]

    def wanted(self, name):
        """Return the numbers of the calls of steps that a fault's run is for."""
        if name not in self.asked:
            return set(range(len(self.trace.calls)))
        return set(self.trace.behind(self.until(name)))


def tables_asked_for(project, paper, but=()):
    """Return `{fault's id: tables that the rows read which name it}`, but for some pairs of row and fault."""
    read, found = measures.tables_of_rows(project, paper), {}
    for claim in ledger.load_ledger(project.claims / f"{paper}.toml"):
        for fault in claim.faults:
            if (claim.id, fault) not in but:
                found.setdefault(fault, set()).update(read[claim.id])
    return found


def plan(project, paper, profile=None, chosen=(), data="bundled", asked=None):
    """Return what there is to try on a paper.

    Parameters
    ----------
    profile : str or None
        None takes the paper's `power` profile, or `smoke`; for the full data `power-full`, or `paper`.
    chosen : sequence of str
        Ids of faults; none means all.
    asked : dict or None
        As Plan has it; None means `tables_asked_for` all rows.

    Raises
    ------
    UsageError
        For a paper whose claims are not measured from the tables of steps.
    """
    if profile is None:
        own, other = (FULL_PROFILE, "paper") if data == "full" else (OWN_PROFILE, "smoke")
        profile = own if paper in named.load_profiles(project).get(own, {}) else other
    [run] = runs.make(project, [paper], profile, data=data)
    if not traces.has_steps(project, paper):
        raise UsageError(f"{paper}: errors are tried on claims that {paper}/claims.py measures from tables")
    known = {fault.id: fault for fault in faults.load_faults(project, paper)}
    asked = tables_asked_for(project, paper) if asked is None else asked
    source = project.source(run.notebook)
    trial = Trial(source, run.parameters | {"data": run.family.data})
    sources = {"notebook": run.notebook.digest(), "parameters": run.components["parameters"]}
    jobs = {}
    for name in (SOUND, *(name for name in known if not chosen or name in chosen)):
        fault = known.get(name)
        edits = fault.edits if fault else ()
        # The library is not in it: `ending` compares the digests of what the trial executed.
        tables = sorted(asked[name]) if name in asked else None
        kept = project.trial(paper, key.digest([sources, edits, run.key, tables])[:16])
        title = f"{paper} {name}" if fault else f"{paper} without a fault"
        tried = replace(trial, edits=edits, tables=kept.with_suffix(""))
        own = key.digest([edits])  # what the rows depend on besides is told row by row (`evidence`)
        jobs[name] = Job(title, paper, own, project, fault, tried, project.kernels(paper), kept)
    return Plan(paper, profile, data, run, jobs, asked)


def missing(plan, force=False):
    """Return the jobs of a plan still to be run: of faults, those that can change a table they are for."""
    wanted = [job for name, job in plan.jobs.items() if plan.tables.get(name, True)]
    return [job for job in wanted if force or ending(job) is None]


def outcome(plan, name):
    """Return the ending of a job of a plan, which of a fault that needs no run is that of the sound run."""
    job = plan.jobs[name]
    if job.fault and not plan.tables[name]:
        return ending(plan.jobs[SOUND]) | {"message": "no step behind its rows executes it"}
    return ending(job)


def ending(job):
    """Return what is kept of a job that was run, as a dict, or None."""
    try:
        kept = reading.json_file(job.kept, ENDING)
        if kept["results"] is not None:
            results.checked(kept["results"])
    except (OSError, ValueError):
        return None  # or of a version before some of these
    if kept["trace"] is not None and traces.of_content(kept["trace"]) is None:
        return None
    if not affected.sources(job.project, job.fault).are_same(kept["digests"]):
        return None
    return kept


def prepare(plan):
    """Write the notebook as it was read, for every worker to take it from."""
    write_whole(plan.jobs[SOUND].trial.notebook, plan.run.notebook.raw)


def sound_ending(plan):
    """Return what is kept of the run without a fault.

    Raises
    ------
    UsageError
        Where the notebook fails without a fault, too.
    """
    ended = ending(plan.jobs[SOUND])
    if ended is None or ended["status"] != "done":
        message = ended["message"] if ended else "its worker died"
        raise UsageError(f"{plan.paper} fails without a fault, in the profile {plan.profile}: {message}")
    return ended


def with_limits(plan, job, seconds=None):
    """Return a fault's job with what the sound run says: its time, and the modules that it needs.

    Parameters
    ----------
    seconds : int or None
        Processor time; None is `TIMES` that of the sound run with no step kept, and `LEAST` at least.
    """
    ended = sound_ending(plan)
    # A sound run whose steps were kept from an earlier one says nothing of a fault that none is kept of.
    sound = max(ended["seconds"], sum(ended["steps"].values()))
    seconds = seconds or int(max(LEAST, TIMES * sound))
    longest = {"": max(ended["steps"].values(), default=0)} | ended["steps"]
    limits = {name: max(LEAST_OF_STEP, TIMES_OF_STEP * each) for name, each in longest.items()}
    files = ended["kept"]
    taken = set(files) - {files[number] for number in plan.wanted(job.fault.id)} - {""}
    limited = replace(
        job.trial,
        seconds=seconds,
        step_seconds=limits,
        taken=tuple(sorted(taken)),
        until=tuple(plan.until(job.fault.id)),
        modules=tuple(ended["modules"]),
    )
    return replace(job, trial=limited)


def perform(job, _on_cell=None, _unwanted=None):
    """Try a job in this worker's warm process: the work of a worker."""
    from distributed import get_worker

    root = job.project.root
    if root not in _warm:
        # dask removes the folders of workers that were killed; nobody would look after one in /tmp.
        _warm[root] = WarmProcess(root, get_worker().local_directory)
    return tried(job, _warm[root])


def tried(job, warm):
    """Run a job in a warm process, keep how it ended, and return status, message and seconds."""
    job.kernels.mkdir(parents=True, exist_ok=True)
    ended = asdict(warm.run(replace(job.trial, kernels=str(job.kernels))))
    trace = traces.of_content(ended["trace"])
    try:
        ended["results"] is None or results.checked(ended["results"])
    except ValueError as error:  # a fault may have it measure anything
        ended |= {"status": "failed", "message": f"{results.NAME} is malformed: {error}", "results": None}
    ended["digests"] = affected.sources(job.project, job.fault).digests(trace.entered) if trace else {}
    write_whole(job.kept, json.dumps(ended) + "\n")
    return ended["status"], ended["message"], ended["seconds"]

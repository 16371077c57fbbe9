"""Runs of a notebook with one fault each, through the driver's own workers; what was run once is kept."""

import json
import shutil
import tempfile
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path

from reproduce import reading
from reproduce.errors import UsageError
from reproduce.execution.warm_process import Trial, WarmProcess
from reproduce.library import write_whole
from reproduce.paths import Project
from reproduce.planning import key, runs
from reproduce.planning import profiles as named
from reproduce.power import cells, faults, kernels

FULL_PROFILE = "paper"  # with the full data
OWN_PROFILE = "power"  # where profiles.toml has one for a paper; else its smoke runs are enough
LEAST = 120  # seconds of processor time for a fault,
TIMES = 3  # or, where that is more, that many times what the notebook takes with all kernels to compile
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
    library: str  # digest of the library's sources
    sound: Path  # kernels compiled from them
    kept: Path


@dataclass(frozen=True)
class Plan:
    """All that is tried on one paper: the sound library first, then each fault."""

    paper: str
    profile: str
    data: str
    run: runs.Run
    jobs: dict  # fault's id, or SOUND -> Job

    @cached_property
    def cells(self):
        """The notebook's cells, by what the sound run has shown."""
        return cells.of(json.loads(self.run.notebook.raw), ending(self.jobs[SOUND])["ran"])


def plan(project, paper, profile=None, chosen=(), data="bundled"):
    """Return what there is to try on a paper.

    Parameters
    ----------
    profile : str or None
        None takes the paper's `power` profile, or `smoke`; for the full data, `paper`.
    chosen : sequence of str
        Ids of faults; none means all.
    """
    if profile is None and data == "full":
        profile = FULL_PROFILE
    elif profile is None:
        profile = OWN_PROFILE if paper in named.load(project).get(OWN_PROFILE, {}) else "smoke"
    [run] = runs.make(project, [paper], profile, data=data)
    known = {fault.id: fault for fault in faults.load(project, paper)}
    source = project.source(run.notebook)
    trial = Trial(source, run.parameters | {"data": run.family.data})
    library = run.components["paperlib"]
    sound = project.kernels(f"{paper}-{key.texts(project, run.notebook)[:16]}")
    jobs = {}
    for name in (SOUND, *(name for name in known if not chosen or name in chosen)):
        fault = known.get(name)
        edits = fault.edits if fault else ()
        sources = {part: digest for part, digest in run.components.items() if part != "environment"}
        own = key.digest([sources, edits])
        kept = project.trial(paper, key.digest([own, run.key])[:16])
        title = f"{paper} {name}" if fault else f"{paper} without a fault"
        tried = replace(trial, edits=edits, watched=not fault)
        jobs[name] = Job(title, paper, own, project, fault, tried, library, sound, kept)
    return Plan(paper, profile, data, run, jobs)


def missing(plan, force=False):
    """Return the jobs of a plan that have not been run, or not with all the cells that they need."""
    return [job for job in plan.jobs.values() if force or ending(job) is None or _left_out(plan, job)]


def ending(job):
    """Return what is kept of a job that was run, as a dict, or None."""
    try:
        kept = reading.json_file(job.kept)
    except (OSError, ValueError):
        return None
    return kept if kept.keys() >= {"ran", "cells"} else None  # else of a version before these


def prepare(plan):
    """Write the notebook as it was read, for every worker to take it from."""
    write_whole(plan.jobs[SOUND].trial.notebook, plan.run.notebook.raw)


def with_limits(plan, job, seconds=None):
    """Return a fault's job with what the sound run says: its time, the cells to run, the modules they need.

    Parameters
    ----------
    seconds : int or None
        Processor time; None is `TIMES` that of the sound run, and `LEAST` at least.

    Raises
    ------
    UsageError
        Where the notebook fails without a fault, too.
    """
    ended = ending(plan.jobs[SOUND])
    if ended is None or ended["status"] != "done":
        message = ended["message"] if ended else "its worker died"
        raise UsageError(f"{plan.paper} fails without a fault, in the profile {plan.profile}: {message}")
    seconds = seconds or int(max(LEAST, TIMES * ended["seconds"]))
    run, modules = _needed(plan, job), tuple(ended["modules"])
    return replace(job, trial=replace(job.trial, seconds=seconds, cells=run, modules=modules))


def _needed(plan, job):
    """Return the numbers of the cells that a fault can reach."""
    return cells.needed(plan.cells, kernels.changed(job.project, job.fault))


def _left_out(plan, job):
    if job.fault is None or ending(plan.jobs[SOUND]) is None:
        return False
    ran = ending(job)["cells"]
    return ran is not None and not set(_needed(plan, job)) <= set(ran)


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
    with tempfile.TemporaryDirectory(prefix="reproduce-kernels-", dir=warm.folder) as folder:
        if job.fault is None:
            job.sound.mkdir(parents=True, exist_ok=True)
            folder = str(job.sound)
        else:
            kernels.copied(job.sound, folder, kernels.affected(job.project, job.fault))
        ended = asdict(warm.run(replace(job.trial, kernels=folder))) | {"cells": job.trial.cells}
    write_whole(job.kept, json.dumps(ended) + "\n")
    return ended["status"], ended["message"], ended["seconds"]


def forget_others(project, plan):
    """Drop compiled kernels of sources that are no more."""
    keep = plan.jobs[SOUND].sound
    for folder in keep.parent.glob(f"{plan.paper}-*"):
        if folder != keep:
            shutil.rmtree(folder, ignore_errors=True)

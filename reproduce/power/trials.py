"""Runs of a notebook with one fault each, through the driver's own workers; what was run once is kept."""

import json
import shutil
import tempfile
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from reproduce.execution.warm_process import Trial, WarmProcess
from reproduce.library import write_whole
from reproduce.planning import key, runs
from reproduce.planning import profiles as named
from reproduce.power import faults, kernels

OWN_PROFILE = "power"  # where profiles.toml has one for a paper; else its smoke runs are enough
SOUND = "-"  # the name of the notebook without a fault, beside the faults' ids
_warm = {}  # in a worker: root -> its warm process


@dataclass(frozen=True)
class Job:
    """One notebook with one fault, or with none, as it is sent to a worker: the work of one core."""

    name: str
    paper: str
    key: str  # of all that decides what the rows say, the processor and the packages apart
    project: object
    fault: object  # None for the sound library
    trial: Trial
    library: str  # digest of the library's sources
    sound: Path  # kernels compiled from them
    kept: Path


@dataclass(frozen=True)
class Plan:
    """All that is tried on one paper: the sound library first, then each fault."""

    paper: str
    profile: str
    run: object
    jobs: dict  # fault's id, or SOUND -> Job


def plan(project, paper, profile=None, chosen=(), seconds=None):
    """Return what there is to try on a paper.

    Parameters
    ----------
    profile : str or None
        None takes the paper's `power` profile, or `smoke`.
    chosen : sequence of str
        Ids of faults; none means all.
    seconds : int or None
        Limit of processor time for each; None is ten times what the sound run took, at least two minutes.
    """
    if profile is None:
        profile = OWN_PROFILE if paper in named.load(project).get(OWN_PROFILE, {}) else "smoke"
    [run] = runs.make(project, [paper], profile)
    known = {fault.id: fault for fault in faults.load(project, paper)}
    source = project.source(run.notebook)
    trial = Trial(source, run.parameters | {"data": run.family.data})
    if seconds:
        trial = replace(trial, seconds=seconds)
    library = run.components["paperlib"]
    sound = project.kernels(f"{paper}-{library[:16]}")
    jobs = {}
    for name in (SOUND, *(name for name in known if not chosen or name in chosen)):
        fault = known.get(name)
        edits = fault.edits if fault else ()
        sources = {part: digest for part, digest in run.components.items() if part != "environment"}
        own = key.digest([sources, edits])
        kept = project.trial(paper, key.digest([own, run.key])[:16])
        title = f"{paper} {name}" if fault else f"{paper} without a fault"
        jobs[name] = Job(title, paper, own, project, fault, replace(trial, edits=edits), library, sound, kept)
    return Plan(paper, profile, run, jobs)


def missing(plan, force=False):
    """Return the jobs of a plan that have not been run."""
    return [job for job in plan.jobs.values() if force or ending(job) is None]


def ending(job):
    """Return what is kept of a job that was run, as a dict, or None."""
    try:
        return json.loads(job.kept.read_text())
    except (OSError, ValueError):
        return None


def prepare(plan):
    """Write the notebook as it was read, for every worker to take it from."""
    write_whole(plan.jobs[SOUND].trial.notebook, plan.run.notebook.raw)


def perform(job, _on_cell=None, _unwanted=None):
    """Run a job in this worker's warm process, and keep how it ended: the work of a worker."""
    root = job.project.root
    if root not in _warm:
        _warm[root] = WarmProcess(root)
    with tempfile.TemporaryDirectory(prefix="reproduce-kernels-") as folder:
        trial = job.trial
        if job.fault is None:
            job.sound.mkdir(parents=True, exist_ok=True)
            trial = replace(trial, kernels=str(job.sound))
        else:
            kernels.copied(job.sound, folder, kernels.affected(job.project, job.fault))
            trial = replace(trial, kernels=folder)
        ended = asdict(_warm[root].run(trial))
    write_whole(job.kept, json.dumps(ended) + "\n")
    return ended["status"], ended["message"], ended["seconds"]


def forget_others(project, plan):
    """Drop compiled kernels of sources that are no more."""
    keep = plan.jobs[SOUND].sound
    for folder in keep.parent.glob(f"{plan.paper}-*"):
        if folder != keep:
            shutil.rmtree(folder, ignore_errors=True)

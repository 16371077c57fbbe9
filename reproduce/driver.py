"""Bring runs up to date: lock, execute what is stale, publish what succeeded."""

import os
from contextlib import ExitStack, closing
from dataclasses import dataclass

from reproduce import lock, provenance, record, results
from reproduce.errors import DiskError, ReproduceError
from reproduce.publish import Stage


@dataclass
class Job:
    """A stale run whose destination's lock is held."""

    run: object
    stage: Stage
    provenance: dict
    held: ExitStack


def bring_up_to_date(project, runs, jobs=None, force=False, say=print):
    """Execute every run that is not up to date.

    Parameters
    ----------
    jobs : int or None
        How many at a time; None is one per core.
    force : bool
        Execute all of them.

    Returns
    -------
    int
        How many failed.
    """
    with ExitStack() as locks:
        stale = []
        for run in sorted(runs, key=lambda run: run.paper):  # one order for all drivers: no deadlock
            if force or record.stale_because(project, run):
                job = _take(project, run, force, locks, say)
                if job:
                    stale.append(job)
                    continue
            say(f"{run.paper}: up to date -> {project.shown(run.destination.folder)}")
        return _execute(project, stale, jobs, say) if stale else 0


def _take(project, run, force, locks, say):
    """A job for the run, or None if another driver brought it up to date meanwhile."""
    held = locks.enter_context(ExitStack())
    waiting = f"{run.paper}: another driver is at it, waiting for it to finish"
    held.enter_context(lock.held(project.lock(run.destination), lambda: say(waiting)))
    if not force and not record.stale_because(project, run):
        held.close()
        return None
    stage = Stage(project, run.destination)
    held.callback(stage.discard)  # before the lock is let go: what is there later is another driver's
    return Job(run, stage, provenance.of(project, run), held)


def _execute(project, stale, jobs, say):
    from reproduce import cluster, progress

    by_name = {job.run.paper: job for job in stale}
    failed = 0
    with progress.reporter({job.run.paper: len(job.run.notebook.cells) for job in stale}) as bar:
        tasks = [_task(project, job) for job in stale]
        outcomes = cluster.execute_all(tasks, jobs or cluster.cores(), project.build / "dask", bar.cell)
        with closing(outcomes):  # the workers end here, also when this loop is interrupted
            for task, outcome in outcomes:
                job = by_name[task.name]
                bar.finished(task.name, isinstance(outcome, float))
                try:
                    lines = _settle(project, job, outcome)
                except (ReproduceError, OSError) as error:
                    outcome = DiskError.of(error) if isinstance(error, OSError) else error
                    lines = [f"{task.name}: {outcome}"]
                failed += not isinstance(outcome, float)
                for line in lines:
                    bar.say(line)
                job.held.close()
    return failed


def _settle(project, job, outcome):
    """Publish a run that succeeded; what there is to say about it either way."""
    run = job.run
    if not isinstance(outcome, float):
        executed = project.executed(run.destination)
        kept = [f"as far as it got: {project.shown(executed)}"] if executed.exists() else []
        first, *more = outcome.report(run.paper)
        return [first, *(f"    {line}" for line in more + kept)]
    content = results.accept(job.stage.out, run.paper)
    results.add_provenance(job.stage.out, content, job.provenance)
    job.stage.publish()
    record.write(project, run, outcome)
    return [f"{run.paper}: done in {outcome:.0f} s -> {project.shown(run.destination.folder)}"]


def _task(project, job):
    from reproduce.execute import Task

    run, stage = job.run, job.stage
    executed = project.executed(run.destination)
    executed.unlink(missing_ok=True)  # what is there after a failure is of this run
    return Task(
        name=run.paper,
        source=run.notebook.raw,
        parameters_cell=run.notebook.parameters_cell,
        parameters=run.parameters | {"out_dir": str(stage.out), "data": run.family.data},
        executed=executed,
        scratch=stage.scratch,
        # The project's own paperlib, also where another one is installed.
        python_path=os.pathsep.join(filter(None, [str(project.root), os.environ.get("PYTHONPATH")])),
    )

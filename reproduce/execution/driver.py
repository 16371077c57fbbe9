"""The driver: lock runs, execute those that are stale, publish those that succeed."""

from contextlib import closing
from dataclasses import dataclass

from reproduce.errors import DiskError, ReproduceError, SourcesChanged
from reproduce.execution.outcomes import Failure
from reproduce.execution.waiting import Waiting
from reproduce.planning import runs
from reproduce.publication import notebook, origin, provenance, record, results


@dataclass(frozen=True)
class Finished:
    """Executed run, with the lines to print about it."""

    run: object
    lines: list
    failed: bool = False


def split(project, runs, force=False):
    """Return the runs that are up to date and those that are not; with `force`, none is up to date."""
    fresh, stale = [], []
    for run in runs:
        (stale if force or record.stale_because(project, run) else fresh).append(run)
    return fresh, stale


def bring_up_to_date(project, stale, engine, reporter, force=False):
    """Execute these runs, except those that another driver brings up to date meanwhile.

    Parameters
    ----------
    engine : pool.Engine
    reporter : callable
        Returns a progress report on the runs it is called with.
    force : bool
        Execute them whatever another driver does.

    Returns
    -------
    list of Finished
        The runs that failed.
    """
    if not stale:
        return []
    from reproduce.execution import cluster

    failed = []
    with reporter(stale) as bar, closing(Waiting(project, stale, force, bar)) as waiting:
        outcomes = cluster.execute_all(waiting.tasks(), len(stale), engine, bar.cell)
        with closing(outcomes):  # the workers end here, also when this loop is interrupted
            for task, outcome in outcomes:
                job = waiting.active[task.name]
                finished = _settled(project, waiting, job, task, outcome)
                bar.finished(task.name, finished.lines, not finished.failed)
                if finished.failed:
                    failed.append(finished)
                waiting.release(job)
    return failed


def _settled(project, waiting, job, task, outcome):
    """Publish a run if it succeeded, and return the lines to print about it."""
    from reproduce.execution import away

    run = job.run
    try:
        outcome = away.received(task, outcome)
        if not isinstance(outcome, Failure):
            _publish(project, waiting, job, outcome)
    except (ReproduceError, OSError) as error:
        reason = DiskError.of(error) if isinstance(error, OSError) else error
        return Finished(run, [f"{run.name}: {reason}"], failed=True)
    if isinstance(outcome, Failure):
        executed = project.executed(run.destination)
        kept = [f"the notebook up to there: {project.shown(executed)}"] if executed.exists() else []
        first, *more = outcome.report(run.name, run.paper)
        return Finished(run, [first, *(f"    {line}" for line in more + kept)], failed=True)
    again = "" if outcome.attempt == 1 else ", at the second attempt: the process that ran it first died"
    return Finished(run, [run.state(project, f"done in {outcome.seconds:.0f} s{again}")])


def _publish(project, waiting, job, outcome):
    stage = job.stage
    stage.out = outcome.out
    # The trace is there only now, and with it what the run's sources are.
    if waiting.has_changed(job, stage.out):
        raise SourcesChanged(job.run.name)
    content = results.accept(stage.out, job.run.paper)
    run = runs.completed(project, job.run, stage.out)
    sources = provenance.Sources.of(project, run, stage.out, waiting.sources)
    block = provenance.provenance_of(run, sources, origin.of_run(project, run))
    results.add_provenance(stage.out, content, block)
    executed = project.executed(run.destination)
    if run.keeps_notebook:
        notebook.publish(executed, stage.out)
    stage.publish()
    # After the exchange, as it takes digests of what is published. Killed in between, the old record fits the
    # new results only if they are the same; else the run is stale, and made again.
    record.write_record(project, run, outcome.seconds)
    executed.unlink(missing_ok=True)

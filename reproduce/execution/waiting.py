"""Stale runs, handed out one at a time, each under its destination's lock."""

import os
from collections import deque
from dataclasses import dataclass

from reproduce.errors import SourcesChanged
from reproduce.library import write_whole
from reproduce.planning import key
from reproduce.publication import provenance, record
from reproduce.publication.lock import Lock
from reproduce.publication.stage import Stage


@dataclass
class Job:
    """A stale run whose destination's lock is held."""

    run: object
    lock: Lock
    stage: Stage
    sources: provenance.Sources


class Waiting:
    """The runs still to be done; those that another driver is at come last, and may then be done already.

    Only runs that are handed out and not released have a lock and a stage, however many there are.
    """

    def __init__(self, project, runs, force, bar):
        self.project = project
        self.force = force
        self.bar = bar
        self.runs = deque(runs)
        self.active = {}  # name -> Job
        self.reported = set()
        self.sources = {}  # paper -> provenance.Sources

    def tasks(self):
        """Yield tasks for `cluster.execute_all`, and None while another driver is at all that remain."""
        while self.runs:
            job = self._next()
            if job:
                yield self._task(job)
            elif self.runs:
                self._report()
                yield None

    def release(self, job):
        """Drop the job's stage and its lock; in this order: a later stage is another driver's."""
        del self.active[job.run.name]
        job.stage.discard()
        job.lock.release()

    def close(self):
        for job in list(self.active.values()):
            self.release(job)

    def _next(self):
        for _ in range(len(self.runs)):
            run = self.runs.popleft()
            lock = Lock(self.project.lock(run.destination))
            if not lock.acquire(blocking=False):
                self.runs.append(run)
                continue
            try:
                if self.force or record.stale_because(self.project, run):
                    return self._job(run, lock)
            finally:
                if run.name not in self.active:
                    lock.release()
            self.bar.finished(run.name, [run.state(self.project, "up to date")], True)
        return None

    def _job(self, run, lock):
        if key.library(self.project, run.notebook) != run.components["paperlib"]:
            raise SourcesChanged(run.name)
        if run.paper not in self.sources:
            self.sources[run.paper] = provenance.Sources.of(self.project, run.notebook)
        stage = Stage(self.project, run.destination)
        job = Job(run, lock, stage, self.sources[run.paper])
        self.active[run.name] = job
        return job

    def _report(self):
        for run in self.runs:
            if run.name not in self.reported:
                self.reported.add(run.name)
                self.bar.say(f"{run.name}: another driver is at it, waiting for it to finish")

    def _task(self, job):
        from reproduce.execution.execute import Task

        run = job.run
        executed = self.project.executed(run.destination)
        executed.unlink(missing_ok=True)  # one that is there after a failure is of this run
        source = self.project.source(run.notebook)
        write_whole(source, run.notebook.raw)  # as it was read: the user may be editing it
        # The project's own paperlib, also where another one is installed.
        path = os.pathsep.join(filter(None, [str(self.project.root), os.environ.get("PYTHONPATH")]))
        environment = {"PYTHONPATH": path}
        if data := os.environ.get("PAPERLIB_DATA"):
            environment["PAPERLIB_DATA"] = os.path.abspath(data)  # the kernel stands in another folder
        return Task(
            name=run.name,
            source=source,
            parameters_cell=run.notebook.parameters_cell,
            parameters=run.parameters | {"data": run.family.data},
            executed=executed,
            folder=job.stage.folder,
            environment=environment,
        )

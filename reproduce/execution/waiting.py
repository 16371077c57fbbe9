"""Queue of stale runs, each executed under its destination's lock."""

import os
import time
from collections import deque
from dataclasses import dataclass

from reproduce.errors import SourcesChanged
from reproduce.library import write_whole
from reproduce.planning import key, traces
from reproduce.publication import record
from reproduce.publication.lock import Lock
from reproduce.publication.stage import Stage


@dataclass
class Job:
    """Stale run whose destination is locked by this driver."""

    run: object
    lock: Lock
    stage: Stage
    since: float  # when its sources were read


class Waiting:
    """Queue of the runs still to be executed.

    Runs that another driver has locked go to the end of the queue; by then they may be up to date. Only
    runs between `tasks` and `release` hold a lock and a stage, however many there are in all.
    """

    def __init__(self, project, runs, force, bar):
        self.project = project
        self.force = force
        self.bar = bar
        self.runs = deque(runs)
        self.active = {}  # name -> Job
        self.reported = set()
        self.sources = {}  # provenance.Sources of the runs so far

    def tasks(self):
        """Yield tasks for `cluster.execute_all`, and None while another driver has locked all that remain."""
        while self.runs:
            job = self._next()
            if job:
                yield self._task(job)
            elif self.runs:
                self._report()
                yield None

    def release(self, job):
        """Discard the job's stage, then release its lock: after that another driver may use the stage."""
        del self.active[job.run.name]
        job.stage.discard()
        job.lock.release()

    def has_changed(self, job, folder=None):
        """Return whether a source of a run has changed since it was planned, or since it began.

        Of a run that is traced nobody knows its sources before `folder` holds the trace.
        """
        run = job.run
        if "paperlib" in run.components:
            return key.library(self.project) != run.components["paperlib"]
        if folder is None or (trace := traces.read_trace(folder)) is None:
            return False
        files = traces.sources(self.project).files(trace.entered)
        # By date: no digests were noted at the start, when nobody knew of which files. A file that is put in
        # place with an older date, as by `cp -p`, has a new `st_ctime`.
        return any(max(path.stat().st_mtime, path.stat().st_ctime) > job.since for path in files)

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
                # Asked again under the lock: another driver may have made the run since it was planned.
                if self.force or record.stale_because(self.project, run):
                    return self._job(run, lock)
            finally:
                # Also where `_job` raises: only an active job's lock is released by `release`.
                if run.name not in self.active:
                    lock.release()
            self.bar.finished(run.name, [run.state(self.project, "up to date")], True)
        return None

    def _job(self, run, lock):
        stage = Stage(self.project, run.destination)
        job = Job(run, lock, stage, time.time())
        if self.has_changed(job):
            raise SourcesChanged(run.name)
        self.active[run.name] = job
        return job

    def _report(self):
        for run in self.runs:
            if run.name not in self.reported:
                self.reported.add(run.name)
                self.bar.say(f"{run.name}: waiting for another driver that runs it")

    def _task(self, job):
        from reproduce.execution.execute import Task

        run = job.run
        executed = self.project.executed(run.destination)
        executed.unlink(missing_ok=True)  # so that a notebook found after a failure is this run's
        source = self.project.source(run.notebook)
        write_whole(source, run.notebook.raw)  # as it was read, because the user may be editing it
        # The project's own paperlib comes before an installed one.
        path = os.pathsep.join(filter(None, [str(self.project.root), os.environ.get("PYTHONPATH")]))
        environment = {"PYTHONPATH": path, "PAPERLIB_TRACE": "1"}
        if self.force:
            environment["PAPERLIB_STEPS_FORCE"] = "1"
        if data := os.environ.get("PAPERLIB_DATA"):
            environment["PAPERLIB_DATA"] = os.path.abspath(data)  # the kernel runs in another folder
        return Task(
            name=run.name,
            source=source,
            raw=run.notebook.raw,
            parameters_cell=run.notebook.parameters_cell,
            parameters=run.parameters | {"data": run.family.data},
            executed=executed,
            folder=job.stage.folder,
            environment=environment,
        )

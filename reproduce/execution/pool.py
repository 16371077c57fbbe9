"""Workers: a LocalCluster of processes, or those of an existing scheduler."""

import logging
import os
import time
import uuid
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reproduce.errors import DiskError, EngineError, ReproduceError
from reproduce.execution import interrupts, probe

# The driver reports failures, each once; dask would print tracebacks as well. After an interruption its
# scheduler calls a connection critical that has been closed on purpose: hence above CRITICAL.
SILENT = logging.CRITICAL + 1
SETTINGS: dict[str, Any] = {
    # A run whose worker died is tried once more; if the worker dies again, the run is taken as the cause.
    "distributed.scheduler.allowed-failures": 1,
    "distributed.scheduler.worker-saturation": 1.0,
    "distributed.scheduler.work-stealing": False,
    # Else the workers count as dead after a laptop has slept.
    "distributed.scheduler.worker-ttl": None,
    "distributed.worker.profile.enabled": False,
    # The web servers cannot be left out, and anybody on the machine may ask them: they have no pages.
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "logging": dict.fromkeys(
        ("distributed", "distributed.client", "tornado", "tornado.application", "asyncio"), SILENT
    ),
}
AHEAD = 2  # runs submitted per worker, so that none is idle while the driver publishes another's results
CONNECT = 5  # seconds for a scheduler to answer
JOIN = 10  # seconds to wait for workers, at the start or after all of them died
ASK = 1  # seconds between two counts of the workers
_busy = []  # in a worker: an entry for each notebook that it executes now


@dataclass(frozen=True)
class Engine:
    """Description of the workers that the command line asks for.

    Attributes
    ----------
    folder : Path
        Folder for the workers' own files.
    jobs : int or None
        Number of notebooks at a time; None is one per core, or per thread of the scheduler's workers.
    scheduler : str or None
        Address of an existing scheduler; None starts workers on this machine.
    packages : dict
        Versions of packages that the workers of an existing scheduler must have.
    code : dict
        The project's own packages and their folders, which these workers must have in the same state.
    """

    folder: Path
    jobs: int | None = None
    scheduler: str | None = None
    packages: dict = field(default_factory=dict)
    code: dict = field(default_factory=dict)


class Workers:
    """Connection to the workers.

    Attributes
    ----------
    topic : str
        Topic of the events by which the workers report their progress.
    gone : str
        Error message for the case that all workers are lost.
    """

    def __init__(self, client, jobs=None, scheduler=None):
        self.client = client
        self.jobs = jobs
        self.scheduler = scheduler
        self.topic = f"reproduce-{uuid.uuid4().hex}"
        where = f"at {scheduler} " if scheduler else ""
        self.gone = f"the workers {where}are gone: published results are complete, call again to go on"
        self.threads = 0
        self.asked = self.seen = time.monotonic()
        self._count()

    @property
    def window(self):
        """Number of runs that may be submitted at once."""
        ready = max(1, self.threads * AHEAD)
        return min(self.jobs, ready) if self.jobs else ready

    def check(self):
        """Raise EngineError once there has been no worker, or no scheduler, for `JOIN` seconds."""
        now = time.monotonic()
        if now - self.asked < ASK:
            return
        self.asked = now
        self._count()
        if self.threads:
            self.seen = now
        elif now - self.seen > JOIN:
            raise EngineError(self.gone)

    def drop(self, futures):
        """Cancel the unfinished runs; on an existing cluster, wait until their kernels have ended."""
        interrupts.ignore()
        # Workers of our own end with their cluster, and on Linux their kernels with them (`kernel.py`).
        if not futures or not self.scheduler:
            return
        try:
            self.client.cancel(futures, force=True)
            self.client.run(_quiet, on_error="ignore", callback_timeout=CONNECT)
        except (OSError, TimeoutError, RuntimeError, ValueError):
            return  # the cluster is gone as well

    def _count(self):
        """Count the threads of all workers; zero if the scheduler does not answer."""
        self.threads = 0
        if self.client.status == "running":
            with suppress(OSError, TimeoutError):
                self.threads = sum(self.client.nthreads(callback_timeout=CONNECT).values())


def cores():
    """Return the number of CPUs that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def opened(engine, most):
    """Open workers for at most `most` runs."""
    engine.folder.mkdir(parents=True, exist_ok=True)
    with interrupts.restored(), ExitStack() as stack:
        with interrupts.deferred():
            try:
                workers = _existing(engine, stack) if engine.scheduler else _local(engine, most, stack)
            except ReproduceError:
                raise
            except OSError as error:
                raise DiskError.of(error) from None
            except Exception as error:
                raise EngineError(f"the workers did not start: {error}") from None
            # Called first when the stack unwinds, before the client and the cluster are closed.
            stack.callback(interrupts.ignore)
        yield workers


@contextmanager
def busy():
    """Mark a notebook as executing in this worker while the block runs, so that `drop` waits for it."""
    _busy.append(None)
    try:
        yield
    finally:
        _busy.pop()


def _dask():
    import dask

    dask.config.set(SETTINGS)  # for the workers, too; some are read at import
    import distributed

    # And where it had been imported before.
    for name in SETTINGS["logging"]:
        logging.getLogger(name).setLevel(SILENT)
    return distributed


def _local(engine, most, stack):
    distributed = _dask()
    folder = str(engine.folder)
    cluster = distributed.LocalCluster(
        # Whoever connects to a scheduler or a worker can run code there, and on TCP that may be any user of
        # this machine: these ask for a certificate, which only this process and its children have.
        security=distributed.Security.temporary(),
        n_workers=min(engine.jobs or cores(), most),
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",  # any free port; None would take the usual one
        memory_limit=None,  # the kernels use the memory, and dask does not see them
        local_directory=folder,
        scheduler_kwargs={
            "dashboard": False,
            "local_directory": folder,  # by default in /tmp, where it would stay
        },
        silence_logs=SILENT,
    )
    client = stack.enter_context(distributed.Client(stack.enter_context(cluster)))
    return Workers(client)


def _existing(engine, stack):
    distributed = _dask()
    address = engine.scheduler
    try:
        client = stack.enter_context(distributed.Client(address, timeout=CONNECT))
    except (OSError, TimeoutError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise EngineError(
            f"--scheduler {address} does not answer ({reason}): start one with `dask scheduler`"
        ) from None
    try:
        client.wait_for_workers(1, timeout=JOIN)
    except TimeoutError:
        raise EngineError(
            f"--scheduler {address} has no workers: start some with `dask worker {address}`"
        ) from None
    probe.check_workers(client, engine)
    return Workers(client, engine.jobs, address)


async def _quiet():
    """Wait until this worker's notebooks have ended; runs in the worker."""
    import asyncio

    while _busy:
        await asyncio.sleep(0.05)

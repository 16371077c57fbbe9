"""Notebooks in parallel on dask.distributed: one code path for one run and for many."""

import logging
import os
from contextlib import ExitStack, contextmanager

from reproduce import interrupts
from reproduce.errors import DiskError, EngineError
from reproduce.execute import execute
from reproduce.failures import KernelFailure

TOPIC = "reproduce-cells"
SETTINGS = {
    # A notebook that killed its worker once would do so again, and must not take a queued one with it.
    "distributed.scheduler.allowed-failures": 0,
    "distributed.scheduler.worker-saturation": 1.0,
    "distributed.scheduler.work-stealing": False,
    # A laptop that slept is not a dead worker.
    "distributed.scheduler.worker-ttl": None,
    "distributed.worker.profile.enabled": False,
    # Failures are reported by us, once, and not as dask's tracebacks.
    "logging": {"distributed": "critical", "tornado": "critical", "asyncio": "critical"},
}


def cores():
    """CPUs that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def execute_all(tasks, jobs, folder, on_cell):
    """Execute tasks, at most `jobs` at a time.

    Parameters
    ----------
    tasks : list of Task
    folder : Path
        For the workers' own files.
    on_cell : callable
        Called with a task's name and the number of cells behind it; from another thread.

    Yields
    ------
    (Task, float or Failure)
        As they finish: seconds, or what went wrong.
    """
    with _client(min(jobs, len(tasks)), folder) as client:
        from distributed import as_completed

        reached = {}

        def heard(event):
            name, cell = event[1]
            reached[name] = cell
            on_cell(name, cell)

        client.subscribe_topic(TOPIC, heard)
        futures = {client.submit(_work, task, pure=False): task for task in tasks}
        for future in as_completed(list(futures)):
            task = futures[future]
            yield task, _outcome(future, reached.get(task.name))


def _work(task):
    from distributed import get_worker

    worker = get_worker()
    return execute(task, lambda cell: worker.log_event(TOPIC, (task.name, cell)))


def _outcome(future, cell):
    error = future.exception()
    if error is None:
        return future.result()
    if type(error).__name__ == "KilledWorker":
        return KernelFailure("the process that ran the notebook died (killed, or out of memory)", cell)
    return KernelFailure(f"{type(error).__name__}: {error}", cell)


@contextmanager
def _client(workers, folder):
    folder.mkdir(parents=True, exist_ok=True)
    with interrupts.restored(), ExitStack() as stack:
        with interrupts.deferred():
            try:
                client = _start(workers, folder, stack)
            except OSError as error:
                raise DiskError.of(error) from None
            except Exception as error:
                raise EngineError(f"the workers did not start: {error}") from None
            stack.callback(interrupts.ignore)
        yield client


def _start(workers, folder, stack):
    import dask

    dask.config.set(SETTINGS)  # some of them are read at import
    from distributed import Client, LocalCluster

    for name in SETTINGS["logging"]:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    cluster = LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",  # None would take the usual port, or warn that it is taken
        memory_limit=None,  # the memory is the kernels', not the workers'
        local_directory=str(folder),
        silence_logs=logging.CRITICAL,
    )
    return stack.enter_context(Client(stack.enter_context(cluster)))

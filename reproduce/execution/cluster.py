"""Parallel execution on dask.distributed: one code path for one run and for thousands."""

import queue
import time

from reproduce.errors import EngineError
from reproduce.execution import away, pool
from reproduce.execution.execute import DIED
from reproduce.execution.outcomes import KernelFailure

PATIENCE = 0.25  # seconds between two attempts at the runs that another driver has locked
OVER = object()


def execute_all(tasks, most, engine, on_cell, work=away.execute):
    """Execute tasks, submitting a few for each worker at a time.

    Parameters
    ----------
    tasks : iterator of Task or None
        The next task is taken only when a worker is about to be free. None means that there is no task at
        the moment, and that the iterator should be asked again.
    most : int
        Upper bound on the number of tasks.
    engine : pool.Engine
    on_cell : callable
        Called with a task's name and the number of its finished cells; from another thread.
    work : callable
        Called in a worker with a task, a function of the number of finished cells, and one that says whether
        nobody waits for the result any more.

    Yields
    ------
    (Task, what `work` returned, or KernelFailure)
        In the order in which they finish.
    """
    first = _first(tasks)
    if first is OVER:
        return  # before any worker is started
    with pool.opened(engine, most) as workers:
        yield from Window(workers, on_cell, work).through(first, tasks)


class Window:
    """Window of the tasks that are submitted and not finished."""

    def __init__(self, workers, on_cell, work):
        self.workers = workers
        self.on_cell = on_cell
        self.work = work
        self.pending = {}
        self.reached = {}
        self.finished = queue.SimpleQueue()
        workers.client.subscribe_topic(workers.topic, self._on_event)

    def through(self, task, tasks):
        """Yield a first task and all others with their outcomes, and drop what is left at the end."""
        try:
            yield from self._through(task, tasks)
        finally:
            self.workers.drop([future for _, future in self.pending.values()])

    def _through(self, task, tasks):
        self._submit(task)
        more = True
        while more or self.pending:
            while more and len(self.pending) < self.workers.window:
                task = next(tasks, OVER)
                more = task is not OVER
                if task is None or not more:
                    break
                self._submit(task)
            try:
                # With a limit: where all workers are gone, nothing ever comes.
                key = self.finished.get(timeout=PATIENCE)
            except queue.Empty:
                self._check()
                continue
            task, future = self.pending.pop(key)
            yield task, self._outcome(future, self.reached.pop(task.name, None))

    def _check(self):
        self.workers.check()
        if any(future.status in ("lost", "cancelled") for _, future in self.pending.values()):
            raise EngineError(self.workers.gone)  # the scheduler was restarted and knows none of them

    def _submit(self, task):
        # Not pure: dask would take the result of an equal task for that of this one.
        future = self.workers.client.submit(_work, self.work, task, self.workers.topic, pure=False)
        self.pending[future.key] = task, future
        # dask calls this in a thread of its own, so it only passes the key on to the loop above.
        future.add_done_callback(lambda future: self.finished.put(future.key))

    def _on_event(self, event):
        name, cell = event[1]
        self.reached[name] = int(cell)
        self.on_cell(name, cell)

    def _outcome(self, future, cell):
        if future.status == "finished":
            return future.result()
        if future.status != "error":
            raise EngineError(self.workers.gone)
        error = future.exception()
        if type(error).__name__ == "KilledWorker":
            return KernelFailure(DIED, cell)
        return KernelFailure(f"{type(error).__name__}: {error}", cell)


def _first(tasks):
    while (task := next(tasks, OVER)) is None:
        time.sleep(PATIENCE)
    return task


def _work(work, task, topic):
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()

    def unwanted():
        # A task that the driver has dropped is forgotten or, as long as this thread runs it, cancelled.
        state = worker.state.tasks.get(key)
        return state is None or state.state == "cancelled"

    with pool.busy():
        return work(task, lambda cell: worker.log_event(topic, (task.name, cell)), unwanted)

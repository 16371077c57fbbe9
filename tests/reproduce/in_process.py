"""The driver in the process of the tests: processes for it and for its workers take seconds to start."""

import contextlib
import contextvars
import functools
import io
import logging
from unittest import mock

from sphinx.util.docutils import docutils_namespace

from reproduce.__main__ import main
from reproduce.execution import interrupts, pool
from reproduce.power import trials


def call(args, folder):
    """Run a command in a folder, and return its exit code and what it printed, as the process would have."""
    out, err = io.StringIO(), io.StringIO()
    with (
        interrupts.restored(),
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.object(pool, "_local", _local),
        docutils_namespace(),  # Sphinx registers its directives anew at every build
    ):
        try:
            # In a context of its own: threads of the workers would take over this thread's event loop, as
            # a test that talked to a kernel has left it.
            code = contextvars.Context().run(main, [str(each) for each in args])
        except SystemExit as error:  # argparse's, after --help
            code = error.code or 0
        finally:
            while trials._warm:
                trials._warm.popitem()[1].close()
    return code, out.getvalue(), err.getvalue()


def _local(engine, most, stack):
    """As the driver's own, with threads of this process in the place of processes."""
    cluster = _cluster()
    if not cluster.loop.asyncio_loop.is_running():  # ended with a call that broke off
        _cluster.cache_clear()
        cluster = _cluster()
    client = stack.enter_context(pool._dask().Client(cluster))
    workers = pool.Workers(client)
    workers.jobs = min(engine.jobs or pool.cores(), most)
    return workers


@functools.cache
def _cluster():
    return pool._dask().LocalCluster(
        n_workers=1,
        threads_per_worker=max(2, pool.cores()),
        processes=False,
        dashboard_address=None,
        memory_limit=None,
        silence_logs=logging.CRITICAL,
    )

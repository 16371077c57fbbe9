"""Calls with `n_jobs` side by side leave the process's BLAS with the threads that it had."""

import importlib
import inspect
import multiprocessing
import os
import warnings
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import sleep

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from paperlib._common.threads import in_parts
from paperlib.coresets import CoresetSVC
from paperlib.kernel_mean import KernelMeanClassifier, gaussian_sums, select_kernel, sparsify
from tests.papers import PAPERS

X = np.random.default_rng(0).normal(size=(1000, 3))
Y = np.where(X[:, 0] > 0, 1, 0)
X[:, 0] += 2 * Y - 1


def set_threads(number):
    """From a thread that ends: that of threadpoolctl 3.8 which set them last may, while it lives, alone."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(threadpool_limits, number, "blas").result()


@pytest.fixture(autouse=True)
def three_threads():
    """BLAS with three threads, as of a machine with cores: one would look like no change."""
    before = max(threads_of_blas())
    set_threads(3)
    SETTABLE.update(each["filepath"] for each in threadpool_info() if each["num_threads"] == 3)
    yield
    set_threads(before)
    SETTABLE.clear()


SETTABLE = set()  # libraries that can have three threads; one that other tests have loaded may not


def threads_of_blas():
    blas = [each for each in threadpool_info() if each["user_api"] == "blas"]
    return {each["num_threads"] for each in blas if not SETTABLE or each["filepath"] in SETTABLE}


def test_calls_take_turns():
    """Each finds the threads that were there before, and not the one thread of another call."""
    inside, found = [], []

    def function(part):
        inside.append(part)
        sleep(0.01)
        found.append(len(inside))
        inside.pop()
        return np.full(part.stop - part.start, float(threads_of_blas() == {1}))

    with ThreadPoolExecutor(4) as pool:
        assert np.concatenate([*pool.map(lambda _: in_parts(function, 4, 1, 2), range(8))]).all()
    assert max(found) == 2 and threads_of_blas() == {3}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_process_forked_within_a_call_takes_its_own_turn():
    """The thread that would release the lock is not in the forked process."""
    begun, forked = Event(), Event()

    def waits(part):
        begun.set()
        forked.wait(60)
        return squares(part)

    process = multiprocessing.get_context("fork").Process(target=in_parts, args=(squares, 4, 1, 2))
    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(in_parts, waits, 4, 1, 2)
        begun.wait(60)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads, from Python 3.12
            process.start()
        forked.set()
        assert held.result().tolist() == [0.0, 1.0, 4.0, 9.0]
    process.join(20)
    ended = process.exitcode
    process.kill()
    assert ended == 0


def squares(part):
    return np.arange(4.0)[part] ** 2


def test_a_call_that_fails_restores_them():
    def fails(part):
        raise RuntimeError("of a part")

    with pytest.raises(RuntimeError, match="of a part"):
        in_parts(fails, 4, 1, 2)
    assert threads_of_blas() == {3}


CALLS = {
    "KernelMeanClassifier": KernelMeanClassifier(n_jobs=2).fit(X, Y).decision_function,
    "CoresetSVC": CoresetSVC(kernel="rbf", n_jobs=2).fit(X, Y).decision_function,
    "sparsify": lambda X: sparsify(X, Y / 1000.0, 20, n_jobs=2),
    "select_kernel": lambda X: select_kernel(X, Y, ["rbf"], n_jobs=2),
    "gaussian_sums": lambda X: gaussian_sums(np.tile(X, (4, 1)), X, Y, 5.0, tol=1e-6, n_jobs=2),
}


def test_all_that_take_n_jobs_are_called_below():
    modules = [importlib.import_module(f"paperlib.{paper}") for paper in PAPERS]
    things = [(name, getattr(module, name, None)) for module in modules for name in module.__all__]
    takes = {
        name for name, each in things if callable(each) and "n_jobs" in inspect.signature(each).parameters
    }
    assert takes == set(CALLS)


@pytest.mark.parametrize("name", CALLS)
def test_calls_from_many_threads_leave_blas_as_it_was(name):
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(CALLS[name], [X] * 40))
    assert threads_of_blas() == {3}

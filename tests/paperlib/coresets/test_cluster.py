"""Workers that are other processes, and data that only lie on disk."""

import os
import subprocess
import sys

import dask
import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster

from paperlib.coresets import CoresetSVC
from paperlib.experiments.coresets import samples
from tests.programs import ROOT, printed


@pytest.mark.slow
def test_a_cluster_of_processes_gives_what_one_process_does(tmp_path):
    X, y = samples.half_spaces(20_000, 5, 0.1, random_state=0)
    np.save(tmp_path / "rows.npy", X)
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
    with cluster, Client(cluster):
        for selection in ("batch", "worst", "first"):
            here = CoresetSVC(0.01, selection=selection, random_state=0).fit(X, y)
            on_disk = CoresetSVC(0.01, selection=selection, random_state=0).fit(mapped, y)
            assert (on_disk.coef_ == here.coef_).all() and on_disk.margin_ == here.margin_
            far = CoresetSVC(0.01, selection=selection, random_state=0)
            far.fit(da.from_array(X, chunks=(3000, -1)), y)
            assert np.isclose((y * (X @ far.coef_[0])).min(), far.margin_, rtol=1e-12)
            assert far.margin_ >= 0.99 * far.margin_upper_bound_
            if selection == "batch":  # what a scan fetches differs, as it knows no margins from before
                assert np.isclose(far.margin_, here.margin_, rtol=0.01)
            else:
                assert far.coreset_indices_.tolist() == here.coreset_indices_.tolist()
                assert np.allclose(far.coef_, here.coef_, atol=1e-12)


@pytest.fixture
def scheduler(tmp_path):
    """The file that names a scheduler, which runs with its two workers in processes of their own."""
    file = tmp_path / "scheduler.json"
    nobody = ["--no-dashboard", "--scheduler-file", str(file)]
    calls = [["scheduler", "--host", "127.0.0.1", "--port", "0", *nobody]]
    calls += [["worker", "--nthreads", "1", "--no-nanny", *nobody]] * 2
    paths = {"PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))}
    quiet = {
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
        "cwd": tmp_path,
        "env": os.environ | paths,
    }
    running = [subprocess.Popen([sys.executable, "-m", "dask", *call], **quiet) for call in calls]
    yield file
    for process in running:
        process.kill()  # a polite end can take longer than the test, and leaves nothing that is wanted
    for process in running:
        process.wait(timeout=30)


@pytest.mark.slow
@pytest.mark.parametrize("selection", ["batch", "first"])
def test_workers_of_a_scheduler_elsewhere(selection, scheduler):
    """The rows and labels are made by the workers; only what a pass found comes here."""

    def part(at):
        """Rows that are made where they are needed, with their labels in the first column."""
        rng = np.random.default_rng(at)
        rows = rng.normal(size=(4000, 7))
        rows[:, 0] = np.where(rows[:, 1] > 0, 1, 0)
        rows[:, 1] += np.where(rows[:, 1] > 0, 0.5, -0.5)
        return rows

    with Client(scheduler_file=str(scheduler), timeout=60) as client:
        client.wait_for_workers(2, timeout=60)
        parts = [dask.delayed(part, pure=True)(at) for at in range(5)]
        data = da.concatenate([da.from_delayed(one, (4000, 7), float) for one in parts])
        clf = CoresetSVC(0.01, selection=selection, random_state=0)
        clf.fit(data[:, 1:], data[:, 0].astype(int))
    everything = np.concatenate([part(at) for at in range(5)])
    X, y = everything[:, 1:], np.where(everything[:, 0] > 0, 1.0, -1.0)
    assert clf.classes_.tolist() == [0, 1] and clf.classes_.dtype == int
    assert np.isclose((y * (X @ clf.coef_[0])).min(), clf.margin_, rtol=1e-12)
    assert clf.margin_ >= 0.99 * clf.margin_upper_bound_ > 0
    z = y[clf.coreset_indices_, None] * X[clf.coreset_indices_]
    assert np.isclose(np.linalg.norm(clf.hull_weights_ @ z), clf.margin_upper_bound_, rtol=1e-9)


MEASURE = """
import sys
import threading

import numpy as np

from paperlib.coresets import CoresetSVC

kind, path, n, d = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
step = 5_000


def rows(start):
    X = np.random.default_rng(start).normal(size=(step, d))
    X[:, 0] += np.where(X[:, 0] > 0, 0.5, -0.5)
    return X, np.where(X[:, 0] > 0, 1, -1)


def taken():  # by this process alone: pages of a mapped file are the system's to drop
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon")) / 1024


def watch():
    while not done.wait(0.002):
        peak.append(taken())


few = rows(0)
CoresetSVC(random_state=0).fit(*few).fit_stream(lambda: iter([few]))  # compiles the kernels
if kind == "memmap":
    X, y = np.memmap(path, dtype=float, mode="w+", shape=(n, d)), np.empty(n, dtype=int)
    for at in range(0, n, step):
        X[at : at + step], y[at : at + step] = rows(at)
    X.flush()
    X = np.memmap(path, dtype=float, mode="r", shape=(n, d))
done, peak = threading.Event(), [taken()]
watcher = threading.Thread(target=watch)
watcher.start()
clf = CoresetSVC(0.05, random_state=0)
clf.fit(X, y) if kind == "memmap" else clf.fit_stream(lambda: map(rows, range(0, n, step)))
done.set()
watcher.join()
assert clf.margin_ >= 0.95 * clf.margin_upper_bound_ > 0
print(max(peak) - peak[0])
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize(
    "kind, d, sizes, a_row",
    [
        ("memmap", 10, (500_000, 3_000_000), 2),
        ("memmap", 100, (50_000, 200_000), 2),
        ("stream", 100, (50_000, 200_000), 0),
    ],
)
def test_memory_is_not_that_of_the_data(kind, d, sizes, a_row, tmp_path):
    """A new row may take `a_row` bytes; more rows are sampled, too, ``2 sqrt(n d)``; 3 MB are noise."""
    taken = []
    for n in sizes:
        taken.append(float(printed("-c", MEASURE, kind, tmp_path / "rows", n, d)))
    more = (sizes[1] - sizes[0]) / 2**20
    sampled = 2.0 * 8 * d * (np.sqrt(sizes[1] * (d + 1.0)) - np.sqrt(sizes[0] * (d + 1.0))) / 2**20
    sampled *= 3 * (kind == "memmap")  # the rows, and copies of them while they are compared
    assert taken[1] - taken[0] <= a_row * more + sampled + 3 < 0.4 * 8 * d * more, taken

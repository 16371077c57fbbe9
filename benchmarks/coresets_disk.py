"""Data on disk: what a fit to a memory map takes of memory, and a stream of a Parquet file beside SGD.

Memory is that of the process alone, the largest anonymous resident set during `fit` less the one before:
pages of the mapped file are the system's to drop. Each fit has a process of its own, and of two sizes of file
it is the difference that counts, for each row more. Linux only.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from sklearn.linear_model import SGDClassifier

from benchmarks.coresets import classes
from benchmarks.side_by_side import Comparison, alternate
from paperlib.coresets import CoresetSVC

SIZES, D, EPS = (1_000_000, 5_000_000), 10, 0.05
OURS = f"CoresetSVC({EPS}, random_state=0)"
PEERS = {
    "LinearSVC, hinge": 'LinearSVC(loss="hinge", C=1.0, fit_intercept=False, max_iter=3)',
    "SGDClassifier, one pass": "SGDClassifier(fit_intercept=False, max_iter=1, tol=None, random_state=0)",
}
MEASURE = """
import sys, threading, warnings
import numpy as np
from sklearn.linear_model import SGDClassifier
from sklearn.svm import LinearSVC
from paperlib.coresets import CoresetSVC

warnings.simplefilter("ignore")
X, y = (np.load(f"{sys.argv[1]}/{name}.npy", mmap_mode="r") for name in "Xy")
clf = eval(sys.argv[2])


def taken():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon")) * 1024


def watch():
    while not done.wait(0.001):
        peak.append(taken())


clf.fit(X[:1000], y[:1000])  # kernels are compiled, libraries loaded
done, peak = threading.Event(), [taken()]
watcher = threading.Thread(target=watch)
watcher.start()
clf.fit(X, y)
done.set()
watcher.join()
print(max(peak) - peak[0])
"""


def taken(n, codes):
    """Bytes that each fit takes with `n` rows."""
    X, y = classes(n, D)
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "X.npy", X)
        np.save(Path(folder) / "y.npy", y.astype(np.int8))
        calls = [[sys.executable, "-c", MEASURE, folder, code] for code in codes]
        done = [subprocess.run(call, capture_output=True, text=True, check=True) for call in calls]
    return np.array([float(one.stdout) for one in done])


def memory():
    few, many = (taken(n, [OURS, *PEERS.values()]) for n in SIZES)
    ours, *theirs = (many - few) / (SIZES[1] - SIZES[0])
    note = f"{8 * D} bytes a row on disk; {many[0] / 1e6:.1f} MB in all, beside {8e-6 * D * SIZES[1]:.0f}"
    what = f"CoresetSVC, memory map, n={SIZES[0]:,} to {SIZES[1]:,}, d={D}, eps={EPS:g}"
    yield Comparison(what, ours, 2.0, "2 bytes a row", 1.0, note, "bytes a row")
    for name, bytes_a_row in zip(PEERS, theirs):
        yield Comparison(what, ours, bytes_a_row, f"{name}, the same map", None, "", "bytes a row")


def stream(n=500_000, d=20, eps=0.05):
    """`fit_stream` of a Parquet file beside as many epochs of `partial_fit`, which promise nothing."""
    from pyarrow import dataset, parquet, table

    X, y = classes(n, d)
    names = [f"x{k}" for k in range(d)]
    with tempfile.TemporaryDirectory() as folder:
        parquet.write_table(table(dict(zip(names, X.T)) | {"y": y}), Path(folder) / "rows.parquet")
        data = dataset.dataset(folder)
        clf = CoresetSVC(eps).fit_stream(data.to_batches, y="y")

        def theirs():
            sgd = SGDClassifier(fit_intercept=False, random_state=0)
            for _ in range(clf.n_passes_):
                for batch in data.to_batches():
                    rows = np.column_stack([batch[name] for name in names])
                    sgd.partial_fit(rows, np.asarray(batch["y"]), classes=[-1, 1])
            return sgd.coef_[0]

        seconds = alternate(lambda: CoresetSVC(eps).fit_stream(data.to_batches, y="y"), theirs, 3)
        w = theirs()
    least = float((y * (X @ w)).min() / np.linalg.norm(w))
    note = f"margin {clf.margin_:.5f}, at most {clf.margin_upper_bound_:.5f}; peer's {least:.5f}"
    what = f"CoresetSVC.fit_stream, Parquet, n={n:,}, d={d}, eps={eps:g}, {clf.n_passes_} passes"
    return Comparison(what, *seconds, "SGDClassifier.partial_fit, as many passes", None, note)


def run():
    yield from memory()
    yield stream()

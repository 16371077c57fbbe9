"""What the driver adds to papermill, and what two processes gain; on a project of one small notebook."""

import json
import subprocess
import sys
import tempfile
import time
import warnings
from contextlib import contextmanager
from pathlib import Path

import papermill

from benchmarks.side_by_side import Comparison

ROOT = Path(__file__).resolve().parent.parent
PARAMETERS = 'seed = 0  # of nothing\nwork = 0.0  # million steps\nout_dir = None\ndata = "bundled"\n'
WORK = "value = sum(i * i for i in range(int(work * 1e6)))"
RECORD = """\
import json, pathlib
if out_dir:
    row = {"claim": "sum", "value": value, "stderr": None, "context": {}}
    results = {"paper": "small", "data": [], "figures": [], "tables": [], "measures": [row]}
    (pathlib.Path(out_dir) / "results.json").write_text(json.dumps(results))
"""
POINTS = 8
SECONDS = 2.0  # of computing in each of the runs that two processes share


@contextmanager
def project():
    """The root of a project whose only notebook sums squares."""
    cells = [
        {"cell_type": "code", "id": f"c{i}", "source": text, "metadata": {"tags": tags}}
        | {"outputs": [], "execution_count": None}
        for i, (text, tags) in enumerate([(PARAMETERS, ["parameters"]), (WORK, []), (RECORD, [])])
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    content = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "notebooks").mkdir()
        (root / "paperlib").mkdir()
        (root / "notebooks/small.ipynb").write_text(json.dumps(content))
        yield root


def sweep(root, seeds, *options):
    """Seconds for a sweep over that many seeds, from the shell's point of view."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "reproduce", "sweep", "small", "--project", str(root), "--force"]
    command += ["--grid", f"seed=1:{seeds}:1", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    return time.perf_counter() - start


def plain(root, seed):
    """Seconds for papermill alone, in this process, the notebook's kernel included."""
    out = root / "plain"
    out.mkdir(exist_ok=True)
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        papermill.execute_notebook(
            str(root / "notebooks/small.ipynb"),
            str(root / "plain.ipynb"),
            parameters={"seed": seed, "out_dir": str(out)},
            progress_bar=False,
            extra_arguments=["--log-level=CRITICAL"],
        )
    return time.perf_counter() - start


def overhead(repeats=5):
    """Another point in a sweep, one at a time, beside another call of papermill."""
    with project() as root:
        plain(root, 0), sweep(root, 1, "--jobs", "1")
        each, ours = [], []
        for i in range(repeats):
            each += [plain(root, i) for _ in range(4)]
            many, one = sweep(root, 1 + POINTS, "--jobs", "1"), sweep(root, 1, "--jobs", "1")
            ours.append((many - one) / POINTS)
    each, ours = sorted(each)[len(each) // 2], sorted(ours)[repeats // 2]
    note = f"{ours - each:+.3f} s a run; the project wants under 0.2"
    return Comparison("one more run of an empty notebook", ours, each, "papermill alone", None, note)


def two_processes(repeats=3):
    """Runs of a few seconds each, two at a time and one after the other, start of the workers included."""
    with project() as root:
        start = time.perf_counter()
        sum(i * i for i in range(4_000_000))
        work = f"work={SECONDS * 4 / (time.perf_counter() - start):.1f}"
        times, bare = {"2": [], "1": []}, []
        for _ in range(repeats):
            for jobs, seconds in times.items():
                seconds.append(sweep(root, POINTS, "--jobs", jobs, "-p", work))
            bare.append(loops(1) * 2 / loops(2))
    two, one = (sorted(seconds)[repeats // 2] for seconds in times.values())
    what = f"{POINTS} runs of {SECONDS:g} s, two at a time"
    note = f"bare Python loops gain {sorted(bare)[repeats // 2]:.2f} on this machine, loaded as it is"
    return Comparison(what, two, one, "one at a time", 1.6, note)


def loops(count):
    """Seconds for as many processes at once, each with nothing but a loop."""
    start = time.perf_counter()
    command = [sys.executable, "-c", "sum(i * i for i in range(40_000_000))"]
    for process in [subprocess.Popen(command) for _ in range(count)]:
        process.wait()
    return time.perf_counter() - start


def run():
    yield overhead()
    yield two_processes()

"""An existing cluster: a scheduler and workers that are processes of their own, on the loopback."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.slow

# The third point writes down its pids and waits, unless the file that says "go on" is there.
WORK = """\
import os, pathlib, time
there = pathlib.Path(out_dir).parents[7]
if seed == 3 and not (there / "go on").exists():
    (there / "new").write_text(f"{os.getpid()} {os.getppid()}")
    (there / "new").rename(there / f"{os.getpid()}.pid")
    time.sleep(300)
value = 10 * seed
"""
GRID = ("sweep", "alpha", "--grid", "seed=1:4:1")
IMPATIENT = """\
import sys
from reproduce import __main__
from reproduce.execution import pool
pool.CONNECT = pool.JOIN = 1
sys.exit(__main__.main(sys.argv[1:]))
"""


class Cluster:
    """A scheduler, and workers as they are asked for."""

    def __init__(self, folder, until):
        self.folder, self.until = folder, until
        self.processes = []
        about = folder / "scheduler.json"
        self._start("scheduler", "--scheduler-file", about, "--port", 0, "--no-jupyter")
        until(lambda: about.exists() and about.read_text().rstrip().endswith("}"), "the scheduler is up")
        import json

        self.address = json.loads(about.read_text())["address"]

    def worker(self, *before, path=REPOSITORY, cwd="/"):
        """A worker of one thread, on which the kernels of its points depend."""
        name = f"worker-{len(self.processes)}"
        args = [
            "worker",
            self.address,
            "--nthreads",
            1,
            "--no-nanny",
            "--local-directory",
            self.folder / name,
        ]
        process = self._start(*args, before=before, path=path, cwd=cwd)
        log = self.folder / f"{process.pid}.log"
        self.until(lambda: "Registered to" in log.read_text(), "the worker is registered")
        return process

    def end(self):
        for process in reversed(self.processes):
            process.kill()
            process.wait()

    def _start(self, *args, before=(), path=REPOSITORY, cwd="/"):
        command = [*before, sys.executable, "-m", "dask", *args, "--host", "127.0.0.1", "--no-dashboard"]
        part = self.folder / "new.log"
        with open(part, "w") as log:
            env = os.environ | {"PYTHONPATH": str(path)}
            process = subprocess.Popen(list(map(str, command)), cwd=cwd, env=env, stdout=log, stderr=log)
        part.rename(self.folder / f"{process.pid}.log")
        self.processes.append(process)
        return process


@pytest.fixture
def cluster(tmp_path, until):
    (tmp_path / "cluster").mkdir()
    it = Cluster(tmp_path / "cluster", until)
    yield it
    it.end()


@pytest.fixture
def mini(project):
    project.notebook("alpha", WORK)
    return project


def impatient(mini, *args):
    """The driver, but it does not wait for long."""
    env = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    command = [sys.executable, "-c", IMPATIENT, *map(str, args), "--project", str(mini.root)]
    return subprocess.Popen(
        command, env=env, cwd=mini.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def refused(mini, cluster, *says):
    """The one line of a call that ends before anything is run."""
    process = impatient(mini, *GRID, "--scheduler", cluster if isinstance(cluster, str) else cluster.address)
    out, err = process.communicate(timeout=240)
    assert process.returncode == 1, (out, err)
    assert err.startswith("reproduce: ")
    assert err.count("\n") == 1
    assert all(text in err for text in says), err
    assert list((mini.root / "build/dask").iterdir()) == []
    assert left(mini) == []


def left(mini):
    folders = [mini.root / "build" / name for name in ("stage", "locks")]
    return [p for folder in folders for p in folder.rglob("*") if p.is_file()]


def waiting(mini, until, but=None):
    """Pids of the third point's kernel and worker."""
    found = until(lambda: [p for p in mini.root.glob("*.pid") if p.stem != str(but)], "the third point waits")
    return map(int, found[0].read_text().split())


def results(mini):
    found = mini.published("build/sweeps/alpha")
    return {name: data for name, data in found.items() if not name.endswith("seconds.csv")}


def test_a_sweep_over_two_workers_through_thick_and_thin(mini, cluster, until, make_mini, tmp_path):
    one, two = cluster.worker(), cluster.worker()
    remote = (*GRID, "--scheduler", cluster.address)

    killed = mini.start(*remote)
    kernel, _ = waiting(mini, until)
    killed.kill()
    killed.communicate()
    until(lambda: not mini.kernels(), "the workers end the kernels of a driver that is gone", 60)
    (mini.root / f"{kernel}.pid").unlink()

    interrupted = mini.start(*remote)
    kernel, _ = waiting(mini, until)
    interrupted.send_signal(signal.SIGINT)
    _, err = interrupted.communicate(timeout=240)
    assert (interrupted.returncode, err.split(":")[1]) == (130, " interrupted"), err
    assert mini.kernels() == []
    assert left(mini) == []
    (mini.root / f"{kernel}.pid").unlink()

    running = mini.start(*remote, "--force")
    kernel, worker = waiting(mini, until)
    dead, alive = (one, two) if worker == one.pid else (two, one)
    (mini.root / "go on").touch()
    dead.kill()
    out, err = running.communicate(timeout=240)
    assert (running.returncode, err) == (0, ""), out
    assert "] seed=3: done in" in out
    assert "at the second attempt: the process that ran it first died" in out
    assert alive.poll() is None  # nobody ends other people's workers
    assert psutil.pid_exists(cluster.processes[0].pid)

    here = make_mini(tmp_path / "here")
    here.notebook("alpha", WORK)
    (here.root / "go on").touch()
    assert here.call(*GRID).code == 0
    assert results(here) == results(mini)

    done = mini.call("run", "--scheduler", cluster.address)
    assert "alpha: running (4 cells)\nalpha: done in" in done.out, done  # the same way for one run


def test_all_workers_die(mini, cluster, until):
    worker = cluster.worker()
    driver = impatient(mini, *GRID, "--scheduler", cluster.address)
    waiting(mini, until)
    worker.kill()
    _, err = driver.communicate(timeout=240)
    assert driver.returncode == 1
    assert err == (
        f"reproduce: the workers at {cluster.address} are gone: published results are complete, "
        "call again to go on\n"
    )
    until(lambda: not mini.kernels(), "no kernel is left", 60)
    assert left(mini) == []


def test_no_workers_and_no_scheduler(mini, cluster):
    refused(mini, cluster, "has no workers: start some with `dask worker tcp://")
    cluster.end()
    refused(mini, cluster, "--scheduler tcp://127.0.0.1:", "does not answer")
    refused(mini, "tcp://no.such.host.invalid:8786", "--scheduler tcp://no.such.host.invalid:8786 does not")


def test_a_worker_with_other_sources(mini, cluster, tmp_path):
    shutil.copytree(REPOSITORY / "reproduce", tmp_path / "old/reproduce")
    (tmp_path / "old/reproduce/execution/execute.py").write_text("# another one")
    cluster.worker()
    other = cluster.worker(path=tmp_path / "old")
    refused(
        mini,
        cluster,
        "worker tcp://127.0.0.1:",
        "has reproduce source ",
        ", this process has source ",
        "same checkout",
    )
    other.kill()


@pytest.fixture
def hidden(mini):
    """What starts a command that does not see the project's folder."""
    own = ["unshare", "--mount", "sh", "-c", f"mount -t tmpfs tmpfs '{mini.root}' && exec \"$@\"", "sh"]
    tried = subprocess.run([*own, "true"], capture_output=True, text=True)
    if tried.returncode:
        pytest.skip(f"cannot mount here: {tried.stderr.strip()}")
    return own


# The first two points wait for each other: they are on two workers then. The third fails.
MEETING = """\
import paperlib, pathlib, time
met = pathlib.Path({!r})
met.mkdir(exist_ok=True)
(met / str(seed)).write_text(paperlib.__file__)
end = time.monotonic() + 120
while len(list(met.iterdir())) < 2 and time.monotonic() < end:
    time.sleep(0.1)
assert seed < 3, "not this one"
(pathlib.Path(out_dir) / "deep").mkdir()
(pathlib.Path(out_dir) / "deep/more.bin").write_bytes(bytes([0, 255, seed]))
value = 10 * seed
"""


def test_workers_that_do_not_see_the_folder_send_results_back(mini, cluster, hidden, make_mini, tmp_path):
    mini.notebook("alpha", MEETING.format(str(tmp_path / "met")))
    checkouts = [tmp_path / "one", tmp_path / "two"]
    for checkout in checkouts:
        shutil.copytree(mini.root, checkout)
        cluster.worker(*hidden, cwd=checkout)
    grid = ("sweep", "alpha", "--grid", "seed=1:3:1")
    done = mini.call(*grid, "--scheduler", cluster.address)
    assert done.code == 1 and done.out.count(": done in") == 2, done
    ran = {Path(path.read_text()).parents[1] for path in (tmp_path / "met").iterdir()}
    assert ran == set(checkouts)
    [line] = {line.strip() for line in done.out.splitlines() if "the notebook up to there: " in line}
    assert "not this one" in mini.read(line.split(": ")[1])
    assert left(mini) == []
    assert not [path for each in checkouts for path in each.rglob("results.json")]
    here = make_mini(tmp_path / "here")
    here.notebook("alpha", MEETING.format(str(tmp_path / "met")))
    here.call(*grid)
    mine, its = ({n: d for n, d in results(each).items() if "failed.csv" not in n} for each in (here, mini))
    assert mine == its and len([name for name in its if name.endswith("deep/more.bin")]) > 1


def test_a_worker_in_a_checkout_of_another_commit(mini, cluster, hidden, tmp_path):
    shutil.copytree(mini.root, tmp_path / "other")
    (tmp_path / "other/paperlib/tools.py").write_text("base = 11\n")
    cluster.worker()
    cluster.worker(*hidden, cwd=tmp_path / "other")
    refused(
        mini,
        cluster,
        "worker tcp://127.0.0.1:",
        f"cannot write to {mini.root}/build/dask, and {tmp_path}/other has other sources than this project",
        "start it in a checkout of the same commit",
    )

"""Kernels, workers and drivers ended from outside: nothing hangs, nothing is left, nothing is half done."""

import json
import os
import signal

import pytest

pytestmark = pytest.mark.slow

# Where a worker is comes to the driver in batches: a cell that has just begun may not have been heard of yet.
WRITE_PIDS = (
    "import json, os, time\ntime.sleep(1)\n"
    "open(os.environ['PIDS'], 'w').write(json.dumps([os.getpid(), os.getppid()]) + '.')\n"
)
SLEEPS = WRITE_PIDS + "import time; time.sleep(120); value = 13"
SECOND = "os.path.basename(os.path.dirname(out_dir)) == '2'"  # whether it is the second attempt
HOLDS_THE_INTERPRETER = WRITE_PIDS + "value = sum(range(10**12))"  # one call: no other thread gets a turn


@pytest.fixture
def running(make_project, tmp_path, until):
    """Start a run of which alpha does not end, and beta is published; kernel and worker of alpha."""
    mini = make_project("alpha", "beta")
    pids_file = tmp_path / "pids"
    drivers = []

    def start(cell=SLEEPS, **options):
        pids_file.unlink(missing_ok=True)
        mini.notebook("alpha", cell)
        driver = mini.start("run", "--jobs", 2, env={"PIDS": str(pids_file)}, **options)
        drivers.append(driver)
        kernel, worker = until(start.pids, "the cell runs")
        until(lambda: (mini.root / "build/state/figures-beta.json").exists(), "beta is published")
        assert mini.kernels() == [kernel]
        return driver, kernel, worker

    def of_the_cell(but=None):
        text = pids_file.read_text() if pids_file.exists() else ""
        pids = json.loads(text[:-1]) if text.endswith(".") else None
        return pids if pids and pids[0] != but else None

    start.pids = of_the_cell
    start.mini = mini
    yield start
    for driver in drivers:
        driver.kill()  # its workers and kernels end with it, also where a test failed halfway


def finish(driver):
    out, err = driver.communicate(timeout=240)
    return driver.returncode, out, err


def test_a_killed_kernel(running):
    driver, kernel, _ = running()
    os.kill(kernel, signal.SIGKILL)
    code, out, err = finish(driver)
    assert (code, err) == (1, "")
    assert "alpha: the kernel died (killed, or out of memory) in cell 3 of notebooks/alpha.ipynb\n" in out
    assert "the notebook up to there: build/executed/figures-alpha.ipynb" in out
    assert not (running.mini.root / "figures/alpha").exists()


def test_a_killed_worker_takes_its_kernel_with_it(running, until):
    driver, first, worker = running(HOLDS_THE_INTERPRETER)
    os.kill(worker, signal.SIGKILL)
    _, worker = until(lambda: running.pids(but=first), "it is tried once more")
    until(lambda: len(running.mini.kernels()) == 1, "the first attempt's kernel is gone")
    os.kill(worker, signal.SIGKILL)
    code, out, err = finish(driver)
    assert (code, err) == (1, "")
    assert (
        "alpha: the process that ran the notebook died twice (killed, or out of memory) in cell 3 of" in out
    )
    assert not (running.mini.root / "figures/alpha").exists()
    until(lambda: not running.mini.kernels(), "no kernel is left", 60)


def test_a_worker_that_was_killed_once(running):
    driver, _, worker = running(WRITE_PIDS + f"{SECOND} or __import__('time').sleep(120)\nvalue = 13")
    os.kill(worker, signal.SIGKILL)
    code, out, err = finish(driver)
    assert (code, err) == (0, ""), out
    assert " s, at the second attempt: the process that ran it first died -> figures/alpha\n" in out


def test_a_killed_driver(running, until):
    driver, _, _ = running(HOLDS_THE_INTERPRETER)
    driver.kill()
    driver.wait()
    mini = running.mini
    until(lambda: not mini.kernels(), "no kernel is left", 60)
    assert {name.split("/")[0] for name in mini.published()} <= {"beta"}
    mini.notebook("alpha")
    done = mini.call("run")
    assert (done.code, done.executed) == (0, {"alpha"}), done
    assert "alpha/results.json" in mini.published()
    assert list((mini.root / "build/stage").iterdir()) == []


@pytest.mark.parametrize("how", ["Ctrl-C", "SIGTERM"])
def test_interrupted_while_the_workers_start(project, until, how):
    project.notebook("alpha", SLEEPS)
    driver = project.start("run", start_new_session=True, env={"PIDS": os.devnull})
    until(lambda: list((project.root / "build/dask").glob("*")), "the workers start")
    project.interrupt(driver, how)
    code, _, err = finish(driver)
    assert (code, err) == (130, project.INTERRUPTED)
    assert project.kernels() == []


@pytest.mark.parametrize("how", ["Ctrl-C", "SIGTERM"])
def test_an_interrupted_driver(running, how):
    driver, _, worker = running(start_new_session=True)
    running.mini.interrupt(driver, how)
    code, out, err = finish(driver)
    assert code == 130
    assert err == running.mini.INTERRUPTED
    assert "Traceback" not in out
    assert running.mini.kernels() == []
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)
    assert {name.split("/")[0] for name in running.mini.published()} == {"beta"}
    assert list((running.mini.root / "build/stage").iterdir()) == []

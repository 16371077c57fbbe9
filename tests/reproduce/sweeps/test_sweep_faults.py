"""Sweeps ended from outside, at every joint: the next call goes on, to the very same table."""

import os
import signal
import subprocess

import psutil
import pytest

pytestmark = pytest.mark.slow

# The third point writes down its pids and waits, unless the file that says "go on" is there.
WORK = """\
import os, pathlib, time
there = pathlib.Path(os.environ["MEETING"])
if seed == 3 and not (there / "go on").exists():
    (there / "new").write_text(f"{os.getpid()} {os.getppid()}")
    (there / "new").rename(there / f"{os.getpid()}.pid")
    while True: time.sleep(0.1) if not (there / "busy").exists() else sum(range(10**12))
value = 10 * seed
"""
GRID = ("sweep", "alpha", "--grid", "seed=1:5:1", "--jobs", 2)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory, make_mini):
    """Return the files of a sweep that nothing happens to, but times."""
    mini = make_mini(tmp_path_factory.mktemp("undisturbed") / "project")
    mini.notebook("alpha", WORK)
    (mini.root / "go on").touch()
    done = mini.command(*GRID, env={"MEETING": str(mini.root)})
    assert done.code == 0, done
    return results(mini)


@pytest.fixture
def halfway(project, tmp_path, until):
    """Start a sweep that has two points published and one that waits; the driver, a kernel, its worker."""
    project.notebook("alpha", WORK)
    meeting = tmp_path / "meeting"
    meeting.mkdir()
    drivers = []

    def start(**options):
        drivers.append(project.start(*GRID, env={"MEETING": str(meeting)}, **options))
        patiently(lambda: len(records(project)) >= 2, "two points are published")
        return (drivers[-1], *start.pids())

    def pids(but=None):
        found = lambda: [p for p in meeting.glob("*.pid") if p.stem != str(but)]  # noqa: E731
        return map(int, patiently(found, "the third point waits")[0].read_text().split())

    def patiently(condition, what):
        """Wait, and where it was in vain print the driver's output."""
        try:
            return until(condition, what)
        except AssertionError as error:
            drivers[-1].kill()
            out, err = drivers[-1].communicate()
            raise AssertionError(f"{error}\n--- stdout\n{out}\n--- stderr\n{err}") from None

    def resume(undisturbed):
        (meeting / "go on").touch()
        had = len(records(project))
        done = project.command(*GRID, env={"MEETING": str(meeting)})
        assert (done.code, done.err) == (0, ""), done
        assert done.out.startswith(f"alpha: 5 points, {had} of them up to date\n")
        assert done.out.count(": done in") == 5 - had
        assert results(project) == undisturbed
        assert left(project) == []

    start.pids, start.resume, start.meeting = pids, resume, meeting
    yield start
    for driver in drivers:
        driver.kill()


def records(mini):
    return [p for p in (mini.root / "build/state/sweeps/alpha").glob("*.json") if len(p.stem) == 64]


def results(mini):
    found = mini.published("build/sweeps/alpha")
    return {name: data for name, data in found.items() if not name.endswith("seconds.csv")}


def left(mini):
    folders = [mini.root / "build" / name for name in ("stage", "locks", "executed")]
    return [p for folder in folders for p in folder.rglob("*") if p.is_file()]


def finish(driver):
    out, err = driver.communicate(timeout=240)
    return driver.returncode, out, err


def test_a_killed_driver(project, halfway, undisturbed, until):
    (halfway.meeting / "busy").touch()  # a kernel that holds the interpreter for hours
    driver, _, worker = halfway()
    driver.kill()
    finish(driver)
    until(lambda: not project.kernels() and not psutil.pid_exists(worker), "nothing is left running", 60)
    whole = {"results.json", "figure-1.svg", "figure-1.png", "table-1.csv", "notebook.ipynb"}
    for folder in (project.root / "build/sweeps/alpha").iterdir():
        assert {p.name for p in folder.iterdir()} == whole
    halfway.resume(undisturbed)


def test_a_killed_kernel_is_a_failed_point(project, halfway, undisturbed):
    driver, kernel, _ = halfway()
    os.kill(kernel, signal.SIGKILL)
    code, out, err = finish(driver)
    assert (code, err) == (1, "")
    assert "1 of 5 points failed; the same command runs them again:\n  seed=3: the kernel died" in out
    assert "in cell 3 of notebooks/alpha.ipynb\n" in out
    assert "(4 of 5 points, 4 rows;" in out
    halfway.resume(undisturbed)


def test_a_worker_killed_twice_is_a_failed_point(project, halfway, undisturbed):
    driver, kernel, worker = halfway()
    os.kill(worker, signal.SIGKILL)
    _, other = halfway.pids(but=kernel)
    os.kill(other, signal.SIGKILL)
    code, out, err = finish(driver)
    assert (code, err) == (1, "")
    assert "seed=3: the process that ran the notebook died twice (killed, or out of memory)" in out
    assert "(4 of 5 points, 4 rows;" in out
    halfway.resume(undisturbed)


def test_a_worker_killed_once_costs_nothing(project, halfway, undisturbed):
    driver, _, worker = halfway()
    (halfway.meeting / "go on").touch()  # for the second attempt
    os.kill(worker, signal.SIGKILL)
    code, out, err = finish(driver)
    assert (code, err) == (0, ""), out
    assert "] seed=3: done in" in out
    assert "at the second attempt: the process that ran it first died" in out
    assert results(project) == undisturbed


def test_an_interrupted_driver(project, halfway, undisturbed):
    driver, _, worker = halfway(start_new_session=True)
    project.interrupt(driver, "Ctrl-C")
    code, out, err = finish(driver)
    assert (code, err) == (130, project.INTERRUPTED), out
    assert "Traceback" not in out
    assert project.kernels() == []
    assert not psutil.pid_exists(worker)
    assert [p for p in left(project) if "executed" not in p.parts] == []
    halfway.resume(undisturbed)


def test_a_full_disk(tmp_path, make_mini, undisturbed):
    place = tmp_path / "project"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", place]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"cannot mount here: {done.stderr.strip()}")
    try:
        mini = make_mini(place)
        mini.notebook("alpha", WORK)
        (place / "go on").touch()
        mini.notebook("alpha", WORK + FILLS)
        env = {"MEETING": str(place), "FILLS": "1"}
        failed = mini.command(*GRID[:-1], 1, env=env)
        assert failed.code == 1, failed
        assert "No space left on device" in failed.out + failed.err
        assert "Traceback" not in failed.out + failed.err, failed
        for folder in (place / "build/sweeps/alpha").iterdir():
            assert (folder / "results.json").stat().st_size > 0
        assert mini.kernels() == []
        had = len(records(mini))
        (place / "filler").unlink()
        again = mini.command(*GRID, env={"MEETING": str(place)})
        assert (again.code, again.err) == (0, ""), again
        assert again.out.startswith(f"alpha: 5 points, {had} of them up to date\n")
        assert table(results(mini)) == table(undisturbed)
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


# At the third point the disk becomes full.
FILLS = """\
if seed == 3 and "FILLS" in os.environ:
    with open(there / "filler", "wb", buffering=0) as filler:
        try:
            while True: filler.write(bytes(4096))
        except OSError:
            pass
"""


def table(files):
    [text] = [data for name, data in files.items() if name.endswith("/results.csv")]
    return text

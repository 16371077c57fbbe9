"""build/ and figures/ on different disks: published whole, and nothing lost."""

import errno
import os
import shutil
import tempfile
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from reproduce.errors import DiskError
from reproduce.paths import Family, Project
from reproduce.publication import stage as module
from reproduce.publication.stage import Stage
from tests.reproduce.test_disk import mounted, one_line


@pytest.fixture
def other_disk(tmp_path):
    """A folder on another disk than the tests' own."""
    memory = Path("/dev/shm")
    if not memory.is_dir() or memory.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is no other disk here")
    folder = Path(tempfile.mkdtemp(dir=memory, prefix="paperlib-test-"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(params=["exchange", "two renames"])
def way(request, monkeypatch):
    if request.param == "two renames":
        monkeypatch.setattr(module, "exchange", lambda one, other: False)


@pytest.fixture
def stage(project, other_disk):
    (project.root / "build").symlink_to(other_disk)
    place = Project(project.root)

    def make(text):
        new = Stage(place, place.destination("alpha", Family()))
        for name in ("a.csv", "of/b.csv"):
            (new.out / name).parent.mkdir(exist_ok=True)
            (new.out / name).write_text(text)
        return new

    return make


def test_published_whole_and_replaced_whole(stage, project, way):
    for text in ("1", "2"):
        stage(text).publish()
        assert project.published() == {name: text.encode() for name in ("alpha/a.csv", "alpha/of/b.csv")}
        assert not (project.root / "build/stage/figures-alpha").exists()


class Killed(BaseException):
    """The end of the process."""


def publish_until(stage, number, patch):
    """Publish, but end at that call to the system; whether there were as many."""
    calls = count(1)

    def ending(real):
        def call(*args, **options):
            if next(calls) == number:
                raise Killed
            return real(*args, **options)

        return call

    for owner, name in ((os, "rename"), (os, "fsync"), (shutil, "copy2"), (module, "exchange")):
        patch.setattr(owner, name, ending(getattr(owner, name)))
    patch.setattr(Stage, "discard", lambda self: None)
    with suppress(Killed):
        stage.publish()
    return next(calls) > number


@pytest.mark.parametrize("before", [None, b"1"], ids=["nothing before", "results before"])
def test_killed_at_any_moment_the_old_or_the_new_are_there(stage, project, way, monkeypatch, before):
    for number in count(1):
        if before:
            stage("1").publish()
        new = stage("2")
        with monkeypatch.context() as patch:
            was_killed = publish_until(new, number, patch)
        stage("3").discard()  # as the next run does
        found = project.published()
        assert len(found) in (0, 2) and set(found.values()) <= {before, b"2"}, number
        assert found or not before, number
        assert set(os.listdir(project.root / "figures")) <= {"alpha"}, number
        if not was_killed:
            break
        shutil.rmtree(project.root / "figures")
    assert set(project.published().values()) == {b"2"} and number >= 8


def test_a_disk_that_is_full_leaves_what_was_there(stage, project, monkeypatch):
    stage("1").publish()
    new = stage("2")

    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "copytree", full)
        with pytest.raises(OSError, match="No space left"):
            new.publish()
    new.discard()
    assert set(project.published().values()) == {b"1"}


@pytest.mark.slow
@pytest.mark.parametrize("which", ["build", "figures"])
def test_a_run_publishes_across_disks(project, other_disk, which):
    (project.root / which).symlink_to(other_disk)
    for value in (13, 14):
        project.notebook("alpha", f"value = {value}")
        done = project.call("run")
        assert (done.code, done.executed) == (0 if value == 13 else 1, {"alpha"}), done
        assert f"{value}" in project.read("figures/alpha/table-1.csv")
        assert "cannot write" not in done.out + done.err
        assert set(os.listdir(project.root / "figures")) == {*project.SCOREBOARD, "alpha"}
    done = project.call("run")
    assert done.executed == set() and "up to date" in done.out, done


def test_mounts_of_one_disk(project, tmp_path):
    """A bind mount has the device of what it shows, and yet nothing can be renamed into it."""
    for name in ("figures", "elsewhere"):
        (project.root / name).mkdir()
    with mounted("--bind", project.root / "elsewhere", project.root / "figures"):
        done = project.call("run")
        assert (done.code, done.executed) == (0, {"alpha"}), done


def test_a_mount_in_the_place_of_the_results_is_refused_before_the_run(project):
    for name in ("figures/alpha", "else where"):
        (project.root / name).mkdir(parents=True)
    with mounted("--bind", project.root / "else where", project.root / "figures/alpha"):
        assert "figures/alpha must not be a mount" in one_line(project.call("run"))


def test_a_mount_is_told_by_its_name_where_proc_is_missing(project, monkeypatch):
    place = Project(project.root)
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: (_ for _ in ()).throw(FileNotFoundError()))
    monkeypatch.setattr(os.path, "ismount", lambda path: True)
    with pytest.raises(DiskError, match="must not be a mount"):
        Stage(place, place.destination("alpha", Family()))

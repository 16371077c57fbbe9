import errno
import os
import threading

import pytest

from reproduce.errors import DiskError
from reproduce.paths import Family, Project
from reproduce.publication import stage as module
from reproduce.publication.stage import Stage, exchange


@pytest.fixture
def stage(project):
    place = Project(project.root)
    return lambda: Stage(place, place.destination("alpha", Family()))


def fill(stage, text):
    for name in ("a.csv", "b.csv"):
        (stage.out / name).write_text(text)


@pytest.fixture(params=["exchange", "two renames"])
def way(request, monkeypatch):
    if request.param == "two renames":
        monkeypatch.setattr(module, "exchange", lambda one, other: False)
    return request.param


def test_published_whole_and_replaced_whole(stage, project, way):
    for text in ("1", "2"):
        new = stage()
        fill(new, text)
        if text == "2":
            (new.out / "b.csv").unlink()
        new.publish()
        assert not new.base.exists()
    assert project.published() == {"alpha/a.csv": b"2"}


def test_what_was_not_published_changes_nothing(stage, project, way):
    first = stage()
    fill(first, "1")
    first.publish()
    second = stage()
    fill(second, "2")
    second.discard()
    assert set(project.published().values()) == {b"1"}


def test_the_folder_can_be_read_by_others(stage, project):
    new = stage()
    new.publish()
    os.mkdir(project.root / "reference")
    mode = (project.root / "reference").stat().st_mode
    assert (project.root / "figures/alpha").stat().st_mode == mode


def test_a_kill_between_two_renames_is_made_good(stage, project, monkeypatch):
    first = stage()
    fill(first, "1")
    first.publish()
    second = stage()
    fill(second, "2")
    monkeypatch.setattr(module, "exchange", lambda one, other: False)
    rename, calls = os.rename, []

    def killed_at_second(one, other):
        calls.append(other)
        if len(calls) == 2:
            raise KeyboardInterrupt
        rename(one, other)

    monkeypatch.setattr(os, "rename", killed_at_second)
    with pytest.raises(KeyboardInterrupt):
        second.publish()
    assert project.published() == {}  # the one moment that this way cannot avoid
    monkeypatch.setattr(os, "rename", rename)
    stage()
    assert set(project.published().values()) == {b"1"}


def test_what_a_killed_run_left_is_removed(stage):
    left = stage()
    fill(left, "1")
    assert stage().folder != left.folder
    assert not left.folder.exists()


@pytest.mark.parametrize("code", [errno.ENOSYS, errno.EINVAL, errno.ENOTSUP])
def test_a_file_system_that_cannot_exchange(monkeypatch, tmp_path, code):
    class Libc:
        def renameat2(self, *_):
            return -1

        renamex_np = renameat2

    monkeypatch.setattr(module.ctypes, "CDLL", lambda *_, **__: Libc())
    monkeypatch.setattr(module.ctypes, "get_errno", lambda: code)
    assert exchange(tmp_path, tmp_path) is False
    monkeypatch.setattr(module.ctypes, "CDLL", lambda *_, **__: object())  # an old libc
    assert exchange(tmp_path, tmp_path) is False


def test_another_error_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        exchange(tmp_path / "a", tmp_path / "b")


@pytest.mark.parametrize("make", ["file", "link"])
def test_a_place_that_is_no_folder_is_left_alone(stage, project, make):
    (project.root / "figures").mkdir()
    target = project.root / "figures/alpha"
    if make == "file":
        target.write_text("mine")
    else:
        target.symlink_to(project.root / "notebooks")
    with pytest.raises(DiskError, match="must be a folder, not a file or a link"):
        stage()
    assert target.is_symlink() or target.read_text() == "mine"


def read_at(folder, name):
    with open(os.open(name, os.O_RDONLY, dir_fd=folder)) as file:
        return file.read()


@pytest.mark.slow
def test_a_reader_never_meets_half_of_it(stage, project):
    """A reader holds the folder open while it reads, so it sees one state of it: it must be whole."""
    done, seen, wrong = threading.Event(), set(), []
    target = project.root / "figures/alpha"
    new = stage()
    fill(new, "start")
    new.publish()

    def read():
        while not done.is_set():
            try:
                folder = os.open(target, os.O_RDONLY)
            except FileNotFoundError:
                wrong.append("missing")
                continue
            try:
                texts = [read_at(folder, name) for name in ("a.csv", "b.csv")]
                seen.add(texts[0])
                if len(set(texts)) != 1:
                    wrong.append(texts)
            except FileNotFoundError:
                if os.fstat(folder).st_ino == target.stat().st_ino:
                    wrong.append("incomplete")
            finally:
                os.close(folder)

    reader = threading.Thread(target=read)
    reader.start()
    for i in range(200):
        new = stage()
        fill(new, str(i))
        new.publish()
    done.set()
    reader.join()
    assert not wrong
    assert len(seen) > 1

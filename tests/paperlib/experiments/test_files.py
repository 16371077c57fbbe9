"""A file is written whole or not at all."""

import os
import stat
import subprocess
import threading

import pytest

from paperlib.experiments import files
from paperlib.experiments.files import write_whole


def test_text_is_written_as_utf_8_with_its_own_line_ends(tmp_path):
    write_whole(tmp_path / "a.txt", "σ = 0.1\n")
    assert (tmp_path / "a.txt").read_bytes() == b"\xcf\x83 = 0.1\n"


def test_bytes_are_written_as_they_are(tmp_path):
    write_whole(str(tmp_path / "a.bin"), b"\x00\r\n\xff")
    assert (tmp_path / "a.bin").read_bytes() == b"\x00\r\n\xff"


def test_what_stood_there_is_replaced_and_nothing_else_is_left(tmp_path):
    for content in ("long enough to show", "", "short"):
        write_whole(tmp_path / "a", content)
        assert (tmp_path / "a").read_text() == content
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_everyone_may_read_what_was_written(tmp_path):
    old = os.umask(0o077)
    try:
        write_whole(tmp_path / "a", "x")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o644


@pytest.mark.parametrize("step", ["fdopen", "chmod", "replace"])
@pytest.mark.parametrize("error", [OSError("disk"), KeyboardInterrupt()])
def test_a_failure_at_any_step_leaves_what_stood_there(tmp_path, monkeypatch, step, error):
    (tmp_path / "a").write_text("old")

    def fail(*args, **kwargs):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(files.os, step, fail)
        with pytest.raises(type(error)):
            write_whole(tmp_path / "a", "new")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_text() == "old"


def test_an_interruption_after_the_move_is_not_hidden_by_another_error(tmp_path, monkeypatch):
    replace = os.replace

    def interrupted(*args):
        replace(*args)
        raise KeyboardInterrupt

    monkeypatch.setattr(files.os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "a", "new")
    assert (tmp_path / "a").read_text() == "new"


def test_a_full_disk_leaves_what_stood_there(tmp_path):
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", tmp_path], capture_output=True, text=True
    )
    if mounted.returncode:
        pytest.skip(f"cannot mount here: {mounted.stderr.strip()}")
    try:
        write_whole(tmp_path / "a", "old")
        with pytest.raises(OSError, match="No space left on device"):
            write_whole(tmp_path / "a", bytes(1_000_000))
        assert [path.name for path in tmp_path.iterdir()] == ["a"]
        assert (tmp_path / "a").read_text() == "old"
    finally:
        subprocess.run(["umount", "--lazy", tmp_path], check=True)


def test_a_folder_that_is_missing_is_made(tmp_path):
    write_whole(tmp_path / "new" / "deeper" / "a", "x")
    assert (tmp_path / "new" / "deeper" / "a").read_text() == "x"


def test_a_file_in_the_place_of_the_folder_is_kept(tmp_path):
    (tmp_path / "a").write_text("mine")
    with pytest.raises(OSError, match=r"exists|directory"):
        write_whole(tmp_path / "a" / "b", "x")
    assert (tmp_path / "a").read_text() == "mine"


def test_the_same_content_is_left_alone(tmp_path):
    write_whole(tmp_path / "a", "x")
    before = (tmp_path / "a").stat()
    write_whole(tmp_path / "a", b"x")
    after = (tmp_path / "a").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_folder_at_the_path_is_kept(tmp_path):
    (tmp_path / "a").mkdir()
    with pytest.raises(OSError, match="directory"):
        write_whole(tmp_path / "a", "x")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_reader_sees_one_whole_version_or_the_other(tmp_path):
    path, versions = tmp_path / "a", (b"a" * 200_000, b"b" * 200_000)
    write_whole(path, versions[0])
    seen, done = set(), threading.Event()

    def read():
        while not done.is_set():
            seen.add(path.read_bytes())

    reader = threading.Thread(target=read)
    reader.start()
    for i in range(200):
        write_whole(path, versions[i % 2])
    done.set()
    reader.join()
    assert seen <= set(versions)

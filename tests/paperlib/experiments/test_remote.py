"""Copies of results at an address; `tests/notebooks/test_papermill.py` has them made by a notebook."""

import fsspec
import pytest

from paperlib.experiments.files import write_whole
from paperlib.experiments.recording import Recorder
from paperlib.experiments.remote import Copies


@pytest.fixture
def there():
    filesystem = fsspec.filesystem("memory")
    yield filesystem
    filesystem.store.clear()


def test_what_is_new_or_another_file_is_sent_again_and_nothing_else(there, monkeypatch):
    copies = Copies("memory://bucket/run")
    sent = []
    put = copies.filesystem.put_file
    monkeypatch.setattr(copies.filesystem, "put_file", lambda *args: (sent.append(args[1]), put(*args)))
    write_whole(copies.folder / "a.csv", "1")
    copies.send()
    write_whole(copies.folder / "b.csv", "2")
    write_whole(copies.folder / "a.csv", "1")  # the same content
    copies.send()
    write_whole(copies.folder / "a.csv", "3")
    copies.send()
    assert [name.rpartition("/")[2] for name in sent] == ["a.csv", "b.csv", "a.csv"]
    assert there.cat("/bucket/run/a.csv") == b"3" and there.cat("/bucket/run/b.csv") == b"2"


def test_what_fails_is_tried_again(there, monkeypatch):
    copies = Copies("memory://bucket/run")
    write_whole(copies.folder / "a.csv", "1")
    with monkeypatch.context() as patch:
        patch.setattr(copies.filesystem, "put_file", lambda *args: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            copies.send()
    copies.send()
    assert there.cat("/bucket/run/a.csv") == b"1"


def test_a_recorder_writes_there_at_once(there):
    Recorder("tiny", "memory://bucket/tiny")
    assert b'"paper": "tiny"' in there.cat("/bucket/tiny/results.json")

"""A paper that a test writes, what a Recorder left behind, and a disk that is full."""

import errno
import json
import os
import sys
from contextlib import contextmanager

import pytest

from paperlib.experiments import claims, files, ledger


@contextmanager
def toys(root, monkeypatch):
    """A function that writes the measures of the paper `toy`, and its ledger, and returns the folder."""

    def write(measures, rows):
        package = f"toys_{root.name}_{len(list(root.iterdir()))}"  # no two tests share a module
        folder = root / package / "toy"
        folder.mkdir(parents=True)
        for each in (folder, folder.parent):
            (each / "__init__.py").touch()
        (folder / "claims.py").write_text(measures)
        (root / "toy.toml").write_text(rows)
        monkeypatch.setattr(claims, "PACKAGE", package)
        return folder

    monkeypatch.syspath_prepend(root)
    monkeypatch.setattr(ledger, "FOLDER", root)
    yield write
    for name in [each for each in sys.modules if each.startswith("toys_")]:
        del sys.modules[name]


def results(folder):
    return json.loads((folder / "results.json").read_text(encoding="utf-8"))


@contextmanager
def full_disk(monkeypatch):
    """What is written fails, and says so."""

    def full(*args):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(files.os, "replace", full)
        with pytest.raises(OSError, match="No space left on device"):
            yield

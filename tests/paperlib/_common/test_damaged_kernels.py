"""Files of compiled kernels that are damaged, cannot be written, or were made by others: compiled again."""

import errno
import pickle
import resource

import numpy as np
import pytest
from numba import config
from numba.core import caching

from paperlib._common.jit import jit
from paperlib._common.stable_sort import sort_by

DAMAGE = {  # bytes of a whole file -> what stands in it
    "empty": lambda raw: b"",
    "one byte": lambda raw: raw[:1],
    "half": lambda raw: raw[: len(raw) // 2],
    "without its last byte": lambda raw: raw[:-1],
    "zeros, as after a power cut": lambda raw: bytes(len(raw)),
    "garbage": lambda raw: b"\x80garbage" * 100,
    "another pickle": lambda raw: pickle.dumps({"a": 1}),
    "a bit of the machine code": lambda raw: (
        raw[: len(raw) // 2] + bytes([raw[len(raw) // 2] ^ 1]) + raw[len(raw) // 2 + 1 :]
    ),
    "something behind it": lambda raw: raw + b"more",
}


def outside(x):
    return 3 * x


@pytest.fixture
def anew(tmp_path, monkeypatch):
    """Calls a kernel of the library, or another one, as a new process would; its result, and cache hits."""
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))

    def call(which):
        kernel = jit(sort_by.py_func if which == "own" else outside)
        arguments = (np.array([2.0, 0.0, 1.0]), np.arange(3)) if which == "own" else (2,)
        return repr(kernel(*arguments)), sum(kernel.stats.cache_hits.values())

    call.files = lambda: sorted(path for path in tmp_path.rglob("*") if path.is_file())
    return call


@pytest.mark.slow
@pytest.mark.parametrize("which", ["own", "outside"])
def test_every_damaged_file_is_as_good_as_none(anew, which):
    result, hits = anew(which)
    assert hits == 0 and anew(which) == (result, 1)
    files = anew.files()
    assert files
    for path in files:
        whole = path.read_bytes()
        for kind, damage in DAMAGE.items():
            path.write_bytes(damage(whole))
            assert anew(which) == (result, 0), f"{path.name}: {kind}"
            assert anew(which) == (result, 1), f"{path.name}: {kind} stays"
    assert anew.files() == files, "what cannot be read piles up"


def test_a_file_of_another_signature_is_not_taken(anew):
    """As where two processes wrote at once, or two classes have the same name."""
    anew("own")
    anew("outside")
    own, other = sorted(anew.files(), key=lambda path: "outside" in path.name)
    own.write_bytes(other.read_bytes())
    result, hits = anew("own")
    assert hits == 0 and anew("own") == (result, 1)


def test_a_folder_in_its_place_stops_nothing(anew):
    result, _ = anew("outside")
    [path] = anew.files()
    path.unlink()
    path.mkdir()
    assert anew("outside") == (result, 0)


def test_a_full_disk_stops_nothing(anew):
    kernel = jit(outside)
    most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, most[1]))  # of a file
    try:
        result = kernel(2)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, most)
    assert result == 6
    assert {path.stat().st_size for path in anew.files()} <= {0}


def test_a_folder_that_cannot_be_written_any_more_stops_nothing(anew, monkeypatch):
    def fails(*_):
        raise OSError(errno.EROFS, "Read-only file system")

    kernel = jit(outside)
    monkeypatch.setattr(caching._CacheLocator, "ensure_cache_path", fails)
    assert (kernel(2), anew.files()) == (6, [])

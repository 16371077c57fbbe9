"""Kernels are cached where that is possible, and compile where it is not."""

import importlib
import json
import os
import pkgutil
import shutil
import stat
import tempfile
from pathlib import Path

import pytest
from numba import config, njit
from numba.core.dispatcher import Dispatcher

import paperlib
from paperlib._common import jit as jit_module
from paperlib._common.jit import jit
from tests.programs import printed

OTHER_USER = 54_321
MODULE = "from paperlib._common.jit import jit\n\n\n@jit\ndef double(x):\n    return 2 * x\n"

# As in a container with an arbitrary user: neither the package's folder nor a home can be written to. The
# interpreter may lie in a folder that only root can read, so everything is loaded before the user changes.
AS_ANOTHER_USER = """
import json, os, sys, tempfile
import paperlib.coresets, paperlib.kernel_mean
for name in [name for name in sys.modules if name.startswith("paperlib")]:
    del sys.modules[name]
sys.path.insert(0, sys.argv[1])
tempfile.tempdir = sys.argv[2]
os.environ.pop("HOME", None)
os.chdir("/")
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(int(sys.argv[3]))
    os.setuid(int(sys.argv[3]))
import numpy as np
import paperlib
from paperlib._common import jit
from paperlib.coresets import CoresetSVC
assert paperlib.__file__.startswith(sys.argv[1]), paperlib.__file__
svc = CoresetSVC().fit(np.array([[0.0, 1.0], [1.0, 1.0], [0.0, -1.0]]), [1, 1, 0])
print(json.dumps([float(svc.margin_), os.getuid()]))
"""


def cache_of(kernel):
    return Path(kernel._cache.cache_path)


@pytest.fixture
def open_folder():
    """A folder that every user may look into, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp(prefix="paperlib-test-"))
    folder.chmod(0o755)
    yield folder
    for path in folder.rglob("*"):
        if path.is_dir():
            path.chmod(0o755)
    shutil.rmtree(folder)


def run_as_another_user(folder, temporary):
    """Fit something with a read-only copy of the package; what it prints."""
    copy = folder / "site"
    ignored = shutil.ignore_patterns("__pycache__", "experiments")
    shutil.copytree(Path(paperlib.__file__).parent, copy / "paperlib", ignore=ignored)
    for path in [copy, *copy.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    return json.loads(printed("-c", AS_ANOTHER_USER, copy, temporary, OTHER_USER, NUMBA_CACHE_DIR=None))


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt" or os.getuid() != 0, reason="only root can become another user")
def test_another_user_without_a_home_can_import_and_fit(open_folder):
    temporary = open_folder / "tmp"
    temporary.mkdir()
    temporary.chmod(0o1777)
    margin, user = run_as_another_user(open_folder, temporary)
    assert margin == pytest.approx(1.0)
    assert user == OTHER_USER
    [private] = temporary.iterdir()
    assert private.stat().st_uid == OTHER_USER
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    assert list(private.rglob("*.nbc")), "nothing was cached"


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt" or os.getuid() != 0, reason="only root can become another user")
def test_where_no_folder_at_all_can_be_written_to_it_still_imports(open_folder):
    temporary = open_folder / "tmp"
    temporary.mkdir()
    temporary.chmod(0o555)
    margin, _ = run_as_another_user(open_folder, temporary)
    assert margin == pytest.approx(1.0)
    assert not list(temporary.iterdir())


def test_a_kernel_is_cached_beside_its_source(tmp_path, monkeypatch):
    monkeypatch.setattr(config, "CACHE_DIR", "")
    kernel = module_of(tmp_path, monkeypatch).double
    assert kernel(4) == 8
    assert cache_of(kernel) == tmp_path / "__pycache__"
    assert list(cache_of(kernel).glob("*.nbc"))


def module_of(folder, monkeypatch):
    """A fresh module with a kernel, from a file in `folder`."""
    name = f"module_{folder.name.replace('-', '_')}"
    (folder / f"{name}.py").write_text(MODULE)
    monkeypatch.syspath_prepend(folder)
    return __import__(name)


@pytest.fixture
def no_locator(tmp_path, monkeypatch):
    """Numba finds no folder of its own; ours would lie in `tmp_path`."""
    real = jit_module.njit

    def refuses(**options):
        if options.get("cache") and not config.CACHE_DIR:
            raise RuntimeError("cannot cache function 'f': no locator available")
        return real(**options)

    monkeypatch.setattr(jit_module, "njit", refuses)
    monkeypatch.setattr(config, "CACHE_DIR", "")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path / f"paperlib-kernels-{os.getuid()}"


def triple(x):
    return 3 * x


def test_without_a_folder_of_numbas_own_a_private_one_is_used(no_locator):
    kernel = jit(triple)
    assert kernel(2) == 6
    assert cache_of(kernel).is_relative_to(no_locator)
    assert stat.S_IMODE(no_locator.stat().st_mode) == 0o700
    assert config.CACHE_DIR == "", "the user's own setting was changed"
    assert cache_of(jit(triple)) == cache_of(kernel)


def test_a_folder_that_others_may_write_to_is_not_used(no_locator):
    no_locator.mkdir()
    no_locator.chmod(0o777)
    kernel = jit(triple)
    assert kernel(2) == 6
    assert type(kernel._cache).__name__ == "NullCache"
    assert not list(no_locator.iterdir())


def test_a_link_in_its_place_is_not_followed(no_locator, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    no_locator.symlink_to(elsewhere)
    assert type(jit(triple)._cache).__name__ == "NullCache"
    assert not list(elsewhere.iterdir())


def test_options_reach_numba_and_threads_go_on():
    kernel = jit(error_model="numpy")(triple)
    assert kernel.targetoptions["error_model"] == "numpy"
    assert kernel.targetoptions["nogil"] is True
    assert jit(nogil=False)(triple).targetoptions["nogil"] is False


def test_a_kernel_that_others_call_with_constants_is_compiled_once():
    once = jit(triple)

    @njit
    def caller(x):
        total = once(x)
        for i in range(2):
            total += once(7) + once(-1) + once(i)
        return total

    assert caller(4) == 12 + 2 * (21 - 3) + 3
    assert len(once.signatures) == 1


def kernels():
    """All kernels of the library."""
    for module in pkgutil.walk_packages(paperlib.__path__, "paperlib."):
        if not module.name.startswith("paperlib.experiments"):
            found = vars(importlib.import_module(module.name)).values()
            yield from (each for each in found if isinstance(each, Dispatcher))


def test_a_kernel_whose_sums_have_no_order_is_part_of_its_callers():
    """A call would find the one compiled alone where it was compiled, and the caller's copy where loaded.

    The two add up in different orders, so that results would differ between processes.
    """
    free = {id(kernel) for kernel in kernels() if "reassoc" in (kernel.targetoptions.get("fastmath") or ())}
    assert free
    for kernel in kernels():
        function = kernel.py_func
        for called in map(function.__globals__.get, function.__code__.co_names):
            if id(called) in free:
                assert called.targetoptions.get("forceinline"), f"{called.py_func.__name__}: forceinline=True"


def toy(folder, constant, x, comment=""):
    """What a kernel of a subpackage gives in a new process; the constant comes from another file."""
    package = folder / "paperlib"
    for name in ("", "_common", "toy"):
        (package / name).mkdir(parents=True, exist_ok=True)
        (package / name / "__init__.py").touch()
    for name in ("jit", "signals", "intrinsics", "code_digest", "code_reach", "code_writer"):
        shutil.copy(Path(jit_module.__file__).with_name(f"{name}.py"), package / "_common")
    (package / "toy" / "constants.py").write_text(f"{comment}FACTOR = {constant}\n")
    (package / "toy" / "kernels.py").write_text(
        "from paperlib._common.jit import jit\nfrom paperlib.toy.constants import FACTOR\n\n\n"
        "@jit\ndef scaled(x):\n    return FACTOR * x\n"
    )
    for path in package.rglob("*.py"):
        os.utime(path, (1e9, 1e9))  # what is newer than the process may not be what it executes
    code = f"from paperlib.toy.kernels import scaled as s; print(s({x}), sum(s.stats.cache_hits.values()))"
    found = printed("-c", code, cwd=folder, PYTHONPATH=str(folder), NUMBA_CACHE_DIR=None)
    return tuple(map(int, found.split()))


@pytest.mark.slow
def test_a_constant_of_another_file_is_compiled_in_again(tmp_path):
    assert toy(tmp_path, 3, 5) == (15, 0)
    assert toy(tmp_path, 3, 5) == (15, 1)
    files = set(tmp_path.rglob("*.nb?"))
    assert toy(tmp_path, 4, 5) == (20, 0), "stale code was loaded"
    assert len(set(tmp_path.rglob("*.nb?"))) == len(files), "old code piles up"
    assert toy(tmp_path, 4, 5) == (20, 1)


@pytest.mark.slow
def test_a_comment_compiles_nothing(tmp_path):
    assert toy(tmp_path, 3, 5) == (15, 0)
    assert toy(tmp_path, 3, 5, comment="# Three lines\n# that move\n# the constant.\n") == (15, 1)

"""Files that a step or a module reads by itself, whose edit no key would notice: refused."""

import io
import os
import shutil
import tempfile
from importlib import resources
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import paperlib
from paperlib.experiments import datasets, files, steps
from paperlib.experiments.steps import step
from paperlib.experiments.untraced_files import UntracedFileError
from tests.paperlib.experiments.toy_package import ToyPackage

READ = {  # each reads `path`
    "open": "open(path).read()",
    "binary": "open(path, 'rb', buffering=0).read()",
    "to change it": "open(path, 'r+').read()",
    "os.open": "os.read(os.open(path, os.O_RDONLY), 9)",
    "bytes": "open(os.fsencode(path)).read()",
    "relative": "open(os.path.relpath(path)).read()",
    "Path": "Path(path).read_text()",
    "fromfile": "np.fromfile(path, np.uint8)",
    "loadtxt": "np.loadtxt(path, delimiter=',', dtype=str)",
    "memmap": "np.array(np.memmap(path))",
    "pandas": "pd.read_csv(path)",
    "copy": "shutil.copyfile(path, os.devnull)",
    "swallowed OSError": "read(path)",
}
WORK = """
import os, shutil
from pathlib import Path
import numpy as np
import pandas as pd
from paperlib.experiments.steps import step

def read(path):
    try:
        return open(path).read()
    except OSError:
        return None

def outside(path):
    return {read}

@step
def work(path):
    return str({read})

@step
def outer(path):
    return work(path)
"""


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv(steps.FOLDER, str(tmp_path / "store"))
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path / "store"


def toy(folder, read):
    """A package whose steps read, with data beside it and in the checkout."""
    for name in ("toy/data.csv", "data.csv", "build/data.csv", ".venv/data.csv", "toy/__pycache__/data.csv"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("a,b\n1,2\n")
    return ToyPackage(folder, {"work": WORK.replace("{read}", read)}).load("work")


@pytest.mark.parametrize("read", READ.values(), ids=READ)
def test_a_step_may_read_nothing_by_itself(tmp_path, store, read):
    module = toy(tmp_path, read)
    for name, words in (("toy/data.csv", "beside a module"), ("data.csv", "in a step")):
        for function in (module.work, module.outer):
            with pytest.raises(UntracedFileError, match=f"{name} must not be read {words}.*datasets.py"):
                function(str(tmp_path / name))
    assert not list(tmp_path.glob("store/*")), "a value was kept"
    module.outside(str(tmp_path / "data.csv"))  # in a cell, say: what is no step is free
    with pytest.raises(UntracedFileError, match="beside a module"):
        module.outside(str(tmp_path / "toy/data.csv"))
    shutil.copytree(tmp_path / "toy", tmp_path / "copy")  # whose own code reads it


def test_data_far_from_the_checkout_are_refused_too(tmp_path, tmp_path_factory, store, monkeypatch):
    module = toy(tmp_path, READ["open"])
    far = tmp_path_factory.mktemp("far") / "data.csv"
    far.write_text("a\n")
    monkeypatch.setattr(tempfile, "tempdir", "/tmp/nothing here")
    with pytest.raises(UntracedFileError, match="in a step"):
        module.work(str(far))


def test_a_link_to_data_is_no_way_around(tmp_path, store):
    module = toy(tmp_path, READ["open"])
    (tmp_path / "build/link.csv").symlink_to(tmp_path / "toy/data.csv")
    with pytest.raises(UntracedFileError):
        module.work(str(tmp_path / "build/link.csv"))


def test_what_versions_and_checksums_stand_for_may_be_read(tmp_path, store):
    module = toy(tmp_path, "open(path, 'rb').read()[:3]")
    for path in (
        tmp_path / "build/data.csv",
        tmp_path / ".venv/data.csv",
        tmp_path / "toy/__pycache__/data.csv",
        tmp_path / "toy/work.py",
        resources.files("sklearn") / "datasets/data/iris.csv",
        "/proc/cpuinfo",
        os.devnull,
    ):
        assert module.work(str(path)).startswith("b'")


def test_writing_is_another_matter_and_what_is_not_there_is_not_found(tmp_path, store):
    assert toy(tmp_path, "open(path, 'w').write('x')").work(str(tmp_path / "toy/out.csv")) == "1"
    with pytest.raises(FileNotFoundError):
        toy(tmp_path, READ["open"]).work(str(tmp_path / "absent.csv"))


def test_data_sets_may_be_read(tmp_path, store, monkeypatch):
    """Also those in the folder PAPERLIB_DATA, wherever it is."""
    rows = np.column_stack([np.eye(3), [0, 1, 1]])
    (tmp_path / "spambase").mkdir()
    np.savetxt(tmp_path / "spambase/spambase.data", rows, delimiter=",", fmt="%g")
    entry = datasets._FULL["spambase"]
    own = datasets.fingerprint(rows[:, :-1], np.array([-1, 1, 1]))
    monkeypatch.setitem(datasets._FULL, "spambase", datasets._Entry(own, entry.read, files=entry.files))
    monkeypatch.setenv(datasets.FOLDER, str(tmp_path))
    (tmp_path / "toy").mkdir()
    text = (
        "from paperlib.experiments import datasets\nfrom paperlib.experiments.steps import step\n\n\n"
        "@step\ndef work():\n    return datasets.load('spambase', 'full').X.sum()\n"
    )
    assert ToyPackage(tmp_path, {"work": text}).load("work").work() == 3.0


def test_an_import_may_not_read_data_beside_it(tmp_path, store):
    toy(tmp_path, READ["open"]).work(os.devnull)  # the package is known by now
    text = "from pathlib import Path\n\nDATA = Path(__file__).with_name('data.csv').read_text()\n"
    with pytest.raises(UntracedFileError, match=r"toy/data.csv must not be read beside a module"):
        ToyPackage(tmp_path, {"reader": text}).load("reader")


def test_the_library_s_own_folder_is_guarded():
    path = Path(paperlib.__file__).with_name("py.typed")
    with pytest.raises(UntracedFileError, match="beside a module"):
        files.write_whole(path, path.read_bytes())  # which looks at what is there


def test_steps_of_no_file_are_free():
    @step
    def work(text):
        return pd.read_csv(io.StringIO(text))

    assert list(work("a\n1\n").a) == [1]

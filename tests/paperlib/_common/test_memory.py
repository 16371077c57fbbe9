"""What is left of the machine's memory, and the fits that say so before they take more than that."""

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from paperlib._common import memory
from paperlib.coresets import CoresetSVC
from paperlib.coresets._kernel_solver import pool
from paperlib.feature_deletion import FeatureDeletionLP
from paperlib.feature_deletion.feature_deletion_lp import HELD, numbers_held
from tests.programs import printed

MACHINE = "MemTotal: 9 kB\nMemAvailable: 2000 kB\nSwapFree: 500 kB\n"
LEFT = 2500.0 * 1024.0


def files(folder, **contents):
    for name, text in contents.items():
        path = Path(folder, *name.split("__"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def group(folder, limit, used, cache, version):
    names = ("memory.max", "memory.current", "inactive_file")
    names = (
        names if version == 2 else ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
    )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / names[0]).write_text(f"{limit}\n")
    (folder / names[1]).write_text(f"{used}\n")
    (folder / "memory.stat").write_text(f"anon 7\n{names[2]} {cache}\n")


def test_without_groups_it_is_what_the_machine_has(tmp_path):
    files(tmp_path, proc__meminfo=MACHINE)
    assert memory.free_memory(tmp_path) == LEFT
    assert 0.0 < memory.free_memory() < np.inf
    assert memory.free_memory(tmp_path / "macOS") >= memory.free_memory()  # all that there is


@pytest.mark.parametrize("version", [1, 2])
def test_the_narrowest_group_around_the_process_counts(tmp_path, version):
    top, line = {1: ("memory", "4:cpu,memory:/a/b\n2:cpu:/\n"), 2: ("", "0::/a/b\n")}[version]
    files(tmp_path, proc__meminfo=MACHINE, proc__self__cgroup=line)
    top = tmp_path / "sys/fs/cgroup" / top
    group(top / "a/b", "max" if version == 2 else 2**63, 100, 0, version)
    assert memory.free_memory(tmp_path) == LEFT
    group(top / "a", 5000, 4000, 300, version)
    assert memory.free_memory(tmp_path) == 1300.0
    group(top / "a/b", 4000, 3500, 0, version)
    assert memory.free_memory(tmp_path) == 500.0
    group(top, 4000, 5500, 0, version)  # over its limit
    assert memory.free_memory(tmp_path) == 0.0


X = np.random.default_rng(0).normal(size=(30, 3))
Y = np.where(X[:, 0] > 0, 1, 0)


@pytest.mark.parametrize("solver", [*HELD, "sparse"])
def test_the_programme_is_refused_before_it_takes_what_is_not_there(monkeypatch, solver):
    rows, solver = (sparse.csr_array(X), "auto") if solver == "sparse" else (X, solver)
    clf = FeatureDeletionLP(solver=solver).fit(rows, Y)
    before = dict(vars(clf))
    needed = 8.0 * numbers_held(rows, "first_order" if sparse.issparse(rows) else solver)
    monkeypatch.setattr(memory, "free_memory", lambda: needed - 1.0)
    with pytest.raises(MemoryError, match=r"FeatureDeletionLP of X with shape \(30, 3\) needs about .* GB"):
        clf.fit(rows, Y)
    assert vars(clf) == before
    monkeypatch.setattr(memory, "free_memory", lambda: needed)
    clf.fit(rows, Y)


def test_a_coreset_is_refused_to_grow_beyond_what_is_there(monkeypatch):
    monkeypatch.setattr(pool, "MANY", 20)
    clf = CoresetSVC(kernel="rbf", gamma=100.0).fit(X, Y)
    before = dict(vars(clf))
    monkeypatch.setattr(memory, "free_memory", lambda: 8.0 * 4 * 30 * 30 - 1.0)
    with pytest.raises(MemoryError, match="a coreset of 30 points in the space of a kernel needs about"):
        clf.fit(X, Y)
    assert vars(clf) == before
    monkeypatch.setattr(memory, "free_memory", lambda: 8.0 * 4 * 30 * 30)
    clf.fit(X, Y)


MEASURE = """
import warnings
import numpy as np
from scipy import sparse
from paperlib.feature_deletion import FeatureDeletionLP
from paperlib.feature_deletion.feature_deletion_lp import numbers_held
from tests.memory import taken
warnings.simplefilter("ignore")
def data(m, n, density):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(m, n)) * (rng.random((m, n)) < density)
    return X, np.where(X.sum(axis=1) + rng.normal(size=m) > 0, 1, -1)
for form, solver, shape, density in (
    (np.asarray, "auto", (10_000, 100), 1.0), (np.asarray, "auto", (10_000, 100), 0.3),
    (np.asarray, "auto", (100_000, 5), 1.0), (np.asarray, "auto", (100, 1500), 1.0),
    (np.asarray, "first_order", (10_000, 100), 1.0), (sparse.csr_array, "first_order", (10_000, 200), 0.3),
    (np.asarray, "highs", (1_000, 30), 1.0), (np.asarray, "highs", (1_000, 30), 0.3),
):
    clf = FeatureDeletionLP(solver=solver, max_iter=8)
    (X, y), (few, labels) = data(*shape, density), data(200, 5, 1.0)
    X = form(X)
    clf.fit(form(few), labels)
    print(taken(clf.fit, X, y) / 8.0, numbers_held(X, solver))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the peak of a process is reset by Linux alone")
def test_what_the_programme_is_said_to_take_is_what_it_takes():
    for line in printed("-c", MEASURE, timeout=600).splitlines():
        taken, said = map(float, line.split())
        assert 0.5 * said <= taken <= 1.05 * said, line

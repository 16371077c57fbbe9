"""Copies of the project's sources, one for each processor, and the files in which their results differ."""

import filecmp
import shutil

from reproduce.paths import Project
from reproduce.planning import runs
from reproduce.publication import record

PARTS = (
    "notebooks",
    "reproduce/claims",
    "reproduce/profiles.toml",
    "pyproject.toml",
    "requirements.lock",
)


def make_copy(project, name):
    """Return the project's copy under build/, up to date; what has not changed is left as it is.

    A file that is written again has another date, and numba compiles its kernels again.
    """
    root = project.build / "processors" / name
    root.mkdir(parents=True, exist_ok=True)
    for part in (*PARTS, *project.packages):
        source, target = project.root / part, root / part
        if source.is_dir():
            _copy_folder(source, target)
        elif source.exists():
            _copy_file(source, target)
    return Project(root)


def _copy_folder(source, target):
    wanted = {
        p.relative_to(source) for p in source.rglob("*") if p.is_file() and "__pycache__" not in p.parts
    }
    if target.is_dir():
        for path in [p for p in target.rglob("*") if p.is_file() and "__pycache__" not in p.parts]:
            if path.relative_to(target) not in wanted:
                path.unlink()
    for name in wanted:
        _copy_file(source / name, target / name)


def _copy_file(source, target):
    if not (target.is_file() and filecmp.cmp(source, target, shallow=False)):
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)


def results(project, paper, profile):
    """Return `{file's name: content}` of a paper's run in a copy; empty where it failed."""
    [run] = runs.make(project, [paper], profile)
    if record.stale_because(project, run):
        return {}  # a run that fails leaves the results of an earlier one
    folder = run.destination.folder
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*")) if path.is_file()}


def differing(one, other):
    """Return the names of the files that are not the same bytes in both."""
    return sorted(name for name in {*one, *other} if one.get(name) != other.get(name))

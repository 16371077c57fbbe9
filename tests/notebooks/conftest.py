"""The project itself, copied."""

import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def copy_of_the_project(folder, origin=ROOT):
    """What a run reads, without git, figures or an earlier build.

    Compiled kernels go along, but not those of this checkout: numba does not notice an edit of what a kernel
    calls in another file.
    """
    ignored = shutil.ignore_patterns("__pycache__") if origin == ROOT else None
    for name in ("notebooks", "paperlib", "reproduce"):
        shutil.copytree(origin / name, folder / name, ignore=ignored)
    for name in ("pyproject.toml", "requirements.lock"):
        shutil.copy2(origin / name, folder)
    return folder


@pytest.fixture(scope="session", name="copy_of_the_project")
def _copy_of_the_project():
    return copy_of_the_project

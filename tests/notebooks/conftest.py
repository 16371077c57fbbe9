"""The project itself, copied."""

import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def copy_of_the_project(folder):
    """What a run reads, without git, figures or an earlier build.

    The library is this checkout's own, so that its kernels are compiled once for all tests; more may be put
    beside its subpackages.
    """
    for name in ("notebooks", "reproduce"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "requirements.lock"):
        shutil.copy2(ROOT / name, folder)
    (folder / "paperlib").mkdir()
    for path in (ROOT / "paperlib").iterdir():
        (folder / "paperlib" / path.name).symlink_to(path)
    return folder


@pytest.fixture(scope="session", name="copy_of_the_project")
def _copy_of_the_project():
    return copy_of_the_project

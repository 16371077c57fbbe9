"""The driver's own wheel, as pip builds it, in an environment without the checkout."""

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


# What only the five papers and their tests need: the wheel does not bring it.
ABSENT = ("numba", "llvmlite", "cvxpy", "jupyterlab", "mlxtend", "skimage", "torch", "polars")


class Installed:
    """An environment with the wheel and the packages of this one that it brings, and a folder to work in."""

    def __init__(self, folder, wheel):
        self.folder = folder
        subprocess.run(
            [sys.executable, "-m", "venv", "--without-pip", folder / "env"], check=True, timeout=120
        )
        self.python = folder / "env" / "bin" / "python"
        [self.site] = (folder / "env").glob("lib/python*/site-packages")
        # Their own .pth files are not read then: an editable paperlib is none of them.
        places = {sysconfig.get_path(name) for name in ("purelib", "platlib")}
        (self.site / "third-party.pth").write_text("\n".join(places))
        for name in ABSENT:  # found before the third-party packages
            (self.site / f"{name}.py").write_text(
                f"raise ModuleNotFoundError('no {name} here', name='{name}')"
            )
        zipfile.ZipFile(wheel).extractall(self.site)

    def call(self, *arguments, cwd=None):
        """Run `python ARGUMENTS` in a folder below, and return the finished process."""
        own = {"PYTHONPATH", "PAPERLIB_DATA", "PAPERLIB_STEPS", "PAPERLIB_STEPS_FORCE"}
        env = {name: value for name, value in os.environ.items() if name not in own}
        return subprocess.run(
            [self.python, *map(str, arguments)],
            cwd=self.folder / (cwd or ""),
            env=env,
            capture_output=True,
            text=True,
            timeout=300,
        )


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """Built by pip, by the backend in `companion/`; it needs no index, as setuptools is there."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    command += ["--disable-pip-version-check", "--wheel-dir", folder, ROOT / "companion"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    [found] = folder.glob("*.whl")
    return found


@pytest.fixture(scope="session")
def installed(wheel, tmp_path_factory):
    return Installed(tmp_path_factory.mktemp("elsewhere"), wheel)

"""Build backend of the driver's own distribution: puts its sources together, and has setuptools build them.

Of `paperlib` it takes the modules that all experiments share, which know no paper. They become a part of
`reproduce`, so that this wheel and that of `paperlib` have no file in common.
"""

import contextlib
import os
import re
import shutil
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parent
COMMON = ("code_digest", "code_reach", "code_writer", "typing", "validation")
NAMES = re.compile(r"\bpaperlib([./])(experiments|_common)\b")
DOCUMENTED = {
    "experiments": "What a paper's notebook, steps and measures import.",
    "_common": "What these modules and the driver share.",
}
# Of this project's dependencies, what the five papers alone need; and JupyterLab, which is the reader's.
LEFT_OUT = {"cvxpy", "jupyterlab", "mlxtend", "numba", "scikit-image"}


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Build the wheel, and return its name; pip calls this."""
    from setuptools import build_meta

    target = os.path.abspath(wheel_directory)
    with _sources():
        return build_meta.build_wheel(target, config_settings)


@contextlib.contextmanager
def _sources() -> Iterator[None]:
    """Make the folder of all sources the current one, for the block."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        left_out = shutil.ignore_patterns("__pycache__", "environment.py")  # `make setup` of this checkout
        shutil.copytree(CHECKOUT / "reproduce", "reproduce", ignore=left_out)
        experiments = sorted(path.stem for path in (CHECKOUT / "paperlib" / "experiments").glob("*.py"))
        for package, modules in (("experiments", experiments), ("_common", COMMON)):
            _share(package, [name for name in modules if name != "__init__"])
        for path in (HERE / "pyproject.toml", HERE / "README.md", CHECKOUT / "LICENSE"):
            shutil.copy(path, ".")
        project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        extras = project["optional-dependencies"]
        needed = [*project["dependencies"], *extras["companion"], *extras["driver"]]
        needed = [each for each in needed if re.match(r"[\w-]+", each)[0] not in LEFT_OUT]
        Path("requirements.txt").write_text("\n".join(needed))
        Path("requirements-site.txt").write_text("\n".join(extras["site"]))
        text = (CHECKOUT / "paperlib" / "__init__.py").read_text(encoding="utf-8")
        Path("version.txt").write_text(re.search(r'^__version__ = "(.*)"$', text, re.M)[1])
        yield


def _share(package: str, modules: list[str]) -> None:
    """Write modules of `paperlib` as modules of `reproduce`."""
    os.mkdir(f"reproduce/{package}")
    Path("reproduce", package, "__init__.py").write_text(f'"""{DOCUMENTED[package]}"""\n')
    for name in modules:
        text = (CHECKOUT / "paperlib" / package / f"{name}.py").read_text(encoding="utf-8")
        Path("reproduce", package, f"{name}.py").write_text(
            NAMES.sub(r"reproduce\1\2", text), encoding="utf-8"
        )

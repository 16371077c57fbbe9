"""Modules of `paperlib` that the driver uses: for files, the parameters cell, edits, ledgers, verdicts.

They are loaded by their path in this checkout. Imported by name, they would be those of another project
when `python -m reproduce` is started in its folder (`--project`). They need the standard library only, so
`reproduce.environment` can use them before anything is installed. In the wheel of the driver, which
`companion/` builds, they lie in `reproduce` itself.
"""

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

_OWN = Path(__file__).resolve().parent
IN_CHECKOUT = not (_OWN / "experiments").is_dir()
DISTRIBUTION = "paper-rerun"  # the name of that wheel
RUNTIME = (
    "paperlib" if IN_CHECKOUT else "reproduce"
)  # what notebooks import the recorder, steps and verbs from
_FOLDER = _OWN.parent / RUNTIME / "experiments"


def _load(name):
    own = f"reproduce._paperlib_{name}"
    spec = importlib.util.spec_from_file_location(own, _FOLDER / f"{name}.py")
    module = sys.modules[own] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _load_with_others(name, folder):
    """Load a module that imports others of its folder, by relative imports."""
    package = f"reproduce._paperlib_{folder.name}"
    if package not in sys.modules:  # without its __init__.py, which may import others by their own names
        sys.modules[package] = ModuleType(package)
        sys.modules[package].__path__ = [str(folder)]
    return importlib.import_module(f"{package}.{name}")


write_whole = _load("files").write_whole
_parameters = _load_with_others("parameters", _FOLDER)
InvalidCell, Parameter = _parameters.InvalidCell, _parameters.Parameter
mistakes, read_cell = _parameters.mistakes, _parameters.read_cell
ledger, verdicts = _load("ledger"), _load("verdicts")
identifier = ledger.identifier
definitions = _load("definitions")
code_reach = _load_with_others("code_reach", _FOLDER.parent / "_common")
_writer = _load_with_others("code_writer", _FOLDER.parent / "_common")
is_text, without_annotation = _writer.is_text, _writer.without_annotation
uncollected = _load_with_others("code_digest", _FOLDER.parent / "_common").uncollected

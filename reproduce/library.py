"""Two modules of `paperlib` that the driver uses: one writes files whole, one reads the parameters cell.

They are loaded by their path in this checkout. Imported by name, they would be those of another project
when `python -m reproduce` is started in its folder (`--project`). Both need the standard library only, so
`reproduce.environment` can use them before anything is installed.
"""

import importlib.util
import sys
from pathlib import Path

_FOLDER = Path(__file__).resolve().parent.parent / "paperlib" / "experiments"


def _load(name):
    own = f"reproduce._paperlib_{name}"
    spec = importlib.util.spec_from_file_location(own, _FOLDER / f"{name}.py")
    module = sys.modules[own] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


write_whole = _load("files").write_whole
_parameters = _load("parameters")
InvalidCell, Parameter = _parameters.InvalidCell, _parameters.Parameter
mistakes, read_cell = _parameters.mistakes, _parameters.read_cell

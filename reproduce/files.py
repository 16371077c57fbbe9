"""`write_whole`, the one way in which the driver writes a file.

It is the library's own, `paperlib/experiments/files.py`, and all of `paperlib` that the driver uses. It is
loaded from its place in this checkout, not imported by name: `python -m reproduce` started in the folder of
another project (`--project`) finds that project's `paperlib` first. It needs the standard library only, so
`reproduce.environment` can use it before anything is installed.
"""

from importlib import util
from pathlib import Path

_SOURCE = Path(__file__).resolve().parent.parent / "paperlib" / "experiments" / "files.py"


def _loaded():
    spec = util.spec_from_file_location("reproduce._paperlib_files", _SOURCE)
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


write_whole = _loaded().write_whole

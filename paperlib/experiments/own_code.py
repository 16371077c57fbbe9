"""Where a paper's own code is: in this library, or in a package beside the notebooks of a companion.

``python -m reproduce new`` makes a companion. There a notebook ``notebooks/coin.ipynb`` has its code in the
package ``coin``, and these modules are installed (``companion/`` has the wheel that holds them).
"""

import functools
import importlib.util
import re
import sys
import tomllib
from pathlib import Path

HERE = __name__.partition(".")[0]
_found = [HERE]  # packages of which runs are traced; the last one counts


def package(paper: str, experiments: str = f"{HERE}.experiments") -> str | None:
    """Return the package of a paper's experiments, None where there is none.

    Examples
    --------
    >>> package("coresets"), package("no_such_paper")
    ('paperlib.experiments.coresets', None)
    """
    for name in (f"{experiments}.{paper}", paper):
        try:
            spec = importlib.util.find_spec(name)
        except ModuleNotFoundError:
            continue
        if spec and spec.origin and (name != paper or _notebook(spec.origin, paper).is_file()):
            _found.append(name.partition(".")[0])
            return name
    return None


def traced() -> str:
    """Return the package that the paper of this process is in, all of whose code counts."""
    return _found[-1]


def ledgers(module: str) -> Path:
    """Return the folder of ledgers in the project that a module's package lies in."""
    return root(module.partition(".")[0]) / "reproduce" / "claims"


def root(top: str) -> Path:
    """Return the folder in which an imported package lies."""
    return Path(next(iter(sys.modules[top].__path__))).resolve().parent


@functools.cache  # a step within a step must not read a file
def requirements(top: str) -> list[str]:
    """Return the distributions that a companion's pyproject.toml requires; none for the library itself.

    Examples
    --------
    >>> requirements(HERE)
    []
    """
    if top == HERE:
        return []
    try:
        content = tomllib.loads((root(top) / "pyproject.toml").read_text(encoding="utf-8"))
        declared = content["project"]["dependencies"]
        return sorted(found.group() for each in declared if (found := re.match(r"[\w.-]+", each)))
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _notebook(origin: str, paper: str) -> Path:
    return Path(origin).parents[1] / "notebooks" / f"{paper}.ipynb"

"""The key of a run, from all that decides its results: notebook, parameters, library, environment.

Of the notebook's code and of the library it is what is executed that counts: no comment, no docstring, no
formatting, no prose. Of the library that is what the run was seen to execute, definition by definition
(`traces.py`), or, where runs are not traced, all modules.

The data enter through the library's source: `paperlib/experiments/datasets.py` holds the sha256 of each file
and checks it at load, so data cannot change under an unchanged key, wherever PAPERLIB_DATA points.
"""

import hashlib
import platform
import re
from importlib import metadata

from reproduce import reading
from reproduce.errors import UsageError, shown
from reproduce.paths import LIBRARY
from reproduce.planning import syntax, traces
from reproduce.planning.digests import digest

CHANGED = {  # component -> the reason given where it differs from that of the record
    "notebook": "the notebook changed",
    "paperlib": "its modules changed",
    "parameters": "parameters changed",
    "environment": "environment changed",
}

NO_RESULTS = {"arrow", "crate", "dev", "driver", "site", "torch"}  # extras on which no notebook depends
OF_NO_RESULT = "# no result depends on it"  # marks a line of the lock file


def components(project, notebook, parameters, data):
    """Return a digest of each part of the key; where runs are traced, all but that of the library."""
    sources = {} if traces.are_written(project) else {"paperlib": library(project)}
    return {
        "notebook": notebook.digest(),
        **sources,
        "parameters": of_parameters(parameters, data),
        "environment": of_environment(project, packages(project), platform.python_version()),
    }


def of_trace(project, folder):
    """Return the component of the library of results in a folder, by the trace beside them.

    Empty for a project whose runs are not traced; None stands for it where there is no trace.
    """
    if not traces.are_written(project):
        return {}
    trace = traces.read_trace(folder)
    return {"paperlib": trace and traces.sources(project).digest(trace.entered)}


def of_environment(project, versions, python):
    """Return the component of the packages' and Python's versions."""
    # Versions are given and not looked up: `origin` asks with those that committed results name.
    lines = reading.text(project.lockfile).splitlines(True) if project.lockfile.is_file() else []
    pins = "".join(line for line in lines if not line.rstrip().endswith(OF_NO_RESULT))
    return digest([versions, python, hashlib.sha256(pins.encode()).hexdigest()])


def combine(parts):
    """Return the key itself."""
    return digest(parts)


def library(project):
    """Return the component of the library where runs are not traced: all of it."""
    files = library_files(project)
    return digest([[str(path.relative_to(project.root)), syntax.digest(path.read_bytes())] for path in files])


def library_files(project):
    """Return the files of all modules, but for experiments: where there are any, runs are traced."""
    own = project.root / LIBRARY / "experiments"
    files = [path for folder in project.packages.values() for path in folder.rglob("*.py")]
    return sorted(path for path in files if own not in path.parents)


def of_parameters(parameters, data):
    """Return the component of the parameters' values."""
    return digest([parameters, data])


def packages(project):
    """Return the installed versions of the direct dependencies, and of the optional ones of notebooks."""
    table = reading.declared(project.pyproject)
    extras = table.get("optional-dependencies", {})
    optional = [
        requirement for name, extra in extras.items() if name not in NO_RESULTS for requirement in extra
    ]
    versions = {}
    for requirement in [*table.get("dependencies", []), *optional]:
        found = re.match(r"[\w.-]+", requirement)
        if not found:
            raise UsageError(
                f"{project.pyproject}: a dependency must begin with its name, got {shown(requirement)}"
            )
        name = found.group()
        try:
            versions[name] = metadata.version(name).partition("+")[0]  # a "+cpu" is the same release
        except metadata.PackageNotFoundError:
            continue
    return dict(sorted(versions.items()))

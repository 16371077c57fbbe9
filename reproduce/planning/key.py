"""The key of a run, from all that decides its results: notebook, parameters, library, environment.

Of the notebook's code and of the library it is what is executed that counts: no comment, no docstring, no
formatting, no prose. Of the library that is what the run was seen to execute, definition by definition
(`traces.py`), or, where runs are not traced, the modules that the notebook reaches by imports (`reach.py`).

The data enter through the library's source: `paperlib/experiments/datasets.py` holds the sha256 of each file
and checks it at load, so data cannot change under an unchanged key, wherever PAPERLIB_DATA points.
"""

import hashlib
import platform
import re
from importlib import metadata

from reproduce import reading
from reproduce.errors import UsageError, shown
from reproduce.planning import reach, syntax, traces
from reproduce.planning.digests import digest

CHANGED = {  # component -> the reason given where it differs from that of the record
    "notebook": "the notebook changed",
    "paperlib": "paperlib changed",
    "parameters": "parameters changed",
    "environment": "environment changed",
}

NO_RESULTS = {"arrow", "dev", "driver", "site", "torch"}  # extras on which no notebook depends
OF_NO_RESULT = "# no result depends on it"  # marks a line of the lock file


def components(project, notebook, parameters, data):
    """Return a digest of each part of the key; where runs are traced, all but that of the library."""
    traced = traces.are_written(project)
    sources = {"notebook": notebook.digest()} if traced else of_sources(project, notebook)
    return sources | {
        "parameters": of_parameters(parameters, data),
        "environment": of_environment(project, packages(project), platform.python_version()),
    }


def of_sources(project, notebook):
    """Return the components of what is executed, with whatever parameters and versions."""
    reached = reach.of(project, notebook)
    return {"notebook": notebook.digest(reached.level), "paperlib": _library(project, reached)}


def of_trace(project, folder):
    """Return the component of the library of results in a folder, by the trace beside them.

    Empty for a project whose runs are not traced; None stands for it where there is no trace.
    """
    if not traces.are_written(project):
        return {}
    trace = traces.read(folder)
    return {"paperlib": trace and traces.sources(project).digest(trace.entered)}


def of_environment(project, versions, python):
    """Return the component of the packages' and Python's versions."""
    lines = reading.text(project.lockfile).splitlines(True) if project.lockfile.is_file() else []
    pins = "".join(line for line in lines if not line.rstrip().endswith(OF_NO_RESULT))
    return digest([versions, python, hashlib.sha256(pins.encode()).hexdigest()])


def combine(parts):
    """Return the key itself."""
    return digest(parts)


def library(project, notebook):
    """Return the component of the modules that a notebook reaches."""
    return _library(project, reach.of(project, notebook))


def library_files(project, notebook):
    """Return the files of these modules."""
    return list(reach.of(project, notebook).files)


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


def _library(project, reached):
    return digest(
        [
            [path.relative_to(project.root).as_posix(), syntax.digest(raw, reached.level)]
            for path, raw in reached.files.items()
        ]
    )

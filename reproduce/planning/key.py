"""The key of a run, from all that decides its results: notebook, parameters, library source, environment.

The data enter through the library's source: `paperlib/experiments/datasets.py` holds the sha256 of each file
and checks it at load, so data cannot change under an unchanged key, wherever PAPERLIB_DATA points.
"""

import hashlib
import json
import platform
import re
import tomllib
from importlib import metadata

CHANGED = {  # component -> the reason given where it differs from that of the record
    "notebook": "the notebook changed",
    "paperlib": "paperlib changed",
    "parameters": "parameters changed",
    "environment": "environment changed",
}


def components(project, paper, notebook, parameters, data):
    """Return a digest of each part of the key."""
    return {
        "notebook": notebook.digest(),
        "paperlib": library(project, paper),
        "parameters": of_parameters(parameters, data),
        "environment": digest(
            [packages(project), platform.python_version(), _files(project, [project.lockfile])]
        ),
    }


def combine(parts):
    """Return the key itself."""
    return digest(parts)


def library(project, paper):
    """Return the component of paperlib's source."""
    return _files(project, library_files(project, paper))


def of_parameters(parameters, data):
    """Return the component of the parameters' values."""
    return digest([parameters, data])


def library_files(project, paper):
    """Return the modules that a paper's notebook can reach: its own and the shared ones, no other paper's."""
    return sorted(path for pattern in library_patterns(paper) for path in project.library.glob(pattern))


def library_patterns(paper):
    """Return where those modules are, as patterns below the library's folder."""
    return [
        "*.py",
        "_common/**/*.py",
        "experiments/*.py",
        f"{paper}/**/*.py",
        f"experiments/{paper}/**/*.py",
    ]


def packages(project):
    """Return the installed versions of the direct dependencies and of the optional ones that are there."""
    if not project.pyproject.exists():
        return {}
    table = tomllib.loads(project.pyproject.read_text()).get("project", {})
    extras = table.get("optional-dependencies", {})
    optional = [requirement for name, extra in extras.items() if name != "dev" for requirement in extra]
    versions = {}
    for requirement in [*table.get("dependencies", []), *optional]:
        name = re.match(r"[\w.-]+", requirement).group()
        try:
            versions[name] = metadata.version(name).partition("+")[0]  # a "+cpu" is the same release
        except metadata.PackageNotFoundError:
            continue
    return dict(sorted(versions.items()))


def _files(project, paths):
    return digest(
        [
            [path.relative_to(project.root).as_posix(), hashlib.sha256(path.read_bytes()).hexdigest()]
            for path in paths
            if path.is_file()
        ]
    )


def digest(content):
    """Return the sha256 of plain content, whatever the order of its dictionaries."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

"""What decides a run's results: its notebook, parameters, library source and environment.

The data enter through the library's source: `paperlib/experiments/datasets.py` holds the sha256 of each file
and checks it at load, so data cannot change under an unchanged key, wherever PAPERLIB_DATA points.
"""

import hashlib
import json
import platform
import re
import tomllib
from importlib import metadata

CHANGED = {  # component -> what is said when it is not what it was
    "notebook": "the notebook changed",
    "paperlib": "paperlib changed",
    "parameters": "parameters changed",
    "environment": "environment changed",
}


def components(project, paper, notebook, parameters, data):
    """A digest of each part of the key."""
    return {
        "notebook": notebook.digest(),
        "paperlib": library(project, paper),
        "parameters": of_parameters(parameters, data),
        "environment": digest(
            [packages(project), platform.python_version(), _files(project, [project.lockfile])]
        ),
    }


def combine(parts):
    """The key itself."""
    return digest(parts)


def library(project, paper):
    """The component of paperlib's source."""
    return _files(project, library_files(project, paper))


def of_parameters(parameters, data):
    """The component of the parameters' values."""
    return digest([parameters, data])


def library_files(project, paper):
    """The modules that a paper's notebook can reach: its own and the shared ones, no other paper's."""
    return sorted(path for pattern in library_patterns(paper) for path in project.library.glob(pattern))


def library_patterns(paper):
    """Where those modules are, as patterns below the library's folder."""
    return [
        "*.py",
        "_common/**/*.py",
        "experiments/*.py",
        f"{paper}/**/*.py",
        f"experiments/{paper}/**/*.py",
    ]


def packages(project):
    """Installed versions of the direct dependencies, with those optional ones that are there."""
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
    """sha256 of plain content, whatever the order of its dictionaries."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

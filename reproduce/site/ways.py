"""Ways out of a notebook's page: the notebook as a file, and where it can be opened to run it."""

import os
import re

from docutils import nodes
from sphinx import addnodes

from reproduce import reading
from reproduce.site.markup import link, paragraph

FILES = "_files"  # folder of the files among Sphinx's sources, which reads no page there
ADDRESS = re.compile(r"https://[\w.-]+/([\w.-]+/[\w.-]+?)(?:\.git|/)?")


def repository(project):
    """Return the address of the project's repository, or None where nobody has said it.

    It stands as `Repository` among the addresses of pyproject.toml. On a fork that GitHub builds, GitHub
    says it.
    """
    declared = reading.declared(project.pyproject).get("urls", {}).get("Repository")
    server, name = os.environ.get("GITHUB_SERVER_URL"), os.environ.get("GITHUB_REPOSITORY")
    found = declared or (f"{server}/{name}" if server and name else None)
    return found.removesuffix("/").removesuffix(".git") if found and ADDRESS.fullmatch(found) else None


def sources(project):
    """Return the address below which the host shows the project's files, or None."""
    address = repository(project)
    return f"{address}/blob/HEAD" if address else None


def line(project, paper):
    """Return the line of links below a notebook's title."""
    file = addnodes.download_reference(
        "", "", nodes.Text("Download the notebook"), reftarget=f"/notebooks/{FILES}/{paper}.ipynb"
    )
    parts: list = [file]
    if address := repository(project):
        path, name = f"notebooks/{paper}.ipynb", ADDRESS.fullmatch(address)[1]
        parts += [" · ", link("its source", f"{sources(project)}/{path}")]
        if address.startswith("https://github.com/"):
            # Both are made from the project's Dockerfile.
            parts += [
                " · open it in ",
                link("Binder", f"https://mybinder.org/v2/gh/{name}/HEAD?urlpath=lab/tree/{path}"),
                " or ",
                link("Codespaces", f"https://codespaces.new/{name}"),
            ]
    return paragraph(*parts, classes=["ways"])

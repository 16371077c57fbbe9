"""How-to pages, which are notebooks in the form of MyST, run once and keyed like the papers' notebooks."""

import importlib.util
import json
import platform
import re
from functools import partial

from reproduce import reading
from reproduce.errors import PageError
from reproduce.library import write_whole
from reproduce.planning import key
from reproduce.planning.notebook import Notebook
from reproduce.publication import notebook
from reproduce.site import executing

FORM = notebook.FORM | {"metadata": {"key": str, "executed": {str: str}, "library": str}}
OPTIONAL = ("dask", "pyarrow", "torch")  # what a page may import that need not be installed
# What the cell above showed, for who reads the page on a code host; the site has it from the cell itself.
OUTPUT = re.compile(r"\n```output\n.*?^```\n", re.MULTILINE | re.DOTALL)


def pages(project):
    """Return the files of all pages."""
    return sorted((project.docs / "how_to").glob("*.md"))


def load_how_tos(project, say=print):
    """Return `{name: notebook as JSON}`, with the outputs of the present sources."""
    found, files = {}, pages(project)
    for number, path in enumerate(files, 1):
        found[path.stem] = executed(project, path, partial(say, f"[{number}/{len(files)}]"))
    return found


def executed(project, path, say=print):
    """Return a page as a notebook with its outputs; it is run where these are not known."""
    name, text = path.stem, reading.text(path)
    try:
        page = _read(text)
    except Exception as error:  # whatever the parser of an empty page, or of half a cell, runs into
        said = (str(error).splitlines() or [type(error).__name__])[0]
        raise PageError(f"docs/how_to/{name}.md cannot be read: {said}") from error
    present = _key(project, page)
    kept = project.build / "executed" / "how_to" / f"{name}.ipynb"
    try:
        content = reading.json_file(kept, FORM)
        if executing.are_current(project, present, content["metadata"]):
            return _with_outputs(page, content)
    except (OSError, ValueError):
        pass
    absent = _absent(text)
    if absent:
        return _without_outputs(page, absent)
    say(f"docs/how_to/{name}.md: running", flush=True)
    content = executing.run(project, f"docs/how_to/{name}.md", page)
    content["metadata"] |= executing.made_from(project, present, content["metadata"][executing.EXECUTED])
    write_whole(kept, json.dumps(content, indent=1, sort_keys=True) + "\n")
    return content


def _key(project, page):
    """Return the key of a page: its code and the versions; not its prose."""
    code = Notebook(None, b"", tuple(page["cells"]), 0, {})
    versions = key.packages(project) | {name: bool(importlib.util.find_spec(name)) for name in OPTIONAL}
    environment = key.of_environment(project, versions, platform.python_version())
    return key.combine({"notebook": code.digest(), "environment": environment})


def _with_outputs(page, executed):
    """Return the page as it is now, with the outputs of its cells as they ran: its prose may be another."""
    content = json.loads(json.dumps(page)) | {"metadata": executed["metadata"]}  # it names the language
    ran = [cell for cell in executed["cells"] if cell["cell_type"] == "code"]
    cells = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    for cell, before in zip(cells, ran, strict=True):
        cell.update(outputs=before.get("outputs", []), execution_count=before.get("execution_count"))
    return content


def _absent(text):
    """Return the optional packages that the page imports and that are not there."""
    return [
        name
        for name in OPTIONAL
        if re.search(rf"^\s*(import|from) {name}\b", text, re.MULTILINE)
        and not importlib.util.find_spec(name)
    ]


def _read(text):
    """Return a page as a notebook."""
    import nbformat
    from myst_nb.core.read import read_myst_markdown_notebook

    bare = OUTPUT.sub("", text)
    return nbformat.v4.upgrade(read_myst_markdown_notebook(bare, code_directive="{code-cell}"))


def _without_outputs(page, absent):
    content = json.loads(json.dumps(page))
    note = f":::{{note}}\nNot run here: {', '.join(absent)} is not installed.\n:::"
    content["cells"].insert(1, {"cell_type": "markdown", "metadata": {}, "source": note, "id": "not-run"})
    return content

"""Notebooks as the site shows them: as they ran, or with the published figures only."""

import re
from dataclasses import dataclass
from pathlib import Path

from reproduce import reading
from reproduce.publication import notebook, results
from reproduce.site import clean

FIGURE = re.compile(r"""\b(?:record\.figure\(|explore\(\s*record,)\s*["']([^"']+)["']""")
TABLE = re.compile(r"""\brecord\.table\(\s*["']([^"']+)["']""")
HEADING = re.compile(r"^## ", re.MULTILINE)
MEASURE = re.compile(r"^([a-z0-9][a-z0-9._-]*): (?:below )?[-+0-9]", re.MULTILINE)
FORMATTED, BRACES = re.compile(r'\bmeasure\(\s*f"([^"]*\{[^"]*)"'), re.compile(r"\{[^{}]*\}")
WIDGET = "application/vnd.jupyter.widget-view+json"
STYLE = re.compile(r"<style.*?</style>", re.DOTALL)
FOLDED = {"parameters", "hide-input", notebook.INJECTED}
RECORDS = re.compile(r"\brecord\b")
NUMBER = "cell_number"  # in a cell's metadata


@dataclass(frozen=True)
class Shown:
    """Notebook as it is shown.

    Attributes
    ----------
    content : dict
        The notebook itself.
    has_run : bool
        Whether its outputs are those of the run that published the results.
    figures, tables : dict
        `{name of a figure or table: number of its cell}`.
    sections : dict
        `{number of a cell: number of its section}`.
    measures : dict
        `{id of a claim: number of the cell that measures it}`.
    claims : list of str
        All that was measured, also where the cell is not known.
    file : Path
        That was read.
    """

    content: dict
    has_run: bool
    figures: dict
    tables: dict
    measures: dict
    sections: dict
    claims: list
    file: Path

    @property
    def cells(self):
        """Number of the cell of each table, figure and measure."""
        return self.tables | self.figures | self.measures

    @property
    def code(self):
        """The code cells, as `(number, source)`."""
        return [(cell["metadata"][NUMBER], cell["source"]) for cell in _code(self.content["cells"])]

    def beside(self, claim):
        """Return the figure or table nearest to where a claim is measured, in the same section, or None.

        A figure goes before a table, one in the same cell before one above, and that before one below.
        """
        at = self.measures.get(claim)
        near = [
            ((number != at, number > at, abs(number - at), is_table), name)
            for is_table, made in enumerate((self.figures, self.tables))
            for name, number in made.items()
            if at is not None and self.sections[number] == self.sections[at]
        ]
        return min(near)[1] if near else None


def title(path):
    """Return the first heading of a notebook, or an empty string."""
    content = _json(path)
    cells = content["cells"] if content else []
    lines = "\n".join(_text(c["source"]) for c in cells if c["cell_type"] == "markdown").splitlines()
    return next((line[2:].strip() for line in lines if line.startswith("# ")), "")


def load_notebooks(project, paper, family):
    """Return a paper's notebook, or None where it cannot be read."""
    destination = project.destination(paper, family)
    published = results.read_results(destination.folder)
    content = _json(destination.folder / notebook.NAME) if published else None
    has_run = content is not None
    content = content or _json(project.notebook(paper))
    if content is None:
        return None
    pictures = {} if has_run or not published else _pictures(destination.folder, published["figures"])
    command = " ".join(["python -m reproduce run", paper, *_options(family)])
    first, *rest = [
        _cell(cell, number, pictures)
        for number, cell in enumerate(content["cells"])
        if _is_shown(cell) and not (family.is_the_papers_own and notebook.INJECTED in _tags(cell))
    ]
    note = {"cell_type": "markdown", "metadata": {}, "source": _note(has_run, command)}
    cells = [first, note, *rest]
    for i, cell in enumerate(cells):
        cell["id"] = f"shown-{i}"
    made = (_recorded(FIGURE, cells), _recorded(TABLE, cells), _measures(cells, published or {}))
    claims = [row["claim"] for row in (published or {}).get("measures", [])]
    file = destination.folder / notebook.NAME if has_run else project.notebook(paper)
    return Shown(_notebook(cells), has_run, *made, _sections(cells), claims, file)


def _json(path):
    try:
        content = reading.json_file(path, notebook.FORM)
    except (OSError, ValueError):
        return None
    return content if content["cells"] else None


def _options(family):
    options = [f"--profile {family.profile}"] if family.profile != "paper" else []
    return options + ([f"--data {family.data}"] if family.data != "bundled" else [])


def _note(has_run, command):
    if has_run:
        return f":::{{note}}\nAs it ran: `{command}` made every figure, table and number below.\n:::"
    return (
        ":::{note}\nThis copy of the project has not run the notebook. Its cells show the published figures "
        f"and no other output; `{command}` makes all of it.\n:::"
    )


def _is_shown(cell):
    # papermill adds a red note above a cell that failed, whose output shows the error anyway.
    return _text(cell["source"]).strip() and "papermill-error-cell-tag" not in _tags(cell)


def _cell(cell, number, pictures):
    source = _text(cell["source"])
    shown = {"cell_type": cell["cell_type"], "source": source, "metadata": {NUMBER: number}}
    if "attachments" in cell:
        shown["attachments"] = cell["attachments"]
    if cell["cell_type"] != "code":
        return shown
    # Algorithms are in sight; what has parameters, keeps books and draws is folded.
    is_import = all(re.match(r"import |from |[ )]|$", line) for line in source.splitlines())
    is_folded = is_import or RECORDS.search(source) or FOLDED & set(_tags(cell))
    outputs = list(filter(None, map(_output, cell.get("outputs", []))))
    outputs += [pictures[name] for name in FIGURE.findall(source) if name in pictures]
    shown["metadata"]["tags"] = ["hide-input"] if is_folded else []
    return shown | {"outputs": outputs, "execution_count": cell.get("execution_count")}


def _output(output):
    output = clean.output(output) if WIDGET not in output.get("data", {}) else None
    html = output.get("data", {}).get("text/html") if output else None
    if html is None:
        return output
    # The style sheet of the site has tables of its own; a heading cell without a text heads nothing.
    text = STYLE.sub("", _text(html)).replace("<th></th>", "<td></td>").replace(' border="1"', "")
    return output | {"data": output["data"] | {"text/html": text}}


def _pictures(folder, names):
    """Return each published figure as an output."""
    found = {}
    for name in names:
        try:
            svg = clean.svg((folder / f"{name}.svg").read_bytes())
        except (OSError, ValueError):
            continue
        data = {"image/svg+xml": svg, "text/plain": f"<{name}>"}
        found[name] = {"output_type": "display_data", "data": data, "metadata": {}}
    return found


def _recorded(pattern, cells):
    return {
        name: cell["metadata"][NUMBER] for cell in _code(cells) for name in pattern.findall(cell["source"])
    }


def _sections(cells):
    found, section = {}, 0
    for cell in cells:
        section += cell["cell_type"] == "markdown" and bool(HEADING.search(cell["source"]))
        found[cell["metadata"].get(NUMBER)] = section
    return found


def _measures(cells, published):
    """Find the cell of each measure: it prints it, or, where nothing ran, has its id in its text.

    `f"table-1.{loss}"` is the id of each measure that begins so, unless a cell has it in full.
    """
    names = {row["claim"] for row in published.get("measures", [])}
    found, alike = {}, {}
    for cell in _code(cells):
        text = "".join(_text(o["text"]) for o in cell["outputs"] if o["output_type"] == "stream")
        quoted = {name for name in names if f'"{name}"' in cell["source"]}
        for form in FORMATTED.findall(cell["source"]):
            pattern = re.compile(".+".join(map(re.escape, BRACES.split(form))))
            alike |= {n: cell["metadata"][NUMBER] for n in names if n not in alike and pattern.fullmatch(n)}
        for name in [*MEASURE.findall(text), *sorted(quoted)]:
            if name in names:
                found.setdefault(name, cell["metadata"][NUMBER])
    return alike | found


def _code(cells):
    return [cell for cell in cells if cell["cell_type"] == "code"]


def _notebook(cells):
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _tags(cell):
    return cell["metadata"].get("tags", [])


def _text(source):
    return source if isinstance(source, str) else "".join(source)

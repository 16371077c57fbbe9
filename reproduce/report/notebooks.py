"""Executed notebooks as HTML fragments, cell by cell."""

import base64
import json
import re

from markupsafe import Markup, escape

from reproduce.report import cleaning, markdown
from reproduce.report.mathml import formula

# Pictures, the richest format first.
RASTER = ("image/png", "image/jpeg", "image/gif", "image/webp")
ANSI = re.compile("\x1b\\[.*?[@-~]")
OUT_DIR = re.compile(r"^out_dir = .*\n?", re.MULTILINE)


def read(path):
    """Read the notebook at `path`; return None if it is missing or cannot be read.

    Returns
    -------
    dict
        `cells`, each with `kind`, `count`, `seconds`, `source` and `outputs`, and whether it `failed`.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        cells = [_cell(cell, _language(content)) for cell in content["cells"] if _is_shown(cell)]
        failed = bool(content["metadata"].get("papermill", {}).get("exception"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return {"cells": cells, "failed": failed}


def title(path):
    """Return the first heading of a notebook, or an empty string."""
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        lines = "\n".join(_text(c["source"]) for c in cells if c["cell_type"] == "markdown").splitlines()
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return next((line[2:].strip() for line in lines if line.startswith("# ")), "")


def _language(content):
    return content["metadata"].get("language_info", {}).get("name", "python")


def _is_shown(cell):
    # papermill adds a red note above a cell that failed, whose output shows the error anyway.
    return _text(cell["source"]).strip() and "papermill-error-cell-tag" not in _tags(cell)


def _tags(cell):
    return cell["metadata"].get("tags", [])


def _cell(cell, language):
    source = _text(cell["source"])
    if cell["cell_type"] == "markdown":
        return {"kind": "markdown", "html": Markup(markdown.html(source, 3, cell.get("attachments")))}
    if cell["cell_type"] != "code":
        return {"kind": "markdown", "html": Markup(markdown.code(source, "text"))}
    injected = "injected-parameters" in _tags(cell)
    if injected:
        source = OUT_DIR.sub("", source)  # the run's temporary folder, which is gone
    return {
        "kind": "code",
        "count": cell["execution_count"],
        "seconds": cell["metadata"].get("papermill", {}).get("duration"),
        "html": Markup(markdown.code(source, language)),
        "outputs": [Markup(_output(o, cell["execution_count"])) for o in _merged(cell["outputs"])],
    }


def _merged(outputs):
    """Return the outputs, with consecutive pieces of one stream joined."""
    merged = []
    for output in outputs:
        if output["output_type"] == "stream":
            text = _text(output["text"])
            if merged and merged[-1].get("name") == output["name"]:
                merged[-1]["text"] += text
                continue
            output = output | {"text": text}
        merged.append(output)
    return merged


def _output(output, count):
    if output["output_type"] == "stream":
        kind = "stderr" if output["name"] == "stderr" else "stdout"
        return f'<pre class="{kind}">{_plain(output["text"])}</pre>'
    if output["output_type"] == "error":
        lines = "\n".join(output["traceback"]) or f"{output['ename']}: {output['evalue']}"
        return f'<pre class="stderr">{_plain(lines)}</pre>'
    return _display(output["data"], f"Picture from cell {count}")


def _display(data, label):
    if "image/svg+xml" in data:
        svg = base64.b64encode(_text(data["image/svg+xml"]).encode()).decode()
        return f'<img src="data:image/svg+xml;base64,{svg}" alt="{escape(label)}">'
    for kind in RASTER:
        if kind in data:
            raw = re.sub(r"[^A-Za-z0-9+/=]", "", _text(data[kind]))
            return f'<img src="data:{kind};base64,{raw}" alt="{escape(label)}">'
    if "text/html" in data:
        return markdown.region(cleaning.cleaned(_text(data["text/html"])), label.replace("Picture", "Table"))
    if "text/markdown" in data:
        return markdown.html(_text(data["text/markdown"]))
    if "text/latex" in data:
        return formula(_text(data["text/latex"]).strip().strip("$"), block=True)
    return f"<pre>{_plain(_text(data.get('text/plain', '')))}</pre>"


def _plain(text):
    """Return text as a terminal shows it in the end: without colours, progress bars in their last state."""
    lines = ANSI.sub("", text).split("\n")
    return escape("\n".join(line.rstrip("\r").rsplit("\r", 1)[-1] for line in lines).rstrip())


def _text(source):
    return source if isinstance(source, str) else "".join(source)

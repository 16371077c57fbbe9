"""The executed notebook as it is published with the results: what a reader sees, nothing of the machine.

Code hosts show it with its pictures. It holds no times, paths and ids of this run, so that the same run
writes the same bytes.
"""

import base64
import io
import json
import re

from reproduce import reading
from reproduce.errors import InvalidResults
from reproduce.library import write_whole
from reproduce.planning.notebook import PARAMETERS, executed

NAME = "notebook.ipynb"
LINES = (str, [str])
OUTPUT = {
    "output_type": str,
    "data?": {str: object, "text/html?": LINES},
    "metadata?": {"reproduce?": {"show?": [str]}},
}
CELL = {
    "cell_type": str,
    "source": LINES,
    "metadata": {"tags?": [str]},
    "attachments?": dict,
    "outputs?": [OUTPUT],
    "execution_count?": (int, None),
}
FORM = {"cells": [CELL]}  # of any notebook, as far as it is read here or shown on the site
COLOURS = 256  # of a picture's palette: a third of the bytes; the figures beside it keep all
OUT_DIR = re.compile(r"^out_dir = .*\n?", re.MULTILINE)
WIDGET = "application/vnd.jupyter.widget-view+json"
TABLE = re.compile(r"\bT_[0-9a-f]{5}(?![0-9a-zA-Z])")
ADDRESS = re.compile(r" at 0x[0-9a-f]+(?=>)")
PNG = "image/png"
INJECTED = "injected-parameters"  # the tag of the cell that papermill adds
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def publish(path, folder):
    """Write the notebook that has just run to its end into the folder of its results."""
    content = json.loads(path.read_text(encoding="utf-8"))
    cells = [_cell(cell, number) for number, cell in enumerate(content["cells"])]
    published = {"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}
    # Not atomic: the folder is still a stage, which is published as a whole.
    (folder / NAME).write_text(_numbered(_text(published)), encoding="utf-8")


def show_again(folder, shown):
    """Bring up to date what a published notebook shows of its claims; nothing where there is no notebook.

    Parameters
    ----------
    shown : list of [names, data]
        What the output of `Recorder.show(*names)` is now.
    """
    now = {tuple(names): data for names, data in shown}
    if not now or (content := _content(folder)) is None:
        return
    for output in (output for cell in content["cells"] for output in cell.get("outputs", ())):
        names = output.get("metadata", {}).get("reproduce", {}).get("show")
        if names and tuple(names) in now:
            data = now[tuple(names)]
            # In the lines that a saved notebook has.
            output["data"] = {kind: text.splitlines(keepends=True) for kind, text in data.items()}
    write_whole(folder / NAME, _text(content))


def explain_again(folder, source):
    """Bring up to date the prose and the comments of a published notebook that executed what `source` does.

    Parameters
    ----------
    source : reproduce.planning.notebook.Notebook
    """
    if (content := _content(folder)) is None:
        return
    code = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    injected = [cell for cell in code if INJECTED in _tags(cell)]
    own = [cell for cell in code if INJECTED not in _tags(cell)]
    if executed([["".join(cell["source"]), _tags(cell)] for cell in own]) != executed(source.code):
        return
    left, cells = iter(own), []
    for cell in source.cells:
        # Outputs stay as they were published: their pictures have lost colours already.
        ran = next(left) if cell["cell_type"] == "code" else {}
        cells.append(_cell(cell | {"outputs": [], "execution_count": None}, 0) | _kept(ran))
        if PARAMETERS in _tags(cell):
            cells += injected
    cells = [cell | {"id": f"cell-{number}"} for number, cell in enumerate(cells)]
    if cells != content["cells"]:
        write_whole(folder / NAME, _text(content | {"cells": cells}))


def _content(folder):
    """Return what a published notebook holds, or None where there is none."""
    try:
        return reading.json_file(folder / NAME, FORM)
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise InvalidResults(f"{folder.name}/{NAME} is malformed: {error}") from None


def _kept(cell):
    return {key: cell[key] for key in ("outputs", "execution_count") if key in cell}


def _tags(cell):
    return cell["metadata"].get("tags", [])


def _text(content):
    return json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _numbered(text):
    """Number pandas' styled tables, which have another name in each run; leave out where objects lie."""
    text = ADDRESS.sub("", text)
    names = dict.fromkeys(TABLE.findall(text))
    numbers = {name: f"T_{number}" for number, name in enumerate(names, start=1)}
    return TABLE.sub(lambda found: numbers[found.group()], text)


def _cell(cell, number):
    source, tags = "".join(cell["source"]), _tags(cell)
    if INJECTED in tags:
        source = OUT_DIR.sub("", source)  # a folder that is gone
    # Papermill's own cell has another id in each run.
    kept = {
        "cell_type": cell["cell_type"],
        "id": f"cell-{number}",
        "source": source.splitlines(keepends=True),
    }
    kept["metadata"] = {"tags": tags} if tags else {}
    if "attachments" in cell:
        kept["attachments"] = cell["attachments"]
    if cell["cell_type"] == "code":
        outputs = _joined([o for o in map(_output, cell["outputs"]) if o])
        kept |= {"execution_count": cell["execution_count"], "outputs": outputs}
    return kept


def _joined(outputs):
    """Put together what was printed in one go: it comes in as many parts as the kernel had time to send."""
    found = []
    for output in outputs:
        if output["output_type"] == "stream":
            output = output | {"text": "".join(output["text"])}
            if found and found[-1]["output_type"] == "stream":
                found[-1]["text"] += output["text"]
                continue
        found.append(output)
    for output in found:
        if output["output_type"] == "stream":
            output["text"] = output["text"].splitlines(keepends=True)
    return found


def _output(output):
    """Return an output without what differs between two runs, or None where nothing is left of it."""
    if output.get("name") == "stderr":
        return None  # warnings name files of this machine
    data = output.get("data")
    if data is None:
        return output
    if WIDGET in data:
        return None  # its picture stands beside it
    if PNG in data:
        data = {PNG: _fewer_colours(data[PNG]), "text/plain": "a picture"}
    return output | {"data": data}


def _fewer_colours(encoded):
    from PIL import Image

    picture = Image.open(io.BytesIO(base64.b64decode(encoded))).convert("RGBA")
    paper = Image.new("RGBA", picture.size, "white")
    paper.alpha_composite(picture)
    buffer = io.BytesIO()
    palette = paper.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    palette.save(buffer, "PNG", optimize=True)
    return base64.b64encode(buffer.getvalue()).decode()

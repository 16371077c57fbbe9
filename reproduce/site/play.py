"""Figures with controls, drawn beforehand at chosen values: a page swaps pictures, without a kernel."""

import html
import io
import itertools
import json
import platform
import re
import shutil
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from reproduce import reading
from reproduce.errors import PageError, UsageError
from reproduce.library import RUNTIME, write_whole
from reproduce.planning import key
from reproduce.planning.notebook import Notebook, read_notebook
from reproduce.site import executing, states

CHOICES = "try_it.toml"  # in docs/
EXPLORE = re.compile(r"""^(\w+) = explore\(\s*record,\s*["']([^"']+)["']""", re.MULTILINE)
SCALE, QUALITY = 110 / 150, 45  # as wide as in a notebook; of WebP
LARGEST = 1_000_000  # bytes of all pictures of one figure
DRAWING = Path(states.__file__).read_text(encoding="utf-8")

CONTROL = {"description": str, "labels": [str], "start": int}
KEPT = {"key": str, "controls": [list], "executed": {str: str}, "library": str}
PICTURES = "play"  # folder of the site
STILL = re.compile(r"\s*Without a kernel the figure stands still\.")  # so a notebook says, but for the site


@dataclass(frozen=True)
class Play:
    """Figure in all its states.

    Attributes
    ----------
    figure : str
        Its name in the notebook.
    controls : list
        `[description, [what each value is called], index of the initial value]` of each control.
    folder : Path
        Holds `0-2-1.webp` for the first value of the first control, the third of the second, and so on.
    """

    figure: str
    controls: list
    folder: Path

    @property
    def states(self):
        return ["-".join(map(str, s)) for s in itertools.product(*(range(len(c[1])) for c in self.controls))]

    def form(self, address):
        """Return the controls as HTML, hidden: `site.js` shows them, and swaps the pictures at `address`."""
        rows = "".join(_row(*control) for control in self.controls)
        opening = f'<fieldset class="play" data-pictures="{address}" hidden>'
        return f"{opening}<legend>Try it</legend>{rows}</fieldset>"


def load_play(project, say=print):
    """Return `{paper: Play}` of the papers that docs/try_it.toml names; what has no pictures yet is drawn."""
    try:
        choices = reading.toml(project.docs / CHOICES)
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise UsageError(f"docs/{CHOICES}: {error}") from None
    return {
        paper: _of(project, paper, chosen, partial(say, f"[{number}/{len(choices)}]"))
        for number, (paper, chosen) in enumerate(choices.items(), 1)
    }


def copy(plays, site):
    """Copy all pictures into the site, where no page loads them before a reader reaches for a control."""
    for paper, play in plays.items():
        target = site / PICTURES / paper
        target.mkdir(parents=True)
        for state in play.states:
            shutil.copyfile(play.folder / f"{state}.webp", target / f"{state}.webp")


def _of(project, paper, choices, say):
    if not isinstance(choices, dict) or not choices or not all(isinstance(v, list) for v in choices.values()):
        raise UsageError(
            f"docs/{CHOICES}, {paper}: must be a table of lists of values, such as noise = [0, 0.2]"
        )
    [paper] = project.choose([paper])
    notebook = read_notebook(project.notebook(paper))
    cells, exploration, figure = _as_far_as_the_figure(paper, notebook)
    present = _key(project, notebook, cells, choices)
    folder = project.build / "executed" / "play" / paper
    kept = folder / "play.json"
    try:
        record = reading.json_file(kept, KEPT)
        for control in record["controls"]:
            its = reading.typed(dict(zip(CONTROL, control, strict=True)), CONTROL)
            if not 0 <= its["start"] < len(its["labels"]):
                raise ValueError(f"no label {its['start']}")
        play = Play(figure, record["controls"], folder)
        same = executing.are_current(project, present, record)
        if same and all((folder / f"{each}.webp").is_file() for each in play.states):
            return play
    except (OSError, ValueError):
        pass
    say(f"notebooks/{paper}.ipynb: drawing {figure}", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as drawn:
        executed = _draw(project, notebook, cells, exploration, choices, Path(drawn))
        play = Play(figure, json.loads(Path(drawn, "controls.json").read_text()), folder)
        for state in play.states:
            (folder / f"{state}.webp").write_bytes(_small(Path(drawn, f"{state}.png")))
    size = sum(picture.stat().st_size for picture in folder.glob("*.webp"))
    if size > LARGEST:
        raise PageError(
            f"docs/{CHOICES}, {paper}: {len(play.states)} pictures have {size / 1e6:.2f} MB, "
            f"and may have {LARGEST / 1e6:g}: choose fewer values"
        )
    # Written last: a call that is killed before has the next one draw all pictures again.
    record = {"controls": play.controls} | executing.made_from(project, present, executed)
    write_whole(kept, json.dumps(record) + "\n")
    return play


def _as_far_as_the_figure(paper, notebook):
    """Return the code cells up to the first figure with controls, its variable and its name."""
    cells = []
    for cell in (cell for cell in notebook.cells if cell["cell_type"] == "code"):
        cells.append(cell)
        if found := EXPLORE.search("".join(cell["source"])):
            return cells, *found.groups()
    raise UsageError(f"docs/{CHOICES}, {paper}: no cell of the notebook is `play = explore(record, ...)`")


def _key(project, notebook, cells, choices):
    """Return the key of the pictures: the cells, the versions and the values."""
    code = Notebook(None, b"", tuple(cells), 0, {})
    environment = key.of_environment(project, key.packages(project), platform.python_version())
    drawn = key.digest([choices, DRAWING, SCALE, QUALITY])
    return key.combine({"notebook": code.digest(), "environment": environment, "choices": drawn})


def _draw(project, notebook, cells, exploration, choices, folder):
    import nbformat

    code = ["".join(cell["source"]) for cell in cells]
    at = cells.index(notebook.cells[notebook.parameters_cell])
    code.insert(at + 1, f"out_dir = {str(folder / 'recorded')!r}")  # a headless run, as the driver's
    arguments = f"{exploration}, {choices!r}, {str(folder)!r}, plotting.rendered"
    code.append(f"{DRAWING}\n\nfrom {RUNTIME}.experiments import plotting\n\ndraw({arguments})")
    run = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in code])
    done = executing.run(project, f"notebooks/{notebook.path.name}, drawn for docs/{CHOICES}", run)
    return done["metadata"][executing.EXECUTED]


def _small(picture):
    from PIL import Image

    out = io.BytesIO()
    with Image.open(picture) as image:
        width, height = (round(side * SCALE) for side in image.size)
        small = image.convert("RGB").resize((width, height), Image.Resampling.LANCZOS)
        small.save(out, "WEBP", quality=QUALITY, method=6)
    return out.getvalue()


def _row(description, labels, start):
    texts = html.escape(json.dumps(labels))
    return (
        f'<label><span>{html.escape(description)}</span><input type="range" min="0" max="{len(labels) - 1}" '
        f'value="{start}" data-labels="{texts}" aria-valuetext="{html.escape(labels[start])}"/>'
        f"<output>{html.escape(labels[start])}</output></label>"
    )

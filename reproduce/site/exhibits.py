"""Published figures and tables, read from their files in a form that the page can embed."""

import base64
import csv
import html
import io
import itertools
import re
import unicodedata
from dataclasses import dataclass, field

from reproduce.site import clean

ROWS = 40  # of a table on the page, at most; the file has them all
FORMULA, COMMAND, LEFT_OUT = (
    re.compile(r"\$([^$]*)\$"),
    re.compile(r"\\([a-zA-Z]+)"),
    re.compile(r"[{}\\]|\^(?=\*)"),
)
# Commands whose characters are not called GREEK SMALL LETTER and their name.
SAID = {
    "varepsilon": "GREEK SMALL LETTER EPSILON",
    "lambda": "GREEK SMALL LETTER LAMDA",
    "ell": "SCRIPT SMALL L",
    "propto": "PROPORTIONAL TO",
    "sqrt": "SQUARE ROOT",
}
MIME = {"svg": "image/svg+xml", "png": "image/png"}
# matplotlib draws text as outlines, and writes each text as a comment beside them.
SVG_TEXT = re.compile(r"<!-- (.+?) -->")


@dataclass(frozen=True)
class Cell:
    """Cell of a table; a measured number is shown with the few digits that a reader compares."""

    shown: str
    exact: str = ""  # the file's digits, where more than are shown
    is_number: bool = True


EMPTY = Cell("")


@dataclass(frozen=True)
class Table:
    """Table as rows of cells; `numbers` tells for each column whether it holds numbers only."""

    header: list
    numbers: list
    rows: list


@dataclass
class Variant:
    """Exhibit as it came out on one or more kinds of data.

    Attributes
    ----------
    datas : list of str
        Kinds of data; several where their files are equal.
    content : object
        A figure's `data:` URL, or a Table; None where there is a problem.
    """

    datas: list
    file: str  # relative to the project
    content: object = None
    alt: str = ""
    more: int = 0  # rows that are left out
    problem: str = ""
    raw: bytes = b""


@dataclass
class Exhibit:
    """Figure or table, with a variant for each kind of data."""

    name: str
    kind: str  # figure or table
    variants: list = field(default_factory=list)

    @property
    def title(self):
        return titled(self.name)


def titled(name):
    """Return a file name such as `figure-2-draws` as a title, "Figure 2 draws"."""
    text = re.sub(r"[-_]+", " ", name).strip()
    return text[:1].upper() + text[1:]


def load_exhibits(project, folders, published):
    """Read all exhibits of one paper, as `{name: Exhibit}`, figures first.

    Parameters
    ----------
    folders : dict
        `{data: folder of its published results}`.
    published : dict
        `{data: results.json}`.
    """
    found = {}
    for kind, read in (("figure", _figure), ("table", _table)):
        for data, content in published.items():
            for name in content[f"{kind}s"]:
                exhibit = found.setdefault(name, Exhibit(name, kind))
                _add(exhibit, data, read(project, folders[data], name))
    return found


def _add(exhibit, data, variant):
    for other in exhibit.variants:
        if variant.raw and other.raw == variant.raw:
            other.datas.append(data)
            return
    variant.datas.append(data)
    exhibit.variants.append(variant)


def _figure(project, folder, name):
    for suffix, mime in MIME.items():
        raw, shown = _read(project, folder, f"{name}.{suffix}")
        if raw:
            alt = _alt(name, raw if suffix == "svg" else b"")
            try:
                raw = clean.svg(raw).encode() if suffix == "svg" else raw
            except ValueError as error:
                return Variant([], shown, problem=f"{shown} cannot be read: {error}.")
            address = f"data:{mime};base64,{base64.b64encode(raw).decode()}"
            return Variant([], shown, address, alt=alt, raw=raw)
    return Variant([], *_missing(project, folder, f"{name}.svg"))


def _alt(name, svg):
    """Return a text alternative of a figure: its title, labels and legends."""
    texts = [spoken(html.unescape(text)) for text in SVG_TEXT.findall(svg.decode(errors="replace"))]
    words = [text for text in dict.fromkeys(texts) if re.search(r"[^\W\d_]{2}", text)]
    return f"{titled(name)}." + (f" Its labels: {'; '.join(words)}." if words else "")


def spoken(text):
    r"""Return a label with its formulas as a reader would say them.

    >>> spoken(r"margin, in units of $\rho^*$, at $1 - \varepsilon$")
    'margin, in units of ρ*, at 1 - ε'
    """
    return FORMULA.sub(lambda found: LEFT_OUT.sub("", COMMAND.sub(_character, found[1])), text)


def _character(command):
    name = SAID.get(command[1], f"GREEK SMALL LETTER {command[1].upper()}")
    try:
        return unicodedata.lookup(name)
    except KeyError:
        return ""


def _table(project, folder, name):
    raw, shown = _read(project, folder, f"{name}.csv")
    if raw is None:
        return Variant([], *_missing(project, folder, f"{name}.csv"))
    try:
        rows = [row for row in csv.reader(io.StringIO(raw.decode("utf-8"))) if row]
    except (ValueError, csv.Error) as error:
        return Variant([], shown, problem=f"{shown} cannot be read: {error}.")
    if not rows:
        return Variant([], shown, problem=f"{shown} is empty.")
    body = [[_cell(text) for text in row] for row in rows[1 : ROWS + 1]]
    numbers = [
        all(cell.is_number for cell in column) for column in itertools.zip_longest(*body, fillvalue=EMPTY)
    ]
    table = Table(rows[0], numbers, body)
    return Variant([], shown, table, more=max(0, len(rows) - 1 - ROWS), raw=raw)


def _cell(text):
    try:
        number = float(text)
    except ValueError:
        return Cell(text, is_number=not text)
    short = f"{number:.4g}"
    return Cell(short, text) if re.search(r"[.e]", text) and len(short) < len(text) else Cell(text)


def _read(project, folder, name):
    """Return a file's bytes, or None if they cannot be read, and its path for messages."""
    path = folder / name
    shown = _shown(project, path)
    try:
        # The name comes from results.json, which anyone may have written: it must not lead elsewhere.
        inside = path.resolve().is_relative_to(folder.resolve())
        return path.read_bytes() if inside else None, shown
    except (OSError, ValueError):
        return None, shown


def _missing(project, folder, name):
    shown = _shown(project, folder / name)
    return shown, None, "", 0, f"{shown} is missing."


def _shown(project, path):
    return path.relative_to(project.root).as_posix()

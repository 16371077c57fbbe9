"""Published figures and tables, read from their files and made ready to be embedded."""

import base64
import csv
import html
import io
import itertools
import re
from dataclasses import dataclass, field

ROWS = 200  # of a table that are shown; the file has them all
MIME = {"svg": "image/svg+xml", "png": "image/png"}
# matplotlib leaves each text of a figure beside its outlines.
SVG_TEXT = re.compile(r"<!-- (.+?) -->")


@dataclass(frozen=True)
class Cell:
    """A table's cell; a measured number is shown with the digits that a reader compares."""

    shown: str
    exact: str = ""  # where it is not what is shown
    is_number: bool = True


EMPTY = Cell("")


@dataclass(frozen=True)
class Table:
    """A table's rows of cells, and which columns hold numbers only."""

    header: list
    numbers: list
    rows: list


@dataclass
class Variant:
    """An exhibit as it came out on some data.

    Attributes
    ----------
    datas : list of str
        Several where the files are the same.
    content : object
        A figure's `data:` address, or a Table; None where there is a problem.
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
    """A figure or a table on all data that it was made with."""

    name: str
    kind: str  # figure or table
    variants: list = field(default_factory=list)

    @property
    def title(self):
        return titled(self.name)


def titled(name):
    """Return `figure-2-draws` as a reader would write it."""
    text = re.sub(r"[-_]+", " ", name).strip()
    return text[:1].upper() + text[1:]


def load(project, folders, published):
    """Read all exhibits of one paper, as `{name: Exhibit}`, figures first.

    Parameters
    ----------
    folders : dict
        `{data: where its results are published}`.
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
            address = f"data:{mime};base64,{base64.b64encode(raw).decode()}"
            return Variant([], shown, address, alt=_alt(name, raw if suffix == "svg" else b""), raw=raw)
    return Variant([], *_missing(project, folder, f"{name}.svg"))


def _alt(name, svg):
    """Return the picture in words: its title, labels and legends."""
    texts = [html.unescape(text) for text in SVG_TEXT.findall(svg.decode(errors="replace"))]
    words = [text for text in dict.fromkeys(texts) if re.search(r"[^\W\d_]{2}", text)]
    return f"{titled(name)}." + (f" Its labels: {'; '.join(words)}." if words else "")


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
    """Return a file's bytes, None if they cannot be read, and its path as it is shown."""
    path = folder / name
    shown = _shown(project, path)
    try:
        # results.json names the files, and may have been written by anyone.
        inside = path.resolve().is_relative_to(folder.resolve())
        return path.read_bytes() if inside else None, shown
    except (OSError, ValueError):
        return None, shown


def _missing(project, folder, name):
    shown = _shown(project, folder / name)
    return shown, None, "", 0, f"{shown} is missing."


def _shown(project, path):
    return path.relative_to(project.root).as_posix()

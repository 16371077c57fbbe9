"""Pages in docs/how_it_works as Sphinx reads them: each drawing for a light page and for a dark one."""

import re

from reproduce.site import clean, links

PICTURE = re.compile(r"!\[([^\]]*)\]\(([\w-]+)\.svg\)")
# Ink, paper and series' colours: those of `paperlib.experiments.plotting`, and what a dark page needs.
DARK = {
    "#ffffff": "#14181e",
    "#000000": "#e6e6e6",
    "#444444": "#b4b4b4",
    "#e3e3e3": "#343a42",
    "#767676": "#a0a0a0",
    "#0072b2": "#5eb8f0",
    "#d55e00": "#ff9a57",
    "#009e73": "#3ccb9f",
}
COLOUR = re.compile("|".join(DARK), re.IGNORECASE)


def pages(project):
    """Return the files of all pages."""
    return sorted((project.docs / "how_it_works").glob("*.md"))


def write_drawings(folder, project, how_tos):
    """Write the pages and their drawings, and return the pages' names."""
    for page in pages(project):
        folder.mkdir(parents=True, exist_ok=True)
        text = page.read_text(encoding="utf-8")
        for _, name in PICTURE.findall(text):
            drawing = clean.svg(page.with_name(f"{name}.svg").read_bytes())
            (folder / f"{name}.svg").write_text(drawing, encoding="utf-8")
            (folder / f"{name}-dark.svg").write_text(dark(drawing), encoding="utf-8")
        text = links.of_site(themed(text), f"docs/how_it_works/{page.name}", how_tos)
        (folder / page.name).write_text(text, encoding="utf-8")
    return [page.stem for page in pages(project)]


def themed(text):
    """Return a page's text with both forms of each drawing."""
    both = r"![\1](\2.svg){.drawing .only-light} ![\1](\2-dark.svg){.drawing .only-dark}"
    return PICTURE.sub(both, text)


def dark(drawing):
    """Return an SVG with the colours of a dark page; what names no colour is black, and inherits one here."""
    inked = drawing.replace("<svg ", f'<svg fill="{DARK["#000000"]}" ', 1)
    return COLOUR.sub(lambda found: DARK[found[0].lower()], inked)

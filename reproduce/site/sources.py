"""The pages as Sphinx reads them, in a folder: docs/ as it is, and what is generated around it."""

import json
import re
import string

from reproduce import reading
from reproduce.errors import PageError
from reproduce.site import clean, drawings, links, play, reference, ways

SIXTH = re.compile(r"^## (A sixth paper\n.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
# A small copy of a published figure, as the front page names it.
PICTURES, PICTURE = "pictures", re.compile(r"pictures/([\w-]+?)--([\w.-]+?)\.webp")
WIDTH, QUALITY = 640, 55  # pixels; of WebP
FIGURE = re.compile(r"figures/\w+/[\w.-]+?\.svg")  # as the README names it
PUNCTUATION = re.compile(f"[{re.escape(string.punctuation)}]")


def write_sources(folder, shown):
    """Write all sources; every page is in one table of contents, which is that of the front page."""
    project = shown.project
    folder.mkdir(parents=True)
    menu = ["notebooks/index", "claims/index"]
    _notebooks(folder / "notebooks", shown)
    _claims(folder / "claims", shown)
    if names := drawings.write_drawings(folder / "how_it_works", project, shown.how_tos):
        _page(folder / "how_it_works" / "index.md", "# How the algorithms work\n" + _menu(names))
        menu.append("how_it_works/index")
    if shown.how_tos:
        _how_tos(folder / "how_to", shown.how_tos)
        menu.append("how_to/index")
    if reference.write_reference(folder / "reference", project):
        menu.append("reference/index")
    for page in sorted(project.docs.glob("*.md")):
        if page.stem != "index":
            _page(folder / page.name, links.of_site(reading.text(page), f"docs/{page.name}", shown.how_tos))
            menu.append(page.stem)
    benchmarks = project.figures / "BENCHMARKS.md"
    if benchmarks.exists():
        text = re.sub(r"\A# .*", "# Benchmarks", reading.text(benchmarks))
        _page(
            folder / "benchmarks.md", links.of_site(text, "figures/BENCHMARKS.md", shown.how_tos, "docs/x.md")
        )
        menu.append("benchmarks")
    contributing = project.root / "CONTRIBUTING.md"
    if contributing.exists() and (found := SIXTH.search(reading.text(contributing))):
        text = links.of_site(f"# {found[1]}", "CONTRIBUTING.md", shown.how_tos, "docs/x.md")
        _page(folder / "sixth_paper.md", text)
        menu.append("sixth_paper")
    _front(folder, shown, menu)
    _published(folder, shown)


def _published(folder, shown):
    """Copy what the pages show of the published files."""
    for paper in shown.papers.values():
        for group in paper.groups:
            for variant in (v for exhibit in group.exhibits for v in exhibit.variants if not v.problem):
                target = folder / variant.file
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(variant.raw)


def _front(folder, shown, menu):
    front = shown.project.docs / "index.md"
    text = reading.text(front) if front.exists() else f"# {shown.title}\n\n```{{site-totals}}\n```\n"
    text = links.of_site(text, "docs/index.md", shown.how_tos)
    for paper, figure in sorted(set(PICTURE.findall(text))):
        _picture(
            shown.project.figures / paper / f"{figure}.png", folder / PICTURES / f"{paper}--{figure}.webp"
        )
    _page(folder / "index.md", text + _menu(menu, "hidden"))


def preview(shown):
    """Return the published figure that the README shows first, or None."""
    readme = shown.project.root / "README.md"
    found = FIGURE.search(reading.text(readme)) if readme.exists() else None
    return (shown.project.root / found[0]).with_suffix(".png") if found else None


def _picture(source, target):
    """Write a small copy of a published figure; the front page is to be drawn at once."""
    from PIL import Image

    target.parent.mkdir(exist_ok=True)
    try:
        with Image.open(source) as image:
            height = round(image.height * WIDTH / image.width)
            small = image.convert("RGB").resize((WIDTH, height), Image.Resampling.LANCZOS)
    except (OSError, ValueError, SyntaxError) as error:  # whatever Pillow says of a damaged one
        raise PageError(f"{source}: no picture: {error}") from None
    small.save(target, quality=QUALITY, method=6)


def _notebooks(folder, shown):
    names = [name for name, paper in shown.papers.items() if paper.notebook]
    for name in names:
        notebook = shown.papers[name].notebook
        if name in shown.plays:
            for cell in notebook.content["cells"]:
                cell["source"] = play.STILL.sub("", cell["source"])
        _relink(notebook.content, f"notebooks/{name}.ipynb", shown.how_tos, f"docs/notebooks/{name}.ipynb")
        _page(folder / f"{name}.ipynb", json.dumps(notebook.content))
        _page(folder / ways.FILES / f"{name}.ipynb", reading.text(notebook.file))
    _page(folder / "index.md", "# Notebooks\n\n```{site-notebooks}\n```\n" + _menu(names, "hidden"))


def _claims(folder, shown):
    for name, paper in shown.papers.items():
        text = f"# {name.replace('_', '&#95;')}: claims\n\n```{{site-claims}} {name}\n```\n"
        groups = {f"{name}/{group.page}": group for group in paper.groups if paper.is_split}
        _page(folder / f"{name}.md", text + (_menu(groups, "hidden") if groups else ""))
        for page, group in groups.items():
            # With the paper's name, which a search asks for, too.
            title = PUNCTUATION.sub(r"\\\g<0>", f"{name}: {group.title}")
            _page(folder / f"{page}.md", f"# {title}\n\n```{{site-claims}} {page}\n```\n")
    text = "# Scoreboard\n\n```{site-scoreboard}\n```\n"
    _page(folder / "index.md", text + _menu(shown.papers, "hidden"))


def _how_tos(folder, how_tos):
    for name, content in how_tos.items():
        _relink(content, f"docs/how_to/{name}.md", how_tos)
        for cell in content["cells"]:
            if cell["cell_type"] == "code":
                cell["outputs"] = list(filter(None, map(clean.output, cell["outputs"])))
        _page(folder / f"{name}.ipynb", json.dumps(content))
    text = "# How to ...\n\nEach page is a notebook that was run when this site was made.\n"
    _page(folder / "index.md", text + _menu(how_tos))


def _relink(content, *where):
    """Give a notebook's prose the links of the site; `where` is as for `links.of_site`."""
    for cell in content["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = links.of_site("".join(cell["source"]), *where)


def _menu(names, *options):
    lines = [f":{option}:" for option in options]
    return "\n".join(["", "```{toctree}", ":maxdepth: 1", *lines, "", *names, "```", ""])


def _page(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")

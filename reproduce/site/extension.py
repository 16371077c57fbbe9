"""What the site adds to Sphinx: generated parts of pages, addresses of cells, claims that a search finds."""

import os
import re
from functools import partial
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from reproduce.site import boards, claims, clean, exhibits, play, ways
from reproduce.site.markup import code, link, paragraph
from reproduce.site.notebooks import NUMBER

LOG = logging.getLogger(__name__)
NOT_IN_FRONT = re.compile(r"mystnb\b.*\.css|pygments\.css|(design-tabs|doctools|sphinx_highlight)\.js")
EMPTY_HEAD = re.compile(r"<th[^>]*>(?:<p>|</p>|&nbsp;|\s)*</th>")


def attach(app, shown):
    """Add the directives to a Sphinx that has read its configuration and no page."""
    for name, make in {
        "site-claims": partial(_claims, shown),
        "site-scoreboard": lambda directive: boards.page(shown),
        "site-totals": lambda directive: boards.totals(shown, "claims/index.html"),
        "site-notebooks": lambda directive: boards.notebooks(shown),
    }.items():
        app.add_directive(name, _directive(make))
    app.add_role("site-claim", _link_to_claim)
    app.env.settings["file_insertion_enabled"] = False  # no page shows what else is on the machine
    app.connect("doctree-read", _clean_notebook, priority=100)  # before files are collected
    app.connect("doctree-read", partial(_finish_notebook, shown))
    app.connect("doctree-read", partial(_add_ways_out, shown), priority=400)  # before Sphinx collects files
    app.connect("autodoc-skip-member", _skip_member)
    app.connect("env-updated", _correct_ways_back)
    app.connect("html-page-context", _without_empty_heads)
    app.connect("html-page-context", _lighter_front)
    app.connect("html-page-context", partial(_with_controls, shown))
    app.connect("autodoc-process-docstring", _escape_types, priority=900)  # after numpydoc


def _directive(make):
    class Generated(SphinxDirective):
        optional_arguments = 1

        def run(self):
            return make(self)

    return Generated


def _claims(shown, directive):
    name, _, group = directive.arguments[0].partition("/")
    paper = shown.papers[name]
    for j in paper.judged:
        if directive.env.docname == f"claims/{paper.cards[j.claim.id].partition('.html#')[0]}":
            directive.env.get_domain("claims").note(paper.name, j.claim)
    return claims.page_of_group(paper, group) if group else claims.page(paper)


def _link_to_claim(name, whole, text, line, inliner, options=None, content=None):
    """Return the link of a page's prose to a claim, written as `words <address>`."""
    words, _, address = text.removesuffix(">").rpartition(" <")
    return [link(words, address)], []


def _clean_notebook(app, doctree):
    """Take the scripts out of what ran, before the site adds its own, and complain of files of elsewhere."""
    if app.env.docname.partition("/")[0] in ("notebooks", "how_to"):
        clean.page(doctree)
        inside = Path(
            app.srcdir
        ).parent  # the pages' sources and, beside them, pictures that cells have drawn
        for node in doctree.findall(_is_element):
            address = node.get("uri", "") if isinstance(node, nodes.image) else node.get("reftarget", "")
            is_file = isinstance(node, nodes.image | addnodes.download_reference)
            if is_file and not clean.scheme(address):
                path = os.path.normpath(app.env.relfn2path(address)[1])
                if not Path(path).is_relative_to(inside):
                    LOG.warning("%s is no file of the site", address, location=node)


def _finish_notebook(shown, app, doctree):
    """Give each cell its address, its pictures a text, and below it the claims that it measures."""
    folder, _, name = app.env.docname.partition("/")
    paper = shown.papers.get(name)
    is_of_paper = folder == "notebooks" and paper is not None
    for cell in doctree.findall(
        lambda node: node.get("nb_element") == "cell_code" if _is_element(node) else False
    ):
        number = cell.get("cell_metadata", {}).get(NUMBER)
        names = []
        if is_of_paper and number is not None:
            cell["ids"].append(f"cell-{number}")
            names = [name for name, at in paper.notebook.figures.items() if at == number]
        for image in cell.findall(nodes.image):
            image["alt"] = image.get("alt") or _alt(paper, names)
        if is_of_paper:
            measured = [claim for claim, at in paper.notebook.measures.items() if at == number]
            cell += _about(measured, names, paper)
            found = shown.plays.get(name)
            if found and found.figure in names:
                form = found.form(f"../{play.PICTURES}/{name}")
                cell.insert(1, nodes.raw("", form, format="html"))


def _add_ways_out(shown, app, doctree):
    """Say below a notebook's title where to get it, and where it runs."""
    folder, _, name = app.env.docname.partition("/")
    paper = shown.papers.get(name)
    if folder == "notebooks" and paper and paper.notebook:
        title = next(doctree.findall(nodes.title))
        title.parent.insert(title.parent.index(title) + 1, ways.line(shown.project, name))


def _without_empty_heads(app, page, template, context, doctree):
    """Have the cell above a table's first column, which heads nothing, be no heading."""
    if "body" in context:
        context["body"] = EMPTY_HEAD.sub("<td></td>", context["body"])


def _lighter_front(app, page, template, context, doctree):
    """Have the front page load nothing for code, notebooks, tabs and marked words: it has none."""
    if page == "index":
        for kind in ("css_files", "script_files"):
            context[kind] = [file for file in context[kind] if not NOT_IN_FRONT.search(str(file.filename))]


def _with_controls(shown, app, page, template, context, doctree):
    """Have the pages load the script for figures with controls that have one."""
    if page in {f"notebooks/{paper}" for paper in shown.plays}:
        app.add_js_file("play.js", defer="defer")


def _correct_ways_back(app, env):
    """Have the links from a module's source lead to where its names are documented.

    viewcode takes all names of a module for those of the package in which it met the first of them.
    """
    known = env.domains.python_domain.objects
    modules = getattr(env, "_viewcode_modules", {})
    for module, entry in modules.items():
        if entry:
            code, tags, used, _ = entry
            if all(_is_at(known, f"{module}.{name}", page) for name, page in used.items()):
                modules[module] = (code, tags, used, module)


def _is_at(known, name, page):
    return name in known and known[name].docname == page and not known[name].aliased


def _skip_member(app, what, name, member, skip, options):
    """Leave out the methods that scikit-learn gives every estimator for its routing of metadata."""
    return True if re.fullmatch(r"set_\w+_request", name) else None


def _escape_types(app, what, name, obj, options, lines):
    """Have the underscore of a shape such as (n_iter_,) stand for itself; at a word's end it marks a link."""
    for i, line in enumerate(lines):
        if match := re.match(r"(\s*\*\*.+?\*\* : )(.*)", line):
            lines[i] = match[1] + re.sub(r"(\w)_(?=[,)\s]|$)", r"\1\\_", match[2])


def _is_element(node):
    return isinstance(node, nodes.Element)


def _alt(paper, names):
    """Return a text alternative of a cell's picture: that of the figures it makes."""
    found = [
        exhibit.variants[0].alt
        for group in (paper.groups if paper else [])
        for exhibit in group.exhibits
        if exhibit.name in names and exhibit.variants
    ]
    return " ".join(found) or " ".join(map(exhibits.titled, names)) or "What this cell draws."


def _about(measured, figures, paper):
    """Return links to the claims that a cell measures, or that are about its figure."""
    groups = {exhibit.name: group for group in paper.groups for exhibit in group.exhibits}
    parts = []
    for claim in measured:
        claim = claim.removesuffix(".corrected") if claim not in paper.cards else claim
        if claim in paper.cards:
            parts += [
                ", " if parts else "Claims measured here: ",
                link(code(claim), f"../claims/{paper.cards[claim]}"),
            ]
    for name in figures:
        group = groups.get(name)
        if group and group.judged:
            address = f"../claims/{paper.address(group)}"
            parts += ["; " if parts else "", link(f"the claims about {group.title.lower()}", address)]
    return [paragraph(*parts, classes=["about-cell"])] if parts else []

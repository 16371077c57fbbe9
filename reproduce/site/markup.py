"""Short names for what the generated pages are made of: docutils' nodes."""

import re

from docutils import nodes

from reproduce.library import verdicts
from reproduce.site import formulas

SYMBOLS = {
    verdicts.REPRODUCED: "✓",
    verdicts.CORRECTED: "✎",
    verdicts.DIFFERS: "≠",
    verdicts.INCONCLUSIVE: "?",
    verdicts.VACUOUS: "∅",
    verdicts.IDENTITY: "=",
    verdicts.NOT_RUN: "○",
    verdicts.NOT_CHECKABLE: "–",
}


def typeset(text):
    """Return a ledger's text as nodes, its formulas typeset."""
    return [
        nodes.math(piece, latex) if latex else nodes.Text(piece) for piece, latex in formulas.split(str(text))
    ]


def badge(verdict):
    return nodes.inline("", f"{SYMBOLS[verdict]} {verdict}", classes=["verdict", slug(verdict)])


def paragraph(*parts, classes=()):
    """Return a paragraph of texts and nodes."""
    return nodes.paragraph("", "", *(_node(part) for part in parts), classes=list(classes))


def link(text, uri):
    """Return a link to another place on the site; `text` may be a node."""
    return nodes.reference("", "", _node(text), refuri=uri, internal=True)


def code(text):
    return nodes.literal("", str(text))


def bullets(items):
    """Return a list; each item is a list of texts and nodes."""
    entries = [nodes.list_item("", paragraph(*item)) for item in items]
    return nodes.bullet_list("", *entries)


def facts(rows, classes=()):
    """Return a list of terms, each with its paragraphs' parts; a row without parts is left out."""
    items = [
        nodes.definition_list_item("", nodes.term("", term), nodes.definition("", paragraph(*parts)))
        for term, parts in rows
        if parts
    ]
    return nodes.definition_list("", *items, classes=list(classes))


def table(header, rows, title="", numbers=()):
    """Return a table of texts, nodes, or lists of them; the columns `numbers` stand to the right."""
    group = nodes.tgroup(cols=len(header))
    group += [nodes.colspec(colwidth=1) for _ in header]
    group += nodes.thead("", _row(header, numbers))
    group += nodes.tbody("", *(_row(row, numbers) for row in rows))
    return nodes.table("", *([nodes.title("", title)] if title else []), group)


def _row(cells, numbers):
    return nodes.row("", *(_entry(cell, i in numbers) for i, cell in enumerate(cells)))


def _entry(cell, is_number):
    parts = cell if isinstance(cell, list) else [cell]
    return nodes.entry("", paragraph(*parts), classes=["number"] if is_number else [])


def section(title, name, *children):
    """Return a section with that id."""
    return nodes.section("", nodes.title("", "", _node(title)), *children, ids=[name], names=[])


def folded(summary, *children):
    """Return something that is opened by a click."""
    opening = nodes.raw("", f"<details><summary>{_escaped(summary)}</summary>", format="html")
    return [opening, *children, nodes.raw("", "</details>", format="html")]


def slug(text):
    return re.sub(r"[^\w.-]+", "-", text)


def _node(part):
    return nodes.Text(str(part)) if isinstance(part, str | int | float) else part


def _escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

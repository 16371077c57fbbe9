"""What committed notebooks and figures bring into a page: text, tables and pictures, and never a program.

They are results, which nobody reads as one reads code. What the site itself puts beside them, such as the
controls of a figure, does not come through here.
"""

import re
from urllib.parse import urlsplit
from xml.etree import ElementTree

import defusedxml.ElementTree
import nh3
from docutils import nodes

# Of a notebook's output, what can be cleaned or needs no cleaning.
SHOWN = {"text/plain", "text/html", "text/markdown", "text/latex"}
DRAWING = "image/svg+xml"
SHOWN |= {DRAWING, "image/png", "image/jpeg", "image/gif", "image/webp"}
SCHEMES = {"", "http", "https", "mailto"}  # of links
TAGS = nh3.ALLOWED_TAGS - {"area", "img", "map"}  # pictures are outputs of their own
PARTS = nh3.ALLOWED_ATTRIBUTES | {"*": {"class", "style", "title"}}
PARTS |= {tag: PARTS[tag] | {"halign", "valign"} for tag in ("td", "th")}
STYLES = {"text-align", "vertical-align", "font-weight", "font-style", "white-space"}
TAG = re.compile(
    r"</?(?:b|br|code|details|em|i|kbd|small|strong|sub|summary|sup|u)\s*/?>"
)  # with nothing in it

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
ELEMENTS = {"svg", "g", "defs", "symbol", "use", "title", "desc", "style", "text", "tspan", "image"}
ELEMENTS |= {"path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "marker", "pattern"}
ELEMENTS |= {"mask", "clipPath", "linearGradient", "radialGradient", "stop"}
PICTURE = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[\w+/=\s]*")
OF_ELSEWHERE = re.compile(  # in CSS
    r"url\((?!\s*[\"']?#)|[@\\]|image(?:-set)?\(|src\(|expression|behavior|binding", re.IGNORECASE
)


def output(shown):
    """Return an output of a cell with the forms of it that can be shown, or None where there is none.

    Its HTML is cleaned by `page`, as is that which its Markdown becomes.
    """
    if "data" not in shown:
        return shown
    data = {kind: content for kind, content in shown["data"].items() if kind in SHOWN}
    if DRAWING in data:
        try:
            data[DRAWING] = svg("".join(data[DRAWING]))
        except ValueError:
            del data[DRAWING]
    return shown | {"data": data} if data else None


def html(text):
    """Return HTML without scripts, and without all that could start or load one."""
    return nh3.clean(
        text,
        tags=TAGS,
        attributes=PARTS,
        url_schemes=SCHEMES - {""},
        filter_style_properties=STYLES,
        link_rel=None,
    )


def svg(text):
    """Return an SVG, given as bytes or str, likewise; ValueError if it is none."""
    try:
        root = defusedxml.ElementTree.fromstring(text)
    except (ElementTree.ParseError, UnicodeError) as error:
        raise ValueError(str(error)) from None
    if _name(root) != "svg":
        raise ValueError(f"the outermost element is {root.tag}")
    _prune(root)
    root.attrib |= {"xmlns": SVG, "xmlns:xlink": XLINK}
    return ElementTree.tostring(root, encoding="unicode")


def page(doctree):
    """Clean the raw HTML and the links of a page; a tag of a text, such as <sup>, is a node of its own.

    What is meant for the head of the page, where it could lead to another one, is left out.
    """
    for meta in list(doctree.findall(nodes.meta)):
        meta.parent.remove(meta)
    for raw in list(doctree.findall(nodes.raw)):
        if not TAG.fullmatch(raw.astext()):
            raw.children = [nodes.Text(html(raw.astext()))]
    for link in doctree.findall(nodes.reference):
        if scheme(link.get("refuri", "")) not in SCHEMES:
            link["refuri"] = "#"


def scheme(address):
    """Return the scheme of an address as a browser sees it, who skips white space and control characters."""
    try:
        return urlsplit(re.sub(r"[\x00-\x20]", "", address)).scheme
    except ValueError:
        return "none"


def _name(element):
    """Return the name of an element of SVG, or an empty string."""
    space, _, name = str(element.tag).rpartition("}")
    return name if space in ("", "{" + SVG) else ""


def _prune(element):
    """Remove below an element what is not allowed; the names that are left need no prefix."""
    element.tag = _name(element)
    element.attrib = dict(filter(None, map(_attribute, element.attrib.items())))
    if element.tag == "style" and OF_ELSEWHERE.search(element.text or ""):
        element.text = ""
    for child in list(element):
        if _name(child) in ELEMENTS:
            _prune(child)
        else:
            element.remove(child)


def _attribute(item):
    """Return an attribute's name and value, or None where it could start or load anything."""
    name, value = item
    space, _, local = name.rpartition("}")
    if local.lower().startswith("on") or OF_ELSEWHERE.search(value):
        return None
    if local == "href":
        own = value.startswith("#") or PICTURE.fullmatch(value)
        return ("xlink:href" if space else "href", value) if own else None
    return (local, value) if not space else None

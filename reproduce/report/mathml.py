"""LaTeX formulas as MathML, which browsers show without scripts or network."""

import re
from html import escape, unescape
from xml.etree.ElementTree import Element, tostring

from latex2mathml.converter import convert_to_element

LONGEST = 10_000  # characters; longer text is not converted
NAMESPACE = "http://www.w3.org/1998/Math/MathML"

# Without links, styles and foreign content: a formula comes from a notebook and may hold anything.
_TAGS = """
math mfrac mi mn mo mover mpadded mphantom mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable
mtd mtext mtr munder munderover mmultiscripts mprescripts none merror
"""
_ATTRIBUTES = """
accent accentunder columnalign columnlines columnspacing columnspan depth display displaystyle fence
form height largeop linebreak linethickness lspace mathvariant maxsize minsize movablelimits rowspacing
rspace scriptlevel separator stretchy symmetric voffset width
"""
TAGS, ATTRIBUTES = frozenset(_TAGS.split()), frozenset(_ATTRIBUTES.split())

# Replacements for commands that the converter does not know.
SYNONYMS = [
    (re.compile(r"\\arg\s*\\(min|max)(?![A-Za-z])"), r"\\arg\1"),
    (re.compile(r"\{(align|gather)ed\}"), r"{\1*}"),
]
BELOW = {"msub": "munder", "msup": "mover", "msubsup": "munderover"}
WITH_LIMITS = {"max", "min", "sup", "inf", "lim", *"⋃⋂⨆⋁⋀"}
CHILDREN = {
    "mfrac": 2,
    "mroot": 2,
    "msub": 2,
    "msup": 2,
    "munder": 2,
    "mover": 2,
    "msubsup": 3,
    "munderover": 3,
}
DELIMITERS = set("⟨⟩⌊⌋⌈⌉")
ACCENTS = set("^~¯˙→―")


def formula(latex, block=False):
    """Return a formula as an HTML fragment, or its escaped source where it cannot be converted.

    Parameters
    ----------
    latex : str
        The formula without its dollar signs.
    block : bool
        Whether the formula is displayed on its own line.
    """
    display = "block" if block else "inline"
    try:
        math = _cleaned(_converted(latex.strip(), display), block)
    except Exception:  # the converter fails in many ways; the source can always be shown
        html = f'<code class="formula">{escape(latex.strip())}</code>'
    else:
        math.set("xmlns", NAMESPACE)
        math.set("display", display)
        html = tostring(math, encoding="unicode")
    if not block:
        return html
    return f'<div class="formula">{html}</div>'


def _converted(latex, display):
    if not 0 < len(latex) <= LONGEST:
        raise ValueError("no formula")
    for pattern, synonym in SYNONYMS:
        latex = pattern.sub(synonym, latex)
    math = convert_to_element(latex, display=display)
    # The converter passes on an unknown command as if it were an identifier.
    for element in math.iter():
        text = element.text or ""
        if (text.startswith("\\") and len(text) > 1) or (element.tag == "mi" and text == "&"):
            raise ValueError(text)
    return math


def _cleaned(element, block):
    """Return the element with known tags and attributes only, and with entities as characters."""
    if element.tag not in TAGS:
        raise ValueError(element.tag)
    clean = Element(element.tag, {k: v for k, v in element.attrib.items() if k in ATTRIBUTES})
    clean.text = unescape(element.text) if element.text else None
    clean.tail = unescape(element.tail) if element.tail else None
    clean.extend(_cleaned(child, block) for child in element)
    if len(clean) != CHILDREN.get(clean.tag, len(clean)):
        raise ValueError(clean.tag)
    if clean.tag == "mo" and len(clean):
        clean.tag = "mrow"
    elif clean.tag == "mi" and clean.text in DELIMITERS:
        clean.tag = "mo"
        clean.set("stretchy", "false")
    elif block and clean.tag in BELOW and _takes_limits(clean[0]):
        clean.tag = BELOW[clean.tag]
    elif clean.tag == "mover" and clean[1].text in ACCENTS:
        clean.set("accent", "true")
    return clean


def _takes_limits(operator):
    return operator.text in WITH_LIMITS or operator.get("movablelimits") == "true"

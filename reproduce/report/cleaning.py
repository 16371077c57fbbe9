"""Cleaning of HTML that a cell displayed: only tables and text remain."""

import bleach
from bs4 import BeautifulSoup

# Elements that are removed with their content. Of other unknown elements the text is kept.
DROPPED = """
script style head title template noscript iframe object embed svg math textarea select button form
noembed noframes xmp plaintext
"""
TAGS = """
a abbr b blockquote br caption code col colgroup dd del details div dl dt em h4 h5 h6 hr i kbd li ol p pre
samp small span strong sub summary sup table tbody td tfoot th thead tr u ul var
"""
ATTRIBUTES = {
    "a": ["href"],
    "abbr": ["title"],
    "td": ["colspan", "rowspan"],
    "th": ["colspan", "rowspan", "scope"],
    "ol": ["start"],
}


def cleaned(html):
    """Return the fragment without scripts, styles, pictures and anything else that could load or run."""
    soup = BeautifulSoup(html, "html.parser")
    for element in soup.find_all(DROPPED.split()):
        element.decompose()
    for cell in soup.find_all("th"):
        if not cell.get_text(strip=True):
            cell.name = "td"
        else:
            cell["scope"] = "col" if cell.find_parent("thead") else "row"
    return bleach.clean(
        str(soup),
        tags=frozenset(TAGS.split()),
        attributes=ATTRIBUTES,
        protocols={"http", "https", "mailto"},
        strip=True,
    )

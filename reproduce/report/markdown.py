"""Markdown and source code as HTML: formulas as MathML, raw HTML as text, nothing loaded."""

from html import escape

from mistune import HTMLRenderer
from nbconvert.filters.markdown_mistune import MarkdownWithMath
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from reproduce.report.mathml import formula

PICTURES = ("image/svg+xml", "image/png", "image/jpeg", "image/gif", "image/webp")


def html(source, below=3, attachments=None):
    """Return a Markdown text as an HTML fragment.

    Parameters
    ----------
    source : str
    below : int
        Level of the heading above the text; the text's own headings begin one level below.
    attachments : dict, optional
        The cell's attachments, `{name: {MIME type: base64}}`.
    """
    return MarkdownWithMath(renderer=Renderer(below, attachments or {})).render(source)


def code(source, language):
    """Return source code as HTML with classes for the style sheet; plain text in an unknown language."""
    try:
        lexer = get_lexer_by_name(language, stripnl=False)
    except ClassNotFound:
        lexer = get_lexer_by_name("text", stripnl=False)
    return f"<pre><code>{highlight(source, lexer, HtmlFormatter(nowrap=True)).rstrip()}</code></pre>\n"


class Renderer(HTMLRenderer):
    """Mistune's HTML renderer, adapted to a page that loads nothing and has no inline styles."""

    def __init__(self, below, attachments):
        super().__init__(escape=True)
        self.below, self.attachments = below, attachments

    def heading(self, text, level, **_):
        tag = f"h{min(level + self.below, 6)}"
        return f"<{tag}>{text}</{tag}>\n"

    def paragraph(self, text):
        # HTML ends a <p> where a block begins, so a paragraph with a displayed formula must be a <div>.
        tag = ("div", ' class="paragraph"') if '<div class="formula">' in text else ("p", "")
        return f"<{tag[0]}{tag[1]}>{text}</{tag[0]}>\n"

    def block_code(self, text, info=None):
        return code(text, (info or "").split(maxsplit=1)[0] if (info or "").strip() else "text")

    def link(self, text, url, title=None):
        # Relative links of a notebook do not lead anywhere from the page.
        known = url.lower().startswith(("http://", "https://", "mailto:"))
        return f'<a href="{escape(url)}">{text}</a>' if known else text

    def image(self, text, url, title=None):
        if url.startswith("attachment:"):
            bundle = self.attachments.get(url.removeprefix("attachment:"), {})
            kind = next((kind for kind in PICTURES if kind in bundle), None)
            url = f"data:{kind};base64,{''.join(bundle[kind]).strip()}" if kind else url
        if url.startswith(tuple(f"data:{kind}" for kind in PICTURES)):
            return f'<img src="{escape(url)}" alt="{escape(text)}">'
        return f"<em>(picture that is not in the notebook: {escape(text or url)})</em>"

    def table(self, text):
        return region(f"<table>{text}</table>", "Table")

    def table_cell(self, text, align=None, head=False):
        tag = "th" if head and text.strip() else "td"
        scope = ' scope="col"' if tag == "th" else ""
        side = f' class="{align}"' if align in ("right", "center") else ""
        return f"<{tag}{scope}{side}>{text}</{tag}>\n"

    def inline_math(self, text):
        return formula(text)

    def block_math(self, text):
        return formula(text, block=True)

    def latex_environment(self, name, body):
        plain = name.rstrip("*") in ("equation", "displaymath", "math")
        return formula(body if plain else rf"\begin{{{name}}}{body}\end{{{name}}}", block=True)


def region(html, label):
    """Return the fragment in a region that scrolls sideways, by keyboard too."""
    return f'<div class="wide" role="region" aria-label="{escape(label)}" tabindex="0">{html}</div>'

"""Source code as HTML, in classes that the page's own style sheet colours."""

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound


def html(source, language):
    """Highlighted source; plain where the language is unknown."""
    try:
        lexer = get_lexer_by_name(language, stripnl=False)
    except ClassNotFound:
        lexer = get_lexer_by_name("text", stripnl=False)
    return f"<pre><code>{highlight(source, lexer, HtmlFormatter(nowrap=True)).rstrip()}</code></pre>\n"

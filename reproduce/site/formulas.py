"""Formulas in the plain text of a ledger, such as `O((R / rho*)^2 / eps)`, found and written as LaTeX.

A formula is a run of symbols: numbers, single letters, names of Greek letters and of functions, operators,
brackets. It counts as one only if something in it is no part of a sentence: a Greek letter, a power or an
index, a function of something, an operator between two symbols.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

GREEK = {
    **{
        name: f"\\{name}"
        for name in ("alpha", "beta", "gamma", "delta", "eta", "theta", "kappa", "lambda", "mu")
    },
    **{name: f"\\{name}" for name in ("nu", "xi", "rho", "sigma", "tau", "phi", "Gamma", "Phi", "Omega")},
    "eps": r"\varepsilon",
}
FUNCTIONS = {name: f"\\{name}" for name in ("log", "ln", "exp", "max", "min", "sup", "sum", "sqrt")}
WORDS = {"mn": "mn", "kn": "kn", "inf": r"\infty"}
SIGNS = {
    ">=": r"\ge ",
    "<=": r"\le ",
    "!=": r"\ne ",
    "+-": r"\pm ",
    "||": r"\|",
    "[[": r"[\![",
    "]]": r"]\!]",
    "{": r"\{",
    "}": r"\}",
    "%": r"\%",
    "~": r"\sim ",
}
TOKEN = re.compile(
    r"(?P<angle><\w+, \w+>)|(?P<sign>>=|<=|!=|\+-|\|\||\[\[|\]\]|[-+*/=<>()\[\]{}|^_~',:])"
    r"|(?P<number>\d+(?:,\d{3})*(?:\.\d+)?)|(?P<word>[^\W\d_]+)|(?P<space> )|(?P<other>.)",
    re.DOTALL,
)
RELATIONS = {"=", "<", ">", "<=", ">=", "!=", "+-", "+", "-", "/"}
OPENING, CLOSING = {"(": ")", "[": "]", "{": "}", "[[": "]]"}, {")", "]", "}", "]]"}
NO_BEGINNING = {",", ":", "/", "*", "=", "+", "^", "_", "'", "~", ">", "<="}
NO_END = {",", ":", "/", "=", "+", "-", "^", "_", "<", ">", "~", "+-"}
# A sentence may hold these by themselves.
ARTICLES = {"a", "A", "I"}


@dataclass
class Token:
    """Piece of a text; `glued` if no space stands before it."""

    kind: str
    text: str
    glued: bool


def split(text):
    """Return the text in pieces, `[(piece, its LaTeX or None)]`; the pieces joined are the text.

    >>> split("after n / 2 steps, O(n) each")
    [('after ', None), ('n / 2', 'n/2'), (' steps, ', None), ('O(n)', 'O(n)'), (' each', None)]
    """
    tokens = _tokens(text)
    pieces, i = [], 0
    while i < len(tokens):
        end = _end_of_run(tokens, i)
        start, stop = _trimmed(tokens, i, end)
        if start < stop and _is_formula(tokens[start:stop]):
            pieces.append(("".join(t.text for t in tokens[i:start]), None))
            pieces.append(("".join(t.text for t in tokens[start:stop]), _latex(tokens[start:stop])))
            i = stop
        else:
            stop = max(end, i + 1)
            pieces.append(("".join(t.text for t in tokens[i:stop]), None))
            i = stop
    return _joined(pieces)


def _tokens(text):
    found = [Token(match.lastgroup, match.group(), True) for match in TOKEN.finditer(text)]
    for before, token in pairwise(found):
        token.glued = before.kind != "space"
    return found


def _joined(pieces):
    """Put neighbouring pieces of prose together."""
    joined = []
    for text, latex in pieces:
        if latex is None and joined and joined[-1][1] is None:
            joined[-1] = (joined[-1][0] + text, None)
        elif text:
            joined.append((text, latex))
    return joined


def _end_of_run(tokens, start):
    """Return where the run of symbols that begins at `start` ends."""
    depth, i = 0, start
    while i < len(tokens):
        token = tokens[i]
        if token.text in OPENING:
            depth += 1
        elif token.text in CLOSING:
            depth -= 1
        if depth < 0 or not _is_symbol(tokens, i, depth):
            break
        i += 1
    return i


def _is_symbol(tokens, i, depth):
    token = tokens[i]
    if token.kind == "word":
        return _is_name(tokens, i)
    if token.text in (",", ":"):
        return depth > 0
    if token.text == "'":
        return token.glued and i > 0 and (tokens[i - 1].kind == "word" or tokens[i - 1].text == "'")
    return token.kind in ("sign", "number", "space", "angle")


def _is_name(tokens, i):
    """Return whether a word is the name of something: a letter, a function, or what an index says."""
    token, before, after = tokens[i], _at(tokens, i - 1), _at(tokens, i + 1)
    if before in ("^", "_") or after == "_":
        return True
    if token.text in ARTICLES:
        return after in ("(", "*", "^", "'") or before in ("(", "{") or (token.glued and before in RELATIONS)
    if len(token.text) == 1 or token.text in GREEK or token.text in FUNCTIONS:
        # "classifier's" is a word, "e'" a name; "k-sparse" is a word that begins with a letter.
        return not (len(token.text) == 1 and after == "'" and _at(tokens, i + 2).isalpha())
    if token.text in WORDS:
        return True
    left, right = _beside(tokens, i)
    if token.text == "loss":
        return right in ("/", "||", "beta")
    if token.text.isupper() and len(token.text) <= 3 and {left, right} & {"+", "-", "/", "="}:
        return before == " " or after == " "
    return token.text.isalpha() and token.text[0].isupper() and after == "(" and len(token.text) <= 5


def _beside(tokens, i):
    """Return the texts to the left and to the right, past a space."""
    return (
        _at(tokens, i - 1 - (_at(tokens, i - 1) == " ")),
        _at(tokens, i + 1 + (_at(tokens, i + 1) == " ")),
    )


def _at(tokens, i):
    return tokens[i].text if 0 <= i < len(tokens) else ""


def _trimmed(tokens, start, stop):
    """Leave out what cannot begin or end a formula, and brackets without their partner."""
    changed = True
    while changed and start < stop:
        changed = False
        first, last = tokens[start], tokens[stop - 1]
        lone = _lone(tokens, start, stop)
        if lone is not None:
            # What is left of it is tried first, what is right of it after that.
            start, stop, changed = (lone + 1, stop, True) if lone == start else (start, lone, True)
        elif first.kind == "space" or first.text in NO_BEGINNING or _is_dash(tokens, start):
            start, changed = start + 1, True
        elif last.text in ("+", "-") and _at(tokens, stop - 2) == "_":
            return start, stop  # the index of the positive part, or of a class
        elif last.kind == "space" or last.text in NO_END:
            stop, changed = stop - 1, True
        elif first.text == "(" and _partner(tokens, start, stop) == stop - 1:
            if not _is_formula(tokens[start + 1 : stop - 1]):
                return stop, stop
            # The brackets of the sentence, unless they are the formula's.
            return (start + 1, stop - 1) if _is_aside(tokens, start, stop) else (start, stop)
    return start, stop


def _is_dash(tokens, i):
    return tokens[i].text == "-" and _at(tokens, i + 1) == " "


def _is_aside(tokens, start, stop):
    """Return whether brackets hold a remark, "(w = 1)", and not a product or an interval."""
    return any(t.text in {"=", "<", ">", "<=", ">=", "!="} for t in tokens[start:stop])


def _partner(tokens, start, stop):
    depth = 0
    for i in range(start, stop):
        depth += (tokens[i].text in OPENING) - (tokens[i].text in CLOSING)
        if depth == 0:
            return i
    return None


def _lone(tokens, start, stop):
    """Return the first bracket that has no partner, or None; an interval may end with either bracket."""
    open_ = []
    for i in range(start, stop):
        if tokens[i].text in OPENING:
            open_.append(i)
        elif tokens[i].text in CLOSING:
            if not open_:
                return i
            open_.pop()
    return open_[0] if open_ else None


def _is_formula(tokens):
    """Return whether something in it is no part of a sentence."""
    for i, token in enumerate(tokens):
        if token.kind == "angle" or token.text in GREEK or token.text in ("^", "||", "[["):
            return True
        if token.text == "*" and token.glued and i and tokens[i - 1].kind == "word":
            return True
        if token.text == "_" and token.glued and 0 < i < len(tokens) - 1:
            return True
        if token.kind == "word" and _at(tokens, i + 1) in ("(", "~") and token.text not in ARTICLES:
            return True
        if token.text in RELATIONS and _joins(tokens, i):
            return True
    return False


def _joins(tokens, i):
    """Return whether an operator stands between two symbols, not both of them numbers."""
    sides = [_next(tokens, range(i - 1, -1, -1)), _next(tokens, range(i + 1, len(tokens)))]
    if None in sides or sides[0].text in {"+", "-"} or sides[1].text in RELATIONS - {"-", "+"}:
        return False
    names = [t.kind in ("word", "angle") or t.text in {"(", ")", "|", "*", "'"} for t in sides]
    if tokens[i].text == "-" and tokens[i].glued:
        return False
    return any(names)


def _next(tokens, places):
    return next((tokens[j] for j in places if tokens[j].kind != "space"), None)


def _latex(tokens):
    """Return the LaTeX of a formula's tokens."""
    out, i = [], 0
    while i < len(tokens):
        token = tokens[i]
        if token.text in ("^", "_") and i + 1 < len(tokens):
            script, i = _argument(tokens, i + 1)
            out.append(f"{token.text}{{{script}}}")
        elif token.text == "sqrt" and i + 1 < len(tokens):
            start = i + 1 + (tokens[i + 1].kind == "space")
            script, i = _argument(tokens, start)
            out.append(f"\\sqrt{{{script}}}")
        elif token.kind == "word" and _at(tokens, i + 1) == "~":
            out.append(f"\\tilde {{{_word(token.text)}}}")
            i += 2
        elif token.text == "*" and token.glued and i and tokens[i - 1].kind == "word":
            out.append("^*")
            i += 1
        else:
            out.append(_one(tokens, i))
            i += 1
    return "".join(out)


def _argument(tokens, i):
    """Return what is raised, lowered or under a root, without its brackets, and where it ends."""
    if tokens[i].text in ("(", "{"):
        end = _partner(tokens, i, len(tokens))
        if end is not None:
            return _latex(tokens[i + 1 : end]), end + 1
    end = i + 1
    # An index such as D2 or 1t.
    while end < len(tokens) and tokens[end].glued and tokens[end].kind in ("number", "word"):
        if tokens[end].kind == tokens[end - 1].kind:
            break
        end += 1
    inner = "".join(_one(tokens, j) for j in range(i, end))
    if end - i == 2 and tokens[i].kind == "word":
        inner = f"{_word(tokens[i].text)}_{{{tokens[i + 1].text}}}"
    return inner.strip(), end


def _one(tokens, i):
    token = tokens[i]
    if token.kind == "word":
        between = {_at(tokens, i - 2).isdigit(), _at(tokens, i + 2)[:1].isdigit()}
        if token.text == "x" and between == {True} and not token.glued:
            return r"\times "
        return _word(token.text)
    if token.kind == "number":
        # "sigma 0.1" is no product.
        gap = r"\ " if i > 1 and not token.glued and tokens[i - 2].text in GREEK else ""
        return gap + token.text.replace(",", "{,}")
    if token.kind == "angle":
        left, right = (_latex(_tokens(side)) for side in token.text[1:-1].split(", "))
        return rf"\langle {left}, {right}\rangle "
    if token.text == "*":
        return r"\cdot " if not token.glued else "^*"
    if token.text == "(" and not token.glued and _at(tokens, i + 1) == "+-":
        return r"\ ("
    return "" if token.kind == "space" else SIGNS.get(token.text, token.text)


def _word(text):
    known = GREEK.get(text) or FUNCTIONS.get(text) or WORDS.get(text)
    if known:
        return f"{known} " if known[0] == "\\" else known
    return text if len(text) == 1 else rf"\mathrm{{{text}}}"

"""The part of a Python text that is executed, as its syntax tree is written.

Comments, white space, formatting and docstrings are left out. So are positions in the text and fields that
are empty: every version of Python that parses the text the same way writes the same. The traces of steps
leave out more (`paperlib._common.code_writer`): no step's value depends on annotations, on words of errors
or on texts between statements, while a whole notebook may show each of these.
"""

import ast
import hashlib
import warnings
from functools import lru_cache

from reproduce.library import is_text, uncollected, without_annotation

# Whether a name is read or written shows in its place; `u"x"` is "x".
FIELDS = {
    kind: tuple(field for field in kind._fields if field not in ("ctx", "kind", "type_comment"))
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
# The last two are for a text that is nested too deeply.
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


@lru_cache(1024)  # rows are many that the same few texts decide
def digest(raw):
    """Return the sha256 of what is executed of the bytes of a module; of all of it, where it is no Python."""
    tree = written(raw)
    return _sha256(raw if tree is None else _sha256(tree.encode()).encode())  # twice: committed keys are so


def _sha256(raw):
    return hashlib.sha256(raw).hexdigest()


def written(source, annotated=True):
    """Return the syntax tree of a text as text, or None where it has none, or one that is too deep.

    Without its annotations, `x: int = 1` at the top level is written as `x = 1`.
    """
    parts = []
    try:
        with uncollected(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the run itself gives them
            tree = ast.parse(source)
            if not annotated:
                tree.body = [without_annotation(each) for each in tree.body]
            _write(tree, parts)
    except UNREADABLE:
        return None
    return "".join(parts)


def _write(node, parts):
    """Write a node without ambiguity: strings are quoted and in ASCII, all else are names."""
    kind = node.__class__
    parts.append(f"{kind.__name__}(")
    for field in FIELDS[kind]:
        value = getattr(node, field, None)
        if value.__class__ is list:
            if field == "body" and kind in DOCUMENTED and value and is_text(value[0]):
                value = value[1:]
            if value:
                parts.append(f"{field}[")
                for each in value:
                    if isinstance(each, ast.AST):
                        _write(each, parts)
                    else:
                        parts.append(ascii(each))
                    parts.append(",")
                parts.append("]")
        elif isinstance(value, ast.AST):
            parts.append(f"{field}=")
            _write(value, parts)
        # None is a constant's value, too; of any other node it is an empty field.
        elif value is not None or kind is ast.Constant:
            # In hexadecimal, as Python writes no integer of more than 4300 digits in decimals.
            parts.append(f"{field}={hex(value) if value.__class__ is int else ascii(value)}")
    parts.append(")")

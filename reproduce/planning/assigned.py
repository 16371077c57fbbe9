"""Names that a notebook's cells assign, in whatever way: a parameter must not be among them."""

import ast
import re
import symtable
import warnings
from functools import cache

from reproduce.planning.syntax import UNREADABLE

# What IPython understands beside Python: a line of its own, or behind the sign of an assignment.
MAGIC_LINE = re.compile(r"^([ \t]*)(?:[%!?].*|[^#\n]*\?[ \t]*)$", re.MULTILINE)
MAGIC_VALUE = re.compile(r"(?<==)[ \t]*[%!].*$", re.MULTILINE)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


@cache  # a command may read a notebook several times
def names(source):
    """Return the names that a cell gives another meaning, or takes away, where all cells see it.

    Those are the targets of assignments, loops, `with`, `except`, `import`, `del` and `:=`, functions and
    classes; what a function declares `global`; and whose elements or attributes are assigned. A cell in
    another language assigns nothing. What `import *` brings, its text does not say.

    >>> sorted(names("%matplotlib inline\\nfor n in range(3):\\n    (a, *b), c.d = f(e := n)"))
    ['a', 'b', 'c', 'e', 'n']
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the run itself gives them
        for text in (source, MAGIC_VALUE.sub(" None", MAGIC_LINE.sub(r"\1pass", source))):
            try:
                table, tree = symtable.symtable(text, "cell", "exec"), ast.parse(text)
                return frozenset([*_whole(table), *_parts(tree)])
            except UNREADABLE:
                continue
    return frozenset()


def _whole(table):
    """Yield the global names that a scope assigns, and the scopes in it."""
    outermost = table.get_type() == "module"
    for symbol in table.get_symbols():
        if (symbol.is_assigned() or symbol.is_imported()) and (outermost or symbol.is_declared_global()):
            yield symbol.get_name()
    for inner in table.get_children():
        yield from _whole(inner)


def _parts(node):
    """Yield the names outside of functions and classes of which an element or attribute is assigned."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Subscript | ast.Attribute) and not isinstance(child.ctx, ast.Load):
            while isinstance(child, ast.Subscript | ast.Attribute):
                child = child.value
            if isinstance(child, ast.Name):
                yield child.id
        if not isinstance(child, SCOPES):
            yield from _parts(child)

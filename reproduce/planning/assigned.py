"""Names that a notebook's cells assign, in whatever way: a parameter must not be among them."""

import ast
import contextlib
import symtable
import warnings
from functools import cache
from itertools import pairwise

from reproduce.planning.syntax import UNREADABLE

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
DICTIONARIES = {"globals", "locals", "vars"}  # of the names that all cells see, where a cell calls them
RUN = {"time", "prun", "capture"}  # magics that run their text, or their cell, as if it stood there
OUTPUT = {"--out", "--err", "--proc"}  # of a cell in another language: options that name a variable
HIDE = {"run", "rerun", "store", "reset", "reset_selective", "pylab"}  # that assign what stands elsewhere


@cache  # a command may read a notebook several times
def names(source):
    """Return the names that a cell gives another meaning, or takes away, where all cells see it.

    Those are the targets of assignments, loops, `with`, `except`, `import`, `del` and `:=`, functions and
    classes; what a function declares `global`; whose elements or attributes are assigned; and what IPython's
    magics assign. A cell in another language assigns nothing else.

    >>> sorted(names("%matplotlib inline\\nfor n in range(3):\\n    (a, *b), c.d = f(e := n)"))
    ['a', 'b', 'c', 'e', 'n']
    >>> sorted(names("%%capture a\\n%time b = 7\\nglobals()['c'] = !ls"))
    ['a', 'b', 'c']
    """
    table, tree = _parsed(source)
    found = {*_whole(table), *_parts(tree)}
    for name, line, body in _magics(tree):
        words = line.split()
        found.update(*map(names, _run_by(name, line, body)))
        found.update(words if name in ("capture", "xdel") else ())
        found.update(after for option, after in pairwise(words) if option in OUTPUT)
    return frozenset(found)


@cache
def hidden(source):
    """Return the first part of a cell that may assign any name, and does not say which, or None.

    >>> hidden("from numpy import *"), hidden("%run other.py"), hidden("x = 7")
    ('from numpy import *', '%run other.py', None)
    """
    _, tree = _parsed(source)
    for node in ast.walk(tree):
        is_import = isinstance(node, ast.ImportFrom) and node.names[0].name == "*"
        if is_import or (isinstance(node, ast.Call) and _name(node.func) == "exec"):
            return ast.unparse(node)
    for name, line, body in _magics(tree):
        if name in HIDE:
            return f"%{name} {line}".strip()
        if found := next(filter(None, map(hidden, _run_by(name, line, body))), None):
            return found
    return None


def _parsed(source):
    """Return the symbols and the syntax tree of a cell, as Python; of no text where it is none."""
    for form in (lambda: source, lambda: _translated(source)):
        with contextlib.suppress(*UNREADABLE), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the run itself gives them
            text = form()
            return symtable.symtable(text, "cell", "exec"), ast.parse(text)
    return symtable.symtable("", "cell", "exec"), ast.parse("")


def _translated(source):
    """Return a cell as IPython has it run: magics are calls, and what is indented as a whole is not."""
    from IPython.core.inputtransformer2 import TransformerManager  # hardly any cell needs it

    return TransformerManager().transform_cell(source)


def _magics(tree):
    """Yield `(name, the line behind it, the cell below or None)` of the magics of a translated cell."""
    for node in ast.walk(tree):
        called = getattr(getattr(node, "func", None), "attr", "")
        if isinstance(node, ast.Call) and called in ("run_line_magic", "run_cell_magic"):
            given = [each.value for each in node.args if isinstance(each, ast.Constant)]
            if len(given) == len(node.args) >= 2 and all(isinstance(each, str) for each in given):
                yield (*given, None)[:3]


def _run_by(name, line, body):
    """Return the texts that a magic runs; of a line, what stands behind options of any number of words."""
    if name not in RUN or body is not None:
        return [body] if name in RUN else []
    words = line.split(" ")
    return [" ".join(words[start:]) for start in range(len(words))]


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
                child, key = child.value, getattr(child, "slice", None)
            if isinstance(child, ast.Name):
                yield child.id
            elif isinstance(child, ast.Call) and _name(child.func) in DICTIONARIES:
                yield getattr(key, "value", None)
        if not isinstance(child, SCOPES):
            yield from _parts(child)


def _name(node):
    return getattr(node, "id", None)

"""The part of a Python text that a run executes: its syntax tree, and what else of the project it names.

Comments, white space and formatting are not in the tree; docstrings are left out of it, and so is the number
of the release, for a new one does not make results old. So are positions in the text and fields that are
empty: the digest is the same for every version of Python that parses the text the same way.
"""

import ast
import functools
import hashlib
import warnings
from dataclasses import dataclass

from reproduce.library import uncollected

# How much of a text can change a result: a run that reads docstrings, or source, depends on these, too.
CODE, DOCSTRINGS, TEXT = range(3)
# Whether a name is read or written shows in its place; `u"x"` is "x".
FIELDS = {
    kind: tuple(field for field in kind._fields if field not in ("ctx", "kind", "type_comment"))
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
READ_DOCSTRINGS = {"__doc__", "co_consts", "doctest", "getdoc", "help", "pydoc"}
READ_TEXT = {
    "__cached__",
    "__code__",
    "__file__",
    "__version__",
    "co_firstlineno",
    "co_lines",
    "co_positions",
    "f_lineno",
    "findsource",
    "format_exc",
    "getcomments",
    "getframeinfo",
    "getsource",
    "getsourcefile",
    "getsourcelines",
    "linecache",
    "tb_lineno",
    "traceback",
}
IMPORTERS = {"import_module", "__import__"}
# With these a run can import what no text names.
IMPORT_ANYTHING = {
    "Popen",
    "SourceFileLoader",
    "exec_module",
    "load_module",
    "module_from_spec",
    "popen",
    "reload",
    "run_module",
    "run_path",
    "runpy",
    "spec_from_file_location",
    "subprocess",
}
EXECUTE = {"eval", "exec"}  # of Python itself; DataFrame.eval is another
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


@dataclass(frozen=True)
class Import:
    """One name of an import statement: `import module` or `from module import name`.

    Attributes
    ----------
    level : int
        Number of leading dots.
    name : str or None
        None for the module itself, "*" for all that it has.
    variable : str or None
        Name that the import binds; None where it binds none.
    """

    level: int
    module: str
    name: str | None = None
    variable: str | None = None


@dataclass(frozen=True)
class Named:
    """The names in one or several texts.

    Attributes
    ----------
    level : int
        The part of a source that can change a result: `CODE`, `DOCSTRINGS` or `TEXT`.
    names : frozenset of str
        Attributes and strings: each may name a module of a package that imports on demand.
    passed_on : frozenset of str
        Variables that are used in another way than `variable.attribute`.
    imports_anything : bool
        A module is imported whose name is computed.
    on_demand : frozenset of str
        Packages of which `__getattr__(name)` imports the module `name`; `{__name__}` is the module itself.
    """

    imports: tuple = ()
    level: int = CODE
    names: frozenset = frozenset()
    passed_on: frozenset = frozenset()
    imports_anything: bool = False
    on_demand: frozenset = frozenset()


def digest(raw, level=CODE):
    """Return the sha256 of what can change a result in the bytes of a module.

    Parameters
    ----------
    level : int
        `CODE`; `DOCSTRINGS` where a run reads these, too; `TEXT` for all of it.
    """
    written, _ = _read(raw)
    return _sha256(raw if level == TEXT or written is None else written[level])


def named(raw):
    """Return what the bytes of a module name."""
    return _read(raw)[1]


@functools.cache
def _read(raw):
    finder = Finder()
    written = write(raw, finder)
    return written and [_sha256(text).encode() for text in written], finder.found()


def _sha256(raw):
    return hashlib.sha256(raw).hexdigest()


def write(source, finder):
    """Return the syntax tree of a text as bytes, without and with docstrings.

    Returns
    -------
    (bytes, bytes), or None where the text has no tree, or one that is too deep
    """
    parts, docstrings = [], []
    try:
        with uncollected(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the run itself gives them
            tree = ast.parse(source)
            tree.body = [node for node in tree.body if not _is_release(node)]
            _write(tree, parts, docstrings, finder.looking_at(tree))
    except UNREADABLE:
        finder.found_no_tree()
        return None
    code = "".join(parts).encode()
    return code, code + "".join(docstrings).encode()


def _write(node, parts, docstrings, look):
    """Write a node without ambiguity: strings are quoted and in ASCII, all else are names."""
    kind = node.__class__
    if kind in look:
        look[kind](node)
    parts.append(f"{kind.__name__}(")
    for field in FIELDS[kind]:
        value = getattr(node, field, None)
        if value.__class__ is list:
            if field == "body" and kind in DOCUMENTED and _is_docstring(value[:1]):
                docstrings.append(f"{len(parts)}{value[0].value.value!a}")
                value = value[1:]
            if value:
                parts.append(f"{field}[")
                for each in value:
                    if isinstance(each, ast.AST):
                        _write(each, parts, docstrings, look)
                    else:
                        parts.append(ascii(each))
                    parts.append(",")
                parts.append("]")
        elif isinstance(value, ast.AST):
            parts.append(f"{field}=")
            _write(value, parts, docstrings, look)
        elif value is not None or kind is ast.Constant:
            parts.append(f"{field}={hex(value) if value.__class__ is int else ascii(value)}")
    parts.append(")")


def _is_release(statement):
    """Return whether a statement says which release this is: `__version__ = "1.0.0"`."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Constant):
        return False
    return [getattr(target, "id", None) for target in statement.targets] == ["__version__"]


def _is_docstring(statements):
    return any(
        isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant) and isinstance(s.value.value, str)
        for s in statements
    )


class Finder:
    """Collects what syntax trees name; each node is looked at after the one above it."""

    def __init__(self):
        self.imports, self.seen, self.variables = [], set(), set()
        self.on_demand = set()
        self.imports_anything = False
        self.called, self.based = set(), set()  # ids of nodes that the one above them accounts for

    def looking_at(self, tree):
        """Begin with a tree, and return `{class of node: what to call with it}`."""
        self.called, self.based = set(), set()
        self._ask_for_modules(tree)
        return {
            ast.Import: self._import,
            ast.ImportFrom: self._import_from,
            ast.Call: self._call,
            ast.Constant: self._constant,
            ast.Attribute: self._attribute,
            ast.Name: self._variable,
        }

    def found_no_tree(self):
        """Note a text that nobody can tell anything about."""
        self.imports_anything = True
        self.seen.update(READ_TEXT)

    def found(self):
        """Return it all."""
        level = TEXT if self.seen & READ_TEXT else DOCSTRINGS if self.seen & READ_DOCSTRINGS else CODE
        anything = self.imports_anything or self.seen & IMPORT_ANYTHING or self.variables & EXECUTE
        return Named(
            tuple(dict.fromkeys(self.imports)),
            level,
            frozenset(self.seen),
            frozenset(self.variables),
            bool(anything),
            frozenset(self.on_demand),
        )

    def _import(self, node):
        for alias in node.names:
            top = alias.name.partition(".")[0]
            self.imports.append(Import(0, alias.name, None, alias.asname))
            if alias.asname is None:
                self.imports.append(Import(0, top, None, top))
            self.seen.update(alias.name.split("."))

    def _import_from(self, node):
        for alias in node.names:
            variable = alias.asname or alias.name
            self.imports.append(Import(node.level, node.module or "", alias.name, variable))
            self.seen.add(alias.name)
            if alias.name in IMPORTERS and alias.asname:
                self.imports_anything = True

    def _call(self, node):
        """Note `import_module("a.b")`."""
        name = _called(node)
        if name not in IMPORTERS or len(node.args) != 1 or node.keywords:
            return
        if isinstance(node.args[0], ast.Call) and _called(node.args[0]) == "insert_const_string":
            self.called.add(id(node.func))  # numba's, of a name in compiled code: the module's own
            return
        module = node.args[0].value if isinstance(node.args[0], ast.Constant) else None
        if isinstance(module, str) and module[:1] != ".":
            self.called.add(id(node.func))
            for given in (module, module.partition(".")[0]):  # `__import__` returns the latter
                self.imports.append(Import(0, given, None, name))
            self.variables.add(name)  # who has it from here, nobody knows

    def _constant(self, node):
        if node.value.__class__ is str and node.value.isidentifier():
            self.seen.add(node.value)

    def _attribute(self, node):
        if node.value.__class__ is ast.Name:
            self.based.add(id(node.value))
        self._name(node, node.attr)

    def _variable(self, node):
        if id(node) not in self.based and id(node) not in self.called:
            self.variables.add(node.id)
        self._name(node, node.id)

    def _name(self, node, name):
        if node.ctx.__class__ is ast.Load:
            self.seen.add(name)
        if name in IMPORTERS and id(node) not in self.called:
            self.imports_anything = True

    def _ask_for_modules(self, tree):
        """Note `import_module(f"package.{name}")` in `__getattr__(name)`."""
        for top in tree.body:
            if not isinstance(top, ast.FunctionDef) or top.name != "__getattr__" or not top.args.args:
                continue
            asked, nodes = top.args.args[0].arg, list(ast.walk(top))
            if any(isinstance(n, ast.Name) and n.id == asked and n.ctx.__class__ is ast.Store for n in nodes):
                continue
            for node in nodes:
                if isinstance(node, ast.Call) and (package := _package_asked(node, asked)):
                    self.on_demand.add(package)
                    self.called.add(id(node.func))


def _called(node):
    return getattr(node.func, "attr", getattr(node.func, "id", None))


def _package_asked(call, asked):
    """Return the package of a call `import_module(f"package.{asked}")`; None for anything else."""
    if _called(call) != "import_module" or call.keywords:
        return None
    if len(call.args) != 1 or not isinstance(call.args[0], ast.JoinedStr):
        return None
    pieces = [_piece(value) for value in call.args[0].values]
    if None in pieces or pieces[-1] != f"{{{asked}}}":
        return None
    package = "".join(pieces[:-1])
    return package[:-1] if package.endswith(".") else None


def _piece(value):
    """Return a piece of an f-string as it is written; None for what is more than text or a name."""
    if isinstance(value, ast.Constant):
        return value.value
    plain = value.conversion == -1 and not value.format_spec and isinstance(value.value, ast.Name)
    return f"{{{value.value.id}}}" if plain else None

"""Digests of the code in a Python text, definition by definition, and what each definition mentions.

What is executed counts. Comments, formatting, docstrings, annotations of functions and variables, and the
words of the errors that are raised do not. A definition is a function of a module or a method of a class,
with all that is nested in it; its name is qualified as in ``__qualname__``. The empty name stands for the top
level: the statements outside of all functions, which an import executes. Imports are not among these. What an
imported name stands for counts where the name is mentioned, so an import that is added for a new function
makes no other function another one.

Needs the standard library only: the driver of a checkout loads this file by its path.
"""

import ast
import builtins
import gc
import hashlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .code_writer import Imported, Writer, is_text, without_annotation

TOP = ""  # the name of the top level
# Decorators that keep nothing of what they are given: a function that is added under one changes no other.
HARMLESS = {
    "functools": {"cache", "cached_property", "lru_cache", "partial", "total_ordering", "wraps"},
    "contextlib": {"contextmanager"},
    "dataclasses": {"dataclass"},
    "typing": {"overload", "override"},
    "numba.extending": {"overload"},
    "paperlib._common.intrinsics": {"intrinsic"},
    "paperlib._common.jit": {"jit"},
    "paperlib.experiments.steps": {"step"},
}
# What these make of a function can run without an entry that a tracer would see: machine code, or a value
# that was kept from an earlier call.
UNTRACED = {
    "functools": {"cache", "lru_cache"},
    "numba": {"jit", "njit", "vectorize", "guvectorize", "cfunc"},
    "numba.extending": {"intrinsic", "register_jitable"},
    "paperlib._common.intrinsics": {"intrinsic"},
    "paperlib._common.jit": {"jit"},
    "paperlib.max_loss._tree.sumtree": {"counted", "uncounted"},  # `jit` with options, under other names
}
# What these are given is compiled into whatever kernel asks for something else by name.
REGISTERED = {"numba.extending": {"overload", "overload_method", "overload_attribute"}}
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
BLOCKS = (ast.If, ast.Try, ast.With, ast.For, ast.While)  # at the top level, their functions are the module's
BUILTINS = frozenset(dir(builtins))


@dataclass(frozen=True)
class Definition:
    """The code of one function, one method, or the top level.

    Attributes
    ----------
    digest : str
    names : frozenset of str
        Variables and attributes that it mentions.
    executed : frozenset of str
        Of the top level: those that an import may call, as they stand in a call, a decorator or a base class.
    imports : dict
        Variable -> ``(module, name)`` of the import statements inside; name is None for the module itself.
    untraced : bool
        Whether it can run without being entered as a Python function.
    wrapped : bool
        Whether a decorator may have put another function in its place.
    """

    digest: str
    names: frozenset[str]
    executed: frozenset[str]
    imports: dict[str, Imported]
    untraced: bool = False
    wrapped: bool = False


@dataclass(frozen=True)
class Text:
    """What `read` finds in a module.

    Attributes
    ----------
    definitions : dict
        Qualified name -> Definition; the top level is among them.
    imports : dict
        Variable -> ``(module, name)`` of the top level.
    stars : tuple of str
        Modules of which all names are imported.
    literals : tuple of (str, str)
        Variables that the top level gives a plain value, and the text of that.
    registered : tuple of str
        Functions that stand for another one in compiled code.
    """

    definitions: dict[str, Definition]
    imports: dict[str, Imported]
    stars: tuple[str, ...] = ()
    literals: tuple[tuple[str, str], ...] = ()
    registered: tuple[str, ...] = ()

    def methods(self, name: str) -> list[str]:
        """Return the qualified names of all methods of a class."""
        return self._methods.get(name, [])

    @cached_property
    def _methods(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for each in self.definitions:
            parts = each.split(".")
            for end in range(1, len(parts)):
                found.setdefault(".".join(parts[:end]), []).append(each)
        return found


def read(source: str | bytes, module: str, is_package: bool = False) -> Text:
    """Read the text of a module.

    Parameters
    ----------
    source : str or bytes
    module : str
        Its full name, to which relative imports are resolved.
    is_package : bool, default=False

    Raises
    ------
    SyntaxError
        If the text is no Python.

    Examples
    --------
    >>> text = read("import math\\n\\ndef area(r):\\n    return math.pi * r**2\\n", "round")
    >>> sorted(text.definitions), sorted(text.definitions["area"].names)
    (['', 'area'], ['math', 'pi', 'r'])
    >>> other = read("import math\\n\\ndef area(r):  # of a disc\\n    return math.pi * r**2\\n", "round")
    >>> other.definitions["area"].digest == text.definitions["area"].digest
    True
    """
    with uncollected():
        return _Reader(module, is_package).read(ast.parse(source))


class _Reader:
    def __init__(self, module: str, is_package: bool) -> None:
        self.module = module
        self.package = module if is_package else module.rpartition(".")[0]
        self.imports: dict[str, Imported] = {}
        self.stars: list[str] = []
        self.top: list[ast.stmt] = []  # without imports, and with functions emptied of their bodies
        self.functions: list[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]] = []
        self.bound: Counter[str] = Counter()

    def read(self, tree: ast.Module) -> Text:
        for statement in tree.body:
            self._statement(statement)
        found: dict[str, Definition] = {}
        for name, function in self.functions:
            wrapped = any(not self._is_one_of(each, HARMLESS) for each in function.decorator_list)
            # A name that is bound again may stand for something else.
            wrapped = wrapped or self.bound[name] > 1
            definition = self._definition([function], self._untraced(function), wrapped)
            if name in found:  # a function of two branches, or with a setter: all of them count
                definition = self._joined(found[name], definition)
            found[name] = definition
        registered = [
            name
            for name, function in self.functions
            if any(self._is_one_of(each, REGISTERED) for each in function.decorator_list)
        ]
        return Text(
            {TOP: self._top_level(), **found},
            self.imports,
            tuple(self.stars),
            tuple(self._literals()),
            tuple(registered),
        )

    def _statement(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            imported = self._resolved(statement, self.stars)
            self.imports |= imported
            self.bound.update(imported.keys())
            return
        if isinstance(statement, FUNCTION):
            self.functions.append((statement.name, statement))
            self.bound[statement.name] += 1
        elif isinstance(statement, ast.ClassDef):
            self._methods(statement, statement.name)
            self.bound[statement.name] += 1
        elif _is_for_programs(statement):
            return
        elif isinstance(statement, BLOCKS):
            for block in _blocks(statement):
                for each in block:
                    self._statement(each)
            self.top.append(_condition(statement))
            return
        self.top.append(statement)
        if not isinstance(statement, (*FUNCTION, ast.ClassDef)):
            stored = (n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and _is_stored(n))
            self.bound.update(set(stored))

    def _methods(self, owner: ast.ClassDef, name: str) -> None:
        for each in owner.body:
            if isinstance(each, FUNCTION):
                self.functions.append((f"{name}.{each.name}", each))
            elif isinstance(each, ast.ClassDef):
                self._methods(each, f"{name}.{each.name}")

    def _resolved(
        self, statement: ast.Import | ast.ImportFrom, stars: list[str] | None = None
    ) -> dict[str, Imported]:
        """Return what an import's variables stand for; modules of which all is imported go to `stars`."""
        if isinstance(statement, ast.Import):
            whole = [
                alias.name if alias.asname else alias.name.partition(".")[0] for alias in statement.names
            ]
            return {alias.asname or name: (name, None) for alias, name in zip(statement.names, whole)}
        base = statement.module or ""
        if statement.level:
            parts = self.package.split(".")
            above = ".".join(parts[: len(parts) - statement.level + 1])
            base = f"{above}.{base}" if base else above
        if stars is not None and any(alias.name == "*" for alias in statement.names):
            stars.append(base)
        return {a.asname or a.name: (base, a.name) for a in statement.names if a.name != "*"}

    def _untraced(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        return any(self._is_one_of(each, UNTRACED) for each in function.decorator_list)

    def _is_one_of(self, decorator: ast.expr, known: dict[str, set[str]]) -> bool:
        """Return whether a decorator, or the function that makes it, is a known one of another module."""
        if isinstance(decorator, ast.Call):
            decorator = decorator.func
        if isinstance(decorator, ast.Name):
            module, name = self.imports.get(decorator.id, (self.module, decorator.id))
            plain = decorator.id in ("property", "staticmethod", "classmethod") and known is HARMLESS
            return name in known.get(module, ()) or (plain and not self.bound[decorator.id])
        if isinstance(decorator, ast.Attribute) and isinstance(decorator.value, ast.Name):
            module, name = self.imports.get(decorator.value.id, ("", None))
            whole = f"{module}.{name}" if name else module
            is_setter = decorator.attr in ("setter", "getter", "deleter") and known is HARMLESS
            return decorator.attr in known.get(whole, ()) or is_setter
        return False

    def _definition(self, nodes: list, untraced: bool = False, wrapped: bool = False) -> Definition:
        writer = Writer(self._resolved)
        for node in nodes:
            writer.write(node)
        names = frozenset(writer.names)
        meant = sorted((v, *map(str, self.imports[v])) for v in names & self.imports.keys())
        return Definition(
            _digest("".join(writer.parts) + repr(meant)),
            names,
            frozenset(writer.executed),
            writer.imports,
            untraced,
            wrapped,
        )

    def _joined(self, first: Definition, second: Definition) -> Definition:
        return Definition(
            _digest(first.digest + second.digest),
            first.names | second.names,
            frozenset(),
            first.imports | second.imports,
            first.untraced or second.untraced,
            True,
        )

    def _top_level(self) -> Definition:
        """Return the definition of what an import executes.

        Of a function it is the decorators, as far as they could keep it somewhere; and its name where that
        could stand for something else: in a class, of what is bound twice, of a builtin, or `__getattr__`.
        """
        nodes = [each for statement in self.top for each in self._executed(statement, False)]
        # An import that no code here mentions is there for others: it stands for what they get.
        found = self._definition(nodes)
        used = found.names.union(*(self._names(function) for _, function in self.functions))
        others = sorted((v, *map(str, self.imports[v])) for v in self.imports.keys() - used)
        return Definition(
            _digest(found.digest + repr(others) + repr(self.stars)),
            found.names,
            found.executed,
            found.imports,
        )

    def _names(self, node: ast.AST) -> set[str]:
        return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}

    def _executed(self, statement: ast.stmt, in_class: bool) -> Iterator[ast.AST]:
        if isinstance(statement, FUNCTION):
            name, own = statement.name, statement.decorator_list
            kept = [each for each in own if not self._is_one_of(each, HARMLESS)]
            made = [each for each in _defaults(statement) if _has_a_call(each)]
            if in_class or kept or made or self.bound[name] > 1 or name in BUILTINS or name.startswith("__"):
                yield ast.Constant(f"def {name}")
            yield from (_called(each) for each in kept + made)
        elif isinstance(statement, ast.ClassDef):
            yield ast.Constant(f"class {statement.name}")
            kept = [each for each in statement.decorator_list if not self._is_one_of(each, HARMLESS)]
            yield from statement.bases + statement.decorator_list
            yield from (_called(each) for each in [*kept, *(each.value for each in statement.keywords)])
            for each in statement.body:
                # The fields of a dataclass or a named tuple are annotations.
                yield from [each] if isinstance(each, ast.AnnAssign) else self._executed(each, True)
            yield ast.Constant("end of class")
        elif not _is_release(statement):
            yield without_annotation(statement)

    def _literals(self) -> Iterator[tuple[str, str]]:
        for statement in self.top:
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                target = statement.targets[0]
                if (
                    isinstance(target, ast.Name)
                    and self.bound[target.id] == 1
                    and _is_literal(statement.value)
                ):
                    yield target.id, ast.unparse(statement.value)


def _called(node: ast.expr) -> ast.AST:
    """Return a node under a call, as what stands there is executed."""
    return ast.Call(func=node, args=[], keywords=[])


def _defaults(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.expr]:
    return [*function.args.defaults, *(each for each in function.args.kw_defaults if each)]


def _has_a_call(node: ast.expr) -> bool:
    return any(isinstance(each, ast.Call) for each in ast.walk(node))


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    for field in ("body", "orelse", "finalbody"):
        yield getattr(statement, field, [])
    for handler in getattr(statement, "handlers", ()):
        yield handler.body


def _condition(statement: ast.stmt) -> ast.stmt:
    """Return a block's own line: what it asks or opens; the statements in it stand beside it."""
    kept: dict[str, Any] = {name: getattr(statement, name, None) for name in statement._fields}
    kept |= {name: [] for name in ("body", "orelse", "finalbody") if name in kept}
    if handlers := kept.get("handlers"):
        kept["handlers"] = [ast.ExceptHandler(type=each.type, name=each.name, body=[]) for each in handlers]
    return type(statement)(**kept)


def _is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _is_literal(node: ast.expr) -> bool:
    if not isinstance(node, ast.Constant | ast.Tuple | ast.UnaryOp):
        return False  # a list or a dict may change while a program runs
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True


def _is_for_programs(statement: ast.stmt) -> bool:
    """Return whether a statement is ``if __name__ == "__main__":``, which no import executes."""
    test = statement.test if isinstance(statement, ast.If) else None
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


def _is_release(statement: ast.stmt) -> bool:
    """Return whether a statement says which release this is: a new one does not make results old."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Constant):
        return is_text(statement)
    return [getattr(target, "id", None) for target in statement.targets] == ["__version__"]


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


@contextmanager
def uncollected() -> Iterator[None]:
    """Build a tree without looking for garbage in it, which takes longer than building it."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()

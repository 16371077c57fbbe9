"""Syntax trees written as text, without what changes no value: the text's own form, and words.

Fields that are empty are left out, so that every version of Python writes the same. Needs the standard
library only.
"""

import ast
from collections.abc import Callable

Imported = tuple[str, str | None]  # a module, and a name of it; None for the module itself
# Whether a name is read or written shows in its place; `u"x"` is "x".
LEFT_OUT = ("ctx", "kind", "type_comment", "type_params")
FIELDS = {
    kind: tuple(field for field in kind._fields if field not in LEFT_OUT)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}


class Writer:
    """Write nodes without ambiguity, and collect what they mention.

    Parameters
    ----------
    resolve : callable
        What the variables of an import statement stand for: ``{variable: (module, name or None)}``.

    Attributes
    ----------
    parts : list of str
        What was written.
    names, executed : set of str
        Variables and attributes; those that stand in a call.
    imports : dict
        Of the import statements that were met.
    """

    def __init__(self, resolve: Callable[[ast.Import | ast.ImportFrom], dict[str, Imported]]) -> None:
        self.resolve = resolve
        self.parts: list[str] = []
        self.names: set[str] = set()
        self.executed: set[str] = set()
        self.imports: dict[str, Imported] = {}

    def write(self, node: ast.AST, is_raised: bool = False, is_called: bool = False) -> None:
        """Write a node.

        Parameters
        ----------
        is_raised : bool
            Whether it is part of an error that is raised; its words are left out then.
        is_called : bool
            Whether it stands in a call, so that what it mentions may run.
        """
        kind = node.__class__
        if kind is ast.Import or kind is ast.ImportFrom:
            self.imports |= self.resolve(node)  # type: ignore[arg-type]
        elif kind is ast.Name or kind is ast.Attribute:
            name = node.id if kind is ast.Name else node.attr  # type: ignore[attr-defined]
            self.names.add(name)
            if is_called:
                self.executed.add(name)
        is_raised, is_called = is_raised or kind is ast.Raise, is_called or kind is ast.Call
        self.parts.append(f"{kind.__name__}(")
        for field in FIELDS[kind]:
            value = getattr(node, field, None)
            if (field == "annotation" and kind is ast.arg) or field == "returns":
                continue
            if value.__class__ is list:
                self._write_list(field, value, is_raised, is_called)
            elif isinstance(value, ast.AST):
                self.parts.append(f"{field}=")
                self.write(without_annotation(value), is_raised, is_called)
            elif is_raised and kind is ast.Constant and isinstance(value, str):
                continue
            elif value is not None or kind is ast.Constant:
                self.parts.append(f"{field}={hex(value) if value.__class__ is int else ascii(value)}")
        self.parts.append(")")

    def _write_list(self, field: str, values: list, is_raised: bool, is_called: bool) -> None:
        if is_raised and field == "values":  # of an f-string: what it shows, without the words between
            values = [each for each in values if not isinstance(each, ast.Constant)]
        values = [each for each in values if not is_text(each)]
        if values:
            self.parts.append(f"{field}[")
            for each in values:
                if isinstance(each, ast.AST):
                    self.write(without_annotation(each), is_raised, is_called)
                else:
                    self.parts.append(ascii(each))
                self.parts.append(",")
            self.parts.append("]")


def without_annotation(node: ast.AST) -> ast.AST:
    """Return `x = 1` for `x: int = 1`; a bare `x: int` does nothing, but makes x local."""
    if isinstance(node, ast.AnnAssign):
        return ast.Assign(targets=[node.target], value=node.value or ast.Constant(...))
    return node


def is_text(node: object) -> bool:
    """Return whether a statement is only a text, such as a docstring."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )

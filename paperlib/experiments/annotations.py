"""The annotation of a notebook's parameter: ``n: int | None = None`` takes whole numbers and None.

It is made of ``bool``, ``int``, ``float``, ``str``, ``None``, ``list``, ``list[...]`` of such, ``Any``,
``|``, ``Optional`` and ``Union``. A whole number is a ``float``, too, and True is no number.

Only the standard library may be imported here: the driver loads this file, too.
"""

import ast
from dataclasses import dataclass
from typing import Any

_KINDS = {"bool": bool, "int": int, "float": float, "str": str, "None": type(None)}
_ALL = frozenset(_KINDS.values())


@dataclass(frozen=True)
class Annotation:
    """What an annotation allows; `elements` are the kinds of a list's, None where it allows no list.

    >>> n = Annotation.parse(ast.parse("int | None", mode="eval").body)
    >>> n.accepts(3), n.accepts(None), n.accepts(True), n.accepts([3]), n.text
    (True, True, False, False, 'int | None')
    """

    text: str
    kinds: frozenset[type]
    elements: frozenset[type] | None

    @classmethod
    def of(cls, statement: ast.stmt, default: Any) -> "Annotation | None":
        """Return an assignment's annotation, or None; raise ``ValueError`` where `default` is not of it."""
        found = cls.parse(statement.annotation) if isinstance(statement, ast.AnnAssign) else None
        if found is not None and not found.accepts(default):
            raise ValueError(f"its default {default!r} is no {found.text}")
        return found

    @classmethod
    def parse(cls, node: ast.expr) -> "Annotation":
        """Read an annotation; raise ``ValueError`` where it is made of anything else."""
        text = ast.unparse(node)
        kinds, lists = set[type](), list[frozenset[type]]()
        for part in _alternatives(node):
            name = _name(part)
            if name == "Any":
                kinds, lists = kinds | _ALL, [*lists, _ALL]
            elif name in _KINDS and not isinstance(part, ast.Subscript):
                kinds.add(_KINDS[name])
            elif name in ("list", "List"):
                inside = [part.slice] if isinstance(part, ast.Subscript) else []
                lists.append(frozenset().union(*map(_scalars, inside)) if inside else _ALL)
            else:
                raise ValueError(
                    f"the annotation {text} must be made of bool, int, float, str, None, list[...] and |"
                )
        return cls(text, frozenset(kinds), frozenset().union(*lists) if lists else None)

    def accepts(self, value: Any) -> bool:
        """Return whether `value` is of a kind that is allowed."""
        if isinstance(value, list):
            return self.elements is not None and all(_is_one_of(each, self.elements) for each in value)
        return _is_one_of(value, self.kinds)

    def converted(self, value: Any) -> Any:
        """Return a value that is accepted, its whole numbers as floats where only these are allowed."""
        if isinstance(value, list):
            return [_as_one_of(each, self.elements or _ALL) for each in value]
        return _as_one_of(value, self.kinds)


def _is_one_of(value, kinds):
    return type(value) in kinds or (type(value) is int and float in kinds)


def _as_one_of(value, kinds):
    return float(value) if type(value) is int and int not in kinds else value


def _scalars(node):
    found = Annotation.parse(node)
    if found.elements is not None and not found.kinds:
        raise ValueError(f"the annotation {found.text} must not be that of a list within a list")
    return found.kinds


def _alternatives(node):
    """Yield the parts of ``A | B``, ``Optional[A]``, ``Union[A, B]``, and of such in quotes."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            node = ast.parse(node.value.strip(), mode="eval").body
        except SyntaxError:
            pass  # which is then no part that is known
        else:
            yield from _alternatives(node)
            return
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        yield from _alternatives(node.left)
        yield from _alternatives(node.right)
    elif isinstance(node, ast.Subscript) and _name(node) in ("Optional", "Union"):
        for each in node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]:
            yield from _alternatives(each)
        if _name(node) == "Optional":
            yield ast.Constant(None)
    else:
        yield node


def _name(node):
    if isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Constant):
        return "None" if node.value is None else None
    return getattr(node, "id", getattr(node, "attr", None))

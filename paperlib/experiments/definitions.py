"""Definitions of a module by their qualified names, and edits that each change the text of one.

Only the standard library is needed: the driver loads this file by its path, before the library is imported.
"""

import ast
import difflib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Edit: TypeAlias = tuple[str, str, str]  # ("module:Qualified.name", old text, new text)


def definitions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, Definition]]:
    """Yield the functions, classes and methods of a module; what stands in a function belongs to that one.

    Parameters
    ----------
    tree : ast.Module or another node
    prefix : str
        Stands before each name.

    Yields
    ------
    (str, node)
        A name that is defined twice, as a property and its setter, comes twice.

    Examples
    --------
    >>> tree = ast.parse("class A:\\n    def f(self):\\n        def g(): pass")
    >>> [name for name, _ in definitions(tree)]
    ['A', 'A.f']
    """
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield prefix + node.name, node
            yield from definitions(node, f"{prefix}{node.name}.")
        elif not isinstance(node, ast.expr):  # within `if`, `try`, `with`, `for`
            yield from definitions(node, prefix)


@lru_cache(maxsize=64)
def spans(text: str) -> dict[str, list[tuple[int, int]]]:
    """Return from where to where the text of each definition goes, in whole lines, decorators included.

    Parameters
    ----------
    text : str
        A module's text.

    Returns
    -------
    dict
        Pairs of positions in `text`, by qualified name; by "" what lies outside of all functions and classes.

    Examples
    --------
    >>> spans("a = 1\\n@b\\ndef f(): pass\\n")
    {'f': [(6, 22)], '': [(0, 6), (22, 23)]}
    """
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    found: dict[str, list[tuple[int, int]]] = {}
    for name, node in definitions(ast.parse(text)):
        first = min(each.lineno for each in (node, *node.decorator_list))
        found.setdefault(name, []).append((starts[first - 1], starts[node.end_lineno or first] - 1))
    outside, end = [], 0
    for start, stop in sorted(span for each in found.values() for span in each):
        if end < start:
            outside.append((end, start))
        end = max(end, stop)
    return found | {"": [*outside, (end, len(text))]}


def modules(edits: Iterable[Edit]) -> list[str]:
    """Return the modules that some edits change.

    Examples
    --------
    >>> modules([("b:f", "1", "2"), ("a:A.g", "1", "2"), ("b:", "1", "2")])
    ['a', 'b']
    """
    return sorted({at.partition(":")[0] for at, _, _ in edits})


def edited(text: str, module: str, edits: Iterable[Edit]) -> str:
    """Return the text of a module with those edits made that are its own.

    Parameters
    ----------
    text : str
        The module's text.
    module : str
        Its name.
    edits : iterable of (at, old, new)
        `at` is "module:Qualified.name" of a function, class or method, and `old` stands exactly once in its
        text; or `at` is "module:", and `old` stands exactly once outside of all functions and classes.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        Where there is no such definition, where `old` stands in it never or twice, or where two edits change
        the same text.

    Examples
    --------
    >>> edited("def f(): return 1\\ndef g(): return 1", "m", [("m:g", "1", "2"), ("n:f", "1", "3")])
    'def f(): return 1\\ndef g(): return 2'
    """
    found = sorted(
        (place := _place(text, at, old), place + len(old), new)
        for at, old, new in edits
        if at.partition(":")[0] == module
    )
    for (_, end, _), (start, _, _) in pairwise(found):
        if start < end:
            raise ValueError(f"two edits change the same text of {module}: {text[start:end]!r}")
    # From the end, so that the places before stay where they are.
    for start, end, new in reversed(found):
        text = text[:start] + new + text[end:]
    return text


def _place(text: str, at: str, old: str) -> int:
    """Return where `old` begins, which stands once in the definition `at`."""
    module, _, name = at.partition(":")
    known = spans(text)
    if name not in known:
        raise ValueError(f"{module} has no definition {name!r}{_closest(name, set(known) - {''})}")
    times = sum(text.count(old, start, end) for start, end in known[name])
    if times != 1:
        where = at if name else f"{module} outside of all functions and classes"
        shown = repr(old) if len(old) <= 60 else f"{old[:56]!r}..."
        raise ValueError(f"`old` must stand in {where} exactly once, it stands there {times} times: {shown}")
    # -1 in those definitions of the name, as of a property and its setter, that do not hold it.
    return max(text.find(old, start, end) for start, end in known[name])


def _closest(name: str, known: set[str]) -> str:
    """Return the end of a message, with the definition of the same last name, or else the most alike."""
    last = name.rpartition(".")[2]
    same = sorted(each for each in known if each.rpartition(".")[2] == last)
    close = same or difflib.get_close_matches(name, sorted(known), n=1)
    return f": did you mean {close[0]}?" if close else ""

"""The cells of a notebook that a fault can reach; what the others measure stays as it is.

A cell is reached that mentions, directly or through the library, what the fault changes, or that reads what a
reached cell has written. The cells whose results those need are run too, and no others. What a cell mentions
and reads is seen in its text, what it writes was seen when the notebook was run without a fault.
"""

import ast
import builtins
from dataclasses import dataclass

from reproduce.power import kernels


@dataclass(frozen=True)
class Cell:
    """A code cell.

    Attributes
    ----------
    number : int
        Among all cells of the notebook, from zero.
    reads : set of (name, key or None)
        None stands for all keys.
    mentions : set of (module, name)
        Of the library.
    writes : set of (name, key or None)
        What it was seen to change, and what it gives a value to, be it the same as before.
    is_first : bool
        Whether it imports, or holds the parameters.
    """

    number: int
    reads: frozenset
    mentions: frozenset
    writes: frozenset
    is_first: bool


def of(notebook, ran):
    """Return the cells of a notebook (as JSON) in order.

    Parameters
    ----------
    ran : list of dict
        For each code cell that was run without a fault: `cell`, its number, and `written`.
    """
    code = {i: c for i, c in enumerate(notebook["cells"]) if c["cell_type"] == "code"}
    trees = {i: ast.parse("".join(cell["source"])) for i, cell in code.items()}
    imported = {}
    for tree in trees.values():
        imported |= kernels.imported_by(tree)
    functions = {
        node.name: _Names.of(node)
        for tree in trees.values()
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    written = {each["cell"]: frozenset(map(tuple, each["written"])) for each in ran}
    return [
        Cell(
            number,
            frozenset(_with_functions(_Names.of(tree), functions)),
            frozenset(kernels.mentioned(tree, "__main__", imported)),
            written.get(number, frozenset()) | _stored(tree),
            "parameters" in code[number]["metadata"].get("tags", [])
            or any(isinstance(node, ast.Import | ast.ImportFrom) for node in tree.body),
        )
        for number, tree in trees.items()
    ]


def needed(cells, changed):
    """Return the numbers of the cells to run where `changed` are the (module, name) of the library."""
    sources = [
        {j for j in range(k) if any(_meets(cell.reads, item) for item in cells[j].writes)}
        for k, cell in enumerate(cells)
    ]
    reached = set()
    for k, cell in enumerate(cells):
        if cell.mentions & changed or sources[k] & reached:
            reached.add(k)
    run = reached | {k for k, cell in enumerate(cells) if cell.is_first}
    for k in reversed(range(len(cells))):
        if k in run:
            run |= sources[k]
    return tuple(cells[k].number for k in sorted(run))


def _meets(reads, item):
    """Return whether an entry that was written is read, alone or with all of its dict."""
    name, key = item
    return (name, None) in reads or (name, key) in reads or (key is None and any(r[0] == name for r in reads))


def _with_functions(reads, functions):
    """Add what the notebook's own functions read when they are called."""
    found, waiting = set(reads), [name for name, _ in reads]
    while waiting:
        more = functions.get(waiting.pop(), frozenset())
        waiting += [name for name, _ in more - found]
        found |= more
    return found


def _stored(tree):
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
    return frozenset((node.id, None) for node in names if isinstance(node.ctx, ast.Store))


class _Names(ast.NodeVisitor):
    """Names that a text reads before it has given them a value itself, in the order of evaluation."""

    def __init__(self):
        self.found, self.scopes = set(), [set(dir(builtins))]

    @classmethod
    def of(cls, tree):
        names = cls()
        names.visit(tree)
        return frozenset(names.found)

    def _read(self, name, key=None):
        if not any(name in scope for scope in self.scopes):
            self.found.add((name, key))

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load):
            self._read(node.id)
        else:
            self.scopes[-1].add(node.id)

    def visit_Subscript(self, node):
        key = getattr(node.slice, "value", None)
        if isinstance(node.value, ast.Name) and isinstance(key, str):
            self._read(node.value.id, key)
        else:
            self.generic_visit(node)

    def visit_Assign(self, node):
        for part in (node.value, *node.targets):
            self.visit(part)

    def visit_AugAssign(self, node):
        if isinstance(node.target, ast.Name):
            self._read(node.target.id)
        self.visit(node.value)
        self.visit(node.target)

    def visit_For(self, node):
        for part in (node.iter, node.target, *node.body, *node.orelse):
            self.visit(part)

    def visit_If(self, node):
        self.visit(node.test)
        kept = set(self.scopes[-1])
        for part in (*node.body, *node.orelse):
            self.visit(part)
        self.scopes[-1] = kept  # a branch may not be taken, and then the name is what it was before

    def _comprehension(self, node, *parts):
        self.scopes.append(set())
        for each in node.generators:
            for part in (each.iter, each.target, *each.ifs):
                self.visit(part)
        for part in parts:
            self.visit(part)
        self.scopes.pop()

    def visit_ListComp(self, node):
        self._comprehension(node, node.elt)

    visit_SetComp = visit_GeneratorExp = visit_ListComp

    def visit_DictComp(self, node):
        self._comprehension(node, node.key, node.value)

    def visit_Lambda(self, node):
        self._function(node, [node.body])

    def visit_FunctionDef(self, node):
        for part in node.decorator_list:
            self.visit(part)
        self._function(node, node.body)
        self.scopes[-1].add(node.name)

    def _function(self, node, body):
        arguments = node.args
        for part in (*arguments.defaults, *(each for each in arguments.kw_defaults if each)):
            self.visit(part)
        named = (
            *arguments.posonlyargs,
            *arguments.args,
            *arguments.kwonlyargs,
            arguments.vararg,
            arguments.kwarg,
        )
        inner = [part for each in body for part in ast.walk(each)]
        stored = {part.id for part in inner if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
        self.scopes.append({each.arg for each in named if each} | stored)
        for part in body:
            self.visit(part)
        self.scopes.pop()

"""What of the library behaves otherwise with a fault, by what its texts mention.

For papers whose notebooks call no steps; the others are told by traces.
"""

import ast
from functools import cache

from reproduce.execution.warm import OWN
from reproduce.library import definitions
from reproduce.power.faults import source


def changed(project, fault):
    """Return (module, name) of all that behaves or may behave otherwise, functions, classes and constants."""
    found = set()
    for module in definitions.modules(fault.edits):
        text = source(project, module).read_text()
        changed = _changed(ast.parse(text), ast.parse(definitions.edited(text, module, fault.edits)))
        found |= {(module, name) for name in changed}
    users = _users(project.root)
    waiting = list(found)
    while waiting:
        for user in users.get(waiting.pop(), set()) - found:
            found.add(user)
            waiting.append(user)
    return frozenset(found)


def _changed(before, after):
    """Return the names that two versions of a module define differently, with all inside of them."""
    old, new = _definitions(before), _definitions(after)
    outer = {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}
    inner = {
        node.name
        for tree in (before, after)
        for parent in ast.walk(tree)
        if isinstance(parent, ast.FunctionDef) and parent.name in outer
        for node in ast.walk(parent)
        if isinstance(node, ast.FunctionDef)
    }
    return outer | inner


def _definitions(tree):
    """Return a dump of all that each name of a module stands for."""
    found = {}
    for node, names in _defined(tree):
        for name in names:
            found.setdefault(name, []).append(ast.dump(node))
    return found


def _defined(tree):
    """Yield each definition of a module with the names that it gives a meaning: no variables of functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node, [node.name]
        if isinstance(node, ast.Module | ast.ClassDef):
            for part in node.body:
                if isinstance(part, ast.Assign | ast.AnnAssign | ast.AugAssign):
                    stored = (n for n in ast.walk(part) if isinstance(n, ast.Name))
                    yield part, [n.id for n in stored if isinstance(n.ctx, ast.Store)]


@cache
def _users(root):
    """Return, for each (module, name) of the library, the pairs whose definitions mention it."""
    users = {}
    for path in sorted((root / "paperlib").rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        tree = ast.parse(path.read_text())
        imported = imported_by(tree)
        for name, origin in imported.items():  # a package hands on what it imports
            users.setdefault(origin, set()).add((module, name))
        for node, names in _defined(tree):
            for each in mentioned(node, module, imported):
                users.setdefault(each, set()).update((module, name) for name in names)
        for part, table in _entered(tree):
            holders = {each for each in mentioned(table, module, imported) if each[0].startswith(OWN)}
            for each in mentioned(part, module, imported):
                users.setdefault(each, set()).update(holders)
    return users


def _entered(tree):
    """Yield (what is entered, into what) of a module that puts definitions into tables as it is imported.

    That is `@rule(TABLE)` above a function, and a statement such as `TABLE.update(name=function)`.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            for call in (each for each in node.decorator_list if isinstance(each, ast.Call)):
                for argument in call.args:
                    yield ast.Name(node.name), argument
    for node in tree.body:
        if isinstance(node, ast.Expr | ast.For | ast.If | ast.With | ast.Try):
            yield node, node


def imported_by(tree):
    """Return (module, name) that each imported name stands for, be it a function's or a module's."""
    return {
        alias.asname or alias.name: (node.module, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def mentioned(node, module, imported):
    """Yield (module, name) of all that a definition mentions, by name or as `imported_module.name`."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            yield imported.get(part.id, (module, part.id))
        elif (
            isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id in imported
        ):
            yield ".".join(imported[part.value.id]), part.attr

"""The tests of what measures a claim: those of the experiments' functions that its cell calls."""

import ast
import re
from collections import Counter, deque
from dataclasses import dataclass

# Tests of messages, of colours and of samples say little about a claim that these serve.
OF_ARGUMENTS = re.compile("bad_input|(is|are|what)_(named|wrong)$|name_what_is_wrong")
OF_HELPERS = re.compile("colours|samples|bad_input")


@dataclass(frozen=True)
class Test:
    """Test function, and the names that it and its helpers use."""

    file: str  # relative to the project
    name: str
    uses: frozenset
    texts: frozenset


def load(project, paper, notebook):
    """Return `{id of a claim: [Test]}`, the nearest first, as far as the sources tell."""
    if notebook is None:
        return {}
    made = _functions(project.library / "experiments" / paper)
    public = dict.fromkeys(_exported(project.library / paper / "__init__.py"), ("", frozenset()))
    tests = _tests(project, paper)
    users = Counter(name for test in tests for name in test.uses)
    cells = _statements(notebook)
    found = {}
    for claim in notebook.claims:
        own = {name: 0 for name, (_, texts) in made.items() if claim in texts}
        number = notebook.measures.get(claim)
        ways = [(names, known) for names in _reached(cells, claim, number) for known in (made, public)]
        for names, known in ways or [({}, made)]:
            names = {name: far for name, far in (names | own).items() if name in known and name in users}
            reached = {name: 1 / (1 + far) ** 3 / users[name] for name, far in names.items()}
            if near := _nearest(tests, claim, reached, known):
                found[claim] = near
                break
    return found


def _nearest(tests, claim, reached, known):
    """Return the tests that name the claim, or use what it comes from; the fewer do, the more that says."""
    scores = {}
    for test in tests:
        # The tests of a module's functions are in the file of its name, most of them.
        own = {name for name in reached if test.file.endswith(f"/test_{known[name][0]}.py")}
        scores[test] = sum(reached[name] * (3 if name in own else 1) for name in test.uses & reached.keys())
        scores[test] += claim in test.texts
    near = [test for test in tests if scores[test]]
    return sorted(near, key=lambda test: (-scores[test], test.file, test.name))


def _functions(folder):
    """Return `{public function: (its module, texts in it)}` of the experiments of a paper."""
    return {
        statement.name: (path.stem, _texts(statement))
        for path in sorted(folder.glob("*.py"))
        for statement in _parsed(path)
        if isinstance(statement, ast.FunctionDef | ast.ClassDef) and not statement.name.startswith("_")
    }


def _exported(path):
    imports = [s for s in (_parsed(path) if path.is_file() else ()) if isinstance(s, ast.ImportFrom)]
    return {alias.asname or alias.name for s in imports for alias in s.names}


def _tests(project, paper):
    folders = [project.root / "tests" / "paperlib" / part for part in (f"experiments/{paper}", paper)]
    found = []
    for path in (p for folder in folders for p in sorted(folder.glob("test_*.py"))):
        defined, imported = _defined(path), _imported(_parsed(path))
        file = path.relative_to(project.root).as_posix()
        for name in defined if not OF_HELPERS.search(path.stem) else ():
            if name.startswith("test_") and not OF_ARGUMENTS.search(name):
                parts = _closure(defined, name)
                uses = frozenset().union(*(_foreign(part, imported) for part in parts))
                found.append(Test(file, name, uses, frozenset().union(*map(_texts, parts))))
    return found


def _defined(path):
    """Return `{name: statement}` of a file's functions and constants."""
    found: dict[str, ast.stmt] = {}
    for statement in _parsed(path):
        if isinstance(statement, ast.FunctionDef):
            found[statement.name] = statement
        elif isinstance(statement, ast.Assign):
            found |= {target.id: statement for target in statement.targets if isinstance(target, ast.Name)}
    return found


def _closure(defined, name):
    """Return the statement that defines a name, and those of the same file that it rests on."""
    seen, waiting = {name}, [name]
    while waiting:
        more = (_named(defined[waiting.pop()]) & defined.keys()) - seen
        seen |= more
        waiting += more
    return [defined[each] for each in seen]


def _imported(statements):
    """Return what the names stand for that come from the library."""
    ours = [
        s for s in statements if isinstance(s, ast.ImportFrom) and (s.module or "").startswith("paperlib")
    ]
    return {alias.asname or alias.name: alias.name for s in ours for alias in s.names}


def _foreign(tree, imported):
    """Return the imported names that are used, and the attributes of such a name."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in imported:
            found.add(imported[node.id])
        elif (
            isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in imported
        ):
            found.add(node.attr)
    return found


def _named(tree):
    """Return the names that are read."""
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _statements(notebook):
    """Return `(number of the cell, statement, names that it sets)` of all code, in order."""
    found = []
    for number, source in notebook.code:
        for statement in _parse(source):
            sets = {
                n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
            }
            if isinstance(statement, ast.FunctionDef):
                sets = {statement.name}
            found.append((number, statement, sets))
    return found


def _reached(cells, claim, number):
    """Yield what a claim comes from, as `{name: steps to it}`: its statement first, then its cell."""
    at = [i for i, (n, _, _) in enumerate(cells) if n == number]
    for near in ([i for i in at if claim in _texts(cells[i][1])], at):
        if near:
            yield _followed(cells, near)


def _followed(cells, near):
    """Return the names in statements, in those that set what these use, and so on."""
    imported = _imported([statement for _, statement, _ in cells])
    waiting, seen, names = deque((i, 0) for i in near), set(near), {}
    while waiting:
        i, far = waiting.popleft()
        for name in _foreign(cells[i][1], imported):
            names.setdefault(name, far)
        for name in sorted(_named(cells[i][1])):
            for j in [j for j in range(i) if name in cells[j][2]][-1:]:
                if j not in seen:
                    seen.add(j)
                    waiting.append((j, far + 1))
    return names


def _texts(tree):
    return {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)}


def _parsed(path):
    return _parse(path.read_text(encoding="utf-8"))


def _parse(source):
    try:
        return ast.parse(source).body
    except SyntaxError:
        return []

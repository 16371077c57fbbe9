"""The measures of a paper's claims: which tables each reads, and which calls of steps are behind these.

They are the functions of `paperlib/experiments/PAPER/claims.py`, and of `claims_*.py` beside it, named by
their claims' ids; an argument is named by its table. Their text is enough to know this, and nothing of the
library is imported.
"""

import ast

from reproduce.errors import InvalidMeasures
from reproduce.library import identifier
from reproduce.scoring import ledger


def arguments(project, paper):
    """Return `{measure's name: names of the tables that it reads, in Python}`."""
    return {node.name: tuple(each.arg for each in node.args.args) for _, node in _definitions(project, paper)}


def tables_of_rows(project, paper):
    """Return `{row's id: names, in Python, of the tables that it and its corrected statement read}`."""
    read = arguments(project, paper)
    return {
        claim.id: {
            table for name in (claim.id, claim.corrected_id) for table in read.get(identifier(name), ())
        }
        for claim in ledger.load_ledger(project.claims / f"{paper}.toml")
    }


def _definitions(project, paper):
    """Yield the module and the definition of each measure."""
    first = project.measures(paper)
    for path in (first, *sorted(first.parent.glob("claims_*.py"))):
        try:
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise InvalidMeasures(f"{path}: no Python: {error}") from None
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                yield f"{project.experiments(paper)}.{path.stem}", node


def behind(project, paper, trace):
    """Yield what each claim that is measured rests on.

    Yields
    ------
    (Claim, list of str, list of Call)
        The items of its measures, a corrected statement's too, and the calls of steps behind their tables.
    """
    read, named = arguments(project, paper), {identifier(table): table for table in trace.tables}
    modules = {node.name: module for module, node in _definitions(project, paper)}
    for claim in ledger.load_ledger(project.claims / f"{paper}.toml"):
        own = [name for name in map(identifier, (claim.id, claim.corrected_id)) if name in read]
        numbers = trace.behind([named[table] for name in own for table in read[name] if table in named])
        if own:
            items = [f"{modules[name]}:{name}" for name in own]
            yield claim, items, [trace.calls[number] for number in numbers]

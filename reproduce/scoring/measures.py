"""The measures of a paper's claims: which tables each reads, and a digest of how it reads them.

They are the functions of `paperlib/experiments/PAPER/claims.py`, named by their claims' ids; an argument is
named by its table. Their text is enough to know this, and nothing of the library is imported.
"""

import ast
import re

from reproduce.planning import traces


def identifier(name):
    """Return the name that a claim or a table has in Python.

    >>> identifier("lemma-3.1.size")
    'lemma_3_1_size'
    """
    return re.sub(r"\W", "_", name)


def arguments(project, paper):
    """Return `{measure's name: names of the tables that it reads, in Python}`."""
    tree = ast.parse((project.library / "experiments" / paper / "claims.py").read_text())
    return {
        node.name: tuple(each.arg for each in node.args.args)
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    }


def digest(project, paper, names):
    """Return a digest of the code of some measures, with all that they call."""
    called = [f"paperlib.experiments.{paper}.claims:{name}" for name in names]
    return traces.sources(project).digest(called=called)

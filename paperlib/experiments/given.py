"""Parameters that papermill gives to a notebook are checked before data are loaded.

Papermill itself only warns of a name that the notebook does not have, and runs it with all defaults.
"""

import ast
import difflib
from collections.abc import Sequence
from itertools import pairwise

from IPython.core.getipython import get_ipython

from paperlib.experiments.parameters import InvalidCell, check_parameters, read_cell

ADDED = "# Parameters\n"  # how the cell begins that papermill adds, behind that of the defaults


def check_given() -> None:
    """Check what this process's notebook was given; nothing outside of one.

    Raises
    ------
    ValueError
        With one line for each name that is no parameter, or else for each value that is not allowed.
    """
    shell = get_ipython()
    if shell is not None:
        check_names(shell.user_ns.get("In", []))
        check_parameters(shell.user_ns)


def check_names(cells: Sequence[str]) -> None:
    """Check that papermill's cell assigns parameters of the cell before it, and nothing else.

    Parameters
    ----------
    cells : sequence of str
        Sources, in the order in which they were executed.

    Examples
    --------
    >>> check_names(["seed = 0; out_dir = None; data = 'bundled'", "# Parameters\\nsed = 3"])
    Traceback (most recent call last):
    ...
    ValueError: unknown parameter 'sed', did you mean 'seed'?
    """
    for defaults, cell in reversed(list(pairwise(cells))):
        known = _parameters(defaults) if cell.startswith(ADDED) else {}
        if known:
            names = (node for node in ast.walk(ast.parse(cell)) if isinstance(node, ast.Name))
            given = [node.id for node in names if isinstance(node.ctx, ast.Store)]
            if lines := [_complaint(name, known) for name in given if name not in known]:
                raise ValueError("\n".join(lines))
            return


def _parameters(cell):
    """Return the parameters of their cell, and none of any other: readers write cells, too."""
    try:
        found = read_cell(cell)
    except InvalidCell:
        return {}
    return found if found.keys() >= {"seed", "out_dir", "data"} else {}


def _complaint(name, known):
    close = difflib.get_close_matches(name, known, n=1)
    hint = f", did you mean {close[0]!r}?" if close else f" (known: {', '.join(known)})"
    return f"unknown parameter {name!r}{hint}"

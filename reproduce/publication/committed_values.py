"""What is published is made with the parameters that are committed, and not with those of an experiment."""

from reproduce.errors import InvalidNotebook, UsageError
from reproduce.planning.notebook import parse
from reproduce.publication import git


def refuse_edited_defaults(project, runs):
    """Refuse runs that would publish results of a parameters cell that somebody has edited.

    Nothing is refused outside a git checkout, nor where the notebook is not committed yet.

    Raises
    ------
    UsageError
        With a line for each notebook.
    """
    lines = []
    for run in runs:
        changed = _changed(project, run.notebook) if run.family.is_the_papers_own else []
        if changed:
            name = run.notebook.path.relative_to(project.root)
            values = " ".join(f"-p {each}={run.notebook.parameters[each].default!r}" for each in changed)
            lines.append(
                f"{name}: {', '.join(changed)} not as committed, and figures/ holds results of the committed "
                f"parameters: undo the edit and run {run.paper} with {values}, or commit it"
            )
    if lines:
        raise UsageError("\n".join(lines))


def _changed(project, notebook):
    """Return the names of the parameters whose values are not the committed ones."""
    before = as_committed(project, notebook)
    if before is None:
        return []
    return [
        name
        for name, parameter in notebook.parameters.items()
        if name not in before.parameters or repr(before.parameters[name].default) != repr(parameter.default)
    ]


def as_committed(project, notebook):
    """Return a notebook as it is committed, or None where it is not, or is none."""
    try:
        return parse(notebook.path, (git.committed(project, notebook.path) or "").encode())
    except InvalidNotebook:
        return None

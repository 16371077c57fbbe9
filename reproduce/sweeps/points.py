"""Runs of a sweep, one for each point of its grid."""

import re
from dataclasses import dataclass, replace

from reproduce.paths import Destination
from reproduce.planning import key, parameters, runs
from reproduce.sweeps import grid

FOLDER = "points"  # in the sweep's own folder
LONGEST = 120  # characters of a point's name there; longer ones are cut and numbered


@dataclass(frozen=True)
class Sweep:
    """Runs of a grid, in its order, and the destination of their table."""

    paper: str
    grid: grid.Grid
    runs: list
    destination: Destination

    def links(self):
        """Return `{run's name: path in the sweep's folder}`: a point is found there by what varies."""
        found, taken = {}, set()
        for number, run in enumerate(self.runs, 1):
            name = re.sub(r"[^\w=.,+-]+", "_", run.name.replace(" ", ","))
            if len(name) > LONGEST or name in taken:
                name = f"{name[:LONGEST]}-{number}"
            taken.add(name)
            found[run.name] = f"{FOLDER}/{name}"
        return found


def make(
    project,
    paper,
    options,
    profile="paper",
    assignments=(),
    data="bundled",
    limit=None,
    large=False,
    notebooks=False,
):
    """Return the sweep of a grid, with a run for each of its points.

    Parameters
    ----------
    options : sequence of (str, object)
        What is swept, as `grid.read_grid` takes it.
    assignments : sequence of str
        As for `runs.make`; they apply to all points.
    limit, large
        See `grid.read_grid`.
    notebooks : bool
        Whether each point keeps its notebook as it ran; it may be larger than all that is measured.
    """
    [base] = runs.unchecked(project, [paper], profile, assignments, data)
    fixed = parameters.split_assignments(assignments)
    points = grid.read_grid(base.notebook, paper, options, fixed, limit, large)
    base = replace(base, keeps_notebook=notebooks)
    made = [_point(project, base, points.names, values) for values in points.points]
    runs.check_parameters(made)
    # The name depends on the points and their order, so a folder never holds the table of other points.
    digest = key.digest([points.names, [run.key for run in made]])[:16]
    return Sweep(paper, points, made, project.sweep(paper, f"{','.join(points.names)[:LONGEST]}-{digest}"))


def _point(project, base, names, values):
    resolved = base.parameters | dict(zip(names, values))
    parts = base.components | {"parameters": key.of_parameters(resolved, base.family.data)}
    own = key.combine(parts)
    return replace(
        base,
        name=grid.title(names, values),
        parameters=resolved,
        destination=project.sweep(base.paper, own),
        components=parts,
        key=own,
        is_point=True,
    )

"""From the command line to runs: everything is checked here, before anything is executed."""

import hashlib
import json
from dataclasses import dataclass, replace

from reproduce import grid, key, parameters, profiles
from reproduce.notebook import RESERVED, Notebook, read
from reproduce.paths import Destination, Family


@dataclass(frozen=True)
class Run:
    """One notebook with its parameters resolved, and where its results go.

    Attributes
    ----------
    name : str
        What it is called while it runs, different for each run of a call: the paper, or a sweep's point.
    """

    name: str
    paper: str
    notebook: Notebook
    parameters: dict  # without `out_dir` and `data`
    family: Family
    destination: Destination
    components: dict
    key: str
    is_point: bool = False

    def state(self, project, text):
        """One line about it, with the place of its results where a user would look for them."""
        where = "" if self.is_point else f" -> {project.shown(self.destination.folder)}"
        return f"{self.name}: {text}{where}"


@dataclass(frozen=True)
class Sweep:
    """The runs of a grid, in its order, and where their table goes."""

    paper: str
    grid: grid.Grid
    runs: list
    destination: Destination


def make(project, papers=(), profile="paper", assignments=(), data="bundled"):
    """One run per paper, all of one family.

    Parameters
    ----------
    papers : sequence of str
        Names; none means all.
    assignments : sequence of str
        `name=value` as given with -p; each applies to every paper and must be a parameter of each.
    """
    papers = project.choose(papers)
    notebooks = {paper: read(project.notebook(paper)) for paper in papers}
    texts = parameters.split_assignments(assignments)
    chosen = {paper: parameters.from_text(notebooks[paper], texts, paper) for paper in papers}
    table = profiles.load(project)
    given = {p: profiles.overrides(table, profile, p, notebooks[p]) | chosen[p] for p in papers}
    family = Family(profile, data, _overrides_digest(chosen) if texts else None)
    return [_run(project, paper, notebooks[paper], given[paper], family) for paper in papers]


def sweep(project, paper, options, profile="paper", assignments=(), data="bundled", limit=None, large=False):
    """A run per point of a grid.

    Parameters
    ----------
    options : sequence of (str, str)
        What --grid and --zip give; see `grid.read`.
    assignments : sequence of str
        As for `make`; the same for all points.
    limit, large
        See `grid.read`.
    """
    [base] = make(project, [paper], profile, assignments, data)
    fixed = parameters.split_assignments(assignments)
    points = grid.read(base.notebook, paper, options, fixed, limit, large)
    runs = [_point(project, base, points.names, values) for values in points.points]
    # A table is that of these points in this order, so a folder of its name never holds another.
    name = key.digest([points.names, [run.key for run in runs]])[:16]
    return Sweep(paper, points, runs, project.sweep(paper, name))


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


def _run(project, paper, notebook, given, family):
    own = {name: p.default for name, p in notebook.parameters.items() if name not in RESERVED}
    resolved = own | given
    parts = key.components(project, paper, notebook, resolved, family.data)
    destination = project.destination(paper, family)
    return Run(paper, paper, notebook, resolved, family, destination, parts, key.combine(parts))


def _overrides_digest(chosen):
    """8 hex digits, the same whatever the order in which the overrides were given."""
    values = next(iter(chosen.values()))
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:8]

"""Runs: notebooks with their parameters resolved, their keys, and where their results go."""

from dataclasses import dataclass

from reproduce.errors import InvalidParameter
from reproduce.library import mistakes
from reproduce.paths import Destination, Family
from reproduce.planning import key, parameters, profiles
from reproduce.planning.notebook import RESERVED, Notebook, read

SHOWN = 20  # lines about mistakes, at most


@dataclass(frozen=True)
class Run:
    """One notebook with its parameters resolved, and where its results go.

    Attributes
    ----------
    name : str
        Its name while it runs, different for each run of a call: the paper, or a sweep's point.
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


def make(project, papers=(), profile="paper", assignments=(), data="bundled"):
    """Return one run per paper, all of one family.

    Parameters
    ----------
    papers : sequence of str
        Names; none means all.
    assignments : sequence of str
        `name=value` as given with -p; each applies to every paper and must be a parameter of each.
    """
    runs = unchecked(project, papers, profile, assignments, data)
    check(runs)
    return runs


def unchecked(project, papers=(), profile="paper", assignments=(), data="bundled"):
    """Return what `make` does, before its values are held against what the notebooks allow."""
    papers = project.choose(papers)
    notebooks = {paper: read(project.notebook(paper)) for paper in papers}
    texts = parameters.split_assignments(assignments)
    chosen = {paper: parameters.from_text(notebooks[paper], texts, paper) for paper in papers}
    table = profiles.load(project)
    given = {p: profiles.overrides(table, profile, p, notebooks[p]) | chosen[p] for p in papers}
    overrides = key.digest(chosen[papers[0]])[:8] if texts else None  # they are the same for all papers
    family = Family(profile, data, overrides)
    return [_run(project, paper, notebooks[paper], given[paper], family) for paper in papers]


def check(runs):
    """Raise an error with a line for each value that a notebook does not allow, before anything is run."""
    found = [
        f"{run.paper}: {mistake}"
        for run in runs
        for mistake in mistakes(run.notebook.parameters, run.parameters | {"data": run.family.data})
    ]
    lines = list(dict.fromkeys(found))  # the points of a sweep share theirs
    if len(lines) > SHOWN:
        lines[SHOWN:] = [f"and {len(lines) - SHOWN:,} more"]
    if lines:
        raise InvalidParameter("\n".join(lines))


def _run(project, paper, notebook, given, family):
    own = {name: p.default for name, p in notebook.parameters.items() if name not in RESERVED}
    resolved = own | given
    parts = key.components(project, notebook, resolved, family.data)
    destination = project.destination(paper, family)
    return Run(paper, paper, notebook, resolved, family, destination, parts, key.combine(parts))

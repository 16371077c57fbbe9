"""Runs: notebooks with values for all parameters, a key, and a destination for the results."""

from dataclasses import dataclass, replace

from reproduce.errors import InvalidParameter, InvalidResults
from reproduce.library import mistakes
from reproduce.paths import Destination, Family
from reproduce.planning import key, parameters, profiles, traces
from reproduce.planning.notebook import RESERVED, Notebook, read_notebook

SHOWN = 20  # mistakes listed in one error, at most


@dataclass(frozen=True)
class Run:
    """One notebook with values for all its parameters, and the destination of its results.

    Attributes
    ----------
    name : str
        The name in messages, unique among the runs of one call: the paper, or a point such as `noise=0.1`.
    components : dict
        Digests of the notebook, the library, the parameters with the kind of data, and the environment; the
        key is the digest of these. Where runs are traced, `completed` adds the library's.
    is_point : bool
        Whether the run is a point of a sweep.
    keeps_notebook : bool
        Whether the notebook as it ran is published with the results.
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
    keeps_notebook: bool = True

    def state(self, project, text):
        """Return a line about the run; it names the results' folder unless the run is one of a sweep."""
        where = "" if self.is_point else f" -> {project.shown(self.destination.folder)}"
        return f"{self.name}: {text}{where}"


def make(project, papers=(), profile="paper", assignments=(), data="bundled"):
    """Return one run per paper, all of one family.

    Parameters
    ----------
    papers : sequence of str
        Names; all papers if there are none.
    assignments : sequence of str
        `name=value` as given with -p. Each applies to every paper, and each paper must have the parameter.
    """
    runs = unchecked(project, papers, profile, assignments, data)
    check_parameters(runs)
    return runs


def unchecked(project, papers=(), profile="paper", assignments=(), data="bundled"):
    """Return the runs of `make` without checking their values against the notebooks' ranges.

    A sweep replaces some of the values first, and checks its points then.
    """
    papers = project.choose(papers)
    notebooks = {paper: read_notebook(project.notebook(paper)) for paper in papers}
    texts = parameters.split_assignments(assignments)
    chosen = {paper: parameters.from_text(notebooks[paper], texts, paper) for paper in papers}
    table = profiles.load_profiles(project)
    given = {p: profiles.overrides(table, profile, p, notebooks[p]) | chosen[p] for p in papers}
    overrides = key.digest(chosen[papers[0]])[:8] if texts else None  # they are the same for all papers
    family = Family(profile, data, overrides)
    return [_run(project, paper, notebooks[paper], given[paper], family) for paper in papers]


def check_parameters(runs):
    """Raise an error with one line for each value that a notebook does not allow."""
    try:
        found = [
            f"{run.paper}: {mistake}"
            for run in runs
            for mistake in mistakes(run.notebook.parameters, run.parameters | {"data": run.family.data})
        ]
    except OverflowError:
        raise InvalidParameter("a parameter, or a bound of its range, is too large for any float") from None
    lines = list(dict.fromkeys(found))  # the points of a sweep share theirs
    if len(lines) > SHOWN:
        lines[SHOWN:] = [f"and {len(lines) - SHOWN:,} more"]
    if lines:
        raise InvalidParameter("\n".join(lines))


def completed(project, run, folder):
    """Return a run with its whole key, which a run that is traced has only when it was executed.

    Raises
    ------
    InvalidResults
        Where such a run left no trace in `folder`.
    """
    found = key.of_trace(project, folder)
    if found == {"paperlib": None}:
        raise InvalidResults(f"the notebook ran to its end and wrote no {traces.NAME}, as its Recorder does")
    parts = run.components | found
    return replace(run, components=parts, key=key.combine(parts))


def _run(project, paper, notebook, given, family):
    own = {name: p.default for name, p in notebook.parameters.items() if name not in RESERVED}
    resolved = own | given
    parts = key.components(project, notebook, resolved, family.data)
    destination = project.destination(paper, family)
    return Run(paper, paper, notebook, resolved, family, destination, parts, key.combine(parts))

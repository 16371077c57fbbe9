"""From the command line to runs: everything is checked here, before anything is executed."""

import hashlib
import json
from dataclasses import dataclass

from reproduce import key, parameters, profiles
from reproduce.notebook import RESERVED, Notebook, read
from reproduce.paths import Destination, Family


@dataclass(frozen=True)
class Run:
    """One notebook with its parameters resolved, and where its results go."""

    paper: str
    notebook: Notebook
    parameters: dict  # without `out_dir` and `data`
    family: Family
    destination: Destination
    components: dict
    key: str


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


def _run(project, paper, notebook, given, family):
    own = {name: p.default for name, p in notebook.parameters.items() if name not in RESERVED}
    resolved = own | given
    parts = key.components(project, paper, notebook, resolved, family.data)
    destination = project.destination(paper, family)
    return Run(paper, notebook, resolved, family, destination, parts, key.combine(parts))


def _overrides_digest(chosen):
    """8 hex digits, the same whatever the order in which the overrides were given."""
    values = next(iter(chosen.values()))
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:8]

"""The runs of one notebook with other seeds: points of a sweep, so that they are kept and resumed as such."""

from dataclasses import dataclass, replace

from reproduce.errors import InvalidResults
from reproduce.planning.notebook import read_notebook
from reproduce.publication import results
from reproduce.sweeps import points


@dataclass(frozen=True)
class Study:
    """One paper's runs, one for each seed."""

    paper: str
    profile: str
    data: str
    runs: dict  # seed -> Run


def plan(project, paper, count, profile="paper", data="bundled"):
    """Return a paper's runs with `count` seeds other than the notebook's own.

    The rule is fixed, so that nobody chooses the seeds: 1, 2, 3 ... (the notebook's own, 0, is that of the
    committed results, and is left out wherever it stands).
    """
    default = read_notebook(project.notebook(paper)).parameters["seed"].default
    chosen = [seed for seed in range(1, count + 2) if seed != default][:count]
    option = ("grid", f"seed={','.join(map(str, chosen))}")
    sweep = points.make(project, paper, [option], profile, (), data)
    runs = {
        seed: replace(run, name=f"{paper} {run.name}") for seed, run in zip(chosen, sweep.runs, strict=True)
    }
    return Study(paper, profile, data, runs)


def measured(study):
    """Return `{seed: {claim id: Measure}}` of runs that were made."""
    found = {}
    for seed, run in study.runs.items():
        content = results.read_results(run.destination.folder)
        if content is None:
            raise InvalidResults(f"{run.name}: its results were removed meanwhile, call again")
        found[seed] = results.measures(content)
    return found

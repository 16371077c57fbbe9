"""The age of published results: whether they are of the present sources, with whatever versions.

What is committed says with which packages and which Python it was made, so that this can be checked on
another machine, too, and in a fresh clone.
"""

from reproduce.errors import ReproduceError
from reproduce.planning import key, runs
from reproduce.publication import results


def of_run(project, run):
    """Return the provenance of what is published in a run's place; empty where none can be read."""
    try:
        return (results.read_results(run.destination.folder) or {}).get("provenance", {})
    except ReproduceError:
        return {}


def is_of_these_sources(project, run, block):
    """Return whether a run of the present sources, made with the versions in that block, has its key."""
    environment = key.of_environment(project, block.get("packages"), block.get("python"))
    library = key.of_trace(project, run.destination.folder)
    return block.get("key") == key.combine(run.components | library | {"environment": environment})


def notes(project, family):
    """Return one line for each paper and kind of data whose published results are of other sources."""
    if family.overrides is not None:
        return []  # made a moment ago
    found = []
    for paper in project.papers:
        for data in family.by_data:
            try:
                [run] = runs.unchecked(project, [paper], family.profile, data=data)
            except ReproduceError as error:
                found.append(
                    f"{paper}: cannot tell whether its results were made from these sources: {error}"
                )
                break
            block = of_run(project, run)
            if block and not is_of_these_sources(project, run, block):
                found.append(_older(paper, family.by_data[data]))
    return found


def _older(paper, family):
    options = [f"--profile {family.profile}"] if family.profile != "paper" else []
    options += [f"--data {family.data}"] if family.data != "bundled" else []
    command = " ".join(["python -m reproduce run", paper, *options])
    what = f"its results on {family.data} data were made from other sources"
    return f"{paper}: {what}, `{command}` makes them anew"

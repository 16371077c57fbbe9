"""Measures computed again from the published tables, by `paperlib.experiments.claims` of the project.

They belong to papers whose experiments have a module `claims`; the others' notebooks measure by themselves.
One process computes all of them: the driver imports nothing of the project's library.
"""

import contextlib
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from reproduce import reading
from reproduce.errors import InvalidMeasures, ReproduceError
from reproduce.execution import kernel_manager
from reproduce.library import RUNTIME
from reproduce.paths import HOME
from reproduce.planning import runs
from reproduce.planning.notebook import read_notebook
from reproduce.publication import notebook, origin, record, results
from reproduce.publication.lock import Lock
from reproduce.scoring import ledger, row_keys

MEASURED = {"measures": [results.MEASURE], "shown?": [list], "errors?": {str: str}}
SECONDS = 600  # for all papers; two suffice


def refresh(project, family):
    """Bring the measures in results.json up to date with `claims.py`, the ledgers and the tables.

    In the published notebooks it does so with what they show of claims, and with their prose.

    Only papers that measure from tables are looked at, on the kinds of data that have results. The provenance
    stays as it is: what ran has not changed. Results that a run is publishing now are left to it.

    Returns
    -------
    list of Destination
        Those whose measures were other ones.

    Raises
    ------
    InvalidMeasures
        Where a measure fails on results of the present sources.
    """
    papers = [paper for paper in project.papers if project.measures(paper).exists()]
    places = [
        (paper, one, destination)
        for paper in papers
        for one in family.by_data.values()
        if (destination := project.destination(paper, one)).folder.joinpath(results.NAME).exists()
    ]
    if not places:
        return []
    sources = {paper: read_notebook(project.notebook(paper)) for paper in papers}
    for paper in papers:  # so that a mistake in a ledger is the driver's own error
        ledger.load_ledger(project.claims / f"{paper}.toml")
    with ThreadPoolExecutor(1) as pool:
        at_work = pool.submit(of_folders, project, [(paper, each.folder) for paper, _, each in places])
        with contextlib.suppress(ReproduceError):  # who asks for them says so
            for paper, one, _ in places:  # reading the sources takes as long; what is found is kept
                row_keys.row_keys_of(project, paper, one.data)
        found = at_work.result()
    changed = []
    for paper, one, each in places:
        measured = found[str(each.folder)]
        if errors := measured.get("errors"):
            # Results of other sources may have other tables: they stay, and are said to be old.
            if _is_present(project, paper, one):
                claim, words = next(iter(errors.items()))
                raise InvalidMeasures(f"{paper}: {claim} cannot be measured: {words}")
        elif _replace(project, each, measured, sources[paper]):
            changed.append(each)
    return changed


def _is_present(project, paper, family):
    """Return whether published results are of the present sources; a reader's own always are."""
    if family.overrides is not None:
        return True
    [run] = runs.unchecked(project, [paper], family.profile, data=family.data)
    return origin.is_of_these_sources(project, run, origin.of_run(project, run))


def of_folders(project, pairs):
    """Return what is measured for pairs of a paper and a folder of its tables.

    Returns
    -------
    dict
        Folder -> `measures`, rows as results.json has them, and `shown`, what a notebook in it shows of them.
    """
    path = [str(project.root), os.environ.get("PYTHONPATH"), str(HOME)]
    environment = {"PYTHONPATH": os.pathsep.join(filter(None, path))}
    command = [sys.executable, "-P", "-m", f"{RUNTIME}.experiments.claims"]
    scratch = Path(tempfile.gettempdir())
    try:
        done = subprocess.run(
            [*command, *(str(each) for pair in pairs for each in pair)],
            env=kernel_manager.environment(scratch, environment),
            cwd=scratch,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise InvalidMeasures(f"measures took more than {SECONDS} s") from None
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"the process ended with {done.returncode}"]
        raise InvalidMeasures(f"measures cannot be computed: {said[-1]}")
    try:
        return reading.typed(reading.json_text(done.stdout), {str: MEASURED})
    except ValueError as error:
        raise InvalidMeasures(f"measures cannot be computed: {error}") from None


def _replace(project, destination, found, source):
    """Write what was measured into the results of one destination; return whether that changed anything."""
    lock = Lock(project.lock(destination))
    if not lock.acquire(blocking=False):
        return False
    try:
        content = results.read_results(destination.folder)
        if content is None:
            return False
        folder, names = destination.folder, (results.NAME, notebook.NAME)
        before = {name: record.digest(folder / name) for name in names}
        if content["measures"] != found["measures"]:
            results.write_results(folder, content | {"measures": found["measures"]})
        notebook.show_again(folder, found["shown"])
        notebook.explain_again(folder, source)
        changed = [name for name in names if record.digest(folder / name) != before[name]]
        for name in changed:
            record.follow(project, destination, name, before[name])
        return bool(changed)
    finally:
        lock.release()

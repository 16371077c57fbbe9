"""The tests of what claims are measured from, chosen by what the steps and the tests were seen to enter.

`figures/evidence/PAPER/tests.csv` has a line for each claim and test, the best one first.
"""

import csv
import io
import json
import subprocess
import sys
from collections import Counter
from typing import NamedTuple

from reproduce import reading
from reproduce.errors import InvalidResults, ReproduceError
from reproduce.library import write_whole
from reproduce.planning import traces
from reproduce.scoring import measures, row_keys

NAME = "tests.csv"
HEADER = ("claim", "test")
N_TESTS = 2  # of a claim, at most
LEAST = 0.02  # share of what a claim depends on that a test has to add
PLUGIN = "tests.tracing_plugin"  # it says what its file holds
TRACES = "build/tests/traces.json"


class Test(NamedTuple):
    """Test function of a file, which is named from the project's root; `line` is None where it is gone."""

    file: str
    name: str
    line: int | None


def write_tests(project, paper):
    """Run the tests of a paper, choose those of each claim, and return the path of their table."""
    depended = depended_on(project, paper, row_keys.published_trace(project, paper, "bundled"))
    folders = [f"tests/paperlib/{part}" for part in (paper, f"experiments/{paper}")]
    command = [sys.executable, "-m", "pytest", "-p", PLUGIN, "-n", "logical", "--dist", "loadfile", *folders]
    if subprocess.run(command, cwd=project.root).returncode:
        raise ReproduceError(f"{paper}: the tests of no claim are chosen while some fail")
    content = json.loads((project.root / TRACES).read_text())
    entered = {
        name: {f"{module}:{each}" for module, names in test["items"].items() for each in names.split()}
        for name, test in content.items()
        if name.startswith(tuple(f"{folder}/" for folder in folders)) and _test(project, name).line
    }
    return _written(project, paper, choose(depended, entered))


def depended_on(project, paper, trace):
    """Return `{claim's id: items that its measure and the steps behind its tables depend on}`."""
    if not traces.has_steps(project, paper) or trace is None:
        raise InvalidResults(f"{paper}: no trace of steps is published, as `reproduce run {paper}` does")
    sources, found = traces.sources(project), {}
    for claim, own, calls in measures.behind(project, paper, trace):
        entered = set(own).union(*(call.entered for call in calls))
        found[claim.id] = set(sources.reached(tuple(sorted(entered))))
    return found


def choose(depended, entered):
    """Return `{claim: names of tests}` of what claims depend on, and of what tests do, each `{name: items}`.

    An item counts the more, the fewer tests depend on it. A test has to meet much of what the claim depends
    on, and little else; a second one much of what the first leaves out.
    """
    users = Counter(item for items in entered.values() for item in items)

    def weight(items):
        # Sorted: the last digits of a sum depend on its order, and that of a set of texts on the process.
        return sum(1 / users[item] for item in sorted(items))

    whole = {test: weight(items) for test, items in sorted(entered.items()) if items}
    found = {claim: [] for claim in depended}
    for claim, items in depended.items():
        left = items & users.keys()
        least = LEAST * weight(left)
        for _ in range(N_TESTS):
            met = {test: weight(entered[test] & left) for test in whole}
            # The share of what is left that a test meets, times the share of the test that this is; the
            # weight of what is left is the same for all tests, and drops out.
            best = max(whole, key=lambda test: met[test] ** 2 / whole[test], default=None)
            if best is None or met[best] <= least:
                break
            found[claim].append(best)
            left = left - entered[best]
    return found


def _written(project, paper, chosen):
    text = io.StringIO()
    rows = [(claim, test) for claim, tests in chosen.items() for test in tests]
    csv.writer(text, lineterminator="\n").writerows([HEADER, *rows])
    path = project.evidence(paper) / NAME
    write_whole(path, text.getvalue())
    return path


def read_tests(project, paper):
    """Return `{claim's id: [Test]}` of a paper's table, without the tests that are gone."""
    found = {}
    try:
        for row in reading.csv_rows(project.evidence(paper) / NAME, HEADER):
            if (test := _test(project, row["test"])).line:
                found.setdefault(row["claim"], []).append(test)
    except (OSError, ValueError):
        return {}
    return found


def _test(project, name):
    file, _, function = name.partition("::")
    path, head = project.root / file, f"def {function.rpartition('::')[2]}("
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return Test(file, function, next((number for number, line in enumerate(lines, 1) if head in line), None))

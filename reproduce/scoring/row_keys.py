"""Keys of a ledger's rows: by these, evidence about a row is known to be of the present sources.

The key of a row is that of its statement, its measure, and all that was executed for its tables, as the trace
of the published results tells.
"""

import dataclasses
from pathlib import Path

from reproduce.library import verdicts
from reproduce.paths import Family
from reproduce.planning import syntax, traces
from reproduce.planning.digests import digest
from reproduce.scoring import measures

WORDING = {"where", "says", "reason", "found", "counterexample", "needs", "shown", "faults", "ours"}
# Fields that are newer than some evidence: a row that has the default has the key that it had before.
LATER = {"pooled": True}
DIGITS = 16


def row_keys_of(project, paper, data):
    """Return the key of each checkable row of a paper with steps; of any other nothing."""
    trace = published_trace(project, paper, data) if traces.has_steps(project, paper) else None
    if trace is None:
        return {}
    sources, keys = traces.sources(project), {}
    for claim, own, calls in measures.behind(project, paper, trace):
        if claim.checkable:
            content = [
                of_statement(claim),
                sources.digest(called=own),
                [[call.step, call.arguments] for call in calls],
                sources.digest(*(call.entered for call in calls)),
            ]
            keys[claim.id] = digest(content)[:DIGITS]
    return keys


def published_trace(project, paper, data):
    """Return the trace of the published results, in the papers' own profile."""
    return traces.read_trace(project.destination(paper, Family(data=data)).folder)


def of_statement(claim):
    """Return a digest of all that decides the verdict on a measured value."""
    rule = syntax.digest(Path(verdicts.__file__).read_bytes())
    content = dataclasses.asdict(claim)
    content = {name: value for name, value in content.items() if (name, value) not in LATER.items()}
    return digest([_numbers(content), rule])[:DIGITS]


def _numbers(content):
    if not isinstance(content, dict):
        return content
    return {name: _numbers(value) for name, value in content.items() if name not in WORDING}

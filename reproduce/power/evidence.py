"""The committed matrices of a paper, in `figures/evidence/PAPER/`, and whether they are out of date.

`power.csv` has all faults, on the bundled data. `power-full.csv` has some of them, on the full data and at
the papers' own scale, for rows that need these to decide.

The first two lines hold the key of each column, by which a later reader sees whether the sources are still
those, and the profile. Then comes a line for each checkable row of the ledger. The key of a column is that of
the fault's edits, and each row has one, too: of its statement, its measure, and all that was executed for its
tables as they are published. So an edit makes those rows old that it can change.
"""

import csv
import io
from dataclasses import dataclass, replace
from functools import cached_property

from reproduce import reading
from reproduce.errors import ReproduceError
from reproduce.library import identifier, write_whole
from reproduce.power import affected, trials
from reproduce.power.faults import load_faults
from reproduce.power.matrix import TURNED, UNTRIED
from reproduce.power.trials import SOUND
from reproduce.scoring import ledger, measures, row_keys

NAMES = {"bundled": "power.csv", "full": "power-full.csv"}
KEY, PROFILE = "(key)", "(profile)"


@dataclass(frozen=True)
class Evidence:
    """A matrix as it was committed: `keys` by fault, `row_keys` by row, `marks` by row and fault.

    `full` is that of the full data, where there is one.
    """

    profile: str
    keys: dict
    marks: dict
    row_keys: dict
    full: "Evidence | None" = None

    def turned(self, claim):
        """Return those of a claim's own faults that were seen to turn it."""
        return [fault for fault in claim.faults if (claim.id, fault) in self.pairs]

    @cached_property
    def pairs(self):
        """The pairs `(row's id, fault's id)` where the fault turns the row."""
        own = {pair for pair, mark in self.marks.items() if mark == TURNED}
        return own | (self.full.pairs if self.full else set())

    @property
    def faults(self):
        """The ids of all faults that were tried."""
        return [name for name in self.keys if name != SOUND]

    @property
    def unnoticed(self):
        """The ids of the faults that turn no row."""
        noticed = {fault for _, fault in self.pairs}
        return [name for name in self.faults if name not in noticed]


def write_power(project, matrix):
    """Write the matrix of a paper; columns of faults that it does not have stay as they are committed.

    Those keep their keys, by which they are known to be older.
    """
    before, kinds = (
        read_power(project, matrix.paper, matrix.data),
        {f.id: f.kind for f in load_faults(project, matrix.paper)},
    )
    before = before if before and before.profile == matrix.profile else None
    keys = {name: key for name, key in before.keys.items() if name in kinds} if before else {}
    keys |= {name: key[:16] for name, key in matrix.keys.items()}
    names = [name for name in kinds if name in keys]
    marks = {(row, name): UNTRIED for row in matrix.claims for name in names}
    marks |= {pair: mark for pair, mark in (before.marks if before else {}).items() if pair in marks}
    marks |= matrix.marks
    own = row_keys.row_keys_of(project, matrix.paper, matrix.data)
    rows = [["row", "key", "without a fault", *names]]
    rows += [[KEY, "", keys[SOUND], *(keys[name] for name in names)]]
    rows += [[PROFILE, "", matrix.profile, *(kinds[name] for name in names)]]
    rows += [
        [row, own.get(row, ""), matrix.verdicts[row], *(marks[row, name] for name in names)]
        for row in matrix.claims
    ]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    path = project.evidence(matrix.paper) / NAMES[matrix.data]
    write_whole(path, text.getvalue())
    return path


def power_of(project, paper):
    """Return the committed Evidence of a paper with that of the full data, or None without any."""
    found = read_power(project, paper)
    return replace(found, full=read_power(project, paper, "full")) if found else None


def read_power(project, paper, data="bundled"):
    """Return the committed Evidence of a paper on one kind of data, or None where none can be read."""
    try:
        lines = reading.csv_lines(project.evidence(paper) / NAMES[data])
        if lines[0][1] != "key":  # of a version before there were keys of rows
            lines = [[first, "", *others] for first, *others in lines]
        header, keys, profile, *rows = lines
        names = header[3:]
        marks = {(row[0], name): mark for row in rows for name, mark in zip(names, row[3:], strict=True)}
        own = {row[0]: row[1] for row in rows}
        return Evidence(profile[2], dict(zip([SOUND, *names], keys[2:], strict=True)), marks, own)
    except (OSError, ValueError, IndexError):
        return None


def left_for_full(project, paper):
    """Return the ids of the faults that a row names and that were not seen to turn it on the bundled data."""
    found = read_power(project, paper)
    seen = found.pairs if found else set()
    claims = ledger.load_ledger(project.claims / f"{paper}.toml")
    named = {fault for claim in claims for fault in claim.faults if (claim.id, fault) not in seen}
    return [fault.id for fault in load_faults(project, paper) if fault.id in named]


def plan_of_full(project, paper, found, profile=None, chosen=()):
    """Return the plan of faults on the full data: for the rows that they do not turn on the bundled data."""
    seen = found.pairs if found else set()
    asked = trials.tables_asked_for(project, paper, but=seen)
    return trials.plan(project, paper, profile, chosen, "full", asked)


def is_stale(project, paper, evidence):
    """Return whether a fault, the notebook or the library has changed since, which is no failure."""
    full = evidence.full
    try:
        if full and stale(plan_of_full(project, paper, evidence, full.profile, full.faults), full):
            return True
        return bool(stale(trials.plan(project, paper, evidence.profile), evidence))
    except ReproduceError:
        return True  # the text of a fault is gone, for instance


def stale(plan, evidence):
    """Return the names in a plan of which something committed is not of the present sources; all without any.

    Those are the faults with other edits, those that can change a table that they are tried on and that a row
    with another key reads, and those that were not tried on what they are asked for.
    """
    if evidence is None:
        return list(plan.jobs)
    names = {name for name, job in plan.jobs.items() if evidence.keys.get(name) != job.key[:16]}
    project = plan.jobs[SOUND].project
    now = row_keys.row_keys_of(project, plan.paper, plan.data)
    read = measures.tables_of_rows(project, plan.paper)
    tables = {table for row in now if evidence.row_keys.get(row) != now[row] for table in read[row]}
    for name, job in plan.jobs.items():
        if job.fault and _reaches(plan, job, tables & plan.asked.get(name, tables)):
            names.add(name)
    for (row, name), mark in evidence.marks.items():
        if mark == UNTRIED and row in read and read[row] <= plan.asked.get(name, set()):
            names.add(name)
    return [name for name in plan.jobs if name in names]


def _reaches(plan, job, tables):
    if not tables:
        return False
    trace = row_keys.published_trace(job.project, plan.paper, plan.data)  # from which the keys of rows are
    changed = affected.tables(trace, affected.calls(job.project, trace, job.fault))
    return not tables.isdisjoint(map(identifier, changed))

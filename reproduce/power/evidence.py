"""The committed matrices of a paper, in `figures/evidence/PAPER/`, and whether they are out of date.

`power.csv` has all faults, on the bundled data. `power-full.csv` has some of them, on the full data and at
the papers' own scale, for rows that need these to decide.

The first two lines hold the key of each column, by which a later reader sees whether the sources are still
those, and the profile. Then comes a line for each checkable row of the ledger.
"""

import csv
import io
from dataclasses import dataclass, replace

from reproduce.errors import ReproduceError
from reproduce.library import write_whole
from reproduce.power import trials
from reproduce.power.faults import load
from reproduce.power.matrix import TURNED
from reproduce.power.trials import SOUND
from reproduce.scoring import ledger

NAMES = {"bundled": "power.csv", "full": "power-full.csv"}
KEY, PROFILE = "(key)", "(profile)"
UNTRIED = ""  # the mark of a row that is newer than a fault's column


@dataclass(frozen=True)
class Evidence:
    """A matrix as it was committed: `keys` by fault, `marks` by row and fault.

    `full` is that of the full data, where there is one.
    """

    profile: str
    keys: dict
    marks: dict
    full: "Evidence | None" = None

    def turned(self, claim):
        """Return those of a claim's own faults that were seen to turn it."""
        return [fault for fault in claim.faults if (claim.id, fault) in self.pairs]

    @property
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


def write(project, matrix):
    """Write the matrix of a paper; columns of faults that it does not have stay as they are committed.

    Those keep their keys, by which they are known to be older.
    """
    before, kinds = (
        read(project, matrix.paper, matrix.data),
        {f.id: f.kind for f in load(project, matrix.paper)},
    )
    before = before if before and before.profile == matrix.profile else None
    keys = {name: key for name, key in before.keys.items() if name in kinds} if before else {}
    keys |= {name: key[:16] for name, key in matrix.keys.items()}
    names = [name for name in kinds if name in keys]
    marks = {(row, name): UNTRIED for row in matrix.claims for name in names}
    marks |= {pair: mark for pair, mark in (before.marks if before else {}).items() if pair in marks}
    marks |= matrix.marks
    rows = [["row", "without a fault", *names]]
    rows += [[KEY, keys[SOUND], *(keys[name] for name in names)]]
    rows += [[PROFILE, matrix.profile, *(kinds[name] for name in names)]]
    rows += [[row, matrix.verdicts[row], *(marks[row, name] for name in names)] for row in matrix.claims]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    path = project.evidence(matrix.paper) / NAMES[matrix.data]
    write_whole(path, text.getvalue())
    return path


def of(project, paper):
    """Return the committed Evidence of a paper with that of the full data, or None without any."""
    found = read(project, paper)
    return replace(found, full=read(project, paper, "full")) if found else None


def read(project, paper, data="bundled"):
    """Return the committed Evidence of a paper on one kind of data, or None where none can be read."""
    try:
        with open(project.evidence(paper) / NAMES[data], newline="") as file:
            header, keys, profile, *rows = csv.reader(file)
        names = header[2:]
        marks = {(row[0], name): mark for row in rows for name, mark in zip(names, row[2:], strict=True)}
        return Evidence(profile[1], dict(zip([SOUND, *names], keys[1:], strict=True)), marks)
    except (OSError, ValueError, IndexError):
        return None


def left_for_full(project, paper):
    """Return the ids of the faults that a row names and that were not seen to turn it on the bundled data."""
    found = read(project, paper)
    seen = found.pairs if found else set()
    claims = ledger.load(project.claims / f"{paper}.toml")
    named = {fault for claim in claims for fault in claim.faults if (claim.id, fault) not in seen}
    return [fault.id for fault in load(project, paper) if fault.id in named]


def is_stale(project, paper, evidence):
    """Return whether a fault, the notebook or the library has changed since, which is no failure."""
    full = evidence.full
    try:
        if full and stale(trials.plan(project, paper, full.profile, full.faults, "full"), full):
            return True
        return bool(stale(trials.plan(project, paper, evidence.profile), evidence))
    except ReproduceError:
        return True  # the text of a fault is gone, for instance


def stale(plan, evidence):
    """Return the names in a plan whose key is not that of the committed column; all where there is none."""
    keys = evidence.keys if evidence else {}
    return [name for name, job in plan.jobs.items() if keys.get(name) != job.key[:16]]

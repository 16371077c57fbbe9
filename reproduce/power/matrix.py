"""The matrix of rows and faults: which rows notice which fault."""

from dataclasses import dataclass

from reproduce.library import identifier, verdicts
from reproduce.power import trials
from reproduce.publication import results
from reproduce.scoring import ledger, measures, measuring

TURNED, MOVED, BLIND, CRASHED, UNDECIDED = "X", "~", ".", "!", "?"
UNTRIED = ""  # the fault could change the row's tables, but the row does not name it; or the row is newer
LEGEND = {
    TURNED: "the row no longer holds",
    MOVED: "another value, and the row still holds or does not decide",
    BLIND: "the same value",
    CRASHED: "nothing was measured: an error or a time-out, which is no evidence",
    UNDECIDED: "the row does not hold without a fault either, in this profile",
    UNTRIED: "the row does not name the fault, which could change its tables",
}


@dataclass(frozen=True)
class Matrix:
    """One paper's rows and faults.

    Attributes
    ----------
    claims : dict
        `{id: Claim}` of the checkable rows.
    keys : dict
        `{fault's id, or SOUND: key}` of what was run.
    verdicts : dict
        `{row's id: verdict without a fault}`.
    marks : dict
        `{(row's id, fault's id): mark}`.
    endings : dict
        `{fault's id: "done", "failed", "timeout" or "died", with the message}`.
    """

    paper: str
    profile: str
    data: str
    claims: dict
    kinds: dict  # fault's id -> kind
    keys: dict
    verdicts: dict
    marks: dict
    endings: dict

    def turned_by(self, row):
        """Return the ids of the faults that turn a row."""
        return [fault for fault in self.kinds if self.marks.get((row, fault)) == TURNED]

    def complaints(self, elsewhere=None):
        """Yield a line for each named fault that was run and does not turn its row.

        `elsewhere` is the committed Evidence on the other data, which may show that it does there.
        """
        turned = elsewhere.pairs if elsewhere else set()
        for claim in self.claims.values():
            for fault in claim.faults:
                mark = self.marks.get((claim.id, fault))
                if mark not in (None, TURNED) and (claim.id, fault) not in turned:
                    yield f"{self.paper}: {claim.id} names {fault}, which does not turn it ({LEGEND[mark]})"


def matrix_of_plan(project, plan):
    """Return the matrix of a plan whose jobs were run, but for those that are left."""
    claims = {c.id: c for c in ledger.load_ledger(project.claims / f"{plan.paper}.toml") if c.checkable}
    endings = {name: trials.outcome(plan, name) for name in plan.jobs}
    endings = {name: ended for name, ended in endings.items() if ended}
    measured, reads = _measured(project, plan, endings), measures.tables_of_rows(project, plan.paper)
    sound = measured[trials.SOUND]
    untried = {name: set(map(identifier, tables)) for name, tables in plan.untried.items()}
    marks = {}
    for row, claim in claims.items():
        for name in measured.keys() - {trials.SOUND}:
            mark = _mark(claim, sound, measured[name])
            # A run ends behind the tables that it is for; another row may read one that comes later.
            is_short = mark == CRASHED and name in plan.asked and not reads[row] <= plan.asked[name]
            marks[row, name] = UNTRIED if is_short or untried[name].intersection(reads[row]) else mark
    return Matrix(
        plan.paper,
        plan.profile,
        plan.data,
        claims,
        {name: job.fault.kind for name, job in plan.jobs.items() if job.fault},
        {name: plan.jobs[name].key for name in endings},
        {row: verdicts.verdict(claim, sound) for row, claim in claims.items()},
        marks,
        {name: (ended["status"], ended["message"]) for name, ended in endings.items()},
    )


def _measured(project, plan, names):
    """Return what each run measured, by the present measures from the tables that it left.

    Tables that a fault cannot change are those of the sound run, so that a run that ended with an error, or
    that was not needed, still tells something of them.
    """
    folders = {name: plan.jobs[name].trial.tables for name in names}
    there = [(plan.paper, folder) for folder in folders.values() if folder.is_dir()]
    rows = measuring.of_folders(project, there)
    found = {
        name: results.measures(rows.get(str(folder), {"measures": []})) for name, folder in folders.items()
    }
    sound, reads = found[trials.SOUND], measures.arguments(project, plan.paper)
    for name in found.keys() - {trials.SOUND}:
        changed = {identifier(table) for table in plan.tables[name]}
        for row, measure in sound.items():
            if changed.isdisjoint(reads[identifier(row)]):
                found[name][row] = measure
    return found


def _mark(claim, sound, found):
    """Compare what was measured for a row with a fault and without."""
    ids = [name for name in (claim.id, claim.corrected_id) if name in sound]
    if not ids:
        return UNDECIDED
    if not all(name in found for name in ids):
        return CRASHED
    was, now = verdicts.verdict(claim, sound), verdicts.verdict(claim, found)
    if was in (verdicts.INCONCLUSIVE, verdicts.VACUOUS) or (was == verdicts.DIFFERS and not claim.found):
        return UNDECIDED
    if now not in (was, verdicts.INCONCLUSIVE) or _no_longer_as_found(claim, was, sound, found):
        return TURNED
    return BLIND if all(sound[name] == found[name] for name in ids) else MOVED


def _no_longer_as_found(claim, was, sound, found):
    """Return whether a row that is known to differ differs otherwise now; sound runs set what is known."""
    if was != verdicts.DIFFERS:
        return False
    base, now = sound[claim.id], found[claim.id]
    return not verdicts.as_found(claim.statement, (base.value, base.stderr), *now)

"""The committed evidence: each row of a ledger can fail, and was seen to under the faults that it names."""

import time

import pytest

from reproduce.execution.warm_process import WarmProcess
from reproduce.library import verdicts
from reproduce.paths import Family, Project
from reproduce.power import evidence, faults, matrix, trials
from reproduce.scoring import judgement, ledger

PROJECT = Project()
LIMIT = 300  # seconds for faults that are newer than the committed matrix


def committed(paper):
    """The committed matrix; a paper that has none yet is skipped, and the scoreboard shows no faults."""
    found = evidence.power_of(PROJECT, paper)
    if found is None:
        pytest.skip(f"{paper} has no matrix yet: `make power` makes it")
    return found


def rows(paper):
    return [claim for claim in ledger.load_ledger(PROJECT.claims / f"{paper}.toml") if claim.checkable]


@pytest.mark.parametrize("paper", PROJECT.papers)
def test_each_named_fault_can_be_made(paper):
    known = {fault.id for fault in faults.load_faults(PROJECT, paper)}
    assert {fault for claim in rows(paper) for fault in claim.faults} <= known


# Evidence that is older than the sources fails nothing until a release: new rows have none at first.
@pytest.mark.release
@pytest.mark.parametrize("paper", PROJECT.papers)
def test_each_named_fault_was_seen_to_turn_its_row(paper):
    named = {(claim.id, fault) for claim in rows(paper) for fault in claim.faults}
    assert sorted(named - committed(paper).pairs) == []


@pytest.mark.release
@pytest.mark.parametrize("paper", PROJECT.papers)
def test_most_rows_are_turned_by_a_fault_of_the_algorithm(paper):
    kinds = {fault.id: fault.kind for fault in faults.load_faults(PROJECT, paper)}
    assert sum(kind == "algorithm" for kind in kinds.values()) >= 20
    marks = committed(paper).marks
    own = [claim for claim in rows(paper) if claim.statement.kind != "identity" and not claim.needs]
    turned = {row for (row, fault), mark in marks.items() if mark == "X" and kinds.get(fault) == "algorithm"}
    assert len(turned & {claim.id for claim in own}) >= 0.6 * len(own)


def test_no_committed_row_is_vacuous():
    judged = judgement.of_family(PROJECT, Family()).judged
    assert [j.claim.id for claims in judged.values() for j in claims if j.verdict == verdicts.VACUOUS] == []


@pytest.mark.release
def test_faults_that_are_newer_than_the_matrix(capsys):
    """Faults whose sources have changed since, as many as there is time for; `make power` runs them all."""
    start, left, complaints = time.monotonic(), [], []
    with WarmProcess(PROJECT.root) as warm:
        for paper in PROJECT.papers:
            before = evidence.read_power(PROJECT, paper)
            plan = trials.plan(PROJECT, paper)
            stale = evidence.stale(plan, before)
            if before is None or not stale:
                continue
            trials.prepare(plan)
            order = [trials.SOUND, *(name for name in stale if name != trials.SOUND)]
            for number, name in enumerate(order):
                if time.monotonic() - start > LIMIT:
                    left += [f"{paper} {name}" for name in order[number:]]
                    break
                job = plan.jobs[name]
                if trials.ending(job) is None or not job.sound.is_dir():
                    trials.tried(trials.with_limits(plan, job) if job.fault else job, warm)
            if trials.ending(plan.jobs[trials.SOUND]):
                full = evidence.read_power(PROJECT, paper, "full")
                complaints += matrix.matrix_of_plan(PROJECT, plan).complaints(full)
    with capsys.disabled():
        if left:
            print(f"\nnot tried, for lack of time ({len(left)}; `make power` does): {', '.join(left)}")
    assert complaints == []

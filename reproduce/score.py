"""Join the ledgers with what was measured, write the scoreboard and say what must hold and does not."""

from dataclasses import dataclass

from reproduce import ledger, results, scoreboard
from reproduce.paths import Family, write_whole


@dataclass(frozen=True)
class Score:
    """Outcome of a check."""

    lines: list
    file: object
    failed: bool


@dataclass(frozen=True)
class Judgement:
    """What the ledgers and the results say, before anything is written."""

    judged: dict  # {paper: [Judged]}
    strangers: list  # one line per measure that no ledger row stands for


def judge(project, family):
    """Judge one family of runs; for the papers' own parameters, both kinds of data side by side."""
    ledgers = ledger.load_all(project)
    judged, strangers = {}, []
    for paper in sorted({*ledgers, *project.papers}):
        claims = ledgers.get(paper, [])
        found = published(project, paper, family)
        measures = {data: results.measures(content) for data, content in found.items()}
        if claims:
            judged[paper] = scoreboard.judge(claims, measures)
        strangers += scoreboard.unknown_measures(paper, claims, measures)
    return Judgement(judged, strangers)


def check(project, family):
    """Judge one family of runs and write its scoreboard.

    Only the papers' own parameters are held to the claims: at other ones the verdicts are shown and do not
    fail the check.
    """
    outcome = judge(project, family)
    judged, strangers = outcome.judged, outcome.strangers
    file = project.scoreboard(family)
    title = "Scoreboard" if family.is_the_papers_own else f"Scoreboard, {family.suffix}"
    write_whole(file, scoreboard.markdown(judged, title))
    unexplained = any(j.is_unexplained for claims in judged.values() for j in claims)
    # With a reader's own parameters a notebook may measure what no ledger foresees.
    failed = (bool(strangers) and family.overrides is None) or (unexplained and family.is_the_papers_own)
    lines = scoreboard.totals_lines(judged) + strangers
    if family.is_the_papers_own:
        lines += scoreboard.unexplained_lines(judged)
    return Score(lines, file, failed)


def families(family):
    """`{data: Family}` of all that is shown side by side with that family."""
    datas = ("bundled", "full") if family.is_the_papers_own else (family.data,)
    return {data: Family(family.profile, data, family.overrides) for data in datas}


def published(project, paper, family):
    """`{data: results.json}` of a paper, where there is one."""
    found = {d: results.read(project.destination(paper, f).folder) for d, f in families(family).items()}
    return {data: content for data, content in found.items() if content is not None}

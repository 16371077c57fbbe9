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


def check(project, family):
    """Judge one family of runs; for the papers' own parameters, both kinds of data side by side.

    Only the papers' own parameters are held to the claims: at other ones the verdicts are shown and do not
    fail the check.
    """
    ledgers = ledger.load_all(project)
    datas = ("bundled", "full") if family.is_the_papers_own else (family.data,)
    judged, strangers = {}, []
    for paper in sorted({*ledgers, *project.papers}):
        claims = ledgers.get(paper, [])
        measures = _measures(project, paper, family, datas)
        if claims:
            judged[paper] = scoreboard.judge(claims, measures)
        strangers += scoreboard.unknown_measures(paper, claims, measures)
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


def _measures(project, paper, family, datas):
    found = {}
    for data in datas:
        one = Family(family.profile, data, family.overrides)
        content = results.read(project.destination(paper, one).folder)
        if content is not None:
            found[data] = results.measures(content)
    return found

"""A scoreboard's files: Markdown for readers, and JSON with its schema for programs."""

from dataclasses import dataclass
from pathlib import Path

from reproduce.library import write_whole
from reproduce.scoring import as_json, judgement, quotes, scoreboard


@dataclass(frozen=True)
class Score:
    """A scoreboard that was written, what to print about it, and whether it fails the check."""

    file: Path
    lines: list
    failed: bool


def write_scores(project, family):
    """Judge one family of runs and write its scoreboard.

    Claims that must hold and do not, and numbers that prose quotes otherwise, are listed for the papers' own
    parameters only; at other ones the verdicts are shown.
    """
    outcome = judgement.of_family(project, family)
    file = project.scoreboard(family)
    title = "Scoreboard" if family.is_the_papers_own else f"Scoreboard, {family.suffix}"
    found = {
        paper: scoreboard.Evidence.of(project, paper, claims) for paper, claims in outcome.judged.items()
    }
    write_whole(file, scoreboard.markdown(outcome.judged, title, found))
    data, schema = as_json.texts(outcome.judged, title, found)
    write_whole(file.with_name(f"{file.stem.lower()}.json"), data)
    write_whole(file.with_name(as_json.SCHEMA_NAME), schema)
    lines = scoreboard.totals_lines(outcome.judged) + outcome.strangers
    if not family.is_the_papers_own:
        return Score(file, lines, outcome.failed)
    wrong = quotes.wrong(project, outcome.judged)
    lines += scoreboard.unexplained_lines(outcome.judged) + wrong
    return Score(file, lines, outcome.failed or bool(wrong))

"""`check`: compare measured and printed values; exit 1 if a claim that must hold does not."""

from reproduce.commands import options
from reproduce.publication import committed, origin
from reproduce.scoring import measuring, scores

HELP = "compare what the published tables measure with what the papers print, without running anything"


def configure(parser):
    options.add_family(parser)


def main(project, args):
    """Measure anew from the published tables, write the scoreboard, and return the exit code."""
    family = options.family(project, args)
    changed = measuring.refresh(project, family)
    outcome = scores.write_scores(project, family)
    print(
        *(f"Measured anew: {project.shown(each.folder)}" for each in changed),
        *outcome.lines,
        *origin.notes(project, family),
        *committed.notes(project, family),
        "",
        f"Scoreboard: {project.shown(outcome.file)}",
        sep="\n",
    )
    return 1 if outcome.failed else 0

"""The scoreboard's tables and lists, and the list of notebooks."""

from reproduce.library import verdicts
from reproduce.scoring import scoreboard
from reproduce.site import markup
from reproduce.site.markup import badge, bullets, code, link, paragraph, section, typeset

EXPLAINED = [v for v in verdicts.ALL if v not in (verdicts.REPRODUCED, verdicts.IDENTITY)]


def totals(shown, claims=""):
    """Return the scoreboard's first table: whose statements, and how many of each verdict.

    Parameters
    ----------
    claims : str
        Where the pages of claims are, seen from the page that shows it.
    """
    if not shown.outcome.judged:
        return [paragraph("No ledger of claims was found in reproduce/claims/.", classes=["missing"])]
    names = [scoreboard.WITH_POWER, scoreboard.WITHOUT_POWER, *verdicts.ALL[1:]]
    counts = scoreboard.summary(shown.outcome.judged, shown.evidence)
    whose = {scoreboard.ALL: "the papers' statements", scoreboard.OURS: scoreboard.OURS}
    rows = [
        [title, *(str(counts[name][v]) for v in (scoreboard.WITH_POWER, *verdicts.ALL))]
        for name, title in whose.items()
        if name in counts
    ]
    return [_turned(["", *names], rows, claims)]


def _turned(header, rows, claims):
    """Return a table with a line for each verdict, which a narrow screen shows whole."""
    lines = [
        [_to_list(name, claims), *(row[i] for row in rows)]
        for i, name in enumerate(header[1:], 1)
        if any(row[i] != "0" for row in rows)
    ]
    return markup.table(["verdict", *(row[0] for row in rows)], lines, numbers=range(1, len(rows) + 1))


def _to_list(name, claims):
    return link(name, f"{claims}#{markup.slug(name)}") if name in EXPLAINED else name


def page(shown):
    """Return the scoreboard below its title."""
    judged = shown.outcome.judged
    made = totals(shown)
    if judged:
        made.append(_by_paper(shown))
    made += [paragraph(line.replace("`", ""), classes=["missing"]) for line in shown.strange]
    meaning = [[badge(name), f" {text}."] for name, text in verdicts.MEANING.items()]
    made.append(section("What the verdicts mean", "meaning", paragraph(verdicts.INTERVAL), bullets(meaning)))
    for verdict in EXPLAINED:
        found = [(name, j) for name, claims in judged.items() for j in claims if j.verdict == verdict]
        if found:
            made.append(_verdict(shown, verdict, found))
    return made


def _by_paper(shown):
    counts = scoreboard.summary(shown.outcome.judged)
    used = [v for v in verdicts.ALL if any(count[v] for count in counts.values())]
    rows = [
        [link(name, f"{name}.html") if name in shown.papers else name, *(str(count[v]) for v in used)]
        for name, count in counts.items()
    ]
    return markup.table(["the papers' statements", *used], rows, numbers=range(1, len(used) + 1))


def _verdict(shown, verdict, found):
    items = [
        [link(code(j.claim.id), shown.papers[paper].cards[j.claim.id]), " ", *typeset(j.claim.statement.says)]
        for paper, j in found
    ]
    return section(verdict[:1].upper() + verdict[1:], markup.slug(verdict), bullets(items))


def notebooks(shown):
    """Return the list of notebooks, with whether each is shown as it ran."""
    items = []
    for name, paper in shown.papers.items():
        if paper.notebook:
            state = (
                "as it ran" if paper.notebook.has_run else "with the published figures; it has not run here"
            )
            items.append([link(paper.title, f"{name}.html"), f", {state}"])
    return [bullets(items)] if items else [paragraph("There is no notebook.", classes=["missing"])]

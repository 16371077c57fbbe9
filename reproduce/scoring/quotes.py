"""Numbers that prose quotes, held against what is measured now.

A quote is a link to the claim's row in its ledger whose words are the number, such as
`[0.13 %](../reproduce/claims/max_loss.toml#experiment-1.train-error)`: readers of a code host and of the site
come to where the number is from. It must be the measured value in as many digits as it has; of a row that was
measured on both kinds of data that on the papers' own, unless its words end with "on bundled data".
"""

import contextlib
import re

from reproduce import reading
from reproduce.publication.results import Measure

QUOTE = re.compile(
    r"\[(?P<words>(?P<number>-?\d[\d,]*(?:\.\d+)?)(?P<percent> ?%)?(?P<bundled> on bundled data)?)\]"
    r"\([^()\s#]*claims/(?P<paper>\w+)\.toml#(?P<claim>[\w.-]+)\)"
)


def pages(project):
    """Yield the name and the prose of each page that may quote; others complain of what cannot be read."""
    own = [project.root / "README.md", project.figures / "GALLERY.md", *sorted(project.docs.rglob("*.md"))]
    for path in [*own, *map(project.notebook, project.papers)]:
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            text = path.read_text(encoding="utf-8")
            if path.suffix == ".ipynb":
                cells = reading.json_text(text)["cells"]
                text = "\n".join("".join(each["source"]) for each in cells if each["cell_type"] == "markdown")
            yield path.relative_to(project.root).as_posix(), text


def wrong(project, judged):
    """Return one line for each quote that is not what was measured.

    Parameters
    ----------
    judged : dict
        `{paper: [Judged]}`.
    """
    known = {(paper, j.claim.id): j for paper, claims in judged.items() for j in claims}
    return [
        f"{page}: quotes {quote['words']} of {quote['paper']} {quote['claim']}, {complaint}"
        for page, text in pages(project)
        for quote in QUOTE.finditer(text)
        if (complaint := _complaint(quote, known.get((quote["paper"], quote["claim"]))))
    ]


def _complaint(quote, j):
    if j is None:
        return "which no ledger has"
    datas = ["bundled"] if quote["bundled"] else ["full", "bundled"]
    data = next((each for each in datas if j.claim.id in j.measures.get(each, {})), None)
    if data is None:  # which is no fault of the page where its data have not been run
        return "which was not measured" if {"bundled", "full"} <= j.measures.keys() else None
    value = Measure(*j.measures[data][j.claim.id]).value * (100 if quote["percent"] else 1)
    number = quote["number"].replace(",", "")
    measured = f"{value:.{len(number.partition('.')[2])}f}"
    if float(measured) == float(number):
        return None
    return f"measured on {data} data is {measured}{quote['percent'] or ''}"

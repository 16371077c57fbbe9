"""The pages of a paper's claims: each beside its figure or table, with what speaks for it."""

import math

from docutils import nodes
from sphinx import addnodes

from reproduce.library import verdicts
from reproduce.scoring import scoreboard
from reproduce.site import intervals, markup
from reproduce.site.markup import code, facts, link, paragraph, section, typeset

FIGURES = "figures"  # folder of the published files among Sphinx's sources
TESTS = 2  # named for a claim, at most
FACTS = {
    "seed": "seed",
    "Python": "python",
    "platform": "platform",
    "source commit": "source_commit",
    "key": "key",
}


def page(paper):
    """Return the nodes of a paper's page, below its title."""
    made = [_introduction(paper), *_by_verdict(paper), *_filter(paper)]
    made += [
        section(group.title, f"shown-{group.page}", *(_rows if paper.is_split else _whole)(paper, group))
        for group in paper.groups
    ]
    return [*made, _provenance(paper)]


def page_of_group(paper, name):
    """Return the nodes of the page of one group, below its title."""
    pages = [group.page for group in paper.groups]
    at = pages.index(name)
    ways = [link(f"All claims of {paper.name}", f"../{paper.name}.html")]
    if at + 1 < len(pages):
        ways += [". Next: ", link(paper.groups[at + 1].title, f"{pages[at + 1]}.html")]
    return [*_whole(paper, paper.groups[at]), paragraph(*ways, ".")]


def _introduction(paper):
    parts = [f"{paper.title}. "]
    if paper.notebook:
        parts += [
            "Everything here was measured in ",
            link("the notebook", f"../notebooks/{paper.name}.html"),
            ". ",
        ]
    if said := scoreboard.about(paper.evidence):
        parts.append(said.replace("`", ""))
    if not paper.datas:
        parts += ["Nothing is published yet: ", code(f"python -m reproduce run {paper.name}"), " does that."]
    return paragraph(*parts)


def _by_verdict(paper):
    """Return the count of each verdict, with links to the claims that are not simply reproduced."""
    items = []
    for verdict in verdicts.ALL:
        found = [j.claim.id for j in paper.judged if j.verdict == verdict]
        links = [part for name in found for part in (", ", link(code(name), paper.cards[name]))][1:]
        if verdict == verdicts.REPRODUCED:
            links = []
        if found:
            items.append([markup.badge(verdict), f": {len(found)}", *([": "] if links else []), *links])
    return [markup.bullets(items)] if items else []


def _filter(paper):
    """Return boxes that show and hide the claims of each verdict; `site.js` does the rest."""
    counts = {v: sum(j.verdict == v for j in paper.judged) for v in verdicts.ALL}
    found = [verdict for verdict, count in counts.items() if count]
    if len(found) < 2:
        return []
    boxes = "".join(
        f'<label class="verdict {markup.slug(v)}"><input type="checkbox" value="{markup.slug(v)}" checked/> '
        f"{markup.SYMBOLS[v]} {v}</label>"
        for v in found
    )
    return [
        nodes.raw(
            "",
            f'<fieldset class="filter" hidden><legend>Show the claims that are</legend>{boxes}'
            '<span class="shown" role="status"></span></fieldset>',
            format="html",
        )
    ]


def _rows(paper, group):
    """Return a link to the page of a group, and a line for each of its claims, which leads to its card."""
    rows = [
        nodes.list_item(
            "",
            paragraph(
                link(nodes.inline("", "", *typeset(j.claim.where), nodes.Text(" "), code(j.claim.id)),
                     paper.cards[j.claim.id]),
                " (ours) " if j.claim.ours else " ", markup.badge(j.verdict),
            ),
            ids=[j.claim.id], classes=["claim", markup.slug(j.verdict)],
        )
        for j in group.judged
    ]  # fmt: skip
    what = "All of these on one page" if group.judged else f"{len(group.exhibits)} figures and tables"
    return [paragraph(link(what, paper.address(group))), *([nodes.bullet_list("", *rows)] if rows else [])]


def _whole(paper, group):
    """Return a group with all that is said of its claims."""
    shown = [node for exhibit in group.exhibits for node in _exhibit(paper, exhibit)]
    claims = [claim(paper, j) for j in group.judged]
    both = [nodes.container("", *shown, classes=["exhibits"])] if shown else []
    return both + ([nodes.container("", *claims, classes=["claims"])] if claims else [])


def claim(paper, j):
    """Return one claim; its id is its address on the page."""
    where = paragraph(
        *typeset(j.claim.where), " ", link(code(j.claim.id), f"#{j.claim.id}"), " ", markup.badge(j.verdict),
        classes=["where"],
    )  # fmt: skip
    says = paragraph(
        *typeset(j.claim.statement.says), *([" (ours)"] if j.claim.ours else []), classes=["says"]
    )
    notes = [
        paragraph(*([nodes.strong("", f"{label}: ")] if label else []), *typeset(text), classes=["note"])
        for label, text in scoreboard.explanation(j)
    ]
    drawn = intervals.picture(j)
    shown = [nodes.raw("", drawn, format="html")] if drawn else []
    evidence = facts([*_facts(j), *_evidence(paper, j)], ["facts", "evidence"])
    folded = markup.folded("Evidence", evidence) if evidence.children else []
    return nodes.container(
        "", where, says, paragraph(*_sentence(j), classes=["sentence"]), *shown, *notes, *folded,
        ids=[j.claim.id], classes=["claim", markup.slug(j.verdict)],
    )  # fmt: skip


SENTENCES = {
    verdicts.REPRODUCED: "It comes out",
    verdicts.CORRECTED: "It does not come out as printed, and does as corrected",
    verdicts.DIFFERS: "It does not come out",
    verdicts.INCONCLUSIVE: "It is not decided",
    verdicts.VACUOUS: "It would hold for any method",
    verdicts.IDENTITY: "It holds whatever the code does",
    verdicts.NOT_RUN: "It was not run here",
    verdicts.NOT_CHECKABLE: "No run can check it",
}


def _sentence(j):
    """Return the verdict in words, with what is printed and what was measured."""
    printed, measured = _printed(j.claim.statement), _measured(j)
    said = [nodes.strong("", SENTENCES[j.verdict])]
    if printed and measured and j.claim.checkable:
        wanted = "printed" if j.claim.statement.kind == "value" else "wanted"
        found = measured if len(measured) > 1 else [("", measured[0][1])]
        numbers = " and ".join(f"{text} on {datas} data" if datas else text for datas, text in found)
        said.append(f": {wanted} {printed[0]}, measured {numbers}")
    return [*said, "."]


def _facts(j):
    return [
        ("paper", _printed(j.claim.statement)),
        ("allowed", _allowed(j.claim) if j.claim.checkable else []),
        *[(f"measured, {datas} data", [text]) for datas, text in _measured(j)],
        ("needs", [j.claim.needs] if j.claim.needs and j.claim.checkable and not _measured(j) else []),
    ]


def _evidence(paper, j):
    seeds = scoreboard.seeds(paper.evidence.seeds.get(j.claim.id))
    says = "judged together; the same verdict on" if j.pooled.get("bundled") else "the same verdict on"
    cells = paper.notebook.cells if paper.notebook else {}
    cell = cells.get(j.claim.id, cells.get(j.claim.shown))
    return [
        ("cases", [scoreboard.cases(j)] if scoreboard.cases(j) else []),
        ("other seeds", [f"{says} {seeds}"] if seeds else []),
        ("errors that turn it", _power(paper, j)),
        (
            "cell",
            [link(f"cell {cell}", _cell(paper, cell))] if cell is not None else [],
        ),
        ("tested by", _tests(paper, j)),
    ]


def _cell(paper, number):
    """Return the address of a cell, seen from where the claims are."""
    return f"{'../' * (1 + paper.is_split)}notebooks/{paper.name}.html#cell-{number}"


def _tests(paper, j):
    """Return the names of the tests of what measures a claim, with links to them where they are on a host."""
    parts: list = []
    for test in paper.tests.get(j.claim.id, [])[:TESTS]:
        name, source = code(f"{test.file}::{test.name}"), f"{paper.sources}/{test.file}#L{test.line}"
        parts += [", ", link(name, source) if paper.sources else name]
    return parts[1:]


def _power(paper, j):
    """Return the deliberate errors that turn the claim, each with what it does as its title."""
    power = paper.evidence.power
    if power is None or not j.claim.checkable:
        return []
    turned = power.turned(j.claim)
    parts = []
    for name in turned:
        says = paper.faults[name].says if name in paper.faults else ""
        parts += [
            *(["; "] if parts else []),
            code(name),
            *([": ", *typeset(says.rstrip("."))] if says else []),
        ]
    return parts


def _printed(statement):
    """Return the paper's number in the form in which the claim is checked."""
    if statement.kind in ("order", "trend"):
        return ["> 0"]
    if statement.paper is None:
        return []
    number = f"{statement.paper:.4g}"
    if statement.kind == "bound":
        return [f"{'≤' if statement.sense == 'at most' else '≥'} {number}"]
    return [number + (f" ± {statement.paper_stderr:.2g}" if statement.paper_stderr else "")]


def _allowed(claim):
    """Return what the measured interval has to lie in, where that is more than the paper's number."""
    statement = claim.statement
    if not (statement.tolerance or statement.paper_stderr) or statement.kind in ("order", "trend"):
        return []
    low, high = verdicts.allowed(statement)
    if statement.kind == "bound":
        return [f"≤ {high:.4g}" if math.isinf(low) else f"≥ {low:.4g}"]
    return [f"{low:.4g} to {high:.4g}"]


def _measured(j):
    """Return `[(kinds of data, number)]`, with the verdict where it is another."""
    found = {}
    for data, verdict in j.by_data.items():
        if text := scoreboard.measured(j, data):
            text += f" ({verdict})" if verdict != j.verdict else ""
            found.setdefault(text, []).append(data)
    return [(" and ".join(datas), text) for text, datas in found.items()]


def _exhibit(paper, exhibit):
    several = len(paper.datas) > 1
    for variant in exhibit.variants:
        on = f", {' and '.join(variant.datas)} data" if several else ""
        if variant.problem:
            yield paragraph(variant.problem, classes=["missing"])
        elif exhibit.kind == "figure":
            yield _figure(paper, exhibit, variant, on)
        else:
            yield from _table(exhibit, variant, on)


def _figure(paper, exhibit, variant, on):
    picture = nodes.image(uri=f"/{variant.file}", alt=variant.alt)
    caption = [nodes.Text(f"{exhibit.title}{on}")]
    cell = paper.notebook.figures.get(exhibit.name) if paper.notebook else None
    if cell is not None:
        caption += [
            nodes.Text(", made by "),
            link(f"cell {cell}", _cell(paper, cell)),
        ]
    return nodes.figure("", picture, nodes.caption("", "", *caption))


def _table(exhibit, variant, on):
    content = variant.content
    numbers = [i for i, is_number in enumerate(content.numbers) if is_number and i]
    rows = [[cell.shown for cell in row] + [""] * (len(content.header) - len(row)) for row in content.rows]
    made = markup.table(content.header, rows, numbers=numbers)
    made["classes"].append("data")
    more = [f"{variant.more} more rows are in the file. "] if variant.more else []
    file = addnodes.download_reference("", "", nodes.Text("All digits as CSV"), reftarget=f"/{variant.file}")
    yield from markup.folded(f"Table: {exhibit.title}{on}", made, paragraph(*more, file))


def _provenance(paper):
    made = []
    for data, block in paper.provenance.items():
        rows = [(label, [code(block[name])]) for label, name in FACTS.items() if block.get(name) is not None]
        for label in ("parameters", "packages"):
            pairs = block.get(label)
            text = (
                ", ".join(f"{k} = {v}" for k, v in sorted(pairs.items())) if isinstance(pairs, dict) else ""
            )
            rows.append((label, [text] if text else []))
        made += markup.folded(f"On {data} data", facts(rows, ["facts"]))
    return section(
        "How these results were made", "provenance", *(made or [paragraph("No results, no provenance.")])
    )

"""The page put together: ledgers, results, records and executed notebooks as plain data, then as HTML."""

import base64
import hashlib
import re
from importlib import resources

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from reproduce.library import write_whole
from reproduce.publication import record, results
from reproduce.report import exhibits, groups, notebooks
from reproduce.scoring import judgement, scoreboard, verdicts

SYMBOLS = {
    verdicts.REPRODUCED: "✓",
    verdicts.CORRECTED: "✎",
    verdicts.DIFFERS: "≠",
    verdicts.INCONCLUSIVE: "?",
    verdicts.VACUOUS: "∅",
    verdicts.IDENTITY: "=",
    verdicts.NOT_RUN: "○",
    verdicts.NOT_CHECKABLE: "–",
}
FACTS = {
    "profile": "profile",
    "seed": "seed",
    "Python": "python",
    "platform": "platform",
    "source commit": "source_commit",
    "key": "key",
}


def write(project, family):
    """Write the report of one family of runs and return its file."""
    path = project.report(family)
    write_whole(path, page(project, family))
    return path


def page(project, family):
    """Return the whole page; the same text for the same files."""
    outcome = judgement.of_family(project, family)
    papers = [
        paper(project, family, name, outcome.judged.get(name, []))
        for name in sorted({*outcome.judged, *project.papers})
    ]
    claims = [claim for p in papers for group in p["groups"] for claim in group["claims"]]
    environment = Environment(
        loader=PackageLoader("reproduce.report", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["anchor"] = anchor
    style, script = (Markup(_asset(name)) for name in ("style.css", "filter.js"))
    return environment.get_template("page.html.j2").render(
        title="Reproduction report" + ("" if family.is_the_papers_own else f", {family.suffix}"),
        is_the_papers_own=family.is_the_papers_own,
        papers=papers,
        count=len(claims),
        verdicts=[
            {"name": v, "symbol": SYMBOLS[v], "count": sum(c["verdict"] == v for c in claims)}
            for v in verdicts.ALL
        ],
        legend=verdicts.MEANING.items(),
        totals=scoreboard.totals(outcome.judged),
        strangers=outcome.strangers,
        style=style,
        script=script,
        policy="; ".join(
            [
                "default-src 'none'",
                "img-src data:",
                f"style-src {_sha256(style)}",
                f"script-src {_sha256(script)}",
                "base-uri 'none'",
                "form-action 'none'",
            ]
        ),
    )


def paper(project, family, name, judged):
    """Return one paper's part of the page, as plain data."""
    destinations = {data: project.destination(name, f) for data, f in family.by_data.items()}
    published = results.published(project, name, family)
    folders = {data: destination.folder for data, destination in destinations.items()}
    shown = exhibits.load(project, folders, published)
    return {
        "name": name,
        "title": notebooks.title(project.notebook(name)),
        "groups": [
            {"title": g.title, "name": g.name, "exhibits": g.exhibits, "claims": [claim(j) for j in g.judged]}
            for g in groups.make(name, judged, shown)
        ],
        "datas": list(published),
        "runs": [
            run(project, name, family.by_data[data], destination, published.get(data))
            for data, destination in destinations.items()
        ],
    }


def claim(j):
    """Return one claim with what was measured for it."""
    return {
        "id": j.claim.id,
        "where": j.claim.where,
        "says": j.claim.statement.says,
        "paper": _printed(j.claim.statement),
        "measured": _measured(j),
        "needs": j.claim.needs if j.claim.checkable else "",
        "verdict": j.verdict,
        "symbol": SYMBOLS[j.verdict],
        "notes": scoreboard.explanation(j),
    }


def run(project, name, family, destination, content):
    """Return where one kind of data's results come from, and the time that they took here."""
    known = record.read(project, destination) or {}
    provenance = (content or {}).get("provenance")
    provenance = provenance if isinstance(provenance, dict) else {}
    options = [f"--profile {family.profile}"] if family.profile != "paper" else []
    options += [f"--data {family.data}"] if family.data != "bundled" else []
    executed = project.executed(destination)
    return {
        "data": family.data,
        "command": " ".join(["python -m reproduce run", name, *options]),
        "published": content is not None,
        "facts": {label: provenance.get(key) for label, key in FACTS.items()},
        "parameters": _pairs(provenance.get("parameters")),
        "packages": _pairs(provenance.get("packages")),
        "sources": [_source(entry) for entry in (content or {}).get("data", [])],
        # A record of another key is of another run than the published one.
        "seconds": known.get("seconds") if known.get("key") == provenance.get("key") else None,
        "executed": notebooks.read(executed),
        "is_unreadable": executed.exists(),
    }


def _pairs(mapping):
    return sorted(mapping.items()) if isinstance(mapping, dict) else []


def _source(entry):
    """Return one data set as `(name and shape, sha256)`."""
    if not isinstance(entry, dict):
        return str(entry), ""
    shape = entry.get("shape")
    size = f" ({' × '.join(map(str, shape))})" if isinstance(shape, list) else ""
    return f"{entry.get('name', 'unnamed')}{size}", entry.get("sha256", "")


def anchor(*names):
    """Return an id of the page, from names that may hold anything."""
    return "--".join(re.sub(r"[^\w.-]+", "-", name) for name in names)


def _printed(statement):
    """Return the paper's own number, as the claim is held to it."""
    if statement.kind in ("order", "trend"):
        return "> 0"
    if statement.paper is None:
        return ""
    number = f"{statement.paper:.4g}"
    if statement.kind == "bound":
        return f"{'≤' if statement.sense == 'at most' else '≥'} {number}"
    return number + (f" ± {statement.paper_stderr:.2g}" if statement.paper_stderr else "")


def _measured(j):
    """Return `[(kinds of data, number, its verdict where that is not the claim's)]`, equal numbers once."""
    found = {}
    for data, verdict in j.by_data.items():
        if text := scoreboard.measured(j, data):
            found.setdefault((text, verdict if verdict != j.verdict else ""), []).append(data)
    return [(" and ".join(datas), *outcome) for outcome, datas in found.items()]


def _asset(name):
    return (resources.files("reproduce.report") / "page" / name).read_text(encoding="utf-8")


def _sha256(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

"""Numbers that prose quotes, by links to their claims."""

import json

import pytest

from reproduce.paths import Family, Project
from reproduce.publication.results import Measure
from reproduce.scoring import judgement, quotes
from reproduce.scoring.ledger import Claim, Statement

CLAIMS = [Claim(name, "Table 1", Statement("1", "exact", 1.0)) for name in ("one", "few", "none")]
MEASURES = {
    "bundled": {"one": Measure(0.2), "few": Measure(1234.4)},
    "full": {"one": Measure(0.001278527)},
}
JUDGED = {"alpha": judgement.of_claims(CLAIMS, MEASURES)}


def wrong(project, text, page="docs/how_to/x.md"):
    project.write(page, text)
    return quotes.wrong(Project(project.root), JUDGED)


def link(words, claim="one", folder="../../reproduce/"):
    return f"It is [{words}]({folder}claims/alpha.toml#{claim})."


@pytest.mark.parametrize(
    ("words", "claim"),
    [
        ("0.0013", "one"),
        ("0.13 %", "one"),
        ("0.128 %", "one"),
        ("0.2 on bundled data", "one"),
        ("20 % on bundled data", "one"),
        ("1,234", "few"),
        ("1234.4", "few"),
        ("Theorem 1", "one"),  # no quote
        ("Theorem 1", "gone"),
        ("13 of them", "one"),
    ],
)
def test_what_is_measured_passes(project, words, claim):
    assert wrong(project, link(words, claim)) == []


@pytest.mark.parametrize(
    ("words", "claim", "says"),
    [
        ("0.14 %", "one", "measured on full data is 0.13 %"),
        ("0.2", "one", "measured on full data is 0.0"),
        ("0.13 % on bundled data", "one", "measured on bundled data is 20.00 %"),
        ("1,235", "few", "measured on bundled data is 1234"),
        ("-1234", "few", "measured on bundled data is 1234"),
        ("3", "none", "which was not measured"),
        ("3", "gone", "which no ledger has"),
    ],
)
def test_any_other_number_is_a_line(project, words, claim, says):
    assert wrong(project, link(words, claim)) == [
        f"docs/how_to/x.md: quotes {words} of alpha {claim}, {says}"
    ]


@pytest.mark.parametrize("measures", [{}, {"bundled": MEASURES["bundled"]}])
def test_what_has_not_been_run_here_is_no_mistake(project, measures):
    project.write("README.md", link("3", "none", folder="reproduce/"))
    judged = {"alpha": judgement.of_claims(CLAIMS, measures)}
    assert quotes.wrong(Project(project.root), judged) == []


@pytest.mark.parametrize("page", ["README.md", "figures/GALLERY.md", "docs/x.md"])
def test_pages_that_quote(project, page):
    [line] = wrong(project, link("3", folder="reproduce/"), page)
    assert line.startswith(f"{page}: quotes 3 of alpha one")


def test_prose_of_notebooks_quotes_and_code_does_not(project):
    path = project.root / "notebooks/alpha.ipynb"
    content = json.loads(path.read_text())
    content["cells"][0]["source"] = ["# Alpha\n", link("3")]
    content["cells"][2]["source"] = f"# {link('4')}"
    path.write_text(json.dumps(content))
    [line] = quotes.wrong(Project(project.root), JUDGED)
    assert line.startswith("notebooks/alpha.ipynb: quotes 3 of alpha one")


@pytest.mark.parametrize("command", ["check", "site"])
def test_a_number_that_no_longer_holds_fails(published, command):
    if command == "site":
        pytest.importorskip("sphinx")
    published.write("docs/x.md", f"# X\n\n{link('14', folder='../reproduce/')}\n")
    done = published.call(command)
    assert done.code == 1
    assert "docs/x.md: quotes 14 of alpha one, measured on bundled data is 13\n" in done.out + done.err


def test_what_the_project_quotes_holds():
    project = Project()
    judged = judgement.of_family(project, Family()).judged
    assert sum(len(quotes.QUOTE.findall(text)) for _, text in quotes.pages(project)) >= 5
    assert quotes.wrong(project, judged) == []

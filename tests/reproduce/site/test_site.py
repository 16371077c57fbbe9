"""The site of a small project."""

import json
import re
import zipfile

import pytest

from reproduce.errors import UsageError
from reproduce.paths import Family, Project
from reproduce.site import build as build_module
from tests.reproduce.site.browser import SMALL

HOSTILE = (
    "</script><script>window.pwned=1</script>\"'><img src=x onerror=window.pwned=1>&amp;<b>${x}{{ 7*7 }}"
)
ROWS = [
    'id = "a"\nkind = "exact"\npaper = 1\nreason = "why it differs"\nfound = [2, 0]',
    'id = "b"\nkind = "exact"\npaper=1\ncorrected = {says = "it is n^2", paper=2, counterexample = "n = 3"}',
    'id = "c"\nkind = "order"\ncheckable = false\nreason = "about all of R"',
    'id = "d"\nkind = "order"\nneeds = "torch"',
    'id = "lemma-3.1.size"\nkind = "bound"\nsense = "at least"\npaper = 0.5\ntolerance = 0.05',
]


@pytest.fixture(scope="module")
def built(run_once, site_of, tmp_path_factory):
    """The site of two papers that have run; not to be changed."""
    done = run_once.call("site")
    assert done.code == 0, done
    first, *progress, last = done.out.splitlines()
    assert first.startswith("Reading the ledgers")
    assert re.fullmatch(r"Site: build/site/index\.html \(\d+ pages, [\d.]+ MB\)", last), done
    pages = re.fullmatch(r"Wrote (\d+) of \1 pages", progress[-1])[1]
    assert f"Read {pages} of {pages} pages" in progress and 2 < len(progress) <= 8
    return site_of(run_once.root / "build" / "site")


def build(mini, site_of, *args):
    done = mini.call("site", *args)
    assert done.code == 0, done
    return site_of(mini.root / "build" / ("site-smoke-bundled" if args else "site"))


@pytest.mark.slow
def test_everything_leads_somewhere_and_nothing_elsewhere(built):
    assert built.broken() == []
    assert built.loads_from_elsewhere() == []
    for page in built.pages:
        assert len(page.ids) == len(set(page.ids)), page.path


@pytest.mark.parametrize("name", ["claims/alpha.html", "notebooks/alpha.html"])
def test_in_a_browser_nothing_complains_and_nothing_overflows(built, browser, name):
    """Of all pages of the real site `test_site_browser` asks this, and more."""
    driver = browser.opened(built.folder, name, width=390)
    assert browser.complaints() == []
    assert [url for url in browser.asked() if not url.startswith(("file:///", "data:", "about:"))] == []
    assert driver.execute_script("return document.documentElement.scrollWidth") <= 390
    assert driver.execute_script(SMALL) == []


def test_the_notebook_is_shown_as_it_ran(built):
    page = built.page("notebooks/alpha.html")
    assert "As it ran: python -m reproduce run alpha made every figure" in page.words
    assert "value = base + n_trials" in page.text
    assert "stage" not in page.text  # the run's own folder
    assert "cell-3" in page.ids
    assert page.all("img") == []  # this one's cells display nothing


def test_a_notebook_can_be_had_as_a_file(built):
    page = built.page("notebooks/alpha.html")
    [file] = [a["href"] for a in page.all("a", **{"class": "download"}) if a["href"].endswith("alpha.ipynb")]
    notebook = (page.path.parent / file).resolve()
    assert json.loads(notebook.read_text(encoding="utf-8"))["cells"]


@pytest.mark.slow
def test_a_notebook_opens_elsewhere_where_the_address_is_known(published, site_of, monkeypatch):
    monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)
    assert "mybinder" not in build(published, site_of).page("notebooks/alpha.html").html
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://github.com")
    monkeypatch.setenv("GITHUB_REPOSITORY", "some/fork")
    assert "https://github.com/some/fork/blob/HEAD/notebooks/alpha.ipynb" in ways_out(published, site_of)
    published.write("pyproject.toml", '[project]\nurls = {Repository = "https://github.com/the/first.git"}\n')
    found = ways_out(published, site_of)
    assert "https://mybinder.org/v2/gh/the/first/HEAD?urlpath=lab/tree/notebooks/alpha.ipynb" in found
    assert "https://codespaces.new/the/first" in found


def test_the_tests_of_a_claim_are_linked_where_the_address_is_known(published, site_of):
    published.write("tests/test_work.py", "import this\n\n\ndef test_one():\n    pass\n")
    published.write("figures/evidence/alpha/tests.csv", "claim,test\none,tests/test_work.py::test_one\n")
    published.write("pyproject.toml", '[project]\nurls = {Repository = "https://github.com/the/first.git"}\n')
    page = build(published, site_of).page("claims/alpha.html")
    assert "tests/test_work.py::test_one" in page.words
    linked = "https://github.com/the/first/blob/HEAD/tests/test_work.py#L4"
    assert linked in [a.get("href") for a in page.all("a")]


def ways_out(project, site_of):
    page = build(project, site_of).page("notebooks/alpha.html")
    return [a["href"] for a in page.all("a") if a.get("href", "").startswith("https://")]


def test_a_claim_has_an_address_and_what_speaks_for_it(built):
    page = built.page("claims/alpha.html")
    [claim] = page.all("div", id="one")
    assert "reproduced" in claim["class"].split()
    assert "the value is 13" in page.words
    assert "✓ reproduced" in page.words
    assert page.all("img")[0]["alt"].startswith("Figure 1")
    assert any("(one): the value is 13" in name for name in search_index(built))


def search_index(site):
    """All names of things that a search finds, as `prefix.name`."""
    text = (site.folder / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
    return {
        f"{prefix}.{entry[-1]}".removeprefix(".")
        for prefix, found in index["objects"].items()
        for entry in found
    }


@pytest.mark.slow
def test_the_same_again_is_the_same_bytes(published):
    sites = []
    for _ in range(2):
        done = published.call("report")
        assert done.code == 0, done
        sites.append((published.root / "build/report.zip").read_bytes())
    assert sites[0] == sites[1]
    assert re.fullmatch(r"Report: build/report\.zip \([\d.]+ MB\)", done.out.splitlines()[-1]), done
    with zipfile.ZipFile(published.root / "build/report.zip") as archive:
        assert archive.testzip() is None
        names = archive.namelist()
    assert "report/index.html" in names
    assert {name.split("/")[0] for name in names} == {"report"}
    assert sorted(p.name for p in (published.root / "build").glob("report*")) == ["report.zip"]


@pytest.mark.slow
def test_nothing_has_been_run(project, site_of):
    site = build(project, site_of)
    assert site.broken() == []
    assert "has not run the notebook" in site.page("notebooks/alpha.html").words
    assert "python -m reproduce run alpha does that" in site.page("claims/alpha.html").words
    assert not (project.root / "figures").exists()


def test_a_clone_shows_the_published_figures_in_their_cells(published, site_of):
    (published.root / "figures/alpha/notebook.ipynb").unlink()
    published.notebook("alpha", 'record.figure("figure-1", fig)')
    page = build(published, site_of).page("notebooks/alpha.html")
    assert "Its cells show the published figures" in page.words
    [picture] = page.all("img")
    assert picture["alt"].startswith("Figure 1")


def test_every_reason_is_given(project, site_of):
    text = "".join(f'[[claim]]\nwhere = "Table 1"\nsays = "it is O(n^2)"\n{row}\n' for row in ROWS)
    project.write("reproduce/claims/alpha.toml", text)
    measures = [("a", 2), ("b", 2), ("b.corrected", 2), ("lemma-3.1.size", 0.4), ("stranger", 1)]
    project.results(measures=measures, provenance={"seed": 3, "parameters": {"n": 3}})
    site = build(project, site_of)
    assert site.broken() == []
    page = site.page("claims/alpha.html")
    for part in [
        "why it differs",
        r"Corrected: it is \(n^{2}\) (measured 2).",
        r"Counterexample: \(n=3\)",
        "about all of R",
        "Needs torch.",
        "paper ≥ 0.5 allowed ≥ 0.45 measured, bundled data 0.4",
        "No reason is known: this must hold.",
        r"it is \(O(n^{2})\)",
        "seed 3",
    ]:
        assert part in page.words, part
    assert {"a", "b", "c", "d", "lemma-3.1.size"} <= set(page.ids)
    board = site.page("claims/index.html")
    assert "alpha: measured 'stranger', which no ledger has" in board.words
    assert {"differs", "corrected", "not-checkable", "not-run"} <= set(board.ids)


@pytest.mark.slow
def test_many_claims_are_listed_and_have_a_page_for_each_figure(project, site_of):
    ids = ["figure-1.first", *(f"lemma-{i}" for i in range(20))]
    rows = (
        f'[[claim]]\nid = "{i}"\nwhere = "Part"\nsays = "it < 3"\nkind = "exact"\npaper = 1\n' for i in ids
    )
    project.write("reproduce/claims/alpha.toml", "".join(rows))
    project.results(figures=["figure-1", "figure-2"], measures=[(name, 1) for name in ids])
    site = build(project, site_of)
    assert site.broken() == []
    listed, beside, alone = (site.page(f"claims/alpha{page}.html") for page in ("", "/figure-1", "/nowhere"))
    assert set(ids) <= set(listed.ids) and not listed.all("img") and not listed.all("div", id="lemma-3")
    assert {"alpha/figure-1.html#figure-1.first", "alpha/nowhere.html#lemma-3"} <= set(listed.addresses)
    assert [card["id"] for card in beside.all("div", **{"class": "claim"})] == ids[:1]
    assert [card["id"] for card in alone.all("div", **{"class": "claim"})] == ids[1:]
    assert len(beside.all("img")) == 1 and "nowhere.html" in beside.addresses
    assert "alpha: Figure 1" in beside.words and "alpha: Without a figure" in alone.words
    assert len(site.page("claims/alpha/other-figures-and-tables.html").all("img")) == 1
    found = search_index(site)
    assert any("(lemma-3): it" in name for name in found) and not any("&" in name for name in found)


def test_all_text_is_escaped(project, site_of):
    words = json.dumps(HOSTILE)
    row = "".join(f"{field} = {words}\n" for field in ("where", "says", "reason"))
    project.write(
        "reproduce/claims/alpha.toml", f'[[claim]]\nid="x"\n{row}kind = "exact"\npaper = 1\nfound = [2, 0]\n'
    )
    project.results(
        tables=["table-1", "a<img src=x onerror=pwned>"],
        figures=["b<img src=x onerror=pwned>"],
        measures=[("x", 2), (f"a {HOSTILE}", 1)],
        provenance={"seed": HOSTILE, "parameters": {HOSTILE: HOSTILE}, "packages": {HOSTILE: HOSTILE}},
    )
    cell = HOSTILE.replace('"', '""')
    project.write("figures/alpha/table-1.csv", f'"{cell}",b\n"{cell}","{cell}"\n')
    site = build(project, site_of)
    for page in (site.page("claims/alpha.html"), site.page("claims/index.html")):
        assert "window.pwned=1" in page.words
        assert not [a for _, a in page.elements if "onerror" in a]
        assert not re.search(r"<script>\s*window\.pwned", page.html)
    assert site.broken() == []


@pytest.mark.slow
def test_results_name_nothing_outside_their_folder(project, site_of):
    project.write("figures/secret.csv", "a\n4711\n")
    project.results()
    content = json.loads(project.read("figures/alpha/results.json"))
    project.write("figures/alpha/results.json", json.dumps(content | {"tables": ["../secret", "\0"]}))
    page = build(project, site_of).page("claims/alpha.html")
    assert "secret.csv is missing." in page.words
    assert "4711" not in page.html


@pytest.mark.slow
def test_tables_with_odd_cells(project, site_of):
    project.results(tables=["table-1", "empty", "broken", "long"])
    project.write("figures/alpha/table-1.csv", 'a,b,c\nx,0.123456789,"1,2"\ny,nan\n')
    project.write("figures/alpha/empty.csv", "")
    (project.root / "figures/alpha/broken.csv").write_bytes(b"\xff\xfe")
    project.write("figures/alpha/long.csv", "n\n" + "1\n" * 1000)
    words = build(project, site_of).page("claims/alpha.html").words
    for part in (
        "0.1235",
        "1,2",
        "empty.csv is empty.",
        "broken.csv cannot be read",
        "960 more rows are in the file",
    ):
        assert part in words, part


@pytest.mark.slow
def test_another_profile_has_a_site_of_its_own(project, site_of):
    project.results(folder="build/runs/alpha-smoke-bundled", measures=[("one", 12)])
    site = build(project, site_of, "--profile", "smoke")
    assert "measured, bundled data 12" in site.page("claims/alpha.html").words
    assert not (project.root / "build/site").exists()


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--profile", "smok"], "unknown profile 'smok': did you mean smoke?"),
        (["--data", "half"], "invalid choice: 'half'"),
        (["alpha"], "unrecognized arguments: alpha"),
    ],
)
@pytest.mark.parametrize("command", ["site", "report"])
def test_bad_usage(project, command, args, says):
    done = project.call(command, *args)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), done
    assert says in done.err
    assert not (project.root / "build").exists()


def test_without_sphinx_it_says_what_to_do(project, monkeypatch):
    monkeypatch.setattr(build_module, "PACKAGES", ("sphinx", "no_such_package"))
    with pytest.raises(UsageError, match=r"the site needs no_such_package: run `make setup`"):
        build_module.write_site(Project(project.root), Family())
    assert not (project.root / "build").exists()


@pytest.mark.parametrize(
    ("file", "text", "code"),
    [("reproduce/claims/alpha.toml", "[[claim]]\n", 2), ("figures/alpha/results.json", "{", 1)],
)
def test_what_cannot_be_read_is_one_line(project, file, text, code):
    project.write(file, text)
    done = project.call("site")
    assert (done.code, done.out.count("\n"), done.err.count("\n")) == (code, 1, 1), done
    assert not (project.root / "build/site").exists()


@pytest.mark.slow
def test_a_warning_leaves_the_published_site_as_it_was(published):
    assert published.call("site").code == 0
    before = published.published("build/site")
    published.write("docs/index.md", "# A front page\n\n[nowhere](nothing.md)\n")
    done = published.call("site")
    assert done.code == 1
    assert "the site was not published, for Sphinx says:" in done.err
    assert "index.md:3" in done.err and "nothing.md" in done.err
    assert published.published("build/site") == before
    assert not (published.root / "build/stage/site").exists()


@pytest.mark.slow
def test_links_have_previews_where_the_address_is_known(published, site_of):
    published.write("docs/index.md", "# A front page\n\nWhat it is about.\n")
    site = build(published, site_of)
    assert "og:title" not in site.page("index.html").html
    assert published.call("site", "--url", "https://example.org/it").code == 0
    front = site_of(published.root / "build/site").page("index.html")
    metas = {a["property"]: a["content"] for a in front.all("meta") if "property" in a}
    assert metas["og:title"] == "A front page"
    assert metas["og:url"] == "https://example.org/it/index.html"
    assert "What it is about." in metas["og:description"]
    assert [a["href"] for a in front.all("link", rel="canonical")] == ["https://example.org/it/index.html"]


@pytest.mark.parametrize(
    "url", ["example.org", "ftp://example.org", "https://", "https://a b", "https://a/?b"]
)
def test_what_is_no_address_is_refused(project, url):
    done = project.call("site", "--url", url)
    assert done.code == 2
    assert (
        f"argument --url: must be an address such as https://example.org/companion, got {url!r}" in done.err
    )


HOW_TO = """\
---
kernelspec:
  name: python3
---

# Do it

```{code-cell} ipython3
from paperlib.tools import base
print("the base is", base)
```
"""


@pytest.mark.slow
def test_a_how_to_runs_once_and_again_after_an_edit(project, site_of):
    page = project.write("docs/how_to/do_it.md", HOW_TO)
    for text, runs in [(HOW_TO, True), (HOW_TO, False), (HOW_TO.replace("the base", "it"), True)]:
        page.write_text(text)
        done = project.call("site")
        assert done.code == 0, done
        assert ("[1/1] docs/how_to/do_it.md: running" in done.out) == runs
    assert "it is 10" in site_of(project.root / "build/site").page("how_to/do_it.html").words
    page.write_text(HOW_TO.replace("the base", "it").replace("# Do it", "# Do it\n\nMore prose."))
    assert "running" not in project.call("site").out
    words = site_of(project.root / "build/site").page("how_to/do_it.html").words
    assert "More prose." in words and "it is 10" in words
    project.write("paperlib/tools.py", "base = 11\n")
    assert "running" in project.call("site").out
    project.write("paperlib/tools.py", "base = 11  # a comment\n")
    assert "running" not in project.call("site").out
    assert "it is 11" in site_of(project.root / "build/site").page("how_to/do_it.html").words


def test_a_how_to_that_fails_is_named(project):
    project.write("docs/how_to/do_it.md", HOW_TO.replace("base)", "1 / 0)"))
    done = project.call("site")
    assert done.code == 1
    assert "docs/how_to/do_it.md: ZeroDivisionError: division by zero" in done.err
    assert not (project.root / "build/site").exists()


@pytest.mark.slow
def test_a_number_that_a_notebook_quotes_leads_to_its_claim(published, site_of):
    path = published.root / "figures/alpha/notebook.ipynb"
    content = json.loads(path.read_text())
    content["cells"][0]["source"] = "# alpha\n\nIt is [13](../reproduce/claims/alpha.toml#one).\n"
    path.write_text(json.dumps(content))
    site = build(published, site_of)
    page = site.page("notebooks/alpha.html")
    assert "It is 13." in page.words and site.broken() == []
    assert re.search(r'<a [^>]*href="\.\./claims/alpha\.html#one"[^>]*>13</a>', page.html)

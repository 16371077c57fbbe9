"""The page that `python -m reproduce report` writes, read as a browser's parser would."""

import json
import re
import shutil
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from reproduce.errors import InvalidLedger
from reproduce.paths import Family, Project
from reproduce.report import build, cleaning, exhibits, groups, markdown, notebooks
from reproduce.report.mathml import formula
from reproduce.scoring.judgement import Judged
from reproduce.scoring.ledger import Claim, Statement

REPOSITORY = Path(__file__).resolve().parents[3]
VOID = {"meta", "img", "input", "br", "hr", "col"}
HOSTILE = (
    "</script><script>window.pwned=1</script>\"'><img src=x onerror=window.pwned=1>&amp;<b>${x}{{ 7*7 }}"
)


class Page(HTMLParser):
    """Elements and text of a page; fails on what is not closed."""

    def __init__(self, html):
        super().__init__()
        self.html, self.elements, self.text, self.open = html, [], "", []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += "" if self.open and self.open[-1] in ("script", "style") else data

    def all(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]


def check_safe(page):
    """Nothing runs but our script, nothing is loaded but what the page holds."""
    assert len(page.all("script")) == 1
    assert not {tag for tag, _ in page.elements} & {"iframe", "object", "embed", "link", "base", "svg"}
    for tag, attrs in page.elements:
        assert not [name for name in attrs if name.startswith("on")], (tag, attrs)
        assert "style" not in attrs, (tag, attrs)
        if "src" in attrs:
            assert attrs["src"].startswith("data:image/"), (tag, attrs)
        if "href" in attrs:
            assert re.match("#|https?:|mailto:", attrs["href"]), (tag, attrs)
    ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    names = set(ids)
    for attrs in page.all("a"):
        if attrs["href"].startswith("#") and "=" not in attrs["href"]:
            assert attrs["href"][1:] in names, attrs
    for attrs in page.all("img"):
        assert attrs["alt"]


@pytest.fixture
def page_of():
    def page_of(mini, family=None):
        page = Page(build.page(Project(mini.root), family or Family()))
        check_safe(page)
        return page

    return page_of


def toml(text):
    return json.dumps(text)


# What the command does


def test_a_run_and_its_report(published):
    done = published.call("report")
    assert done.code == 0, done
    assert re.fullmatch(r"Report: .*index\.html \(\d+ kB\)\n", done.out), done
    assert "Report: build/report/index.html" in done.out
    page = Page(published.read("build/report/index.html"))
    check_safe(page)
    for paper in ("alpha", "beta"):
        assert f"Provenance of {paper}" in [a.get("aria-label") for a in page.all("div")]
    assert "the value is 13" in page.text
    assert "value = base + n_trials" in page.text  # the executed notebook
    assert "stage" not in page.text  # the parameters hold no folder of the run's own
    assert re.search(r"time here\s+[\d.]+ s", page.text)
    before = published.read("build/report/index.html")
    assert published.call("report").code == 0
    assert published.read("build/report/index.html") == before
    assert sorted(p.name for p in (published.root / "build/report").iterdir()) == ["index.html"]


def test_nothing_has_been_run(project):
    done = project.call("report")
    assert (done.code, done.err) == (0, "")
    page = Page(project.read("build/report/index.html"))
    check_safe(page)
    assert "python -m reproduce run alpha does that" in page.text
    assert "not run" in page.text
    assert not (project.root / "figures").exists()


def test_a_project_without_anything(tmp_path):
    page = Page(build.page(Project(tmp_path), Family()))
    check_safe(page)
    assert "No ledger of claims was found" in page.text


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--profile", "smok"], "unknown profile 'smok': did you mean smoke?"),
        (["--data", "half"], "invalid choice: 'half'"),
        (["alpha"], "unrecognized arguments: alpha"),
    ],
)
def test_bad_usage(project, args, says):
    done = project.call("report", *args)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), done
    assert says in done.err
    assert not (project.root / "build").exists()


@pytest.mark.parametrize(
    ("file", "text", "code"),
    [("reproduce/claims/alpha.toml", "[[claim]]\n", 2), ("figures/alpha/results.json", "{", 1)],
)
def test_what_cannot_be_read_is_one_line(project, file, text, code):
    project.write(file, text)
    done = project.call("report")
    assert (done.code, done.out, done.err.count("\n")) == (code, "", 1), done


def test_another_profile_has_a_page_of_its_own(project, page_of):
    project.results(folder="build/runs/alpha-smoke-bundled", tables=["table-1"], measures=[("one", 12)])
    page = page_of(project, Family("smoke"))
    assert "python -m reproduce run alpha --profile smoke does that" in page.text
    assert "bundled data 12" in " ".join(page.text.split())
    assert Project(project.root).report(Family("smoke")).parent.name == "report-smoke-bundled"


def test_without_a_script_all_is_in_sight(published, page_of):
    page = page_of(published)
    hidden = [attrs.get("id") for _, attrs in page.elements if "hidden" in attrs]
    assert hidden == ["filters"]  # which could do nothing
    assert all("open" not in attrs for attrs in page.all("details"))


@pytest.mark.parametrize("scheme", [0, 1])
def test_text_stands_out_from_what_is_behind_it(scheme):
    css = (Path(build.__file__).parent / "page/style.css").read_text()
    colours = dict(re.findall(r"--(\w+): (#\w{6});", css.split("@media")[scheme]))

    def luminance(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
        return sum(weight * x for weight, x in zip((0.2126, 0.7152, 0.0722), linear))

    for text in colours.keys() - {"paper", "raised", "rule"}:
        for behind in ("paper", "raised"):
            dark, light = sorted(luminance(colours[name]) for name in (text, behind))
            assert (light + 0.05) / (dark + 0.05) >= 4.5, (text, behind)


# What stands beside what


def names(made):
    return [(g.name, [e.name for e in g.exhibits], [j.claim.id for j in g.judged]) for g in made]


def judge(*claims):
    return [Judged(claim, {}, {}) for claim in claims]


def make_claim(name, **more):
    return Claim(name, "Table 1", Statement("it", "order"), **more)


def test_claims_stand_beside_what_their_id_begins_with():
    shown = {
        n: exhibits.Exhibit(n, "table") for n in ["figure-1", "table-1", "table-1-far", "figure-1-draws", "x"]
    }
    ids = ["table-1.a", "lemma-3", "figure-1.b", "table-1-far.c", "figure-10.d", "table-1"]
    made = groups.make("alpha", judge(*map(make_claim, ids)), shown)
    assert names(made) == [
        ("table-1", ["table-1", "table-1-far"], ["table-1.a", "table-1-far.c", "table-1"]),
        ("figure-1", ["figure-1", "figure-1-draws"], ["figure-1.b"]),
        ("", [], ["lemma-3", "figure-10.d"]),
        ("x", ["x"], []),
    ]


def test_a_claim_may_name_what_it_is_about():
    shown = {"table-1": exhibits.Exhibit("table-1", "table")}
    claims = judge(make_claim("lemma-3", shown="table-1"))
    assert names(groups.make("alpha", claims, shown)) == [("table-1", ["table-1"], ["lemma-3"])]
    assert names(groups.make("alpha", claims, {})) == [("", [], ["lemma-3"])]  # nothing is published yet
    wrong = judge(make_claim("lemma-3", shown="tabel-1"))
    with pytest.raises(InvalidLedger, match=r"alpha\.toml, claim lemma-3: .* did you mean table-1\?"):
        groups.make("alpha", wrong, shown)


def test_the_same_on_both_data_is_shown_once(project, page_of):
    for folder in ("figures/alpha", "figures/full/alpha"):
        project.results(folder=folder, figures=["figure-1"], tables=["table-1"], measures=[("one", 13)])
    page = page_of(project)
    assert len(page.all("img")) == 1
    assert page.text.count("Table 1, bundled and full data") == 1
    assert "bundled and full data 13" in " ".join(page.text.split())
    project.write("figures/full/alpha/table-1.csv", "noise,value\n0.1,14\n")
    assert "Table 1, full data" in page_of(project).text


def test_a_picture_is_embedded_once_for_all_its_claims(project, page_of):
    ledger = "".join(project.LEDGER.replace('"one"', f'"figure-1.{i}"') for i in range(18))
    project.write("reproduce/claims/alpha.toml", ledger)
    project.results(figures=["figure-1"], measures=[(f"figure-1.{i}", 13) for i in range(18)])
    page = page_of(project)
    assert [a["alt"] for a in page.all("img")] == ["Figure 1. Its labels: figure-1."]
    assert len([a for a in page.all("li") if "data-verdict" in a]) == 18


def test_what_was_deleted_is_named(project, page_of):
    project.results(figures=["figure-1", "figure-2"], tables=["table-1"])
    for name in ("figure-1.svg", "figure-2.svg", "table-1.csv"):
        (project.root / "figures/alpha" / name).unlink()
    (project.root / "figures/alpha/figure-2.png").write_bytes(b"png")
    page = page_of(project)
    assert "figures/alpha/figure-1.svg is missing." in page.text
    assert "figures/alpha/table-1.csv is missing." in page.text
    assert [a["src"][:21] for a in page.all("img")] == ["data:image/png;base64"]


def test_tables_with_odd_cells(project, page_of):
    project.results(tables=["table-1", "empty", "broken", "long"])
    project.write("figures/alpha/table-1.csv", 'a,b,c\nx,0.123456789,"1,2"\ny,nan\n')
    project.write("figures/alpha/empty.csv", "")
    (project.root / "figures/alpha/broken.csv").write_bytes(b"\xff\xfe")
    project.write("figures/alpha/long.csv", "n\n" + "1\n" * 1000)
    page = page_of(project)
    assert "0.1235" in page.text
    assert [a["value"] for a in page.all("data")] == ["0.123456789"]
    assert "1,2" in page.text
    assert "empty.csv is empty." in page.text
    assert "broken.csv cannot be read" in page.text
    assert "800 more rows in figures/alpha/long.csv" in page.text


def test_results_name_nothing_outside_their_folder(project, page_of):
    project.write("figures/secret.csv", "a\n4711\n")
    project.results()
    content = json.loads(project.read("figures/alpha/results.json"))
    project.write("figures/alpha/results.json", json.dumps(content | {"tables": ["../secret", "\0"]}))
    page = page_of(project)
    assert "secret.csv is missing." in page.text
    assert "4711" not in page.html


def test_every_reason_is_given(project, page_of):
    rows = [
        'id = "a"\nkind = "exact"\npaper = 1\nreason = "why it differs"\nfound = [2, 0]',
        'id = "b"\nkind = "exact"\npaper=1\ncorrected = {says = "x", paper = 2, counterexample = "n = 3"}',
        'id = "c"\nkind = "order"\ncheckable = false\nreason = "about all of R"',
        'id = "d"\nkind = "order"\nneeds = "torch"',
        'id = "e"\nkind = "bound"\nsense = "at least"\npaper = 0.5',
    ]
    text = "".join(f'[[claim]]\nwhere = "Table 1"\nsays = "it"\n{row}\n' for row in rows)
    project.write("reproduce/claims/alpha.toml", text)
    project.results(measures=[("a", 2), ("b", 2), ("b.corrected", 2), ("e", 0.4), ("stranger", 1)])
    text = " ".join(page_of(project).text.split())
    for part in [
        "5 claims, 1 corrected, 2 differ, 1 not run, 1 not checkable",
        "why it differs",
        "Corrected: x (measured 2).",
        "Counterexample: n = 3",
        "about all of R",
        "Needs torch.",
        "paper ≥ 0.5 bundled data 0.4",
        "No reason is known: this must hold.",
        "alpha: measured 'stranger', which no ledger has",
    ]:
        assert part in text


def test_the_time_is_that_of_what_is_published(project, page_of):
    record = {"key": "k", "components": {}, "files": {"x": "y"}, "seconds": 12.5}
    project.write("build/state/figures-alpha.json", json.dumps(record))
    project.results(provenance={"key": "k", "parameters": {"n": 3}})
    assert "12.5 s" in page_of(project).text
    project.results(provenance={"key": "other"})
    assert "not run here" in page_of(project).text
    project.results(provenance=[], data=["odd", {"name": "mnist", "shape": 3}])
    assert "mnist" in page_of(project).text


# Hostile text


def test_all_text_is_escaped(project, page_of):
    row = "".join(f"{field} = {toml(HOSTILE)}\n" for field in ("id", "where", "says", "reason"))
    project.write(
        "reproduce/claims/alpha.toml", f'[[claim]]\n{row}kind = "exact"\npaper = 1\nfound = [2, 0]\n'
    )
    project.results(
        tables=["table-1"],
        measures=[(HOSTILE, 2), (f"a {HOSTILE}", 1)],
        provenance={"seed": HOSTILE, "parameters": {HOSTILE: HOSTILE}, "packages": {HOSTILE: HOSTILE}},
        data=[{"name": HOSTILE, "sha256": HOSTILE, "shape": [HOSTILE]}],
    )
    content = json.loads(project.read("figures/alpha/results.json"))
    project.write("figures/alpha/results.json", json.dumps(content | {"figures": [HOSTILE]}))
    cell = HOSTILE.replace('"', '""')
    project.write("figures/alpha/table-1.csv", f'"{cell}",b\n"{cell}","{cell}"\n')
    project.executed_by_hand(
        project.prose(
            f"# {HOSTILE}\n\n{HOSTILE} [x](javascript:alert(1)) ![y](http://evil/p.png)\n\n{HOSTILE}"
        ),
        project.prose(
            f"$${HOSTILE}$$ and $x<y$ and\n\n```mermaid\n{HOSTILE}\n```\n\n```{HOSTILE}\n{HOSTILE}\n```"
        ),
        project.prose(f"| {HOSTILE} | b |\n|--:|---|\n| {HOSTILE} | c |"),
        project.computed(
            HOSTILE,
            {"output_type": "stream", "name": "stdout", "text": HOSTILE},
            {"output_type": "error", "ename": HOSTILE, "evalue": HOSTILE, "traceback": [HOSTILE]},
            project.display(text_html=f"<table><tr><td>kept {HOSTILE}</td></tr></table>"),
            project.display(text_plain=HOSTILE),
            project.display(text_markdown=HOSTILE),
            project.display(text_latex=f"${HOSTILE}$"),
            project.display(**{"image_svg+xml": f"<svg>{HOSTILE}</svg>"}),
            project.display(image_png='"><script>window.pwned=1</script>'),
        ),
    )
    project.notebook("alpha", parameters=project.PARAMETERS)
    page = page_of(project)
    assert page.text.count("window.pwned=1") > 20
    assert "{{ 7*7 }}" in page.text


def test_html_of_a_cell_keeps_the_table_only():
    html = cleaning.cleaned(
        "<style>td{color:red}</style><!-- c --><table style='x' onclick='y'>"
        "<thead><tr><th></th><th>a</th></tr></thead>"
        "<tr><th>r</th><td background=http://evil/x>1<script>2</script><svg onload=1></svg></td></tr></table>"
        "<a href=' java&#10;script:x'>l</a><a href='https://example.org'>k</a><img src=x>"
        "<form action=x>f</form>"
    )
    assert '<th scope="col">a</th>' in html
    assert '<th scope="row">r</th>' in html
    assert "<td>1</td>" in html
    assert '<a href="https://example.org">' in html
    for part in ("style", "script", "svg", "img", "form", "evil", "on", "<!--"):
        assert part not in html.replace("https://example.org", ""), part


def test_pictures_of_markdown_are_those_in_the_notebook():
    attachments = {"a.png": {"image/png": "AAAA"}}
    assert 'src="data:image/png;base64,AAAA"' in markdown.html(
        "![a](attachment:a.png)", attachments=attachments
    )
    for url in ("attachment:b.png", "http://evil/x.png", "x.png", "data:text/html,x", "file:///etc/passwd"):
        assert "<img" not in markdown.html(f"![alt]({url})", attachments=attachments)


# Notebooks


def test_an_executed_notebook(project, page_of):
    project.executed_by_hand(
        project.prose(["# Title\n", "text $\\frac12$"]),
        project.computed(
            "# Parameters\nn = 3\nout_dir = '/a/path'\ndata = 'full'",
            tags=["injected-parameters"],
            seconds=2.04,
        ),
        project.computed(
            "print(1)",
            {"output_type": "stream", "name": "stdout", "text": "a\rb"},
            {"output_type": "stream", "name": "stdout", "text": "c\n"},
            {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\x1b[31mE\x1b[0m: v"]},
        ),
        {"cell_type": "markdown", "source": "red", "metadata": {"tags": ["papermill-error-cell-tag"]}},
        {"cell_type": "raw", "source": "<raw>", "metadata": {}},
        papermill={"exception": True},
    )
    page = page_of(project)
    text = page.text
    assert "/a/path" not in text
    assert "2.0 s" in text
    assert "bc" in text
    assert "E: v" in text
    assert "red" not in text.replace("measured", "").replace("corrected", "")
    assert "<raw>" in text
    assert "This run stopped at an error" in text
    assert [tag for tag, _ in page.elements if tag in ("h4", "mfrac")] == ["h4", "mfrac"]
    assert len(page.all("details")) == 2


@pytest.mark.parametrize("text", ["", "{}", '{"cells": [3], "metadata": {}}', "\xff"])
def test_an_executed_notebook_that_cannot_be_read(project, page_of, text):
    project.write("build/executed/figures-alpha.ipynb", text)
    assert "cannot be read, bundled data: python -m reproduce run alpha --force" in " ".join(
        page_of(project).text.split()
    )


def test_the_title_is_the_first_heading(project, page_of):
    assert ">alpha</h2>" in page_of(project).html  # which is its name
    project.write("notebooks/alpha.ipynb", json.dumps({"cells": [project.prose("text\n# A title\n# B")]}))
    assert ">A title <code>alpha</code></h2>" in page_of(project).html
    assert notebooks.title(project.write("notebooks/none.ipynb", "{}")) == ""


# Formulas


@pytest.mark.parametrize(
    ("latex", "holds"),
    [
        (r"\frac1n", "<mfrac><mn>1</mn><mi>n</mi></mfrac>"),
        ("a<b", "<mo>&lt;</mo>"),
        (r"\langle x \rangle", '<mo stretchy="false">⟨</mo>'),
        (r"\max_{i} x", "<munder><mo>max</mo>"),
        (r"\arg\min_w x", "<munder>"),
        (r"\hat w", '<mover accent="true">'),
        (r"\begin{aligned} a &= b \\ c &= d \end{aligned}", "<mtable"),
        (r"\text{<b>x</b>}", "<mtext>&lt;b&gt;x&lt;/b&gt;</mtext>"),
    ],
)
def test_a_formula_becomes_mathml(latex, holds):
    html = formula(latex, block=True)
    assert html.startswith('<div class="formula"><math ')
    assert holds in html
    Page(html)


@pytest.mark.parametrize(
    "latex", [r"\nosuch{x<y}", r"\frac{<b>", "", "x" * 20_000, r"{" * 5000, r"\boxed{<i>}"]
)
def test_a_formula_that_cannot_be_converted_is_shown_as_its_source(latex):
    html = formula(latex)
    assert html.startswith('<code class="formula">')
    assert Page(html).text == latex
    assert {tag for tag, _ in Page(html).elements} == {"code"}


@pytest.mark.parametrize("latex", [r"\href{javascript:x}{y}", r"\style{color:red}{y}", r"\class{c}{y}"])
def test_a_formula_holds_neither_links_nor_styles(latex):
    html = formula(latex)
    assert not re.search(r"href=|style=|class=\"c", html)


# The real thing


def test_the_real_ledgers_and_figures_make_a_page(tmp_path):
    for name in ("figures", "reproduce/claims", "notebooks"):
        shutil.copytree(REPOSITORY / name, tmp_path / name)
    project = Project(tmp_path)
    page = Page(build.page(project, Family()))
    check_safe(page)
    claims = [a for a in page.all("li") if "data-verdict" in a]
    assert len(claims) == sum(path.read_text().count("[[claim]]") for path in project.claims.glob("*.toml"))
    assert not re.search(r"\.(svg|csv|json) is missing", page.text)
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))

"""The site of this checkout."""

import gzip
import html
import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

from reproduce.paths import Project
from reproduce.scoring import ledger
from reproduce.site import reference

REPOSITORY = Path(__file__).resolve().parents[3]
LEDGERS = ledger.load_all(Project(REPOSITORY))
FRONT = 120_000  # bytes of the front page with all that it loads, at most, packed as servers send it
LARGEST = 500_000  # bytes of a page without its pictures
pytestmark = pytest.mark.slow


def test_links_hold_and_nothing_is_loaded_from_elsewhere(real_site):
    assert real_site.broken() == []
    assert real_site.loads_from_elsewhere() == []


def test_every_claim_has_its_address_on_its_papers_page_and_one_card(real_site):
    for paper, claims in LEDGERS.items():
        page = real_site.page(f"claims/{paper}.html")
        assert {c.id for c in claims} <= set(page.ids)
        assert len(page.ids) == len(set(page.ids))
        cards = [real_site.page(f"claims/{paper}/{p.name}") for p in page.path.with_suffix("").glob("*.html")]
        found = [card["id"] for each in cards for card in each.all("div", **{"class": "claim"})]
        assert sorted(found) == sorted(c.id for c in claims)


def test_a_search_finds_every_claim_and_every_public_name(real_site):
    text = (real_site.folder / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
    found = {f"{p}.{entry[-1]}".lstrip(".") for p, entries in index["objects"].items() for entry in entries}
    names = {name for group in reference.groups(Project(REPOSITORY)) for name, _ in group.names}
    assert names - found == set()
    shown = "\n".join(found)
    assert [
        c.id for claims in LEDGERS.values() for c in claims if f"({html.escape(c.id)})" not in shown
    ] == []


def test_nearly_every_claim_that_can_be_checked_stands_beside_a_figure_or_table(real_site):
    """Here no notebook has run, so that some cells are not known."""
    for paper, claims in LEDGERS.items():
        text = real_site.page(f"claims/{paper}.html").html
        alone = text.partition('id="shown-nowhere"')[2].partition("<section")[0]
        listed = [c for c in claims if f'id="{c.id}"' in alone]
        assert len([c for c in listed if c.checkable]) <= len(claims) / 2, paper


def test_formulas_are_typeset(real_site):
    words = real_site.page("claims/coresets/sizes.html").words
    assert r"\(O((R/\rho ^*)^{2}/\varepsilon )\)" in words
    assert "rho*" not in words
    assert (real_site.folder / "_static/mathjax/tex-svg.js").stat().st_size > 1_000_000


def test_pages_are_small(real_site):
    for page in real_site.pages:
        assert len(page.html) < LARGEST, page.path
    front = real_site.page("index.html")
    assert not [a for a in front.addresses if "mathjax" in a]
    files = {*loaded(front), front.path, real_site.folder / "_static" / "basic.css"}
    assert sum(len(gzip.compress(file.read_bytes())) for file in files) < FRONT


def loaded(page):
    """What the page has a browser load with it."""
    found = [a["src"] for tag, a in page.elements if tag in ("img", "script") and a.get("src")]
    found += [a["href"] for a in page.all("link") if a.get("rel") == "stylesheet"]
    return {(page.path.parent / address.partition("?")[0]).resolve() for address in found}


def test_every_picture_has_a_text(real_site):
    for page in real_site.pages:
        assert all(picture.get("alt") for picture in page.all("img")), page.path


def test_headings_skip_no_level(real_site):
    for page in real_site.pages:
        levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
        main = levels[levels.index(1) :]
        assert all(b <= a + 1 for a, b in pairwise(main)), (page.path, levels)


def test_the_front_page_has_five_pictures_and_the_totals(real_site):
    front = real_site.page("index.html")
    assert len(front.all("img")) == 5
    scoreboard = (REPOSITORY / "figures" / "SCOREBOARD.md").read_text()
    row = re.search(r"^\| all \|(.*)\|$", scoreboard, re.MULTILINE)[1]
    numbers = [int(text) for text in row.split("|")]
    assert all(f" {n} " in f"{front.words} " for n in numbers if n)


def test_a_notebook_in_a_clone_is_shown_as_it_ran(real_site):
    for paper in LEDGERS:
        page = real_site.page(f"notebooks/{paper}.html")
        assert "As it ran" in page.words and "has not run" not in page.words
        assert len(page.all("img")) >= 5

"""The site in a real browser, from the disk."""

import json
import shutil
import tomllib
from pathlib import Path

import pytest

from reproduce.site import settings
from tests.reproduce.site.browser import SMALL

PAGES = [
    "index.html",
    "claims/index.html",
    "claims/coresets.html",
    "claims/coresets/sizes.html",
    "how_it_works/feature_deletion.html",
    "notebooks/coresets.html",
    "reference/index.html",
    "reference/paperlib.coresets.CoresetSVC.html",
    "benchmarks.html",
    "search.html",
    "search.html?q=lemma+3.1",
]
TALLEST = 16_000  # pixels of a page of claims on a phone, its evidence folded
AXE = """
const done = arguments[0];
axe.run(document, {preload: false, resultTypes: ["violations"]})
  .then(found => done(found.violations.map(v => v.id + ": " + v.nodes[0].html)));
"""
# How much of the page is only seen by scrolling its text sideways; what is wide scrolls by itself.
BESIDE = (
    "const e = document.querySelector('.bd-article-container'); return e ? e.scrollWidth - e.clientWidth : 0;"
)
pytestmark = pytest.mark.slow


@pytest.fixture
def opened(browser, real_site):
    """Open a page anew, at a width and in a colour scheme."""
    return lambda page, *args, **options: browser.opened(real_site.folder, page, *args, **options)


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_asked_of_the_network_and_nothing_complains(opened, browser, name):
    opened(name)
    assert browser.complaints() == []
    assert [url[:80] for url in browser.asked() if not url.startswith(("file:///", "data:", "about:"))] == []


@pytest.mark.parametrize("width", [390, 768, 1280])
@pytest.mark.parametrize("name", PAGES)
def test_it_is_legible_and_nothing_overflows(opened, name, width):
    driver = opened(name, width)
    assert driver.execute_script("return document.documentElement.scrollWidth") <= width
    assert driver.execute_script(BESIDE) == 0
    assert driver.execute_script(SMALL) == []


def test_all_of_the_reference_fits_a_phone(opened, real_site):
    pages = sorted(page.name for page in (real_site.folder / "reference").glob("*.html"))
    assert len(pages) > 50
    assert [name for name in pages if opened(f"reference/{name}", 390).execute_script(BESIDE)] == []


# The width of each picture in parts of that at which its letters of 8 points are 11 pixels high.
SHARES = """
return [...document.querySelectorAll(".bd-article a.zoom > img")].filter(i => i.checkVisibility()).map(i => {
  const points = i.parentNode.matches(".drawing") ? 8.5 : 8;
  const dots = i.getAttribute("width") ? 110 : 96;
  const width = Number(i.getAttribute("width")) || i.naturalWidth;
  return i.getBoundingClientRect().width / width * points * dots / 72 / 11;
});
"""


@pytest.mark.parametrize("width", [768, 1280])
@pytest.mark.parametrize(
    "name",
    ["notebooks/coresets.html", "claims/coresets/sizes.html", "how_it_works/feature_deletion.html"],
)
def test_the_letters_of_pictures_are_legible(opened, name, width):
    driver = opened(name, width)
    loaded = "return [...document.images].every(image => image.complete && image.naturalWidth > 0)"
    assert driver.execute_script(loaded)
    shares = driver.execute_script(SHARES)
    assert len(shares) >= 2
    assert min(shares) > 0.99


# What scrolls sideways, and how a reader can see and reach it.
CUT = """
const scrolls = e => /auto|scroll/.test(getComputedStyle(e).overflowX) && e.checkVisibility();
return [...document.querySelectorAll(".bd-article *")].filter(
  e => e.scrollWidth > e.clientWidth + 1 && scrolls(e)
).map(e => [e.tagName, e.className, e.tabIndex, getComputedStyle(e).boxShadow !== "none"]);
"""


@pytest.mark.parametrize("name", ["claims/index.html", "notebooks/coresets.html", "benchmarks.html"])
def test_what_is_cut_shows_it_and_scrolls_with_the_keyboard(opened, name):
    cut = opened(name, 390).execute_script(CUT)
    assert cut
    assert [box for box in cut if box[2:] != [0, True]] == []


def test_a_figure_with_controls_is_moved_with_the_keyboard(opened):
    from selenium.webdriver.common.keys import Keys

    driver = opened("notebooks/coresets.html")
    form = driver.find_element("css selector", "fieldset.play")
    picture = form.find_element("xpath", "..").find_element("css selector", "img")
    labels, needle = form.find_elements("css selector", "input")
    assert form.is_displayed() and "play/" not in picture.get_attribute("src")
    height = picture.rect["height"]
    labels.send_keys(Keys.ARROW_RIGHT)
    assert picture.get_attribute("src").endswith("play/coresets/1-1.webp")
    needle.send_keys(Keys.ARROW_LEFT)
    assert picture.get_attribute("src").endswith("play/coresets/1-0.webp")
    assert picture.find_element("xpath", "..").get_attribute("href") == picture.get_attribute("src")
    assert picture.get_attribute("alt") == "labels: 6; the negative point: 3"
    assert [output.text for output in form.find_elements("css selector", "output")] == ["6", "3"]
    assert needle.get_attribute("aria-valuetext") == "3"
    script = "return arguments[0].decode().then(() => arguments[0].naturalWidth)"
    assert driver.execute_script(script, picture) == 770
    assert abs(picture.rect["height"] - height) <= 1  # nothing jumps


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_the_rules_of_accessibility_hold(opened, name, scheme):
    folder = Path(pytest.importorskip("axe_core_python").__file__).parent
    driver = opened(name, 390 if scheme == "dark" else 1280, scheme)
    driver.execute_script((folder / "axe.min.js").read_text(encoding="utf-8"))
    assert driver.execute_async_script(AXE) == []


def test_formulas_are_drawn(opened):
    driver = opened("claims/coresets/sizes.html")
    drawn, left = driver.execute_script(
        "return [document.querySelectorAll('mjx-container svg').length, "
        "[...document.querySelectorAll('.math')].filter(e => e.textContent.includes('\\\\(')).length]"
    )
    assert drawn > 10
    assert left == 0
    assert driver.execute_script("return document.querySelectorAll('mjx-merror').length") == 0


@pytest.mark.parametrize("form", [r"\href{javascript:pwned()}{x}", r"\require{html}", r"\boldsymbol{x}"])
def test_a_formula_loads_nothing_and_stops_no_other(browser, tmp_path, form):
    shutil.copy(settings.mathjax(), tmp_path)
    script = f"<script>window.MathJax = {json.dumps(settings.MATHJAX_OPTIONS)}</script>"
    script += f"<script src={settings.mathjax().name} defer></script>"
    (tmp_path / "page.html").write_text(rf"{script}<p>\({form}\), \(a \le b\)")
    driver = browser.opened(tmp_path, "page.html")
    assert len(driver.find_elements("css selector", "mjx-container svg")) == 2
    assert driver.find_elements("css selector", "a") == []
    assert {Path(url).name for url in browser.asked()} <= {"page.html", settings.mathjax().name}


def shown_claims(driver):
    return driver.execute_script(
        "return [...document.querySelectorAll('.claim')].filter(c => c.checkVisibility()).map(c => c.id)"
    )


def test_claims_are_shown_by_verdict_with_the_keyboard_alone(opened):
    from selenium.webdriver.common.keys import Keys

    driver = opened("claims/max_loss.html")
    every = shown_claims(driver)
    status = driver.find_element("css selector", "fieldset.filter [role=status]")
    assert status.text == f"{len(every)} of {len(every)} claims"
    for box in driver.find_elements("css selector", "fieldset.filter input"):
        if box.get_attribute("value") != "corrected":
            box.send_keys(Keys.SPACE)
    corrected = shown_claims(driver)
    assert 0 < len(corrected) < len(every) / 4
    assert status.text == f"{len(corrected)} of {len(every)} claims"
    ledger = Path(__file__).resolve().parents[3] / "reproduce" / "claims" / "max_loss.toml"
    rows = tomllib.loads(ledger.read_text(encoding="utf-8"))["claim"]
    assert set(corrected) <= {row["id"] for row in rows if "corrected" in row}
    hidden = next(claim for claim in every if claim not in corrected)
    driver.execute_script("location.hash = arguments[0]", hidden)  # an address shows what it names
    driver.implicitly_wait(10)
    assert driver.find_element("css selector", "div.claim:target").get_attribute("id") == hidden
    driver.implicitly_wait(0)
    assert "/claims/max_loss/" in driver.current_url


@pytest.mark.parametrize("paper", ["boosting2d", "coresets", "feature_deletion", "kernel_mean", "max_loss"])
def test_pages_of_claims_are_not_too_tall_for_a_phone(opened, real_site, paper):
    pages = (real_site.folder / "claims" / paper).glob("*.html")
    largest = max(pages, key=lambda page: page.read_text(encoding="utf-8").count('<div class="claim '))
    for page in (f"claims/{paper}.html", f"claims/{paper}/{largest.name}"):
        driver = opened(page, 390)
        driver.execute_script("document.querySelectorAll('details').forEach(d => d.open = false)")
        assert driver.execute_script("return document.documentElement.scrollHeight") < TALLEST, page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_drawing_is_that_of_the_colour_scheme(opened, scheme):
    driver = opened("how_it_works/coresets.html", scheme=scheme)
    shown = driver.execute_script(
        "return [...document.querySelectorAll('a.drawing')].filter(a => a.checkVisibility()).map(a => a.href)"
    )
    assert len(shown) == 2
    assert all(("-dark.svg" in address) == (scheme == "dark") for address in shown)


@pytest.mark.parametrize("paper", ["boosting2d", "feature_deletion", "kernel_mean", "max_loss"])
def test_no_formula_is_wrong(opened, real_site, paper):
    pages = [f"claims/{paper}.html", f"notebooks/{paper}.html"]
    pages += [f"claims/{paper}/{each.name}" for each in (real_site.folder / "claims" / paper).glob("*.html")]
    for page in pages:
        driver = opened(page)
        wrong = "return [...document.querySelectorAll('[data-mjx-error]')].map(e => e.dataset.mjxError)"
        assert driver.execute_script(wrong) == []


@pytest.mark.parametrize(
    ("query", "address"),
    [
        ("lemma-3.1.size", "claims/coresets/sizes.html#lemma-3.1.size"),
        ("Lemma 3.1 coresets", "claims/coresets/growth.html#lemma-3.1."),
        ("Lemma 3.1", "#lemma-3.1."),
        ("KernelMeanClassifier", "reference/paperlib.kernel_mean.KernelMeanClassifier.html"),
    ],
)
def test_what_has_the_name_that_is_looked_for_is_found_first(opened, query, address):
    driver = opened("search.html")
    box = driver.find_element("css selector", "main input[type='search']")
    box.send_keys(query)
    box.submit()
    driver.implicitly_wait(10)
    first = driver.find_element("css selector", "#search-results li a")
    driver.implicitly_wait(0)
    assert address in first.get_attribute("href")


def test_the_keyboard_alone(opened):
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.keys import Keys

    driver = opened("index.html")
    seen = []
    for _ in range(40):
        ActionChains(driver).send_keys(Keys.TAB).perform()
        seen.append(driver.execute_script("return document.activeElement.textContent.trim()"))
    assert seen[0] == "Skip to main content"
    for name in ("Notebooks", "Reference", "Large margins from a few points", "corrected", "the notebooks"):
        assert name in seen, name


def test_a_picture_is_a_link_to_itself(opened):
    driver = opened("notebooks/coresets.html")
    pictures = driver.find_elements("css selector", ".bd-article img")
    linked = driver.find_elements("css selector", ".bd-article a.zoom > img")
    assert len(pictures) == len(linked) > 5
    assert linked[0].find_element("xpath", "..").get_attribute("href") == linked[0].get_attribute("src")

"""The report in a real browser, from the disk."""

import json
import shutil
from pathlib import Path

import pytest

from reproduce.paths import Family, Project
from reproduce.report import build

REPOSITORY = Path(__file__).resolve().parents[3]
FLAGS = """
--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
--disable-component-update --disable-sync --window-size=1280,900
"""
HOSTILE = "</script><script>pwned=1</script>\"'><img src=x onerror=window.pwned=1><svg onload=window.pwned=1>"
LEDGER = """\
[[claim]]
id = "figure-1.good"
where = "Figure 1"
says = "the value is 13"
kind = "exact"
paper = 13

[[claim]]
id = "figure-1.bad"
where = "Figure 1"
says = "the value is 14"
kind = "exact"
paper = 14
reason = "another optimiser"
found = [13, 0]

[[claim]]
id = "lemma-2"
where = "Lemma 2"
says = "an unmeasured value"
kind = "order"
"""
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    service = shutil.which("chromedriver")
    if not browser or not service:
        pytest.skip("no browser: apt-get install chromium chromium-driver")
    webdriver = pytest.importorskip("selenium.webdriver")
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for flag in [*FLAGS.split(), f"--user-data-dir={tmp_path_factory.mktemp('profile')}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(service))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def mini(make_mini, tmp_path_factory):
    """Two papers whose names, texts and outputs are hostile where they can be."""
    mini = make_mini(tmp_path_factory.mktemp("browser") / "a {b} #ü%20", ("alpha", "beta"))
    for paper in ("alpha", "beta"):
        mini.write(f"reproduce/claims/{paper}.toml", LEDGER)
    mini.results(
        figures=["figure-1"],
        tables=["table-1"],
        measures=[("figure-1.good", 13), ("figure-1.bad", 13)],
        svg=f"<!-- {{}} {HOSTILE} --><script>parent.pwned=1</script><rect width='9' height='9'/>",
        provenance={"parameters": {HOSTILE: HOSTILE}},
    )
    mini.write("figures/alpha/table-1.csv", f"{'wide,' * 30}{HOSTILE}\n{'1.23456789,' * 30}{HOSTILE}\n")
    mini.results("beta", figures=["figure-1"], measures=[("figure-1.good", 13), ("figure-1.bad", 14)])
    mini.executed_by_hand(
        mini.prose(
            f"# {HOSTILE}\n\n{HOSTILE}\n\n$${'x + ' * 100} x$$ and ${HOSTILE}$ ![far](http://x/y.png)"
        ),
        mini.computed(
            f"{'long_name' * 60} = '''{HOSTILE}'''",
            {"output_type": "stream", "name": "stdout", "text": HOSTILE + "-" * 500},
            mini.display(text_html=f"<table><tr><td>{HOSTILE}{'<td>wide' * 80}</td></tr></table>"),
            mini.display(image_png=PNG),
            mini.display(text_markdown=HOSTILE),
        ),
    )
    return mini


@pytest.fixture(scope="module")
def real(mini, tmp_path_factory):
    """The real ledgers with what is published of them."""
    root = tmp_path_factory.mktemp("real")
    for name in ("figures", "reproduce/claims", "notebooks"):
        shutil.copytree(REPOSITORY / name, root / name)
    return type(mini)(root)


@pytest.fixture
def page(driver, mini):
    """The page of `mini`, opened anew."""
    return Opened(driver, build.write(Project(mini.root), Family()))


class Opened:
    """Return what a reader sees."""

    def __init__(self, driver, file, view=""):
        self.driver, self.file = driver, file
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        driver.get("about:blank")  # else an address that differs in its hash only is no new page
        for log in ("browser", "performance"):
            driver.get_log(log)
        driver.get(file.as_uri() + view)

    def ask(self, script, *args):
        return self.driver.execute_script(f"return {script}", *args)

    def shown(self):
        """`paper id` of each claim in sight."""
        return self.ask(
            "[...document.querySelectorAll('.claim')].filter(e => e.checkVisibility())"
            ".map(e => e.dataset.paper + ' ' + e.querySelector('code').textContent)"
        )

    def sections(self):
        """Headings in sight below the scoreboard."""
        return self.ask(
            "[...document.querySelectorAll('.paper h2, .group h3')].filter(e => e.checkVisibility())"
            ".map(e => e.textContent.trim())"
        )

    def click(self, selector):
        element = self.driver.find_element("css selector", selector)
        # The page scrolls smoothly; a click would not wait for the end of it.
        self.driver.execute_script(
            "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element
        )
        element.click()

    def press(self, key):
        from selenium.webdriver import ActionChains

        ActionChains(self.driver).send_keys(key).perform()

    def tab_to(self, selector, limit=80):
        from selenium.webdriver.common.keys import Keys

        for _ in range(limit):
            self.press(Keys.TAB)
            if self.ask("document.activeElement.matches(arguments[0])", selector):
                return
        raise AssertionError(f"{selector} is not reached by the keyboard")

    def wait(self, milliseconds=50):
        """Let the browser do what a changed address or a key sets off."""
        self.driver.execute_async_script(f"setTimeout(arguments[0], {milliseconds})")

    def resize(self, width, height=800):
        metrics = {"width": width, "height": height, "deviceScaleFactor": 2, "mobile": True}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


ALPHA = ["alpha figure-1.good", "alpha figure-1.bad", "alpha lemma-2"]
BETA = ["beta figure-1.good", "beta figure-1.bad", "beta lemma-2"]


def test_nothing_is_loaded_nothing_runs_and_nothing_complains(page):
    page.ask("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert page.driver.get_log("browser") == []
    events = [json.loads(entry["message"])["message"] for entry in page.driver.get_log("performance")]
    asked = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
    assert asked
    assert [url[:60] for url in asked if not url.startswith(("file:///", "data:image/"))] == []
    assert len([url for url in asked if url.startswith("file:")]) == 1
    assert page.ask("window.pwned") is None
    assert page.ask("document.scripts.length") == 1


def test_what_would_be_injected_is_kept_from_running(page):
    """The policy holds by itself, should an escape ever be forgotten."""
    page.ask(
        "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=window.pwned=1>')"
        " || document.body.appendChild(Object.assign(document.createElement('script'), {text: 'pwned=1'}))"
    )
    page.wait(100)
    assert page.ask("window.pwned") is None
    assert "Content Security Policy" in page.driver.get_log("browser")[0]["message"]


def test_every_picture_is_shown(driver, page, real):
    for opened in (page, Opened(driver, build.write(Project(real.root), Family()))):
        opened.ask("document.querySelectorAll('details').forEach(d => d.open = true)")
        widths = driver.execute_async_script(
            "Promise.all([...document.images].map(i => i.decode().then(() => i.naturalWidth, () => 0)))"
            ".then(arguments[0])"
        )
        assert len(widths) >= 3
        assert min(widths) > 0


def test_filters(page):
    assert page.shown() == ALPHA + BETA
    page.click("input[value='differs']")
    assert page.shown() == ["alpha figure-1.bad"]
    assert page.sections() == ["alpha", "Figure 1"]
    assert page.ask("document.getElementById('shown').textContent") == "1 of 6 claims shown"
    page.click("input[value='not run']")
    assert page.shown() == ["alpha figure-1.bad", "alpha lemma-2", "beta lemma-2"]
    page.click("input[value='beta']")
    assert page.shown() == ["beta lemma-2"]
    page.click("#all")
    assert page.shown() == ALPHA + BETA
    page.click("input[value='alpha']")
    assert page.shown() == ALPHA
    assert page.sections() == ["alpha", "Figure 1", "Without a figure or table", "Table 1"]


def test_search(page):
    page.driver.find_element("id", "text").send_keys("OPTIMISER another")
    assert page.shown() == ["alpha figure-1.bad"]
    page.driver.find_element("id", "text").send_keys(" <b>")
    assert page.shown() == []
    assert page.ask("document.getElementById('shown').textContent") == "0 of 6 claims shown"


def test_a_view_has_an_address(driver, page):
    page.click("input[value='beta']")
    page.click("input[value='not run']")
    page.driver.find_element("id", "text").send_keys("un & = %")
    view = page.ask("location.hash")
    assert Opened(driver, page.file, view).ask("document.getElementById('text').value") == "un & = %"
    again = Opened(driver, page.file, "#paper=beta&verdict=not+run&text=unmeasured")
    assert again.shown() == ["beta lemma-2"]
    assert again.ask("[...document.querySelectorAll(':checked')].map(e => e.value)") == ["beta", "not run"]
    again.ask("void (location.hash = 'verdict=reproduced')")
    page.wait()
    assert again.shown() == ["alpha figure-1.good", "beta figure-1.good", "beta figure-1.bad"]


def test_a_number_of_the_scoreboard_leads_to_its_claims(page):
    page.click("a[aria-label='1 differs, alpha']")
    page.wait()
    assert page.shown() == ["alpha figure-1.bad"]


@pytest.mark.parametrize(
    "view", ["#nowhere", "#%", "#verdict=unknown&paper=%ff", "#=", "#alpha--claim--lemma-2"]
)
def test_an_address_that_is_no_view_shows_everything(driver, page, view):
    assert Opened(driver, page.file, view).shown() == ALPHA + BETA
    assert [e for e in driver.get_log("browser") if "Error" in e["message"]] == []


def test_a_link_to_a_claim_that_is_filtered_out_shows_it(page):
    page.click("input[value='differs']")
    page.ask("void (location.hash = 'alpha--claim--lemma-2')")
    page.wait()
    assert page.shown() == ALPHA + BETA


def test_the_keyboard_alone(page):
    from selenium.webdriver.common.keys import Keys

    page.tab_to(".skip", limit=1)
    page.tab_to("input[value='differs']")
    assert page.ask("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.press(Keys.SPACE)
    assert page.shown() == ["alpha figure-1.bad"]
    page.press(Keys.SPACE)
    page.tab_to("#text")
    page.press("unmeasured")
    assert page.shown() == ["alpha lemma-2", "beta lemma-2"]
    page.tab_to("#all")
    page.press(Keys.ENTER)
    assert page.shown() == ALPHA + BETA
    page.tab_to("[aria-label='Table 1']")
    page.press(Keys.ARROW_RIGHT)
    page.wait(500)
    assert page.ask("document.activeElement.scrollLeft") > 0
    page.tab_to(".notebook > summary")
    assert not page.ask("document.querySelector('.notebook').open")
    page.press(Keys.ENTER)
    assert page.ask("document.querySelector('.notebook').open")


@pytest.mark.parametrize("width", [320, 360, 768, 1280])
def test_nothing_overflows(driver, page, real, width):
    for opened in (page, Opened(driver, build.write(Project(real.root), Family()))):
        opened.resize(width)
        opened.ask("document.querySelectorAll('details').forEach(d => d.open = true)")
        assert opened.ask("document.documentElement.scrollWidth") <= width
        assert opened.ask("innerWidth") == width

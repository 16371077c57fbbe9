"""A real browser, in which pages are opened from the disk."""

import json
import re
import shutil

import pytest

FLAGS = """
--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
--disable-component-update --disable-sync --window-size=1280,900
"""
# Text in sight whose letters are too small to read; a formula's indices are part of the formula.
SMALL = """
const found = [], texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let text; (text = texts.nextNode());) {
  const element = text.parentElement;
  if (!text.data.trim() || element.closest("mjx-container, script, style, noscript")) continue;
  if (!element.checkVisibility()) continue;
  if (parseFloat(getComputedStyle(element).fontSize) < 11) found.push(text.data.trim());
}
return found;
"""
TYPESET = "const done = arguments[0]; window.MathJax ? MathJax.startup.promise.then(done) : done();"


class Browser:
    """A headless Chromium; `driver` is selenium's."""

    def __init__(self, profile):
        chromium = (
            shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        )
        service = shutil.which("chromedriver")
        if not chromium or not service:
            pytest.skip("no browser: apt-get install chromium chromium-driver")
        webdriver = pytest.importorskip("selenium.webdriver")
        from selenium.webdriver.chrome.service import Service

        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        for flag in [*FLAGS.split(), f"--user-data-dir={profile}"]:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(service))

    def opened(self, folder, page, width=1280, scheme="light"):
        """Open a page of a site anew, at a width and in a colour scheme, and return selenium's driver."""
        driver = self.driver
        metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        features = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
        listed = [{"name": name, "value": value} for name, value in features.items()]
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": listed})
        driver.get("about:blank")
        for log in ("browser", "performance"):
            driver.get_log(log)
        path, more = re.fullmatch(r"([^#?]*)(.*)", page).groups()
        driver.get((folder / path).as_uri() + more)
        driver.execute_async_script(TYPESET)
        driver.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
        return driver

    def complaints(self):
        """Errors in the console since the page was opened."""
        return [entry for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]

    def asked(self):
        """Addresses that were asked for since then."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        asked = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
        assert asked
        return asked

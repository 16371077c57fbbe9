"""Sites, built once, and read as a browser's parser would."""

import re
import shutil
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.reproduce.site.browser import Browser

REPOSITORY = Path(__file__).resolve().parents[3]

TRY_IT = "[coresets]\nlabels = [3, 6, 8]\nneedle = [3, 6]\n"

BLOCKS = {"p", "dt", "dd", "td", "th", "li", "div"}


class Page(HTMLParser):
    """Elements and text of a page."""

    def __init__(self, path):
        super().__init__()
        self.path, self.elements, self.text = path, [], ""
        self.html = path.read_text(encoding="utf-8")
        self.inside = []
        self.feed(self.html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.text += " " if tag in BLOCKS else ""
        if tag in ("script", "style"):
            self.inside.append(tag)

    def handle_endtag(self, tag):
        if tag in ("script", "style"):
            self.inside.pop()

    def handle_data(self, data):
        self.text += "" if self.inside else data

    @property
    def words(self):
        return " ".join(self.text.split())

    @cached_property
    def ids(self):
        return [attrs["id"] for _, attrs in self.elements if attrs.get("id")]

    def all(self, tag, **wanted):
        found = [attrs for name, attrs in self.elements if name == tag]
        return [a for a in found if all(v in (a.get(k) or "").split() for k, v in wanted.items())]

    @property
    def addresses(self):
        """Every address that the page loads or leads to."""
        return [a[key] for _, a in self.elements for key in ("href", "src", "poster") if a.get(key)]


class Site:
    """Folder of pages."""

    def __init__(self, folder):
        self.folder = folder
        self._pages = {}

    def page(self, name):
        if name not in self._pages:
            self._pages[name] = Page(self.folder / name)
        return self._pages[name]

    @cached_property
    def pages(self):
        names = [p.relative_to(self.folder).as_posix() for p in sorted(self.folder.rglob("*.html"))]
        return [self.page(name) for name in names]

    def broken(self):
        """Addresses within the site that lead nowhere."""
        return [
            f"{page.path.relative_to(self.folder)}: {address}"
            for page in self.pages
            for address in page.addresses
            if not self._holds(page, address)
        ]

    def _holds(self, page, address):
        if re.match("https?:|mailto:|data:", address):
            return True
        path, _, anchor = address.partition("#")
        path = unquote(path.partition("?")[0])
        target = (page.path.parent / path).resolve() if path else page.path.resolve()
        if not target.is_file() or not target.is_relative_to(self.folder.resolve()):
            return False
        if not anchor or target.suffix != ".html":
            return True
        return unquote(anchor) in set(self.page(target.relative_to(self.folder.resolve()).as_posix()).ids)

    def loads_from_elsewhere(self):
        """What a page or a style sheet would have a browser ask another host for."""
        tags = ("script", "link", "img", "iframe", "source", "video", "object", "embed")
        found = [
            (str(page.path), address)
            for page in self.pages
            for tag, attrs in page.elements
            if tag in tags
            for address in (attrs.get("src"), attrs.get("href"))
            if address and re.match("(https?:)?//", address)
        ]
        styles = [(str(p), p.read_text(encoding="utf-8")) for p in self.folder.rglob("*.css")]
        return found + [
            (name, hit) for name, text in styles for hit in re.findall(r"url\(\W?(?:https?:)?//[^)]*", text)
        ]


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    started = Browser(tmp_path_factory.mktemp("profile"))
    yield started
    started.driver.quit()


@pytest.fixture(scope="session")
def site_of():
    """The site in a folder."""
    return Site


@pytest.fixture(scope="session")
def real_site(make_mini, tmp_path_factory):
    """The site of this checkout of a fresh clone, without what takes minutes: how-tos, most pictures."""
    root = tmp_path_factory.mktemp("clone") / "project"
    root.mkdir()
    for name in ("figures", "reproduce/claims", "reproduce/faults", "notebooks", "tests/paperlib"):
        shutil.copytree(REPOSITORY / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    (root / "paperlib").symlink_to(REPOSITORY / "paperlib")  # its kernels are compiled already
    shutil.copytree(REPOSITORY / "docs", root / "docs", ignore=shutil.ignore_patterns("how_to"))
    (root / "docs" / "try_it.toml").write_text(TRY_IT)
    front = root / "docs" / "index.md"
    front.write_text(front.read_text().replace("[how-tos](how_to/index.md)", "how-tos"))
    for name in ("CONTRIBUTING.md", "pyproject.toml", "requirements.lock", "reproduce/profiles.toml"):
        shutil.copyfile(REPOSITORY / name, root / name)
    done = make_mini.__self__(root).call("site")
    assert done.code == 0, done
    return Site(root / "build" / "site")

"""Building of the site: sources in a temporary folder, pages by Sphinx, all published at once."""

import importlib.util
import io
import re
import shutil
import sys
import zipfile
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

from reproduce.errors import SiteError, UsageError
from reproduce.library import DISTRIBUTION, IN_CHECKOUT, write_whole
from reproduce.paths import Destination
from reproduce.publication import lock
from reproduce.publication.stage import Stage
from reproduce.site import content, play, sources, trim

PACKAGES = (
    "sphinx",
    "myst_nb",
    "numpydoc",
    "pydata_sphinx_theme",
    "sphinx_design",
    "sphinxext.opengraph",
    "tinycss2",
    "PIL",
)
LINES = 20  # of what Sphinx complains about, at most
# What nothing loads: maps for the theme's authors, fonts of icons, Sphinx's own records. `objects.inv` stays:
# other sites link by it.
LEFTOVERS = (
    ".buildinfo",
    "*.map",
    "*.LICENSE.txt",
    "fontawesome.js",
    "*.woff2",
    "webpack-macros.html",
    ".gitignore",
)
ANSI = re.compile("\x1b\\[.*?m")


def write_site(project, family, url=None):
    """Build the site of one family of runs, and return its folder; on failure the published one stays.

    `url` is where the site will be, for what needs to know: the previews of links to its pages.
    """
    _require()
    destination = Destination(project.site(family), project.site(family).name)
    with lock.held(project.lock(destination)):
        stage = Stage(project, destination)
        try:
            print("Reading the ledgers, the published results and their evidence", flush=True)
            shown = content.load_content(project, family)
            source = stage.folder / "source"
            sources.write_sources(source, shown)
            _sphinx(project, source, stage.out, stage.folder / "doctrees", shown, url)
            stage.publish()
        finally:
            stage.discard()
    return destination.folder


def zipped(project, family):
    """Build the site as one zip file, the same bytes for the same pages, and return its path."""
    folder = write_site(project, family)
    path = project.report(family)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(p for p in folder.rglob("*") if p.is_file()):
            name = Path(path.stem, file.relative_to(folder)).as_posix()
            entry = zipfile.ZipInfo(name)  # of 1980, whenever it is written
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, file.read_bytes())
    write_whole(path, packed.getvalue())  # whole or not at all, with two calls at once, too
    return path


def _require():
    """Ask for what only the site needs before any work is done."""
    missing = [name for name in PACKAGES if not _is_installed(name)]
    if missing:
        names = ", ".join(missing)
        where = "." if IN_CHECKOUT else DISTRIBUTION
        raise UsageError(f"the site needs {names}: run `make setup`, or `pip install '{where}[site]'`")


def _is_installed(name):
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # the package that it is part of
        return False


def _sphinx(project, source, out, doctrees, shown, url):
    # Sphinx takes more than a second to import, and the other commands do without it.
    from sphinx.application import Sphinx

    from reproduce.site import extension
    from reproduce.site.settings import PREVIEW, mathjax, settings

    complaints = io.StringIO()
    with _importing_from(project.root):
        app = Sphinx(
            srcdir=source,
            confdir=None,
            outdir=out,
            doctreedir=doctrees,
            buildername="html",
            confoverrides=settings(shown.title, url),
            status=None,
            warning=complaints,
            freshenv=True,
        )
        extension.attach(app, shown)
        done = Counter()
        app.connect("source-read", lambda app, page, _: _tell(app, done, "Read", page))
        app.connect("html-page-context", lambda app, page, *_: _tell(app, done, "Wrote", page))
        app.build()
    lines = [line for line in ANSI.sub("", complaints.getvalue()).splitlines() if line.strip()]
    if lines:
        raise SiteError([line.replace(f"{source}/", "") for line in lines[:LINES]], len(lines))
    play.copy(shown.plays, out)
    if url and (preview := sources.preview(shown)):
        shutil.copyfile(preview, out / PREVIEW)
    trim.styles(out)
    target = out / "_static" / "mathjax"
    target.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(mathjax(), target / mathjax().name)
    for pattern in LEFTOVERS:
        for file in list(out.rglob(pattern)):
            file.unlink()


def _tell(app, done, what, page):
    """Say how far Sphinx is, at each quarter of what it reads and of what it writes."""
    pages = app.env.found_docs
    if page in pages:  # and no index that Sphinx adds
        done[what] += 1
        if done[what] * 4 // len(pages) > (done[what] - 1) * 4 // len(pages):
            print(f"{what} {done[what]} of {len(pages)} pages", flush=True)


@contextmanager
def _importing_from(root):
    """Have `import paperlib` find that of the project, also where the driver is another's."""
    before = list(sys.path)
    sys.path.insert(0, str(root))
    try:
        yield
    finally:
        sys.path[:] = before

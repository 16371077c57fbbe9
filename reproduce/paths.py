"""Paths that the driver reads or writes, relative to the root of one project."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from reproduce.errors import UnknownName, UsageError
from reproduce.library import IN_CHECKOUT

HOME = Path(__file__).resolve().parent.parent  # of the driver: a checkout, or where pip installs
DEFAULT = HOME if IN_CHECKOUT else "."  # the root of the project, where nobody names one
LIBRARY = "paperlib"  # holds the code of all papers of this checkout; a companion has a package for each


@dataclass(frozen=True)
class Destination:
    """Folder of one run's results.

    Attributes
    ----------
    folder : Path
        The folder that is published as a whole.
    slug : str
        Its name under build/: of the lock, the record and the executed notebook.
    """

    folder: Path
    slug: str


@dataclass(frozen=True)
class Family:
    """Runs whose results are read together: one profile, one kind of data, one set of overrides."""

    profile: str = "paper"
    data: str = "bundled"
    overrides: str | None = None  # 8 hex digits of the digest of all -p; None without any

    @property
    def is_the_papers_own(self):
        """True where the parameters are the papers' own; only their results go to figures/."""
        return self.profile == "paper" and self.overrides is None

    @property
    def by_data(self):
        """Families shown side by side with this one, as `{data: Family}`."""
        datas = ("bundled", "full") if self.is_the_papers_own else (self.data,)
        return {data: Family(self.profile, data, self.overrides) for data in datas}

    @property
    def suffix(self):
        """End of the name of a folder under build/runs/."""
        return "-".join(filter(None, [self.profile, self.data, self.overrides]))


class Project:
    """Root folder of a project, and the paths under it."""

    def __init__(self, root=DEFAULT):
        self.root = Path(root).resolve()
        if not self.root.is_dir():
            raise UsageError(f"--project {root}: no such folder")
        if not IN_CHECKOUT and (self.root / LIBRARY / "experiments" / "run_trace.py").is_file():
            raise UsageError(f"--project {root} has a driver of its own: call it in that folder")
        self.notebooks = self.root / "notebooks"
        self.figures = self.root / "figures"
        self.build = self.root / "build"
        self.docs = self.root / "docs"
        self.claims = self.root / "reproduce" / "claims"
        self.faults = self.root / "reproduce" / "faults"
        self.profiles = self.root / "reproduce" / "profiles.toml"
        self.lockfile = self.root / "requirements.lock"
        self.pyproject = self.root / "pyproject.toml"

    @cached_property
    def papers(self):
        """Names of all papers, which are those of the notebooks."""
        found = sorted(p.stem for p in self.notebooks.glob("*.ipynb") if not p.name.startswith("."))
        for name, what in (
            ("full", "the results of --data full"),
            ("evidence", "the results of power and stability"),
        ):
            if name in found:
                raise UsageError(f"notebooks/{name}.ipynb: rename the notebook, figures/{name}/ holds {what}")
        return found

    @cached_property
    def packages(self):
        """The packages whose code counts, `{name: folder}`: the library, or one for each notebook."""
        library = self.root / LIBRARY
        if IN_CHECKOUT and library.is_dir():
            return {LIBRARY: library}
        found = {paper: self.root / paper for paper in self.papers}
        return {name: folder for name, folder in found.items() if (folder / "__init__.py").is_file()}

    def choose(self, names):
        """Return the papers of these names, each once; all papers without any name."""
        if not self.papers:
            raise UsageError(
                f"no notebooks in {self.notebooks}: give the project's root folder with --project DIR"
            )
        for name in names:
            if name not in self.papers:
                raise UnknownName("paper", name, self.papers)
        return list(dict.fromkeys(names)) or self.papers

    def notebook(self, paper):
        return self.notebooks / f"{paper}.ipynb"

    def experiments(self, paper):
        """Return the name of the package with a paper's steps and measures."""
        return f"{LIBRARY}.experiments.{paper}" if LIBRARY in self.packages else paper

    def measures(self, paper):
        """Return the module of a paper's measures, which only papers that measure from tables have."""
        return self.root.joinpath(*self.experiments(paper).split("."), "claims.py")

    def destination(self, paper, family):
        """Return the destination of a paper's results in that family."""
        if not family.is_the_papers_own:
            name = f"{paper}-{family.suffix}"
            return Destination(self.build / "runs" / name, f"runs-{name}")
        if family.data == "full":
            return Destination(self.figures / "full" / paper, f"full-{paper}")
        return Destination(self.figures / paper, f"figures-{paper}")

    def sweep(self, paper, name):
        """Return the destination of a sweep's point, named by its key, or of its table, by its digest."""
        return Destination(self.build / "sweeps" / paper / name, f"sweeps/{paper}/{name}")

    def trial(self, paper, name):
        """Return where the results of a notebook with one fault are kept, by their key."""
        return self.build / "power" / paper / f"{name}.json"

    def kernels(self, name):
        """Return the folder of kernels compiled from the library's sources of that digest."""
        return self.build / "power" / "kernels" / name

    def evidence(self, paper):
        """Return the folder of what was found out about a paper's ledger, beside what its runs publish."""
        return self.figures / "evidence" / paper

    def scoreboard(self, family):
        """Return the path of a family's scoreboard; its JSON is beside it."""
        if family.is_the_papers_own:
            return self.figures / "SCOREBOARD.md"
        return self.build / "runs" / f"SCOREBOARD-{family.suffix}.md"

    def site(self, family):
        return self.build / ("site" if family.is_the_papers_own else f"site-{family.suffix}")

    def report(self, family):
        """Return the site as one zip file."""
        return self.build / ("report.zip" if family.is_the_papers_own else f"report-{family.suffix}.zip")

    def source(self, notebook):
        """Return the path of a copy of a notebook as it was read; the workers execute that copy."""
        return self.build / "sources" / f"{notebook.path.stem}-{notebook.sha256[:16]}.ipynb"

    def executed(self, destination):
        return self.build / "executed" / f"{destination.slug}.ipynb"

    def lock(self, destination):
        return self.build / "locks" / f"{destination.slug}.lock"

    def record(self, destination):
        return self.build / "state" / f"{destination.slug}.json"

    def stage(self, destination):
        return self.build / "stage" / destination.slug

    def shown(self, path):
        """Return `path` as a message shows it, relative to the root where that is the current folder."""
        if Path.cwd() == self.root and path.is_relative_to(self.root):
            return str(path.relative_to(self.root))
        return str(path)

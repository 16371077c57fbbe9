"""Every place the driver reads or writes, relative to one project root."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from reproduce.errors import UnknownName, UsageError

HOME = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Destination:
    """The place of one run's results.

    Attributes
    ----------
    folder : Path
        The folder that is published, whole.
    slug : str
        The folder's name in build/: for the lock, the record and the executed notebook.
    """

    folder: Path
    slug: str


@dataclass(frozen=True)
class Family:
    """Runs that are read together: one profile, one kind of data, one set of overrides."""

    profile: str = "paper"
    data: str = "bundled"
    overrides: str | None = None  # 8 hex digits

    @property
    def is_the_papers_own(self):
        """True for the papers' own parameters, the only ones whose results go to figures/."""
        return self.profile == "paper" and self.overrides is None

    @property
    def by_data(self):
        """`{data: Family}` of all that is shown side by side with this one."""
        datas = ("bundled", "full") if self.is_the_papers_own else (self.data,)
        return {data: Family(self.profile, data, self.overrides) for data in datas}

    @property
    def suffix(self):
        return "-".join(filter(None, [self.profile, self.data, self.overrides]))


class Project:
    """A root folder and the places under it."""

    def __init__(self, root=HOME):
        self.root = Path(root).resolve()
        if not self.root.is_dir():
            raise UsageError(f"--project {root}: there is no such folder")
        self.notebooks = self.root / "notebooks"
        self.library = self.root / "paperlib"
        self.figures = self.root / "figures"
        self.build = self.root / "build"
        self.claims = self.root / "reproduce" / "claims"
        self.faults = self.root / "reproduce" / "faults"
        self.profiles = self.root / "reproduce" / "profiles.toml"
        self.lockfile = self.root / "requirements.lock"
        self.pyproject = self.root / "pyproject.toml"

    @cached_property
    def papers(self):
        """Names of all papers: each notebook file is one."""
        found = sorted(p.stem for p in self.notebooks.glob("*.ipynb") if not p.name.startswith("."))
        if "full" in found:
            raise UsageError(
                "notebooks/full.ipynb: figures/full/ belongs to --data full, rename the notebook"
            )
        return found

    def choose(self, names):
        """Return the papers of these names, all if none is given."""
        if not self.papers:
            raise UsageError(
                f"no notebooks in {self.notebooks}: is this the project's folder? (--project DIR)"
            )
        for name in names:
            if name not in self.papers:
                raise UnknownName("paper", name, self.papers)
        return list(dict.fromkeys(names)) or self.papers

    def notebook(self, paper):
        return self.notebooks / f"{paper}.ipynb"

    def destination(self, paper, family):
        """Return where a paper's results of that family are published."""
        if not family.is_the_papers_own:
            name = f"{paper}-{family.suffix}"
            return Destination(self.build / "runs" / name, f"runs-{name}")
        if family.data == "full":
            return Destination(self.figures / "full" / paper, f"full-{paper}")
        return Destination(self.figures / paper, f"figures-{paper}")

    def sweep(self, paper, name):
        """Return where one point of a sweep is kept, by its key, or a sweep's table, by its digest."""
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
        if family.is_the_papers_own:
            return self.figures / "SCOREBOARD.md"
        return self.build / "runs" / f"SCOREBOARD-{family.suffix}.md"

    def report(self, family):
        name = "report" if family.is_the_papers_own else f"report-{family.suffix}"
        return self.build / name / "index.html"

    def source(self, notebook):
        """Return the path of a copy of a notebook as it was read, for every worker to take it from."""
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
        """Return `path` as a reader at the current folder would write it."""
        if Path.cwd() == self.root and path.is_relative_to(self.root):
            return str(path.relative_to(self.root))
        return str(path)

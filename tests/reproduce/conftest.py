"""A project of a few cells in a temporary folder, and the driver run over it as a user would."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.reproduce import in_process

REPOSITORY = Path(__file__).resolve().parents[2]
# What a shell starts in the background ignores Ctrl-C, and so would the drivers that are started here.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

PATIENCE = 240  # seconds for what takes a few on a quiet machine

PARAMETERS = """\
seed = 0  # seed of every random number
n_trials = 3  # repetitions; integer in [1, 1000000]
noise = 0.1  # share of flipped labels; number in [0, 0.5 * n_trials]
losses = ["hinge", "linear"]  # losses to fit
label = "a # b"  # shown in the title
exact = True  # whether to use the exact solver
out_dir = None  # where results go
data = "bundled"  # bundled or full
"""

WORK = "from paperlib.tools import base\nvalue = base + n_trials"

RECORD = """\
import json, pathlib
if out_dir:
    out = pathlib.Path(out_dir)
    (out / "figure-1.svg").write_text(f"<svg>{value}</svg>\\n")
    (out / "figure-1.png").write_bytes(b"png")
    (out / "table-1.csv").write_text(f"noise,value\\n{noise},{value}\\n")
    results = {"paper": PAPER, "data": [], "figures": ["figure-1"], "tables": ["table-1"],
               "measures": [{"claim": "one", "value": value, "stderr": None, "context": {}}]}
    (out / "results.json").write_text(json.dumps(results))
"""

LEDGER = """\
[[claim]]
id = "one"
where = "Table 1"
says = "the value is 13"
kind = "exact"
paper = 13
"""

# Of the library, what measures claims from tables.
EXPERIMENTS = ("claim_table", "claims", "ledger", "own_code", "publishing", "statistics", "verbs", "verdicts")
NEEDED = [*(f"experiments/{name}.py" for name in EXPERIMENTS), "_common/typing.py"]
MEASURES = """
from paperlib.experiments.verbs import largest


def one(table_1):
    return largest(table_1.value)
"""

SCOREBOARD = {"SCOREBOARD.md", "scoreboard.json", "scoreboard.schema.json"}
INTERRUPTED = "reproduce: interrupted: published results are complete, call again to go on\n"


class Mini:
    """The project's folder; every paper in it measures `base + n_trials` = 13."""

    PARAMETERS, WORK, RECORD, LEDGER, MEASURES = PARAMETERS, WORK, RECORD, LEDGER, MEASURES
    SCOREBOARD = SCOREBOARD  # its files
    INTERRUPTED = INTERRUPTED  # what an interrupted driver says

    def __init__(self, root):
        self.root = root

    @classmethod
    def make(cls, root, papers=("alpha",)):
        self = cls(root)
        for folder in ("notebooks", "paperlib", "reproduce/claims"):
            (root / folder).mkdir(parents=True)
        self.write("paperlib/__init__.py", "")
        self.write("paperlib/tools.py", "base = 10\n")
        self.write("requirements.lock", "numpy==2\n")
        self.write("pyproject.toml", '[project]\nname = "mini"\ndependencies = ["numpy>=2"]\n')
        smoke = "".join(f"[smoke.{paper}]\nn_trials = 1\n" for paper in papers)
        self.write("reproduce/profiles.toml", "[paper]\n" + smoke)
        for paper in papers:
            self.write(f"paperlib/{paper}/__init__.py", "")
            self.write(f"reproduce/claims/{paper}.toml", LEDGER)
            self.notebook(paper)
        return self

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def read(self, name):
        return (self.root / name).read_text()

    def notebook(self, paper, *work, parameters=PARAMETERS, record=RECORD):
        """Write a notebook; `work` replaces the cells between the parameters and the recording."""
        sources = [*(work or (WORK,)), f"PAPER = {paper!r}\n" + record]
        cells = [markdown(f"# {paper}"), code(parameters, "parameters"), *map(code, sources)]
        content = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        for i, cell in enumerate(cells):
            cell["id"] = f"cell-{i}"
        return self.write(f"notebooks/{paper}.ipynb", json.dumps(content, indent=1))

    def with_measures(self, paper="alpha", measures=MEASURES):
        """Make a paper one that measures from tables; the table is that of `results`."""
        for name in NEEDED:
            target = self.write(f"paperlib/{name}", "")
            shutil.copy(REPOSITORY / "paperlib" / name, target)
            self.write(f"{Path('paperlib', name).parent}/__init__.py", "")
        self.write(f"paperlib/experiments/{paper}/__init__.py", "")
        self.write(f"paperlib/experiments/{paper}/claims.py", measures)

    def results(
        self,
        paper="alpha",
        *,
        folder=None,
        figures=(),
        tables=(),
        measures=(),
        svg="<!-- {} -->",
        **more,
    ):
        """Publish results that no run has made."""
        folder = folder or f"figures/{paper}"
        for name in figures:
            text = (
                f'<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300">{svg.format(name)}</svg>'
            )
            self.write(f"{folder}/{name}.svg", text)
        for name in tables:
            self.write(f"{folder}/{name}.csv", "noise,value\n0.1,13\n")
        rows = [{"claim": name, "value": value, "stderr": None, "context": {}} for name, value in measures]
        named = {"figures": list(figures), "tables": list(tables)}
        content = {"paper": paper, "data": [], "measures": rows} | named | more
        self.write(f"{folder}/results.json", json.dumps(content))

    def executed_by_hand(self, *cells, slug="figures-alpha", **metadata):
        """Leave an executed notebook that no run has made, of cells as below."""
        self.write(f"build/executed/{slug}.ipynb", json.dumps({"cells": cells, "metadata": metadata}))

    @staticmethod
    def prose(source, **more):
        return markdown(source) | more

    @staticmethod
    def computed(source, *outputs, tags=(), seconds=None):
        cell = code(source, *tags) | {"outputs": outputs, "execution_count": 1}
        cell["metadata"]["papermill"] = {"duration": seconds}
        return cell

    @staticmethod
    def display(**data):
        data = {kind.replace("_", "/"): content for kind, content in data.items()}
        return {"output_type": "display_data", "data": data}

    def start(self, *args, cwd=None, **options):
        """The driver, running."""
        command = [sys.executable, "-m", "reproduce", *map(str, args), "--project", str(self.root)]
        env = os.environ | {"PYTHONPATH": str(REPOSITORY)} | options.pop("env", {})
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(command, cwd=cwd or self.root, env=env, **pipes, **options)

    def call(self, *args):
        """The driver, run to its end in this process."""
        folder = self.root if self.root.is_dir() else self.root.parent
        return Done(*in_process.call([*args, "--project", self.root], folder))

    def command(self, *args, timeout=PATIENCE, **options):
        """The driver, run to its end in a process of its own, as a user does."""
        process = self.start(*args, **options)
        try:
            out, err = process.communicate(timeout=timeout)
        finally:
            process.kill()
        return Done(process.returncode, out, err)

    @staticmethod
    def interrupt(driver, how):
        """Ctrl-C, or SIGTERM, for a driver in a session of its own."""
        if how == "Ctrl-C":
            os.killpg(driver.pid, signal.SIGINT)  # what a terminal does: to the whole group
        else:
            driver.terminate()

    @staticmethod
    def executed(out):
        """Names of the notebooks that were executed."""
        return {line.split(":")[0] for line in out.splitlines() if ": running (" in line}

    def published(self, folder="figures"):
        """Every file below a folder, with its bytes."""
        base = self.root / folder
        return {p.relative_to(base).as_posix(): p.read_bytes() for p in base.rglob("*") if p.is_file()}

    def kernels(self):
        """Kernel processes of this project that are alive."""
        mine = str(self.root)
        found = []
        for process in psutil.process_iter():
            try:
                line = " ".join(process.cmdline())
            except psutil.Error:
                continue
            if "kernel.py" in line and mine in line and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
        return found


class Done:
    """Exit code and output of a call; shown whole when an assertion fails."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __repr__(self):
        return f"exit {self.code}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"

    @property
    def executed(self):
        """Names of the notebooks that were executed."""
        return Mini.executed(self.out)


def code(source, *tags):
    metadata = {"tags": list(tags)} if tags else {}
    return {
        "cell_type": "code",
        "source": source,
        "metadata": metadata,
        "outputs": [],
        "execution_count": None,
    }


def markdown(source):
    return {"cell_type": "markdown", "source": source, "metadata": {}}


def wait_for(condition, what, timeout=PATIENCE):
    """Poll until `condition()` is true; its value."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.02)
    raise AssertionError(f"{what}: not within {timeout} s")


@pytest.fixture
def until():
    return wait_for


@pytest.fixture
def project(tmp_path):
    """One paper, nothing run yet."""
    return Mini.make(tmp_path / "project")


@pytest.fixture
def make_project(tmp_path):
    """A project with the papers of those names."""
    return lambda *papers: Mini.make(tmp_path / "project", papers)


@pytest.fixture(scope="session")
def make_mini():
    """A project in that folder, with the papers of those names."""
    return Mini.make


@pytest.fixture(scope="session")
def run_once(tmp_path_factory):
    """Two papers, both run, in a folder with a space and braces in its name; not to be changed."""
    mini = Mini.make(tmp_path_factory.mktemp("once") / "a {b} ü", ("alpha", "beta"))
    mini.first = mini.call("run")
    assert mini.first.code == 0, mini.first
    return mini


@pytest.fixture
def published(run_once, tmp_path):
    """A copy of `run_once` to change at will."""
    root = tmp_path / "copy of it"
    shutil.copytree(run_once.root, root)
    shutil.rmtree(root / "build" / "site", ignore_errors=True)  # of a test that made one, in whatever order
    return Mini(root)

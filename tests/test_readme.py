"""The word of README and docs is kept: links lead somewhere, commands are understood, code runs."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.papers import PAPERS

ROOT = Path(__file__).resolve().parents[1]
PAGES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
PAGES += ["figures/BENCHMARKS.md", "figures/GALLERY.md"]
PAGES += sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md"))
README = (ROOT / "README.md").read_text()
RUNNING, LIBRARY, SWEEPS = (
    (ROOT / f"docs/{name}.md").read_text() for name in ("running", "library", "sweeps")
)
CLAIMS = {
    paper: set(re.findall(r'^id = "(.*)"', (ROOT / f"reproduce/claims/{paper}.toml").read_text(), re.M))
    for paper in PAPERS
}
BLOCKS = re.findall(r"^```python\n(.*?)^```$", README + LIBRARY, re.M | re.S)
COMMANDS = re.findall(r"^(?:\.venv/bin/python -m reproduce|make sweep) .*?(?= +#|$)", SWEEPS, re.M)
TARGETS = re.findall(r"^([a-z]+):.*?##", (ROOT / "Makefile").read_text(), re.M)


def anchors(text):
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    text = (ROOT / page).read_text()
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith(("https://", "http://")):
            continue
        path, _, anchor = target.partition("#")
        file = ((ROOT / page).parent / path if path else ROOT / page).resolve()
        assert file.exists(), target
        if anchor and file.suffix == ".toml":  # a claim's row
            assert anchor in CLAIMS[file.stem], target
        elif anchor and file.suffix == ".py":  # what is public there
            assert re.search(rf"^(?:class|def) {anchor}\b", file.read_text(), re.M), target
        else:
            assert not anchor or anchor in anchors(file.read_text()), target


def test_the_summary_is_that_of_the_scoreboard():
    """The first table of figures/SCOREBOARD.md stands in the README as it is."""
    scoreboard = (ROOT / "figures" / "SCOREBOARD.md").read_text()
    summary = re.search(r"(?:^\|.*\n)+", scoreboard, re.M).group()
    assert all(paper in summary for paper in PAPERS)
    assert summary in README


def test_the_readme_is_read_in_five_minutes():
    assert len(README.split()) <= 1200


def test_the_make_targets_exist_and_are_all_named():
    named = set(re.findall(r"(?:^|`)make ([a-z]+)", README + RUNNING, re.M))
    assert named <= set(TARGETS)
    assert {*TARGETS} - named <= {"help", "clean"}


def output(*words):
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("command", [command for command in COMMANDS if not command.startswith("make")])
def test_commands_are_understood(command):
    _, *words = shlex.split(command)
    if "list" in words:
        assert "kernel_mean" in output(sys.executable, *words)
        return
    # Parameters of a run are checked as those of a sweep are, which can be tried without running anything.
    words = [{"run": "sweep", "-p": "--grid"}.get(word, word) for word in words]
    assert "nothing was run" in output(sys.executable, *words, "--dry-run")


def test_what_is_called_the_same_is():
    *_, command, made = COMMANDS
    words = output(*shlex.split(made), "-s", "PYTHON=true", "PY=echo").split()
    assert words == shlex.split(command)[1:]


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_the_code_runs(block):
    names = {}
    if "torch" in block:
        pytest.importorskip("torch")
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    y = np.where(X[:, 0] > 0, 1, -1)
    X[:, 0] += 0.5 * y
    names |= {"X": X, "y": y, "X_new": X[:9], "y_new": y[:9], "scores": X[:, :2]}
    names |= {"dataset": list(zip(range(300), X, y)), "train_on": lambda inputs, labels: labels < 0}
    names |= {
        "tree": DecisionTreeClassifier(max_depth=2),
        "bayes": GaussianNB(),
        "wrong": np.zeros(300, bool),
    }
    exec(block, names)

"""A parameter, a data set or a result is data, never a program and never a path.

Held elsewhere: data sets by their SHA-256 (`test_datasets.py`), names of figures and tables
(`test_recording.py`), results that name what is outside their folder, and HTML (`site/test_site.py`).
"""

import ast
import json
import os
import subprocess
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("paperlib", "reproduce", "benchmarks")
SOURCES = sorted(path for part in PARTS for path in (ROOT / part).rglob("*.py"))
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
# What runs whatever is in a file or a text that it is given.
RUNS_WHAT_IT_READS = {
    "eval", "exec", "compile", "os.system", "os.popen", "shelve.open", "pd.read_pickle", "pandas.read_pickle",
    *(f"{module}.{name}" for module in ("pickle", "cloudpickle", "dill", "joblib", "marshal", "torch", "yaml")
      for name in ("load", "loads", "unsafe_load")),
}  # fmt: skip


def programs():
    for path in SOURCES:
        yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
    for path in NOTEBOOKS:
        cells = nbformat.read(path, as_version=4).cells
        yield path.name, "\n".join(cell.source for cell in cells if cell.cell_type == "code")


def dangerous_calls(source):
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        given = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
        if name in RUNS_WHAT_IT_READS or given.get("shell", "False") != "False":
            yield ast.unparse(node)
        if name.endswith("np.load") and given.get("allow_pickle", "False") != "False":
            yield ast.unparse(node)


def test_nothing_runs_what_it_reads():
    files = list(programs())
    assert len(files) > 200
    found = {name: calls for name, source in files if (calls := list(dangerous_calls(source)))}
    # Its task is to run the cells of this project's notebooks, as papermill does.
    assert [call.partition("(")[0] for call in found.pop("reproduce/execution/warm.py")] == [
        "exec",
        "compile",
    ]
    # It calls what its own list has.
    assert [call.partition("(")[0] for call in found.pop("paperlib/compile.py")] == ["exec"]
    # Kept values are pickles, in a folder of this project's own (SECURITY.md).
    assert [call.partition("(")[0] for call in found.pop("paperlib/experiments/store.py")] == ["joblib.load"]
    # Compiled kernels, in a cache that runs as the sources beside it do (SECURITY.md).
    assert [call.partition("(")[0] for call in found.pop("paperlib/_common/jit.py")] == ["pickle.loads"]
    assert found == {}


@pytest.mark.parametrize(
    "source",
    [
        "import pickle; pickle.load(file)",
        "import subprocess; subprocess.run(text, shell=True)",
        "eval(text)",
        "np.load(file, allow_pickle=True)",
    ],
)
def test_it_would_be_seen(source):
    assert list(dangerous_calls(source))


# Values that would be commands to a shell, to make or to Python, and paths out of the folder.
HOSTILE = [
    "`touch pwned`",
    "$(touch pwned)",
    "$(shell touch pwned)",
    "; touch pwned",
    '"; touch pwned; "',
    "'; touch pwned; '",
    "| touch pwned",
    "&& touch pwned",
    "../../pwned",
    '"); open("pwned", "w"); ("',
]


@pytest.fixture
def echo(tmp_path):
    """A program in place of Python's that writes down what it is called with."""
    program = tmp_path / "echo"
    program.write_text(
        "#!/usr/bin/env python3\nimport json, sys\nopen('called', 'w').write(json.dumps(sys.argv[1:]))\n"
    )
    program.chmod(0o755)
    return program


def make(folder, echo, *arguments):
    words = ["make", "-s", "-f", str(ROOT / "Makefile"), "PYTHON=true", f"PY={echo}", *arguments]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("M")}
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "called").read_text())


@pytest.mark.parametrize("value", HOSTILE)
def test_make_hands_values_on_as_they_are(echo, tmp_path, value):
    folder = tmp_path / "project"
    folder.mkdir()
    called = make(folder, echo, "sweep", f"PAPER={value}", f"GRID=label={value}", f"SCHEDULER={value}")
    first, *more = value.split()
    grid = [word for each in (f"label={first}", *more) for word in ("--grid", each)]
    assert called == ["-m", "reproduce", "sweep", value, *grid, "--scheduler", value]
    called = make(folder, echo, "reproduce", f"PAPERS={value}", f"DATA={value}")
    assert called == ["-m", "reproduce", "run", *value.split(), "--data", value]
    assert [path.name for path in folder.iterdir()] == ["called"]


def test_make_passes_on_what_is_given_and_nothing_else(echo, tmp_path):
    assert make(tmp_path, echo, "reproduce") == ["-m", "reproduce", "run"]
    given = ["PROFILE=smoke", "DATA=full", "JOBS=2", "FORCE=1", "PAPERS=coresets max_loss"]
    words = "run coresets max_loss --profile smoke --data full --jobs 2 --force"
    assert make(tmp_path, echo, "reproduce", *given) == ["-m", "reproduce", *words.split()]
    words = "stability coresets --profile smoke --seeds 3"
    given = ["PAPERS=coresets", "PROFILE=smoke", "SEEDS=3"]
    assert make(tmp_path, echo, "stability", *given) == ["-m", "reproduce", *words.split()]
    given = ["PAPER=coresets", "GRID=eps=0.1,0.2 seed=0:3:1", "ZIP=a=1 b=2"]
    words = "sweep coresets --grid eps=0.1,0.2 --grid seed=0:3:1 --zip a=1 --zip b=2"
    assert make(tmp_path, echo, "sweep", *given) == ["-m", "reproduce", *words.split()]


def everything_below(folder, but):
    return sorted(path for path in folder.rglob("*") if but not in [path, *path.parents])


@pytest.mark.slow
def test_a_value_is_a_value_wherever_it_goes(project, tmp_path):
    build = project.root / "build"
    project.notebook("alpha", "import pathlib\npathlib.Path(out_dir, 'label').write_text(label); value = 13")
    before = everything_below(tmp_path, build)
    done = project.call("sweep", "alpha", "--grid", "label=`touch pwned`,$(touch pwned),../../../pwned")
    assert done.code == 0, done
    done = project.call("run", "alpha", "-p", f"label={HOSTILE[-1]}")
    assert done.code == 0, done
    assert everything_below(tmp_path, build) == before
    # What a sweep's points are called leads to their folders, and nowhere else.
    named = [path for path in tmp_path.rglob("*pwned*") if path.parent.name != "points"]
    links = list(build.glob("sweeps/*/*/points/*"))
    assert named == [] and len(links) == 3
    assert {path.resolve().parent for path in links} == {build / "sweeps" / "alpha"}
    [label] = [path.read_text() for path in (build / "runs").rglob("label")]
    assert label == HOSTILE[-1]


@pytest.mark.parametrize("paper", ["../alpha", "/etc/passwd", "alpha/../../x", "alpha\n"])
def test_a_paper_is_a_name_and_no_path(project, paper):
    done = project.call("run", paper)
    assert done.code == 2, done
    assert not (project.root / "build").exists()


def test_where_results_go_is_not_for_a_parameter_to_say(project, tmp_path):
    done = project.call("run", "alpha", "-p", f"out_dir={tmp_path / 'elsewhere'}")
    assert done.code == 2, done
    assert "out_dir is set by the driver" in done.err
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("given", [[], ["PAPER=coresets"], ["GRID=eps=0.1"], ["PAPER=", "ZIP=a=1"]])
def test_make_sweep_says_what_is_missing_before_it_installs_anything(tmp_path, given):
    words = [
        "make",
        "-f",
        str(ROOT / "Makefile"),
        "PYTHON=touch installed;",
        "PY=touch ran;",
        "sweep",
        *given,
    ]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("M")}
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert 'make sweep PAPER=kernel_mean GRID="noise=0,0.2 n_train=200,800"' in done.stderr
    assert list(tmp_path.iterdir()) == []

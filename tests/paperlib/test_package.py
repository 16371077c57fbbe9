"""What holds for the package as a whole: lazy wings, one-way imports, small rooms, cached kernels."""

import ast
import dataclasses
import importlib
import inspect
import json
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

import paperlib

REPOSITORY = Path(__file__).resolve().parents[2]
WINGS = ("coresets", "boosting2d", "kernel_mean", "max_loss", "feature_deletion")
KERNELS_MAY_IMPORT = {"math", "typing", "numpy", "numba", "llvmlite"}  # the last is numba's own compiler
SHARED_KERNELS = (
    "paperlib._common.kernels",
    "paperlib._common.gaussian_sums",
    "paperlib._common.powers_of_two",
)

MODULES = sorted(path for folder in ("paperlib", "reproduce") for path in (REPOSITORY / folder).rglob("*.py"))
NOTEBOOKS = sorted((REPOSITORY / "notebooks").glob("*.ipynb"))


def name_of(path):
    return path.relative_to(REPOSITORY).as_posix()


def program(text, *args, **env):
    """What a fresh process prints, read as JSON."""
    done = subprocess.run(
        [sys.executable, "-c", text, *args],
        env=os.environ | env,
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# Lazy wings


def test_importing_the_package_loads_no_heavy_library_and_no_wing():
    loaded = program("import json, sys, paperlib; print(json.dumps(sorted(sys.modules)))")
    heavy = {"numba", "sklearn", "scipy", "pandas", "matplotlib", "torch", "cvxpy", "dask"}
    assert not heavy & set(loaded)
    assert [name for name in loaded if name.startswith("paperlib")] == ["paperlib"]


def test_one_wing_loads_no_other():
    text = "import json, sys, paperlib; paperlib.kernel_mean; print(json.dumps(sorted(sys.modules)))"
    loaded = {name.split(".")[1] for name in program(text) if name.startswith("paperlib.")}
    assert loaded & set(WINGS) == {"kernel_mean"}


@pytest.mark.parametrize("name", paperlib.__all__)
def test_every_part_is_had_by_its_name(name):
    assert getattr(paperlib, name) is importlib.import_module(f"paperlib.{name}")
    assert dir(paperlib).count(name) == 1


def test_every_folder_of_the_package_is_a_wing_that_is_announced():
    folders = {p.parent.name for p in (REPOSITORY / "paperlib").glob("*/__init__.py")}
    assert folders <= set(WINGS)
    assert folders <= set(paperlib.__all__)


def test_an_unknown_name_says_what_there_is():
    words = r"module 'paperlib' has no attribute 'kernels'; it has .*kernel_mean"
    with pytest.raises(AttributeError, match=words):
        paperlib.kernels  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'kernels'"):
        from paperlib import kernels  # noqa: F401


# Docstrings


def named_in(module):
    """``(name, thing)`` of the classes and functions that a module gives its users."""
    for name in getattr(module, "__all__", sorted(vars(module))):
        thing = getattr(module, name)
        own = getattr(thing, "__module__", "").startswith(module.__name__) and not name.startswith("_")
        if own and (inspect.isclass(thing) or inspect.isfunction(thing)):
            yield f"{module.__name__}.{name}", thing


PARTS = [importlib.import_module(f"paperlib.{part}") for part in paperlib.__all__]
ROOMS = [
    getattr(part, name)
    for part in PARTS
    for name in getattr(part, "__all__", [])
    if inspect.ismodule(getattr(part, name))
]
OF_WINGS = [pair for part in PARTS if hasattr(part, "__all__") for pair in named_in(part)]
PUBLIC = OF_WINGS + [
    pair
    for module in [*ROOMS, *(part for part in PARTS if not hasattr(part, "__all__"))]
    for pair in named_in(module)
]
public = pytest.mark.parametrize("name, thing", PUBLIC, ids=[name for name, _ in PUBLIC])


def is_record(thing):
    return dataclasses.is_dataclass(thing) or hasattr(thing, "_fields")


def methods(thing):
    """Its own public methods, and how it is made."""
    for name, method in vars(thing).items():
        method = getattr(method, "__func__", method)
        if inspect.isfunction(method) and (not name.startswith("_") or name == "__init__"):
            yield name, method


@pytest.mark.parametrize("name, thing", OF_WINGS, ids=[name for name, _ in OF_WINGS])
def test_every_name_of_a_wing_says_what_it_takes_and_returns(name, thing):
    text = inspect.getdoc(thing) or ""
    assert text, f"{name} has no docstring"
    if is_record(thing):
        assert "Attributes\n----------" in text
    elif inspect.signature(thing).parameters:
        assert "Parameters\n----------" in text
        for parameter in inspect.signature(thing).parameters:
            assert parameter in text, f"{name} does not describe {parameter}"
    if inspect.isfunction(thing):
        assert "Returns\n-------" in text


@public
def test_every_public_name_has_an_example_that_runs(name, thing):
    assert ">>> " in (inspect.getdoc(thing) or ""), f"{name} has no example"


# Type hints


@public
def test_every_public_name_is_typed(name, thing):
    if inspect.isclass(thing):
        functions = {} if is_record(thing) else dict(methods(thing))
    else:
        functions = {name: thing}
    for each, function in functions.items():
        signature = inspect.signature(function)
        hints = [p.annotation for p in signature.parameters.values() if p.name not in ("self", "cls")]
        assert inspect.Parameter.empty not in [*hints, signature.return_annotation], f"{name}: {each}"


def test_the_type_hints_are_right(tmp_path):
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_user_gets_the_type_hints():
    assert (Path(paperlib.__file__).parent / "py.typed").exists()


# The house: DESIGN's section 2


def imports(path):
    """Every module that a file imports, in full."""
    package = list(path.relative_to(REPOSITORY).with_suffix("").parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: -node.level]) if node.level else ""
            module = ".".join(filter(None, (base, node.module)))
            # `from paperlib import coresets` names a module too.
            yield from (f"{module}.{alias.name}" for alias in node.names)


def belongs_to(module, package):
    return module == package or module.startswith(f"{package}.")


def test_imports_are_read_in_every_form():
    path = REPOSITORY / "paperlib" / "kernel_mean" / "__init__.py"
    assert "paperlib.kernel_mean.kernel_mean_classifier.KernelMeanClassifier" in set(imports(path))
    assert "paperlib.kernel_mean.theory" in set(imports(path))


@pytest.mark.parametrize("path", [p for p in MODULES if p.parts[-2] in WINGS], ids=name_of)
def test_a_wing_imports_no_other_wing(path):
    others = [f"paperlib.{wing}" for wing in WINGS if wing != path.parent.name]
    assert not [name for name in imports(path) if any(belongs_to(name, other) for other in others)]


@pytest.mark.parametrize("path", [p for p in MODULES if p.parent == REPOSITORY / "paperlib"], ids=name_of)
def test_the_ground_floor_imports_no_wing(path):
    wings = [f"paperlib.{wing}" for wing in WINGS]
    assert not [name for name in imports(path) if any(belongs_to(name, wing) for wing in wings)]


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_library_and_driver_do_not_know_each_other(path):
    in_library = path.is_relative_to(REPOSITORY / "paperlib")
    strangers = ("papermill", "reproduce", "nbclient") if in_library else ("paperlib",)
    assert not [name for name in imports(path) if any(belongs_to(name, other) for other in strangers)]


@pytest.mark.parametrize(
    "path", [p for p in MODULES if any(belongs_to(name, "numba") for name in imports(p))], ids=name_of
)
def test_a_room_of_kernels_imports_arrays_and_numba_only(path):
    others = {name.split(".")[0] for name in imports(path)} - KERNELS_MAY_IMPORT
    own = [name for name in imports(path) if belongs_to(name, "paperlib")]
    rooms = (f"paperlib.{path.parent.name}", *SHARED_KERNELS)
    assert others <= {"paperlib"}
    assert all(any(belongs_to(name, room) for room in rooms) for name in own)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_room_has_at_most_four_hundred_lines(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


# Notebooks: DESIGN's section 3


@pytest.fixture(params=NOTEBOOKS, ids=name_of)
def notebook(request):
    return nbformat.read(request.param, as_version=nbformat.NO_CONVERT)


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_a_notebook_is_valid(notebook):
    nbformat.validate(notebook)


def test_a_notebook_is_kept_without_outputs(notebook):
    for cell in code_cells(notebook):
        assert cell.outputs == []
        assert cell.execution_count is None


def test_a_notebook_has_one_cell_of_parameters_and_it_comes_first(notebook):
    tagged = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
    assert tagged == code_cells(notebook)[:1]


def test_the_parameters_have_the_three_that_every_notebook_has(notebook):
    tree = ast.parse(code_cells(notebook)[0].source)
    values = {node.targets[0].id: ast.literal_eval(node.value) for node in tree.body}
    assert isinstance(values["seed"], int)
    assert values["out_dir"] is None
    assert values["data"] == "bundled"


def test_no_code_cell_is_longer_than_a_screen(notebook):
    parameters, *others = code_cells(notebook)
    assert len(parameters.source.splitlines()) <= 40
    for cell in others:
        assert len(cell.source.splitlines()) <= 30, cell.source


# Kernels

USE_KERNELS = """
import json, pkgutil, importlib
import numpy as np
from numba.core.dispatcher import Dispatcher
import paperlib.kernel_mean as wing

rng = np.random.default_rng(0)
X, y = rng.normal(size=(40, 3)), np.repeat([-1, 1], 20)
classifier = wing.KernelMeanClassifier(gamma=0.5).fit(X, y)
scores = classifier.decision_function(X)
sparse = wing.sparsify(X, classifier.dual_coef_, m=5, gamma=0.5, random_state=0)
sparse.error, classifier.norm_

found = {}
for module in pkgutil.iter_modules(wing.__path__, "paperlib.kernel_mean."):
    for name, kernel in vars(importlib.import_module(module.name)).items():
        if isinstance(kernel, Dispatcher) and kernel.signatures:
            stats = kernel.stats
            found[name] = [sum(stats.cache_hits.values()), sum(stats.cache_misses.values())]
print(json.dumps([found, scores.tolist()]))
"""


def test_a_second_process_compiles_no_kernel(tmp_path):
    first, first_scores = program(USE_KERNELS, NUMBA_CACHE_DIR=str(tmp_path))
    assert sum(misses for _, misses in first.values()) > 0
    second, second_scores = program(USE_KERNELS, NUMBA_CACHE_DIR=str(tmp_path))
    # A kernel that was only called from another one is not loaded again at all.
    assert {name: misses for name, (_, misses) in second.items() if misses} == {}
    assert sum(hits for hits, _ in second.values()) > 0
    assert second_scores == first_scores


def dispatchers():
    """Every compiled function of the package."""
    from numba.core.dispatcher import Dispatcher

    for module in pkgutil.walk_packages(paperlib.__path__, "paperlib."):
        for name, kernel in vars(importlib.import_module(module.name)).items():
            if isinstance(kernel, Dispatcher) and kernel.py_func.__module__ == module.name:
                yield f"{module.name}.{name}", kernel


def test_every_kernel_is_cached_and_lets_other_threads_run():
    kernels = dict(dispatchers())
    assert kernels
    for name, kernel in kernels.items():
        assert type(kernel._cache).__name__ == "FunctionCache", f"{name} lacks cache=True"
        assert kernel.targetoptions.get("nogil"), f"{name} lacks nogil=True"
        assert kernel.targetoptions.get("fastmath") is not True, f"{name} has fastmath=True"

"""The layout of the code: which way imports run, what may be imported, and how large a piece may be."""

import ast
import importlib
import json
import sys
from functools import cache
from pathlib import Path

from tests.papers import PAPERS
from tests.programs import printed

REPOSITORY = Path(__file__).resolve().parents[2]
LIBRARY = REPOSITORY / "paperlib"
SHARED = "paperlib._common"
EXPERIMENTS = "paperlib.experiments"

LONGEST_FILE = 400  # lines
LONGEST_BODY = 60  # lines of a function, without its signature and docstring
WIDEST_KERNEL = 10  # arguments
PUBLIC_MODULES = 10  # of a subpackage
PRIVATE_MODULES = 12  # of one private package

# Modules that the driver loads by their path have relative imports among themselves.
RELATIVE = {f"{SHARED}.{name}" for name in ("code_digest", "code_reach", "code_writer")}
RELATIVE |= {f"{EXPERIMENTS}.{name}" for name in ("annotations", "parameters")}
# The measures of claims are made of tables, without an experiment.
MEASURES_IMPORT = {"math", "numpy", "pandas", f"{EXPERIMENTS}.verbs"}

# A module of kernels needs nothing else; llvmlite is numba's own compiler.
KERNELS_IMPORT = {"math", "typing", "collections", "numpy", "numba", "llvmlite"}
# What the library is imported without: these take seconds, or need not be installed.
HEAVY = {"IPython", "cvxpy", "dask", "distributed", "ipywidgets", "matplotlib", "pandas", "skimage", "torch"}


def within(module, package):
    """Whether `module` is `package` or lies in it."""
    return module == package or module.startswith(f"{package}.")


def module_name(path):
    parts = path.relative_to(REPOSITORY).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def files():
    """Path of every module of the library, the experiments and the driver, by its dotted name."""
    paths = [path for folder in ("paperlib", "reproduce") for path in (REPOSITORY / folder).rglob("*.py")]
    return {module_name(path): path for path in sorted(paths)}


@cache
def tree(module):
    return ast.parse(files()[module].read_text(encoding="utf-8"))


def names_imported(node, module):
    """What an import statement names, in full: `from a import b` may mean the module a.b or a name in a."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    origin = node.module
    if node.level:
        assert module in RELATIVE and node.level == 1, f"{module}: relative imports are not used here"
        origin = f"{module.rpartition('.')[0]}.{node.module}"
    return [f"{origin}.{alias.name}" for alias in node.names]


@cache
def imported(module):
    """Every name that `module` imports, anywhere in it."""
    nodes = ast.walk(tree(module))
    return {
        name
        for node in nodes
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in names_imported(node, module)
    }


def module_of(name):
    """The module of ours that an imported name is or lies in, None for one that is not ours."""
    while name and name not in files():
        name = name.rpartition(".")[0]
    return name or None


@cache
def graph():
    """The modules of ours that each of ours imports."""
    return {module: {found for name in imported(module) if (found := module_of(name))} for module in files()}


def edges():
    return [(module, other) for module, others in graph().items() for other in others]


def part_of(module):
    """The paper that a module belongs to, in the library or in the experiments, else None."""
    parts = module.split(".")
    inner = parts[2:] if parts[:2] == ["paperlib", "experiments"] else parts[1:]
    return inner[0] if parts[0] == "paperlib" and inner and inner[0] in PAPERS else None


def in_library(module):
    return within(module, "paperlib") and not within(module, EXPERIMENTS)


def private_package(module):
    """The private package that a module of a paper lies in, else None."""
    parts = module.split(".")
    return (
        ".".join(parts[:3])
        if part_of(module) and parts[1] in PAPERS and parts[2:3] and parts[2][0] == "_"
        else None
    )


# Which way imports run


def test_there_is_something_to_look_at():
    assert len(files()) > 100
    assert (f"{EXPERIMENTS}.recording", f"{EXPERIMENTS}.files") in edges()


def test_the_library_never_imports_the_experiments():
    assert [e for e in edges() if in_library(e[0]) and within(e[1], EXPERIMENTS)] == []


def test_no_paper_imports_another():
    assert [(a, b) for a, b in edges() if part_of(a) and part_of(b) and part_of(a) != part_of(b)] == []


def test_what_is_shared_knows_no_paper():
    shared = [(a, b) for a, b in edges() if part_of(a) is None and within(a, "paperlib")]
    assert [(a, b) for a, b in shared if part_of(b)] == []
    assert [(a, b) for a, b in shared if within(a, SHARED) and not within(b, SHARED)] == []


def test_a_private_package_is_imported_by_its_own_paper_only():
    private = [(a, b) for a, b in edges() if private_package(b)]
    assert private
    assert [(a, b) for a, b in private if part_of(a) != part_of(b)] == []


def test_the_driver_imports_none_of_the_library_and_the_library_none_of_it():
    both = [(a, b) for a, b in edges() if within(a, "reproduce") != within(b, "reproduce")]
    assert both == []
    outside = [
        m for m in files() if within(m, "paperlib") and any(n.startswith("papermill") for n in imported(m))
    ]
    assert outside == []


def test_what_the_driver_loads_by_path_needs_the_standard_library_only():
    """It is loaded before anything is installed, and for a project that has other modules of these names."""
    importlib.import_module("reproduce.library")
    loaded = {name: module for name, module in sys.modules.items() if name.startswith("reproduce._paperlib_")}
    by_path = {
        module_name(Path(module.__file__)) for module in loaded.values() if hasattr(module, "__file__")
    }
    assert by_path >= RELATIVE
    for module in by_path:
        at_once = [node for node in tree(module).body if isinstance(node, ast.Import | ast.ImportFrom)]
        names = {name for node in at_once for name in names_imported(node, module)}
        foreign = {name for name in names if name.partition(".")[0] not in sys.stdlib_module_names}
        assert {module_of(name) or name for name in foreign} <= RELATIVE - {module}, module


def test_there_is_no_cycle():
    done, path = set(), []

    def visit(module):
        assert module not in path, " -> ".join([*path[path.index(module) :], module])
        if module not in done:
            path.append(module)
            for other in sorted(graph()[module] - {module}):
                # A package's __init__ names its modules, and they name its subpackages through it.
                if not within(module, other):
                    visit(other)
            path.pop()
            done.add(module)

    for module in graph():
        visit(module)


def test_every_module_of_the_library_is_reached_by_a_public_name():
    reached, queue = set(), ["paperlib.compile", *(f"paperlib.{paper}" for paper in PAPERS)]
    while queue:
        module = queue.pop()
        if module not in reached:
            reached.add(module)
            queue += graph()[module]
            queue += [
                name for name in [module.rpartition(".")[0]] if name
            ]  # it is imported before the module
    library = {module for module in files() if in_library(module) and files()[module].name != "__init__.py"}
    assert library - reached == set()


WITHOUT_THEM = """
import importlib.abc, json, sys

class Refuse(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in HEAVY:
            raise ModuleNotFoundError(f"no {name} here", name=name)

HEAVY, PAPERS = json.loads(sys.argv[1])
sys.meta_path.insert(0, Refuse())
import paperlib
for paper in PAPERS:
    getattr(paperlib, paper)
print(json.dumps([name for name in sys.modules if name.startswith("paperlib")]))
"""


def test_the_library_is_imported_where_nothing_else_is_installed():
    given = json.dumps([sorted(HEAVY), PAPERS])
    loaded = json.loads(printed("-c", WITHOUT_THEM, given))
    assert not [name for name in loaded if within(name, EXPERIMENTS)]


# What may be imported


def test_a_subpackage_shows_at_most_ten_modules():
    for paper in PAPERS:
        modules = [path.name for path in (LIBRARY / paper).glob("*.py") if path.name != "__init__.py"]
        assert len(modules) <= PUBLIC_MODULES, (paper, sorted(modules))
        assert [name for name in modules if name.startswith("_")] == [], paper


def test_its_folders_are_private_packages_of_at_most_twelve_modules():
    for paper in PAPERS:
        folders = [
            path for path in (LIBRARY / paper).iterdir() if path.is_dir() and path.name != "__pycache__"
        ]
        assert [folder.name for folder in folders if not folder.name.startswith("_")] == [], paper
        for folder in folders:
            modules = [path for path in folder.rglob("*.py") if path.name != "__init__.py"]
            assert 0 < len(modules) <= PRIVATE_MODULES, folder


def test_every_paper_has_its_experiments():
    for paper in PAPERS:
        assert (LIBRARY / "experiments" / paper / "__init__.py").is_file()


def test_measures_are_made_of_tables_only():
    for paper in PAPERS:
        measures = {m for m in files() if m.startswith(f"{EXPERIMENTS}.{paper}.claims")}
        for module in measures:
            names = {module_of(name) or name.partition(".")[0] for name in imported(module)}
            own = {f"paperlib.{paper}.theory", f"{EXPERIMENTS}.{paper}.powers"}
            assert names <= MEASURES_IMPORT | measures | own, module


# How large a piece may be


def functions(module):
    return [node for node in ast.walk(tree(module)) if isinstance(node, ast.FunctionDef)]


def body_length(function):
    """Lines from the first statement after the docstring to the last."""
    documented = ast.get_docstring(function, clean=False) is not None
    body = function.body[1:] if documented else function.body
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0


def is_kernel(function):
    names = [ast.unparse(decorator).partition("(")[0] for decorator in function.decorator_list]
    return any(name.split(".")[-1] in ("jit", "njit", "counted", "uncounted") for name in names)


def width(function):
    return len([*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs])


def test_no_file_is_long():
    lengths = {module: len(path.read_text(encoding="utf-8").splitlines()) for module, path in files().items()}
    assert {module: length for module, length in lengths.items() if length > LONGEST_FILE} == {}


def test_no_function_is_long():
    lengths = {f"{m}.{f.name}": body_length(f) for m in files() for f in functions(m)}
    assert {name: length for name, length in lengths.items() if length > LONGEST_BODY} == {}


def test_no_kernel_is_wide():
    widths = {f"{m}.{f.name}": width(f) for m in files() for f in functions(m) if is_kernel(f)}
    assert len(widths) > 100
    assert {name: w for name, w in widths.items() if w > WIDEST_KERNEL} == {}


def test_modules_of_kernels_hold_kernels_and_named_tuples_only():
    for module in files():
        if not any(is_kernel(function) for function in functions(module)):
            continue
        classes = [node for node in tree(module).body if isinstance(node, ast.ClassDef)]
        assert all([ast.unparse(base) for base in each.bases] == ["NamedTuple"] for each in classes), module
        if in_library(module) and not within(module, SHARED):
            assert private_package(module), f"{module}: kernels belong to a private package"
        foreign = {name for name in imported(module) if not within(name, "paperlib")}
        assert {name.partition(".")[0] for name in foreign} <= KERNELS_IMPORT, module

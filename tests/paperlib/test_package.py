"""The package as a whole: lazy subpackages, documented and typed names, cached kernels."""

import dataclasses
import importlib
import inspect
import json
import pkgutil
from pathlib import Path

import pytest

import paperlib
from tests.papers import PAPERS
from tests.programs import printed

# What the experiments of all papers share.
SHARED = ("datasets", "interactive", "parameters", "plotting", "recording", "statistics")


def program(text, *args, **env):
    """What a fresh process prints, read as JSON."""
    return json.loads(printed("-c", text, *args, **env))


# Lazy subpackages


def test_importing_the_package_loads_no_heavy_library_and_no_subpackage():
    loaded = program("import json, sys, paperlib; print(json.dumps(sorted(sys.modules)))")
    heavy = {"numba", "sklearn", "scipy", "pandas", "matplotlib", "torch", "cvxpy", "dask"}
    assert not heavy & set(loaded)
    assert [name for name in loaded if name.startswith("paperlib")] == ["paperlib"]


@pytest.mark.slow
def test_one_subpackage_loads_no_other():
    text = "import json, sys, paperlib; paperlib.kernel_mean; print(json.dumps(sorted(sys.modules)))"
    loaded = {name.split(".")[1] for name in program(text) if name.startswith("paperlib.")}
    assert loaded == {"_common", "kernel_mean"}


def test_every_subpackage_is_found_by_its_name():
    assert set(paperlib.__all__) == set(PAPERS)
    for name in (*paperlib.__all__, "experiments"):
        assert getattr(paperlib, name) is importlib.import_module(f"paperlib.{name}")
        assert dir(paperlib).count(name) == 1


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


SUBPACKAGES = [importlib.import_module(f"paperlib.{paper}") for paper in PAPERS]
NAMED = [pair for subpackage in SUBPACKAGES for pair in named_in(subpackage)]
MODULES = [
    *(
        getattr(each, name)
        for each in SUBPACKAGES
        for name in each.__all__
        if inspect.ismodule(getattr(each, name))
    ),
    *(importlib.import_module(f"paperlib.experiments.{name}") for name in SHARED),
]
PUBLIC = NAMED + [pair for module in MODULES for pair in named_in(module)]


def is_record(thing):
    return dataclasses.is_dataclass(thing) or hasattr(thing, "_fields")


def methods(thing):
    """Its own public methods, and how it is made."""
    for name, method in vars(thing).items():
        method = getattr(method, "__func__", method)
        if inspect.isfunction(method) and (not name.startswith("_") or name == "__init__"):
            yield name, method


def test_every_name_of_a_subpackage_says_what_it_takes_and_returns():
    assert len(NAMED) > 40
    for name, thing in NAMED:
        text = inspect.getdoc(thing) or ""
        assert text, f"{name} has no docstring"
        if is_record(thing):
            assert "Attributes\n----------" in text, name
        elif inspect.signature(thing).parameters:
            assert "Parameters\n----------" in text, name
            missing = [each for each in inspect.signature(thing).parameters if each not in text]
            assert not missing, f"{name} does not describe {missing}"
        if inspect.isfunction(thing):
            assert "Returns\n-------" in text, name


def test_every_public_name_has_an_example():
    assert [name for name, thing in PUBLIC if ">>> " not in (inspect.getdoc(thing) or "")] == []


# Type hints


def test_every_public_name_is_typed():
    for name, thing in PUBLIC:
        if inspect.isclass(thing):
            functions = {} if is_record(thing) else dict(methods(thing))
        else:
            functions = {name: thing}
        for each, function in functions.items():
            signature = inspect.signature(function)
            hints = [p.annotation for p in signature.parameters.values() if p.name not in ("self", "cls")]
            assert inspect.Parameter.empty not in [*hints, signature.return_annotation], f"{name}: {each}"


@pytest.mark.slow
def test_the_type_hints_are_right(tmp_path):
    printed("-m", "mypy", "--cache-dir", tmp_path, timeout=600)


def test_a_user_gets_the_type_hints():
    assert (Path(paperlib.__file__).parent / "py.typed").exists()


# Kernels

USE_KERNELS = """
import json, pkgutil, importlib
import paperlib._common
import numpy as np
from numba.core.dispatcher import Dispatcher
import paperlib.kernel_mean as kernel_mean

rng = np.random.default_rng(0)
X, y = rng.normal(size=(40, 3)), np.repeat([-1, 1], 20)
classifier = kernel_mean.KernelMeanClassifier(gamma=0.5).fit(X, y)
scores = classifier.decision_function(X)
options = {"gamma": 0.5, "method": "farthest_first", "random_state": 0}
sparse = kernel_mean.sparsify(X, classifier.dual_coef_, m=5, **options)
sparse.error, classifier.norm_

found = {}
modules = [*pkgutil.walk_packages(kernel_mean.__path__, "paperlib.kernel_mean.")]
for module in [*modules, *pkgutil.iter_modules(paperlib._common.__path__, "paperlib._common.")]:
    for name, kernel in vars(importlib.import_module(module.name)).items():
        if isinstance(kernel, Dispatcher) and kernel.signatures:
            stats = kernel.stats
            found[name] = [sum(stats.cache_hits.values()), sum(stats.cache_misses.values())]
print(json.dumps([found, scores.tolist()]))
"""


@pytest.mark.slow
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

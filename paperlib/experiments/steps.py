"""Steps: functions of an experiment whose values are kept while nothing they depend on changes.

A value is kept with its *verifying trace*: the definitions that were executed to compute it, each by a digest
of its code (`code_digest`). It is used again for the same arguments when every digest is still the same, and
so are the versions of Python and of the packages. An edit costs the steps that execute what was edited. In
JupyterLab a line under a cell says which of its values were kept.

The environment variable ``PAPERLIB_STEPS`` names the folder of values, in place of ``build/steps`` in the
checkout; empty, nothing is kept and nothing is read. With ``PAPERLIB_STEPS_FORCE`` set, nothing is read.
``PAPERLIB_STEPS_TAKEN`` lists, as JSON, files of that folder whose values are used whatever was edited.
``PAPERLIB_STEPS_SECONDS`` has, as JSON, by name the processor time after which the process of a step ends,
"" for any other; ``PAPERLIB_STEPS_PROGRESS`` names a file that is told how far a long step has come.
"""

import contextlib
import functools
import importlib
import inspect
import itertools
import json
import os
import sys
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import joblib

from paperlib._common.code_reach import sources_of
from paperlib.experiments import own_code, step_arguments, tracing, untraced_files
from paperlib.experiments.store import Store, Unusable

try:
    from numba import config
except ImportError:  # a companion without kernels
    config = None

FOLDER, FORCE, TAKEN = "PAPERLIB_STEPS", "PAPERLIB_STEPS_FORCE", "PAPERLIB_STEPS_TAKEN"
SECONDS, PROGRESS = "PAPERLIB_STEPS_SECONDS", "PAPERLIB_STEPS_PROGRESS"
DRIVER = "PAPERLIB_TRACE"  # set where the driver runs a notebook, and nobody watches
EVERYWHERE, ARITHMETIC = "Nehalem", ", matrix routines of "  # those of the driver, which every x86-64 has
# What a step may compute with. The others draw figures, or run notebooks.
PACKAGES = (
    "numpy", "scipy", "numba", "llvmlite", "scikit-learn", "pandas", "cvxpy", "clarabel", "highspy", "torch"
)  # fmt: skip
P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Call:
    """One call of a step, in this process.

    Attributes
    ----------
    name : str
        Module and name of the step, joined by a colon.
    arguments, plain : str
        Digest of the arguments; and without arrays and tables, whose last bits a processor decides.
    entered : frozenset of str
        Items that were entered to compute the value.
    inputs : tuple of Call or None
        Calls whose values were among the arguments; None where an array or a table is of unknown origin.
    is_kept, seconds : bool, float
        Whether the value came from the store, and what it took to compute.
    file : str
        Name of the value's file in the store; empty where it is not kept.
    """

    name: str
    arguments: str
    plain: str
    entered: frozenset[str]
    inputs: "tuple[Call, ...] | None"
    is_kept: bool
    seconds: float
    file: str


@dataclass
class _History:
    """Calls of this process in order, without those inside others, and the tables they returned."""

    calls: list[Call] = field(default_factory=list)
    made: dict[int, tuple[weakref.ref, Call]] = field(default_factory=dict)
    told: set[str] = field(default_factory=set)
    untold: list[Call] = field(default_factory=list)


untraced_files.guard(*sys.modules[own_code.HERE].__path__)
_history = _History()
_inside = threading.local()  # `depth`: how many calls this thread is in


def step(function: Callable[P, T]) -> Callable[P, T]:
    """Make a step of a function of an experiment.

    The function takes numbers, texts, arrays, tables, seeds, and lists, dicts and named tuples of these, and
    returns a table, an array, or a named tuple of them. Same arguments, same value, in any order of calls: it
    draws from no generator but its own (`random_streams.stream`), reads nothing but
    `datasets.load`, and writes nothing.

    Returns
    -------
    function
        With the same signature; its own errors are not kept.

    Raises
    ------
    TypeError
        At a call with a generator among the arguments: what it gives depends on who drew from it before.
    UntracedFileError
        Where the function reads a file by itself.

    Examples
    --------
    >>> import numpy as np
    >>> @step
    ... def draws(n, seed):
    ...     return np.random.default_rng(seed).random(n)
    >>> np.array_equal(draws(3, seed=0), draws(n=3, seed=0))
    True
    >>> draws(3, seed=np.random.default_rng(0))
    Traceback (most recent call last):
        ...
    TypeError: draws: seed must not be or hold a Generator; give the step a seed, and make it inside
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            step_arguments.check(value, f"{function.__qualname__}: {name}")
        return _value(function, bound)

    return run


def progress(cases: Sequence[T], what: str) -> Iterator[T]:
    """Yield the cases of a long step, with a bar in the notebook of a reader and in the driver's report.

    >>> list(progress([1, 2], "trials"))
    [1, 2]
    """
    if _reader() is not None:
        from tqdm.auto import tqdm

        yield from tqdm(cases, desc=what, leave=False, delay=2)
    elif file := os.environ.get(PROGRESS):
        told = time.monotonic()
        for done, case in enumerate(cases):
            if time.monotonic() > told + 1:
                told = time.monotonic()
                with contextlib.suppress(OSError):
                    Path(file).write_text(str(done / len(cases)))
            yield case
    else:
        yield from cases


def calls() -> list[Call]:
    """Return the calls of this process in order; a step that called others stands for these."""
    return list(_history.calls)


def made_by(value: object) -> Call | None:
    """Return the call that returned this array or table, or a named tuple with it; None for any other."""
    reference, call = _history.made.get(id(value), (None, None))
    return call if reference is not None and reference() is value else None  # ids are used again


def _value(function: Callable[..., T], bound: inspect.BoundArguments) -> T:
    package = function.__module__.partition(".")[0]
    if not hasattr(sys.modules.get(package), "__path__"):
        return function(*bound.args, **bound.kwargs)  # in a notebook's cell: nobody can say what it is
    name = f"{function.__module__}:{function.__qualname__}"
    arguments, plain = step_arguments.digests(bound.arguments)
    told = name, arguments, plain
    inputs = _inputs(bound.arguments)
    sources = sources_of(package)
    untraced_files.guard(str(sources.roots[package]))
    _preload(package, function.__module__)
    store = _store(package)
    slug = f"{name.rpartition('.')[2].replace(':', '.')}-{joblib.hash([name, arguments])[:20]}"
    taken = set(json.loads(os.environ.get(TAKEN, "") or "[]"))
    if store and not os.environ.get(FORCE):
        for kept in itertools.chain(*(store.find(slug, versions) for versions in _accepted(package))):
            if kept.path.name not in taken:
                if any(sources.digest(item) != digest for item, digest in kept.digests.items()):
                    continue
                if tracing.is_patched(sources, kept.digests) or _is_newer(sources, kept.digests):
                    break  # this process runs other code than the texts say
            try:
                value = kept.value()
            except Unusable:
                continue
            noted = tracing.told(kept.entered)
            if outer := tracing.innermost():
                outer.note(noted)  # who reads a value depends on what made it
            return _note(value, Call(*told, noted, inputs, True, kept.seconds, kept.path.name))
    start = time.perf_counter()
    with tracing.Tracer(sources) as tracer, _deeper(), _limited(name), untraced_files.refused():
        value = function(*bound.args, **bound.kwargs)
    seconds = time.perf_counter() - start
    entered = sorted(tracing.told(tracer.entered))
    # A function of no file, as in a docstring, is not seen: nobody could tell when it is another one.
    is_seen, file = name.partition(".<locals>")[0] in tracer.entered, ""
    if store and is_seen and not tracer.is_blind:
        file = _keep(store, slug, name, value, sources, entered, _versions(package), seconds)
    return _note(value, Call(*told, frozenset(entered), inputs, False, seconds, file))


@contextlib.contextmanager
def _deeper():
    _inside.depth = getattr(_inside, "depth", 0) + 1
    try:
        yield
    finally:
        _inside.depth -= 1


@contextlib.contextmanager
def _limited(name):
    """End the process where this block takes more processor time than `SECONDS` say, be it in a kernel."""
    limits = json.loads(os.environ.get(SECONDS, "") or "{}")
    if (seconds := limits.get(name, limits.get(""))) is None:
        yield
        return
    import resource  # not on every system

    outer, most = resource.getrlimit(resource.RLIMIT_CPU)
    until = int(time.process_time() + seconds) + 1  # the limit counts from the start of the process
    until = until if outer == resource.RLIM_INFINITY else min(until, outer)
    resource.setrlimit(resource.RLIMIT_CPU, (until, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, (outer, most))


@functools.cache
def _preload(package: str, module: str) -> None:
    """Import what a step may import when it runs: a trace is the same then, be it the first or not."""
    sources, waiting, seen = sources_of(package), [module], {module}
    while waiting:
        text = sources.text(waiting.pop())
        imports = [text.imports, *(each.imports for each in text.definitions.values())] if text else []
        for origin, name in {target for each in imports for target in each.values()}:
            for found in (origin, f"{origin}.{name}"):
                if found not in seen and sources.path(found) is not None:
                    seen.add(found)
                    waiting.append(found)
                    with contextlib.suppress(ImportError):  # of a package that need not be there
                        importlib.import_module(found)


def _keep(store, slug, name, value, sources, entered, versions, seconds):
    """Keep a value, unless this process executes something else than the texts say, and return its file."""
    digests = {item: sources.digest(item) for item in sources.reached(entered)}
    if tracing.is_patched(sources, digests) or _is_newer(sources, digests):
        return ""
    try:
        return store.keep(slug, value, entered=entered, digests=digests, versions=versions, seconds=seconds)
    except Exception as error:
        _tell_once(name, f"the value of {name} is not kept and will be computed again: {error}")
        return ""


def _is_newer(sources, digests):
    if not sources.are_newer(digests):
        return False
    _tell_once("newer", "sources were edited since this process began: start it anew to have steps kept")
    return True


def _tell_once(what: str, message: str) -> None:
    if what not in _history.told:
        _history.told.add(what)
        warnings.warn(message, stacklevel=2)


def _note(value: T, call: Call) -> T:
    """Note a call, and what it returned."""
    if not getattr(_inside, "depth", 0):
        _history.calls.append(call)
        if call.is_kept and (shell := _reader()) is not None:
            if not _history.untold:
                shell.events.register("post_run_cell", _tell)
            _history.untold.append(call)
    for part in step_arguments.parts(value):
        forget = functools.partial(_forget, id(part))
        _history.made[id(part)] = weakref.ref(part, forget), call
    return value


def _forget(key: int, _: object) -> None:
    _history.made.pop(key, None)


def _reader() -> Any:
    """Return IPython's shell where a person runs a notebook, and None anywhere else."""
    module = sys.modules.get("IPython")
    return module.get_ipython() if module and not os.environ.get(DRIVER) else None


def _tell(*_: object) -> None:
    """Say under a cell which values were not computed but read."""
    _reader().events.unregister("post_run_cell", _tell)
    saved = sum(call.seconds for call in _history.untold)
    names = dict.fromkeys(call.name.rpartition(":")[2] for call in _history.untold)
    _history.untold.clear()
    print(f"Kept from an earlier run, which saved {saved:.0f} s: {', '.join(names)}")


def _inputs(arguments: object) -> tuple[Call, ...] | None:
    found: dict[int, Call] = {}
    for part in step_arguments.parts(arguments):
        if (call := made_by(part)) is None:
            return None
        found[id(call)] = call
    return tuple(found.values())


def _store(package: str) -> Store | None:
    folder = os.environ.get(FOLDER)
    return None if folder == "" else Store(folder or own_code.root(package) / "build" / "steps")


def _accepted(package: str) -> list[str]:
    """Return the `_versions` of which values may be read.

    The driver publishes what has the same bytes on every processor, and takes no value that was computed with
    a processor's own matrix routines, as in JupyterLab; there the driver's values are as good as its own.
    """
    own = _versions(package)
    return list(dict.fromkeys((own, own.partition(ARITHMETIC)[0])))


def _versions(package: str) -> str:
    """Return the versions of Python and of what a step of a package may use, and whose routines multiply."""
    routines = os.environ.get("OPENBLAS_CORETYPE", "this processor")
    if config and config.DISABLE_JIT:  # another order of roundings, and kernels that a tracer sees
        routines += ", kernels in Python"
    return _installed(package) + ("" if routines == EVERYWHERE else f"{ARITHMETIC}{routines}")


@functools.cache
def _installed(package: str) -> str:
    found = [f"Python {sys.version.split()[0]}", f"store of {joblib.__version__}"]
    for name in dict.fromkeys([*PACKAGES, *own_code.requirements(package)]):
        with contextlib.suppress(metadata.PackageNotFoundError):
            found.append(f"{name} {metadata.version(name).partition('+')[0]}")
    return ", ".join(found)

"""Tracing of the project's functions that a piece of work enters.

The tracer is that of `cProfile`, which counts entries in C. Machine code is not entered: `code_reach` adds
what compiled kernels can call. See `steps` for what it is good for.
"""

import ast
import cProfile
import sys
import threading
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from types import CodeType, FrameType
from typing import Any

from paperlib._common.code_digest import TOP
from paperlib._common.code_reach import TRUSTED, Sources

PER_THREAD = sys.version_info < (3, 12)  # a profiler then sees its own thread only

# What is known of code objects, by their ids: each test asks for the same ones again.
_known: "weakref.WeakKeyDictionary[Sources, dict[int, tuple[CodeType, str | None]]]" = (
    weakref.WeakKeyDictionary()
)
# What runs only where numba compiles, or reads what it compiled before, or once a kernel has worked for a
# while, counted over all that ran: by chance, and so in no trace.
COMPILING = tuple(f"paperlib._common.signals:{name}" for name in ("_WithoutPython", "_guarded", "look"))
KEEPING = f"{__package__}.files:write_whole"  # of the store, where a step within a step is kept
_active: dict[int, list["Tracer"]] = {}  # thread -> the innermost last; only that one is switched on


class Tracer:
    """Context manager that notes each function of some packages that is entered in the block.

    Of blocks inside each other, the outer ones note what the inner ones do.

    Parameters
    ----------
    sources : Sources
        Of the packages.

    Attributes
    ----------
    entered : set of str
        Items, as `code_reach` has them. Of an outer block they are complete while no inner one is open.
    is_blind : bool
        Whether another profiler was in the way, so that `entered` may lack something.

    Examples
    --------
    >>> from paperlib._common.code_reach import sources_of
    >>> from paperlib.experiments.statistics import mean_and_stderr
    >>> with Tracer(sources_of("paperlib")) as tracer:
    ...     result = mean_and_stderr([1.0, 3.0])
    >>> sorted(tracer.entered)
    ['paperlib.experiments.statistics:mean_and_stderr']
    """

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.noted: set[str] = set()
        self.is_blind = False
        self._profiles: list[cProfile.Profile] = []  # of new threads, too
        self._own: cProfile.Profile | None = None  # that which is switched on in this thread

    @property
    def entered(self) -> set[str]:
        """Items that were entered so far."""
        for profile in self._profiles:
            self.noted |= items(_codes(profile), self.sources)
        return self.noted

    def __enter__(self) -> "Tracer":
        own = _active.setdefault(threading.get_ident(), [])
        if own:
            own[-1]._stop()
        own.append(self)
        if len(_active) > 1:  # each would take what threads of the other enter for its own, or miss it
            for tracer in (tracer for stack in list(_active.values()) for tracer in stack):
                tracer.is_blind = True
        self._go()
        return self

    def __exit__(self, *_: object) -> None:
        own = _active[threading.get_ident()]
        self._stop()
        own.remove(self)
        if own:
            own[-1].note(self.entered, self.is_blind)
            own[-1]._go()
        else:
            del _active[threading.get_ident()]

    def note(self, entered: Iterable[str], is_blind: bool = False) -> None:
        """Add what was entered elsewhere, such as when a value that is now read was computed."""
        self.noted.update(entered)
        self.is_blind = self.is_blind or is_blind

    def _go(self) -> None:
        if PER_THREAD and sys.getprofile() is not None:
            self.is_blind = True
            return
        profile = cProfile.Profile(builtins=False, subcalls=False)
        try:
            profile.enable()
        except ValueError:  # another tool profiles already
            self.is_blind = True
            return
        self._profiles.append(profile)
        self._own = profile
        if PER_THREAD:
            threading.setprofile(self._in_new_thread)

    def _stop(self) -> None:
        if self._own is not None:
            self._own.disable()  # counts the functions that are not left yet
            # Read once, as it notes no more: a notebook asks what it entered at every table.
            self._profiles.remove(self._own)
            self.noted |= items(_codes(self._own), self.sources)
            self._own = None
            if PER_THREAD:
                threading.setprofile(None)

    def _in_new_thread(self, _frame: FrameType, _event: str, _arg: Any) -> None:
        profile = cProfile.Profile(builtins=False, subcalls=False)
        self._profiles.append(profile)
        profile.enable()  # takes the place of this function in the thread


def innermost() -> Tracer | None:
    """Return the tracer of this thread that is switched on, if there is one."""
    own = _active.get(threading.get_ident())
    return own[-1] if own else None


@contextmanager
def untraced() -> Iterator[None]:
    """Leave out what is entered in the block."""
    tracer = innermost()
    if tracer is None:
        yield
        return
    tracer._stop()
    try:
        yield
    finally:
        tracer._go()


def items(codes: Iterable[CodeType], sources: Sources) -> set[str]:
    """Return the items of code objects, as far as they come from these packages."""
    known = _known.setdefault(sources, {})
    found = set()
    for code in codes:
        key = id(code)
        if key not in known:
            known[key] = code, _item(code, sources)  # with the code, so that no other gets its id
        if item := known[key][1]:
            found.add(item)
    return found


def _item(code: CodeType, sources: Sources) -> str | None:
    for package, folder in sources.roots.items():
        # A package that was imported through a link has code under the link's name.
        for each in (folder, folder.resolve()):
            if code.co_filename.startswith(f"{each}/"):
                module = module_of(package, code.co_filename[len(f"{each}/") :])
                item = f"{module}:{_definition(code.co_qualname)}"
                if module not in TRUSTED and not _is_seen_by_chance(sources, module, code):
                    return None if item.startswith(COMPILING) else item
    return None


def told(entered: Iterable[str]) -> frozenset[str]:
    """Return a trace without what is entered by chance: where numba compiles, or a value is kept."""
    return frozenset(item for item in entered if item != KEEPING and not item.startswith(COMPILING))


def _is_seen_by_chance(sources: Sources, module: str, code: CodeType) -> bool:
    """Return whether code is entered only where something is imported, compiled, or computed at first."""
    text, name = sources.text(module), _definition(code.co_qualname)
    if text is None or name not in text.definitions or code.co_name == "<module>":
        return True
    return text.definitions[name].untraced or name in text.registered


def is_patched(sources: Sources, reached: Iterable[str]) -> bool:
    """Return whether something in this process is not what the texts say, as where a test has replaced it.

    Looked at are, in the modules concerned, functions, methods, what is imported from other modules of the
    package, and constants that the top level gives a plain value.
    """
    modules = {item.partition(":")[0] for item in reached}
    return any(_differs(sources, module) for module in modules if module not in TRUSTED)


def _differs(sources: Sources, module: str) -> bool:
    loaded, text = sys.modules.get(module), sources.text(module)
    if loaded is None or text is None:
        return False
    space = vars(loaded)
    if any(name in space and repr(space[name]) != _shown(source) for name, source in text.literals):
        return True
    for variable, (origin, theirs) in text.imports.items():
        other = vars(sys.modules.get(origin, loaded))
        if theirs is None or theirs not in other or origin.partition(".")[0] not in sources.roots:
            continue
        if variable not in text.definitions and space.get(variable, other[theirs]) is not other[theirs]:
            return True
    return any(
        not each.wrapped and _is_another(space, name)
        for name, each in text.definitions.items()
        if name != TOP
    )


def _is_another(space: Any, name: str) -> bool:
    """Return whether what a module has under the name of a definition has other code."""
    found: Any = space.get(name.partition(".")[0])
    for part in name.split(".")[1:]:
        found = vars(found).get(part) if hasattr(found, "__dict__") else None
    code = _code(found)  # None for what was deleted after use, or made under a condition
    return code is not None and _definition(code.co_qualname) != name


def _code(found: Any) -> CodeType | None:
    """Return the code of a function, a method or a kernel; None for anything else."""
    for attribute in ("py_func", "fget", "__func__", "func", "__wrapped__"):
        found = getattr(found, attribute, None) or found
    return getattr(found, "__code__", None)


@cache
def _shown(source: str) -> str:
    return repr(ast.literal_eval(source))


def module_of(package: str, path: str) -> str:
    """Return the module of a file, which is named from the folder of its package."""
    parts = path.removesuffix(".py").split("/")
    return ".".join([package, *(parts[:-1] if parts[-1] == "__init__" else parts)])


def _definition(qualified: str) -> str:
    """Return the name of the definition that a code object is part of."""
    name = qualified.partition(".<locals>")[0]
    return TOP if "<" in name else name


def _codes(profile: cProfile.Profile) -> Iterator[CodeType]:
    for entry in profile.getstats():
        if isinstance(entry.code, CodeType):
            yield entry.code

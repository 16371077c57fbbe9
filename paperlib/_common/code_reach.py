"""The definitions of a package on which a piece of work depends, from those that it was seen to enter.

A tracer sees each Python function that is entered. What it cannot see is found in the texts: machine code,
values kept from an earlier call, constants, and what an import executes. An item is a text ``"module:name"``
of a definition as `code_digest` has them; ``"module:"`` is a module's top level.

Needs the standard library only: the driver of a checkout loads this file by its path.
"""

import contextlib
import sys
import time
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path

from .code_digest import TOP, Text, read

_read = lru_cache(4096)(read)  # a driver looks at the same texts again, with one of them edited
# What compiles, traces and keeps changes no value, but for the options of `jit`. Nor do measures and
# verdicts, which are made of published tables.
TRUSTED = frozenset(
    [f"paperlib._common.{name}" for name in ("code_digest", "code_reach", "code_writer", "jit")]
    + [
        f"paperlib.experiments.{name}"
        for name in ("own_code", "run_trace", "step_arguments", "steps", "store", "tracing", "untraced_files")
    ]
    + [f"paperlib.experiments.{name}" for name in ("claims", "claim_table", "ledger", "verdicts")]
)
OPTIONS = "paperlib._common.jit:jit"
STARTED = time.time()  # a file that is newer may not be what this process executes
GONE = "gone"  # the digest of what is not there
UNREADABLE = "unreadable"


class Sources:
    """The texts of some packages, read when they are asked for.

    Parameters
    ----------
    roots : mapping of str to path
        Package -> its folder.
    edited : mapping of str to str, optional
        Module -> the text that stands in its place.

    Examples
    --------
    >>> sources = Sources({"paperlib": Path(__file__).parents[1]})
    >>> "paperlib._common.code_digest:read" in sources.reached(["paperlib._common.deadline:Deadline.left"])
    False
    """

    def __init__(self, roots: Mapping[str, str | Path], edited: Mapping[str, str] | None = None) -> None:
        self.roots = {name: Path(folder) for name, folder in roots.items()}
        self.edited = dict(edited or {})
        self._texts: dict[str, Text | None] = {}
        self._paths: dict[str, Path | None] = {}

    def path(self, module: str) -> Path | None:
        """Return the file of a module of these packages, or None."""
        if module not in self._paths:
            self._paths[module] = self._path(module)
        return self._paths[module]

    def _path(self, module: str) -> Path | None:
        top, *rest = module.split(".")
        if top not in self.roots:
            return None
        folder = self.roots[top].joinpath(*rest)
        for path in (folder / "__init__.py", folder.with_name(f"{folder.name}.py")):
            # A package itself is a folder; a file of its name beside that is no part of it.
            if path.is_file() and (rest or path.name == "__init__.py"):
                return path
        return None

    def text(self, module: str) -> Text | None:
        """Return the Text of a module; None for one that is not there or is no Python."""
        if module not in self._texts:
            self._texts[module] = self._read(module)
        return self._texts[module]

    def digest(self, item: str) -> str:
        """Return the digest of an item."""
        module, _, name = item.partition(":")
        text = self.text(module)
        if text is None:
            return GONE if self.path(module) is None else UNREADABLE
        return text.definitions[name].digest if name in text.definitions else GONE

    def reached(self, entered: Iterable[str], *, called: Iterable[str] = ()) -> list[str]:
        """Return all items that a piece of work depends on, in order.

        Parameters
        ----------
        entered : iterable of str
            Items of the functions that were entered.
        called : iterable of str, optional
            Items of which nobody knows what they call: compiled kernels. All that they mention counts.
        """
        search = _Search(self)
        for item in entered:
            search.enter(*_parts(item))
        for item in called:
            search.call(*_parts(item))
        return sorted(search.finish())

    def are_newer(self, items: Iterable[str]) -> bool:
        """Return whether one of these was edited since this process began, which may run another text."""
        for module in {item.partition(":")[0] for item in items} - self.edited.keys():
            path = self.path(module)
            with contextlib.suppress(OSError):
                if path is not None and path.stat().st_mtime > STARTED:
                    return True
        return False

    def _read(self, module: str) -> Text | None:
        path = self.path(module)
        if path is None and module not in self.edited:
            return None
        try:
            source = self.edited[module] if module in self.edited else path.read_bytes()  # type: ignore[union-attr]
            return _read(source, module, path is not None and path.name == "__init__.py")
        except (OSError, SyntaxError, ValueError, RecursionError):
            return None


@cache
def sources_of(package: str) -> Sources:
    """Return the Sources of a package that this process has imported, the same object each time.

    In a companion they are those of the packages of all its notebooks: one may call another.
    """
    edited: dict[str, str] = {}
    for finder in sys.meta_path:  # what a deliberate error has put in the place of a module's text
        edited.update(getattr(finder, "texts", {}))
    folder = Path(next(iter(sys.modules[package].__path__)))
    beside = [folder.parent / path.stem for path in folder.parent.glob("notebooks/*.ipynb")]
    others = {each.name: each for each in sorted(beside) if (each / "__init__.py").is_file()}
    return Sources(others | {package: folder}, edited)


class _Search:
    """Items found so far, and definitions of which the mentioned names are still to be looked up."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.items: set[str] = set()
        self.called: set[tuple[str, str]] = set()
        # With whether it is called: what was entered first may be called later, which reaches further.
        self.seen: set[tuple[str, str, bool]] = set()
        self.waiting: list[tuple[str, str, bool]] = []

    def finish(self) -> set[str]:
        while self.waiting:
            module, name, is_called = self.waiting.pop()
            text = self.sources.text(module)
            definition = text and text.definitions.get(name)
            if not text or not definition:
                continue
            executed = definition.executed if name == TOP else frozenset()
            for each in definition.names:
                self._mention(module, text, definition, each, is_called or each in executed)
        return self.items

    def enter(self, module: str, name: str, is_called: bool = False) -> None:
        """Add a definition; where it is called, all that it mentions may be called, too."""
        if module in TRUSTED:
            if f"{module}:{name}" == OPTIONS:
                self.items.add(OPTIONS)
            return
        text = self.sources.text(module)
        if text is None:
            return
        self.concern(module, text)
        if name == TOP or name not in text.definitions:
            return  # the body of a class, or something made at run time by what was entered besides
        self.items.add(f"{module}:{name}")
        self._wait(module, name, is_called or text.definitions[name].untraced)

    def call(self, module: str, name: str) -> None:
        """Add a definition and all that it may call; of a class, all methods."""
        text = self.sources.text(module)
        if text is None or module in TRUSTED:
            return self.enter(module, name)
        for each in [name] if name in text.definitions else text.methods(name):
            if (module, each) not in self.called:
                self.called.add((module, each))
                self.enter(module, each, True)
        return None

    def concern(self, module: str, text: Text) -> None:
        """Add the top level of a module, and what its import executes."""
        item = f"{module}:{TOP}"
        if item not in self.items:
            self.items.add(item)
            self._wait(module, TOP, False)
            for name in text.registered:
                self.call(module, name)

    def _wait(self, module: str, name: str, is_called: bool) -> None:
        if (module, name, is_called) not in self.seen:
            self.seen.add((module, name, is_called))
            self.waiting.append((module, name, is_called))

    def _mention(self, module, text, definition, name, is_called):
        """Look up a name that a definition mentions, wherever it may come from."""
        self._touch(module, name, definition.names, is_called, {module})
        if name in definition.imports:
            origin, theirs = definition.imports[name]
            self._follow(origin, theirs, definition.names, is_called, {module})

    def _touch(self, module, name, names, is_called, through):
        """Note that a name of a module is mentioned, beside the other names that are."""
        if module in TRUSTED:
            self.enter(module, name)
            return
        text = self.sources.text(module)
        if text is None:
            return
        if module not in through:
            self.concern(module, text)
        own = [name] if name in text.definitions and name != TOP else text.methods(name)
        if is_called:
            self.call(module, name)
        for each in own:
            if text.definitions[each].untraced or each.endswith(".__init_subclass__"):
                self.call(module, each)
        if name in text.imports:
            self._follow(*text.imports[name], names, is_called, through | {module})
        # Imports may go round in a circle: `through` has the modules that the name has come through.
        for star in text.stars:
            if star not in through:
                self._touch(star, name, names, is_called, through | {module})
        # The module may make the name when it is asked for it.
        if "__getattr__" in text.definitions and not own and module not in through:
            self.enter(module, "__getattr__")

    def _follow(self, module, name, names, is_called, through):
        """Note what an import brings: a name, or a module and those of its names that are mentioned."""
        if name is not None and self.sources.path(f"{module}.{name}") is None:
            if module not in through:
                self._touch(module, name, names, is_called, through)
            return
        whole = module if name is None else f"{module}.{name}"
        text = self.sources.text(whole)
        if text is None or whole in through:
            return
        if whole not in TRUSTED:
            self.concern(whole, text)
        for each in names:
            if each in text.definitions or each in text.imports or text.methods(each) or text.stars:
                self._touch(whole, each, names, is_called, through)
            elif self.sources.path(f"{whole}.{each}") is not None:
                self._follow(f"{whole}.{each}", None, names, is_called, through | {whole})


def _parts(item: str) -> tuple[str, str]:
    module, _, name = item.partition(":")
    return module, name

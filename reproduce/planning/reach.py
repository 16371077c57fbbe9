"""The project's own modules that a notebook reaches by its imports.

Where it is not certain what a text imports, all that it may import is reached: a key that changes for nothing
costs a run, one that stays costs a wrong result.
"""

from collections import deque
from dataclasses import dataclass

from reproduce.planning import syntax

# Modules that read source, and why what a text says beside its code still changes no result.
READ_CODE_ONLY = {
    "paperlib._common.code_digest": "the digests by which kept values and compiled kernels are known",
    "paperlib._common.code_reach": "the same",
    "paperlib._common.jit": "a digest of sources, to see whether a compiled kernel is theirs",
    "paperlib.experiments.ledger": "where the ledgers are, which decide no result",
    "paperlib.experiments.steps": "the version of what writes kept values",
    "paperlib.experiments.tracing": "which functions were entered",
    "paperlib.experiments.max_loss.section_2_3_tree": "functions are executed with other names in reach",
}
# Modules that import others by names that they compute, and why these are reached anyway or change no result.
IMPORT_NOTHING_ELSE = {
    "paperlib.experiments.claims": "the measures of the paper's own claims, which are made of its tables",
    "paperlib.experiments.steps": "what a step's module imports, before it runs",
}


@dataclass(frozen=True)
class Reach:
    """The files of these modules, with their bytes, and what of them can change a result.

    Attributes
    ----------
    files : dict
        Path -> bytes, in order of the paths.
    level : int
        `syntax.CODE`, or more where one of the texts reads docstrings or source.
    """

    files: dict
    level: int


def of(project, notebook):
    """Return what a notebook reaches."""
    search = _Search(project)
    search.follow("", False, notebook.named)
    search.finish()
    files = {path: search.files[path] for path in sorted(search.files)}
    level = max(named.level for module, _, named in search.followed if module not in READ_CODE_ONLY)
    return Reach(files, level)


class _Search:
    """Modules found so far, and those whose imports are still to be followed."""

    def __init__(self, project):
        self.project = project
        self.files = {}
        self.visited = {}  # module -> its place
        self.waiting = deque()
        self.followed = []  # (module, whether it is a package, what it names)

    def follow(self, module, is_package, named):
        """Visit all that a text imports."""
        self.followed.append((module, is_package, named))
        own = is_package and named.on_demand <= {"{__name__}", module}  # it imports modules of its own only
        anything = named.imports_anything and module not in IMPORT_NOTHING_ELSE
        if anything or (named.on_demand and not own):
            self._visit_everything()
        for each in named.imports:
            base = _absolute(module, is_package, each)
            self.visit(base)
            if each.name == "*":
                self.visit_all_in(base)
            elif each.name:
                self.visit(f"{base}.{each.name}")

    def finish(self):
        """Follow what was visited, until nothing new is reached."""
        while self._drain() or self._ask_for_names():
            pass

    def visit(self, module):
        """Note a module, and the packages above it, which are executed before it."""
        parts = module.split(".")
        if not all(part.isidentifier() for part in parts):
            return
        for end in range(1, len(parts) + 1):
            name = ".".join(parts[:end])
            if name in self.visited:
                if self.visited[name] is None:
                    return
                continue
            place = self.visited[name] = self._place(name)
            if place is None:
                return
            path, is_package = place
            if path is not None:
                self.files[path] = path.read_bytes()
                self.waiting.append((name, is_package, self.files[path]))

    def visit_all_in(self, module):
        """Visit the modules just below a package."""
        folder = self.project.root.joinpath(*module.split("."))
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            if path.suffix == ".py" or (path.is_dir() and path.name.isidentifier()):
                self.visit(f"{module}.{path.stem}")

    def _drain(self):
        if not self.waiting:
            return False
        while self.waiting:
            module, is_package, raw = self.waiting.popleft()
            self.follow(module, is_package, syntax.named(raw))
        return True

    def _visit_everything(self):
        for path in sorted(self.project.library.rglob("*.py")):
            parts = path.relative_to(self.project.root).with_suffix("").parts
            self.visit(".".join(parts[:-1] if parts[-1] == "__init__" else parts))

    def _ask_for_names(self):
        """Visit the modules of packages that import on demand, where anything reached may ask for them."""
        names = frozenset().union(*(named.names for _, _, named in self.followed))
        for package in [m for m, is_package, named in self.followed if is_package and named.on_demand]:
            holders = [
                (variable, named) for held, variable, named in self._variables() if _is_at(package, held)
            ]
            if any(variable in named.passed_on for variable, named in holders):
                self._visit_everything()
            for name in sorted(names) if holders else ():
                self.visit(f"{package}.{name}")
        return bool(self.waiting)

    def _variables(self):
        """Yield each module that a variable holds, the variable, and what the text names in which it does."""
        for module, is_package, named in self.followed:
            for each in named.imports:
                if each.variable:
                    base = _absolute(module, is_package, each)
                    yield (f"{base}.{each.name}" if each.name else base), each.variable, named

    def _place(self, module):
        """Return `(file or None, whether it is a package)` of a module of the project, or None."""
        folder = self.project.root.joinpath(*module.split("."))
        if (folder / "__init__.py").is_file():
            return folder / "__init__.py", True
        if folder.with_name(f"{folder.name}.py").is_file():
            return folder.with_name(f"{folder.name}.py"), False
        return (None, True) if folder.is_dir() else None


def _is_at(package, held):
    """Return whether a module is the package, or one above it, through which it can be asked for."""
    return package == held or package.startswith(f"{held}.")


def _absolute(module, is_package, each):
    """Return the name of the module that an import statement in `module` names."""
    if not each.level:
        return each.module
    parts = module.split(".") if is_package else module.split(".")[:-1]
    parts = parts[: len(parts) - each.level + 1]
    return ".".join([*parts, each.module] if each.module else parts)

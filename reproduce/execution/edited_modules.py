"""Import of modules with deliberate errors in them; the files stay as they are."""

import importlib.abc
import importlib.machinery
import importlib.util
import linecache

from reproduce.library import definitions


class EditedModules(importlib.abc.MetaPathFinder):
    """Import modules with edits made in their text, to be put first into `sys.meta_path`.

    `inspect`, tracebacks and the loader's `get_source` show the text that is executed, too.

    Parameters
    ----------
    edits : iterable of (at, old, new)
        As for `definitions.edited`.
    """

    def __init__(self, edits):
        self.edits = [tuple(edit) for edit in edits]
        self.modules = set(definitions.modules(self.edits))

    @property
    def texts(self):
        """The edited texts by module: kept values and compiled kernels are told from sound ones by them."""
        loaders = {name: getattr(importlib.util.find_spec(name), "loader", None) for name in self.modules}
        return {name: loader.get_source(name) for name, loader in loaders.items() if loader}

    def find_spec(self, name, path=None, target=None):
        """Return the spec of a module with edits, None for any other."""
        spec = importlib.machinery.PathFinder.find_spec(name, path) if name in self.modules else None
        if spec is not None:
            spec.loader = _EditedSource(name, spec.origin, self.edits)
        return spec


class _EditedSource(importlib.machinery.SourceFileLoader):
    def __init__(self, name, path, edits):
        super().__init__(name, path)
        self.edits = edits

    def get_data(self, path):
        data = super().get_data(path)
        if path != self.path:
            return data
        return definitions.edited(importlib.util.decode_source(data), self.name, self.edits).encode()

    def get_code(self, fullname):
        """Compile the edited text, and never take or leave compiled code in `__pycache__`."""
        # Compiled code is known by its file's date and size, and these do not show the edits.
        data = self.get_data(self.path)
        lines = data.decode().splitlines(keepends=True)
        linecache.cache[self.path] = len(data), None, lines, self.path  # None: not to be read from the disk
        return self.source_to_code(data, self.path)

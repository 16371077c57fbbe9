"""A package that a test writes, edits, and imports anew, as a new process would after the edit."""

import importlib
import os
import sys
from itertools import count

from paperlib._common.code_reach import sources_of

_ages = count(
    1_000_000_000
)  # long before this process began, so that what is imported is what was edited last


class ToyPackage:
    """The package `toy` in a folder.

    Parameters
    ----------
    folder : Path
    texts : dict of module -> text
        "" is the package itself.
    """

    def __init__(self, folder, texts):
        self.folder = folder / "toy"
        self.folder.mkdir(exist_ok=True)
        self.texts = {"": ""} | texts

    def edit(self, module, old, new):
        """Replace a text that stands in a module exactly once."""
        assert self.texts[module].count(old) == 1, (module, old)
        self.texts[module] = self.texts[module].replace(old, new)

    def load(self, module):
        """Import a module with the present texts of all."""
        for name in [name for name in sys.modules if name.partition(".")[0] == "toy"]:
            del sys.modules[name]
        sources_of.cache_clear()
        for name, text in self.texts.items():
            path = self.folder / f"{name or '__init__'}.py"
            path.write_text(text)
            age = next(_ages)
            os.utime(path, (age, age))
        importlib.invalidate_caches()
        return importlib.import_module(f"toy.{module}")

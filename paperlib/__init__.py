"""Algorithms of five machine-learning papers, as a library.

Each subpackage is imported when it is first used, so that using one does not load the others:

>>> import paperlib
>>> paperlib.kernel_mean.KernelMeanClassifier().kernel
'rbf'
"""

import importlib
from types import ModuleType

__version__ = "1.0.0"
_SUBPACKAGES = ("boosting2d", "coresets", "experiments", "feature_deletion", "kernel_mean", "max_loss")
__all__ = list(_SUBPACKAGES)


def __getattr__(name: str) -> ModuleType:
    if name in __all__:
        return importlib.import_module(f"paperlib.{name}")
    raise AttributeError(f"module 'paperlib' has no attribute {name!r}; it has {', '.join(__all__)}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

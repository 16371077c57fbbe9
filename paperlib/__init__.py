"""Algorithms of five machine-learning papers, as a library.

Each subpackage is imported when it is first used, so that using one does not load the others:

>>> import paperlib
>>> paperlib.kernel_mean.KernelMeanClassifier().kernel
'rbf'
"""

import importlib
from types import ModuleType

__version__ = "1.0.0"
__all__ = ["boosting2d", "coresets", "feature_deletion", "kernel_mean", "max_loss"]


def __getattr__(name: str) -> ModuleType:
    if name not in (*__all__, "experiments"):
        raise AttributeError(f"module 'paperlib' has no attribute {name!r}; it has {', '.join(__all__)}")
    try:
        return importlib.import_module(f"paperlib.{name}")
    except ModuleNotFoundError as error:
        if error.name != "paperlib.experiments":
            raise
    raise AttributeError(
        "paperlib.experiments is in a checkout of the project only, not in what pip installs"
    )


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

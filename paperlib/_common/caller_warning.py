"""Warnings that point at the line of the caller, however deep in the package they are given."""

import os
import sys
import warnings
from pathlib import Path

_PACKAGE = str(Path(__file__).resolve().parents[1]) + os.sep


def warn_caller(message, category=UserWarning):
    """Warn, at the innermost line of code that is not of this package.

    A number as `stacklevel` would count calls, and point into the package once another function lies between.
    """
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)

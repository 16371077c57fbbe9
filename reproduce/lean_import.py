"""Import papermill without a grammar that no notebook needs."""

import importlib
import sys

# jsonschema checks internationalised addresses where it finds this; no notebook has any, and building the
# grammar takes more than a second of every worker's start.
UNUSED = "rfc3987_syntax"


def papermill():
    """Papermill; what is left out here can still be imported afterwards."""
    hidden = sys.modules.setdefault(UNUSED, None) is None
    try:
        return importlib.import_module("papermill")
    finally:
        if hidden:
            sys.modules.pop(UNUSED, None)

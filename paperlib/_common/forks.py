"""What a forked process makes anew: a lock that another thread held at the fork is not released there."""

import os
import sys
from threading import Lock


def renew_locks() -> None:
    """Make the locks of the modules that are loaded anew.

    It stands apart from `threads`, which need not be loaded for it, and whose results it cannot change.
    """
    threads = sys.modules.get("paperlib._common.threads")
    if threads is not None:
        vars(threads)["_turn"] = Lock()


if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(after_in_child=renew_locks)

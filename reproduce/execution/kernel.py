"""An IPython kernel that cannot outlive the process that started it.

Run as a script by `kernel_manager.py`, before anything of the notebook is there.
"""

import ctypes
import faulthandler
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
LOG = "kernel.log"


def die_with_parent(parent):
    """Have Linux kill this process when the process of number `parent` ends, and exit where it has already.

    ipykernel looks for its parent every second, in a thread: a cell that holds the interpreter's lock in a
    long call would go on computing for nobody.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            sys.exit("the driver ended while its kernel was starting")


def write_to_log():
    """Keep the kernel's own messages off the user's terminal, and its last words for the report."""
    log = os.open(LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    os.dup2(log, sys.stdout.fileno())
    os.dup2(log, sys.stderr.fileno())
    faulthandler.enable()


if __name__ == "__main__":
    write_to_log()
    die_with_parent(int(os.environ.get("JPY_PARENT_PID", os.getppid())))
    # The driver blocks SIGINT in its children so that Ctrl-C is its own to handle; a notebook is not to know.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    from ipykernel.kernelapp import launch_new_instance

    launch_new_instance()

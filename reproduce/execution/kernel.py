"""IPython kernel that cannot outlive the process that started it.

`kernel_manager.py` runs this file as a script.
"""

import ctypes
import faulthandler
import importlib.util
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
LOG = "kernel.log"


def die_with_parent(parent):
    """Have Linux kill this process when the process of number `parent` ends, and exit where it has already.

    ipykernel looks for its parent every second, but in a thread: while a cell holds the interpreter's lock
    in one long call, that thread does not run, and the kernel would go on for hours.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        # The parent may have ended before prctl was called, which tells only of what comes after it.
        if os.getppid() != parent:
            sys.exit("the driver ended while its kernel was starting")


def write_to_log():
    """Write the kernel's own messages to a log: not to the terminal, and readable after a crash."""
    log = os.open(LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    os.dup2(log, sys.stdout.fileno())
    os.dup2(log, sys.stderr.fileno())
    faulthandler.enable()


def refuse_untraced_files(project):
    """Have data beside the modules of a project refused, before any of these is imported."""
    library = os.path.join(project, "paperlib")
    driver = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # the wheel's has the experiments
    for folder in (library, driver):
        path = os.path.join(folder, "experiments", "untraced_files.py")
        if os.path.isfile(path):  # a project of other papers may have no experiments of ours
            spec = importlib.util.spec_from_file_location("_untraced_files", path)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            for package in [library] if folder == library else _packages(project):
                module.guard(package)
            return


def _packages(project):
    """Return the folders of a companion's packages, which are named as its notebooks."""
    names = [os.path.splitext(name)[0] for name in os.listdir(os.path.join(project, "notebooks"))]
    folders = [os.path.join(project, name) for name in names]
    return [folder for folder in folders if os.path.isfile(os.path.join(folder, "__init__.py"))]


if __name__ == "__main__":
    write_to_log()
    # The project is the first entry, whoever starts a kernel (`waiting`, `away`, `site/executing`).
    refuse_untraced_files(os.environ.get("PYTHONPATH", "").split(os.pathsep)[0])
    die_with_parent(int(os.environ.get("JPY_PARENT_PID", os.getppid())))
    # The driver blocks SIGINT in its child processes (`interrupts.deferred`); a notebook's code may need it.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    from ipykernel.kernelapp import launch_new_instance

    launch_new_instance()

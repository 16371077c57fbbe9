"""Kernels of this interpreter: how they are started, killed when unwanted, and their last messages."""

import os
import platform
import sys
import threading
import uuid
from contextlib import contextmanager

from reproduce.execution import kernel

EVERY = 0.5  # seconds between two questions whether the result is still wanted
# OpenBLAS has other code for each kind of processor, whose sums end in other digits. This is its code for the
# oldest that NumPy still runs on. Of the solvers here only the linear programme feels it: twice the time.
ONE_BLAS = {"OPENBLAS_CORETYPE": "Nehalem"} if platform.machine() in ("x86_64", "AMD64") else {}


def of_this_interpreter(scratch, environment, kernels):
    """Return a kernel manager class for this interpreter, whatever kernelspec `python3` the user has.

    Parameters
    ----------
    scratch : Path
        The kernel's folder.
    environment : dict
        The kernel's environment.
    kernels : list
        Each kernel's process is appended to it.
    """
    from jupyter_client import AsyncKernelManager
    from jupyter_client.kernelspec import KernelSpec
    from traitlets import default

    class OwnInterpreter(AsyncKernelManager):
        if sys.platform == "linux":
            # A TCP port is found free here and bound later, in the kernel; with many kernels another may take
            # it in between. A random name in the abstract socket namespace is unique, and leaves no file.
            @default("transport")
            def _transport_default(self):
                return "ipc"

            def _ip_default(self):
                return f"@reproduce-{uuid.uuid4().hex}"

        @property
        def kernel_spec(self):
            # -P: modules beside kernel.py must not shadow those that the notebook imports.
            # -Xfrozen_modules=off: as in ipykernel's own kernelspec.
            argv = [sys.executable, "-P", "-Xfrozen_modules=off", kernel.__file__, "-f", "{connection_file}"]
            argv += ["--log-level=ERROR"]  # without its warnings about the transport
            return KernelSpec(argv=argv, display_name="Python 3", language="python")

        def _connection_file_default(self):
            return str(scratch / "kernel.json")  # removed with the run's folder

        async def _async_pre_start_kernel(self, **options):
            return await super()._async_pre_start_kernel(
                **options | {"env": environment, "cwd": str(scratch)}
            )

        async def _async_post_start_kernel(self, **options):
            kernels.append(self.provisioner.process)  # type: ignore[attr-defined]  # it starts a process
            await super()._async_post_start_kernel(**options)

    return OwnInterpreter


def environment(scratch, more):
    """Return the driver's environment with `more` and with settings that make results reproducible."""
    return os.environ | {
        # One thread: with several, the order of a sum and so its last digits depend on the number of cores.
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "NUMBA_NUM_THREADS": "1",
        **ONE_BLAS,
        # glibc returns freed memory to the system at once. A network that allocates it again at every step
        # then spends a third of its time on new pages.
        "MALLOC_TRIM_THRESHOLD_": str(2**30),
        "MALLOC_MMAP_THRESHOLD_": str(2**25),
        # Sets of strings then iterate in the same order in every run.
        "PYTHONHASHSEED": "0",
        # The user's own Jupyter and IPython settings must not change the results.
        "JUPYTER_PREFER_ENV_PATH": "1",
        "IPYTHONDIR": str(scratch),
        **more,
    }


@contextmanager
def killed_when(unwanted):
    """Call `unwanted` regularly while the block runs; once it is true, kill the kernels in the yielded list.

    A worker of an existing cluster outlives the driver, and Python cannot end the thread that waits for a
    kernel. That thread ends by itself when its kernel is gone.
    """
    kernels = []
    over = threading.Event()

    def ask():
        while not over.wait(EVERY):
            if unwanted():
                for process in kernels:
                    process.kill()

    thread = threading.Thread(target=ask, name="reproduce-watch", daemon=True)
    thread.start()
    try:
        yield kernels
    finally:
        over.set()
        thread.join()


def last_words(scratch, lines=5):
    """Return the first lines of the kernel's log, such as the place of a segmentation fault."""
    try:
        text = (scratch / kernel.LOG).read_text(errors="replace")
    except OSError:
        return ()
    return tuple(text.strip().splitlines()[:lines])

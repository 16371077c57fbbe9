"""Kernels of this very interpreter: started, watched, and their last words."""

import os
import sys
import threading
import uuid
from contextlib import contextmanager

from reproduce.execution import kernel

EVERY = 0.5  # seconds


def of_this_interpreter(scratch, environment, kernels):
    """Return a kernel manager class for this interpreter, whatever kernelspec `python3` is to the user.

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
            # Ports are found free here and bound later, in the kernel: with many kernels some are taken by
            # then. A name in the abstract socket namespace is nobody else's, and leaves no file.
            @default("transport")
            def _transport_default(self):
                return "ipc"

            def _ip_default(self):
                return f"@reproduce-{uuid.uuid4().hex}"

        @property
        def kernel_spec(self):
            # -P: the folder of kernel.py holds modules of ours that must not shadow anyone's.
            argv = [sys.executable, "-P", "-Xfrozen_modules=off", kernel.__file__, "-f", "{connection_file}"]
            argv += ["--log-level=ERROR"]  # its warnings about the transport are no news to the user
            return KernelSpec(argv=argv, display_name="Python 3", language="python")

        def _connection_file_default(self):
            return str(scratch / "kernel.json")  # in the run's own folder: a killed run leaves none elsewhere

        async def _async_pre_start_kernel(self, **options):
            return await super()._async_pre_start_kernel(
                **options | {"env": environment, "cwd": str(scratch)}
            )

        async def _async_post_start_kernel(self, **options):
            kernels.append(self.provisioner.process)
            await super()._async_post_start_kernel(**options)

    return OwnInterpreter


def environment(scratch, more):
    """Return the driver's environment with `more`, and with all that makes results the same everywhere."""
    return os.environ | {
        # One thread each: a sum then has one order, and one result, whatever the number of cores.
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "NUMBA_NUM_THREADS": "1",
        # glibc gives freed memory back at once; a network that asks for it again at every step then spends a
        # third of its time on new pages.
        "MALLOC_TRIM_THRESHOLD_": str(2**30),
        "MALLOC_MMAP_THRESHOLD_": str(2**25),
        # Sets of strings iterate in one order.
        "PYTHONHASHSEED": "0",
        # The reader's own Jupyter and IPython settings must not show in the results.
        "JUPYTER_PREFER_ENV_PATH": "1",
        "IPYTHONDIR": str(scratch),
        **more,
    }


@contextmanager
def killed_when(unwanted):
    """Ask, while the block runs, and kill the kernels in the list that is yielded once the answer is yes.

    A worker of an existing cluster outlives the driver, and Python cannot end the thread that waits for the
    kernel; without its kernel it ends by itself.
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
    """Return the first lines of the kernel's own messages, such as where it met a segmentation fault."""
    try:
        text = (scratch / kernel.LOG).read_text(errors="replace")
    except OSError:
        return ()
    return tuple(text.strip().splitlines()[:lines])

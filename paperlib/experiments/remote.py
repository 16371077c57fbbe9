"""Results at an address such as s3://bucket/run: written to a folder here, and sent there after each cell.

Papermill writes its notebook to such addresses, too. fsspec knows how to reach them, some of them with a
package more, which its error names.
"""

import atexit
import shutil
import tempfile
from pathlib import Path

import fsspec
from IPython.core.getipython import get_ipython


def is_address(out_dir: object) -> bool:
    """Return whether results go to another place than a folder.

    >>> is_address("s3://bucket/run"), is_address("run"), is_address(None)
    (True, False, False)
    """
    return isinstance(out_dir, str) and "://" in out_dir


class Copies:
    """Copies of a folder's files at an address.

    Parameters
    ----------
    address : str

    Attributes
    ----------
    folder : Path
        A new folder, which is gone once this process ends.

    Raises
    ------
    ValueError
        For an address that fsspec cannot reach.
    """

    def __init__(self, address: str) -> None:
        try:
            self.filesystem, self.base = fsspec.core.url_to_fs(address)
        except (ImportError, ValueError) as error:
            raise ValueError(f"out_dir {address!r} cannot be reached: {error}") from None
        self.folder = Path(tempfile.mkdtemp())
        self._sent: dict[Path, tuple[int, int]] = {}
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        if shell := get_ipython():
            shell.events.register("post_run_cell", lambda *_: self.send())

    def send(self) -> None:
        """Send each file that was not sent as it is now; what fails is tried again after the next cell."""
        for path in sorted(self.folder.iterdir()):
            state = path.stat().st_mtime_ns, path.stat().st_ino  # a file that changes is another one
            if self._sent.get(path) != state:
                self.filesystem.makedirs(self.base, exist_ok=True)
                self.filesystem.put_file(str(path), f"{self.base.rstrip('/')}/{path.name}")
                self._sent[path] = state

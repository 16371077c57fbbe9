"""Files in which the values of steps are kept, each with what it takes for the value to be still right.

A file holds a line of JSON, the *header*, and then the value as joblib writes it. It is written whole, under
a name made of the arguments and the trace, so that several processes can share a folder. Whatever cannot be
read is as good as not there.
"""

import contextlib
import hashlib
import io
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib

from paperlib.experiments.files import write_whole

FORMAT = 2  # 1 missed what kernels of max_loss call
SUFFIX = ".step"
LIMIT = 4 * 2**30  # bytes in all


class Unusable(Exception):
    """A kept value that cannot be read: cut off, of another version, or removed meanwhile.

    >>> issubclass(Unusable, Exception)
    True
    """


@dataclass(frozen=True)
class Kept:
    """One kept value, of which only the header has been read.

    Attributes
    ----------
    entered : tuple of str
        Items that were entered when the value was computed.
    digests : dict
        Item -> its digest, for all that the value depends on.
    seconds : float
        Time that it took.
    """

    path: Path
    entered: tuple[str, ...]
    digests: dict[str, str]
    seconds: float

    def value(self) -> Any:
        """Return the value.

        Raises
        ------
        Unusable
            If the file is not whole.
        """
        try:
            header, _, content = self.path.read_bytes().partition(b"\n")
            if hashlib.sha256(content).hexdigest() != json.loads(header)["sha256"]:
                raise Unusable(f"{self.path}: cut off")
            with contextlib.suppress(OSError):
                os.utime(self.path)  # what is used is not the oldest
            return joblib.load(io.BytesIO(content))
        except Unusable:
            raise
        except Exception as error:  # whatever unpickling runs into
            raise Unusable(f"{self.path}: {error}") from error


class Store:
    """A folder of kept values.

    Parameters
    ----------
    folder : path
        Made when something is kept.
    limit : int, default=LIMIT
        Bytes; beyond it the values that were not used for the longest time go.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(folder)
    ...     file = store.keep("sum-12ab", 3, entered=["a:f"], digests={"a:f": "0"}, versions="1", seconds=0.1)
    ...     [kept.value() for kept in store.find("sum-12ab", "1")], list(store.find("sum-12ab", "2"))
    ([3], [])
    """

    def __init__(self, folder: str | os.PathLike[str], limit: int = LIMIT) -> None:
        self.folder = Path(folder)
        self.limit = limit

    def find(self, call: str, versions: str) -> Iterator[Kept]:
        """Yield what is kept for a call with these arguments and versions, with whatever trace."""
        for path in sorted(self.folder.glob(f"{call}-*{SUFFIX}")):
            try:
                with open(path, "rb") as file:
                    header = json.loads(file.readline())
                if (header["format"], header["versions"]) == (FORMAT, versions):
                    digests = {str(item): str(digest) for item, digest in header["digests"].items()}
                    yield Kept(path, tuple(header["entered"]), digests, float(header["seconds"]))
            except (OSError, ValueError, KeyError, TypeError, AttributeError):
                continue

    def keep(
        self,
        call: str,
        value: Any,
        *,
        entered: list[str],
        digests: dict[str, str],
        versions: str,
        seconds: float,
    ) -> str:
        """Keep a value, and return the name of its file.

        Raises
        ------
        Exception
            What pickling the value raises, or an OSError where the folder cannot be written.
        """
        stream = io.BytesIO()
        joblib.dump(value, stream, compress=("zlib", 1))
        content = stream.getvalue()
        header = {
            "format": FORMAT,
            "versions": versions,
            "seconds": round(seconds, 3),
            "sha256": hashlib.sha256(content).hexdigest(),
            "entered": entered,
            "digests": digests,
        }
        # A file for each trace: where an edit is undone, the value from before is found again.
        trace = hashlib.sha256(json.dumps([versions, digests], sort_keys=True).encode()).hexdigest()[:16]
        name = f"{call}-{trace}{SUFFIX}"
        write_whole(self.folder / name, json.dumps(header).encode() + b"\n" + content)
        self._make_room()
        return name

    def _make_room(self) -> None:
        """Remove the oldest values while they have too many bytes; another process may do the same.

        What else lies in the folder, which may be one of the user's choice, is left alone.
        """
        found = []
        with contextlib.suppress(OSError), os.scandir(self.folder) as entries:
            for entry in entries:
                if SUFFIX not in entry.name:  # also in the name of a part that a killed process left
                    continue
                with contextlib.suppress(OSError):
                    state = entry.stat()
                    found.append((state.st_mtime, state.st_size, entry.path))
        total = sum(size for _, size, _ in found)
        for _, size, path in sorted(found):
            if total <= self.limit:
                return
            with contextlib.suppress(OSError):
                os.remove(path)
            total -= size  # gone, too, where another process has removed it

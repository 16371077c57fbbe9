"""A file is written whole or not at all.

The standard library is all that may be imported here: `make setup` runs this on a bare Python.
"""

import os
import tempfile
from pathlib import Path


def write_whole(path: str | os.PathLike[str], content: bytes | str) -> None:
    """Write `content`, bytes or text in UTF-8, beside `path` and move it there in one step.

    A missing folder is made. A file that holds just that already is left alone, times and all.
    Everyone may read what is written, whatever the umask.

    Raises
    ------
    OSError
        As the system reports it; whatever stood at `path` is then still there.
    """
    path = Path(path)
    data = content.encode() if isinstance(content, str) else content
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, part = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(part, 0o644)
        os.replace(part, path)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise

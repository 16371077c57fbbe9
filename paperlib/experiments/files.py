"""Atomic writing of files.

Only the standard library may be imported here: `make setup` runs this before anything is installed.
"""

import os
import tempfile
from pathlib import Path


def write_whole(path: str | os.PathLike[str], content: bytes | str) -> None:
    """Write bytes, or text as UTF-8, to a file that other programs see complete or not at all.

    The content goes to a temporary file beside `path`, which is then renamed. A missing folder is made. A
    file that has this content already is not touched. The file is readable for all users, whatever the
    umask.

    Raises
    ------
    OSError
        If writing fails; `path` is then as it was before.
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
        # `mkstemp` makes a file for its owner alone.
        os.chmod(part, 0o644)
        os.replace(part, path)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise

"""A file appears whole or not at all."""

import os
import tempfile
from pathlib import Path


def write_whole(path: str | os.PathLike[str], content: bytes | str) -> None:
    """Write `content`, bytes or text, beside `path` and move it there in one step.

    Raises
    ------
    OSError
        As the system reports it; whatever stood at `path` is then still there.
    """
    path = Path(path)
    data = content.encode() if isinstance(content, str) else content
    handle, part = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(part, 0o644)
        os.replace(part, path)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise

"""How much memory there is to take, and an error before more is taken than that."""

import os
from pathlib import Path

# Of a control group: the folder's prefix, limit, use, and what of the use is given back when it is needed.
_GROUPS = {
    "": ("", "memory.max", "memory.current", "inactive_file"),
    "memory": ("memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}


def require_memory(needed: float, what: str, instead: str) -> None:
    """Raise ``MemoryError`` if `needed` bytes are more than there are; a process that takes them is killed.

    >>> require_memory(8.0, "a number", "")
    >>> require_memory(1e18, "The fit", "fit fewer rows")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    MemoryError: The fit needs about 1,000,000,000.0 GB of memory, and ... GB are left: fit fewer rows
    """
    left = free_memory()
    if needed > left:
        sizes = f"{needed / 1e9:,.1f} GB of memory, and {left / 1e9:,.1f} GB are left"
        raise MemoryError(f"{what} needs about {sizes}: {instead}")


def free_memory(root: str = "/") -> float:
    """Return how many bytes the machine, and each control group of the process, have left, at the least.

    Swap space counts. Where nothing is known of what others take, it is all that the machine has.
    """
    return max(0.0, min([_of_machine(Path(root)), *_of_groups(Path(root))]))


def _of_machine(root):
    try:
        rows = (line.split() for line in (root / "proc/meminfo").read_text().splitlines())
        sizes = {row[0]: 1024.0 * float(row[1]) for row in rows}
        return sizes["MemAvailable:"] + sizes["SwapFree:"]
    except (OSError, KeyError):
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))


def _of_groups(root):
    """Yield what is left of each limit on the process, those of the groups around its own among them."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, own = line.split(":", 2)
        for name in {"", "memory"} & set(controllers.split(",")):
            prefix, *files, cache = _GROUPS[name]
            top = root / "sys/fs/cgroup" / prefix
            folder = top / own.lstrip("/")
            for each in (folder, *folder.parents[: len(folder.relative_to(top).parts)]):
                try:
                    limit, used = (float((each / file).read_text()) for file in files)
                    stat = dict(row.split() for row in (each / "memory.stat").read_text().splitlines())
                    yield limit - used + float(stat.get(cache, 0))
                except (OSError, ValueError):  # no such folder here, or no limit ("max")
                    continue

"""What was measured, kept as data, and the page that is made of it."""

import json
import platform
from dataclasses import asdict
from importlib import metadata
from pathlib import Path

from benchmarks.side_by_side import Comparison
from paperlib.experiments.files import write_whole

FIGURES = Path(__file__).resolve().parent.parent / "figures"
VERSIONS = (
    "numpy", "numba", "scipy", "scikit-learn", "cvxpy", "clarabel", "highspy", "torch", "papermill",
    "distributed",
)  # fmt: skip
HEAD = """\
# Side by side

What `make bench` measured: what this project does beside what a user would pick instead, in one process, by
turns, medians. *Ratio* is the peer's over ours, *target* the ratio that the project wanted before it was
measured; below 1 the peer is better. On another machine, or a busy one, times differ, ratios less so. The
same as data: [benchmarks.json](benchmarks.json).
"""
COLUMNS = ("of", "what", "ours", "peer", "ratio", "target", "holds", "peer is", "note")
RIGHT = ("ours", "peer", "ratio", "target")


def keep(name, comparisons, folder=FIGURES):
    """Put the results of one benchmark in the place of its earlier ones, and write the page anew."""
    file = folder / "benchmarks.json"
    kept = json.loads(file.read_text()) if file.exists() else {}
    kept[name] = {"machine": machine(), "comparisons": [asdict(each) for each in comparisons]}
    kept = dict(sorted(kept.items()))
    write_whole(file, json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
    write_whole(folder / "BENCHMARKS.md", page(kept))


def machine():
    """Where something was measured: processor, system, versions."""
    versions = {}
    for name in VERSIONS:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    python = {platform.python_implementation(): platform.python_version()}
    return {"on": _processor(), "system": platform.system()} | python | versions


def _processor():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0]}, {len(names)} logical cores" if names else platform.machine()


def page(kept):
    """All that is kept, as Markdown."""
    rows = [(name, Comparison(**row)) for name, part in kept.items() for row in part["comparisons"]]
    wanted = [row for _, row in rows if row.target is not None]
    met = sum(row.holds == "yes" for row in wanted)
    lost = sorted((row for row in rows if row[1].ratio < 1), key=lambda row: row[1].ratio)
    others = [row for row in rows if row not in lost]
    counted = f"{met} of {len(wanted)} targets are met. In {len(lost)} of {len(rows)} rows, the peer wins."
    return "\n".join(
        [
            f"{HEAD}\n{counted}",
            *_section("Where we lose", lost),
            *_section("Where we do not", others),
            "\n## Machines\n",
            *_where(kept),
            "",
        ]
    )


def _section(title, rows):
    if rows:
        yield f"\n## {title}\n"
        yield _row(COLUMNS)
        yield _row("--:" if column in RIGHT else "---" for column in COLUMNS)
        yield from (_row([name, *cells(row)]) for name, row in rows)


def cells(row):
    """One comparison as text, in the order of the page's columns."""
    measured = [f"{_short(value)} {row.unit}" for value in (row.ours, row.peer)]
    target = "" if row.target is None else _short(row.target)
    return [row.what, *measured, _short(row.ratio), target, row.holds, row.peer_name, row.note]


def _short(number):
    return f"{number:,.0f}" if number >= 1000 else f"{number:.3g}"


def _where(kept):
    names = {}
    for name, part in kept.items():
        names.setdefault(json.dumps(part["machine"]), []).append(name)
    for text, group in names.items():
        about = ", ".join(f"{key} {value}" for key, value in json.loads(text).items())
        yield f"Measured {about}." if len(names) == 1 else f"{', '.join(group)}: measured {about}."


def _row(texts):
    return "| " + " | ".join(text.replace("|", "\\|").replace("\n", " ") for text in texts) + " |"

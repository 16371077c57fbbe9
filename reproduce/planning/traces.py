"""Traces of runs: which definitions results depend on, and whether these are still the same.

The Recorder of a notebook writes `trace.json` beside its results. A paper has steps, too, where its claims
are measured from tables (`paperlib/experiments/PAPER/claims.py`).
"""

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from reproduce import reading
from reproduce.library import code_reach
from reproduce.paths import LIBRARY
from reproduce.planning.digests import digest

NAME = "trace.json"
ITEMS = {str: str}
CALL = {"step": str, "arguments": str, "inputs": ([int], None), "entered": ITEMS}
FORM = {"run": ITEMS, "calls": [CALL], "tables": {str: int}}


def are_written(project):
    """Return whether the project's notebooks write traces."""
    library = project.packages.get(LIBRARY)
    return (library / "experiments" / "run_trace.py").is_file() if library else bool(project.packages)


def has_steps(project, paper):
    """Return whether the tables of a paper come from steps, and its measures from the tables."""
    return project.measures(paper).is_file()


@dataclass(frozen=True)
class Call:
    """One call of a step: a digest of its arguments, the numbers of the calls it depends on, its items."""

    step: str
    arguments: str
    inputs: tuple
    entered: tuple


@dataclass(frozen=True)
class Trace:
    """What `trace.json` says: items that the run entered, the calls, and the call of each table."""

    entered: tuple
    calls: tuple
    tables: dict

    def behind(self, tables):
        """Return the numbers of all calls that some tables depend on, in order."""
        found, waiting = set(), [self.tables[name] for name in tables if name in self.tables]
        while waiting:
            number = waiting.pop()
            if number not in found:
                found.add(number)
                waiting += self.calls[number].inputs
        return sorted(found)


class Sources:
    """The project's present texts, and what a trace depends on among them."""

    def __init__(self, project, edited=None):
        self._texts = code_reach.Sources(project.packages, edited)
        self._reached = {}
        self._digest = cache(self._digest_of)  # the rows of a paper rest on the same calls

    def reached(self, entered, called=()):
        """Return the items that something depends on which entered these; `called` as in `digest`."""
        if (entered, called) not in self._reached:
            self._reached[entered, called] = self._texts.reached(entered, called=called)
        return self._reached[entered, called]

    def digests(self, entered):
        """Return the digest of each item that something depends on which entered these."""
        return {item: self._texts.digest(item) for item in self.reached(entered)}

    def are_same(self, digests):
        """Return whether items still have these digests."""
        return all(self._texts.digest(item) == was for item, was in digests.items())

    def changed(self, module, other):
        """Return the items of a module that have another digest in other Sources."""
        mine, theirs = self._texts.text(module), other._texts.text(module)
        if not mine or not theirs:
            return {f"{module}:{name}" for text in (mine, theirs) if text for name in text.definitions}
        names = mine.definitions.keys() | theirs.definitions.keys()
        items = {f"{module}:{name}" for name in names}
        return {item for item in items if self._texts.digest(item) != other._texts.digest(item)}

    def digest(self, *traces, called=()):
        """Return one digest of all that some work depends on, given what each part of it entered.

        Of items that are `called` nobody has seen what they enter: all that they mention counts.
        """
        return self._digest(traces, tuple(called))

    def _digest_of(self, traces, called):
        items = sorted({item for entered in traces for item in self.reached(entered)})
        items += self.reached((), called)
        return digest([[item, self._texts.digest(item)] for item in items])

    def files(self, entered):
        """Return the files of the modules concerned."""
        modules = sorted({item.partition(":")[0] for item in self.reached(entered)})
        return [path for module in modules if (path := self._texts.path(module))]


_latest = {}  # root -> (state of its files, Sources)


def sources(project):
    """Return the Sources of a project, the same object while no file of the library is edited."""
    folders = [found for each in project.packages.values() for found in os.walk(each, followlinks=True)]
    files = sorted(
        Path(folder, name) for folder, _, names in folders for name in names if name.endswith(".py")
    )
    state = [(path, stat.st_mtime_ns, stat.st_size) for path in files if (stat := path.stat())]
    if _latest.get(project.root, (None,))[0] != state:
        _latest[project.root] = state, Sources(project)
    return _latest[project.root][1]


def read_trace(folder):
    """Return the Trace in a folder of results, or None without a readable one."""
    try:
        return _trace(reading.json_file(folder / NAME))
    except (OSError, ValueError):
        return None


def of_content(content):
    """Return the Trace that was read from a file, or None where it is none."""
    try:
        return _trace(content)
    except ValueError:
        return None


def _trace(content):
    calls = []
    for number, call in enumerate(reading.typed(content, FORM)["calls"]):
        # null: an array of unknown origin may come from any call before.
        inputs = range(number) if call["inputs"] is None else call["inputs"]
        if not all(0 <= each < number for each in inputs):
            raise ValueError(f"call {number} must depend on calls before it, got {inputs}")
        calls.append(Call(call["step"], call["arguments"], tuple(inputs), items(call["entered"])))
    if not all(0 <= number < len(calls) for number in content["tables"].values()):
        raise ValueError("a table is of no call")
    return Trace(items(content["run"]), tuple(calls), content["tables"])


def items(by_module):
    """Return the items of `{module: names}`, with each module itself."""
    return tuple(f"{module}:{name}" for module, names in by_module.items() for name in [*names.split(), ""])

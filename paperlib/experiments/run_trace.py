"""The file `trace.json` beside published results: which of the project's functions made them.

By it the driver tells, without running anything, whether results are of the present sources, and which tables
an edit can reach. It holds names only, so that it is the same on every machine::

    {"run": {"paperlib.experiments.plotting": "figure save", ...},
     "calls": [{"step": "paperlib.experiments.coresets.samples:slab", "arguments": "0f3a...", "inputs": [],
                "entered": {...}}, ...],
     "tables": {"runs": 3, ...}}

`run` has all that was entered, `calls` the calls of steps in order, each with a digest of its plain arguments
and the numbers of the calls whose values it was given (null, where an array or a table is of unknown origin),
and `tables` the call of each table.
"""

import json
import os
import sys
from collections.abc import Iterable, Mapping

from paperlib._common.code_reach import sources_of
from paperlib.experiments import own_code, steps, tracing

NAME = "trace.json"
_begun: list[tracing.Tracer] = []


def begin_if_wanted() -> None:
    """Trace all that this process does from here on, once, where the driver has asked for it."""
    if os.environ.get(steps.DRIVER) and not _begun:
        tracer = tracing.Tracer(sources_of(own_code.traced()))
        _begun.append(tracer)
        tracer.__enter__()  # never left


def text(tables: Mapping[str, steps.Call]) -> str | None:
    """Return what `trace.json` holds now; None where nothing is traced.

    Parameters
    ----------
    tables : mapping of str to Call
        The call that returned each published table.
    """
    if not _begun:
        return None
    calls = steps.calls()
    numbers = {id(call): number for number, call in enumerate(calls)}
    content = {
        "run": by_module(_begun[0].entered),
        "calls": [
            {
                "step": call.name,
                "arguments": call.plain,
                "inputs": None if call.inputs is None else sorted(numbers[id(each)] for each in call.inputs),
                "entered": by_module(call.entered),
            }
            for call in calls
        ],
        "tables": {name: numbers[id(call)] for name, call in tables.items()},
    }
    return json.dumps(content, indent=1) + "\n"


def by_module(entered: Iterable[str]) -> dict[str, str]:
    """Return items with those of a module in one text."""
    found: dict[str, list[str]] = {}
    for item in sorted(entered):
        module, _, name = item.partition(":")
        found.setdefault(sys.intern(module), []).extend([name] if name else [])
    return {module: " ".join(names) for module, names in found.items()}

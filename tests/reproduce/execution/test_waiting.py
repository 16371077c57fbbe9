"""Whether the sources of a run are still those that it began with."""

import os
import time
from types import SimpleNamespace

import pytest

from reproduce.execution.waiting import Job, Waiting
from reproduce.paths import Project
from reproduce.planning import traces


@pytest.mark.parametrize("date", [None, 1e9], ids=["now", "older"])
def test_a_source_that_is_replaced_during_a_run(project, monkeypatch, date):
    source = project.write("paperlib/part.py", "def f():\n    return 1\n")
    run = SimpleNamespace(name="alpha", components={})
    entered = SimpleNamespace(entered=("paperlib.part:f",))
    monkeypatch.setattr(traces, "read_trace", lambda folder: entered)
    waiting = Waiting(Project(project.root), [], False, None)
    time.sleep(0.02)  # a file's date is some milliseconds coarse
    job = Job(run, None, None, time.time())
    assert not waiting.has_changed(job, project.root)
    time.sleep(0.02)
    replacement = project.write("other.py", "def f():\n    return 2\n")
    if date:
        os.utime(replacement, (date, date))
    os.replace(replacement, source)
    assert waiting.has_changed(job, project.root)

"""A time limit is kept, to a tenth and one second more, whatever is called inside."""

import inspect

import pytest

from tests.paperlib.fuzzing.test_fuzz import public_names
from tests.paperlib.interrupts.limited import AT_ONCE
from tests.paperlib.interrupts.long_calls import CALLS
from tests.paperlib.interrupts.programs import tried
from tests.papers import PAPERS

LIMIT = 2.0
MOST = 1.0 + 0.1 * LIMIT  # seconds of the process's own beyond the limit: others may take the processor
CALLABLE = {name: thing for name, thing in public_names() if callable(thing)}
LIMITED = {name for name, thing in CALLABLE.items() if "time_limit" in inspect.signature(thing).parameters}
FEW = ("separator_100_000", "plane_sweep", "lp_highs")


def wrong(names):
    """Those calls that took longer, or ended in an error, or a crash."""
    found = tried("limited", names, LIMIT)
    return {name: each for name, each in found.items() if not each.get("beyond", MOST + 1.0) <= MOST}


def test_every_name_with_a_limit_is_called():
    assert {call.covers for call in CALLS.values()} >= LIMITED


@pytest.mark.slow
def test_a_time_limit_is_kept():
    assert wrong(FEW) == {}


@pytest.mark.slow
def test_a_time_limit_is_kept_where_work_is_left_behind(monkeypatch):
    """The end of the process would wait minutes for it."""
    monkeypatch.setenv(AT_ONCE, "1")
    assert wrong(["hyperplane_1_000"]) == {}


@pytest.mark.slow
@pytest.mark.parametrize("paper", PAPERS)
def test_a_time_limit_is_kept_by_every_call(paper):
    calls = {name: call for name, call in CALLS.items() if call.covers.startswith(paper)}
    limited = [name for name, call in calls.items() if call.covers in LIMITED]
    assert wrong(limited) == {}

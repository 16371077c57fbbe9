"""Every value that a notebook allows runs: both ends of each range, and settings drawn at random.

All with the smoke profile's values for the other parameters, in a warm process that draws no figures. All
ends of five notebooks take most of an hour, so they are for a release: `make release-check`.
"""

import math
import random

import pytest

from reproduce.execution.warm_process import Trial, WarmProcess
from reproduce.library import mistakes
from reproduce.paths import Project
from reproduce.planning import runs
from reproduce.planning.notebook import read_notebook

PROJECT = Project()
FIXED = ("seed", "out_dir", "data")
LIMIT = 900  # seconds of processor time for one run


def bounds(allowed, values):
    """The least and the greatest value inside a range; a thousandth inside of a bound that is not allowed."""
    low, high = allowed.low.value(values), allowed.high.value(values)
    if allowed.integer:
        low, high = math.ceil(low), math.floor(high)
    step = 1 if allowed.integer else (high - low) / 1000
    return low + step * (not allowed.includes_low), high - step * (not allowed.includes_high)


def ends(allowed, values):
    """The values at both ends of what is allowed; of a list the shortest ones that lie there."""
    if hasattr(allowed, "values"):
        return list(allowed.values)
    low, high = bounds(allowed, values)
    if not allowed.many:
        return [low, high]
    count = max(1, allowed.shortest)
    step = 1 if allowed.integer else (high - low) / 50
    return [[low + i * step for i in range(count)], [high - i * step for i in reversed(range(count))]]


def drawn(generator, allowed, value, values):
    """A value at random, at most twice that of the smoke profile, so that a run stays one of seconds."""
    if hasattr(allowed, "values"):
        return generator.choice(allowed.values)
    low, high = bounds(allowed, values)
    if allowed.many:
        high = max(max(value), low)
        few = generator.randint(max(1, allowed.shortest), max(len(value), allowed.shortest, 1))
        if allowed.integer:
            return sorted(generator.sample(range(low, high + few), few))
        return sorted(generator.uniform(low, high) for _ in range(few))
    high = min(high, max(2 * value, low))
    if allowed.integer:
        return round(math.exp(generator.uniform(math.log(low + 1), math.log(high + 1)))) - 1
    return generator.uniform(low, high)


def cases(paper, which):
    [run] = runs.make(PROJECT, [paper], "smoke")
    for name, parameter in run.notebook.parameters.items():
        if name not in FIXED and parameter.allowed:
            yield name, ends(parameter.allowed, run.parameters)[which]


def run(paper, changed, process):
    """How a notebook ends with these parameters; None where the driver refuses them."""
    [planned] = runs.make(PROJECT, [paper], "smoke")
    values = planned.parameters | changed | {"data": "bundled"}
    if mistakes(planned.notebook.parameters, values):
        return None
    return process.run(Trial(PROJECT.notebook(paper), values, seconds=LIMIT))


@pytest.fixture(scope="module")
def process():
    with WarmProcess(PROJECT.root) as started:
        yield started


@pytest.mark.release
@pytest.mark.parametrize("which", [0, -1], ids=["lower", "upper"])
@pytest.mark.parametrize("paper", PROJECT.papers)
def test_both_ends_of_every_range(paper, which, process):
    failed = {}
    for name, value in cases(paper, which):
        ended = run(paper, {name: value}, process)
        if ended and ended.status != "done":
            failed[f"{name}={value}"] = f"{ended.status} in cell {ended.cell}: {ended.message}"
    assert not failed


def random_settings(paper, seed):
    generator = random.Random(f"{paper} {seed}")
    notebook = read_notebook(PROJECT.notebook(paper))
    [planned] = runs.make(PROJECT, [paper], "smoke")
    values = dict(planned.parameters)
    for name, parameter in notebook.parameters.items():
        if name not in FIXED and parameter.allowed:
            values[name] = drawn(generator, parameter.allowed, values[name], values)
    return values


@pytest.mark.slow
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(s, marks=pytest.mark.release) for s in range(1, 5))], ids="setting-{}".format
)
@pytest.mark.parametrize("paper", PROJECT.papers)
def test_settings_at_random(paper, seed, process):
    values = random_settings(paper, seed)
    ended = run(paper, values, process)
    assert ended is None or ended.status == "done", (values, ended.cell, ended.message)

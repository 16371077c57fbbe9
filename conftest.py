"""What holds for every test and every example."""

import importlib.util
import os
import platform
import random
import sys
from collections import Counter
from importlib import metadata
from pathlib import PurePosixPath

import pytest
from hypothesis import settings
from packaging.version import Version

from tests.papers import PAPERS

# Tests run one beside the other on every core: more threads in one would only wait for another's.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A suite that passed passes again: examples are drawn, but the same ones each time. To search among new ones:
# make test ARGS="--hypothesis-profile=default".
settings.register_profile("same", derandomize=True)
settings.load_profile("same")

# Examples that need PyTorch, which is optional, are left out where there is none.
NEED_TORCH = [
    "paperlib/experiments/max_loss/network.py",
    "paperlib/max_loss/focused_sampler.py",
    "paperlib/max_loss/torch_learner.py",
]
collect_ignore = [] if importlib.util.find_spec("torch") else NEED_TORCH
PARTS = (*PAPERS, "reproduce")
SEED = "PAPERLIB_TEST_SEED"  # of what `make test` draws; a failure is seen again with the same one


def pytest_addoption(parser):
    parser.addoption(
        "--tier",
        choices=["quick", "rest", "all"],
        help="quick: without what is slow, and with samples of long lists of cases (default); rest: what "
        "quick leaves out; all: both (default where a test is asked for by its name)",
    )


def pytest_configure(config):
    # The workers of pytest-xdist, which must find the same tests, have it from their controller.
    os.environ.setdefault(SEED, str(random.randrange(10**6)))
    if config.option.tier is None:
        config.option.tier = "all" if any("::" in str(each) for each in config.args) else "quick"


def pytest_terminal_summary(terminalreporter, config):
    if config.option.tier == "quick":
        terminalreporter.write_line(f"samples of cases were drawn with {SEED}={os.environ[SEED]}")


@pytest.fixture(autouse=True)
def no_folder_stays_guarded():
    """A step of a test has the data of its package refused for as long as the process lives: of all tests."""
    guarded = getattr(sys.modules.get("paperlib.experiments.untraced_files"), "_packages", [])
    before = list(guarded)
    yield
    guarded[:] = before or guarded


@pytest.fixture
def sampled(request):
    """A function that draws from cases in the quick tier, and returns them all in the others."""

    def draw(cases, number=1):
        return (
            draw_by_seed(cases, number, request.node.nodeid)
            if request.config.option.tier == "quick"
            else cases
        )

    return draw


def draw_by_seed(cases, number, name):
    """Return `number` of the cases, the same for a seed and a name, or all where there are no more."""
    if len(cases) <= number:
        return cases
    return random.Random(f"{os.environ[SEED]} {name}").sample(cases, number)


def in_tier(items, tier):
    """Split tests into those of a tier and the others.

    Of an estimator's settings, the quick tier asks the first one for scikit-learn's contract. Of a test that
    is marked ``drawn(n)`` it takes n cases, and the rest all of them: it cannot know which were taken.
    """
    first, chosen, others, cases = {}, [], [], {}
    for item in items:
        if (mark := item.get_closest_marker("drawn")) is not None:
            cases.setdefault((item.nodeid.partition("[")[0], *mark.args), []).append(item)
    taken = {item for (test, n), of_test in cases.items() for item in draw_by_seed(of_test, n, test)}
    for item in items:
        slow = item.get_closest_marker("slow") is not None
        values = getattr(getattr(item, "callspec", None), "params", {})
        if {"estimator", "check"} <= values.keys():
            estimator = values["estimator"]  # one object under all its checks
            slow = slow or first.setdefault(type(estimator), estimator) is not estimator
        drawn = item.get_closest_marker("drawn") is not None
        slow = slow or (drawn and item not in taken)
        partly = drawn or "sampled" in getattr(item, "fixturenames", ())
        wanted = {"quick": not slow, "rest": slow or partly, "all": True}[tier]
        (chosen if wanted else others).append(item)
    return chosen, others


def pytest_collection_modifyitems(config, items):
    """Take the tests of a tier, and skip what is not promised here, by the markers of pyproject.toml."""
    items[:], others = in_tier(items, config.option.tier)
    for item in others:
        item.outside_tier = True  # for tests/tracing_plugin.py
    config.hook.pytest_deselected(items=others)
    skipped = {}
    if platform.machine() not in (
        "x86_64",
        "AMD64",
    ):  # others round otherwise, and only verdicts are promised
        skipped["x86_64"] = "the same bytes are promised on x86-64 only"
    if Version(metadata.version("scikit-learn")) < Version("1.8"):
        skipped["routes_weights"] = "scikit-learn 1.8 and newer route them through the score of a pipeline"
    for item in items:
        for name, reason in skipped.items():
            if item.get_closest_marker(name):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Let each of `make test`'s workers stay with one part of the project while it can.

    Two workers in one part, beside each other, would both compile its kernels: neither can wait for the
    other's. One after the other, the second reads them from disk.
    """
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class PartByPart(LoadFileScheduling):
        def _assign_work_unit(self, node):
            self.workqueue.move_to_end(self._next_file(node), last=False)
            super()._assign_work_unit(node)

        def _next_file(self, node):
            at = {
                other: part_of(next(reversed(files))) for other, files in self.assigned_work.items() if files
            }
            left = Counter()  # tests, by part
            for file, tests in self.workqueue.items():
                left[part_of(file)] += len(tests)
            others = {part for other, part in at.items() if other is not node}
            part = max(left, key=lambda part: (part == at.get(node), part not in others, left[part]))
            return next(file for file in self.workqueue if part_of(file) == part)

    return PartByPart(config, log)


def part_of(file):
    """Return the paper that a file of tests is about, or what else it is about."""
    names = PurePosixPath(file.partition("::")[0]).with_suffix("").parts
    return next((part for part in PARTS if part in names), "the rest")

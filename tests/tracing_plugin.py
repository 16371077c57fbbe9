"""Plugin of pytest that notes which definitions each test depends on: `pytest -p tests.tracing_plugin`.

It writes `build/tests/traces.json`, where tests that did not run keep what is known of them::

    {"tests/paperlib/coresets/test_hull.py::test_nearest": {
        "digest": "0f3a...",
        "items": {"paperlib.coresets._solver.hull": "Hull.__init__ nearest", ...}}, ...}

A test is a function with all its cases. Its items, as `code_reach` has them, are what it and its fixtures
enter, and what that depends on, with compiled kernels, the helpers beside the tests and the test itself; the
top level of each module named is one, too. While they have the same `digest`, a test that passed will pass
again, unless it reads other files or starts another process. A test that failed is not there.
"""

import hashlib
import json
from collections import defaultdict
from pathlib import Path

import pytest

import paperlib
from paperlib._common.code_reach import Sources
from paperlib.experiments.files import write_whole
from paperlib.experiments.tracing import Tracer

FILE = Path("build", "tests", "traces.json")


def pytest_configure(config):
    config.pluginmanager.register(Traces(config))


def digest(sources, items):
    """Return the digest of a test's items."""
    texts = [f"{item} {sources.digest(item)}\n" for item in sorted(items)]
    return hashlib.sha256("".join(texts).encode()).hexdigest()[:16]


class Traces:
    """What one process has seen; that of pytest-xdist's controller takes in its workers'."""

    def __init__(self, config):
        self.config = config
        self.sources = Sources({"paperlib": paperlib.__path__[0], "tests": config.rootpath / "tests"})
        self.entered = defaultdict(set)  # by test
        self.failed, self.partial = set(), set()
        self.of_fixtures = defaultdict(set)  # by (where it stands, name): shared ones are set up only once

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        with Tracer(self.sources) as tracer:
            result = yield
        test = _function(item.nodeid)
        self.entered[test] |= tracer.entered
        for (where, name), entered in self.of_fixtures.items():
            if name in getattr(item, "fixturenames", ()) and item.nodeid.startswith(where):
                self.entered[test] |= entered
        if tracer.is_blind:
            self.partial.add(test)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        with Tracer(self.sources) as tracer:
            result = yield
        self.of_fixtures[fixturedef.baseid, fixturedef.argname] |= tracer.entered
        return result

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed.add(_function(report.nodeid))

    def pytest_deselected(self, items):
        self.partial.update(_function(item.nodeid) for item in items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        part = getattr(node, "workeroutput", {}).get("traces", {"entered": {}, "partial": []})
        self.partial.update(part["partial"])
        for test, items in part["entered"].items():
            self.entered[test].update(items)

    def pytest_sessionfinish(self):
        if hasattr(self.config, "workeroutput"):
            entered = {test: sorted(items) for test, items in self.entered.items()}
            self.config.workeroutput["traces"] = {"entered": entered, "partial": sorted(self.partial)}
            return
        file = self.config.rootpath / FILE
        known = json.loads(file.read_text()) if file.is_file() else {}
        for test, entered in self.entered.items():
            items = self.sources.reached(entered)
            if test not in self.partial and not self.sources.are_newer(items):
                known[test] = {"digest": digest(self.sources, items), "items": _by_module(items)}
        for test in self.failed:
            known.pop(test, None)
        write_whole(file, json.dumps(dict(sorted(known.items())), indent=1) + "\n")


def _function(nodeid):
    """Return the address of a test without that of its case."""
    return nodeid.partition("[")[0]


def _by_module(items):
    found = {}
    for item in items:
        module, _, name = item.partition(":")
        found.setdefault(module, []).extend([name] if name else [])
    return {module: " ".join(names) for module, names in found.items()}

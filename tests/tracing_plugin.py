"""Plugin of pytest that notes what each test depends on: `pytest -p tests.tracing_plugin`.

It writes `build/tests/traces.json`, where tests that did not run keep what is known of them::

    {"tests/paperlib/coresets/test_hull.py::test_nearest": {
        "digest": "0f3a...",
        "items": {"paperlib.coresets._solver.hull": "Hull.__init__ nearest", ...},
        "files": ["figures/coresets/results.json", ...],
        "processes": false}, ...}

A test is a function with all its cases that were run. Its items, as `code_reach` has them, are what it and
its fixtures enter, and what that depends on, with compiled kernels, the helpers beside the tests and the test
itself; the top level of each module named is one, too. Its files are those of the project that it reads, and
the folders that it lists. Of what it starts in other processes nothing is seen. While all these have the same
`digest` (`Dependencies`), a test that passed will pass again. A test that failed is not there.
"""

import hashlib
import json
import multiprocessing.process
import os
import sys
from collections import defaultdict
from functools import cached_property
from pathlib import Path

import pytest

import paperlib
from paperlib._common.code_reach import Sources
from paperlib.experiments.files import write_whole
from paperlib.experiments.run_trace import by_module
from paperlib.experiments.tracing import Tracer, module_of

FILE = Path("build", "tests", "traces.json")
KERNEL = os.path.join("reproduce", "execution", "kernel.py")  # runs the cells of toy notebooks
# What the driver's toy projects can execute of this one, in other processes.
OF_THE_DRIVER = ("files", "parameters", "ledger", "verdicts", "definitions")
# Who reads sources as texts only to import, trace, or show them.
READERS = ("<frozen importlib", "linecache.py", "rewrite.py", "tracing_plugin.py", "steps.py", "tracing.py")
PASSED_BY = {".git", "build", "__pycache__", ".venv", ".pytest_cache", ".hypothesis"}
_watching = []  # the Traces of this process: an audit hook cannot be taken away


def pytest_configure(config):
    config.pluginmanager.register(Traces(config))


def known(root):
    """Return what the file holds, or nothing."""
    try:
        return json.loads((root / FILE).read_text())
    except (OSError, ValueError):
        return {}


def function_of(nodeid):
    """Return the address of a test without that of its case."""
    return nodeid.partition("[")[0]


class Dependencies:
    """Digests of what tests depend on, as it is now."""

    def __init__(self, root):
        self.root = root
        roots = {"paperlib": paperlib.__path__[0], "tests": root / "tests", "reproduce": root / "reproduce"}
        self.sources = Sources(roots)
        self.files = {}

    def digest(self, test, noted):
        """Return the digest of what was noted of a test; while it is the same, the test will pass again."""
        texts = [f"{item} {self.sources.digest(item)}\n" for item in sorted(items_of(noted))]
        texts += [f"{file} {self._of_file(file)}\n" for file in noted["files"]]
        if noted["processes"]:
            texts.append(self.driver if test.startswith("tests/reproduce/") else self.everything)
        return _sha256("".join(texts).encode())

    def _of_file(self, file):
        if file not in self.files:
            path = self.root / file
            try:
                names = sorted({each.name for each in path.iterdir()} - PASSED_BY) if path.is_dir() else None
                self.files[file] = _sha256(path.read_bytes() if names is None else "\n".join(names).encode())
            except OSError:
                self.files[file] = "gone"
        return self.files[file]

    @cached_property
    def driver(self):
        own = [f"paperlib.experiments.{name}" for name in OF_THE_DRIVER]
        own += [f"paperlib._common.{name}" for name in ("code_digest", "code_reach", "code_writer")]
        return self._of_modules([*self._modules("reproduce"), *own])

    @cached_property
    def everything(self):
        notebooks = [self._of_file(f"notebooks/{path.name}") for path in (self.root / "notebooks").glob("*")]
        modules = [*self._modules("paperlib"), *self._modules("reproduce")]
        return self._of_modules(modules) + "".join(sorted(notebooks))

    def _modules(self, package):
        folder = self.sources.roots[package]
        for path in sorted(folder.rglob("*.py")):
            yield module_of(package, path.relative_to(folder).as_posix())

    def _of_modules(self, modules):
        texts = [self.sources.text(module) for module in modules]
        digests = [each.digest for text in texts if text for each in text.definitions.values()]
        return _sha256("".join(digests).encode())


class Traces:
    """What one process has seen; that of pytest-xdist's controller takes in its workers'."""

    def __init__(self, config):
        self.config, self.root = config, str(config.rootpath)
        self.dependencies = Dependencies(config.rootpath)
        self.entered, self.files = defaultdict(set), defaultdict(set)  # by test
        self.failed, self.partial, self.sampled, self.processes = set(), set(), set(), set()
        self.of_fixtures = defaultdict(set)  # by (where it stands, name): shared ones are set up only once
        self.current = None  # the test, or the fixture, that runs
        if not _watching:
            sys.addaudithook(lambda event, args: _watching[-1].notice(event, args))
        _watching.append(self)
        start = multiprocessing.process.BaseProcess.start

        def noted_start(process):
            self.processes.add(self.current)
            start(process)

        multiprocessing.process.BaseProcess.start = noted_start

    def notice(self, event, args):
        """Note a file or a folder of the project that is read, or a process that is started."""
        if self.current is None:
            return
        if event == "open" and not (args[2] or 0) & (os.O_WRONLY | os.O_RDWR):
            self._read(args[0])
        elif event in ("os.listdir", "os.scandir"):
            self._read("." if args[0] is None else args[0])
        elif event == "os.fork" or (event == "subprocess.Popen" and _is_python(args[1])):
            self.processes.add(self.current)

    def _read(self, path):
        if isinstance(path, int):
            return  # what is open already
        path = os.path.abspath(os.fsdecode(path))
        if not path.startswith(self.root + os.sep):
            return
        file = path[len(self.root) + 1 :]
        if PASSED_BY.isdisjoint(file.split(os.sep)) and not (file.endswith(".py") and _is_of_a_reader()):
            self.files[self.current].add(file)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        test = self.current = function_of(item.nodeid)
        with Tracer(self.dependencies.sources) as tracer:
            result = yield
        self.current = None
        self.entered[test] |= tracer.entered
        for fixture, entered in self.of_fixtures.items():
            where, name = fixture
            if name in getattr(item, "fixturenames", ()) and item.nodeid.startswith(where):
                self.entered[test] |= entered
                self.files[test] |= self.files[fixture]
                if fixture in self.processes:
                    self.processes.add(test)
        if tracer.is_blind:
            self.partial.add(test)
        if "sampled" in getattr(item, "fixturenames", ()):
            self.sampled.add(test)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        outer, self.current = self.current, (fixturedef.baseid, fixturedef.argname)
        with Tracer(self.dependencies.sources) as tracer:
            result = yield
        self.of_fixtures[self.current] |= tracer.entered
        self.current = outer
        return result

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed.add(function_of(report.nodeid))

    def pytest_deselected(self, items):
        self.partial.update(function_of(each.nodeid) for each in items if not hasattr(each, "outside_tier"))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        part = getattr(node, "workeroutput", {}).get("traces")
        for name, value in (part or {}).items():
            if isinstance(value, dict):
                for test, found in value.items():
                    getattr(self, name)[test].update(found)
            else:
                getattr(self, name).update(value)

    def pytest_sessionfinish(self):
        if hasattr(self.config, "workeroutput"):
            tests = {"entered": self.entered, "files": {t: self.files[t] for t in self.entered}}
            part = {name: {test: sorted(found) for test, found in by.items()} for name, by in tests.items()}
            for name in ("partial", "sampled", "processes"):
                part[name] = sorted(each for each in getattr(self, name) if isinstance(each, str))
            self.config.workeroutput["traces"] = part
            return
        content, sources = known(self.config.rootpath), self.dependencies.sources
        for test, entered in self.entered.items():
            seen = [item for item in entered if not item.startswith("tests.tracing_plugin:")]
            items, files = set(sources.reached(seen)), self.files[test]
            if test in self.sampled and test in content:  # other cases may come another time
                items |= items_of(content[test])
                files = files | set(content[test]["files"])
            if test in self.partial or sources.are_newer(items):
                continue
            noted = {
                "items": by_module(items),
                "files": sorted(files),
                "processes": test in self.processes,
            }
            content[test] = {"digest": self.dependencies.digest(test, noted), **noted}
        for test in self.failed:
            content.pop(test, None)
        write_whole(self.config.rootpath / FILE, json.dumps(dict(sorted(content.items())), indent=1) + "\n")


def items_of(noted):
    return {f"{module}:{name}" for module, names in noted["items"].items() for name in ["", *names.split()]}


def _is_python(arguments):
    words = [os.fsdecode(each) for each in ([arguments] if isinstance(arguments, str | bytes) else arguments)]
    text = " ".join(words)
    return ("python" in text or sys.executable in text) and KERNEL not in text


def _is_of_a_reader():
    frame = sys._getframe(3)
    while frame is not None:
        if frame.f_code.co_filename.rpartition(os.sep)[2].startswith(READERS):
            return True
        frame = frame.f_back
    return False


def _sha256(raw):
    return hashlib.sha256(raw).hexdigest()[:16]

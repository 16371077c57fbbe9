"""Notebooks in forks of one process that has imported everything but the project: no start-up, no drawing.

Run with ``-m`` by `warm_process.py`. It reads a task a line from its standard input, as JSON, and answers
each with a line. Every task runs in a fork of its own, so none can leave anything behind for the next.
"""

import contextlib
import gc
import importlib
import json
import os
import resource
import select
import signal
import sys
import time
import traceback
from pathlib import Path

from reproduce.execution.edited_modules import EditedModules
from reproduce.execution.kernel import die_with_parent
from reproduce.library import RUNTIME

PATIENCE = 5  # wall seconds allowed for each second of processor time: other work may share the cores


def main():
    """Answer each task of the standard input with a line, until that ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    die_with_parent(int(sys.argv[1]))
    os.environ["MPLBACKEND"] = "Agg"
    for line in sys.stdin:
        task = json.loads(line)
        for name in task["modules"]:
            _preload(name, task["own"])
        gc.freeze()  # a fork shares these pages as long as nothing touches them
        print(json.dumps(_in_fork(task)), file=answers, flush=True)


def _preload(name, own):
    """Import a module that an earlier run had needed; whatever fails here is imported by the run itself.

    What a task may edit, the packages `own`, is imported in its fork only.
    """
    if name not in sys.modules and name.partition(".")[0] not in own:
        with contextlib.suppress(Exception):
            importlib.import_module(name)


def _in_fork(task):
    reading, writing = os.pipe()
    started = time.monotonic()
    server = os.getpid()
    child = os.fork()
    if not child:
        os.close(reading)
        _child(task, writing, server)
    # Only the child has the writing end now: where it dies without an answer, reading comes to an end.
    os.close(writing)
    with os.fdopen(reading) as pipe:
        # A child that waits and computes nothing never reaches its limit of processor time.
        ready, _, _ = select.select([pipe], [], [], PATIENCE * task["seconds"])
        if not ready:
            os.kill(child, signal.SIGKILL)
        # A line, not all: what the child had forked may outlive it, and keep the pipe open.
        text = pipe.readline() if ready else ""
    _, status, usage = os.wait4(child, 0)
    times = {"seconds": usage.ru_utime + usage.ru_stime, "wall": time.monotonic() - started}
    if text:
        return json.loads(text) | times
    ended = os.waitstatus_to_exitcode(status)
    if not ready or ended == -signal.SIGXCPU:
        limit = round(times["seconds"]) if ready else task["seconds"]
        return {"status": "timeout", "message": f"took more than {limit} s", **times}
    return {"status": "died", "message": f"the process ended with {ended}", **times}


def _child(task, writing, server):
    """Run the task, say how it ended, and end this process without any of the parent's clean-up."""
    code = 1
    try:
        die_with_parent(server)
        # SIGXCPU at the first limit, and SIGKILL at the second where that did not end the process.
        resource.setrlimit(resource.RLIMIT_CPU, (task["seconds"], task["seconds"] + 5))
        before = set(sys.modules)
        answer = run(task)
        answer["modules"] = [name for name in sys.modules if name not in before]
        with os.fdopen(writing, "w") as pipe:
            pipe.write(json.dumps(answer) + "\n")
        code = 0
    finally:
        # Whatever happened: a child that returned to the loop would read its parent's tasks.
        os._exit(code)


def run(task):
    """Execute the notebook's cells; what it measured stands in its `out` as usual, figures and tables do not.

    Returns
    -------
    dict
        `status` is "done", or "failed" with a `message` and the index of the `cell`.
    """
    index, failed = None, None
    try:
        sys.meta_path.insert(0, EditedModules(task["edits"]))
        with contextlib.suppress(ModuleNotFoundError):  # a companion may have no kernels
            config = importlib.import_module("numba").config
            config.CACHE_DIR = task["kernels"] or config.CACHE_DIR
        os.environ["PAPERLIB_TRACE"] = "1"
        os.environ["PAPERLIB_STEPS_SECONDS"] = json.dumps(task["step_seconds"] or {})
        os.environ["PAPERLIB_STEPS_TAKEN"] = json.dumps(task["taken"])
        os.chdir(task["scratch"])
        _show_nothing()
        cells = json.loads(Path(task["notebook"]).read_text())["cells"]
        namespace = {"__name__": "__main__", "display": lambda *_, **__: None}  # IPython has it built in
        for index, cell in enumerate(cells):
            if cell["cell_type"] != "code":
                continue
            source = cell["source"]
            text = source if isinstance(source, str) else "".join(source)
            try:
                exec(compile(text, f"cell {index + 1}", "exec"), namespace)
            except Exception as error:
                if not task["edits"]:
                    raise
                # Each table is known by what made it: the others still count.
                failed = failed or _failure(error, index)
            # As papermill does, in a cell behind that of the defaults.
            if "parameters" in cell["metadata"].get("tags", []):
                namespace.update(task["parameters"], out_dir=task["out"])
            if task["until"] and all(Path(task["out"], name).is_file() for name in task["until"]):
                break
    except BaseException as error:
        return _failure(error, index)
    return failed or {"status": "done", "message": "", "cell": index} | _steps()


def _steps():
    calls, seconds = importlib.import_module(f"{RUNTIME}.experiments.steps").calls(), {}
    for call in calls:
        seconds[call.name] = max(seconds.get(call.name, 0.0), call.seconds)
    return {"steps": seconds, "kept": [call.file for call in calls]}


def _failure(error, index):
    where = traceback.extract_tb(error.__traceback__)[-1]
    message = f"{type(error).__name__}: {error} ({Path(where.filename).name}, line {where.lineno})"
    return {"status": "failed", "message": message, "cell": index}


def _show_nothing():
    """Leave out drawing and display, most of a small run's time; what is measured depends on tables alone."""
    with contextlib.suppress(ImportError):
        from IPython import display

        display.display = lambda *_, **__: None
    try:
        recording = importlib.import_module(f"{RUNTIME}.experiments.recording")
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith(RUNTIME):
            raise
        return  # a project without a recorder
    recording.Recorder.figure = _close


def _close(_recorder, _name, figure):
    from matplotlib import pyplot

    pyplot.close(figure)


if __name__ == "__main__":
    main()

"""Python in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def environment(**variables):
    """The environment in which a program finds this checkout; a variable that is None is taken away."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    env = os.environ | {"PYTHONPATH": path} | variables
    return {name: value for name, value in env.items() if value is not None}


def printed(*arguments, cwd=ROOT, timeout=300, **variables):
    """What `python ARGUMENTS` prints, which has to end well; a variable that is None is taken away."""
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=cwd,
        env=environment(**variables),
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout

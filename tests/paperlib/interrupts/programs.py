"""The programs of this folder, on many calls, and what they printed of each."""

import json
import subprocess
import sys

from tests.programs import ROOT, environment


def tried(program, names, argument):
    """Run a program on some calls; return for each what it printed, or how its process ended."""
    found, names = {}, list(names)
    while names:
        calls = [f"{name}={argument}" for name in names]
        done = subprocess.run(
            [sys.executable, "-m", f"tests.paperlib.interrupts.{program}", *calls],
            cwd=ROOT,
            env=environment(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1"),
            capture_output=True,
            text=True,
            timeout=540,
        )
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        found |= {line["name"]: line for line in lines}
        if done.returncode:
            found[lines[-1]["name"]] = {"ended": done.returncode, "stderr": done.stderr[-500:]}
        names = [name for name in names if name not in found]
    return found

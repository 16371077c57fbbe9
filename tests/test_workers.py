"""Which worker of `make test` runs which file."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TEST = """\
import os, time
def test_it():
    time.sleep(0.3)
    with open("order", "a") as file:
        file.write(os.environ["PYTEST_XDIST_WORKER"] + " {part}\\n")
"""


@pytest.mark.slow
def test_two_workers_begin_in_two_parts_and_stay_there(tmp_path):
    shutil.copy(ROOT / "conftest.py", tmp_path)
    for part in ("coresets", "max_loss"):
        for number in range(4):
            file = tmp_path / "tests" / part / f"test_{part}_{number}.py"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(TEST.format(part=part))
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n", "2", "--dist", "loadfile"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    parts = {"gw0": [], "gw1": []}
    for line in (tmp_path / "order").read_text().splitlines():
        worker, part = line.split()
        parts[worker].append(part)
    assert sum(map(len, parts.values())) == 8
    assert {run[0] for run in parts.values()} == {"coresets", "max_loss"}
    for run in parts.values():  # the last files may be taken over by the worker that is done first
        assert run[:2] == [run[0]] * 2, parts

"""The job script of docs/sweeps.md, with a stand-in for srun that starts the tasks on this machine."""

import csv
import os
import shutil
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
SRUN = """\
#!/bin/bash
trap 'kill $(jobs -p)' TERM
for task in $(seq "$SLURM_NTASKS"); do "$@" & done
wait
wait  # the first ends with the signal
"""
# Each point waits for the other, which is on another worker then.
WORK = """\
import os, pathlib, time
there = pathlib.Path(out_dir).parents[7] / "workers"
there.mkdir(exist_ok=True)
(there / str(os.getppid())).touch()
end = time.monotonic() + 120
while len(list(there.iterdir())) < 2 and time.monotonic() < end:
    time.sleep(0.1)
value = 10 * seed
"""


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("openssl"), reason="the script makes its key with openssl")
def test_a_job_with_two_tasks(project, tmp_path, until):
    checkout, tools = tmp_path / "a checkout", tmp_path / "tools"
    tools.mkdir()
    (tools / "srun").write_text(SRUN)
    (tools / "srun").chmod(0o755)
    checkout.mkdir()
    (checkout / ".venv").symlink_to(sys.prefix)
    for name in ("docs", "paperlib", "reproduce"):
        (checkout / name).symlink_to(REPOSITORY / name)
    project.notebook("alpha", WORK)
    job = {"SLURM_NTASKS": "2", "SLURM_JOB_ID": "7", "SLURM_SUBMIT_DIR": str(checkout)}
    environment = os.environ | job | {"PATH": f"{tools}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "docs/slurm.sh", "sweep", "alpha", "--grid", "seed=1,2", "--project", project.root],
        cwd=checkout,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    [line] = [line for line in done.stdout.splitlines() if line.startswith("Table: ")]
    rows = csv.DictReader(Path(line.removeprefix("Table: ").split(" (")[0]).read_text().splitlines())
    assert [(row["seed"], row["value"]) for row in rows] == [("1", "10"), ("2", "20")]
    workers = [int(path.name) for path in (project.root / "workers").iterdir()]
    assert len(workers) == 2
    until(lambda: not any(map(psutil.pid_exists, workers)), "the workers end with the job", 60)
    assert not list((checkout / "build" / "dask").iterdir())  # the key is gone, too

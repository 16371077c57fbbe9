"""`processors`: emulated older processors, and the files that differ on them."""

import json
import os
import platform
import subprocess
import sys

import pytest

from reproduce.processors import emulation

ONE = "from paperlib.tools import base\nvalue = base + n_trials"
# A stand-in for a library that chooses its code by the processor.
OTHER = "import os\nvalue = 13.0 if os.environ.get('NUMBA_CPU_NAME') != 'nehalem' else 13.000000001"


@pytest.fixture
def two(project):
    project.write("reproduce/claims/beta.toml", project.LEDGER)
    project.write("paperlib/beta/__init__.py", "")
    project.notebook("alpha", ONE)
    project.notebook("beta", OTHER)
    return project


@pytest.mark.slow
def test_files_that_differ_are_named_and_exit_with_1(two):
    done = two.call("processors")
    assert done.code == 1, done
    lines = done.out.splitlines()
    assert "alpha, avx2: 5 files, the same bytes" in lines
    assert "alpha, sse: 5 files, the same bytes" in lines
    assert "beta, avx2: 5 files, the same bytes" in lines
    [line] = [line for line in lines if line.startswith("beta, sse")]
    assert line.startswith("beta, sse: 5 files, other bytes in ") and "table-1.csv" in line
    assert "figure-1.png" not in line
    assert not (two.root / "figures").exists()


@pytest.mark.slow
def test_one_paper_and_one_processor(two):
    done = two.call("processors", "alpha", "--only", "avx2")
    assert done.code == 0, done
    assert "avx2" in done.out and "sse" not in done.out and "beta" not in done.out


@pytest.mark.slow
def test_results_with_a_trace_are_results(two):
    """Their key is complete only once they were executed."""
    two.write("paperlib/experiments/__init__.py", "")
    two.write("paperlib/experiments/run_trace.py", "")  # by it the driver knows that runs are traced
    trace = json.dumps({"run": {"paperlib.tools": ""}, "calls": [], "tables": {}})
    write = f"(pathlib.Path(out_dir) / 'trace.json').write_text({trace!r})"
    two.notebook("alpha", f"{ONE}\nimport pathlib\nif out_dir:\n    {write}")
    done = two.call("processors", "alpha", "--only", "avx2")
    assert done.code == 0 and "alpha, avx2: 6 files, the same bytes" in done.out, done


def test_a_processor_that_is_not_known_is_one_line(two):
    done = two.call("processors", "--only", "sse2")
    assert done.code == 2 and done.err.count("\n") == 1 and "sse" in done.err


def test_a_profile_that_is_not_known_is_one_line(two):
    done = two.call("processors", "--profile", "tiny")
    assert done.code == 2 and done.err.count("\n") == 1 and "tiny" in done.err
    assert not (two.root / "build").exists()


@pytest.mark.slow
def test_a_notebook_that_fails_after_an_edit_is_no_agreement(two):
    assert two.call("processors", "alpha", "--only", "sse").code == 0
    two.notebook("alpha", "raise RuntimeError('no results')")
    done = two.call("processors", "alpha", "--only", "sse")
    assert done.code == 1 and "alpha, sse: no results" in done.out


@pytest.mark.slow
def test_a_notebook_that_fails_is_no_agreement(two):
    two.notebook("alpha", "raise RuntimeError('no results')")
    done = two.call("processors", "alpha", "--only", "sse")
    assert done.code == 1 and "alpha, sse: no results" in done.out


@pytest.mark.skipif(platform.machine() != "x86_64", reason="emulates x86-64 processors")
def test_each_library_obeys():
    """NumPy's own loops, OpenBLAS and numba are asked what they took."""
    code = (
        "import numpy as np; from threadpoolctl import threadpool_info; from numba import config\n"
        "from numpy._core import _multiarray_umath as u\n"
        "print(threadpool_info()[0]['architecture'], config.CPU_NAME or 'host',"
        " [f for f in u.__cpu_dispatch__ if u.__cpu_features__.get(f)])"
    )

    def chosen(environment):
        ran = subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return ran.stdout.split(maxsplit=2)

    here, avx2, sse = (chosen(each) for each in emulation.environments().values())
    assert here[1] == "host"
    assert avx2[:2] == ["Haswell", "haswell"] and "AVX512" not in avx2[2]
    assert sse[:2] == ["Nehalem", "nehalem"] and sse[2].strip() == "[]"

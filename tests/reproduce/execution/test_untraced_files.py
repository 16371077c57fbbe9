"""Data beside a module, read where a notebook's run imports it: refused, before steps are known."""

import shutil

import pytest

from paperlib.experiments import untraced_files
from reproduce.execution import kernel

READ = "from pathlib import Path\n\nbase = float((Path(__file__).parent / 'base.csv').read_text())\n"


@pytest.fixture
def with_data(project):
    """A project whose library reads a file of its own as it is imported."""
    project.write("paperlib/tools.py", READ)
    project.write("paperlib/base.csv", "10")
    project.write("paperlib/experiments/__init__.py", "")
    shutil.copy(untraced_files.__file__, project.root / "paperlib/experiments")
    return project


def test_a_run_that_reads_data_beside_a_module_fails(with_data):
    done = with_data.call("run")
    assert done.code == 1, done
    assert "alpha: failed in cell 3" in done.out, done
    assert "paperlib/base.csv must not be read beside a module" in done.out, done
    assert not (with_data.root / "figures/alpha").exists()


def test_the_kernel_needs_no_experiments(tmp_path):
    assert kernel.refuse_untraced_files(str(tmp_path)) is None

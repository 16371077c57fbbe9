"""Places that cannot be written: one line, exit 1, no traceback, and what was there stays."""

import subprocess
from contextlib import contextmanager

import pytest


@contextmanager
def mounted(*options):
    """A mount; these tests run as root, for whom permissions stop nothing."""
    done = subprocess.run(["mount", *map(str, options)], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"cannot mount here: {done.stderr.strip()}")
    try:
        yield options[-1]
    finally:
        subprocess.run(["umount", "--lazy", str(options[-1])], check=True)


def one_line(done):
    assert done.code == 1, done
    assert done.err.startswith("reproduce: "), done
    assert done.err.count("\n") == 1, done
    assert done.executed == set(), done
    return done.err


@pytest.mark.parametrize("name", ["figures", "build", "build/stage", "build/locks"])
def test_a_file_where_a_folder_should_be(project, name):
    project.write(name, "mine")
    assert "cannot write: " in one_line(project.call("run"))
    assert project.read(name) == "mine"


def test_a_file_where_the_results_should_be(project):
    project.write("figures/alpha", "mine")
    assert "figures/alpha must be a folder, not a file or a link" in one_line(project.call("run"))
    assert project.read("figures/alpha") == "mine"


def test_a_read_only_disk_is_found_out_before_the_run(published):
    published.notebook("alpha", "value = 13")
    before = published.published()
    figures = published.root / "figures"
    with mounted("--bind", figures, figures):
        subprocess.run(["mount", "-o", "remount,ro,bind", figures], check=True)
        line = one_line(published.call("run"))
    assert "figures: make it writable" in line
    assert published.published() == before


@pytest.mark.slow
def test_a_disk_that_is_full(tmp_path, make_project):
    (tmp_path / "project").mkdir()
    with mounted("-t", "tmpfs", "-o", "size=2m", "tmpfs", tmp_path / "project"):
        mini = make_project("alpha", "beta")
        mini.notebook(
            "alpha", "import pathlib\n(pathlib.Path(out_dir) / 'big').write_bytes(bytes(9_000_000))"
        )
        done = mini.call("run", "alpha")
        assert done.code == 1, done
        assert "No space left on device" in done.out
        assert "Traceback" not in done.out + done.err
        assert not (mini.root / "figures/alpha").exists()

        (mini.root / "figures").mkdir(exist_ok=True)
        with open(mini.root / "filler", "wb", buffering=0) as filler, pytest.raises(OSError):
            while True:
                filler.write(bytes(4096))
        done = mini.call("run", "beta")
        assert done.code == 1, done
        assert "No space left on device" in done.err + done.out
        assert "Traceback" not in done.out + done.err, done
        assert not (mini.root / "figures/beta").exists()

        (mini.root / "filler").unlink()
        done = mini.call("run", "beta")
        assert (done.code, done.executed) == (0, {"beta"}), done

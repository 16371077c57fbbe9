"""Results of parameters that somebody tries are not published as those of the paper."""

import pytest

from tests.reproduce.publication.test_committed import committed, git

__all__ = ["committed"]


def edited(project, old, new):
    path = project.root / "notebooks" / "alpha.ipynb"
    path.write_text(path.read_text().replace(old, new))


@pytest.mark.slow
def test_other_values_are_refused_before_anything_runs(committed):
    before = committed.published()
    edited(committed, "n_trials = 3", "n_trials = 4")
    done = committed.call("run")
    assert done.code == 2
    assert "alpha.ipynb: n_trials not as committed" in done.err and "-p n_trials=4" in done.err
    assert committed.published() == before
    assert committed.call("run", "--profile", "smoke").code == 0  # which publishes nothing
    git(committed, "commit", "--quiet", "--all", "--message", "four trials")
    assert committed.call("run").code == 1  # 14 is not what the paper says


def test_other_words_and_other_cells_are_no_other_values(committed):
    edited(committed, "repetitions", "repeats")
    edited(committed, "base + n_trials", "n_trials + base")
    assert committed.call("run").code == 0


@pytest.mark.slow
def test_a_paper_that_is_not_committed_yet(committed):
    edited(committed, "n_trials = 3", "n_trials = 4")
    git(committed, "rm", "--quiet", "--cached", "notebooks/alpha.ipynb")
    git(committed, "commit", "--quiet", "--message", "not in git")
    assert committed.call("run").code == 1

"""A companion made by the wheel outside of the checkout, as its new owner would: run, broken, mended."""

import re

import pytest

from tests.companion.conftest import ROOT

WHERE = """
import importlib.util, sys
find = importlib.util.find_spec
print(find("paperlib"), find("reproduce").origin, *sys.path, sep="\\n")
"""
ALL_HOLD = re.compile(r"^coin +3( +0){7}$", re.M)
ALL_DIFFER = re.compile(r"^coin +0 +0 +3( +0){5}$", re.M)


@pytest.fixture(scope="module")
def coin(installed):
    """A companion that was run once; `coin(...)` calls the driver in its folder."""
    done = installed.call("-m", "reproduce", "new", "coin")
    assert done.returncode == 0, done.stderr

    def reproduce(*arguments, code=0):
        done = installed.call("-m", "reproduce", *arguments, cwd="coin")
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    reproduce.folder = installed.folder / "coin"
    assert ALL_HOLD.search(reproduce("run"))
    return reproduce


def edit(coin, name, old, new):
    path = coin.folder / name
    assert path.read_text().count(old) == 1
    path.write_text(path.read_text().replace(old, new))


@pytest.mark.slow
def test_nothing_of_the_checkout_can_be_imported(coin, installed):
    paperlib, reproduce, *path = installed.call("-c", WHERE, cwd="coin").stdout.splitlines()
    assert paperlib == "None"
    assert reproduce == str(installed.site / "reproduce" / "__init__.py")
    assert str(ROOT) not in path


@pytest.mark.slow
def test_its_claims_stand_on_the_scoreboard_and_in_the_notebook(coin):
    figures = coin.folder / "figures"
    assert "`theorem-1.cost`" in (figures / "SCOREBOARD.md").read_text()
    assert "heads come up half of the time" in (figures / "coin" / "notebook.ipynb").read_text()
    assert {"runs.csv", "costs.csv", "figure-1.svg"} <= {path.name for path in (figures / "coin").iterdir()}
    assert ALL_HOLD.search(coin("check"))


@pytest.mark.slow
def test_a_comment_runs_nothing_and_an_error_turns_the_claims(coin):
    edit(coin, "coin/fair_coin.py", "decided = first != second\n", "decided = first != second  # as it was\n")
    edit(coin, "coin/steps.py", 'rng = stream(seed, "costs")', 'rng = stream(seed, "costs")  # its own')
    assert "coin: up to date" in coin("run")
    edit(coin, "coin/fair_coin.py", "first != second", "first | second")
    assert ALL_DIFFER.search(coin("run", code=1))
    edit(coin, "coin/fair_coin.py", "first | second", "first != second")
    assert ALL_HOLD.search(coin("run"))


@pytest.mark.slow
def test_an_edit_of_what_a_cell_calls_beside_the_steps_is_noticed(coin):
    (coin.folder / "coin" / "words.py").write_text('def title():\n    return "Figure 1"\n')
    edit(coin, "notebooks/coin.ipynb", "import steps\\n", "import steps, words\\n")
    edit(coin, "notebooks/coin.ipynb", 'title=\\"Figure 1\\"', "title=words.title()")
    assert "coin: done" in coin("run")
    edit(coin, "coin/words.py", "Figure 1", "The cost")
    assert "coin -> figures/coin (stale: its modules changed)" in coin("list")
    assert "coin: done" in coin("run")


@pytest.mark.slow
def test_its_deliberate_error_is_noticed(coin):
    found = coin("power")
    assert len(re.findall(r"^\S+ +X  reproduced$", found, re.M)) == 3, found


@pytest.mark.slow
def test_its_own_tests_pass_and_papermill_runs_its_notebook(coin, installed):
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:randomly"]
    done = installed.call("-m", "pytest", *options, cwd="coin")
    assert done.returncode == 0 and "8 passed" in done.stdout, done.stdout
    given = ["-p", "bias", "0.4", "-p", "n_runs", "9", "-p", "out_dir", installed.folder / "by hand"]
    done = installed.call("-m", "papermill", "notebooks/coin.ipynb", "out.ipynb", *given, cwd="coin")
    assert done.returncode == 0, done.stderr
    assert (installed.folder / "by hand" / "runs.csv").read_text().count("\n") == 10


@pytest.mark.slow
def test_a_second_paper_is_added_beside_the_first(coin):
    assert "notebooks/dice.ipynb" in coin("new", "--paper", "dice")
    listed = coin("list")
    assert "coin -> figures/coin (up to date)" in listed and "dice -> figures/dice (stale" in listed
    assert re.search(r"^dice +3( +0){7}$", coin("run", "dice"), re.M)

    # Its steps may call what the first one has, and an edit there is noticed.
    edit(coin, "dice/steps.py", "from dice.fair_coin", "from coin.fair_coin")
    assert "dice: done" in coin("run", "dice")
    edit(coin, "coin/fair_coin.py", "first != second", "first | second")
    assert re.search(r"^dice +0 +0 +3( +0){5}$", coin("run", "dice", code=1), re.M)
    edit(coin, "coin/fair_coin.py", "first | second", "first != second")
    assert "dice: done" in coin("run", "dice")


@pytest.mark.slow
def test_a_project_with_a_driver_of_its_own_is_left_to_it(coin):
    done = coin("list", "--project", ROOT, code=2)
    assert done == ""

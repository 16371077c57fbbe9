"""The page of benchmarks is made of the data beside it, and of nothing else."""

import importlib
import json
import pkgutil
import sys

import pytest

import benchmarks
from benchmarks import __main__ as command
from benchmarks import results
from benchmarks.side_by_side import Comparison, alternate

NAMES = sorted({m.name for m in pkgutil.iter_modules(benchmarks.__path__)} - command._NOT_BENCHMARKS)
HALF = Comparison("halving | it", 0.5, 1.0, "doing it twice", 4.0, "by hand")
FREE = Comparison("counting", 2.0, 5000.0, "guessing", unit="rounds")


def test_a_ratio_is_the_peers_over_ours_and_holds_from_the_target_on():
    assert (HALF.ratio, HALF.holds, FREE.holds) == (2.0, "no", "")
    assert Comparison("exactly", 1.0, 4.0, "peer", 4.0).holds == "yes"


def test_calls_take_turns_after_one_that_is_not_counted():
    order = []
    ours, peer = alternate(lambda: order.append("ours"), lambda: order.append("peer"), repeats=2)
    assert order == ["ours", "peer"] * 3
    assert ours >= 0 <= peer


def test_what_is_kept_comes_back_on_the_page(tmp_path):
    results.keep("second", [FREE], tmp_path)
    results.keep("first", [HALF], tmp_path)
    page = (tmp_path / "BENCHMARKS.md").read_text()
    assert "0 of 1 targets are met." in page
    row = r"| first | halving \| it | 0.5 s | 1 s | 2 | 4 | no | doing it twice | by hand |"
    assert page.index(row) < page.index(
        "| second | counting | 2 rounds | 5,000 rounds | 2,500 |  |  | guessing |  |"
    )
    assert "Measured on " in page and f"CPython {sys.version.split()[0]}" in page


def test_measuring_again_replaces_a_benchmarks_own_rows_only(tmp_path):
    results.keep("one", [HALF, FREE], tmp_path)
    results.keep("two", [HALF], tmp_path)
    results.keep("one", [FREE], tmp_path)
    kept = json.loads((tmp_path / "benchmarks.json").read_text())
    assert [len(kept[name]["comparisons"]) for name in ("one", "two")] == [1, 1]


def test_rows_of_two_machines_say_which(tmp_path, monkeypatch):
    results.keep("one", [HALF], tmp_path)
    monkeypatch.setattr(results, "machine", lambda: {"on": "an abacus"})
    results.keep("two", [HALF], tmp_path)
    assert "\ntwo: measured on an abacus." in (tmp_path / "BENCHMARKS.md").read_text()


def test_a_benchmark_that_fails_is_told_and_the_others_are_kept(tmp_path, monkeypatch, capsys):
    def run(name):
        if name == "benchmarks.coresets":
            raise MemoryError("too small a machine")
        return type("module", (), {"run": staticmethod(lambda: iter([HALF]))})

    monkeypatch.setattr(command.importlib, "import_module", run)
    monkeypatch.setattr(command.results, "keep", lambda name, rows: results_kept.append((name, rows)))
    monkeypatch.setattr(sys, "argv", ["bench", "coresets", "driver"])
    results_kept = []
    with pytest.raises(SystemExit, match="failed: coresets"):
        command.main()
    assert results_kept == [("driver", [HALF])]
    assert "too small a machine" in capsys.readouterr().err


def test_an_unknown_name_is_one_clear_line(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["bench", "coreset"])
    with pytest.raises(SystemExit):
        command.main()
    assert "unknown benchmark 'coreset' (known: boosting2d, boosting2d_" in capsys.readouterr().err


@pytest.mark.parametrize("name", NAMES)
def test_every_benchmark_can_be_run_and_was(name):
    assert callable(importlib.import_module(f"benchmarks.{name}").run)
    assert json.loads((results.FIGURES / "benchmarks.json").read_text())[name]["comparisons"]


def test_the_committed_page_is_that_of_the_committed_data():
    kept = json.loads((results.FIGURES / "benchmarks.json").read_text())
    assert set(kept) == set(NAMES)
    assert (results.FIGURES / "BENCHMARKS.md").read_text() == results.page(kept)

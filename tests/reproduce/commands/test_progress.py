import io
import sys
from types import SimpleNamespace

import pytest

from reproduce.commands import progress


def runs(**cells):
    return [SimpleNamespace(name=n, notebook=SimpleNamespace(cells=range(k))) for n, k in cells.items()]


@pytest.fixture
def screen(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    def screen():
        monkeypatch.setattr("sys.stdout", Terminal())
        monkeypatch.setenv("TERM", "xterm")
        return sys.stdout

    return screen  # to be called in the test itself: pytest puts its own stdout in between


def test_plain_lines_where_nobody_watches(capsys):
    with progress.of_runs(runs(alpha=23)) as bar:
        assert isinstance(bar, progress.Lines)
        bar.cell("alpha", 0)
        bar.cell("alpha", 1)
        bar.finished("alpha", ["alpha: done"], True)
    assert capsys.readouterr().out == "alpha: running (23 cells)\nalpha: done\n"


def test_a_numbered_line_for_each_point(capsys, monkeypatch):
    times = iter([0, 100, 200])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(times))
    with progress.of_points(runs(a=23, b=23)) as bar:
        bar.cell("a", 0)
        bar.finished("a", ["a: failed", "    why"], False)
        bar.finished("b", ["b: done"], True)
    assert capsys.readouterr().out == "[1/2] a: failed (2 min left)\n    why\n[2/2] b: done\n"


def test_bars_on_a_terminal(screen):
    terminal = screen()
    with progress.of_runs(runs(alpha=23, beta=4)) as bar:
        bar.cell("alpha", 7)
        bar.cell("alpha", 5)  # events may arrive late
        bar.finished("beta", ["beta: done [bold] in 1 s"], True)
        assert bar.done == {"alpha": 7, "beta": 4}
        bar.finished("alpha", [], False)
        assert bar.done["alpha"] == 7  # where it failed
    assert "beta: done [bold] in 1 s" in terminal.getvalue()
    assert "11/27" in terminal.getvalue()


def test_a_sweeps_bars_are_of_what_runs_now(screen):
    names = [f"noise={i}" for i in range(1000)]
    terminal = screen()
    with progress.of_points(runs(**dict.fromkeys(names, 23))) as bar:
        for name in names[:50]:
            bar.cell(name, 7)
            assert len(bar.progress.tasks) == 2
            bar.finished(name, [f"{name}: done"], True)
            bar.cell(name, 8)  # too late
    assert "50/1000" in terminal.getvalue()
    assert "noise=49: done" in terminal.getvalue()

import io

from reproduce import progress


def test_plain_lines_where_nobody_watches(capsys):
    with progress.reporter({"alpha": 23}) as bar:
        assert isinstance(bar, progress.Lines)
        bar.cell("alpha", 0)
        bar.cell("alpha", 1)
        bar.finished("alpha", True)
        bar.say("alpha: done")
    assert capsys.readouterr().out == "alpha: running (23 cells)\nalpha: done\n"


def test_bars_on_a_terminal(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    screen = Terminal()
    monkeypatch.setattr("sys.stdout", screen)
    monkeypatch.setenv("TERM", "xterm")
    with progress.reporter({"alpha": 23, "beta": 4}) as bar:
        bar.cell("alpha", 7)
        bar.cell("alpha", 5)  # events may arrive late
        bar.finished("beta", True)
        bar.say("beta: done [bold] in 1 s")
        assert bar.done == {"alpha": 7, "beta": 4}
        bar.finished("alpha", False)
        assert bar.done["alpha"] == 7  # where it failed
    assert "beta: done [bold] in 1 s" in screen.getvalue()
    assert "11/27" in screen.getvalue()

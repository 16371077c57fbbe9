import ipywidgets
import pytest
from matplotlib import pyplot as plt

from paperlib.experiments import interactive, plotting
from paperlib.experiments.interactive import explore
from paperlib.experiments.recording import Recorder


def bars(height, colour="black"):
    fig, axis = plotting.figure(width=2)
    axis.bar([0], [height], color=colour)
    return fig


def controls():
    return {
        "height": ipywidgets.IntSlider(3, 1, 9, description="height"),
        "colour": ipywidgets.Dropdown(options=["black", "red"]),
    }


@pytest.fixture(autouse=True)
def no_figure_left():
    plt.close("all")


@pytest.fixture
def shown(monkeypatch):
    """What was displayed, in order, and the figures that took the place of the first one."""
    events = []

    class Handle:
        def update(self, thing):
            events.append(("update", thing))

    def display(thing, display_id=False):
        events.append(("display", thing))
        return Handle() if display_id else None

    monkeypatch.setattr(interactive, "display", display)
    return events


def test_headless_it_is_an_ordinary_figure(tmp_path, shown):
    explore(Recorder("paper", tmp_path / "one"), "play", bars, **controls())
    Recorder("paper", tmp_path / "two").figure("play", bars(3))
    assert not shown
    for name in ("play.svg", "play.png", "results.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_a_reader_gets_the_controls_and_below_them_the_figure(shown):
    exploration = explore(Recorder("paper"), "play", bars, **controls())
    (_, box), (_, picture) = shown
    assert list(box.children) == list(exploration.controls.values())
    assert picture.data == plotting.rendered(bars(3), "png")
    assert picture.width == 220
    assert len(plt.get_fignums()) == 1  # that of the line above: the cell would show another one again


def test_every_control_redraws_the_figure_in_its_place(shown):
    exploration = explore(Recorder("paper"), "play", bars, **controls())
    exploration.controls["height"].value = 7
    exploration.controls["colour"].value = "red"
    assert [what for what, _ in shown] == ["display", "display", "update", "update"]
    assert shown[-1][1].data == plotting.rendered(bars(7, "red"), "png")
    assert exploration.n_drawn == 3


def test_a_slider_waits_for_the_hand_to_let_go(shown):
    assert not explore(Recorder("paper"), "play", bars, **controls()).controls["height"].continuous_update


def test_every_control_has_room_beside_its_description(shown):
    for control in explore(Recorder("paper"), "play", bars, **controls()).controls.values():
        assert control.style.description_width == "6ch"
        assert control.layout.width == "calc(6ch + 24em)"


def test_what_is_no_control_is_one_clear_error():
    with pytest.raises(ValueError, match=r"control 'height' must be an ipywidgets widget .*, got 3"):
        explore(Recorder("paper"), "play", bars, height=3)
    with pytest.raises(ValueError, match=r"control 'height' must be .*Layout"):
        explore(Recorder("paper"), "play", bars, height=ipywidgets.Layout())
    with pytest.raises(ValueError, match=r"figure 'play' must have a control"):
        explore(Recorder("paper"), "play", bars)

"""Interactive figure of a notebook, which the driver records as a static one."""

from collections.abc import Callable, Mapping
from typing import Any

import ipywidgets as widgets
from IPython.display import DisplayHandle, Image, display
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from paperlib.experiments import plotting
from paperlib.experiments.recording import Recorder


class Exploration:
    """Figure that is drawn again when one of its controls changes.

    Attributes
    ----------
    controls : dict of str to ipywidgets widget
        Setting a value in code, ``controls["noise"].value = 0.3``, has the same effect as moving a slider.
    n_drawn : int
        Number of times that the figure has been drawn.

    Examples
    --------
    >>> from paperlib.experiments import plotting
    >>> play = Exploration(lambda level: plotting.figure(width=level)[0], {"level": widgets.IntSlider(2)})
    >>> play.controls["level"].value = 5
    >>> play.figure().get_figwidth()
    np.float64(5.0)
    """

    def __init__(self, draw: Callable[..., Figure], controls: Mapping[str, Any]) -> None:
        self.controls = dict(controls)
        self.n_drawn = 0
        self._draw = draw
        self._shown: DisplayHandle | None = None

    def figure(self) -> Figure:
        """Draw the figure at the controls' values."""
        self.n_drawn += 1
        return self._draw(**{name: control.value for name, control in self.controls.items()})

    def show(self) -> None:
        """Display the controls, and below them the figure, which is updated when they change."""
        longest = max(len(control.description) for control in self.controls.values())
        for control in self.controls.values():
            # Drawing is too slow to follow a slider while it moves.
            if control.has_trait("continuous_update"):
                control.continuous_update = False
            # The default width cuts off long descriptions.
            control.style.description_width = f"{longest}ch"
            control.layout.width = f"calc({longest}ch + 24em)"
            control.observe(self._redraw, names="value")
        display(widgets.VBox(list(self.controls.values())))
        # An ordinary output, not one of ipywidgets: HTML made from the notebook shows it without a kernel.
        self._shown = display(self._picture(), display_id=True)

    def _redraw(self, _: Any) -> None:
        if self._shown is not None:
            self._shown.update(self._picture())

    def _picture(self) -> Image:
        fig = self.figure()
        plt.close(fig)  # else the cell shows it a second time
        # Displaying the figure itself would draw it three times.
        return Image(plotting.rendered(fig, "png"), width=plotting.shown_width(fig))


def explore(record: Recorder, name: str, draw: Callable[..., Figure], **controls: Any) -> Exploration:
    """Show a figure with controls to a reader, or record it without them in a headless run.

    Parameters
    ----------
    record : Recorder
        With an ``out_dir``, the figure is drawn once, at the controls' initial values, and recorded as
        `name`. Without it, the figure is displayed below its controls.
    name : str
        As for `Recorder.figure`.
    draw : callable
        Called with one keyword argument for each control; returns a new matplotlib figure. The same values
        must give the same figure.
    **controls : ipywidgets widgets
        Each has a `value`: a slider, a list to choose from, a checkbox, a bounded number.

    Returns
    -------
    Exploration

    Raises
    ------
    ValueError
        Without a control, or for one that has no value.

    Examples
    --------
    >>> import tempfile, ipywidgets
    >>> from paperlib.experiments import plotting
    >>> def wave(frequency):
    ...     fig, axis = plotting.figure()
    ...     axis.plot([frequency, 0])
    ...     return fig
    >>> slider = ipywidgets.IntSlider(3, 1, 9)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     play = explore(Recorder("waves", folder), "play", wave, frequency=slider)
    <IPython.core.display.Image object>
    >>> play.n_drawn
    1
    """
    for control_name, control in controls.items():
        if not isinstance(control, widgets.Widget) or not control.has_trait("value"):
            raise ValueError(
                f"control {control_name!r} must be an ipywidgets widget with a value, got {control!r}"
            )
    if not controls:
        raise ValueError(f"figure {name!r} must have a control; for a static figure use Recorder.figure")
    exploration = Exploration(draw, controls)
    if record.out_dir is None:
        exploration.show()
    else:
        record.figure(name, exploration.figure())
    return exploration

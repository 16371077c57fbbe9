"""Drawing of a figure in all its states, in the notebook's kernel: the text of this file is a cell."""

import itertools
import json
from pathlib import Path

from matplotlib import pyplot as plt


def draw(exploration, choices, folder, rendered):
    """Write a picture for each combination of values, and what the controls are called.

    Parameters
    ----------
    exploration : paperlib.experiments.interactive.Exploration
    choices : dict
        `{name of a control: [values]}`.
    folder : str
        `0-2.png` has the first value of the first control and the third of the second.
    rendered : callable
        `paperlib.experiments.plotting.rendered`: the bytes of a figure in a format.
    """
    shown = [_control(exploration, name, values) for name, values in choices.items()]
    for state in itertools.product(*(enumerate(values) for values in choices.values())):
        for name, (_, value) in zip(choices, state):
            exploration.controls[name].value = value
        figure = exploration.figure()
        plt.close(figure)
        name = "-".join(str(place) for place, _ in state)
        Path(folder, f"{name}.png").write_bytes(rendered(figure, "png"))
    Path(folder, "controls.json").write_text(json.dumps(shown))


def _control(exploration, name, values):
    """Return a control's description, what each of its values is called, and the place of the initial one."""
    if name not in exploration.controls:
        raise ValueError(f"there is no control {name!r}: choose among {', '.join(exploration.controls)}")
    control = exploration.controls[name]
    initial, labels = control.value, []
    if initial not in values:
        raise ValueError(f"{name}: its initial value, {initial!r}, must be among {values}")
    for value in values:
        control.value = value
        if control.value != value:
            raise ValueError(f"{name} cannot be {value!r}: it becomes {control.value!r}")
        labels.append(str(control.label) if control.has_trait("label") else f"{value:g}")
    control.value = initial
    return control.description, labels, values.index(initial)

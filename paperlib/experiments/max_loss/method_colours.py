"""One colour, line and marker for each method, in every figure of the notebook.

Draws that focus are blue, uniform ones red and orange. The same rule under two names has one colour.
"""

from paperlib.experiments.plotting import COLOURS, LINES, MARKERS

BLUE, RED, SKY, GREEN, ORANGE, PINK, BLACK = COLOURS
GREY = "#777777"  # of methods that a single figure has, which names them

COLOUR_OF = {
    "FOL": BLUE,
    "FOL, 10 times η": SKY,
    "uniform": RED,
    "SGD": RED,  # its draws are uniform
    "SGD, hinge": ORANGE,
    "AdaBoost": GREEN,
    "hard examples": PINK,
    "reversed": BLACK,
    "EXP3.P.1": GREY,
    "sublinear": GREY,
}
LINE_OF = {
    "FOL": LINES[0],
    "FOL, 10 times η": LINES[2],
    "uniform": LINES[1],
    "SGD": LINES[1],
    "SGD, hinge": LINES[4],
    "AdaBoost": LINES[3],
    "hard examples": LINES[5],
    "reversed": LINES[6],
    "EXP3.P.1": LINES[5],
    "sublinear": LINES[6],
}
MARKER_OF = {
    "FOL": MARKERS[0],
    "FOL, 10 times η": MARKERS[2],
    "uniform": MARKERS[1],
    "SGD": MARKERS[1],
    "SGD, hinge": MARKERS[4],
    "AdaBoost": MARKERS[3],
    "hard examples": MARKERS[5],
    "reversed": MARKERS[6],
    "EXP3.P.1": MARKERS[5],
    "sublinear": MARKERS[6],
}


def line_style(method):
    """Return the keywords for a line of the method, without markers, for ``Axes.plot`` and its like.

    Parameters
    ----------
    method : str
        A key of `COLOUR_OF`.

    Returns
    -------
    dict

    Examples
    --------
    >>> line_style("FOL")
    {'color': '#0072B2', 'ls': '-', 'marker': ''}
    """
    return {"color": COLOUR_OF[method], "ls": LINE_OF[method], "marker": ""}


def point_style(method):
    """Return the keywords for points of the method, without a line, for ``Axes.plot`` and its like.

    Parameters
    ----------
    method : str
        A key of `COLOUR_OF`.

    Returns
    -------
    dict

    Examples
    --------
    >>> point_style("uniform")
    {'color': '#D55E00', 'ls': '', 'marker': 's'}
    """
    return {"color": COLOUR_OF[method], "ls": "", "marker": MARKER_OF[method]}

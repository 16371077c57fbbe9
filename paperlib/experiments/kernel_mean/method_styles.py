"""One colour, line and marker for each method, in every figure of the notebook.

The linear mean is red and the hinge loss black, as in the paper's Figure 3.
"""

from paperlib.experiments.plotting import COLOURS, LINES, MARKERS

BLUE, RED, SKY, GREEN, ORANGE, PINK, BLACK = COLOURS
GREY, BROWN, PURPLE = "#777777", "#8C510A", "#5E3C99"

STYLES = {
    "mean, linear": (RED, LINES[0], MARKERS[0]),
    "mean, Gaussian": (PINK, LINES[1], MARKERS[1]),
    "SVM, linear": (BLACK, LINES[0], MARKERS[2]),
    "SVM, no intercept": (GREY, LINES[2], MARKERS[5]),
    "SVM, Gaussian": (BLUE, LINES[1], MARKERS[3]),
    "t-logistic": (GREEN, LINES[3], MARKERS[4]),
    "clustered": (ORANGE, LINES[0], MARKERS[0]),
    "random": (SKY, LINES[1], MARKERS[1]),
    "herding": (BLUE, LINES[2], MARKERS[2]),
    "project": (BROWN, LINES[4], MARKERS[4]),
    "Nyström": (GREY, LINES[1], MARKERS[5]),
    "k-means": (GREY, LINES[2], MARKERS[6]),
    "greedy": (PINK, LINES[0], MARKERS[3]),
    "moved": (PURPLE, LINES[0], MARKERS[4]),
    "random, best weights": (SKY, LINES[3], MARKERS[5]),
    "herding, best weights": (BLUE, LINES[3], MARKERS[6]),
}
SAME = {"Linear": "mean, linear", "Hinge": "SVM, linear"}  # a loss, and what minimises it


def style_of(method: str) -> dict[str, object]:
    """Return the keywords for ``Axes.plot``.

    >>> style_of("Linear")["color"] == style_of("mean, linear")["color"]
    True
    """
    colour, line, marker = STYLES[SAME.get(method, method)]
    return {"color": colour, "ls": line, "marker": marker, "label": method}

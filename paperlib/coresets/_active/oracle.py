"""Label oracle of an active learner: asked for one label at a time, and for each row once."""

from functools import partial

import numpy as np


class Oracle:
    """Labels as +1.0 and -1.0, kept and counted; an answer that is no label is an error.

    Parameters
    ----------
    source : callable or array-like of shape (n,)
        ``source(index)`` is the label of row `index`; an array is revealed entry by entry.
    n : int or None
        Number of rows; None when they come as a stream.
    classes : array-like of shape (2,), optional
        The two labels, where they are known before.

    Attributes
    ----------
    asked : list of int
        In the order of the first question.
    """

    def __init__(self, source, n, classes=None):
        if not callable(source):
            source = np.asarray(source)
            if source.ndim != 1 or (n is not None and len(source) != n):
                raise ValueError(
                    "oracle must be a callable index -> label, or an array of labels of shape "
                    f"({'n' if n is None else n},), got shape {source.shape}"
                )
            source = partial(_entry, source.tolist())
        self._source = source
        self.asked, self._signs = [], {}
        self._labels = [] if classes is None else np.asarray(classes).tolist()
        if classes is not None and (len(self._labels) != 2 or self._labels[0] == self._labels[1]):
            raise ValueError(f"classes must be two distinct labels, got {self._labels!r}")

    def __call__(self, index):
        """Return the sign of row `index`: +1.0 for the label that was met first, -1.0 for the other one."""
        index = int(index)
        if index not in self._signs:
            self._signs[index] = self._ask(index)
            self.asked.append(index)
        return self._signs[index]

    def _ask(self, index):
        answer = self._source(index)
        if isinstance(answer, np.generic | np.ndarray):
            answer = answer.tolist()
        if isinstance(answer, list | tuple | dict | set) or answer is None or answer != answer:
            raise ValueError(f"oracle must answer with one label, got {answer!r} for row {index}")
        if answer not in self._labels:
            if len(self._labels) == 2:
                raise ValueError(
                    "oracle must answer with two labels only, got a third: "
                    f"{answer!r} for row {index}, after {self._labels[0]!r} and {self._labels[1]!r}"
                )
            self._labels.append(answer)
        return 1.0 if answer == self._labels[0] else -1.0

    def classes(self):
        """Return the labels met so far in order, and the sign that the last of them was given."""
        try:
            ordered = sorted(self._labels)
        except TypeError:
            raise ValueError(
                f"oracle must answer with labels of one type, got {self._labels[0]!r} and {self._labels[1]!r}"
            ) from None
        return np.array(ordered), 1.0 if ordered[-1] == self._labels[0] else -1.0


def _entry(labels, index):
    if index >= len(labels):
        raise ValueError(f"oracle must know the label of every row, got {len(labels)} labels for row {index}")
    return labels[index]


def contradiction(points, rows):
    """Return the error that no hyperplane through the origin agrees with these answers.

    Parameters
    ----------
    points : ndarray of shape (k, d)
        Signed points ``y_i x_i``, whose hull holds the origin.
    rows : sequence of int, length k
        Where they came from.

    Returns
    -------
    ValueError
    """
    for i, j in zip(*np.triu_indices(len(points), 1)):
        if (points[i] == -points[j]).all():
            why = f"rows {rows[i]} and {rows[j]} are the same point, or opposite ones"
            break
    else:
        why = f"no hyperplane through the origin agrees with those for the rows {[int(r) for r in rows]}"
    return ValueError(
        "oracle must give labels that a hyperplane through the origin separates; its answers contradict each "
        f"other: {why}"
    )

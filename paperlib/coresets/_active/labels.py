"""Labels that were paid for: kept in the order in which they came, and what is no label refused."""

from functools import partial

import numpy as np


class Labels:
    """Labels as +1.0 and -1.0, kept by their rows; an answer that is no label is an error and is not kept.

    Parameters
    ----------
    classes : array-like of shape (2,), optional
        The two labels, where they are known before.

    Attributes
    ----------
    rows, answers : list
        In the order of the first time that each row was told.
    names : list
        The two labels, in order, where the oracle is an array of no others: not all of them may be told.
    """

    def __init__(self, classes=None):
        self.rows, self.answers, self._signs, self.names = [], [], {}, []
        self._labels = [] if classes is None else two_labels(classes)

    def __contains__(self, row):
        return row in self._signs

    def add(self, row, answer):
        """Keep a label and return its sign: +1.0 for the one that was met first, -1.0 for the other one."""
        if isinstance(answer, np.generic | np.ndarray):
            answer = answer.tolist()
        if isinstance(answer, list | tuple | dict | set) or answer is None or answer != answer:
            raise ValueError(f"oracle must answer with one label, got {answer!r} for row {row}")
        if answer not in self._labels:
            self._meet(row, answer)
        sign = 1.0 if answer == self._labels[0] else -1.0
        if self._signs.setdefault(row, sign) != sign:
            earlier = self._labels[0 if sign < 0.0 else 1]
            raise ValueError(
                f"oracle must not change its answers, got {answer!r} for row {row}, after {earlier!r}"
            )
        if len(self._signs) > len(self.rows):
            self.rows.append(row)
            self.answers.append(answer)
        return sign

    def sign(self, row):
        """Return the sign of a row whose label is known."""
        return self._signs[row]

    def _meet(self, row, answer):
        if len(self._labels) == 2:
            raise ValueError(
                "oracle must answer with two labels only, got a third: "
                f"{answer!r} for row {row}, after {self._labels[0]!r} and {self._labels[1]!r}"
            )
        try:
            sorted([*self._labels, answer])
        except TypeError:
            raise ValueError(
                f"oracle must answer with labels of one type, got {self._labels[0]!r} and {answer!r}"
            ) from None
        self._labels.append(answer)

    def classes(self):
        """Return the labels met so far in order, and the sign that the last of them was given."""
        ordered = sorted(self._labels if len(self._labels) == 2 else self.names or self._labels)
        return np.array(ordered), 1.0 if ordered[-1:] == self._labels[:1] else -1.0


def answers(oracle, n):
    """Return `oracle` as a function index -> label.

    Parameters
    ----------
    oracle : callable or array-like of shape (n,)
        ``oracle(index)`` is the label of row `index`; an array is revealed entry by entry.
    n : int or None
        Number of rows; None when they come as a stream.
    """
    if callable(oracle):
        return oracle
    oracle = np.asarray(oracle)
    if oracle.ndim != 1 or (n is not None and len(oracle) != n):
        raise ValueError(
            "oracle must be a callable index -> label, or an array of labels of shape "
            f"({'n' if n is None else n},), got shape {oracle.shape}"
        )
    return partial(_entry, oracle.tolist())


def _entry(labels, index):
    if index >= len(labels):
        raise ValueError(f"oracle must know the label of every row, got {len(labels)} labels for row {index}")
    return labels[index]


def two_labels(classes):
    """Return `classes` as a list, if they are two distinct labels of one type."""
    try:
        found = np.asarray(classes).tolist()
        usable = len(found) == 2 and found[0] != found[1] and np.ndim(found) == 1
        if usable:
            sorted(classes)
            usable = all(label == label for label in found)  # NaN is not
    except (TypeError, ValueError):
        usable = False
    if not usable or isinstance(classes, str):
        raise ValueError(f"classes must be two distinct labels of one type, got {classes!r}")
    return found


def names_in(oracle):
    """Return the labels of an array of two distinct ones, in order; none for anything else."""
    if callable(oracle):
        return []
    try:
        names = sorted(set(np.asarray(oracle).tolist()))
    except TypeError:
        return []
    return names if len(names) == 2 else []


def contradiction(points, rows, constant, margin=0.0):
    """Return the words that no hyperplane agrees with these answers.

    Parameters
    ----------
    points : ndarray of shape (k, d)
        Signed points ``y_i x_i``, whose hull holds the origin, or comes as near to it as rounding.
    rows : sequence of int, length k
        Where they came from.
    constant : bool
        Whether a constant feature is among them, so that hyperplanes need not pass through the origin.
    margin : float
        How near the hull comes to the origin.

    Returns
    -------
    str
    """
    hyperplane = "hyperplane" if constant else "hyperplane through the origin"
    for i, j in zip(*np.triu_indices(len(points), 1)):
        if (points[i] == -points[j]).all():
            why = f"rows {rows[i]} and {rows[j]} are the same point{'' if constant else ', or opposite ones'}"
            break
    else:
        why = f"no {hyperplane} agrees with those for the rows {[int(r) for r in rows]}" + (
            "" if constant else " (fit_intercept=True has others)"
        )
        if margin > 0.0:
            largest = np.linalg.norm(points, axis=1).max()
            why += f", but by a margin of {margin:.3g}, which is rounding beside the norm {largest:.3g}"
    return f"oracle must give labels that a {hyperplane} separates; its answers contradict each other: {why}"

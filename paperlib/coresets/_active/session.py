"""A learner and the labels that it was told, which outlive whatever goes wrong."""

from typing import Any

import numpy as np

from paperlib.coresets._active.labels import Labels, contradiction
from paperlib.coresets._active.learner import CONTRADICTED

_KEPT = "queried_indices_ and queried_labels_"


class Session:
    """Ask and tell, from the first question to the last.

    Parameters
    ----------
    learner : Learner
    labels : Labels
        Those that are known already. A session has them even where its learner was stopped half-way.
    space : FeatureSpace or None
        That the learner's points are in.
    """

    def __init__(self, learner, labels, space=None):
        self._learner: Any = learner
        self.space = space
        self.labels, self.n_known = labels, len(labels.rows)
        for row in labels.rows:
            learner.know(row, labels.sign(row))

    @property
    def learner(self):
        """The learner, which may be asked and told; an error where an error stopped it in the middle."""
        if self._learner is None:
            raise ValueError(f"start(X) must be called again, as the last step was broken off{self.kept()}")
        return self._learner

    def advance(self, told=()):
        """Take in pairs of a row and a sign, and go on until a label is wanted, or none."""
        learner, self._learner = self.learner, None  # half of a step is no state to go on from
        for row, sign in told:
            learner.know(row, sign)
        learner.ask()
        self._learner = learner

    def wanted(self, max_rows):
        """Rows whose labels are wanted, up to `max_rows` of VERIFY's draws, or one that is near."""
        question = self.learner.ask()
        if question is None:
            return []
        return [question.row, *(self.learner.points.pending(max_rows - 1) if question.drawn else ())]

    def contradiction(self, constant):
        """Return why no hyperplane agrees with the labels, or None where one does."""
        if self.learner.halted != CONTRADICTED:
            return None
        points, rows = self.learner.core()
        return contradiction(points, rows, constant, self.learner.work.margin)

    def describe(self):
        """Return words on how far it is."""
        learner, told = self._learner, len(self.labels.rows)
        if learner is None or not learner.rows:
            return f"{told} labels"
        return f"{told} labels, coreset of {len(learner.rows)}, margin at most {learner.work.margin:.6g}"

    def kept(self):
        """Say where the labels are, for an error's message."""
        return f"; the {len(self.labels.rows)} labels told are kept in {_KEPT}, to be known to start or fit"

    def note(self, error):
        """Add to an error where the labels are, unless its message has it."""
        if _KEPT not in str(error):
            error.add_note(f"ActiveCoresetSVC{self.kept()}")


def pairs(rows, labels, n, *, names=("rows", "labels")):
    """Return a list of pairs of a row number below `n` and its label; `names` are for error messages."""
    rows = np.asarray(rows)
    if isinstance(labels, str) or not hasattr(labels, "__iter__"):
        raise ValueError(f"{names[1]} must be a list of labels, as many as {names[0]}, got {labels!r}")
    labels = list(labels)
    if rows.size == 0:
        rows = rows.astype(np.int64)
    if rows.ndim != 1 or rows.dtype.kind not in "iu":
        raise ValueError(f"{names[0]} must be row numbers, of shape (m,), got {rows.tolist()!r}")
    outside = rows[(rows < 0) | (rows >= n)]
    if outside.size:
        raise ValueError(f"{names[0]} must be row numbers from 0 to {n - 1}, got {outside[0]}")
    if len(labels) != len(rows):
        raise ValueError(f"{names[1]} must be as many as {names[0]}, got {len(labels)} for {len(rows)}")
    return list(zip(rows.tolist(), labels))


def known_labels(classes, known, n):
    """Return the `Labels` of a pair (rows, labels) that is known, of rows below `n`."""
    if not isinstance(known, tuple | list):
        raise ValueError(f"known must be a pair (rows, labels), got {known!r}")
    if len(known) != 2:
        raise ValueError(f"known must be a pair (rows, labels), got {len(known)} entries")
    found = Labels(classes)
    for row, label in pairs(known[0], known[1], n, names=("rows of known", "labels of known")):
        found.add(row, label)
    return found

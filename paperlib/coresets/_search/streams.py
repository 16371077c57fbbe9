"""Data that can only be read from the beginning, chunk by chunk, as often as needed."""

from itertools import chain

import numpy as np
from sklearn.utils import check_consistent_length

from paperlib._common.caller_warning import warn_caller
from paperlib._common.chunks import moments, pooled_variance
from paperlib._common.feature_names import names_of
from paperlib._common.sklearn_checks import check_array
from paperlib._common.spread import extremes, not_lost
from paperlib._common.validation import check_classes
from paperlib.coresets._search.inputs import check_rows
from paperlib.coresets._search.rows import Found, Rows, smallest
from paperlib.coresets._search.tables import is_table, rows_and_labels


class StreamRows(Rows):
    """Rows from a function that returns an iterator of ``(X, y)`` chunks, the same ones at each call.

    Where `label` is given, chunks are tables, and it is the name of the column of the labels.

    Labels are met as they come: the first is +1 and the second -1 until both are known (`flipped` says
    whether the order of the labels is the other one). No row is kept.
    """

    def __init__(self, chunks, label=None):
        if not callable(chunks):
            raise ValueError(
                "chunks must be a function that returns an iterator of (X, y) pairs or of tables, since the "
                f"data are read more than once; got {type(chunks).__name__}"
            )
        if label is not None and not isinstance(label, str):
            raise ValueError(f"y must be the name of the tables' column of labels, got {label!r}")
        self.chunks, self.label, self.n_passes = chunks, label, 0
        self.n, self.n_features, self.names, self.labels = None, None, None, []
        self._begun, self._n_met = None, 0  # a pass that was begun, and the rows of the longest one

    def peek(self):
        """Return the first block, with which the next pass then begins: no call of `chunks` is given up."""
        begun = self._begun or self._read()
        first = next(begun)
        self._begun = chain([first], begun)
        return first

    def meet_both_labels(self):
        """Read on to the second label, where a search ended before it; an error where there is none."""
        if len(self.labels) < 2:
            next((block for block in self.blocks() if len(self.labels) == 2), None)

    def variance(self):
        """Variance of all entries of the rows, in one pass."""
        found = pooled_variance(moments(rows) for _, rows, _ in self.blocks())
        return not_lost(found, lambda: (extremes(rows) for _, rows, _ in self.blocks()))

    def blocks(self):
        """Yield ``(indices, rows, signs)``, all rows in order."""
        self.n_passes += 1
        begun, self._begun = self._begun, None
        yield from begun or self._read()

    def _read(self):
        start = 0
        chunks = self.chunks()
        if not hasattr(chunks, "__iter__"):
            raise ValueError(f"chunks() must return an iterator of chunks, got {type(chunks).__name__}")
        for chunk in chunks:
            X, y = self._parts(chunk)
            X = check_array(X, dtype=np.float64, ensure_all_finite=False, ensure_min_samples=0)
            check_consistent_length(X, y)
            if len(X) == 0:
                continue
            if self.n_features is None:
                self.n_features = X.shape[1]
            if X.shape[1] != self.n_features:
                raise ValueError(f"X must have {self.n_features} columns in every chunk, got {X.shape[1]}")
            check_rows(X)
            here = np.arange(start, start + len(X))
            start += len(X)
            self._n_met = max(self._n_met, start)
            yield here, X, self._signs(np.asarray(y))
        if self.n is None:
            self.n = start
            if not start:
                raise ValueError("chunks() gave 0 sample(s), at least one of either class is needed")
            if len(self.labels) < 2:
                raise ValueError(f"y must have two classes, got one class only: {self.labels[0]!r}")
        if not self.n == start == self._n_met:  # a pass that was broken off may have met more
            raise ValueError(
                f"chunks() must give the same rows at each call, got {start} at one and "
                f"{self._n_met if start == self.n else self.n} at another"
            )

    def _parts(self, chunk):
        if is_table(chunk):
            X, y, names = rows_and_labels(chunk, self.label)
            self._check_names(names)
            return X, y
        if self.label is not None:
            raise ValueError(f"chunks() must give tables where y names a column, got {type(chunk).__name__}")
        if not isinstance(chunk, tuple | list) or len(chunk) != 2:
            raise ValueError(f"chunks() must give pairs (X, y), got {type(chunk).__name__}")
        self._check_names(names_of(chunk[0]))
        return chunk

    def _check_names(self, names):
        """Take the names of the first chunk's columns; of a later one others are an error."""
        if self.n_features is None:
            self.names = names
        elif self.names is None or names is None:
            if names != self.names:
                warn_caller("X has feature names in some chunks only", UserWarning)
        elif names != self.names:
            raise ValueError(f"X must have the columns {self.names} in every chunk, got {names}")

    def _signs(self, y):
        if y.ndim != 1:
            raise ValueError(f"y must have one dimension in every chunk, got shape {y.shape}")
        if len(self.labels) == 2:  # most chunks hold no others, and need not be sorted
            first = y == self.labels[0]
            if (first | (y == self.labels[1])).all():
                return np.where(first, 1.0, -1.0)
        _, first = np.unique(check_classes(y)[1], return_index=True)
        for label in y[np.sort(first)].tolist():  # in the order in which they come
            if label not in self.labels:
                self.labels.append(label)
        if len(self.labels) > 2:
            raise ValueError(
                f"Only binary classification is supported: y must have two classes, got {self.labels}"
            )
        if len({isinstance(label, str) for label in self.labels}) > 1:
            raise ValueError(f"y must hold labels of one type, got {self.labels}")
        return np.where(y == self.labels[0], 1.0, -1.0)

    @property
    def flipped(self):
        return self.labels[0] < self.labels[1]

    def scan(self, plane, ceiling, count):
        """Rows of smallest margin of those up to `ceiling`, at most `count`; some row if there is none."""
        best: Found | None = None
        for indices, rows, signs in self.blocks():
            margins = signs * plane.scores(rows)
            at = smallest(margins, count, ceiling)
            parts = Found(indices[at], margins[at], rows[at], signs[at])
            # Earlier rows stand first, as `smallest` has ties in the order of the rows.
            parts = parts if best is None else Found._make(map(np.concatenate, zip(best, parts)))
            at = smallest(parts.margins, count)
            best = Found(*(part[at] for part in parts))
        assert best is not None  # no row at all is an error of `blocks`
        if len(best.indices) == 0 and ceiling < np.inf:
            return self.scan(plane, np.inf, count)
        return best

"""Decoders, through which `StructuredCoresetSVM` sees its outputs: of single labels and of chains.

A decoder has

``features(x, y)``
    the joint feature vector Phi(x, y), (D,) with the same D for all;
``argmax(w, x, y)``
    of all outputs other than y, one at least, one with the largest ``<w, Phi(x, y')>``;
``decode(w, x)``
    of all outputs one with the largest ``<w, Phi(x, y')>``;
``check(X, Y)``, optional
    raises ``ValueError`` for inputs and outputs that it cannot take; called once before anything else.
``check_inputs(X, w)``, optional
    raises ``ValueError`` for inputs that it cannot decode with `w`; called before each prediction.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from paperlib._common.typing import Floats, Integers
from paperlib._common.validation import check_number
from paperlib.coresets._outputs.inputs import check_labels, check_vectors
from paperlib.coresets._outputs.viterbi import two_best_paths


class MulticlassDecoder:
    """One label for one vector: the structure of `MulticlassCoresetSVC`.

    Parameters
    ----------
    n_labels : int, >= 2
        Labels are 0, ..., n_labels - 1.

    Examples
    --------
    >>> decoder = MulticlassDecoder(3)
    >>> decoder.features(np.array([5.0, 6.0]), 1).tolist()
    [0.0, 0.0, 5.0, 6.0, 0.0, 0.0]
    >>> decoder.argmax(np.array([1.0, 0, 2, 0, 3, 0]), np.array([5.0, 6.0]), 2)
    1
    """

    def __init__(self, n_labels: int) -> None:
        self.n_labels = check_number(n_labels, "n_labels", low=2, integer=True)

    def check(self, X: Sequence[ArrayLike], Y: Sequence[int]) -> None:
        """Raise ``ValueError`` for vectors and labels that do not fit."""
        check_vectors(X, 1)
        for i, y in enumerate(Y):
            check_labels(y, (), self.n_labels, i)

    def check_inputs(self, X: Sequence[ArrayLike], w: Floats) -> None:
        """Raise ``ValueError`` for vectors that are not as `w` wants them."""
        check_vectors(X, 1, len(w) // self.n_labels)

    def features(self, x: Floats, y: int) -> Floats:
        """Return Phi(x, y), (n_labels * d,): x in the block of y."""
        blocks = np.zeros((self.n_labels, len(x)))
        blocks[y] = x
        return blocks.ravel()

    def argmax(self, w: Floats, x: ArrayLike, y: int) -> int:
        """Return the best label other than y."""
        scores = self._scores(w, x)
        scores[y] = -np.inf
        return int(scores.argmax())

    def decode(self, w: Floats, x: ArrayLike) -> int:
        """Return the best label."""
        return int(self._scores(w, x).argmax())

    def _scores(self, w, x):
        return np.reshape(w, (self.n_labels, -1)) @ np.asarray(x, dtype=np.float64)


class ChainDecoder:
    """A label for every vector of a sequence, with scores for labels that follow each other.

    The feature vector is a block for each label, the sum of the vectors that have it, and the number of times
    label b follows label a for each pair.

    Parameters
    ----------
    n_labels : int, >= 2
        Labels are 0, ..., n_labels - 1.

    Examples
    --------
    >>> decoder = ChainDecoder(2)
    >>> x = np.array([[1.0], [2.0], [4.0]])
    >>> decoder.features(x, [0, 1, 1]).tolist()
    [1.0, 6.0, 0.0, 1.0, 0.0, 1.0]
    >>> w = np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    >>> decoder.decode(w, x).tolist(), decoder.argmax(w, x, [1, 1, 1]).tolist()
    ([1, 1, 1], [0, 1, 1])
    """

    def __init__(self, n_labels: int) -> None:
        self.n_labels = check_number(n_labels, "n_labels", low=2, integer=True)

    def check(self, X: Sequence[ArrayLike], Y: Sequence[ArrayLike]) -> None:
        """Raise ``ValueError`` for sequences and labels that do not fit."""
        check_vectors(X, 2)
        for i, (x, y) in enumerate(zip(X, Y)):
            check_labels(y, np.shape(x)[:1], self.n_labels, i)

    def check_inputs(self, X: Sequence[ArrayLike], w: Floats) -> None:
        """Raise ``ValueError`` for sequences that are not as `w` wants them."""
        check_vectors(X, 2, len(w) // self.n_labels - self.n_labels)

    def features(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """Return Phi(x, y), (n_labels * d + n_labels^2,), of x (T, d) and y (T,)."""
        x, y = np.asarray(x, dtype=np.float64), np.asarray(y)
        emitted = np.zeros((self.n_labels, x.shape[1]))
        np.add.at(emitted, y, x)
        followed = np.zeros((self.n_labels, self.n_labels))
        np.add.at(followed, (y[:-1], y[1:]), 1.0)
        return np.concatenate([emitted.ravel(), followed.ravel()])

    def argmax(self, w: Floats, x: ArrayLike, y: ArrayLike) -> Integers:
        """Return the best labels (T,) other than y: the second best of all where the best are y."""
        best, second = self._paths(w, x)
        return second if (best == np.asarray(y)).all() else best

    def decode(self, w: Floats, x: ArrayLike) -> Integers:
        """Return the best labels (T,), by Viterbi's algorithm."""
        return self._paths(w, x)[0]

    def _paths(self, w, x):
        w, split = np.asarray(w, dtype=np.float64), len(w) - self.n_labels**2
        emissions = np.asarray(x, dtype=np.float64) @ w[:split].reshape(self.n_labels, -1).T
        transitions = np.ascontiguousarray(w[split:]).reshape(self.n_labels, self.n_labels)
        return two_best_paths(np.ascontiguousarray(emissions), transitions)[0]

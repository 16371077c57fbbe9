"""The tree of Section 2.3 exactly as its pseudo-code has it, to see what it costs and where it breaks."""

import math

from paperlib._common.validation import check_number


class PrintedTree:
    """A full binary tree of sums, in plain Python. Nothing keeps its numbers within the floats.

    Parameters
    ----------
    m : int >= 1
        Number of items; all weights are 1 at first.

    Attributes
    ----------
    values : list of float
        The root at 1, the children of node v at 2 v and 2 v + 1, the leaves last.
    visited : int
        Nodes that were read for a choice or written, so far.

    Examples
    --------
    >>> tree = PrintedTree(4)
    >>> tree.update(2, 9.0)
    >>> tree.values[1], tree.visited
    (12.0, 3)
    """

    def __init__(self, m):
        self.m = check_number(m, "m", low=1, integer=True)
        self.first = 1 << math.ceil(math.log2(self.m))
        self.values = [0.0] * self.first + [1.0] * self.m + [0.0] * (self.first - self.m)
        for node in range(self.first - 1, 0, -1):
            self.values[node] = self.values[2 * node] + self.values[2 * node + 1]
        self.visited = 0

    def sample(self, rng, gamma=0.5):
        """Draw an item; return it with its probability ``gamma / m + (1 - gamma) q``."""
        values = self.values
        if rng.random() < gamma:
            i = int(rng.random() * self.m)
        else:
            node = 1
            while node < self.first:
                node *= 2
                self.visited += 2
                if rng.random() * (values[node] + values[node + 1]) >= values[node]:
                    node += 1
            i = node - self.first
        return i, gamma / self.m + (1.0 - gamma) * values[self.first + i] / values[1]

    def update(self, i, factor):
        """Multiply the weight of item `i` by `factor`, and add the difference to all nodes above."""
        node = self.first + i
        delta = factor * self.values[node] - self.values[node]
        while node:
            self.values[node] += delta
            self.visited += 1
            node //= 2

"""Section 2.3: what the tree draws, what a round costs, how long its sums stay sums; ours and the printed."""

import math
import time
from fractions import Fraction
from types import FunctionType

import numpy as np
import pandas as pd

from paperlib._common.jit import uncompiled
from paperlib._common.validation import check_number
from paperlib.max_loss._tree import sumtree
from paperlib.max_loss.focused import focused_online_learning
from paperlib.max_loss.learners import Perceptron
from paperlib.max_loss.sum_tree import SumTree

BATCH = 64
LOOKS = 100  # rounds of ours, in Python, whose reading and writing is counted


class PrintedTree:
    """The pseudo-code's full binary tree of sums, in plain Python, to see what it costs and where it breaks.

    Nothing keeps its numbers within the floats.

    Parameters
    ----------
    m : int >= 1
        Number of items; all weights are 1 at first.
    one : float or fractions.Fraction, default=1.0
        That 1: what the tree calculates with.

    Attributes
    ----------
    values : list
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

    def __init__(self, m, one=1.0):
        self.m = check_number(m, "m", low=1, integer=True)
        self.first = 1 << math.ceil(math.log2(self.m))
        self.values = [0 * one] * self.first + [one] * self.m + [0 * one] * (self.first - self.m)
        for node in range(self.first - 1, 0, -1):
            self.values[node] = self.values[2 * node] + self.values[2 * node + 1]
        self.visited = 0

    def sample(self, rng, uniform_share=0.5):
        """Draw an item; return it with its probability ``uniform_share / m + (1 - uniform_share) q``."""
        values = self.values
        if rng.random() < uniform_share:
            i = int(rng.random() * self.m)
        else:
            node = 1
            while node < self.first:
                node *= 2
                self.visited += 2
                if rng.random() * (values[node] + values[node + 1]) >= values[node]:
                    node += 1
            i = node - self.first
        return i, uniform_share / self.m + (1 - uniform_share) * values[self.first + i] / values[1]

    def update(self, i, factor):
        """Multiply the weight of item `i` by `factor`, and add the difference to all nodes above."""
        node = self.first + i
        delta = factor * self.values[node] - self.values[node]
        while node:
            self.values[node] += delta
            self.visited += 1
            node //= 2


def draw_frequencies(m, n_updates, n_draws, *, uniform_share=0.5, random_state=None):
    """Draw from a tree with random weights, and compare with ``uniform_share / m + (1 - uniform_share) q``.

    Parameters
    ----------
    m, n_updates, n_draws : int >= 1
    uniform_share : float in [0, 1]
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per item
        item, probability (from the logarithms of the weights, added up here), frequency, z (difference in
        standard deviations), returned (largest relative error of the probability that came with
        a draw of it).

    One weight goes up by exp(650) and back, for which the tree's scale has to move twice.
    """
    rng = np.random.default_rng(random_state)
    tree, logs = SumTree(m), np.zeros(m)
    indices, steps = rng.integers(m, size=n_updates), rng.exponential(size=n_updates)
    for x in (650.0, -650.0):
        tree.update_log(int(indices[0]), x)
    tree.update_log(indices, steps)
    np.add.at(logs, indices, steps)
    weights = np.exp(logs - logs.max())
    p = uniform_share / m + (1.0 - uniform_share) * weights / weights.sum()
    drawn, told = tree.sample(rng, uniform_share, n_draws)
    returned = np.zeros(m)
    np.maximum.at(returned, drawn, abs(told / p[drawn] - 1.0))
    frequency = np.bincount(drawn, minlength=m) / n_draws
    z = (frequency - p) / np.sqrt(p * (1.0 - p) / n_draws)
    columns = {"item": range(m), "probability": p, "frequency": frequency, "z": z, "returned": returned}
    return pd.DataFrame(columns)


class CountedArray:
    """An array that counts the numbers that are read from it and written to it, one by one.

    Parameters
    ----------
    values : ndarray

    Attributes
    ----------
    visited : int

    Examples
    --------
    >>> counted = CountedArray(np.zeros((2, 8)))
    >>> counted[1, 3] = counted[0, 0] + 1.0
    >>> counted.visited, len(counted)
    (2, 2)
    """

    def __init__(self, values):
        self.values, self.visited = values, 0

    def __len__(self):
        return len(self.values)

    def __getitem__(self, at):
        self.visited += 1
        return self.values[at]

    def __setitem__(self, at, value):
        self.visited += 1
        self.values[at] = value


def in_python(module, compiled=()):
    """Return a module's names, its kernels as the plain Python functions they are made of.

    Parameters
    ----------
    module : module
    compiled : sequence of str
        Names of its kernels that stay compiled, as those of other modules do.

    Returns
    -------
    dict of str to object

    Examples
    --------
    >>> float(in_python(sumtree)["total"](sumtree.allocate(5)))
    5.0
    """
    names = dict(vars(module))
    for name, kernel in vars(module).items():
        source = uncompiled(kernel)
        own = isinstance(source, FunctionType) and source.__module__ == module.__name__
        if own and name not in compiled:
            names[name] = FunctionType(source.__code__, names, name, source.__defaults__)
    return names


def visits_of_a_round(tree, u):
    """Count what a round reads and writes of the tree's nodes and logarithms, in the library's own steps.

    Parameters
    ----------
    tree : SumTree
        The round changes it: the item drawn has erred.
    u : float in [0, 1)
        The draw's uniform number; it is from q alone.

    Returns
    -------
    int

    Examples
    --------
    Eight items have one node: a draw and an update add up its eight children each.

    >>> tree = SumTree(8)
    >>> tree.update_log(np.arange(8), 0.1)
    >>> visits_of_a_round(tree, 0.5)
    24
    """
    kernels, m = in_python(sumtree, ["exponential"]), len(tree)  # that one has no array to read
    nodes, logs = CountedArray(tree.state.nodes), CountedArray(tree.state.logs)
    counted = tree.state._replace(nodes=nodes, logs=logs)
    i = kernels["draw"](u, 0.0, counted)
    p = kernels["probability"](i, 0.0, counted)
    kernels["update"](i, min(1.0, 0.5 / (m * p)), counted)
    return nodes.visited + logs.visited


def nodes_visited(sizes, n_rounds, *, random_state=None):
    """Count the nodes that a round of the printed tree visits, and the numbers that one of ours does.

    Parameters
    ----------
    sizes : list of int
        Numbers of items; of every one, all have been updated.
    n_rounds : int >= 1
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per size
        m, log2_m, printed (nodes visited in a round whose draw goes down the tree, the mean), ours (numbers
        of our tree that are read or written, the mean; a node has eight), sums (numbers that cumulative sums
        add up).
    """
    rng = np.random.default_rng(random_state)
    rows = []
    for m in sizes:
        tree = PrintedTree(m)
        for _ in range(n_rounds):
            i, p = tree.sample(rng, uniform_share=0.0)
            tree.update(i, math.exp(min(1.0, 0.5 / (m * p))))
        ours, looks = SumTree(m), min(n_rounds, LOOKS)
        ours.update_log(np.arange(m), rng.normal(size=m))
        visited = sum(visits_of_a_round(ours, u) for u in rng.random(looks))
        rows.append((m, math.log2(m), tree.visited / n_rounds, visited / looks, m))
    return pd.DataFrame(rows, columns=["m", "log2_m", "printed", "ours", "sums"])


def exact_errors(m, n_updates, *, random_state=None):
    """Count what is wrong in the printed tree when it calculates with fractions, without any rounding.

    Its leaves are held against the products of their factors, which are in [1, e] as FOL's are, its other
    nodes against the sums of the leaves below, and what comes with a draw against the item's probability.

    Parameters
    ----------
    m, n_updates : int >= 1
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    wrong, looked_at : int

    Examples
    --------
    >>> exact_errors(5, 40, random_state=0)
    (0, 55)
    """
    rng = np.random.default_rng(random_state)
    half, tree = Fraction(1, 2), PrintedTree(m, Fraction(1))
    leaves = [Fraction(1)] * m + [Fraction(0)] * (tree.first - m)
    wrong = 0
    for eighths in rng.integers(8, 22, size=n_updates).tolist():  # 21 / 8 is below e
        i, p = tree.sample(rng, half)
        wrong += p != half / m + half * leaves[i] / sum(leaves)
        tree.update(i, Fraction(eighths, 8))
        leaves[i] *= Fraction(eighths, 8)
    expected = leaves
    for level in range(tree.first.bit_length()):
        start = tree.first >> level
        wrong += sum(value != its for value, its in zip(tree.values[start : 2 * start], expected))
        expected = [left + right for left, right in zip(expected[::2], expected[1::2])]
    return int(wrong), n_updates + 2 * tree.first - 1


def drift(m, steps, n_updates, *, random_state=None):
    """Multiply weights by a factor and divide them by it again: all should be 1 at the end, as at the start.

    Parameters
    ----------
    m, n_updates : int >= 1
    steps : list of float
        Standard deviations of the factors' logarithms.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per step and tree
        step, tree, error (largest of ``|m q_i - 1|``), lost (items that q never asks for again: leaves that
        have become zero, or all of a tree whose root has).
    """
    rows = []
    for step in steps:
        rng = np.random.default_rng(random_state)
        indices, ups = rng.integers(m, size=n_updates), np.abs(rng.normal(scale=step, size=n_updates))
        printed, ours = PrintedTree(m), SumTree(m)
        for i, up in zip(indices.tolist(), ups.tolist()):
            for x in (up, -up):
                printed.update(i, math.exp(x))
                ours.update_log(i, x)
        leaves, root = np.array(printed.values[printed.first : printed.first + m]), printed.values[1]
        sound = math.isfinite(root) and root > 0.0 and np.isfinite(leaves).all()
        shares = {"printed": leaves / root if sound else np.zeros(m), "ours": ours.probabilities()}
        for tree, q in shares.items():
            rows.append((step, tree, float(np.round(abs(m * q - 1.0).max(), 12)), int((q == 0.0).sum())))
    return pd.DataFrame(rows, columns=["step", "tree", "error", "lost"])


def contradiction(m, n_rounds, *, factor=1.0, random_state=None):
    """Play FOL on two equal examples with different labels and m - 2 easy ones, with either tree.

    No hypothesis has both, so the weights of the two grow for ever.

    Parameters
    ----------
    m : int >= 3
    n_rounds : int >= 1
    factor : float > 0
        ``eta`` in units of ``1 / (2 m)``.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    dict
        printed (rounds until the printed tree's root is no finite number; `n_rounds` if it never is), ours
        (the same of ours), log_weight (natural logarithm of the largest weight at the end, ours).
    """
    X = np.tile([1.0, 0.0], (m, 1))
    X[0] = X[1] = [0.0, 1.0]
    y = np.ones(m)
    y[0] = -1.0
    eta = 0.5 * factor / m
    rng = np.random.default_rng(random_state)
    learner, tree, printed = Perceptron(X, y), PrintedTree(m), n_rounds
    for t in range(n_rounds):
        i, p = tree.sample(rng)
        loss = learner.step(i)
        try:
            tree.update(i, math.exp(eta * loss / p))
        except OverflowError:  # where other languages have inf
            tree.values[1] = math.inf
        if not math.isfinite(tree.values[1]):
            printed = t + 1
            break
    run = focused_online_learning(Perceptron(X, y), m, n_rounds, eta=eta, random_state=random_state)
    weights = np.array([run.tree.value(i) for i in range(m)])
    finite = math.isfinite(run.tree.total) and bool(np.isfinite(weights).all())
    logs = run.tree.state[1][: run.tree.n_leaves]
    return {"printed": printed, "ours": n_rounds if finite else 0, "log_weight": float(logs.max(initial=0.0))}


def seconds(sizes, n_rounds=2000, *, random_state=None):
    """Time rounds of sampling and updating, for a reader to see.

    Parameters
    ----------
    sizes : list of int
    n_rounds : int >= 1
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per size and method: m, method, microseconds (of a round)
    """
    rows = []
    for m in sizes:
        rng = np.random.default_rng(random_state)
        weights, printed, ours = np.ones(m), PrintedTree(m), SumTree(m)
        for method, play, arguments, per_call, calls in (
            ("cumulative sums", _sums_round, (weights, rng, m), 1, min(n_rounds, 200)),
            ("printed tree", _tree_round, (printed, rng, m), 1, n_rounds),
            ("paperlib", _tree_round, (ours, rng, m), 1, n_rounds),
            ("paperlib, batches", _batch_round, (ours, rng, m), BATCH, max(1, n_rounds // BATCH)),
        ):
            play(*arguments)
            start = time.perf_counter()
            for _ in range(calls):
                play(*arguments)
            rows.append((m, method, 1e6 * (time.perf_counter() - start) / (calls * per_call)))
    return pd.DataFrame(rows, columns=["m", "method", "microseconds"])


def _tree_round(tree, rng, m):
    i, p = tree.sample(rng)
    tree.update(i, math.exp(0.5 / (m * p)))


def _batch_round(tree, rng, m):
    i, p = tree.sample(rng, 0.5, BATCH)
    tree.update_log(i, 0.5 / (m * p))


def _sums_round(weights, rng, m):
    sums = np.cumsum(weights)
    i = min(int(np.searchsorted(sums, rng.random() * sums[-1])), m - 1)
    p = 0.5 / m + 0.5 * weights[i] / sums[-1]
    weights[i] *= math.exp(0.5 / (m * p))

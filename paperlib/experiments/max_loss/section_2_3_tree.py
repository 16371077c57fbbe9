"""Section 2.3: what the tree draws, what a round costs, how long its sums stay sums; ours and the printed."""

import math
from fractions import Fraction
from types import FunctionType

import numpy as np
import pandas as pd
from scipy.stats import chi2

from paperlib._common.jit import uncompiled
from paperlib._common.validation import check_number
from paperlib.experiments.random_streams import stream
from paperlib.experiments.statistics import to_resolution
from paperlib.experiments.steps import step
from paperlib.max_loss._tree import sumtree
from paperlib.max_loss.focused import focused_online_learning
from paperlib.max_loss.learners import Perceptron
from paperlib.max_loss.sum_tree import SumTree

LOOKS = 100  # rounds of ours, in Python, whose reading and writing is counted
PARTS = 20  # of the rounds of FOL, among which those of its output are spread
ROUNDING = 1e-9  # relative: of a probability, as it is added up here and there


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


@step
def draw_frequencies(m, n_updates, n_draws, *, uniform_share=0.5, seed):
    """Draw from a tree with random weights, and compare with ``uniform_share / m + (1 - uniform_share) q``.

    Parameters
    ----------
    m, n_updates, n_draws : int >= 1
    uniform_share : float in [0, 1]
    seed : int

    Returns
    -------
    DataFrame with a row per item
        item, probability (from the logarithms of the weights, added up here), drawn (how often), z
        (difference in standard deviations), returned (largest relative error of the probability that came
        with a draw of it).

    One weight goes up by exp(650) and back, for which the tree's scale has to move twice.
    """
    rng = stream(seed, "draws")
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
    counts = np.bincount(drawn, minlength=m)
    z = (counts - n_draws * p) / np.sqrt(n_draws * p * (1.0 - p))
    errors = [to_resolution(each, ROUNDING) for each in returned]
    columns = {"item": range(m), "probability": p, "drawn": counts, "z": z, "returned": errors}
    return pd.DataFrame(columns)


@step
def chi_square_tests(draws, rounds, max_iter):
    """Test whether draws have their probabilities, and rounds of the output are uniform, by chi-square tests.

    Parameters
    ----------
    draws : DataFrame of `draw_frequencies`
    rounds : ndarray of int
        Of `theorem_1.output_rounds`, from 1 to `max_iter`.
    max_iter : int
        A multiple of `PARTS`, in which the rounds are counted.

    Returns
    -------
    DataFrame with a row per test ("draws", "output")
        test, cases, statistic, dof, p_value.
    """
    counted = np.histogram(rounds, PARTS, (0.5, max_iter + 0.5))[0]
    pairs = {
        "draws": (draws.drawn.to_numpy(), draws.drawn.sum() * draws.probability.to_numpy()),
        "output": (counted, np.full(PARTS, len(rounds) / PARTS)),
    }
    rows = []
    for test, (seen, expected) in pairs.items():
        statistic, dof = float(((seen - expected) ** 2 / expected).sum()), len(seen) - 1
        rows.append((test, int(seen.sum()), statistic, dof, float(chi2.sf(statistic, dof))))
    return pd.DataFrame(rows, columns=["test", "cases", "statistic", "dof", "p_value"])


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


@step
def nodes_visited(sizes, n_rounds, *, seed):
    """Count the nodes that a round of the printed tree visits, and the numbers that one of ours does.

    Parameters
    ----------
    sizes : list of int
        Numbers of items; of every one, all have been updated.
    n_rounds : int >= 1
    seed : int

    Returns
    -------
    DataFrame with a row per size
        m, log2_m, printed (nodes visited in a round whose draw goes down the tree, the mean), ours (numbers
        of our tree that are read or written, the mean; a node has eight), sums (numbers that cumulative sums
        add up).
    """
    rng = stream(seed, "nodes visited")
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


@step
def exact_tree(m, n_updates, *, seed):
    """Look for what is wrong in the printed tree when it calculates with fractions, without any rounding.

    Its leaves are held against the products of their factors, which are in [1, e] as FOL's are, its other
    nodes against the sums of the leaves below, and what comes with a draw against the item's probability.

    Parameters
    ----------
    m, n_updates : int >= 1
    seed : int

    Returns
    -------
    DataFrame with a row per look
        looked_at ("draw" or "node"), wrong.

    Examples
    --------
    >>> looks = exact_tree(5, 40, seed=0)
    >>> len(looks), int(looks.wrong.sum())
    (55, 0)
    """
    rng = stream(seed, "exact tree")
    half, tree = Fraction(1, 2), PrintedTree(m, Fraction(1))
    leaves = [Fraction(1)] * m + [Fraction(0)] * (tree.first - m)
    draws, nodes = [], []
    for eighths in rng.integers(8, 22, size=n_updates).tolist():  # 21 / 8 is below e
        i, p = tree.sample(rng, half)
        draws.append(p != half / m + half * leaves[i] / sum(leaves))
        tree.update(i, Fraction(eighths, 8))
        leaves[i] *= Fraction(eighths, 8)
    expected = leaves
    for level in range(tree.first.bit_length()):
        start = tree.first >> level
        nodes += [value != its for value, its in zip(tree.values[start : 2 * start], expected)]
        expected = [left + right for left, right in zip(expected[::2], expected[1::2])]
    kinds = ["draw"] * len(draws) + ["node"] * len(nodes)
    return pd.DataFrame({"looked_at": kinds, "wrong": draws + nodes})


@step
def drift(m, steps, n_updates, *, seed):
    """Multiply weights by a factor and divide them by it again: all should be 1 at the end, as at the start.

    Parameters
    ----------
    m, n_updates : int >= 1
    steps : list of float
        Standard deviations of the factors' logarithms.
    seed : int

    Returns
    -------
    DataFrame with a row per step and tree
        step, tree, error (largest of ``|m q_i - 1|``), lost (items that q never asks for again: leaves that
        have become zero, or all of a tree whose root has).
    """
    rows = []
    for each in steps:
        rng = stream(seed, "drift")
        indices, ups = rng.integers(m, size=n_updates), np.abs(rng.normal(scale=each, size=n_updates))
        printed, ours = PrintedTree(m), SumTree(m)
        for i, up in zip(indices.tolist(), ups.tolist()):
            for x in (up, -up):
                printed.update(i, math.exp(x))
                ours.update_log(i, x)
        leaves, root = np.array(printed.values[printed.first : printed.first + m]), printed.values[1]
        sound = math.isfinite(root) and root > 0.0 and np.isfinite(leaves).all()
        shares = {"printed": leaves / root if sound else np.zeros(m), "ours": ours.probabilities()}
        for tree, q in shares.items():
            rows.append((each, tree, float(np.round(abs(m * q - 1.0).max(), 12)), int((q == 0.0).sum())))
    return pd.DataFrame(rows, columns=["step", "tree", "error", "lost"])


@step
def contradiction(m, n_rounds, *, factor=1.0, seed):
    """Play FOL on two equal examples with different labels and m - 2 easy ones, with either tree.

    No hypothesis has both, so the weights of the two grow for ever.

    Parameters
    ----------
    m : int >= 3
    n_rounds : int >= 1
    factor : float > 0
        ``eta`` in units of ``1 / (2 m)``.
    seed : int

    Returns
    -------
    DataFrame with a row per tree
        tree ("printed", "ours"), m, n_rounds, finite_rounds (until its root is no finite number; `n_rounds`
        if it never is), log_weight (natural logarithm of the largest weight at the end; of ours).
    """
    X = np.tile([1.0, 0.0], (m, 1))
    X[0] = X[1] = [0.0, 1.0]
    y = np.ones(m)
    y[0] = -1.0
    eta = 0.5 * factor / m
    rng, again = stream(seed, "contradiction").spawn(2)
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
    run = focused_online_learning(Perceptron(X, y), m, n_rounds, eta=eta, random_state=again)
    weights = np.array([run.tree.value(i) for i in range(m)])
    finite = math.isfinite(run.tree.total) and bool(np.isfinite(weights).all())
    logs = run.tree.state[1][: run.tree.n_leaves]
    ours = n_rounds if finite else 0
    columns = {"tree": ["printed", "ours"], "m": m, "n_rounds": n_rounds, "finite_rounds": [printed, ours]}
    return pd.DataFrame(columns | {"log_weight": [math.nan, float(logs.max(initial=0.0))]})

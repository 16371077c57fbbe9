"""The sum tree against other ways to sample from changing weights, and rounds to a consistent hypothesis."""

import importlib
import math
import warnings
from functools import partial

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Perceptron as LinearPerceptron
from threadpoolctl import threadpool_limits

from benchmarks.side_by_side import Comparison, alternate
from benchmarks.words import words
from paperlib._common.jit import jit
from paperlib.experiments.max_loss.exponential_weights import cumulative_draw
from paperlib.experiments.max_loss.samples import gap_sample, gap_training_set
from paperlib.experiments.max_loss.section_3_1_gap import FAST_FOL, FOL, UNIFORM, rounds_to_consistent
from paperlib.experiments.max_loss.theory_lemmas import lemma_1_size
from paperlib.max_loss import FOLClassifier, SumTree
from paperlib.max_loss._tree.sumtree import draw, probability, uncounted, update

M = 1_000_000
GAMMA = 0.5
BATCH = 64


class PaperTree:
    """Section 2.3's pseudo-code, line by line; nothing keeps its numbers within the floats."""

    def __init__(self, m):
        self.m, self.first = m, 1 << math.ceil(math.log2(m))
        self.values = [0.0] * self.first + [1.0] * m + [0.0] * (self.first - m)
        for node in range(self.first - 1, 0, -1):
            self.values[node] = self.values[2 * node] + self.values[2 * node + 1]

    def sample(self, random, uniform_share):
        values = self.values
        if random() < uniform_share:
            i = int(random() * self.m)
        else:
            node = 1
            while node < self.first:
                node *= 2
                if random() * (values[node] + values[node + 1]) >= values[node]:
                    node += 1
            i = node - self.first
        return i, uniform_share / self.m + (1.0 - uniform_share) * values[self.first + i] / values[1]

    def update(self, i, factor):
        node = self.first + i
        delta = factor * self.values[node] - self.values[node]
        while node:
            self.values[node] += delta
            node //= 2


@jit(error_model="numpy")
def binary_draw(u, uniform_share, m, nodes):
    """A plain binary tree with the root at 1 and all leaves in place, as a heap has them."""
    first = len(nodes) // 2
    if u < uniform_share:
        return min(np.int64(u / uniform_share * m), m - 1)
    v = (u - uniform_share) / (1.0 - uniform_share) * nodes[1]
    node = 1
    while node < first:
        node *= 2
        if v >= nodes[node] and nodes[node + 1] > 0.0:
            v -= nodes[node]
            node += 1
    return node - first


@jit(error_model="numpy")
def binary_update(i, x, nodes, logs, scale):
    """Logarithms with a common scale and parent = left + right, as in ours."""
    first = len(nodes) // 2
    logs[i] += x
    node = first + i
    nodes[node] = math.exp(min(logs[i] - scale[0], 700.0))
    while node > 1:
        node //= 2
        nodes[node] = nodes[2 * node] + nodes[2 * node + 1]
    if logs[i] - scale[0] > 600.0 or nodes[1] < 1e-260:
        scale[0] = logs.max()
        for j in range(len(logs)):
            nodes[first + j] = math.exp(logs[j] - scale[0])
        for parent in range(first - 1, 0, -1):
            nodes[parent] = nodes[2 * parent] + nodes[2 * parent + 1]


@jit(error_model="numpy")
def binary_rounds(us, uniform_share, errs, nodes, logs, scale):
    m, first = len(errs), len(nodes) // 2
    for u in us:
        i = binary_draw(u, uniform_share, m, nodes)
        if errs[i]:
            p = uniform_share / m + (1.0 - uniform_share) * nodes[first + i] / nodes[1]
            binary_update(i, 0.5 / (m * p), nodes, logs, scale)


@jit(error_model="numpy")
def binary_batch(us, uniform_share, m, nodes, indices):
    for j in range(len(us)):
        indices[j] = binary_draw(us[j], uniform_share, m, nodes)


@uncounted
def tree_rounds(us, uniform_share, errs, tree):
    m = len(errs)
    for u in us:
        i = draw(u, uniform_share, tree)
        if errs[i]:
            p = probability(i, uniform_share, tree)
            update(i, 0.5 / (m * p), tree)


@jit(error_model="numpy")
def cumulative_rounds(us, uniform_share, errs, weights, sums):
    for u in us:
        i, p = cumulative_draw(weights, sums, u, uniform_share)
        if errs[i]:
            weights[i] *= math.exp(0.5 / (len(weights) * p))


def binary_tree(m):
    first = 1 << math.ceil(math.log2(m))
    nodes = np.zeros(2 * first)
    nodes[first : first + m] = 1.0
    while first > 1:
        nodes[first // 2 : first] = nodes[first : 2 * first].reshape(-1, 2).sum(axis=1)
        first //= 2
    return nodes, np.zeros(m), np.zeros(1)


def per_round(ours, our_rounds, peer, peer_rounds, repeats=7):
    with threadpool_limits(1):
        seconds = alternate(ours, peer, repeats)
    return seconds[0] / our_rounds, seconds[1] / peer_rounds


def microseconds(seconds):
    return f"{seconds[0] * 1e6:.3g} us against {seconds[1] * 1e6:.3g} us a round"


def against_pure_python(n=20_000):
    rng = np.random.default_rng(0)
    everything, tree, paper = np.ones(M, dtype=bool), SumTree(M), PaperTree(M)

    def peer():
        for _ in range(n):
            i, p = paper.sample(rng.random, GAMMA)
            paper.update(i, math.exp(0.5 / (M * p)))

    def ours():
        tree_rounds(rng.random(n), GAMMA, everything, tree.state)

    def ours_one_by_one():
        for _ in range(n):
            i, p = tree.sample(rng, GAMMA)
            tree.update_log(i, 0.5 / (M * p))

    def ours_in_batches():
        for _ in range(n // BATCH):
            i, p = tree.sample(rng, GAMMA, BATCH)
            tree.update_log(i, 0.5 / (M * p))

    name = "pure-Python tree"
    seconds = per_round(ours, n, peer, n)
    yield Comparison(f"sample + update, m={M:,}, in a loop", *seconds, name, 20.0, microseconds(seconds))
    seconds = per_round(ours_in_batches, n // BATCH * BATCH, peer, n, 3)
    yield Comparison(
        f"sample + update, m={M:,}, batches of {BATCH}", *seconds, name, 20.0, microseconds(seconds)
    )
    seconds = per_round(ours_one_by_one, n, peer, n, 3)
    yield Comparison(f"sample + update, m={M:,}, from Python", *seconds, name, None, microseconds(seconds))


def against_cumulative_sums(share, n=100_000, peer_rounds=20):
    rng = np.random.default_rng(0)
    errs, tree = rng.random(M) < share, SumTree(M)
    weights, sums = np.ones(M), np.empty(M)

    def ours():
        tree_rounds(rng.random(n), GAMMA, errs, tree.state)

    def numpys():
        for u in rng.random(peer_rounds):
            np.cumsum(weights, out=sums)
            i = (
                int(u / GAMMA * M)
                if u < GAMMA
                else np.searchsorted(sums, (u - GAMMA) / (1 - GAMMA) * sums[-1])
            )
            if errs[i]:
                p = GAMMA / M + (1.0 - GAMMA) * weights[i] / sums[-1]
                weights[i] *= math.exp(0.5 / (M * p))

    def compiled():
        cumulative_rounds(rng.random(peer_rounds), GAMMA, errs, weights, sums)

    for name, peer, target in (
        ("numpy cumsum + searchsorted", numpys, 20_000.0),
        ("the same in numba", compiled, None),
    ):
        seconds = per_round(ours, n, peer, peer_rounds)
        what = f"sample, update if it errs, m={M:,}, {share:.0%} ever err"
        yield Comparison(what, *seconds, name, target, microseconds(seconds))


def against_binary_tree(share, target, n=400_000):
    rng = np.random.default_rng(0)
    errs = rng.random(M) < share
    tree, binary = SumTree(M), binary_tree(M)
    seconds = per_round(
        lambda: tree_rounds(rng.random(n), GAMMA, errs, tree.state),
        n,
        lambda: binary_rounds(rng.random(n), GAMMA, errs, *binary),
        n,
    )
    what = f"sample, update if it errs, m={M:,}, {share:.0%} ever err"
    return Comparison(what, *seconds, "our own binary tree", target, microseconds(seconds))


def batches(n):
    """Return a function that draws and updates `n` batches of a tree of its own, in which all draws err."""
    rng, tree = np.random.default_rng(0), SumTree(M)

    def ours():
        for _ in range(n):
            i, p = tree.sample(rng, GAMMA, BATCH)
            tree.update_log(i, 0.5 / (M * p))

    return ours


def against_torch(n=200, peer_rounds=5):
    import torch

    weights = torch.ones(M)

    def peer():
        for _ in range(peer_rounds):
            p = GAMMA / M + (1.0 - GAMMA) * weights / weights.sum()
            i = torch.multinomial(p, BATCH, replacement=True)
            weights[i] *= torch.exp(0.5 / (M * p[i]))

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    seconds = per_round(batches(n), n, peer, peer_rounds)
    torch.set_num_threads(threads)
    return Comparison(
        f"a batch of {BATCH}, m={M:,}", *seconds, "torch.multinomial", 100.0, microseconds(seconds)
    )


def samplers(batch_size, ours_batches, peer_batches=3, repeats=5):
    """A batch as a loader gets it; of the examples, a tenth ever erred. The peers draw, and learn nothing."""
    import torch
    from torch.utils.data import BatchSampler, WeightedRandomSampler

    from paperlib.max_loss import FocusedSampler

    rng = np.random.default_rng(0)
    often = rng.integers(M, size=M // 10)
    sampler = FocusedSampler(M, n_draws=2**40, batch_size=batch_size, random_state=0)
    sampler.tree.update_log(often, rng.random(len(often)))
    nodes, indices = binary_tree(M)[0], np.empty(batch_size, dtype=np.int64)
    weights = torch.from_numpy(sampler.tree.probabilities(GAMMA))
    batches, losses = iter(sampler), rng.random(batch_size)

    def draw():
        for _ in range(ours_batches):
            next(batches)

    def draw_and_update():
        for _ in range(ours_batches):
            sampler.update(next(batches), losses)

    def weighted():
        # As a loop must that changes the weights: torch's sampler draws an epoch from one state of them.
        for _ in range(peer_batches):
            peer = WeightedRandomSampler(weights, batch_size)
            next(iter(BatchSampler(peer, batch_size, drop_last=False)))

    def binary():
        for _ in range(ours_batches):
            binary_batch(rng.random(batch_size), GAMMA, M, nodes, indices)
            indices.tolist()

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torchs, binarys = "torch WeightedRandomSampler", "our own binary tree, draws alone"
    for what, ours, peer, n, name in (
        ("draw", draw, weighted, peer_batches, torchs),
        ("draw", draw, binary, ours_batches, binarys),
        ("draw + update", draw_and_update, weighted, peer_batches, torchs),
    ):
        seconds = per_round(ours, ours_batches, peer, n, repeats)
        note = f"{microseconds(seconds)}; ours {seconds[0] / batch_size * 1e6:.2g} us a draw"
        yield Comparison(
            f"FocusedSampler, {what}, batches of {batch_size:,}, m={M:,}", *seconds, name, None, note
        )
    torch.set_num_threads(threads)


def against_cpprb(n=200):
    """Its replay buffer with one byte an item: the sampler cannot be called without it."""
    seconds = per_round(batches(n), n, cpprb_batches(n, M), n, 15)
    return Comparison(f"a batch of {BATCH}, m={M:,}", *seconds, "cpprb", 4.0, microseconds(seconds))


def cpprb_batches(n, m):
    """Return a function that draws and updates `n` batches of a replay buffer."""
    from cpprb import PrioritizedReplayBuffer

    buffer = PrioritizedReplayBuffer(m, {"byte": {"dtype": np.int8}}, alpha=1.0, eps=0.0)
    buffer.add(byte=np.zeros(m, dtype=np.int8))
    priorities = np.full(BATCH, 1.5)

    def peer():
        for _ in range(n):
            buffer.update_priorities(buffer.sample(BATCH, beta=1.0)["indexes"], priorities)

    return peer


def sampler_against_cpprb(m, target, n=200):
    """What a training loop calls: a batch drawn, and its losses told."""
    from paperlib.max_loss import FocusedSampler

    sampler, losses = FocusedSampler(m, n_draws=2**40, batch_size=BATCH, random_state=0), np.full(BATCH, 0.5)
    batches = iter(sampler)

    def ours():
        for _ in range(n):
            sampler.update(next(batches), losses)

    seconds = per_round(ours, n, cpprb_batches(n, m), n, 15)
    what = f"FocusedSampler, draw + update, batches of {BATCH}, m={m:,}"
    return Comparison(what, *seconds, "cpprb", target, microseconds(seconds))


def against_torchrl(n=200):
    """The C++ tree of its prioritized sampler, with the sampler's own steps around it."""
    from torchrl._torchrl import SumSegmentTreeFp64

    rng = np.random.default_rng(0)
    theirs = SumSegmentTreeFp64(M)
    theirs[np.arange(M)] = np.ones(M)

    def peer():
        for _ in range(n):
            total = theirs.query(0, M)
            i = np.minimum(theirs.scan_lower_bound(rng.uniform(0.0, total, BATCH)), M - 1)
            weights = theirs[i]
            p = GAMMA / M + (1.0 - GAMMA) * weights / total
            theirs[i] = weights * np.exp(0.5 / (M * p))

    seconds = per_round(batches(n), n, peer, n, 15)
    return Comparison(
        f"a batch of {BATCH}, m={M:,}", *seconds, "torchrl's C++ tree", 1.0, microseconds(seconds)
    )


def where_installed(name, compare):
    """Compare with a package that need not be here, or whose extension need not load."""
    try:
        importlib.import_module(name)
    except ImportError as error:
        print(f"no comparison with {name}: {error}")
    else:
        yield compare()


def lemma_1_sample(alpha, eps, seed):
    """As many draws as Lemma 1 wants with delta = 0.05."""
    return gap_sample(lemma_1_size(eps, 0.05), alpha, eps, random_state=seed)


def smallest_sample(alpha, eps, seed):
    """The expected counts of 2 / eps draws."""
    return gap_training_set(alpha, eps, random_state=seed)


def rounds_on_the_gap_example(learner, target, sample, alpha=0.001, eps=0.001, seeds=20):
    """Rounds, not seconds; `sample` makes a training set."""
    medians = []
    for name in (learner, UNIFORM):
        found = []
        for seed in range(seeds):
            X, y = sample(alpha, eps, seed)
            found.append(rounds_to_consistent(X, y, name, random_state=seed)[0])
        medians.append(float(np.median(found)))
    what = f"{learner}, rounds to consistent, alpha={alpha:g}, eps={eps:g}, m={len(y):,}"
    note = f"medians of {seeds} seeds"
    return Comparison(what, *medians, "Perceptron, uniform", target, note, "rounds")


def rows_of_words(n=50_000, d=47_000, each=75, passes=10):
    """As many rounds on sparse rows as the peer has steps."""
    X, y = words(n, d, each)
    ours = FOLClassifier(n * passes, output="last", random_state=0)
    peer = LinearPerceptron(max_iter=passes, tol=None, random_state=0)

    def play():
        with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
            ours.fit(X, y)

    seconds = alternate(play, lambda: peer.fit(X, y), repeats=3)
    note = f"errors on the training set {1 - ours.score(X, y):.4f}, {1 - peer.score(X, y):.4f}"
    what = f"FOLClassifier, CSR {n:,} x {d:,}, at most {passes} m rounds ({ours.n_iter_ / n:.1f} m played)"
    return Comparison(what, *seconds, "Perceptron, scikit-learn", None, note)


def run():
    yield from against_pure_python()
    yield from against_cumulative_sums(0.01)
    yield from against_cumulative_sums(1.0)
    yield against_binary_tree(0.01, 2.5)
    yield against_binary_tree(1.0, 1.0)
    yield from where_installed("torch", against_torch)
    if importlib.util.find_spec("torch"):
        yield from samplers(BATCH, 200)
        yield from samplers(4096, 10)
    yield from where_installed("cpprb", against_cpprb)
    if importlib.util.find_spec("torch"):
        for m, target in ((10_000, 2.0), (1_000_000, 3.0)):
            yield from where_installed("cpprb", partial(sampler_against_cpprb, m, target))
    yield from where_installed("torchrl._torchrl", against_torchrl)
    yield rows_of_words()
    for sample in (lemma_1_sample, smallest_sample):
        yield rounds_on_the_gap_example(FOL, 6.0, sample)
        yield rounds_on_the_gap_example(FAST_FOL, 60.0, sample)

"""Rounds that are looked at mistake by mistake: for the first consistent iterate, and for the losses of all.

`points` are the distinct signed rows ``y_i (x_i, bias)`` that a consistent w has on its positive side. No
kernel checks its input.
"""

from typing import NamedTuple

import numpy as np

from paperlib._common.jit import jit
from paperlib._common.typing import Floats
from paperlib.max_loss._rounds.linear import add, logistic_step, score
from paperlib.max_loss._rounds.play import play
from paperlib.max_loss._tree.sumtree import draw, probability, total, uncounted, weight


class Record(NamedTuple):
    """What was seen of every round of a game, before its step.

    Attributes
    ----------
    drawn : (T,) int64
    p : (T,) float64
        Probability that the tree says the draw had.
    q : (T, m) float64
        Shares of all weights.
    wrong : (T, m) bool
        Which examples the iterate has wrong.
    """

    drawn: np.ndarray
    p: Floats
    q: Floats
    wrong: np.ndarray


@uncounted
def is_consistent(points, w):
    """Return whether all products are above zero."""
    for i in range(len(points)):
        product = 0.0
        for j in range(len(w)):
            product += points[i, j] * w[j]
        if product <= 0.0:
            return False
    return True


@jit(error_model="numpy")
def until_consistent(us, eta, uniform_share, sample, W, tree, slack, points):
    """Play rounds of FOL until the one row of W is consistent. Return ``(rounds, mistakes)``."""
    rounds, mistakes = 0, 0
    while rounds < len(us):
        # To the next mistake: only then can w have become consistent.
        played, erred = play(us[rounds:], 1, eta, uniform_share, sample, W, tree, slack)
        rounds += played
        mistakes += erred
        if erred and is_consistent(points, W[0]):
            break
    return rounds, mistakes


@uncounted
def find_wrong(sample, W, wrong):
    """Set `wrong` (m,) where the one row of W has an example wrong.

    It adds up the scores itself: what judges the Perceptron shares no code with it.
    """
    X, y, bias = sample
    for i in range(len(wrong)):
        product = bias * W[0, X.shape[1]]
        for j in range(X.shape[1]):
            product += X[i, j] * W[0, j]
        wrong[i] = not y[i] * product > 0.0


@jit(error_model="numpy")
def add_losses(us, eta, uniform_share, sample, W, tree, slack, losses):
    """Play rounds of FOL, and add to `losses` (m,) those of every iterate before its round.

    The iterate changes with a mistake only, so that all examples are looked at once for each. Return the
    number of mistakes.
    """
    rounds, mistakes = 0, 0
    wrong = np.empty(len(losses), dtype=np.bool_)
    while rounds < len(us):
        find_wrong(sample, W, wrong)
        played, erred = play(us[rounds:], 1, eta, uniform_share, sample, W, tree, slack)
        # `wrong` is of the iterate that played all of these rounds, the last one included.
        for i in range(len(losses)):
            if wrong[i]:
                losses[i] += played
        rounds += played
        mistakes += erred
    return mistakes


@jit(error_model="numpy")
def record_rounds(us, eta, uniform_share, sample, W, tree, slack, record):
    """Play a round of FOL for each uniform number, and write down in `record` what it began with."""
    for t in range(len(us)):
        record.drawn[t] = draw(us[t], uniform_share, tree)
        record.p[t] = probability(record.drawn[t], uniform_share, tree)
        whole = total(tree)
        for i in range(record.q.shape[1]):
            record.q[t, i] = weight(i, tree) / whole
        find_wrong(sample, W, record.wrong[t])
        play(us[t : t + 1], 1, eta, uniform_share, sample, W, tree, slack)


@jit(error_model="numpy")
def until_mean_within(us, level, start, eta, uniform_share, sample, W, tree, slack, losses):
    """Play rounds of FOL until no example's mean loss over all iterates is above `level`, in (0, 1).

    `start` rounds were played before, in which the examples had the sums `losses` (m,); these go on in place.
    Return the number of rounds played, or -1 where all of `us` were not enough.
    """
    rounds = 0
    wrong = np.empty(len(losses), dtype=np.bool_)
    while rounds < len(us):
        find_wrong(sample, W, wrong)
        played, _ = play(us[rounds:], 1, eta, uniform_share, sample, W, tree, slack)
        # The mean of an example that is right falls from now on, and that of one that is wrong rises: the
        # first round at which the right ones are content decides.
        needed = 0.0
        for i in range(len(losses)):
            if not wrong[i]:
                needed = max(needed, losses[i] / level)
        more = max(1, np.int64(np.ceil(needed)) - start - rounds)
        met = more <= played
        for i in range(len(losses)):
            if wrong[i]:
                met &= (losses[i] + more) / level <= start + rounds + more
        for i in range(len(losses)):
            if wrong[i]:
                losses[i] += more if met else played
        if met:
            return rounds + more
        rounds += played
    return -1


@jit(error_model="numpy")
def hinge_until_consistent(us, rate, sample, w, points):
    """Descend on the hinge loss, with uniform draws, until w is consistent. Return the number of rounds."""
    X, y, bias = sample
    m = len(X)
    for t in range(len(us)):
        i = min(np.int64(us[t] * m), m - 1)
        # The margin is 1, not 0: the hinge loss goes on where the Perceptron is content.
        if y[i] * score(X, i, bias, w) < 1.0:
            add(X, i, bias, rate * y[i], w)
            if is_consistent(points, w):
                return t + 1
    return len(us)


@jit(error_model="numpy")
def logistic_steps(X, y, batches, bias, w, velocity, rates, momentum, l2):
    """Take a step of `logistic_step` on each row of `batches`, each at its own rate, in place."""
    for k in range(len(batches)):
        logistic_step(X, y, batches[k], bias, w, velocity, rates[k], momentum, l2)

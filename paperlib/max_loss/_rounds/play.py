"""Rounds of FOL with the Perceptron as the w player, in one loop.

`W` has a single row for two classes, or one for each class; the last entry of a row is for the bias. No
kernel checks its input.
"""

from typing import NamedTuple

import numpy as np

from paperlib._common.typing import Floats
from paperlib.max_loss._rounds.copies import draw_copy, mass, probability_of_copy
from paperlib.max_loss._rounds.rows import SparseRows, add_row, score_of
from paperlib.max_loss._rounds.slack import NO_SLACK, raise_slack, slack_of
from paperlib.max_loss._tree.sumtree import LARGEST, draw, probability, uncounted, update


class Sample(NamedTuple):
    """The examples of a game.

    Attributes
    ----------
    X : (m, d) float64, or the rows of a CSR matrix
    y : (m,) float64
        Labels -1 and +1, or the numbers of the classes.
    bias : float
        Entry that every row has behind its last one.
    """

    X: Floats | SparseRows
    y: Floats
    bias: float


@uncounted(inline="always")
def beaten_by(i, sample, W):
    """Return the row of W that has example i wrong, or -1: the only row, or the best of the other classes.

    A tie is a mistake.
    """
    X, y, bias = sample
    # "not > 0" rather than "<= 0" below: at w = 0 every example ties, and no tie may pass for right.
    if len(W) == 1:
        return -1 if y[i] * score_of(X, i, bias, W[0]) > 0.0 else 0
    label = np.int64(y[i])
    other, highest, own = -1, 0.0, 0.0
    for c in range(len(W)):
        here = score_of(X, i, bias, W[c])
        if c == label:
            own = here
        elif other < 0 or here > highest:
            other, highest = c, here
    return -1 if own > highest else other


@uncounted
def learn(i, other, sample, W):
    """Take the Perceptron's step on example i, which row `other` of W has wrong."""
    X, y, bias = sample
    if len(W) == 1:
        add_row(X, i, bias, y[i], W[0])
    else:
        add_row(X, i, bias, 1.0, W[np.int64(y[i])])
        add_row(X, i, bias, -1.0, W[other])


@uncounted
def play(us, most, eta, uniform_share, sample, W, tree, slack, copies=None):
    """Play a round for each uniform number in `us`, until there are `most` mistakes.

    Return ``(rounds, mistakes)``. W, the tree and the slack change with a mistake only: to see each of their
    states, ask for one mistake at a time. With `copies` these are what is drawn, and tree and slack are
    theirs.
    """
    mistakes = 0
    for t in range(len(us)):
        # Without copies the compiler leaves their branches out.
        if copies is None:
            i = draw(us[t], uniform_share, tree)
            row = i
        else:
            i = draw_copy(us[t], uniform_share, copies, tree)
            row = copies.rows[i]
        other = beaten_by(row, sample, W)
        if other < 0:  # a loss of zero multiplies the weight by exp(0), and no learner moves
            continue
        mistakes += 1
        loss = 1.0
        if slack.norm != NO_SLACK:
            # The slack of this round's iterate (w, xi): it is raised after the loss has been taken.
            loss -= slack_of(i, slack)
            if loss > 0.0:
                raise_slack(i, slack)
        if loss > 0.0:
            learn(row, other, sample, W)
            if uniform_share < 1.0:
                # The probability with which i was drawn: the tree has not changed since.
                if copies is None:
                    x = eta * loss / probability(i, uniform_share, tree)
                else:
                    x = eta * mass(i, copies) * loss / probability_of_copy(i, uniform_share, copies, tree)
                update(i, x, tree)
        if mistakes == most:
            return t + 1, mistakes
    return len(us), mistakes


def log_factors(eta, losses, p):
    """Return ``eta losses / p``, the logarithms of the weights' factors, at most the largest float."""
    # The tree takes finite logarithms only, and eta may be anything above zero.
    with np.errstate(over="ignore"):
        return np.minimum(np.divide(eta * losses, p), LARGEST)

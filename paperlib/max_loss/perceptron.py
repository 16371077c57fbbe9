"""The Perceptron as the w player, and rounds of FOL with it in one loop.

Rows are ``(x_i, bias)`` with the last entry of `w` for the bias. A score of zero is a mistake. No kernel
checks its input; the arrays of the tree and of the slack are those of `sumtree` and `slack`.
"""

from paperlib._common.jit import jit
from paperlib.max_loss.slack import NO_SLACK, raise_slack, slack_of
from paperlib.max_loss.sumtree import COMPILED, draw, probability, update


@jit(**COMPILED)
def score(X, i, bias, w):
    """Return ``<w, (x_i, bias)>``."""
    d = X.shape[1]
    a, b, c, e = bias * w[d], 0.0, 0.0, 0.0  # four sums, for the processor to add side by side
    j = 0
    while j + 4 <= d:
        a += X[i, j] * w[j]
        b += X[i, j + 1] * w[j + 1]
        c += X[i, j + 2] * w[j + 2]
        e += X[i, j + 3] * w[j + 3]
        j += 4
    while j < d:
        a += X[i, j] * w[j]
        j += 1
    return (a + b) + (c + e)


@jit(**COMPILED)
def add(X, i, bias, factor, w):
    """``w += factor (x_i, bias)``, in place."""
    d = X.shape[1]
    for j in range(d):
        w[j] += factor * X[i, j]
    w[d] += factor * bias


@jit(**COMPILED)
def binary_step(X, y, i, bias, w):
    """Rosenblatt's rule. Return the zero-one loss of `w` before it, on labels of -1 and +1."""
    if y[i] * score(X, i, bias, w) > 0.0:
        return 0.0
    add(X, i, bias, y[i], w)
    return 1.0


@jit(**COMPILED)
def best_other(X, i, bias, label, W):
    """Return ``(class, score)`` of the highest score that is not of class `label`, and that one's score."""
    other, highest, own = -1, 0.0, 0.0
    for c in range(len(W)):
        here = score(X, i, bias, W[c])
        if c == label:
            own = here
        elif other < 0 or here > highest:
            other, highest = c, here
    return other, highest, own


@jit(**COMPILED)
def multiclass_step(X, y, i, bias, W):
    """The rule with a vector per class: add to that of the label, subtract from the one that beat it."""
    other, highest, own = best_other(X, i, bias, y[i], W)
    if own > highest:
        return 0.0
    add(X, i, bias, 1.0, W[y[i]])
    add(X, i, bias, -1.0, W[other])
    return 1.0


@jit(error_model="numpy")
def binary_rounds(us, eta, gamma, X, y, bias, w, tree, rate, budget, norm, slack):
    """Play a round for each uniform number in `us`. Return the number of mistakes."""
    nodes, logs, order, place, counts, scales = tree
    xi, support, sizes, slack_scales = slack
    mistakes = 0
    for u in us:
        i = draw(u, gamma, nodes, order, counts, scales)
        if y[i] * score(X, i, bias, w) > 0.0:
            continue
        mistakes += 1
        loss = 1.0
        if norm != NO_SLACK:
            loss -= slack_of(i, xi, slack_scales)
            if loss <= 0.0:
                continue
            raise_slack(i, rate, budget, norm, xi, support, sizes, slack_scales)
        add(X, i, bias, y[i], w)
        if gamma < 1.0:
            p = probability(i, gamma, nodes, order, place, counts, scales)
            update(i, eta * loss / p, nodes, logs, order, place, counts, scales)
    return mistakes


@jit(error_model="numpy")
def multiclass_rounds(us, eta, gamma, X, y, bias, W, tree, rate, budget, norm, slack):
    """The same with a vector per class; `y` holds class numbers."""
    nodes, logs, order, place, counts, scales = tree
    xi, support, sizes, slack_scales = slack
    mistakes = 0
    for u in us:
        i = draw(u, gamma, nodes, order, counts, scales)
        other, highest, own = best_other(X, i, bias, y[i], W)
        if own > highest:
            continue
        mistakes += 1
        loss = 1.0
        if norm != NO_SLACK:
            loss -= slack_of(i, xi, slack_scales)
            if loss <= 0.0:
                continue
            raise_slack(i, rate, budget, norm, xi, support, sizes, slack_scales)
        add(X, i, bias, 1.0, W[y[i]])
        add(X, i, bias, -1.0, W[other])
        if gamma < 1.0:
            p = probability(i, gamma, nodes, order, place, counts, scales)
            update(i, eta * loss / p, nodes, logs, order, place, counts, scales)
    return mistakes

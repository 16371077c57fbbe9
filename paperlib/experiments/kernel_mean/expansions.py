"""The kernel expansions that Section 5 is tried on: mean classifiers of the checkerboard and of real data."""

from typing import NamedTuple

import numpy as np
from sklearn.preprocessing import StandardScaler

from paperlib._common.typing import Floats
from paperlib.experiments import datasets
from paperlib.experiments.kernel_mean.section_7_1_checkerboard import Board


class Expansion(NamedTuple):
    """A kernel expansion.

    Attributes
    ----------
    X : ndarray of shape (n, d)
    weights : ndarray of shape (n,)
    gamma : float
        Of the Gaussian kernel.
    """

    X: Floats
    weights: Floats
    gamma: float


def on_board(board, *, seed):
    """Return the mean of the checkerboard of Figure 1 for a `Board`."""
    board = Board(*board)
    X, y, _ = board.drawn(seed)
    return Expansion(X, y / len(y), board.gamma)


def all_expansions(board, *, data, seed):
    """Return `{name: Expansion}`: the checkerboard, digits (odd or even), and with full data spambase.

    Parameters
    ----------
    board : Board
    data : {"bundled", "full"}
    seed : int

    Examples
    --------
    >>> {name: each.X.shape for name, each in all_expansions((64, 0.3, 0.4), data="bundled", seed=0).items()}
    {'checkerboard': (64, 2), 'digits, odd or even': (1797, 64)}
    """
    images = datasets.load("digits")
    odd = np.where(images.y % 2, 1.0, -1.0)
    found = {"checkerboard": on_board(board, seed=seed), "digits, odd or even": _scaled(images.X, odd)}
    if data == "full":
        mails = datasets.load("spambase", data)
        found["spambase"] = _scaled(StandardScaler().fit_transform(mails.X), mails.y)
    return found


def _scaled(X, y):
    return Expansion(X, y / len(y), 1 / (X.shape[1] * X.var()))  # scikit-learn's "scale"

"""Section 7.1: the checkerboard of Figure 1, its sparse means (Figure 2), and clusters that are missed."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from paperlib._common.typing import Floats
from paperlib._common.validation import check_number
from paperlib.experiments.kernel_mean.samples import checkerboard
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import step
from paperlib.kernel_mean import KernelMeanClassifier
from paperlib.kernel_mean.sparse_expansion import Method, sparsify

SUBSETS: dict[str, Method] = {"clustered": "farthest_first", "random": "random", "herding": "herding"}


class Board(NamedTuple):
    """What a checkerboard is drawn from, and the kernel that goes with it.

    Attributes
    ----------
    n : int >= 1
        Points.
    kappa : float > 0
        Width of the Gaussian kernel, in cells.
    spread : float in (0, 1]
        Width of a cluster, in cells.
    """

    n: int
    kappa: float
    spread: float

    @property
    def gamma(self):
        """The Gaussian kernel's gamma."""
        return 1 / (2 * self.kappa**2)

    def draw(self, rng):
        """Return a checkerboard ``(X, y, cluster)``."""
        return checkerboard(self.n, spread=self.spread, random_state=rng)

    def drawn(self, seed):
        """Return the one that all steps run on."""
        return self.draw(stream(seed, "checkerboard"))


@step
def points(board, *, seed):
    """Draw the checkerboard of Figure 1, and score it with the mean of all its points.

    Returns
    -------
    DataFrame with a row per point: x1, x2, label, cluster, score, apart (least distance, in the feature
        space, of ``y phi(x)`` from a point of the other label)
    """
    board = Board(*board)
    (X, y, cluster), gamma = board.drawn(seed), board.gamma
    score = KernelMeanClassifier(gamma=gamma).fit(X, y).decision_function(X)
    columns = {"x1": X[:, 0], "x2": X[:, 1], "label": y, "cluster": cluster, "score": score}
    return pd.DataFrame(columns | {"apart": labels_apart(X, y, gamma)})


def labels_apart(X, y, gamma):
    """Return the least distance (n,) of ``y phi(x)`` from the points of the other label.

    >>> labels_apart(np.array([[0.0], [0.0]]), np.array([1, -1]), 1.0).tolist()
    [2.0, 2.0]
    """
    similarity = np.exp(-gamma * ((X[:, None] - X) ** 2).sum(axis=-1))
    least = np.where(y[:, None] != y, similarity, np.inf).min(axis=1)
    return np.sqrt(2.0 + 2.0 * least)


class SparseMeans(NamedTuple):
    """What Figures 1 and 2 draw.

    Attributes
    ----------
    kept : DataFrame
        A row per method and point that it keeps: method, x1, x2, label, weight.
    scores : ndarray of shape (3, k)
        Of the mean of all points, of the clustered and of the random one, at the rows of `grid`.
    grid : ndarray of shape (k, 2)
    """

    kept: pd.DataFrame
    scores: Floats
    grid: Floats


@step
def sparse_means(board, m, *, seed):
    """Thin the mean of the checkerboard to `m` parts, and to ``2 m`` random points (Figure 2).

    Returns
    -------
    SparseMeans
    """
    board = Board(*board)
    (X, y, _), gamma = board.drawn(seed), board.gamma
    grid = np.stack(np.meshgrid(*[np.linspace(0, 4, 81)] * 2), axis=-1).reshape(-1, 2)
    scores, kept = [KernelMeanClassifier(gamma=gamma).fit(X, y).decision_function(grid)], []
    for name, size in (("clustered", m), ("random", 2 * m)):
        rng = stream(seed, f"figure 2, {name}")
        sparse = sparsify(X, y / len(y), size, method=SUBSETS[name], gamma=gamma, random_state=rng)
        scores.append(sparse.decision_function(grid))
        x1, x2 = X[sparse.support].T
        columns = {"x1": x1, "x2": x2, "label": y[sparse.support], "weight": abs(sparse.weights)}
        kept.append(pd.DataFrame({"method": name} | columns))
    # A score of zero is zero on every processor.
    return SparseMeans(pd.concat(kept, ignore_index=True), np.round(scores, 9), grid)


@step
def subset_success(board, m, n_seeds, *, seed):
    """Thin many checkerboards to clustered, random and herded subsets of ``2 m`` points.

    Returns
    -------
    DataFrame with a row per method and board: method, board, points, missed (clusters of the sample that are
        without a point), wrong (points of the sample that are misclassified), zero_one (their share), error
    """
    n_seeds = check_number(n_seeds, "n_seeds", low=1, integer=True)
    board, rng, rows = Board(*board), stream(seed, "figure 2, many boards"), []
    for number in range(n_seeds):
        X, y, cluster = board.draw(rng)
        for name, budget in (("clustered", m), ("random", 2 * m), ("herding", 2 * m)):
            asked = {"gamma": board.gamma, "random_state": rng}
            sparse = sparsify(X, y / len(y), budget, method=SUBSETS[name], **asked)
            missed = len(np.unique(cluster)) - len(np.unique(cluster[sparse.support]))
            wrong = int((y * sparse.decision_function(X) <= 0).sum())
            rows.append((name, number, len(sparse.support), missed, wrong, wrong / len(y), sparse.error))
    columns = ["method", "board", "points", "missed", "wrong", "zero_one", "error"]
    return pd.DataFrame(rows, columns=columns)


@step
def random_misses(board, m, n_boards, n_draws, *, seed):
    """Count how often `m` random points of a checkerboard miss a cluster, beside how often they should.

    Parameters
    ----------
    board : Board
    m : int >= 1
        Points of a subset.
    n_boards, n_draws : int >= 1
        Boards, and subsets of each.
    seed : int

    Returns
    -------
    DataFrame with a row per board: draws, missed (share of its subsets), chance (of `chance_of_missing`)
    """
    board, rng, rows = Board(*board), stream(seed, "clusters missed"), []
    for _ in range(n_boards):
        X, y, cluster = board.draw(rng)
        clusters, sizes = np.unique(cluster, return_counts=True)
        alpha = y / len(y)
        subsets = (sparsify(X, alpha, m, method="random", random_state=rng).support for _ in range(n_draws))
        missed = [len(np.unique(cluster[subset])) < len(clusters) for subset in subsets]
        rows.append((n_draws, np.mean(missed), chance_of_missing(sizes, m)))
    return pd.DataFrame(rows, columns=["draws", "missed", "chance"])


def chance_of_missing(sizes, draws):
    """Probability that draws with replacement miss a cluster, by inclusion and exclusion; up to 16 clusters.

    Parameters
    ----------
    sizes : array-like of shape (c,), c <= 16
        Of the clusters.
    draws : int >= 0

    Returns
    -------
    float

    Examples
    --------
    >>> chance_of_missing([1, 1], 2)
    0.5
    >>> round(chance_of_missing([50] * 16, 32), 4)
    0.9266
    """
    sizes = np.asarray(sizes, dtype=float)
    check_number(sizes.size, "number of clusters", low=1, high=16, integer=True)
    left_out, signs = np.zeros(1), np.ones(1)  # over all sets of clusters
    for share in sizes / sizes.sum():
        left_out, signs = np.concatenate([left_out, left_out + share]), np.concatenate([signs, -signs])
    return float(1.0 - signs @ np.maximum(1.0 - left_out, 0.0) ** draws)

"""The checkerboard and its subsets, against direct computations."""

import itertools

import numpy as np
import pytest

from paperlib.experiments.kernel_mean import section_7_1_checkerboard as checkerboard
from paperlib.kernel_mean import KernelMeanClassifier


def test_points_of_the_board_have_the_scores_of_the_mean_and_their_distances():
    board = checkerboard.points((150, 0.3, 0.4), seed=0)
    X, y = board[["x1", "x2"]].to_numpy(), board.label.to_numpy()
    mean = KernelMeanClassifier(gamma=checkerboard.Board(150, 0.3, 0.4).gamma).fit(X, y)
    assert np.allclose(board.score, mean.decision_function(X))
    K = np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / (2 * 0.3**2))
    distances = np.sqrt(np.maximum(2 - 2 * np.outer(y, y) * K, 0))
    expected = [distances[i, y != y[i]].min() for i in range(150)]
    assert np.allclose(board.apart, expected) and (board.apart >= np.sqrt(2)).all()
    assert board.groupby("label").cluster.nunique().tolist() == [8, 8]


def test_sparse_means_keep_points_of_the_board():
    kept, scores, grid = checkerboard.sparse_means((150, 0.3, 0.4), 16, seed=0)
    assert scores.shape == (3, len(grid)) and (kept.groupby("method").size() <= 32).all()
    board = checkerboard.points((150, 0.3, 0.4), seed=0)
    assert len(kept.merge(board, on=["x1", "x2", "label"])) == len(kept)
    assert np.allclose(kept.groupby("method").weight.sum(), 1)


def test_subsets_count_what_was_missed():
    trials = checkerboard.subset_success((300, 0.3, 0.4), 16, 10, seed=0)
    clustered, random, herded = (trials[trials.method == m] for m in ("clustered", "random", "herding"))
    assert len(clustered) == len(random) == len(herded) == 10
    assert (clustered.missed == 0).all() and (clustered.wrong == 0).all()
    assert (trials.points <= 32).all() and (random.missed > 0).mean() > 0.5
    assert (random.zero_one[random.missed > 0] > 0).all()
    assert herded.error.mean() < clustered.error.mean() < random.error.mean()


def test_the_chance_of_missing_a_cluster_against_all_sequences_of_draws():
    sizes, draws = np.array([1, 2, 4]), 5
    sequences = np.array(list(itertools.product(range(3), repeat=draws)))
    probability = (sizes / 7)[sequences].prod(axis=1)
    missed = np.array([len(set(row)) < 3 for row in sequences.tolist()])
    assert np.isclose(checkerboard.chance_of_missing(sizes, draws), probability @ missed)
    assert checkerboard.chance_of_missing([3], 1) == 0
    assert checkerboard.chance_of_missing([3, 3], 1) == 1
    with pytest.raises(ValueError, match="number of clusters"):
        checkerboard.chance_of_missing(np.ones(17), 3)


def test_random_subsets_miss_clusters_as_often_as_they_should():
    boards = checkerboard.random_misses((300, 0.3, 0.4), 32, 20, 30, seed=0)
    off = boards.missed - boards.chance
    assert abs(off.mean()) < 5 * off.std() / np.sqrt(20) and (boards.chance > 0.8).all()

"""Widths chosen from noisy labels on real data, with the oracle and what others do."""

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import StandardScaler

from paperlib.experiments.datasets import load
from paperlib.experiments.kernel_mean import section_3_4_widths as widths
from paperlib.experiments.kernel_mean.real_data import noisy_splits
from paperlib.kernel_mean import KernelMeanClassifier


@pytest.fixture(scope="module")
def cancer():
    data = load("breast_cancer")
    sizes = {"max_train": 150, "max_test": 200}
    rng = np.random.default_rng(0)
    return data, sizes, widths.curves_of(data.X, data.y, [0.1, 1.0, 10.0], [0.0, 0.3], 5, rng, **sizes)


def test_every_learner_is_tried_and_peers_on_a_quarter_of_the_splits(cancer):
    _, _, curves = cancer
    counts = curves.groupby("learner").size()
    assert counts["width"] == 3 * 2 * 5
    assert (counts[[*widths.RULES, widths.THRESHOLD]] == 2 * 5).all()
    assert (counts[list(widths.peers(30))] == 2 * 2).all()
    assert curves.zero_one.between(0, 1).all()


def test_errors_are_those_of_the_classifier_of_that_width(cancer):
    data, sizes, curves = cancer
    [split, noise, train, test] = list(
        noisy_splits(data.X, data.y, [0.0, 0.3], 5, np.random.default_rng(0), **sizes)
    )[3]
    scaler = StandardScaler().fit(train[0])
    found = curves[(curves.split == split) & (curves.noise == noise)]
    for row in found[found.width.notna()].itertuples():
        weight = None if row.learner == "longest mean" else "balanced"
        threshold = "error" if row.learner == widths.THRESHOLD else 0.0
        mean = KernelMeanClassifier(gamma=row.width / 30, class_weight=weight, threshold=threshold)
        predicted = mean.fit(scaler.transform(train[0]), train[1]).predict(scaler.transform(test[0]))
        assert np.isclose(row.zero_one, np.mean(predicted != test[1])), row.learner


def test_the_oracle_has_the_width_of_least_mean_error():
    rows = [
        ("width", width, 0.0, split, value)
        for width, values in ((1.0, (0.1, 0.5)), (2.0, (0.2, 0.2)))
        for split, value in enumerate(values)
    ]
    rows += [("leave one out", 1.0, 0.0, 0, 0.1), ("leave one out", 2.0, 0.0, 1, 0.2)]
    curves = pd.DataFrame(rows, columns=["learner", "width", "noise", "split", "zero_one"])
    found = widths.with_oracle(curves)
    assert found[found.learner == widths.BEST].zero_one.tolist() == [0.2, 0.2]


def test_balanced_classes_help_the_longest_mean_here(cancer):
    _, _, curves = cancer
    means = curves.groupby("learner").zero_one.mean()
    assert means["longest mean"] > means["longest mean, equal classes"] + 0.05


def test_no_splits_are_refused():
    with pytest.raises(ValueError, match="n_splits must be"):
        widths.curves_of(np.eye(4), np.array([1, 1, -1, -1]), [1.0], [0.0], 0, np.random.default_rng(0))

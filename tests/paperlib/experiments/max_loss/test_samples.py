"""The samples: what they promise of their points and labels, and bad input."""

import numpy as np
import pytest

from paperlib.experiments.max_loss import samples
from paperlib.experiments.max_loss.samples import conjunction_sample


def test_rare_examples_lack_one_feature_by_their_shares():
    X, y, is_rare = conjunction_sample(40_000, 0.5, random_state=0)
    assert not y[is_rare].any() and y[~is_rare].mean() == pytest.approx(0.5, abs=0.02)
    lacking = (~X[is_rare, :4]).mean(axis=0)
    assert lacking == pytest.approx([1 / 8, 1 / 8, 3 / 8, 3 / 8], abs=0.02)
    for n in (1, 2, 3, 5):
        shares = samples.shares_of_lacking(n)
        assert shares.sum() == pytest.approx(1.0) and shares.min() == pytest.approx(1 / 2 / n if n > 1 else 1)


def test_nearly_all_points_are_easy():
    for seed in range(100):
        X, y = samples.mostly_easy_sample(80, 5, random_state=seed)
        signed = y[:, None] * X
        assert (signed @ [5.0, 1.0] > 0.0).all()
        assert ((signed[:, 1] > 0.0) == (np.arange(80) >= 5)).all()
    assert samples.mostly_easy_sample(1, 0, random_state=0)[0].shape == (1, 2)


def test_samples():
    X, y, normal = samples.separable_sample(1000, 6, 0.3, random_state=0)
    assert (y * (X @ normal)).min() >= 0.3 - 1e-12 and np.linalg.norm(normal) == pytest.approx(1.0)
    X, y = samples.gap_sample(20_000, 0.1, 0.25, random_state=0)
    assert (abs(X[:, 1]) < 1).mean() == pytest.approx(0.25, abs=0.02)
    assert ((y[:, None] * X)[:, 0] == 0.1).all()
    given, flipped = samples.flip_labels(y, 7, random_state=0)
    assert (given != y).sum() == 7 and (given[flipped] == -y[flipped]).all()


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: samples.mostly_easy_sample(4, 5), "n_hard must be an integer >= 0 and <= 4, got 5"),
        (lambda: samples.gap_sample(0, 0.1, 0.1), "m must be"),
        (lambda: samples.gap_points(0.0), "alpha must be"),
        (lambda: samples.gap_training_set(0.1, 0.7), "eps must be"),
        (lambda: samples.flip_labels([1, 1, 1], 4), "n_flipped must be"),
        (lambda: conjunction_sample(5, 1.5), "rare must be"),
        (lambda: samples.flip_labels([0, 1], 1), "y must hold the labels -1 and"),
        (lambda: conjunction_sample(5, 0.1, 3, 4), "n_relevant must be an integer >= 1 and <= 3, got 4"),
    ],
)
def test_nonsense_is_one_clear_error(call, says):
    with pytest.raises(ValueError, match=says):
        call()

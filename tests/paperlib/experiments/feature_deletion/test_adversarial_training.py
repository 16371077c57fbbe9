import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from paperlib.experiments.feature_deletion.adversarial_training import SubgradientClassifier
from paperlib.experiments.feature_deletion.subgradients import descend


@parametrize_with_checks([SubgradientClassifier(random_state=0)])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def slow(X, signs, order, count, kept, step, w, total):
    """The same steps as vectors."""
    for i in order:
        left = np.ones(X.shape[1]) if kept is None else kept[i]
        if kept is None:
            worth = signs[i] * w[:-1] * X[i]
            for j in np.argsort(-worth)[:count]:
                left[j] = 0.0 if worth[j] > 0 else 1.0
        x = np.append(X[i] * left, 1.0)
        if 1 - signs[i] * (w @ x) > 0:
            w += step * signs[i] * x
        total += w


@pytest.mark.parametrize(("count", "random"), [(0, False), (2, False), (5, False), (0, True)])
def test_steps_are_those_of_the_slow_twin(count, random):
    rng = np.random.default_rng(count)
    X, signs = rng.normal(size=(40, 6)), rng.choice([-1.0, 1.0], 40)
    kept = (rng.uniform(size=X.shape) < 0.5) * 2.0 if random else None
    found, expected = np.zeros((2, 7)), np.zeros((2, 7))
    for _ in range(3):
        descend(X, signs, np.arange(40), count, kept, 0.1, *found)
        slow(X, signs, np.arange(40), count, kept, 0.1, *expected)
    assert found == pytest.approx(expected, abs=1e-12)


def test_it_prepares_for_the_loss_of_the_best_feature():
    rng = np.random.default_rng(0)
    y = rng.choice([-1, 1], 300)
    X = y[:, None] * np.array([3.0, 1.0, 1.0, 1.0]) + rng.normal(size=(300, 4)) * 0.3
    shares = [
        np.abs(clf.coef_[0, 0]) / np.abs(clf.coef_).sum()
        for clf in (SubgradientClassifier(k, random_state=0).fit(X, y) for k in (0, 1))
    ]
    assert shares[1] < 0.7 * shares[0]


@pytest.mark.parametrize(
    "options", [{"n_deleted": 1, "rate": 0.5}, {"n_deleted": 2}, {"rate": 1.0}, {"step": 0}]
)
def test_bad_parameters_are_refused(options):
    with pytest.raises(ValueError, match="must"):
        SubgradientClassifier(**options).fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])

"""Mining of hard examples, against a plain version of itself."""

import numpy as np
import pytest

from paperlib.experiments.max_loss.hard_examples import hard_examples, hardest
from paperlib.experiments.max_loss.samples import separable_sample
from paperlib.max_loss import LogisticSGD, Perceptron


class Recorded:
    """A learner that notes what it is asked to learn from, and errs on odd examples."""

    def __init__(self):
        self.batches = []

    def step(self, indices):
        self.batches.append(indices.tolist())
        return indices % 2.0


def plain_hardest(numbers, k):
    """Take the largest that is left, the first of equal ones, k times."""
    left, taken = list(enumerate(numbers)), []
    for _ in range(k):
        best = left[0]
        for each in left:
            if each[1] > best[1]:
                best = each
        taken.append(best[0])
        left.remove(best)
    return taken


@pytest.mark.parametrize("levels", [1, 2, 5, 1000])
def test_the_hardest_of_a_pool(levels):
    rng = np.random.default_rng(levels)
    for n in (1, 2, 3, 17):
        numbers = rng.integers(-levels, levels, size=n) / 3
        for k in {1, (n + 1) // 2, n}:
            assert hardest(numbers, k).tolist() == plain_hardest(numbers.tolist(), k)


@pytest.mark.parametrize("m, batch_size, pool_size", [(30, 4, 12), (3, 2, 7), (1, 1, 1), (5, 6, 6)])
def test_steps_are_on_the_hardest_of_uniform_draws(m, batch_size, pool_size):
    numbers, learner = np.random.default_rng(1).integers(0, 4, size=m), Recorded()
    sizes = {"batch_size": batch_size, "pool_size": pool_size}
    run = hard_examples(learner, lambda i: numbers[i], m, 20, **sizes, random_state=7)
    rng, expected = np.random.default_rng(7), []
    for _ in range(20):
        pool = rng.integers(m, size=pool_size).tolist()
        expected.append([pool[place] for place in plain_hardest([numbers[i] for i in pool], batch_size)])
    assert learner.batches == expected
    assert run.losses.tolist() == [np.mean([i % 2 for i in batch]) for batch in expected]
    assert run.n_learned.tolist() == [sum(batch.count(i) for batch in expected) for i in range(m)]


def test_hardness_is_that_of_the_iterate_before_the_step():
    X, y, _ = separable_sample(100, 3, 0.3, random_state=0)
    learner, other = LogisticSGD(X, y), LogisticSGD(X, y)
    hard_examples(learner, lambda i: -y[i] * (X[i] @ learner.w[:-1]), 100, 30, batch_size=8, pool_size=32)
    rng = np.random.default_rng(5)
    learner = LogisticSGD(X, y)
    sizes = {"batch_size": 8, "pool_size": 32, "random_state": 5}
    hard_examples(learner, lambda i: -y[i] * (X[i] @ learner.w[:-1]), 100, 30, **sizes)
    for _ in range(30):
        pool = rng.integers(100, size=32)
        other.step(pool[plain_hardest((-y[pool] * (X[pool] @ other.w[:-1])).tolist(), 8)])
    assert np.array_equal(learner.w, other.w)


def test_it_ends_where_the_callback_says_so():
    run = hard_examples(Recorded(), lambda i: i, 9, 100, batch_size=1, pool_size=2, callback=lambda t: t == 3)
    assert run.n_iter == len(run.losses) == run.n_learned.sum() == 3


@pytest.mark.parametrize(
    "changed, message",
    [
        ({"m": 0}, "m must be"),
        ({"max_iter": 0}, "max_iter must be"),
        ({"batch_size": 0}, "batch_size must be"),
        ({"pool_size": 3}, "pool_size must be"),
        ({"hardness": None}, "hardness must be callable"),
        ({"callback": 1}, "callback must be callable"),
        ({"hardness": lambda i: i[:-1]}, "must have shape"),
        ({"hardness": lambda i: i * np.nan}, "must be finite"),
        ({"learner": object()}, "step"),
    ],
)
def test_what_makes_no_sense_is_said(changed, message):
    X, y, _ = separable_sample(10, 2, 0.1, random_state=0)
    given = {"learner": Perceptron(X, y), "hardness": lambda i: i, "m": 10, "max_iter": 3, "batch_size": 4}
    with pytest.raises((ValueError, TypeError), match=message):
        hard_examples(**(given | {"pool_size": 8} | changed))

"""What is read off the curves of Figures 2 and 3, against loops over their rows."""

import itertools

import numpy as np
import pandas as pd
import pytest

from paperlib.experiments.max_loss.section_5_curves import (
    BATCH,
    LOW,
    epochs_to_zero,
    last_over_vote,
    median_curves,
    useful_draws,
)
from paperlib.experiments.max_loss.section_5_curves import test_error_at as error_at

M = 1000


def curves_of(runs, m=M):
    """Curves of one run for each {(method, run): training errors from epoch 0 on}."""
    rng = np.random.default_rng(len(runs))
    rows = [
        (method, run, epoch, errors, errors / m, rng.random(), np.nan if epoch == 0 else rng.random())
        for (method, run), path in runs.items()
        for epoch, errors in enumerate(path)
    ]
    columns = ["method", "run", "epoch", "train_errors", "train_error", "test_error", "useful"]
    return pd.DataFrame(rows, columns=columns)


def drawn(seed):
    """Curves of random runs that go down to zero and up again, some of them never down."""
    rng = np.random.default_rng(seed)
    return curves_of(
        {
            (method, run): np.maximum(
                0, rng.integers(-3, 30, rng.integers(2, 25)) // (1 + (run == 0))
            ).tolist()
            for method in ("FOL", "SGD")
            for run in range(4)
        }
    )


def paths(curves):
    """Yield (method, run, rows in order)."""
    for (method, run), each in curves.groupby(["method", "run"], sort=False):
        yield method, run, list(each.itertuples())


@pytest.mark.parametrize("seed", range(20))
def test_epochs_to_zero_is_the_first_or_the_last(seed):
    curves = drawn(seed)
    found = epochs_to_zero(curves).set_index(["method", "run"])
    for method, run, rows in paths(curves):
        at = next((row for row in rows if row.train_errors == 0), rows[-1])
        own = found.loc[(method, run)]
        assert (own.epochs, own.test_error, own.train_error) == (at.epoch, at.test_error, at.train_error)
        assert own.reached == (at.train_errors == 0)


@pytest.mark.parametrize("seed", range(20))
def test_a_median_keeps_the_last_of_a_run_that_has_ended(seed):
    curves = drawn(seed)
    found = median_curves(curves).set_index(["method", "epoch"])
    for method in ("FOL", "SGD"):
        own = [rows for name, _, rows in paths(curves) if name == method]
        for epoch in range(max(map(len, own))):
            for part in ("train_error", "test_error"):
                at = [getattr(rows[min(epoch, len(rows) - 1)], part) for rows in own]
                assert np.isclose(found.loc[(method, epoch), part], np.median(at))


@pytest.mark.parametrize("seed", range(20))
def test_the_error_at_the_epochs_of_another(seed):
    curves = drawn(seed)
    epochs = pd.Series({0: 3, 1: 0, 2: 100, 3: 1})
    found = error_at(curves, "SGD", epochs)
    for method, run, rows in paths(curves):
        if method == "SGD":
            assert found[run] == rows[min(epochs[run], len(rows) - 1)].test_error


@pytest.mark.parametrize("seed", range(20))
def test_useful_draws_are_of_the_epochs_before_the_first_zero(seed):
    curves = drawn(seed)
    found = useful_draws(curves).set_index(["method", "run"])
    for method, run, rows in paths(curves):
        counted = []
        for before, after in itertools.pairwise(rows):
            counted.append((after.useful, (before.train_error + after.train_error) / 2))
            if 0 in (before.train_errors, after.train_errors):
                break
        low = [each for each in counted if each[1] <= LOW] or counted[-1:]
        useful, uniform = np.mean(low, axis=0) * [1, BATCH]
        own = found.loc[(method, run)]
        assert np.allclose([own.useful, own.uniform], [useful, uniform])
        assert np.isclose(own.gain, useful / uniform if uniform else 1.0)


def test_useful_draws_of_what_is_solved_before_it_began():
    found = useful_draws(curves_of({("FOL", 0): [0, 0]}).assign(useful=[np.nan, 0.0]))
    assert (found.useful[0], found.gain[0]) == (0.0, 1.0)


def test_the_last_network_over_the_vote():
    last = {("FOL", 0): [9, 5, 0, 3], ("FOL", 1): [9, 2, 1, 0], ("FOL", 2): [4, 3, 2, 1], ("SGD", 0): [1, 0]}
    vote = {("FOL", 0): [9, 6, 2, 0], ("FOL", 1): [9, 0, 0, 0], ("FOL", 2): [4, 0, 2, 2], ("SGD", 0): [0, 0]}
    curves = curves_of(last).assign(vote_errors=curves_of(vote).train_errors)
    # The third run's last network never gets there: it counts as long as it was run.
    assert last_over_vote(curves).tolist() == [2 / 3, 3.0, 3.0]
    assert last_over_vote(curves, method="SGD").tolist() == [1.0]

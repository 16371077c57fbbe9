"""Epochs to zero training error of a small network, MNIST 8 against the rest: counted, not timed."""

import statistics

from benchmarks.side_by_side import Comparison
from paperlib.experiments.max_loss.images import digit_task
from paperlib.experiments.max_loss.section_5_networks import epochs_to_zero, race

EPOCHS, RUNS = 120, 5


def run():
    task = digit_task(n_train=4000, random_state=0)
    plain = _median(epochs_to_zero(race(task, EPOCHS, RUNS, methods=("SGD",)).curves))
    for factor in (1.0, 4.0):
        outcome = race(task, EPOCHS, RUNS, methods=("FOL",), eta_factor=factor)
        yield Comparison(
            f"epochs to zero training error, network, eta = {factor:g} / (2m)",
            _median(epochs_to_zero(outcome.curves)),
            plain,
            "SGD",
            target=3,
            note=f"medians of {RUNS} seeds, m = 4000, width 1/20",
            unit="epochs",
        )


def _median(table):
    return statistics.median(table.epochs)
